//! fencepost: a terminal tutor for spot-the-bug interview questions.

pub mod cli;
pub mod content;
pub mod error;
pub mod progress;
pub mod quiz;
pub mod runner;
pub mod settings;
