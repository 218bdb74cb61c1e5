//! The table of a batch: one row for each learner.
//!
//! Owns the shape of a row: `fencepost quiz --answers DIR` prints one JSON object a line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::script::problem::Problem;
use crate::script::report::{FORMAT, Graded, Report, Terms, Total};

/// The code of a problem that is this machine's fault.
pub const MACHINERY: &str = "machinery";

/// How one learner did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, title = "fencepost quiz table")]
pub struct Row {
    /// Version of the format.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// The learner: the name of the file, without its ending.
    pub learner: String,
    /// The file in the folder; null where nothing was handed in.
    pub file: Option<String>,
    /// Whether there is a file of this learner. Without `--roster` there always is.
    pub handed_in: bool,
    /// Whether the learner is on the roster; null without `--roster`.
    pub on_roster: Option<bool>,
    /// How it went as a whole.
    #[serde(flatten)]
    pub total: Total,
    /// How it was asked.
    #[serde(flatten)]
    pub terms: Terms,
    /// The questions in the order in which they were asked; empty where nothing could be graded.
    pub questions: Vec<Graded>,
    /// What was not graded, and why: the whole file where `questions` is empty, entries of it with `--lenient`.
    pub problems: Vec<Problem>,
}

/// A learner of a batch.
#[derive(Clone, Debug)]
pub struct Learner {
    /// The name.
    pub name: String,
    /// The name of the file that was handed in, where it has one.
    pub file: Option<String>,
    /// Whether anything was handed in.
    pub handed_in: bool,
    /// Whether the name is on the roster, where there is one.
    pub on_roster: Option<bool>,
}

impl Row {
    /// Whether an answer of this learner could not be graded because of this machine.
    pub fn lacks_machinery(&self) -> bool {
        self.problems.iter().any(|problem| problem.code == MACHINERY)
    }

    /// The row of a learner whose answers were graded.
    pub fn graded(learner: Learner, report: Report) -> Self {
        let Report { format: _, total, terms, questions, problems } = report;
        Self::new(learner, total, terms, questions, problems)
    }

    /// The row of a learner whose answers cannot be graded, or who handed nothing in. Everything that was asked for counts
    /// as not answered: `of` is what right answers would be worth.
    pub fn ungraded(learner: Learner, asked: usize, of: u64, terms: Terms, problems: Vec<Problem>) -> Self {
        let total = Total { passed: false, score: 0, of, percent: 0, right: 0, asked, suspicious: false };
        Self::new(learner, total, terms, Vec::new(), problems)
    }

    fn new(learner: Learner, total: Total, terms: Terms, questions: Vec<Graded>, problems: Vec<Problem>) -> Self {
        let Learner { name, file, handed_in, on_roster } = learner;
        Self { format: FORMAT, learner: name, file, handed_in, on_roster, total, terms, questions, problems }
    }
}
