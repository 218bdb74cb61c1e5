//! Collects the problems of one file, in the order of the file and up to a number that a person can read.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::Arc;

use crate::content::diagnostic::{Code, Diagnostic, Severity, SourceFile, codes};
use crate::content::lookalike;

/// Most problems that are listed for one file.
pub(crate) const MOST_PROBLEMS: usize = 100;

/// Collects the problems of one file.
pub(crate) struct Problems {
    file: Arc<SourceFile>,
    found: RefCell<Vec<Diagnostic>>,
    dropped: Cell<usize>,
}

impl Problems {
    pub(crate) fn new(file: Arc<SourceFile>) -> Self {
        Self { file, found: RefCell::default(), dropped: Cell::new(0) }
    }

    /// The text of the file.
    pub(crate) fn text(&self) -> &str {
        &self.file.text
    }

    /// How many were noted, also beyond those that are listed.
    pub(crate) fn count(&self) -> usize {
        self.found.borrow().len() + self.dropped.get()
    }

    /// Notes an error.
    pub(crate) fn error(
        &self,
        code: Code,
        span: Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.add(Diagnostic {
            code,
            severity: Severity::Error,
            file: self.file.clone(),
            span,
            message: message.into(),
            label: label.into(),
            notes: Vec::new(),
            help: help.into(),
        });
    }

    fn add(&self, problem: Diagnostic) {
        let mut found = self.found.borrow_mut();
        if found.len() < MOST_PROBLEMS {
            found.push(problem);
        } else {
            self.dropped.set(self.dropped.get() + 1);
        }
    }

    /// Takes over the problems of a piece of the file, which begins at byte `start`.
    pub(crate) fn adopt(&self, piece: Self, start: usize) {
        for problem in piece.found.into_inner() {
            let span = problem.span.start + start..problem.span.end + start;
            self.add(Diagnostic { span, file: self.file.clone(), ..problem });
        }
        self.dropped.set(self.dropped.get() + piece.dropped.get());
    }

    /// Notes what is not TOML. What follows a mistake in its line is most often its echo, so that only the first one of a
    /// line is kept.
    pub(crate) fn syntax(&self, errors: &[toml::de::Error], help: &str) {
        let text = &self.file.text;
        let mut seen = 0..0;
        for error in errors {
            let span = error.span().unwrap_or(text.len()..text.len());
            if seen.contains(&span.start) {
                continue;
            }
            let start = text.get(..span.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
            let end =
                text.get(span.start..).and_then(|after| after.find('\n')).map_or(text.len(), |at| span.start + at);
            seen = start..end + 1;
            let message = format!("not valid TOML: {}", error.message().replace('\n', "; "));
            if error.message().contains("duplicate key") {
                self.error(codes::SYNTAX, span, message, "", "remove one of the two");
            } else if let Some(found) = text.get(start..end).and_then(lookalike::first) {
                let at = start + found.at;
                self.error(codes::SYNTAX, at..at + found.character.len_utf8(), message, "", found.help());
            } else {
                self.error(codes::SYNTAX, span, message, "", help);
            }
        }
    }

    /// The problems in the order of the file.
    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        let mut found = self.found.into_inner();
        found.sort_by_key(|problem| (problem.span.start, problem.span.end));
        if self.dropped.get() > 0 {
            found.push(too_many(self.file, Severity::Error, self.dropped.get()));
        }
        found
    }
}

/// Says that so many problems of a file are not listed, at its end.
pub(crate) fn too_many(file: Arc<SourceFile>, severity: Severity, dropped: usize) -> Diagnostic {
    let (problems, are) = if dropped == 1 { ("problem", "is") } else { ("problems", "are") };
    let end = file.text.len();
    Diagnostic {
        code: codes::TOO_MANY,
        severity,
        file,
        span: end..end,
        message: format!("{dropped} more {problems} in this file {are} not listed"),
        label: String::new(),
        notes: Vec::new(),
        help: "fix the ones above first".into(),
    }
}
