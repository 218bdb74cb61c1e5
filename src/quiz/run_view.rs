//! The views of the stage Run, and the requests to it.

/// A view of the stage Run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RunView {
    /// Output of the programs.
    #[default]
    Output,
    /// The scenario, row by row.
    Timeline,
    /// A program, step by step.
    Steps,
}

impl RunView {
    /// Every view, in the order in which they are shown.
    pub const ALL: [Self; 3] = [Self::Output, Self::Timeline, Self::Steps];

    /// The name on the tab.
    pub fn name(self) -> &'static str {
        match self {
            Self::Output => "Output",
            Self::Timeline => "Timeline",
            Self::Steps => "Steps",
        }
    }
}

/// A request to the stage Run. It is remembered while something keeps the programs from running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Request {
    /// The programs, then their scenario.
    #[default]
    Programs,
    /// The same, to play the scenario as far as this row, counted from 0.
    Timeline(usize),
    /// The programs, step by step.
    Steps,
}
