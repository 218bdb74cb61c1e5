//! The pure core: a quiz is a value, and `update` is the only function that changes it.
//!
//! Must not know a terminal, a clock, a disk or a process.

pub mod action;
pub mod align;
pub mod attempt;
pub mod consent;
pub mod diff;
pub mod grade;
pub mod parts;
pub mod prediction;
mod reload;
pub mod repair;
pub mod runnable;
mod say;
mod sitting;
pub mod state;
mod stepping;
pub mod steps;
pub mod time;
pub mod timeline;
pub mod trace;
mod undo;
mod update;

pub use action::{Action, Effect, Motion};
pub use state::{Quiz, Sitting, Stage};
pub use update::update;
