//! The scenario, played live on both programs: how far the learner has played, and where the programs part.
//!
//! The programs run through the whole scenario at once; what the learner has not played yet is not shown.

use crate::quiz::motion::Motion;
use crate::quiz::program::{PerProgram, Program};
use crate::runner::recording::Recording;
use crate::runner::{Row, Verdict};

/// An action of the learner in the timeline.
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
    recordings: PerProgram<Recording>,
    /// The row that the learner is at.
    at: Option<usize>,
    /// Rows that were played.
    played: usize,
    open: bool,
}

impl Timeline {
    /// The latest run of `program` through the scenario.
    pub fn live(&self, program: Program) -> Option<&Recording> {
        self.recordings.get(program)
    }

    /// The row that the learner is at, counted from 0; `None` before the first.
    pub fn at(&self) -> Option<usize> {
        self.at
    }

    /// The number of rows that were played.
    pub fn played(&self) -> usize {
        self.played
    }

    /// True if the values of the row are shown in full.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// The first row, counted from 0, in which the programs part; `None` where they do not, or not yet.
    pub fn parts_at(&self) -> Option<usize> {
        let (buggy, fixed) = self.recordings.both()?;
        let shared = buggy.rows.len().min(fixed.rows.len());
        // A row that one of them lacks counts once it cannot come any more.
        let over = |live: &Recording| live.ending().is_some_and(|ending| ending.verdict != Verdict::Stopped);
        parts_at(&buggy.rows, &fixed.rows).filter(|row| *row < shared || (over(buggy) && over(fixed)))
    }

    pub(super) fn is_running(&self) -> bool {
        self.recordings.iter().any(Recording::is_running)
    }

    /// Begins the scenario on these programs, and plays it as far as `row`, counted from 0.
    pub(super) fn begin(&mut self, programs: &[Program], row: Option<usize>) {
        *self = Self::default();
        for program in programs {
            *self.recordings.place(*program) = Some(Recording::default());
        }
        row.into_iter().for_each(|row| self.go(row));
    }

    /// The recording of `program`, to fill it or to drop it.
    pub(super) fn recording(&mut self, program: Program) -> &mut Option<Recording> {
        self.recordings.place(program)
    }

    /// Shows the values of the row in full, or cuts them again.
    pub(super) fn open_or_cut(&mut self) {
        self.open = self.at.is_some() && !self.open;
    }

    pub(super) fn go(&mut self, row: usize) {
        self.open &= self.at == Some(row);
        self.at = Some(row);
        self.played = self.played.max(row.saturating_add(1));
    }
}

/// The first row, counted from 0, in which two runs through a scenario part; `None` where they do not.
pub fn parts_at(one: &[Row], other: &[Row]) -> Option<usize> {
    let shared = one.iter().zip(other).position(|(a, b)| a != b);
    shared.or_else(|| (one.len() != other.len()).then(|| one.len().min(other.len())))
}
