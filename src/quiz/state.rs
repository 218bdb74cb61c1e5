//! What a quiz is at one moment.
//!
//! Owns the shapes and what can be read off them. Fields are private to `quiz/`, so that only `update` can change them.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::content::catalog::{Catalog, Entry};
use crate::content::question::QuestionName;
use crate::quiz::attempt::LastResult;
use crate::quiz::consent::Sandbox;
use crate::quiz::repair::Repairs;
use crate::quiz::time::{Millis, Timestamp};
use crate::runner::{Chunk, Ending, Limits};

pub use crate::quiz::say::{Phase, Say};
pub use crate::quiz::sitting::{News, Outcome, Sitting};

/// A quiz: the library, what is known of the learner, and the open question.
#[derive(Clone, Debug)]
pub struct Quiz {
    pub(super) catalog: Arc<Catalog>,
    pub(super) results: HashMap<QuestionName, LastResult>,
    pub(super) repairs: Repairs,
    /// Whether it is known what was repaired earlier.
    pub(super) repairs_known: bool,
    /// Whether more questions are on their way.
    pub(super) loading: bool,
    /// Whether this is an author's look at one file.
    pub(super) preview: bool,
    pub(super) limits: Limits,
    /// Whether the learner is asked what a program prints before its first run.
    pub(super) predicts: bool,
    /// Whether the learner can play scenarios, so that runs live through them too.
    pub(super) has_timeline: bool,
    pub(super) now: Timestamp,
    /// The marked row of the library.
    pub(super) selected: usize,
    /// The questions that led to the open one, which is the last. Empty: the library is shown.
    pub(super) trail: Vec<QuestionName>,
    pub(super) sittings: HashMap<QuestionName, Sitting>,
    pub(super) troubles: Troubles,
    pub(super) last_run: u64,
    pub(super) sandbox: Sandbox,
    /// Packs whose programs may run anywhere.
    pub(super) trusted: BTreeSet<String>,
}

/// What went wrong around a quiz, in sentences.
#[derive(Clone, Debug, Default)]
pub(super) struct Troubles {
    pub(super) unsaved: Option<String>,
    pub(super) unread: Vec<String>,
}

/// A part of working on a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Read the program and name the line.
    Spot,
    /// Watch the programs run.
    Run,
    /// Repair the buggy program.
    Fix,
    /// Say the answer out loud.
    Say,
    /// The deep dive.
    Learn,
}

impl Stage {
    /// Every stage, in the order in which they are shown.
    pub const ALL: [Self; 5] = [Self::Spot, Self::Run, Self::Fix, Self::Say, Self::Learn];

    /// The name on the tab.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spot => "Spot",
            Self::Run => "Run",
            Self::Fix => "Fix",
            Self::Say => "Say",
            Self::Learn => "Learn",
        }
    }

    /// The stage `by` places further on, round and round.
    pub(super) fn turned(self, by: isize) -> Self {
        let count = Self::ALL.len();
        let here = Self::ALL.iter().position(|stage| *stage == self).unwrap_or(0);
        let there = here.saturating_add(count).saturating_add_signed(by) % count;
        Self::ALL.get(there).copied().unwrap_or(Self::Spot)
    }
}

/// One of a question's two programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Program {
    /// The one with the bug.
    Buggy,
    /// The model program.
    Fixed,
}

/// The number of a run, never used twice in a quiz.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub u64);

/// A program that runs, or has run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub(super) id: RunId,
    pub(super) output: Vec<Chunk>,
    pub(super) ending: Option<Ending>,
}

impl Run {
    pub(super) fn new(id: RunId) -> Self {
        Self { id, output: Vec::new(), ending: None }
    }

    /// The run's number.
    pub fn id(&self) -> RunId {
        self.id
    }

    /// What the program wrote so far, in order.
    pub fn output(&self) -> &[Chunk] {
        &self.output
    }

    /// How it ended; `None` while it runs.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }
}

impl Quiz {
    /// A quiz over `catalog` by a learner whose latest results are `results`.
    pub fn new(catalog: Arc<Catalog>, results: HashMap<QuestionName, LastResult>) -> Self {
        Self {
            catalog,
            results,
            repairs: Repairs::default(),
            repairs_known: true,
            loading: false,
            preview: false,
            limits: Limits::default(),
            predicts: false,
            has_timeline: false,
            now: Timestamp::default(),
            selected: 0,
            trail: Vec::new(),
            sittings: HashMap::new(),
            troubles: Troubles::default(),
            last_run: 0,
            sandbox: Sandbox::default(),
            trusted: BTreeSet::new(),
        }
    }

    /// The same quiz with other limits for its runs.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The same quiz by a learner who trusts these packs: their programs run whatever the sandbox does.
    #[must_use]
    pub fn trusting(mut self, packs: impl IntoIterator<Item = String>) -> Self {
        self.trusted.extend(packs);
        self
    }

    /// The same quiz, to which more questions will come with [`Action::Loaded`].
    ///
    /// [`Action::Loaded`]: crate::quiz::Action::Loaded
    #[must_use]
    pub fn while_loading(mut self) -> Self {
        self.loading = true;
        self
    }

    /// The same quiz as an author's look at one file: its problems are shown, and the question opens by itself.
    #[must_use]
    pub fn previewing(mut self) -> Self {
        self.preview = true;
        self
    }

    /// Whether this is an author's look at one file.
    pub fn is_preview(&self) -> bool {
        self.preview
    }

    /// Whether more questions are on their way.
    pub fn is_loading(&self) -> bool {
        self.loading
    }

    /// The questions there are.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// How a question went the last time; `None` when it was never answered.
    pub fn result(&self, name: &QuestionName) -> Option<LastResult> {
        self.results.get(name).copied()
    }

    /// The marked row of the library, counted from 0.
    pub fn selected(&self) -> usize {
        self.selected
    }

    /// The open question; `None` when the library is shown.
    pub fn sitting(&self) -> Option<&Sitting> {
        self.trail.last().and_then(|name| self.sittings.get(name))
    }

    pub(super) fn sitting_mut(&mut self) -> Option<&mut Sitting> {
        let name = self.trail.last()?;
        self.sittings.get_mut(name)
    }

    /// Whether Back leads to another question and not to the library.
    pub fn came_from_question(&self) -> bool {
        self.trail.len() > 1
    }

    /// How many times Back leads out of a question until the library is there.
    pub fn depth(&self) -> usize {
        self.trail.len()
    }

    /// What is not saved, and why; `None` when everything is.
    pub fn unsaved(&self) -> Option<&str> {
        self.troubles.unsaved.as_deref()
    }

    /// What could not be read, and why, in the order in which it came up. Nothing mends that while the quiz goes on.
    pub fn unread(&self) -> &[String] {
        &self.troubles.unread
    }

    /// What is left of the countdown.
    pub fn left(&self, sitting: &Sitting) -> Millis {
        match sitting.say.phase {
            Phase::Ready => Millis::from_seconds(sitting.question().say.seconds),
            Phase::Talking { until } => until.since(self.now),
            Phase::Paused { left } | Phase::Checklist { left } => left,
            Phase::Done => Millis(0),
        }
    }

    /// When the quiz wants to be told the time again; `None` when nothing depends on it. While a countdown runs this is
    /// the moment at which the next lower number of seconds is shown.
    pub fn wake(&self) -> Option<Timestamp> {
        let sitting = self.sitting()?;
        match sitting.say.phase {
            Phase::Talking { until } => {
                let left = until.since(self.now);
                let whole = left.seconds_up().saturating_sub(1).saturating_mul(1000);
                Some(self.now + left.minus(Millis(whole)))
            }
            Phase::Ready | Phase::Paused { .. } | Phase::Checklist { .. } | Phase::Done => None,
        }
    }

    /// The related questions of `entry` that the library has, in its order. An id without a pack means the same pack
    /// first.
    pub fn related<'a>(&'a self, entry: &'a Entry) -> impl Iterator<Item = &'a Arc<Entry>> + 'a {
        entry.question.related.iter().filter_map(move |text| {
            let same_pack = || self.catalog.find(&format!("{}/{text}", entry.name.pack)).ok();
            let found = if text.contains('/') { None } else { same_pack() };
            found.or_else(|| self.catalog.find(text).ok()).filter(|found| found.name != entry.name)
        })
    }
}
