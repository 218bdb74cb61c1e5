//! The parts of the stage Run, and what it was asked to start.
//!
//! Owns which parts a question has, and the numbering of runs. What each part shows is kept beside this file.

use crate::quiz::action::Effect;
use crate::quiz::state::{Program, RunId, Sitting};
use crate::runner::{Job, Limits, Mode};

/// A part of the stage Run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// What the programs print.
    #[default]
    Output,
    /// The scenario, row by row.
    Timeline,
    /// A program, step by step.
    Steps,
}

impl Part {
    /// The name on the tab.
    pub fn name(self) -> &'static str {
        match self {
            Self::Output => "Output",
            Self::Timeline => "Timeline",
            Self::Steps => "Steps",
        }
    }
}

/// What the stage Run was asked to start. It is remembered while something keeps the programs from running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Want {
    /// The programs, and their scenario behind them.
    #[default]
    Run,
    /// The same, to play the scenario from its first row.
    Play,
    /// The programs, step by step.
    Trace,
}

impl Sitting {
    /// The part of the stage Run that is shown.
    pub fn part(&self) -> Part {
        self.part
    }

    /// The parts that the stage Run has here, in the order in which they are shown.
    pub fn parts(&self) -> impl Iterator<Item = Part> + '_ {
        let has = |part: &Part| match part {
            Part::Output | Part::Steps => true,
            Part::Timeline => self.question().scenario.is_some(),
        };
        [Part::Output, Part::Timeline, Part::Steps].into_iter().filter(has)
    }

    /// The programs that may be seen, with their texts.
    pub fn open_programs(&self) -> impl Iterator<Item = (Program, &str)> {
        let question = self.question();
        let fixed = self.is_answered().then_some((Program::Fixed, question.fixed.code.as_str()));
        std::iter::once((Program::Buggy, question.spot.code.as_str())).chain(fixed)
    }
}

/// Shows `part`, where the question has it.
pub(super) fn show(sitting: &mut Sitting, part: Part) {
    if sitting.parts().any(|known| known == part) {
        sitting.part = part;
    }
}

/// Shows the part after this one; the first comes after the last.
pub(super) fn show_next(sitting: &mut Sitting) {
    let here = sitting.part;
    let next = sitting.parts().skip_while(|part| *part != here).nth(1);
    sitting.part = next.unwrap_or_default();
}

/// Runs that are being started.
pub(super) struct Starting {
    last: u64,
    limits: Limits,
    effects: Vec<Effect>,
}

impl Starting {
    /// None yet; `last` is the number of the last run there was.
    pub(super) fn new(last: u64, limits: Limits) -> Self {
        Self { last, limits, effects: Vec::new() }
    }

    /// Starts one and returns its number.
    pub(super) fn add(&mut self, source: &str, mode: Mode) -> RunId {
        self.last = self.last.saturating_add(1);
        let run = RunId(self.last);
        let job = Job { source: source.to_owned(), mode, limits: self.limits };
        self.effects.push(Effect::Start { run, job });
        run
    }

    /// The number of the last run, and what is to be done.
    pub(super) fn finish(self) -> (u64, Vec<Effect>) {
        (self.last, self.effects)
    }
}
