//! Questions as data: their types, how they are read, and what is wrong with them.
//!
//! Must not know a terminal, a quiz or a process; `read.rs` and `load.rs` alone touch the disk.

pub mod catalog;
pub mod check;
pub(crate) mod decode;
pub mod diagnostic;
pub mod lazy;
pub mod load;
mod locate;
pub mod parse;
pub(crate) mod problems;
pub mod prose;
pub mod question;
pub mod read;
pub mod render;
pub mod schema;
pub mod suggestion;
pub mod unseen;
