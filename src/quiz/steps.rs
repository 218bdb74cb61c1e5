//! Stepping through a traced program, back and forth, and through both programs side by side.
//!
//! Owns where the learner is in each trace, what is chosen and pinned, and what each motion looks for. What was true at a
//! step is `trace.rs`; which steps of two programs belong together is `align.rs`.

use std::mem;
use std::sync::Arc;

use crate::content::question::{LineNo, lines};
use crate::quiz::action::{Effect, Motion};
use crate::quiz::align::{Kinship, Partner, matching_lines, partners};
use crate::quiz::parts::{Part, Starting, Want};
use crate::quiz::prediction;
use crate::quiz::state::{Program, Quiz, RunId, Sitting, Stage};
use crate::quiz::trace::{Frame, Local, Trace, Way, is_class_body, visits};
use crate::runner::{Event, Mode, Step, StepKind};

/// What the learner does with the steps.
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

/// What a motion looks for.
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

/// What a motion looked for and did not find.
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
}

/// Which programs are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// The buggy program.
    #[default]
    Buggy,
    /// The fixed program.
    Fixed,
    /// Both; the buggy one leads.
    Both,
}

impl Side {
    /// The program that keys move.
    pub fn leader(self) -> Program {
        match self {
            Self::Buggy | Self::Both => Program::Buggy,
            Self::Fixed => Program::Fixed,
        }
    }
}

/// A variable, wherever it stands on the stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The function that it belongs to.
    pub function: String,
    /// Its name, or `name.attribute`.
    pub name: String,
}

/// A variable as a row of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Which.
    pub name: Name,
    /// Whether it stands among the pinned ones.
    pub pinned: bool,
    /// The depth of its function; 0 for one that is pinned.
    pub depth: u32,
    /// Its value, and whether it has just changed; `None` for a pinned one that is not on the stack.
    pub value: Option<(String, bool)>,
}

impl Shown {
    fn is(&self, other: &Self) -> bool {
        (&self.name, self.pinned, self.depth) == (&other.name, other.pinned, other.depth)
    }
}

/// The traces of a question and where the learner is in them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    buggy: Option<Walk>,
    fixed: Option<Walk>,
    side: Side,
    /// For each step of the buggy program, the one of the fixed program that belongs to it.
    partners: Vec<Partner>,
    chosen: Option<Shown>,
    pins: Vec<Name>,
    /// The number that is being typed; 0 for none.
    typed: u32,
    open: bool,
    missed: Option<Missed>,
}

/// A trace, and where the learner is in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Walk {
    trace: Trace,
    at: usize,
    /// The marked line; `None` follows the line that is about to run.
    cursor: Option<LineNo>,
    /// Whether the learner moved the mark last, not the step.
    looks_at_cursor: bool,
}

impl Walk {
    /// The trace.
    pub fn trace(&self) -> &Trace {
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

    /// Whether the learner moved that mark last, and not the step.
    pub fn looks_at_cursor(&self) -> bool {
        self.looks_at_cursor
    }

    /// The marked line, else the one of the step.
    fn line(&self) -> Option<LineNo> {
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
        match program {
            Program::Buggy => self.buggy.as_ref(),
            Program::Fixed => self.fixed.as_ref(),
        }
    }

    fn walk_mut(&mut self, program: Program) -> Option<&mut Walk> {
        match program {
            Program::Buggy => self.buggy.as_mut(),
            Program::Fixed => self.fixed.as_mut(),
        }
    }

    /// The trace that keys move, once it has a step.
    pub fn leader(&self) -> Option<&Walk> {
        self.walk(self.side.leader()).filter(|walk| !walk.trace.is_empty())
    }

    /// Which programs are shown.
    pub fn side(&self) -> Side {
        self.side
    }

    /// The number that is being typed.
    pub fn typed(&self) -> Option<u32> {
        Some(self.typed).filter(|typed| *typed > 0)
    }

    /// Whether the chosen value is shown in full.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// What the last motion did not find.
    pub fn missed(&self) -> Option<&Missed> {
        self.missed.as_ref()
    }

    /// How the step of the fixed program belongs to that of the buggy one, where both are shown.
    pub fn kinship(&self) -> Option<Kinship> {
        let at = self.buggy.as_ref()?.at;
        self.partners.get(at).filter(|_| self.side == Side::Both).map(|partner| partner.kinship)
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

    /// The runs that go on.
    pub(super) fn running(&self) -> impl Iterator<Item = RunId> + '_ {
        let walks = [&self.buggy, &self.fixed].into_iter().flatten();
        walks.filter(|walk| walk.trace.ending().is_none()).map(|walk| walk.trace.id())
    }

    /// The trace of run `id`, where it still goes on.
    fn of(&mut self, id: RunId) -> Option<&mut Trace> {
        let mut walks = [&mut self.buggy, &mut self.fixed].into_iter().flatten();
        walks.find(|walk| walk.trace.id() == id && walk.trace.ending().is_none()).map(|walk| &mut walk.trace)
    }

    /// Brings the fixed program to where the buggy one is, where both are shown.
    fn keep_in_step(&mut self) {
        let partner = self.buggy.as_ref().and_then(|walk| self.partners.get(walk.at)).copied();
        if let (Side::Both, Some(partner), Some(fixed)) = (self.side, partner, &mut self.fixed) {
            fixed.at = partner.at;
        }
    }

    fn go(&mut self, at: usize) {
        let program = self.side.leader();
        if let Some(walk) = self.walk_mut(program) {
            walk.at = at.min(walk.trace.len().saturating_sub(1));
            walk.looks_at_cursor = false;
        }
        self.keep_in_step();
    }

    /// Goes to the next step where `target` happens, or notes that there is none.
    fn seek(&mut self, target: Target, way: Way, source: &str) {
        let Some(walk) = self.leader() else { return };
        let from = walk.at;
        let is = |step: &Step, kind| step.kind == kind && !is_class_body(source, &step.function);
        let (found, missed) = match target {
            Target::Call => (walk.trace.seek(from, way, |step| is(step, StepKind::Call)), Missed::Call(way)),
            Target::Return => (walk.trace.seek(from, way, |step| is(step, StepKind::Return)), Missed::Return(way)),
            Target::Line => {
                let Some(line) = walk.line() else { return };
                (walk.trace.seek(from, way, |step| visits(step, line)), Missed::Line(line, way))
            }
            Target::Change => {
                let shown = self.shown(walk);
                let Some(Shown { name, .. }) = shown.get(self.chosen(&shown)) else { return };
                let changes = |step: &Step| {
                    let changed = step.changed.iter().map(|variable| &variable.name).chain(&step.gone);
                    step.function == name.function && changed.into_iter().any(|changed| *changed == name.name)
                };
                (walk.trace.seek(from, way, changes), Missed::Change(name.name.clone(), way))
            }
        };
        match found {
            Some(at) => self.go(at),
            None => self.missed = Some(missed),
        }
    }

    /// Marks `line` of the program that keys move, if it has that line.
    fn mark(&mut self, line: u32, count: usize) -> bool {
        let program = self.side.leader();
        let line = LineNo::new(line).filter(|line| line.index() < count);
        match (line, self.walk_mut(program)) {
            (Some(line), Some(walk)) => {
                walk.cursor = Some(line);
                walk.looks_at_cursor = true;
            }
            _ => return false,
        }
        true
    }

    fn choose(&mut self, motion: Option<Motion>, at: usize) {
        let Some(walk) = self.leader() else { return };
        let shown = self.shown(walk);
        let row = motion.map_or(at, |motion| motion.from(self.chosen(&shown), shown.len()));
        if let Some(row) = shown.into_iter().nth(row) {
            self.open &= self.chosen.as_ref().is_some_and(|chosen| chosen.is(&row));
            self.chosen = Some(row);
        }
    }

    fn pin(&mut self) {
        let Some(walk) = self.leader() else { return };
        let shown = self.shown(walk);
        let Some(chosen) = shown.into_iter().nth(self.chosen(&self.shown(walk))) else { return };
        match self.pins.iter().position(|pin| *pin == chosen.name) {
            Some(pinned) => drop(self.pins.remove(pinned)),
            None => self.pins.push(chosen.name.clone()),
        }
        // The mark stays on the variable, not on its row.
        self.chosen = Some(Shown { pinned: false, ..chosen });
    }

    fn turn(&mut self) {
        let fixed = self.fixed.as_ref().is_some_and(|walk| !walk.trace.is_empty());
        self.side = match (self.side, fixed) {
            (Side::Buggy, true) => Side::Fixed,
            (Side::Fixed, true) => Side::Both,
            _ => Side::Buggy,
        };
        self.open = false;
        self.keep_in_step();
    }
}

impl Sitting {
    /// The traces and where the learner is in them.
    pub fn steps(&self) -> &Steps {
        &self.steps
    }

    /// The text of `program`.
    pub fn source(&self, program: Program) -> &str {
        match program {
            Program::Buggy => &self.question().spot.code,
            Program::Fixed => &self.question().fixed.code,
        }
    }

    /// Takes what run `id` reported, if it is a trace. Returns the event where it is none.
    pub(super) fn traced(&mut self, id: RunId, event: Event) -> Option<Event> {
        let Some(trace) = self.steps.of(id) else { return Some(event) };
        let over = matches!(event, Event::Ended(_));
        trace.ran(event);
        let steps = &mut self.steps;
        if over && steps.fixed.as_ref().is_none_or(|walk| walk.trace.ending().is_some() && walk.trace.is_empty()) {
            // A program that took no step cannot be shown.
            steps.side = Side::Buggy;
        }
        if let (true, Some(buggy), Some(fixed)) = (over && steps.running().next().is_none(), &steps.buggy, &steps.fixed)
            && !fixed.trace.is_empty()
        {
            let question = &self.entry.question;
            let lines = matching_lines(&question.spot.code, &question.fixed.code);
            let partners = partners(&buggy.trace, &fixed.trace, &lines);
            steps.partners = partners;
            steps.keep_in_step();
        }
        None
    }
}

/// Traces every program that may be seen. Pins and the side that is shown stay.
pub(super) fn start(sitting: &mut Sitting, starting: &mut Starting) {
    let entry = Arc::clone(&sitting.entry);
    let old = mem::take(&mut sitting.steps);
    let walk = |trace| Some(Walk { trace, at: 0, cursor: None, looks_at_cursor: false });
    let mut steps = Steps { pins: old.pins, chosen: old.chosen, ..Steps::default() };
    for (program, _) in sitting.open_programs() {
        let source = match program {
            Program::Buggy => &entry.question.spot.code,
            Program::Fixed => &entry.question.fixed.code,
        };
        let trace = Trace::new(starting.add(program, source, Mode::Trace));
        match program {
            Program::Buggy => steps.buggy = walk(trace),
            Program::Fixed => steps.fixed = walk(trace),
        }
    }
    if steps.fixed.is_some() {
        steps.side = old.side;
    }
    sitting.steps = steps;
}

/// What the learner did with the steps.
pub(super) fn act(quiz: &mut Quiz, act: Act) -> Vec<Effect> {
    let Some(sitting) = quiz.sitting_mut().filter(|sitting| sitting.stage == Stage::Run) else { return Vec::new() };
    if act == Act::Trace {
        sitting.part = Part::Steps;
        let traced = sitting.open_programs().all(|(program, _)| sitting.steps.walk(program).is_some());
        if traced {
            return Vec::new();
        }
        sitting.wanted = Want::Trace;
        return prediction::start_or_ask(quiz);
    }
    if sitting.part != Part::Steps {
        return Vec::new();
    }
    let entry = Arc::clone(&sitting.entry);
    let source = match sitting.steps.side.leader() {
        Program::Buggy => &entry.question.spot.code,
        Program::Fixed => &entry.question.fixed.code,
    };
    let lines = lines(source).len();
    let steps = &mut sitting.steps;
    steps.missed = None;
    let typed = if matches!(act, Act::Digit(_)) { 0 } else { mem::take(&mut steps.typed) };
    match act {
        Act::Trace => {}
        Act::Digit(digit) => steps.typed = typed_on(steps.typed, digit),
        Act::Enter if typed > 0 => steps.go(usize::try_from(typed).unwrap_or(usize::MAX) - 1),
        Act::Enter => steps.open = steps.leader().is_some_and(|walk| !steps.shown(walk).is_empty()) && !steps.open,
        Act::Close if typed > 0 => {}
        Act::Close if steps.open => steps.open = false,
        Act::Close => sitting.part = Part::Output,
        Act::Step(motion) => {
            let Some(walk) = steps.leader() else { return Vec::new() };
            steps.go(motion.from(walk.at, walk.trace.len()));
        }
        Act::Seek(Target::Line, way) if typed > 0 => {
            if steps.mark(typed, lines) {
                steps.seek(Target::Line, way, source);
            } else {
                steps.missed = Some(Missed::NoLine(typed));
            }
        }
        Act::Seek(target, way) => steps.seek(target, way, source),
        Act::Cursor(motion) => {
            if let Some(line) = steps.leader().and_then(Walk::line) {
                steps.mark(LineNo::from_index(motion.from(line.index(), lines)).get(), lines);
            }
        }
        Act::Visit(program, line) => visit(steps, program, line, lines),
        Act::Choose(motion) => steps.choose(Some(motion), 0),
        Act::ChooseAt(row) => steps.choose(None, row),
        Act::Pin => steps.pin(),
        Act::Turn => steps.turn(),
    }
    Vec::new()
}

/// The longest number that is typed.
const LONGEST: u32 = 99_999;

fn typed_on(typed: u32, digit: u8) -> u32 {
    let longer = typed.saturating_mul(10).saturating_add(u32::from(digit.min(9)));
    if longer > LONGEST { u32::from(digit.min(9)) } else { longer }
}

/// Marks a line and goes to its next visit; behind the last one, to the first.
fn visit(steps: &mut Steps, program: Program, line: LineNo, lines: usize) {
    if program != steps.side.leader() || !steps.mark(line.get(), lines) {
        return;
    }
    let Some(walk) = steps.leader() else { return };
    let next = walk.trace.seek(walk.at, Way::On, |step| visits(step, line));
    match next.or_else(|| walk.trace.steps().position(|step| visits(step, line))) {
        Some(at) => steps.go(at),
        None => steps.missed = Some(Missed::Line(line, Way::On)),
    }
}
