//! Runs Python programs in a sandbox and reports what happened.
//!
//! Owns the plain data that goes in ([`Job`]) and comes out ([`Event`], [`Verdict`]), and the trait [`Runner`].
//! Must not know questions, quizzes or screens: a job is source text and limits, nothing else. Nothing in this process
//! ever parses or runs Python; see `template.rs` for the process that does.

pub mod cpython;
mod parent;
mod protocol;
mod python;
mod reach;
pub mod recording;
mod sandbox;
pub(crate) mod starting;
pub mod template;

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use parent::Sandboxed;

/// One program to run, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The program's text.
    pub source: String,
    /// What to do with it.
    pub mode: Mode,
    /// When to stop it.
    pub limits: Limits,
}

/// What to do with a program.
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

/// When a program is stopped.
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

/// What a running job reports, in order. The last event is always [`Event::Ended`], and there is exactly one.
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

/// Text that a program wrote, unchanged: a terminal may obey it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Chunk {
    /// The stream.
    pub stream: Stream,
    /// The text. Bytes that are not UTF-8 have become U+FFFD.
    pub text: String,
}

/// A program's output stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl Stream {
    /// The word that reports use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CheckResult {
    /// The property, in words.
    pub name: String,
    /// The outcome.
    pub result: CheckOutcome,
    /// The message of the assertion, or the exception; empty when the check passed.
    pub message: String,
    /// How the program ended before this check, where it did: the check never ran. Reports tell it in `message`.
    #[serde(skip)]
    pub unreached: Option<Unreached>,
}

/// How a program ended before its check.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

impl CheckOutcome {
    /// The word that reports use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Error => "error",
            Self::TimedOut => "timed_out",
        }
    }
}

/// One step of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The kind of step.
    pub kind: StepKind,
    /// The line of the program, from 1. One of the kind `line` is about to run.
    pub line: u32,
    /// The function that it is in, `<module>` outside of all.
    pub function: String,
    /// Number of the program's own functions on the stack above this one.
    pub depth: u32,
    /// The thread, empty for the main one.
    pub thread: String,
    /// Names in this function whose value is new or another one than at its last step, as `name` or `name.attribute`.
    pub changed: Vec<Variable>,
    /// Names, as in `changed`, that this function had at its last step and has no longer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
    /// The value that is returned or the exception that is raised, in words; empty for the other kinds.
    pub value: String,
}

/// The kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// The value in words, at most 2,000 characters. No code of the program makes these words.
    pub value: String,
}

/// Why a trace does not show all of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TraceLimit {
    /// The number of steps.
    Steps,
    /// Their size in bytes.
    Bytes,
}

/// What one step of a scenario came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Which step, from 0.
    pub step: usize,
    /// Its value, or the exception; nothing if it runs nothing, or statements.
    pub result: Option<Evaluated>,
    /// The watched expressions after it, in their order.
    pub watched: Vec<Evaluated>,
}

/// An expression that was evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evaluated {
    /// The value, or the exception, in words; at most 2,000 characters.
    pub text: String,
    /// True if it is an exception.
    pub raised: bool,
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    /// The verdict on the program, not on its checks.
    pub verdict: Verdict,
    /// One sentence for the learner that says what the verdict means here: after how long, which exception.
    pub detail: String,
    /// How long the program ran, in milliseconds; its checks are not counted.
    pub wall_ms: f64,
    /// What ran it.
    pub engine: Engine,
    /// Methods with which its values can lie in a comparison, such as `__eq__`, that it defines and its question does not.
    /// Empty unless it was handed in.
    pub overloads: Vec<String>,
}

impl Ending {
    /// The end of a job that no runner reports. `detail` is the sentence for the learner.
    pub fn unreported(detail: String) -> Self {
        let engine =
            Engine { name: "none".to_owned(), version: String::new(), python: String::new(), sandbox: Level::None };
        Self { verdict: Verdict::MachineryFailed, detail, wall_ms: 0.0, engine, overloads: Vec::new() }
    }
}

/// The end of a program. Only `finished` can be a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// The runner itself failed.
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

/// The interpreter that ran a program, and its sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Engine {
    /// "RustPython" or "CPython".
    pub name: String,
    /// The engine's own version, such as "0.5.0".
    pub version: String,
    /// The Python version whose language it speaks, such as "3.14.0".
    pub python: String,
    /// The level of the sandbox.
    pub sandbox: Level,
}

impl Engine {
    /// Whether its word on a check may count in a grade: only the built-in interpreter keeps checks out of a program's reach.
    pub fn grades(&self) -> bool {
        self.name == python::NAME
    }
}

/// The parts of the sandbox that are in force, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Landlock, seccomp and resource limits.
    Full,
    /// Seccomp and resource limits; seccomp alone still closes files and network.
    NoLandlock,
    /// Resource limits only: the program could open files.
    LimitsOnly,
    /// Nothing.
    None,
}

impl Level {
    /// The word that reports use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::NoLandlock => "no_landlock",
            Self::LimitsOnly => "limits_only",
            Self::None => "none",
        }
    }

    /// Whether a stranger's program may run at this level without asking.
    pub fn contains_strangers(self) -> bool {
        self <= Self::NoLandlock
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// A part of the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Landlock: no file can be opened, whatever the system call.
    Landlock,
    /// Seccomp: only listed system calls, none of which opens, connects or forks.
    Seccomp,
    /// Limits on memory, processor time and descriptors.
    Limits,
}

impl Part {
    /// Every part.
    pub const ALL: [Self; 3] = [Self::Landlock, Self::Seccomp, Self::Limits];

    /// The word that reports use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Landlock => "landlock",
            Self::Seccomp => "seccomp",
            Self::Limits => "limits",
        }
    }
}

/// A part of the sandbox that is not in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// Which.
    pub part: Part,
    /// Why, in words for a user.
    pub reason: String,
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

    /// What [`Handle::stop`] does, for another thread than the one that waits for events.
    pub fn stopper(&self) -> Arc<dyn Fn() + Send + Sync> {
        Arc::clone(&self.stop)
    }

    /// The next event; waits for it. `None` after the last.
    pub fn next(&self) -> Option<Event> {
        self.events.recv().ok()
    }

    /// The next event of a job whose end has not come; waits for it. A runner that goes away without a word must not
    /// leave a run behind that seems to go on for ever, so that this is its end.
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
