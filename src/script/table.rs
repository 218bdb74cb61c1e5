//! The table of a batch: one row for each learner.
//!
//! Owns the shape of a row: `fencepost quiz --answers DIR` prints one JSON object a line.

use schemars::JsonSchema;
use serde::Serialize;

use crate::content::diagnostic::Diagnostic;
use crate::script::report::{FORMAT, Graded, Terms, Total};

/// How one learner did.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, title = "fencepost quiz table")]
pub struct Row {
    /// Version of the format.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// The learner: the name of the file, without its ending.
    pub learner: String,
    /// The file in the folder.
    pub file: String,
    /// How it went as a whole.
    #[serde(flatten)]
    pub total: Total,
    /// How it was asked.
    #[serde(flatten)]
    pub terms: Terms,
    /// The questions in the order in which they were asked; empty where nothing could be graded.
    pub questions: Vec<Graded>,
    /// Why nothing was graded; empty where it was.
    pub problems: Vec<Problem>,
}

/// Why a submission was not graded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Problem {
    /// The stable name of the kind of problem.
    pub code: String,
    /// Where it is in the file, counted from 1; null where it is no place in it.
    pub line: Option<usize>,
    /// The character in that line, counted from 1.
    pub column: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it; may be empty.
    pub hint: String,
}

impl From<&Diagnostic> for Problem {
    fn from(diagnostic: &Diagnostic) -> Self {
        // Of a file that could not be read, no place can be told.
        let at = (!diagnostic.file.text.is_empty()).then(|| diagnostic.position());
        Self {
            code: diagnostic.code.0.to_owned(),
            line: at.map(|(line, _)| line),
            column: at.map(|(_, column)| column),
            message: diagnostic.message.clone(),
            hint: diagnostic.help.clone(),
        }
    }
}

/// A learner whose answers cannot be graded. Everything that was asked for counts as not answered: `of` is what right
/// answers would be worth.
pub fn ungraded(learner: String, file: String, asked: usize, of: u64, terms: Terms, problems: Vec<Problem>) -> Row {
    let total = Total { passed: false, score: 0, of, percent: 0, right: 0, asked, suspicious: false };
    Row { format: FORMAT, learner, file, total, terms, questions: Vec::new(), problems }
}
