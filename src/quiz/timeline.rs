//! The scenario, played live on both programs.
//!
//! Owns what each program's rows came to, how far the learner has played, and where the programs part. The programs run
//! through the whole scenario at once; what the learner has not played yet is not shown.

use std::borrow::Cow;
use std::mem;
use std::sync::Arc;

use crate::quiz::action::{Effect, Motion};
use crate::quiz::parts::{Part, Starting, Want};
use crate::quiz::prediction;
use crate::quiz::runnable;
use crate::quiz::state::{Program, Quiz, RunId, Sitting, Stage};
use crate::runner::{Ending, Evaluated, Event, Mode, Row, Verdict};

/// Rows that are kept of one program. The runner takes each step once; this holds for any runner.
const ROWS_KEPT: usize = 10_000;

/// What the learner does with the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Play the next row; before the first one, run the programs.
    PlayOn,
    /// Go to another row, and play what lies before it.
    Move(Motion),
    /// Go to this row, counted from 0.
    Select(usize),
    /// Show the values of the row in full, or cut them again.
    Open,
}

/// The live scenario of a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    buggy: Option<Live>,
    fixed: Option<Live>,
    /// The row that the learner is at.
    at: Option<usize>,
    /// How many rows were played.
    played: usize,
    open: bool,
}

/// A program that lives through the scenario, or has.
#[derive(Clone, Debug, PartialEq)]
pub struct Live {
    id: RunId,
    rows: Vec<Row>,
    ending: Option<Ending>,
}

impl Live {
    /// What each row came to, so far.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// How it ended; `None` while it goes on.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }
}

impl Timeline {
    /// The latest run of `program` through the scenario.
    pub fn live(&self, program: Program) -> Option<&Live> {
        match program {
            Program::Buggy => self.buggy.as_ref(),
            Program::Fixed => self.fixed.as_ref(),
        }
    }

    /// The row that the learner is at, counted from 0; `None` before the first.
    pub fn at(&self) -> Option<usize> {
        self.at
    }

    /// How many rows were played.
    pub fn played(&self) -> usize {
        self.played
    }

    /// Whether the values of the row are shown in full.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// The first row, counted from 0, in which the programs part; `None` where they do not, or not yet.
    pub fn parts_at(&self) -> Option<usize> {
        let (buggy, fixed) = (self.buggy.as_ref()?, self.fixed.as_ref()?);
        let shared = buggy.rows.len().min(fixed.rows.len());
        // A row that one of them lacks counts once it cannot come any more.
        let over = |live: &Live| live.ending.as_ref().is_some_and(|ending| ending.verdict != Verdict::Stopped);
        parts_at(&buggy.rows, &fixed.rows).filter(|row| *row < shared || (over(buggy) && over(fixed)))
    }

    /// The runs that go on.
    pub(super) fn running(&self) -> impl Iterator<Item = RunId> + '_ {
        [&self.buggy, &self.fixed].into_iter().flatten().filter(|live| live.ending.is_none()).map(|live| live.id)
    }

    /// Forgets the fixed program. Returns its run where that goes on.
    pub(super) fn close_fixed(&mut self) -> Option<RunId> {
        self.fixed.take().filter(|live| live.ending.is_none()).map(|live| live.id)
    }

    /// Takes what run `id` reported. Returns the event where the run is none of these.
    pub(super) fn ran(&mut self, id: RunId, event: Event) -> Option<Event> {
        let mut lives = [&mut self.buggy, &mut self.fixed].into_iter().flatten();
        let Some(live) = lives.find(|live| live.id == id && live.ending.is_none()) else { return Some(event) };
        match event {
            Event::Row(row) if live.rows.len() < ROWS_KEPT => live.rows.push(row),
            Event::Ended(ending) => live.ending = Some(ending),
            // What is printed on the way is the part Output's.
            Event::Row(_) | Event::Output(_) | Event::Check(_) | Event::Step(_) | Event::TraceFull(_) => {}
        }
        None
    }

    fn go(&mut self, row: usize) {
        self.open &= self.at == Some(row);
        self.at = Some(row);
        self.played = self.played.max(row.saturating_add(1));
    }
}

impl Sitting {
    /// The live scenario.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Whether every program that may be seen has been started on the scenario.
    fn timeline_is_live(&self) -> bool {
        self.open_programs().all(|(program, _)| self.timeline.live(program).is_some())
    }
}

impl Quiz {
    /// The same quiz in a front end that plays scenarios: whoever runs the programs runs them through the scenario too.
    #[must_use]
    pub fn with_timeline(mut self) -> Self {
        self.has_timeline = true;
        self
    }
}

/// The first row, counted from 0, in which two runs through a scenario part; `None` where they do not.
pub fn parts_at(one: &[Row], other: &[Row]) -> Option<usize> {
    let shared = one.iter().zip(other).position(|(a, b)| a != b);
    shared.or_else(|| (one.len() != other.len()).then(|| one.len().min(other.len())))
}

/// A value, or the exception that came instead, for a sentence. Not yet safe to draw.
pub fn words(value: &Evaluated) -> Cow<'_, str> {
    if value.raised { Cow::Owned(format!("raised {}", value.text)) } else { Cow::Borrowed(&value.text) }
}

/// Starts the scenario of the open question on every program that may be seen.
pub(super) fn start(sitting: &mut Sitting, starting: &mut Starting) {
    let entry = Arc::clone(&sitting.entry);
    let Some(scenario) = &entry.question.scenario else { return };
    let mut timeline = Timeline::default();
    for (program, source) in sitting.open_programs() {
        let id = starting.add(source, Mode::Scenario(runnable::scenario(scenario)));
        let live = Some(Live { id, rows: Vec::new(), ending: None });
        match program {
            Program::Buggy => timeline.buggy = live,
            Program::Fixed => timeline.fixed = live,
        }
    }
    if sitting.wanted == Want::Play {
        timeline.go(0);
    }
    sitting.timeline = timeline;
}

/// What the learner did with the timeline.
pub(super) fn act(quiz: &mut Quiz, act: Act) -> Vec<Effect> {
    let Some(sitting) = quiz.sitting_mut() else { return Vec::new() };
    if sitting.stage != Stage::Run || sitting.part != Part::Timeline {
        return Vec::new();
    }
    let count = sitting.question().scenario.as_ref().map_or(0, |scenario| scenario.steps.len());
    let onwards = match act {
        Act::PlayOn => true,
        Act::Move(Motion::By(rows)) => rows > 0,
        Act::Move(Motion::Last) => true,
        Act::Move(Motion::First) | Act::Select(_) | Act::Open => false,
    };
    if onwards && !sitting.timeline_is_live() {
        if sitting.is_running() {
            return Vec::new();
        }
        sitting.wanted = Want::Play;
        let effects = prediction::start_or_ask(quiz);
        if let Some(sitting) = quiz.sitting_mut().filter(|sitting| sitting.timeline.buggy.is_some())
            && act == Act::Move(Motion::Last)
        {
            sitting.timeline.go(count.saturating_sub(1));
        }
        return effects;
    }
    let is_live = sitting.timeline.buggy.is_some();
    let timeline = &mut sitting.timeline;
    let row = match act {
        Act::PlayOn => timeline.at.map_or(0, |at| at.saturating_add(1)),
        // Down leads from the head of the timeline to its first row.
        Act::Move(motion) => match (timeline.at, motion) {
            (None, Motion::By(rows)) if rows <= 0 => return Vec::new(),
            (None, Motion::By(rows)) => Motion::By(rows.saturating_sub(1)).from(0, count),
            (at, motion) => motion.from(at.unwrap_or(0), count),
        },
        Act::Select(row) => row,
        Act::Open => {
            timeline.open = timeline.at.is_some() && !mem::take(&mut timeline.open);
            return Vec::new();
        }
    };
    if is_live && row < count {
        timeline.go(row);
    }
    Vec::new()
}
