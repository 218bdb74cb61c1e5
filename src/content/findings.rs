//! Collects what is wrong with a question that was read, each finding in its place in the file.
//!
//! Owns the way from a value to the bytes that an author wrote for it: the value, a word in it, a line of a program.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::DeTable;

use crate::content::diagnostic::{Code, Diagnostic, Severity, SourceFile};
use crate::content::locate::{Step, locate};
use crate::content::problems::MOST_PROBLEMS;
use crate::content::question::LineNo;

/// Collects the problems of one question.
pub(super) struct Findings<'a> {
    file: &'a Arc<SourceFile>,
    /// The file, read again when its first problem turns up: a problem has to be shown in its place.
    root: OnceCell<Spanned<DeTable<'a>>>,
    problems: Vec<Diagnostic>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(file: &'a Arc<SourceFile>) -> Self {
        Self { file, root: OnceCell::new(), problems: Vec::new() }
    }

    /// Notes an error at the value that `path` leads to.
    pub(super) fn error(
        &mut self,
        code: Code,
        path: &[Step],
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) {
        if self.problems.len() < MOST_PROBLEMS {
            let span = self.place(path);
            self.push(Severity::Error, code, span, message.into(), help.into()).label = label.into();
        }
    }

    /// Notes a problem at `span`, and hands it out to be completed.
    pub(super) fn push(
        &mut self,
        severity: Severity,
        code: Code,
        span: Range<usize>,
        message: String,
        help: String,
    ) -> &mut Diagnostic {
        let file = self.file.clone();
        let (label, notes) = (String::new(), Vec::new());
        if self.problems.len() >= MOST_PROBLEMS {
            self.problems.pop();
        }
        self.problems.push_mut(Diagnostic { code, severity, file, span, message, label, notes, help })
    }

    /// The bytes of the value that `path` leads to.
    pub(super) fn place(&self, path: &[Step]) -> Range<usize> {
        let root = self.root.get_or_init(|| DeTable::parse_recoverable(&self.file.text).0);
        locate(root, path)
    }

    /// The bytes of `word` in the value that `path` leads to; of the whole value where the word is written otherwise.
    pub(super) fn word(&self, path: &[Step], word: &str) -> Range<usize> {
        self.narrow(self.place(path), word)
    }

    /// The bytes of `word` in those of `whole`; all of them where the word is written otherwise.
    pub(super) fn narrow(&self, whole: Range<usize>, word: &str) -> Range<usize> {
        let written = self.file.text.get(whole.clone()).unwrap_or_default();
        match written.find(word) {
            Some(at) if !word.is_empty() => whole.start + at..whole.start + at + word.len(),
            _ => whole,
        }
    }

    /// The bytes of a line of the program that `path` leads to, without the blanks around it; of the whole program where
    /// it is not written line by line.
    pub(super) fn line(&self, path: &[Step], line: LineNo) -> Range<usize> {
        let whole = self.place(path);
        let written = self.file.text.get(whole.clone()).unwrap_or_default();
        let opening = ["'''", "\"\"\""].into_iter().find(|quotes| written.starts_with(quotes)).map_or(0, str::len);
        if opening == 0 {
            return whole;
        }
        let body = &written[opening..];
        let body = body.strip_prefix('\n').unwrap_or(body);
        let mut start = whole.end - body.len();
        for (index, text) in body.split('\n').enumerate() {
            if index == line.index() {
                let blank = text.len() - text.trim_start().len();
                return start + blank..start + text.trim_end().len().max(blank);
            }
            start += text.len() + 1;
        }
        whole
    }

    /// Whether something makes the question unusable.
    pub(super) fn has_errors(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == Severity::Error)
    }

    /// Whether this kind of problem was noted at the value that `path` leads to.
    pub(super) fn has(&self, code: Code, path: &[Step]) -> bool {
        let found = |problem: &Diagnostic| problem.code == code;
        self.problems.iter().any(found) && {
            let span = self.place(path);
            self.problems.iter().any(|problem| found(problem) && problem.span == span)
        }
    }

    /// The problems, in the order in which they were found.
    pub(super) fn finish(self) -> Vec<Diagnostic> {
        self.problems
    }
}
