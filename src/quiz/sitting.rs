//! A learner at one question, at one moment.
//!
//! Owns the shapes and what can be read off them. Fields are private to `quiz/`, so that only `update` can change them.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::content::catalog::Entry;
use crate::content::question::{LineNo, Question};
use crate::quiz::action::LearnItem;
use crate::quiz::consent::Doubt;
use crate::quiz::parts::{Part, Want};
use crate::quiz::prediction::Prediction;
use crate::quiz::repair::Repair;
use crate::quiz::say::Say;
use crate::quiz::state::{Program, Run, RunId, Stage};
use crate::quiz::steps::Steps;
use crate::quiz::timeline::Timeline;
use crate::quiz::undo::Done;

/// A learner at one question.
#[derive(Clone, Debug)]
pub struct Sitting {
    pub(super) entry: Arc<Entry>,
    pub(super) stage: Stage,
    pub(super) cursor: LineNo,
    /// The line number that is being typed.
    pub(super) typed: u32,
    pub(super) hints: usize,
    /// What the last action in the stage Spot brought, until the learner moves on.
    pub(super) news: Option<News>,
    pub(super) picks: Vec<LineNo>,
    pub(super) outcome: Option<Outcome>,
    pub(super) buggy: Option<Run>,
    pub(super) fixed: Option<Run>,
    /// The part of the stage Run that is shown.
    pub(super) part: Part,
    pub(super) timeline: Timeline,
    pub(super) steps: Steps,
    pub(super) prediction: Prediction,
    /// What the stage Run was asked to start last.
    pub(super) wanted: Want,
    /// What keeps the run that was asked for from starting.
    pub(super) doubt: Option<Doubt>,
    pub(super) repair: Repair,
    pub(super) say: Say,
    /// What can be taken back, in order.
    pub(super) done: Vec<Done>,
    pub(super) opened: BTreeSet<usize>,
    pub(super) focus: Option<LearnItem>,
}

/// What is new to read in the stage Spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// A hint was opened.
    Hint,
    /// A wrong line was picked, and its feedback stands below the program.
    Feedback,
    /// The last answer was taken back.
    TakenBack,
}

/// How the search for the line ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The line was found.
    Found {
        /// The accepted line that was picked.
        line: LineNo,
        /// With which pick, counted from 1.
        pick: u32,
    },
    /// The learner asked for the answer.
    GaveUp,
}

impl Sitting {
    pub(super) fn new(entry: Arc<Entry>, repair: Repair) -> Self {
        let say = Say::new(&entry.question);
        Self {
            entry,
            stage: Stage::Spot,
            cursor: LineNo::FIRST,
            typed: 0,
            hints: 0,
            news: None,
            picks: Vec::new(),
            outcome: None,
            buggy: None,
            fixed: None,
            part: Part::default(),
            timeline: Timeline::default(),
            steps: Steps::default(),
            prediction: Prediction::default(),
            wanted: Want::default(),
            doubt: None,
            repair,
            say,
            done: Vec::new(),
            opened: BTreeSet::new(),
            focus: None,
        }
    }

    /// The question and where it came from.
    pub fn entry(&self) -> &Arc<Entry> {
        &self.entry
    }

    /// The question.
    pub fn question(&self) -> &Question {
        &self.entry.question
    }

    /// The stage that is shown.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// The line that Enter would answer with.
    pub fn cursor(&self) -> LineNo {
        self.cursor
    }

    /// How many hints are open.
    pub fn hints(&self) -> usize {
        self.hints
    }

    /// What is new to read, until the learner moves on.
    pub fn news(&self) -> Option<News> {
        self.news
    }

    /// The lines that were picked, in order, each once.
    pub fn picks(&self) -> &[LineNo] {
        &self.picks
    }

    /// How the search ended; `None` while it goes on.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Whether the line was found or given up, which opens everything that gives it away.
    pub fn is_answered(&self) -> bool {
        self.outcome.is_some()
    }

    /// The latest run of `program`.
    pub fn run(&self, program: Program) -> Option<&Run> {
        match program {
            Program::Buggy => self.buggy.as_ref(),
            Program::Fixed => self.fixed.as_ref(),
        }
    }

    /// Whether a program is running.
    pub fn is_running(&self) -> bool {
        self.running().next().is_some()
    }

    /// The runs that go on, of whatever kind.
    pub(super) fn running(&self) -> impl Iterator<Item = RunId> + '_ {
        let plain = [&self.buggy, &self.fixed].into_iter().flatten().filter(|run| run.ending.is_none());
        plain.map(|run| run.id).chain(self.timeline.running()).chain(self.steps.running())
    }

    /// What keeps the run that was asked for from starting; `None` when nothing does, or none was asked for.
    pub fn doubt(&self) -> Option<Doubt> {
        self.doubt
    }

    /// Whether the stage that is shown asks if a stranger's programs may run.
    pub fn is_asking(&self) -> bool {
        let doubt = match self.stage {
            Stage::Run => self.doubt,
            Stage::Fix => self.repair.doubt,
            Stage::Spot | Stage::Say | Stage::Learn => None,
        };
        doubt == Some(Doubt::Asked)
    }

    /// The learner's own repair.
    pub fn repair(&self) -> &Repair {
        &self.repair
    }

    /// The spoken answer.
    pub fn say(&self) -> &Say {
        &self.say
    }

    /// Whether the hint of follow-up question `index`, counted from 0, is open.
    pub fn follow_up_is_open(&self, index: usize) -> bool {
        self.opened.contains(&index)
    }

    /// The marked item of the stage Learn.
    pub fn focus(&self) -> Option<LearnItem> {
        self.focus
    }

    /// Why `stage` is closed; `None` when it is open.
    pub fn closed(&self, stage: Stage) -> Option<&'static str> {
        match stage {
            Stage::Learn if !self.is_answered() => Some(
                "The stage Learn explains the bug, so it stays closed until the line is found or given up in the \
                 stage Spot.",
            ),
            Stage::Spot | Stage::Run | Stage::Fix | Stage::Say | Stage::Learn => None,
        }
    }
}
