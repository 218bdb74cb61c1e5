//! Runs Python programs in a sandbox and reports what happened.
//!
//! Plain data goes in ([`Job`]) and comes out ([`Event`], [`Verdict`]). A job is source text and limits: this folder knows no
//! questions, quizzes or screens. This process never parses or runs Python; see `template.rs` for the process that does.

pub mod cpython;
mod engine;
mod parent;
mod protocol;
mod python;
mod reach;
pub mod recording;
mod sandbox;
pub(crate) mod starting;
pub mod template;

use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use engine::{Engine, Level, Missing, Part};
pub use parent::Sandboxed;

/// One program to run, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The program's text.
    pub source: String,
    /// The kind of the job.
    pub mode: Mode,
    /// The limits of the program.
    pub limits: Limits,
}

/// The kind of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Run it once.
    Run,
    /// Run it once, then once more for each check, each time in a fresh child, with the check after it.
    Check(Vec<CheckCode>),
    /// The same for a program that someone handed in as a repair of `question`, another program. What reaches into the
    /// interpreter ends as [`Verdict::Tampered`], unless `question` does the same.
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

/// Steps that a program lives through after it has run.
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

/// Limits of a program. Beyond them it is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time on the wall clock for each child.
    pub wall: Duration,
    /// Address space that the program may add, in bytes.
    pub memory: u64,
    /// Output that is kept, standard output and standard error together, in bytes.
    pub output: usize,
    /// Steps of a trace that are kept.
    pub steps: usize,
    /// Size of a trace that is kept, in bytes of its messages.
    pub trace: usize,
}

impl Limits {
    /// The longest `wall` that a user may ask for.
    pub const MAX_WALL: Duration = Duration::from_secs(30);
}

impl Default for Limits {
    fn default() -> Self {
        Self { wall: Duration::from_secs(2), memory: 256 << 20, output: 64 << 10, steps: 2_000, trace: 1 << 20 }
    }
}

/// The reports of a running job, in order. The last event is always [`Event::Ended`], and there is exactly one.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The program wrote something.
    Output(Chunk),
    /// A check was decided.
    Check(CheckResult),
    /// The program took a step.
    Step(Step),
    /// The trace ends here, and the program goes on without it.
    TraceFull(TraceLimit),
    /// A step of the scenario was taken.
    Row(Row),
    /// The job is over.
    Ended(Ending),
}

/// Text that a program wrote. Not yet safe to draw: see `text.rs`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chunk {
    /// The stream.
    pub stream: Stream,
    /// The text. Bytes that are not UTF-8 have become U+FFFD.
    pub text: String,
}

/// A program's output stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckResult {
    /// The property, in words.
    pub name: String,
    /// The outcome.
    pub result: CheckOutcome,
    /// The message of the assertion, or the exception; empty if the check passed.
    pub message: String,
    /// Set if the program ended before this check, which never ran. Reports say so in `message`.
    #[serde(skip)]
    pub unreached: Option<Unreached>,
}

/// Ways in which a program ends before its check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unreached {
    /// With `SystemExit`, on purpose.
    Left,
    /// With another exception.
    Raised,
    /// Its run alone did not finish, so that none of its checks was tried.
    Unfinished,
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckOutcome {
    /// The property holds.
    Passed,
    /// The assertion failed.
    Failed,
    /// Something else was raised, or the program ended before its check.
    Error,
    /// The check did not come to an end.
    TimedOut,
}

/// One step of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The kind.
    pub kind: StepKind,
    /// The line of the program, from 1. A [`StepKind::Line`] is about to run.
    pub line: u32,
    /// The function that it is in, `<module>` outside of all.
    pub function: String,
    /// How many of the program's own functions are on the stack above this one.
    pub depth: u32,
    /// The thread, empty for the main one.
    pub thread: String,
    /// Names in this function with a new or changed value since its last step, as `name` or `name.attribute`.
    pub changed: Vec<Variable>,
    /// Names, as in `changed`, that this function no longer has since its last step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
    /// The value that is returned or the exception that is raised, in words; empty for the other kinds.
    pub value: String,
}

/// Kinds of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// A function is entered.
    Call,
    /// A line is about to run.
    Line,
    /// A function is left with a value.
    Return,
    /// An exception passes through a function.
    Exception,
}

/// A name with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// The value in words, at most 2,000 characters. No code of the program makes these words.
    pub value: String,
}

/// The limit that ended a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TraceLimit {
    /// [`Limits::steps`].
    Steps,
    /// [`Limits::trace`].
    Bytes,
}

/// The result of one step of a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The step, from 0.
    pub step: usize,
    /// Its value, or the exception; nothing if it runs nothing, or statements.
    pub result: Option<Evaluated>,
    /// The watched expressions after it, in their order.
    pub watched: Vec<Evaluated>,
}

/// An expression that was evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evaluated {
    /// The value, or the exception, in words; at most 2,000 characters.
    pub text: String,
    /// True if `text` is an exception.
    pub raised: bool,
}

/// The end of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    /// The verdict on the program, not on its checks.
    pub verdict: Verdict,
    /// One sentence for the learner that explains the verdict.
    pub detail: String,
    /// Run time of the program in milliseconds, without its checks.
    pub wall_ms: f64,
    /// The interpreter and its sandbox.
    pub engine: Engine,
    /// Methods that make comparisons unreliable, such as `__eq__`, which it defines and its question does not. Empty unless it
    /// was handed in.
    pub overloads: Vec<String>,
}

impl Ending {
    /// The end of a job that no runner reports. `detail` is the sentence for the learner.
    pub fn unreported(detail: String) -> Self {
        let engine = Engine::new(None, Level::None);
        Self { verdict: Verdict::MachineryFailed, detail, wall_ms: 0.0, engine, overloads: Vec::new() }
    }
}

/// The end of a program. Only `Finished` can be a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It came to its end, or left with `SystemExit(0)`.
    Finished,
    /// An exception that nothing caught, or another exit status.
    Raised,
    /// Its time was up.
    TimedOut,
    /// It wanted more memory than it may have.
    OutOfMemory,
    /// It wrote more than is kept.
    OutputTooLong,
    /// The interpreter itself died: a signal, `os._exit`, or a broken answer.
    Crashed,
    /// It never ran: the sandbox did not hold, or the interpreter could not be started in it.
    Refused,
    /// The tutor's own machinery failed.
    MachineryFailed,
    /// The learner stopped it.
    Stopped,
    /// It gets in the way of its checks, or has the means to: no check on it can be trusted.
    Tampered,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 10] = [
        Self::Finished,
        Self::Raised,
        Self::TimedOut,
        Self::OutOfMemory,
        Self::OutputTooLong,
        Self::Crashed,
        Self::Refused,
        Self::MachineryFailed,
        Self::Stopped,
        Self::Tampered,
    ];

    /// The word that reports use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Raised => "raised",
            Self::TimedOut => "timed_out",
            Self::OutOfMemory => "out_of_memory",
            Self::OutputTooLong => "output_too_long",
            Self::Crashed => "crashed",
            Self::Refused => "refused",
            Self::MachineryFailed => "machinery_failed",
            Self::Stopped => "stopped",
            Self::Tampered => "tampered",
        }
    }
}

/// Something that runs programs. Starting a job never blocks: the work happens elsewhere and reports through the
/// handle.
pub trait Runner: Send + Sync {
    /// Starts `job` at once.
    fn start(&self, job: Job) -> Handle;
}

/// A job that was started. Dropping it stops the job.
#[must_use]
pub struct Handle {
    events: Receiver<Event>,
    stop: Arc<dyn Fn() + Send + Sync>,
}

impl Handle {
    /// A handle on a job that reports through `events` and ends soon after `stop` is called. `stop` must be harmless
    /// when it is called twice, or after the end.
    pub fn new(events: Receiver<Event>, stop: impl Fn() + Send + Sync + 'static) -> Self {
        Self { events, stop: Arc::new(stop) }
    }

    /// Asks the job to end. It still reports its [`Event::Ended`], with [`Verdict::Stopped`].
    pub fn stop(&self) {
        (self.stop)();
    }

    /// Does the same as [`Handle::stop`], for a thread other than the one that waits for events.
    pub fn stopper(&self) -> Arc<dyn Fn() + Send + Sync> {
        Arc::clone(&self.stop)
    }

    /// Waits for the next event. Returns `None` after the last.
    pub fn next(&self) -> Option<Event> {
        self.events.recv().ok()
    }

    /// Waits for the next event of a job that has not ended. If the runner is gone, this is an end, so that no run seems to go
    /// on for ever.
    pub fn next_until_end(&self) -> Event {
        let gone = || Event::Ended(Ending::unreported("The runner went away in the middle of the program.".to_owned()));
        self.next().unwrap_or_else(gone)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.stop();
    }
}
