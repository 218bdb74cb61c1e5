//! fencepost: a terminal tutor for spot-the-bug interview questions.
//!
//! The map, from the pure middle outwards:
//!
//! - [`content`]: questions as data, how they are read and what is wrong with them
//! - [`quiz`]: the state of a quiz, and `update`, the only function that changes it
//! - [`runner`]: runs Python in sandboxed processes
//! - [`progress`]: remembers
//! - [`effects`]: does what a quiz asks for
//! - [`tui`]: the screens
//! - [`script`]: answers in, report out
//! - [`cli`], [`commands`]: the command line and its verbs
//! - [`settings`], [`error`]: where files live, how things end

pub mod cli;
pub mod commands;
pub mod content;
pub mod effects;
pub mod error;
pub mod progress;
pub mod quiz;
pub mod runner;
pub mod tui;
