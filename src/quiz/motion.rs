//! Moves of a mark among rows.

/// A move of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// So many rows down; negative is up.
    By(isize),
    /// To the first row.
    First,
    /// To the last row.
    Last,
}

impl Motion {
    /// The index that the motion leads to from `index` among `count` rows; 0 when there are none.
    pub fn from(self, index: usize, count: usize) -> usize {
        let last = count.saturating_sub(1);
        match self {
            Self::By(rows) => index.saturating_add_signed(rows).min(last),
            Self::First => 0,
            Self::Last => last,
        }
    }
}
