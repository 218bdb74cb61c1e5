//! The runs that go on, and which recording each of them fills.

use std::collections::BTreeMap;

use crate::content::question::QuestionName;
use crate::quiz::effect::{Effect, RunId};
use crate::quiz::program::Program;
use crate::runner::Job;

/// The recording of a question that a run fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// The output of a program.
    Output(Program),
    /// A program's way through the scenario.
    Timeline(Program),
    /// The steps of a program.
    Steps(Program),
    /// The checks on the learner's program.
    Checks,
}

/// The recording that a run fills, and its question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) question: QuestionName,
    pub(super) slot: Slot,
}

/// The runs that go on. Each recording is filled by one run: what an earlier one still reports is dropped.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs {
    last: u64,
    owners: BTreeMap<RunId, Owner>,
}

impl Runs {
    /// Starts a run for `slot` of `question`.
    pub(super) fn start(&mut self, question: &QuestionName, slot: Slot, job: Job) -> Effect {
        let owner = Owner { question: question.clone(), slot };
        self.owners.retain(|_, earlier| *earlier != owner);
        self.last = self.last.saturating_add(1);
        let run = RunId(self.last);
        self.owners.insert(run, owner);
        Effect::Start { run, job }
    }

    /// Stops the runs of `question` that fill such slots. They go on until they report their end.
    pub(super) fn stop(&self, question: &QuestionName, slots: impl Fn(Slot) -> bool) -> Vec<Effect> {
        let wanted = |owner: &Owner| owner.question == *question && slots(owner.slot);
        self.owners.iter().filter(|(_, owner)| wanted(owner)).map(|(run, _)| Effect::Stop(*run)).collect()
    }

    /// The same for recordings that are dropped: nothing that these runs still report has a place.
    pub(super) fn drop(&mut self, question: &QuestionName, slots: impl Fn(Slot) -> bool) -> Vec<Effect> {
        let effects = self.stop(question, &slots);
        self.owners.retain(|_, owner| owner.question != *question || !slots(owner.slot));
        effects
    }

    /// The owner of `run`, unless it has ended or its recording was dropped.
    pub(super) fn owner(&self, run: RunId) -> Option<Owner> {
        self.owners.get(&run).cloned()
    }

    /// Forgets `run`, which has ended.
    pub(super) fn ended(&mut self, run: RunId) {
        self.owners.remove(&run);
    }
}
