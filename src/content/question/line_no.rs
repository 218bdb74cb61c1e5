//! The number of a line, as people count it.

use std::fmt;
use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A line of a program, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(transparent)]
pub struct LineNo(NonZeroU32);

impl LineNo {
    /// The first line of any program.
    pub const FIRST: Self = Self(NonZeroU32::MIN);

    /// Line `n`, counted from 1; `None` for 0.
    pub fn new(n: u32) -> Option<Self> {
        NonZeroU32::new(n).map(Self)
    }

    /// The line at `index`, counted from 0.
    pub fn from_index(index: usize) -> Self {
        let n = u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1);
        Self(NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN))
    }

    /// The number as people say it, counted from 1.
    pub fn get(self) -> u32 {
        self.0.get()
    }

    /// The position in a slice of lines, counted from 0.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

impl fmt::Display for LineNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
