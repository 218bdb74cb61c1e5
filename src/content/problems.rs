//! Collects the problems of one file, up to a number that a person can read.
//!
//! Finds the bytes that an author wrote for a value, a word in it, or a line of a program.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use crate::content::diagnostic::{Code, Diagnostic, Severity, SourceFile, codes};
use crate::content::locate::{Place, Step};
use crate::content::question::LineNo;

/// Most problems that are listed for one file.
pub(crate) const MOST_PROBLEMS: usize = 100;

/// Collects the problems of one file.
pub(crate) struct Problems {
    pub(crate) file: Arc<SourceFile>,
    /// The positions of all values, found when the first problem needs one: most files have none.
    places: OnceCell<Place>,
    found: RefCell<Vec<Diagnostic>>,
    /// Places where the parser refused something.
    refused: RefCell<BTreeSet<usize>>,
    /// The lines of those, each by its start.
    refused_lines: RefCell<BTreeMap<usize, usize>>,
    /// Errors and warnings that are not listed.
    dropped: Cell<(usize, usize)>,
}

impl Problems {
    pub(crate) fn new(file: Arc<SourceFile>) -> Self {
        Self {
            file,
            places: OnceCell::new(),
            found: RefCell::default(),
            refused: RefCell::default(),
            refused_lines: RefCell::default(),
            dropped: Cell::default(),
        }
    }

    /// The number of problems so far, with those that are not listed.
    pub(crate) fn count(&self) -> usize {
        let (errors, warnings) = self.dropped.get();
        self.found.borrow().len() + errors + warnings
    }

    pub(crate) fn error(
        &self,
        code: Code,
        span: Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) {
        let problem = Diagnostic::new(Severity::Error, code, &self.file, span, message, help);
        self.add(Diagnostic { label: label.into(), ..problem });
    }

    pub(crate) fn push(
        &self,
        severity: Severity,
        code: Code,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.add(Diagnostic::new(severity, code, &self.file, span, message, help));
    }

    /// Adds a problem. Above the limit, an error replaces a warning, and anything else is only counted.
    pub(crate) fn add(&self, problem: Diagnostic) {
        let mut found = self.found.borrow_mut();
        let unlisted;
        if found.len() < MOST_PROBLEMS {
            unlisted = None;
            found.push(problem);
        } else if problem.severity == Severity::Error
            && let Some(last) = found.iter().rposition(|it| it.severity != Severity::Error)
        {
            unlisted = Some(found.remove(last));
            found.push(problem);
        } else {
            unlisted = Some(problem);
        }
        let (errors, warnings) = self.dropped.get();
        self.dropped.set(match unlisted.map(|it| it.severity) {
            None => (errors, warnings),
            Some(Severity::Error) => (errors + 1, warnings),
            Some(Severity::Warning | Severity::Note) => (errors, warnings + 1),
        });
    }

    /// True if this kind of problem was found at the value that `path` leads to.
    pub(crate) fn has(&self, code: Code, path: &[Step]) -> bool {
        self.found.borrow().iter().any(|problem| problem.code == code && problem.span == self.place(path))
    }

    /// Adds the problems of a piece of the file, which begins at byte `start`.
    pub(crate) fn adopt(&self, piece: Self, start: usize) {
        for problem in piece.found.into_inner() {
            let span = problem.span.start + start..problem.span.end + start;
            self.add(Diagnostic { span, file: self.file.clone(), ..problem });
        }
        let ((errors, warnings), (more_errors, more_warnings)) = (self.dropped.get(), piece.dropped.get());
        self.dropped.set((errors + more_errors, warnings + more_warnings));
    }

    /// Notes a place where the parser refused something. Values there are not judged again.
    pub(crate) fn refuse(&self, at: usize) {
        self.refused.borrow_mut().insert(at);
    }

    /// Notes a line in which the parser refused something.
    pub(crate) fn refuse_line(&self, line: Range<usize>) {
        self.refused_lines.borrow_mut().insert(line.start, line.end);
    }

    /// True if the parser refused something in `value`, in the line where it begins, or in the line of its key.
    pub(crate) fn is_refused(&self, key: usize, value: &Range<usize>) -> bool {
        let lines = self.refused_lines.borrow();
        let in_line = |at: usize| lines.range(..=at).next_back().is_some_and(|(_, end)| at <= *end);
        in_line(key)
            || in_line(value.start)
            || !value.is_empty() && self.refused.borrow().range(value.clone()).next().is_some()
    }

    /// The bytes of the value that `path` leads to.
    pub(crate) fn place(&self, path: &[Step]) -> Range<usize> {
        self.places.get_or_init(|| Place::of_file(&self.file.text)).find(path)
    }

    /// The bytes of `word` in the value that `path` leads to, or of the whole value if the word is not there as written.
    pub(crate) fn word(&self, path: &[Step], word: &str) -> Range<usize> {
        self.narrow(self.place(path), word)
    }

    /// The bytes of `word` in those of `whole`, or all of them if it is not there. `bug` in `debug(bug)` is the second one,
    /// which is a word of its own.
    pub(crate) fn narrow(&self, whole: Range<usize>, word: &str) -> Range<usize> {
        let written = self.file.text.get(whole.clone()).unwrap_or_default();
        match first_word(written, word) {
            Some(at) => whole.start + at..whole.start + at + word.len(),
            None => whole,
        }
    }

    /// The bytes of a line of the program that `path` leads to, without the blanks around it; of the whole program if it is
    /// not written line by line.
    pub(crate) fn line(&self, path: &[Step], line: LineNo) -> Range<usize> {
        let whole = self.place(path);
        let written = self.file.text.get(whole.clone()).unwrap_or_default();
        let opening = ["'''", "\"\"\""].into_iter().find(|quotes| written.starts_with(quotes)).map_or(0, str::len);
        if opening == 0 {
            return whole;
        }
        let body = written.get(opening..).unwrap_or_default();
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

    /// The problems in the order of the file; the last one gives the number of those that are not listed.
    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        let mut found = self.found.into_inner();
        found.sort_by_key(|problem| (problem.span.start, problem.span.end));
        let (errors, warnings) = self.dropped.get();
        let dropped = errors + warnings;
        if dropped > 0 {
            let severity = if errors > 0 { Severity::Error } else { Severity::Warning };
            let (problems, are) = if dropped == 1 { ("problem", "is") } else { ("problems", "are") };
            let message = format!("{dropped} more {problems} in this file {are} not listed");
            let end = self.file.text.len();
            let help = "fix the ones above first";
            found.push(Diagnostic::new(severity, codes::TOO_MANY, &self.file, end..end, message, help));
        }
        found
    }
}

/// The first place of `word` in `text` with no letter or digit around it, or else its first place.
fn first_word(text: &str, word: &str) -> Option<usize> {
    let goes_on = |inside: Option<char>, outside: Option<char>| {
        let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        part(inside) && part(outside)
    };
    let whole = |at: &usize| {
        let before = text.get(..*at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + word.len()..).and_then(|behind| behind.chars().next());
        !goes_on(word.chars().next(), before) && !goes_on(word.chars().next_back(), behind)
    };
    let mut places = text.match_indices(word).map(|(at, _)| at).filter(|_| !word.is_empty());
    places.clone().find(whole).or_else(|| places.next())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::content::read;

    fn found(severities: &[(Severity, usize)]) -> Vec<(Severity, Code, String)> {
        let file = read::source(Path::new("x.toml"), "a = 1\n");
        let problems = Problems::new(file);
        for (severity, count) in severities {
            for number in 0..*count {
                let message = format!("{number}");
                problems.push(*severity, codes::SPELLING, 0..1, message, "");
            }
        }
        problems.finish().into_iter().map(|it| (it.severity, it.code, it.message)).collect()
    }

    #[test]
    fn a_whole_word_is_found_first() {
        for (text, word, at) in [
            ("debug(bug)", "bug", Some(6)),
            ("line 14, line 1.", "line 1", Some(9)),
            ("a_bug", "bug", Some(2)),
            ("é bug", "bug", Some(3)),
            ("x", "bug", None),
            ("x", "", None),
        ] {
            assert_eq!(first_word(text, word), at, "{text}");
        }
    }

    #[test]
    fn no_error_is_lost_among_many_warnings() {
        let all = found(&[(Severity::Warning, 100), (Severity::Error, 2), (Severity::Warning, 5)]);
        assert_eq!(all.len(), MOST_PROBLEMS + 1);
        assert_eq!(all.iter().filter(|it| it.0 == Severity::Error).count(), 2);
        let last = (Severity::Warning, codes::TOO_MANY, "7 more problems in this file are not listed".to_owned());
        assert_eq!(all.last(), Some(&last));
    }

    #[test]
    fn errors_that_are_not_listed_are_counted_as_errors() {
        let all = found(&[(Severity::Error, 101), (Severity::Warning, 1)]);
        assert_eq!(all.get(99), Some(&(Severity::Error, codes::SPELLING, "99".to_owned())));
        let last = (Severity::Error, codes::TOO_MANY, "2 more problems in this file are not listed".to_owned());
        assert_eq!(all.last(), Some(&last));
        let one = found(&[(Severity::Warning, 101)]);
        assert_eq!(one.last().map(|it| it.2.as_str()), Some("1 more problem in this file is not listed"));
        assert_eq!(found(&[(Severity::Warning, 100)]).len(), MOST_PROBLEMS);
    }
}
