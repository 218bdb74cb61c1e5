//! Requests of a quiz to its front end.
//!
//! Effects are plain data: an effect says what to do, never how.

use crate::content::question::QuestionName;
use crate::quiz::attempt::Attempt;
use crate::quiz::draft::KeptDraft;
use crate::quiz::time::Timestamp;
use crate::runner::Job;

/// The number of a run, never used twice in a quiz.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub u64);

/// Something to do outside the core.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Start a run. Its events come back as `Action::Ran` with the same number, so that events of an old run can be
    /// told from those of a new one.
    Start {
        /// The run's number.
        run: RunId,
        /// The job.
        job: Job,
    },
    /// Stop a run.
    Stop(RunId),
    /// Keep this for good, at once.
    Record(Attempt),
    /// Keep for good that this attempt was taken back.
    TakeBack {
        /// The attempt.
        attempt: Attempt,
        /// The time of the undo.
        at: Timestamp,
    },
    /// Keep the text of a repair.
    KeepDraft(KeptDraft),
    /// Hand the terminal to the learner's own editor with this text. What comes of it comes back as `Action::Edited`
    /// or `Action::NotEdited`.
    OpenEditor {
        /// The question.
        question: QuestionName,
        /// The text.
        text: String,
    },
    /// Ring the bell, if the learner wants one.
    Bell,
    /// Leave.
    Quit,
}
