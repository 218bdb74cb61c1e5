//! Starts programs and waits for them.

use crate::error::Error;
use crate::runner::recording::Outcome;
use crate::runner::{Handle, Job, Limits, Mode, Verdict};

/// A job that runs `source`.
pub(super) fn job(source: &str, mode: Mode, limits: Limits) -> Job {
    Job { source: source.to_owned(), mode, limits }
}

/// The error for a job without a result, which says nothing about the program.
pub(super) fn stopped(reason: &str) -> Error {
    Error::machinery(format!("the proofs stopped: {reason}"))
}

pub(super) const GONE: &str = "the runner stopped in the middle of a program";

/// Waits for a program.
pub(super) fn wait(handle: &Handle) -> Result<Outcome, Error> {
    usable(Outcome::wait(handle).ok_or_else(|| stopped(GONE))?)
}

/// Returns an error if the program did not run.
pub(super) fn usable(outcome: Outcome) -> Result<Outcome, Error> {
    match outcome.ending.verdict {
        Verdict::MachineryFailed | Verdict::Refused | Verdict::Stopped => Err(stopped(&outcome.ending.detail)),
        _ => Ok(outcome),
    }
}

/// A text as a Python literal, which is that of JSON.
pub(super) fn python_literal(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}
