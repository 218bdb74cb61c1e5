//! Points in time and lengths of time, as plain numbers.
//!
//! It reads no clock: front ends pass the time in.

use std::ops::Add;

/// A point in time: milliseconds since 1970-01-01T00:00:00Z. Arithmetic saturates, so that a wrong clock cannot panic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Milliseconds from `earlier` to `self`; 0 when the clock went back.
    pub fn since(self, earlier: Self) -> Millis {
        Millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl Add<Millis> for Timestamp {
    type Output = Self;

    fn add(self, length: Millis) -> Self {
        Self(self.0.saturating_add(i64::try_from(length.0).unwrap_or(i64::MAX)))
    }
}

/// A length of time in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub u64);

impl Millis {
    /// `seconds` as milliseconds.
    pub fn from_seconds(seconds: u32) -> Self {
        Self(u64::from(seconds) * 1000)
    }

    /// Whole seconds, rounded up: a countdown shows 1 until it is over.
    pub fn seconds_up(self) -> u64 {
        self.0.div_ceil(1000)
    }

    /// Subtracts `other`; 0 when nothing is left.
    pub fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}
