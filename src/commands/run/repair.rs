//! What `fencepost run --file` says of a program as a repair: whether it passed, and then how it, the smallest repair and
//! the model program differ from the buggy one.
//!
//! Owns the comparison for both formats, not their layout.

use serde::Serialize;

use crate::content::question::Question;
use crate::quiz::diff::diff;
use crate::quiz::grade::{DiffLine, repair_diff};
use crate::runner::recording::Outcome;
use crate::runner::{CheckOutcome, Verdict};

/// A program as a repair.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Repair {
    /// Whether the program came to its end and every check passed.
    pub(super) passed: bool,
    /// Whether it tampered with its checks.
    pub(super) suspicious: bool,
    /// Whether the result may count in a grade: on a real CPython, a program can reach what checks it.
    pub(super) for_grading: bool,
    /// Methods that it defines and its question does not, with which a value can lie in a comparison.
    pub(super) overloads: Vec<String>,
    /// How many checks did not pass.
    #[serde(skip)]
    pub(super) failed: usize,
    /// How many checks there are.
    #[serde(skip)]
    pub(super) of: usize,
    /// The diffs over the buggy program, once the learner's program passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) diffs: Option<Diffs>,
}

/// Diffs over the whole buggy program. A line begins with a blank, `-` or `+`.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Diffs {
    pub(super) yours: Vec<String>,
    pub(super) smallest: Vec<String>,
    pub(super) model: Vec<String>,
}

impl Repair {
    pub(super) fn new(question: &Question, program: &str, outcome: &Outcome) -> Self {
        let of = question.checks.len();
        let held = outcome.checks.iter().filter(|check| check.result == CheckOutcome::Passed).count();
        let passed = outcome.passed();
        let over = |new| written(&diff(&question.spot.code, new));
        let diffs = passed.then(|| Diffs {
            yours: over(program),
            smallest: written(&repair_diff(question)),
            model: over(&question.fixed.code),
        });
        Self {
            passed,
            suspicious: outcome.ending.verdict == Verdict::Tampered,
            for_grading: outcome.ending.engine.grades(),
            overloads: outcome.ending.overloads.clone(),
            failed: of.saturating_sub(held),
            of,
            diffs,
        }
    }
}

fn written(diff: &[DiffLine<'_>]) -> Vec<String> {
    let line = |line: &DiffLine<'_>| match line {
        DiffLine::Kept { text, .. } => format!(" {text}"),
        DiffLine::Removed { text, .. } => format!("-{text}"),
        DiffLine::Added { text } => format!("+{text}"),
    };
    diff.iter().map(line).collect()
}
