//! Steps of a question's programs: where the learner is in them, and what is chosen and pinned there.
//!
//! `step_moves.rs` moves through them, `trace.rs` replays what was true at a step, `align.rs` matches the two programs.

use std::mem;

use crate::content::question::{LineNo, Question};
use crate::quiz::align::{Partner, Relation, matching_lines, partners};
use crate::quiz::motion::Motion;
use crate::quiz::program::{PerProgram, Program, Programs};
use crate::quiz::trace::{Frame, Local, Name, Way};
use crate::runner::recording::Recording;
use crate::runner::{Event, Step};

/// An action of the learner in the steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Show the steps; trace what was not traced yet.
    Trace,
    /// So many steps on or back, or to the first or the last.
    Step(Motion),
    /// To the next step, or the one before, where this happens.
    Seek(Target, Way),
    /// Move the mark on the lines.
    Cursor(Motion),
    /// Put the mark on this line and go to its next visit, round and round.
    Visit(Program, LineNo),
    /// Move the mark on the variables.
    Choose(Motion),
    /// Put the mark on this variable, by its place among those that are shown.
    ChooseAt(usize),
    /// Pin the chosen variable, or unpin it.
    Pin,
    /// Show the next of: the buggy program, the fixed one, both in step.
    Turn,
    /// A digit of a number was typed.
    Digit(u8),
    /// Go to the step whose number was typed; without one, open the chosen value or cut it again.
    Enter,
    /// Drop the typed number, close the value, or leave the steps, whichever comes first.
    Close,
}

/// The event that a motion looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A function is entered.
    Call,
    /// A function is left.
    Return,
    /// The marked line, or the line whose number was typed, is about to run.
    Line,
    /// The chosen variable changes.
    Change,
}

/// Something that a motion looked for and did not find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missed {
    /// A call.
    Call(Way),
    /// A return.
    Return(Way),
    /// A visit of this line.
    Line(LineNo, Way),
    /// A change of this variable.
    Change(String, Way),
    /// A line with this number.
    NoLine(u32),
    /// The fixed program, which is closed.
    Fixed,
}

/// A variable as a row of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The variable.
    pub name: Name,
    /// True if it is listed among the pinned ones.
    pub pinned: bool,
    /// The depth of its function; 0 for one that is pinned.
    pub depth: u32,
    /// Its value, and whether it has just changed; `None` for a pinned one that is not on the stack.
    pub value: Option<(String, bool)>,
}

impl Shown {
    pub(super) fn is(&self, other: &Self) -> bool {
        (&self.name, self.pinned, self.depth) == (&other.name, other.pinned, other.depth)
    }
}

/// The traces of a question and where the learner is in them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    walks: PerProgram<Walk>,
    pub(super) programs: Programs,
    /// For each step of the buggy program, the one of the fixed program that belongs to it.
    partners: Vec<Partner>,
    pub(super) chosen: Option<Shown>,
    pub(super) pins: Vec<Name>,
    /// The number that is being typed; 0 for none.
    pub(super) typed: u32,
    pub(super) open: bool,
    pub(super) missed: Option<Missed>,
}

/// A trace, and where the learner is in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Walk {
    pub(super) trace: Recording,
    pub(super) at: usize,
    /// The marked line; `None` follows the line that is about to run.
    pub(super) cursor: Option<LineNo>,
    pub(super) looks_at_cursor: bool,
}

impl Walk {
    /// The recording that it goes through.
    pub fn trace(&self) -> &Recording {
        &self.trace
    }

    /// The step that is looked at, counted from 0.
    pub fn at(&self) -> usize {
        self.at
    }

    /// That step.
    pub fn step(&self) -> Option<&Step> {
        self.trace.step(self.at)
    }

    /// The line that the learner marked.
    pub fn cursor(&self) -> Option<LineNo> {
        self.cursor
    }

    /// True if the learner moved that mark last, and not the step.
    pub fn looks_at_cursor(&self) -> bool {
        self.looks_at_cursor
    }

    /// The marked line, else the one of the step.
    pub(super) fn line(&self) -> Option<LineNo> {
        self.cursor.or_else(|| LineNo::new(self.step()?.line))
    }

    /// The call stack, the innermost function first.
    pub fn stack(&self) -> Vec<Frame> {
        let mut frames = self.trace.frames(self.at);
        frames.reverse();
        frames
    }
}

impl Steps {
    /// The trace of `program`.
    pub fn walk(&self, program: Program) -> Option<&Walk> {
        self.walks.get(program)
    }

    pub(super) fn walk_mut(&mut self, program: Program) -> Option<&mut Walk> {
        self.walks.place(program).as_mut()
    }

    /// The trace that keys move, once it has a step.
    pub fn leader(&self) -> Option<&Walk> {
        self.walk(self.programs.leader()).filter(|walk| !walk.trace.steps.is_empty())
    }

    /// The programs that are shown.
    pub fn programs(&self) -> Programs {
        self.programs
    }

    /// The number that is being typed.
    pub fn typed(&self) -> Option<u32> {
        Some(self.typed).filter(|typed| *typed > 0)
    }

    /// True if the chosen value is shown in full.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Something that the last motion did not find.
    pub fn missed(&self) -> Option<&Missed> {
        self.missed.as_ref()
    }

    /// The relation of the two steps, where both programs are shown.
    pub fn relation(&self) -> Option<Relation> {
        let at = self.walk(Program::Buggy)?.at;
        self.partners.get(at).filter(|_| self.programs == Programs::Both).map(|partner| partner.relation)
    }

    /// The variables that are shown of `walk`: the pinned ones, then those of each function on the stack, the innermost
    /// first.
    pub fn shown(&self, walk: &Walk) -> Vec<Shown> {
        let stack = walk.stack();
        let in_stack = |pin: &Name| {
            let frames = stack.iter().filter(|frame| frame.function == pin.function);
            frames.flat_map(|frame| &frame.variables).find(|local| local.name == pin.name)
        };
        let value = |local: &Local| (local.value.clone(), local.changed);
        let pins = self.pins.iter().map(|pin| Shown {
            name: pin.clone(),
            pinned: true,
            depth: 0,
            value: in_stack(pin).map(value),
        });
        let locals = stack.iter().flat_map(|frame| {
            frame.variables.iter().map(|local| Shown {
                name: Name { function: frame.function.clone(), name: local.name.clone() },
                pinned: false,
                depth: frame.depth,
                value: Some(value(local)),
            })
        });
        pins.chain(locals).collect()
    }

    /// The place of the chosen variable among `shown`: the same row where it is there, else the same variable elsewhere.
    pub fn chosen(&self, shown: &[Shown]) -> usize {
        let Some(chosen) = &self.chosen else { return 0 };
        let same = shown.iter().position(|row| row.is(chosen));
        same.or_else(|| shown.iter().position(|row| row.name == chosen.name)).unwrap_or(0)
    }

    pub(super) fn is_running(&self) -> bool {
        self.walks.iter().any(|walk| walk.trace.is_running())
    }

    /// Begins traces of these programs. Pins stay, and so does the side that is shown, where it can.
    pub(super) fn begin(&mut self, programs: &[Program]) {
        let old = mem::take(self);
        (self.pins, self.chosen) = (old.pins, old.chosen);
        for program in programs {
            let trace = Recording::default();
            *self.walks.place(*program) = Some(Walk { trace, at: 0, cursor: None, looks_at_cursor: false });
        }
        if self.walk(Program::Fixed).is_some() {
            self.programs = old.programs;
        }
    }

    /// Takes what the run of `program` reported. `question` tells which lines of the two programs match.
    pub(super) fn record(&mut self, program: Program, event: Event, question: &Question) {
        let over = matches!(event, Event::Ended(_));
        let Some(walk) = self.walk_mut(program) else { return };
        walk.trace.add(event);
        if !over {
            return;
        }
        let is_empty = |walk: &Walk| !walk.trace.is_running() && walk.trace.steps.is_empty();
        if self.walk(Program::Fixed).is_none_or(is_empty) {
            // A program that took no step cannot be shown.
            self.programs = Programs::One(Program::Buggy);
        }
        if let Some((buggy, fixed)) = self.walks.both()
            && !self.is_running()
            && !fixed.trace.steps.is_empty()
        {
            let lines = matching_lines(&question.spot.code, &question.fixed.code);
            self.partners = partners(&buggy.trace, &fixed.trace, &lines);
            self.keep_in_step();
        }
    }

    /// Forgets the fixed program, also the pins that only it could have.
    pub(super) fn close_fixed(&mut self) {
        if self.walks.place(Program::Fixed).take().is_none() {
            return;
        }
        self.programs = Programs::One(Program::Buggy);
        self.partners.clear();
        self.missed = None;
        let buggy = self.walks.get(Program::Buggy).map(|walk| &walk.trace);
        let is_known = |name: &Name| buggy.is_some_and(|trace| trace.has(name));
        self.pins.retain(is_known);
        self.chosen = self.chosen.take().filter(|chosen| is_known(&chosen.name));
    }

    /// Brings the fixed program to where the buggy one is, where both are shown.
    pub(super) fn keep_in_step(&mut self) {
        let partner = self.walk(Program::Buggy).and_then(|walk| self.partners.get(walk.at)).copied();
        if let (Programs::Both, Some(partner), Some(fixed)) = (self.programs, partner, self.walk_mut(Program::Fixed)) {
            fixed.at = partner.at;
        }
    }
}
