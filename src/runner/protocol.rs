//! Messages between the parent, its template and its children.
//!
//! The body of a frame is one of the structs below as JSON, except for output, which is the bytes themselves. What comes
//! from a child is hostile: after a frame that breaks a rule, which is [`Broken`], nothing more is read from that child.

mod frame;

use serde::{Deserialize, Serialize};

pub(super) use self::frame::{
    Broken, Decoder, Frame, Key, Kind, MAX_FROM_CHILD, MAX_FROM_PARENT, body_limit, encode, encode_json,
};
use super::{CheckOutcome, Engine, Missing, Unreached};

/// Asks a template for a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spawn {
    /// The parent's name for the child.
    pub(super) slot: u64,
    /// Address space that it may add, in bytes.
    pub(super) memory: u64,
    /// Processor time that it may use, in seconds. A backstop for the parent's clock.
    pub(super) cpu: u64,
    pub(super) purpose: Purpose,
}

/// What a child is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Purpose {
    /// A program waits for it.
    Program,
    /// It will wait for its program, and so has time to get ready for it.
    Spare,
}

/// Names a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Slot {
    pub(super) slot: u64,
}

/// A child is gone: it ended by itself, or a signal ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exited {
    pub(super) slot: u64,
    pub(super) code: Option<i32>,
    pub(super) signal: Option<i32>,
}

/// A child could not be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Unmade {
    pub(super) slot: u64,
    /// What the system says.
    pub(super) reason: String,
}

/// How well the sender is locked down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hello {
    /// Its process, so that the parent can look at it from outside.
    pub(super) pid: u32,
    pub(super) engine: Engine,
    pub(super) missing: Vec<Missing>,
    /// Why this process must not run a program, if it must not.
    pub(super) refused: Option<String>,
}

/// What a child is to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Order {
    /// Run the program.
    Run { source: String },
    /// Run a program that was handed in as a repair of `question`, another program.
    Grade { source: String, question: String },
    /// Run the program, drop what it writes, then run one check. `question` is the program that it repairs, if it was
    /// handed in.
    Check { source: String, code: String, question: Option<String> },
    /// Run the program and report its steps, at most so many, in at most so many bytes.
    Trace { source: String, steps: usize, bytes: usize },
    /// Run the program, then the steps of a scenario.
    Scenario { source: String, setup: String, watch: Vec<String>, steps: Vec<Option<String>> },
}

/// How a child says that its work ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Final {
    /// The program came to its end.
    Finished {},
    /// Nothing caught this exception. `line` is the last line of the program itself that it passed through.
    Raised { exception: String, message: String, line: Option<u32> },
    /// It left with an exit status that is not 0.
    Exit { status: i64 },
    /// Nothing caught this `MemoryError`.
    Memory { message: String, line: Option<u32> },
    /// A check was decided.
    Checked { result: CheckOutcome, message: String },
    /// The program ended before its check.
    Unreached { because: Unreached, message: String },
    /// The program changes what checks it, or could. `names` are its means.
    Tampered { how: Tampering, names: Vec<String> },
}

impl Final {
    /// The end of a program that gets in the way of its checks.
    pub(super) fn tampered(how: Tampering, names: impl IntoIterator<Item = String>) -> Self {
        Self::Tampered { how, names: names.into_iter().collect() }
    }
}

/// How a program gets in the way of its checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Tampering {
    /// Its code has names that reach into the interpreter, and its question's has not.
    Reaches,
    /// It replaced functions or classes while a check ran, or in a way that cannot be undone.
    Changed,
    /// What must fail after every program passed.
    Canary,
}

/// What stands out in a program that was handed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Uses {
    /// Methods with which a value can lie about itself, such as `__eq__`, that its question's program does not have.
    pub(super) overloads: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_of_another_shape_is_refused() {
        for body in [
            r#"{"outcome":"finished","score":100}"#,
            r#"["finished"]"#,
            r#"{"outcome":"checked","result":"passed","message":"","because":"left"}"#,
            r#"{"outcome":"unreached","because":"passed","message":""}"#,
            r#"{"outcome":"unreached","because":"left","message":"","result":"passed"}"#,
            "",
        ] {
            let frame = Frame { kind: Kind::Final, key: [7; 16], body: body.into() };
            assert_eq!(frame.body::<Final>(), Err(Broken::Body), "{body}");
        }
    }
}
