//! The five stages of a question.

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
