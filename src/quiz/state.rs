//! A quiz as a value: the library, the learner's results, and every question that was opened.
//!
//! Fields are private to `quiz/`, so that only `update` can change them.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::content::catalog::{Catalog, Entry};
use crate::content::question::QuestionName;
use crate::quiz::attempt::LastResult;
use crate::quiz::consent::Sandbox;
use crate::quiz::draft::Repairs;
use crate::quiz::runs::Runs;
use crate::quiz::time::{Millis, Timestamp};

pub use crate::quiz::countdown::{Phase, Say};
pub use crate::quiz::effect::RunId;
pub use crate::quiz::program::{Program, Programs};
pub use crate::quiz::sitting::{Opened, Outcome, Sitting, SpotNotice};
pub use crate::quiz::stage::Stage;

/// A quiz: the library, the learner, and the open question.
#[derive(Clone, Debug)]
pub struct Quiz {
    pub(super) catalog: Arc<Catalog>,
    pub(super) results: HashMap<QuestionName, LastResult>,
    pub(super) repairs: Repairs,
    pub(super) repairs_known: bool,
    pub(super) loading: bool,
    pub(super) preview: bool,
    /// True if the learner is asked for a prediction before the first run.
    pub(super) predicts: bool,
    /// True if the front end plays scenarios, so that runs go through them too.
    pub(super) has_timeline: bool,
    pub(super) now: Timestamp,
    /// The marked row of the library.
    pub(super) selected: usize,
    /// The questions that led to the open one, which is the last. Empty: the library is shown.
    pub(super) trail: Vec<QuestionName>,
    pub(super) sittings: HashMap<QuestionName, Sitting>,
    pub(super) failures: Failures,
    pub(super) runs: Runs,
    pub(super) sandbox: Sandbox,
    /// Packs whose programs may run anywhere.
    pub(super) trusted: BTreeSet<String>,
}

/// Sentences on what could not be read or saved.
#[derive(Clone, Debug, Default)]
pub(super) struct Failures {
    pub(super) unsaved: Option<String>,
    pub(super) unread: Vec<String>,
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
            predicts: false,
            has_timeline: false,
            now: Timestamp::default(),
            selected: 0,
            trail: Vec::new(),
            sittings: HashMap::new(),
            failures: Failures::default(),
            runs: Runs::default(),
            sandbox: Sandbox::default(),
            trusted: BTreeSet::new(),
        }
    }

    /// The same quiz by a learner who trusts these packs: their programs run whatever the sandbox does.
    #[must_use]
    pub fn trusting(mut self, packs: impl IntoIterator<Item = String>) -> Self {
        self.trusted.extend(packs);
        self
    }

    /// The same quiz, to which more questions will come with `Action::Loaded`.
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

    /// The same quiz, which asks what the buggy program prints before its first run.
    #[must_use]
    pub fn asking_for_predictions(mut self) -> Self {
        self.predicts = true;
        self
    }

    /// The same quiz in a front end that plays scenarios: runs of the programs go through the scenario too.
    #[must_use]
    pub fn with_timeline(mut self) -> Self {
        self.has_timeline = true;
        self
    }

    /// The same quiz, to which the texts of earlier repairs will come with `Action::Repairs`. Until then no repair can
    /// be edited, so that none takes the place of an earlier one.
    #[must_use]
    pub fn while_remembering(mut self) -> Self {
        self.repairs_known = false;
        self
    }

    /// True once earlier repairs are known.
    pub fn knows_repairs(&self) -> bool {
        self.repairs_known
    }

    /// True if a repair of this question passed, now or earlier.
    pub fn is_repaired(&self, name: &QuestionName) -> bool {
        self.repairs.passed.contains(name)
    }

    /// Strength of the sandbox, as far as it is known.
    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// True in an author's preview of one file.
    pub fn is_preview(&self) -> bool {
        self.preview
    }

    /// True while questions are still being read.
    pub fn is_loading(&self) -> bool {
        self.loading
    }

    /// The questions there are.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The latest result of a question; `None` if it was never answered.
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

    /// True if Back leads to another question and not to the library.
    pub fn came_from_question(&self) -> bool {
        self.trail.len() > 1
    }

    /// The number of times that Back must be pressed to reach the library.
    pub fn depth(&self) -> usize {
        self.trail.len()
    }

    /// A sentence on what is not saved, and why; `None` when everything is.
    pub fn unsaved(&self) -> Option<&str> {
        self.failures.unsaved.as_deref()
    }

    /// Sentences on what could not be read, and why, in order. They stay for as long as the quiz goes on.
    pub fn unread(&self) -> &[String] {
        &self.failures.unread
    }

    /// Time that is left of the countdown.
    pub fn left(&self, sitting: &Sitting) -> Millis {
        match sitting.say.phase {
            Phase::Ready => Millis::from_seconds(sitting.question().say.seconds),
            Phase::Speaking { until } => until.since(self.now),
            Phase::Paused { left } | Phase::Checklist { left } => left,
            Phase::Done => Millis(0),
        }
    }

    /// The time at which the quiz next needs `Action::Time`; `None` when nothing depends on it. During a countdown that is
    /// when the number of seconds changes.
    pub fn wake(&self) -> Option<Timestamp> {
        let sitting = self.sitting()?;
        match sitting.say.phase {
            Phase::Speaking { until } => {
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
        let related = entry.question.related.iter();
        let found = related.filter_map(|text| self.catalog.find_from(&entry.name.pack, text));
        found.filter(|found| found.name != entry.name)
    }
}
