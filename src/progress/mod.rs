//! Remembers what learners did.

mod attempts;
mod drafts;
pub mod store;
