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
use crate::text;

/// Maximum names that the end of an attack lists.
const MOST_NAMES: usize = 5;

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

/// Purposes of a child.
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
    /// Error of the system.
    pub(super) reason: String,
}

/// Description of a process that is ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hello {
    /// Process id, so that the parent can watch it from outside.
    pub(super) pid: u32,
    pub(super) engine: Engine,
    pub(super) missing: Vec<Missing>,
    /// Reason why this process must not run a program, if any.
    pub(super) refused: Option<String>,
}

/// Orders for a child.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Order {
    /// Run the program.
    Run { source: String },
    /// Run a program that was submitted as a repair of `question`, another program.
    Grade { source: String, question: String },
    /// Run the program, drop what it writes, then run one check. `question` is the program that it repairs, if it was
    /// handed in.
    Check { source: String, code: String, question: Option<String> },
    /// Run the program and report its steps, at most so many, in at most so many bytes.
    Trace { source: String, steps: usize, bytes: usize },
    /// Run the program, then the steps of a scenario.
    Scenario { source: String, setup: String, watch: Vec<String>, steps: Vec<Option<String>> },
}

/// Results of a child.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Final {
    /// The program came to its end.
    Finished {},
    /// Uncaught exception. `line` is the last line of the program itself that it passed through.
    Raised { exception: String, message: String, line: Option<u32> },
    /// It left with an exit status that is not 0.
    Exit { status: i64 },
    /// Uncaught `MemoryError`.
    Memory { message: String, line: Option<u32> },
    /// A check was decided.
    Checked { result: CheckOutcome, message: String },
    /// The program ended before its check.
    Unreached { because: Unreached, message: String },
    /// The program changes what checks it, or could. `names` are the first of its means, and there are `more`.
    Tampered { how: Tampering, names: Vec<String>, more: usize },
}

impl Final {
    /// Creates the end of a program that attacks its checks. However many names it makes, and however long, they fit into a
    /// frame.
    pub(super) fn tampered(how: Tampering, names: impl IntoIterator<Item = String>) -> Self {
        let mut all = names.into_iter();
        let names = all.by_ref().take(MOST_NAMES).map(|name| text::brief(&name).into_owned()).collect();
        Self::Tampered { how, names, more: all.count() }
    }
}

/// Attacks on the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Tampering {
    /// Its code has names that reach into the interpreter, and its question's code does not.
    Reaches,
    /// It replaced functions or classes while a check ran, or in a way that cannot be undone.
    Changed,
    /// A statement passed that must fail after every program.
    Canary,
}

/// Findings about a submitted program.
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
    fn however_much_was_replaced_its_names_fit_into_a_frame() {
        let ended =
            Final::tampered(Tampering::Changed, (0..100_000).map(|number| format!("{number}{}", "\0".repeat(300))));
        let frame = encode_json(Kind::Final, &[0; 16], &ended);
        assert!(frame.len() < MAX_FROM_CHILD, "{} bytes", frame.len());
        let Final::Tampered { names, more, .. } = ended else { panic!("another end") };
        assert_eq!((names.len(), more), (5, 99_995));
    }

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
