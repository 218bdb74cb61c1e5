//! Questions as data: their types, how they are read, and what is wrong with them.
//!
//! Runs nothing and parses no Python: that is for authors, in `author/`. Only `read.rs`, `load.rs` and `folders.rs` touch the disk.

#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::string_slice))]

pub mod catalog;
pub(crate) mod changes;
pub(crate) mod decode;
pub mod diagnostic;
pub(crate) mod folders;
pub mod lazy;
pub mod load;
pub(crate) mod locate;
pub(crate) mod lookalike;
pub mod parse;
pub(crate) mod problems;
pub mod prose;
pub mod question;
pub mod read;
pub(crate) mod references;
pub mod render;
pub mod schema;
pub mod stamp;
pub mod suggestion;
pub(crate) mod syntax;
pub mod validate;
pub mod versions;
