//! Questions as data: their types, how they are read, and what is wrong with them.
//!
//! Must not know a terminal, a quiz or a process; `read.rs`, `load.rs`, `folders.rs` and `drafts.rs` alone touch the disk, and what
//! proves and `runnable.rs` alone know that programs can be run, by something that takes jobs.

#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::string_slice))]

pub mod catalog;
mod chance;
pub mod check;
pub(crate) mod decode;
pub mod diagnostic;
pub mod drafts;
mod findings;
mod folders;
mod house;
mod idle;
pub mod lazy;
mod leak;
pub mod load;
mod locate;
mod lookalike;
pub mod parse;
pub(crate) mod problems;
pub mod prose;
pub mod prove;
mod python;
pub mod question;
pub mod read;
pub mod render;
pub mod rules;
pub mod runnable;
pub mod schema;
mod spelling;
pub mod stamp;
pub mod suggestion;
pub mod template;
mod texts;
mod touched;
pub mod typed;
pub mod versions;
