//! A mistake in a file of answers, as reports and tables list it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::diagnostic::Diagnostic;

/// A mistake in a file of answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Problem {
    /// The stable name of the kind of problem.
    pub code: String,
    /// The line in the file, counted from 1; null for a problem of the whole file.
    pub line: Option<usize>,
    /// The character in that line, counted from 1.
    pub column: Option<usize>,
    /// The mistake.
    pub message: String,
    /// A remedy; may be empty.
    pub hint: String,
}

impl Problem {
    /// A problem without a place in the file.
    pub fn of_file(code: &str, message: String, hint: String) -> Self {
        Self { code: code.to_owned(), line: None, column: None, message, hint }
    }
}

impl From<&Diagnostic> for Problem {
    fn from(diagnostic: &Diagnostic) -> Self {
        // A file that could not be read has no places.
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

/// The code, the place and the message. The hint is left out.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, message, .. } = self;
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(f, "{code}, line {line}, column {column}: {message}"),
            _ => write!(f, "{code}: {message}"),
        }
    }
}
