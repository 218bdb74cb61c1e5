//! The quiz without a terminal: answers in, report out.
//!
//! `assets/quiz.md` describes every format for users.

pub mod answers;
pub mod ascii;
pub mod blank;
pub mod csv;
pub mod grading;
pub mod junit;
pub mod lines;
pub mod merge;
pub mod object;
mod parts;
pub mod problem;
pub mod protocol;
pub mod report;
pub mod roster;
pub mod run;
pub mod schema;
pub mod scoring;
pub mod selection;
pub mod server;
pub mod table;
pub mod tap;
pub mod text;
