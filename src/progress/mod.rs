//! Remembers what learners did.
//!
//! Sees the types of `quiz/`; must not know a screen or a runner.

mod attempts;
mod drafts;
pub mod store;
