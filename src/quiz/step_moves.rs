//! Moves through the steps: back and forth, to what is looked for, to what is chosen.

use std::mem;
use std::sync::Arc;

use crate::content::question::{LineNo, lines};
use crate::quiz::consent::Start;
use crate::quiz::motion::Motion;
use crate::quiz::program::{Program, Programs};
use crate::quiz::run_view::{Request, RunView};
use crate::quiz::sitting::Sitting;
use crate::quiz::stage::Stage;
use crate::quiz::steps::{Act, Missed, Shown, Steps, Target, Walk};
use crate::quiz::trace::{Way, is_class_body, visits};
use crate::runner::{Step, StepKind};

impl Steps {
    fn go(&mut self, at: usize) {
        let program = self.programs.leader();
        if let Some(walk) = self.walk_mut(program) {
            walk.at = at.min(walk.trace.steps.len().saturating_sub(1));
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
        let program = self.programs.leader();
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
        if self.walk(Program::Fixed).is_none() {
            self.missed = Some(Missed::Fixed);
        }
        let fixed = self.walk(Program::Fixed).is_some_and(|walk| !walk.trace.steps.is_empty());
        self.programs = match (self.programs, fixed) {
            (Programs::One(Program::Buggy), true) => Programs::One(Program::Fixed),
            (Programs::One(Program::Fixed), true) => Programs::Both,
            _ => Programs::One(Program::Buggy),
        };
        self.open = false;
        self.keep_in_step();
    }
}

/// Does what the learner asked of the steps. Returns what is to be started first.
pub(super) fn act(sitting: &mut Sitting, act: Act) -> Option<Start> {
    if sitting.stage != Stage::Run {
        return None;
    }
    if act == Act::Trace {
        sitting.view = RunView::Steps;
        let traced = sitting.open_programs().all(|(program, _)| sitting.steps.walk(program).is_some());
        if traced {
            return None;
        }
        sitting.request = Request::Steps;
        return Some(Start::Programs);
    }
    if sitting.view != RunView::Steps {
        return None;
    }
    let entry = Arc::clone(&sitting.entry);
    let source = sitting.steps.programs.leader().code(&entry.question);
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
        Act::Close => sitting.view = RunView::Output,
        Act::Step(motion) => {
            let walk = steps.leader()?;
            steps.go(motion.from(walk.at, walk.trace.steps.len()));
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
    None
}

/// The longest number that is typed.
const LONGEST: u32 = 99_999;

fn typed_on(typed: u32, digit: u8) -> u32 {
    let longer = typed.saturating_mul(10).saturating_add(u32::from(digit.min(9)));
    if longer > LONGEST { u32::from(digit.min(9)) } else { longer }
}

/// Marks a line and goes to its next visit; after the last one, to the first.
fn visit(steps: &mut Steps, program: Program, line: LineNo, lines: usize) {
    if program != steps.programs.leader() || !steps.mark(line.get(), lines) {
        return;
    }
    let Some(walk) = steps.leader() else { return };
    let next = walk.trace.seek(walk.at, Way::On, |step| visits(step, line));
    match next.or_else(|| walk.trace.steps.iter().position(|step| visits(step, line))) {
        Some(at) => steps.go(at),
        None => steps.missed = Some(Missed::Line(line, Way::On)),
    }
}
