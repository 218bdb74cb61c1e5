//! The pure core: a quiz is a value, and `update` is the only function that changes it.
//!
//! Must not know a terminal, a clock, a disk or a process.

pub mod attempt;
pub mod time;
