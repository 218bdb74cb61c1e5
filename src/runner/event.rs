//! Events of a running job.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Engine, Level};

/// Events of a running job, in order. [`Event::Ended`] comes exactly once, as the last.
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
    /// Reason why the check never ran, if so. In reports, `message` contains it.
    #[serde(skip)]
    pub unreached: Option<Unreached>,
}

/// Reasons why a program did not reach its check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unreached {
    /// With `SystemExit`, on purpose.
    Left,
    /// With another exception.
    Raised,
    /// Its run alone did not finish, or it tampers with its checks, so that those that are left were not tried.
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

/// Result of one step of a scenario.
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

/// End of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    /// The verdict on the program, not on its checks.
    pub verdict: Verdict,
    /// One sentence for the learner that says what the verdict means here: after how long, which exception.
    pub detail: String,
    /// Run time of the program in milliseconds, without its checks.
    pub wall_ms: f64,
    /// Interpreter that ran it.
    pub engine: Engine,
    /// Methods with which its values can lie in a comparison, such as `__eq__`, that it defines and its question does not.
    /// Empty unless it was handed in.
    pub overloads: Vec<String>,
}

impl Ending {
    /// Creates the end of a job that no runner reports. `detail` is the sentence for the learner.
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
