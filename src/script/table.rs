//! The table of a batch, `fencepost quiz --answers DIR`: one row for each learner, one JSON object a line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::script::report::Report;

/// The code of a problem that is this machine's fault.
pub const MACHINERY: &str = "machinery";

/// The row of one learner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The learner.
    #[serde(flatten)]
    pub learner: Learner,
    /// The report. It has no questions where nothing was graded: then its problems say why, or nothing was handed in.
    #[serde(flatten)]
    pub report: Report,
}

/// A learner, and what was handed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Learner {
    /// The learner: the name of the file, without its ending.
    #[serde(rename = "learner")]
    pub name: String,
    /// The file in the folder; null where nothing was handed in.
    pub file: Option<String>,
    /// True if there is a file of this learner. Without `--roster` there always is.
    pub handed_in: bool,
    /// True if the learner is on the roster; null without `--roster`.
    pub on_roster: Option<bool>,
}

impl Row {
    /// True if an answer of this learner could not be graded because of this machine.
    pub fn lacks_machinery(&self) -> bool {
        self.report.problems.iter().any(|problem| problem.code == MACHINERY)
    }
}
