//! A problem in a file that an author wrote: where it is, what is wrong, why, and what to do.
//!
//! Owns the shape of a problem. How it is drawn with its source line and caret is `render.rs`.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable name of the kind of problem.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// The file.
    pub file: Arc<SourceFile>,
    /// The bytes of the file's text that are wrong.
    pub span: Range<usize>,
    /// What is wrong: a lower-case fragment with the author's words in backticks.
    pub message: String,
    /// What stands under the caret; may be empty.
    pub label: String,
    /// What to do about it.
    pub help: String,
}

/// A file that was read.
#[derive(Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// How the user would name it.
    pub path: PathBuf,
    /// Its text. Bytes that are not UTF-8 have become U+FFFD.
    pub text: String,
}

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// The file can be used, but should be mended.
    Warning,
}

/// The stable name of a kind of problem, documented in `content/README.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub &'static str);

impl Diagnostic {
    /// The line and the column of the problem's start, both counted from 1; columns are characters.
    pub fn position(&self) -> (usize, usize) {
        let mut start = self.span.start.min(self.file.text.len());
        while !self.file.text.is_char_boundary(start) {
            start -= 1;
        }
        let before = &self.file.text[..start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }
}
