//! fencepost: a terminal tutor for spot-the-bug interview questions.

pub mod content;
pub mod effects;
pub mod error;
pub mod quiz;
pub mod runner;
pub mod tui;
