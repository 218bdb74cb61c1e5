//! Questions as data: their types, how they are read, and what is wrong with them.
//!
//! Must not know a terminal, a quiz or a process; `load.rs` alone touches the disk.

pub mod catalog;
pub mod diagnostic;
pub mod prose;
pub mod question;
pub mod suggestion;
