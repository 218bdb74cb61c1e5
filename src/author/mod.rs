//! Tools for authors: rules, proofs and reports for the questions that they write.
//!
//! Reads questions with `content/`, runs their programs through a runner that it is given, and draws nothing.

#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::string_slice))]

mod bindings;
mod determinism;
pub mod drafts;
mod empty_checks;
mod fixed_lines;
pub(crate) mod known_differences;
mod leftovers;
mod lint;
pub mod mypy;
mod placeholders;
pub mod prove;
mod python;
mod quotations;
mod refusals;
pub(crate) mod report;
pub mod rules;
mod spelling;
mod spoilers;
mod tautologies;
pub mod template;
mod texts;
