//! The quiz without a terminal: answers in, report out.
//!
//! Owns the file of answers and the report. Grading is the same `update` that the screens use.

pub mod answers;
pub mod report;
