//! Limits on a program: time, memory, output and steps.

use std::time::Duration;

/// Limits on a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time on the wall clock for each child.
    pub wall: Duration,
    /// Address space that the program may add, in bytes.
    pub memory: u64,
    /// Output that is kept, standard output and standard error together, in bytes.
    pub output: usize,
    /// Steps of a trace that are kept.
    pub steps: usize,
    /// Size of a trace that is kept, in bytes of its messages.
    pub trace: usize,
}

impl Limits {
    /// The longest `wall` that a user may ask for.
    pub const MAX_WALL: Duration = Duration::from_secs(30);
}

impl Default for Limits {
    fn default() -> Self {
        Self { wall: Duration::from_secs(2), memory: 256 << 20, output: 64 << 10, steps: 2_000, trace: 1 << 20 }
    }
}
