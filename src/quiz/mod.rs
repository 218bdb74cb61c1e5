//! The pure core: a quiz is a value, and `update` is the only function that changes it.
//!
//! It knows no terminal, clock, disk or process. Data comes first (`sitting.rs` joins what the stages keep), then one file
//! for what each stage does, then `update.rs`, which routes.

pub mod action;
pub mod align;
pub mod attempt;
pub mod availability;
pub mod consent;
mod countdown;
pub mod describe;
pub mod diff;
mod draft;
mod effect;
mod fix;
pub mod grade;
mod learn;
mod motion;
pub mod prediction;
mod program;
mod reload;
mod renamed;
pub mod repair;
mod reply;
mod run;
pub mod run_view;
pub mod runnable;
mod runs;
mod say;
mod sitting;
mod spot;
mod stage;
mod starting;
pub mod state;
mod step_moves;
pub mod steps;
pub mod time;
pub mod timeline;
mod timeline_moves;
pub mod trace;
mod undo;
mod update;

pub use action::{Action, Effect, Motion};
pub use state::{Quiz, Sitting, Stage};
pub use update::update;
