//! The spoken answer: its countdown and its checklist.

use crate::content::question::Question;
use crate::quiz::time::{Millis, Timestamp};

/// The spoken answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Say {
    pub(super) phase: Phase,
    pub(super) covered: Vec<bool>,
    pub(super) cursor: usize,
}

/// The phase of the spoken answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The countdown has not started.
    Ready,
    /// The learner speaks.
    Speaking {
        /// The time at which the countdown ends.
        until: Timestamp,
    },
    /// The countdown stands still.
    Paused {
        /// The time that is left.
        left: Millis,
    },
    /// The learner ticks what was covered.
    Checklist {
        /// The time that was left when the learner stopped; 0 when the time ran out.
        left: Millis,
    },
    /// The checklist is complete.
    Done,
}

impl Say {
    pub(super) fn new(question: &Question) -> Self {
        Self { phase: Phase::Ready, covered: vec![false; question.say.points.len()], cursor: 0 }
    }

    /// The current phase.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// For each point, whether it was covered.
    pub fn covered(&self) -> &[bool] {
        &self.covered
    }

    /// The number of covered points.
    pub fn covered_count(&self) -> usize {
        self.covered.iter().filter(|covered| **covered).count()
    }

    /// The marked point, counted from 0.
    pub fn cursor(&self) -> usize {
        self.cursor
    }
}
