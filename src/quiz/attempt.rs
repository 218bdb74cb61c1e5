//! Records of a learner's answers. `progress/` keeps them.

use crate::content::question::{LineNo, QuestionName};
use crate::quiz::time::Timestamp;

/// One thing that a learner did and that is kept for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The question.
    pub question: QuestionName,
    /// The time.
    pub at: Timestamp,
    /// The event.
    pub kind: AttemptKind,
}

/// The kinds of attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptKind {
    /// The learner picked a line.
    Picked {
        /// The line.
        line: LineNo,
        /// True if it is accepted.
        right: bool,
        /// The number of the pick at this question in this sitting, counted from 1. Only the first one scores.
        pick: u32,
    },
    /// The learner asked for the answer.
    GaveUp,
    /// The checks ran on the learner's own repair.
    Repaired {
        /// True if the program came to its end and every check passed.
        passed: bool,
        /// Checks that passed.
        held: u32,
        /// Checks there are.
        of: u32,
    },
    /// The learner finished the checklist of the spoken answer.
    Said {
        /// Points covered.
        covered: u32,
        /// Points there are.
        of: u32,
    },
}

/// The latest result of a question, for the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastResult {
    /// Found with the first pick.
    FoundAtOnce,
    /// Found after wrong picks.
    FoundLater,
    /// Gave up.
    GaveUp,
    /// Picked wrong lines and left.
    NotFound,
}
