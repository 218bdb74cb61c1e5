//! Runs Python programs in a sandbox and reports what happened.
//!
//! A [`Job`] is source text and limits; the runner knows no questions. The process of fencepost itself never parses or runs
//! Python; see `template.rs` for the process that does.

pub mod cpython;
mod engine;
mod event;
mod limits;
mod parent;
mod protocol;
mod python;
mod reach;
pub mod recording;
mod sandbox;
pub(crate) mod starting;
pub mod template;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Instant;

pub use engine::{Engine, Level, Missing, Part};
pub use event::{
    CheckOutcome, CheckResult, Chunk, Ending, Evaluated, Event, Row, Step, StepKind, Stream, TraceLimit, Unreached,
    Variable, Verdict,
};
pub use limits::Limits;
pub use parent::Sandboxed;

/// One program to run, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The program's text.
    pub source: String,
    /// Mode of the run.
    pub mode: Mode,
    /// Limits of the run.
    pub limits: Limits,
}

/// Modes of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Run it once.
    Run,
    /// Run it once, then once more for each check, each time in a fresh child, with the check after it.
    Check(Vec<CheckCode>),
    /// The same for a program that someone submitted as a repair of `question`, another program. It ends as
    /// [`Verdict::Tampered`] if it reaches into the interpreter and `question` does not.
    Grade {
        /// The checks.
        checks: Vec<CheckCode>,
        /// The program to repair.
        question: String,
    },
    /// Run it once and report its steps.
    Trace,
    /// Run it once, then the steps of a scenario in its namespace.
    Scenario(Scenario),
}

/// Events that happen to a program after it has run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scenario {
    /// Python that runs once, before the steps.
    pub setup: String,
    /// Expressions that are evaluated after each step.
    pub watch: Vec<String>,
    /// For each step, the expression or statements that it runs, if any.
    pub steps: Vec<Option<String>>,
}

/// Python that runs after a program, in its namespace. An exception fails it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckCode {
    /// The property, in words.
    pub name: String,
    /// Python that asserts it.
    pub code: String,
}

/// Runs programs. Starting a job never blocks: the job reports through its handle.
pub trait Runner: Send + Sync {
    /// Starts `job` at once.
    fn start(&self, job: Job) -> Handle;
}

/// Handle on a running job. Dropping it stops the job.
#[must_use]
pub struct Handle {
    events: Receiver<Event>,
    stop: Arc<dyn Fn() + Send + Sync>,
}

impl Handle {
    /// Creates a handle on a job that reports through `events` and ends soon after `stop`. Calling `stop` twice, or after the
    /// end, must be harmless.
    pub fn new(events: Receiver<Event>, stop: impl Fn() + Send + Sync + 'static) -> Self {
        Self { events, stop: Arc::new(stop) }
    }

    /// Asks the job to end. It still reports its [`Event::Ended`], with [`Verdict::Stopped`].
    pub fn stop(&self) {
        (self.stop)();
    }

    /// Returns a function that does the same as [`Handle::stop`], for another thread.
    pub fn stopper(&self) -> Arc<dyn Fn() + Send + Sync> {
        Arc::clone(&self.stop)
    }

    /// Waits for the next event; `None` after the last.
    pub fn next(&self) -> Option<Event> {
        self.events.recv().ok()
    }

    /// Waits for the next event; `None` after the last.
    ///
    /// # Errors
    ///
    /// None came before `until`.
    pub fn next_before(&self, until: Instant) -> Result<Option<Event>, Late> {
        match self.events.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(event) => Ok(Some(event)),
            Err(RecvTimeoutError::Disconnected) => Ok(None),
            Err(RecvTimeoutError::Timeout) => Err(Late),
        }
    }

    /// Waits for the next event of a job that has not ended. If the runner is gone, that is the end, so that no run seems to go
    /// on for ever.
    pub fn next_until_end(&self) -> Event {
        let gone = || Event::Ended(Ending::unreported("The runner went away in the middle of the program.".to_owned()));
        self.next().unwrap_or_else(gone)
    }
}

/// A job reported nothing in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Late;

impl Drop for Handle {
    fn drop(&mut self) {
        self.stop();
    }
}
