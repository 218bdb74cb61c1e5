//! Collects what is wrong with a question that was read, each finding in its place in the file.
//!
//! Finds the bytes that an author wrote for a value, a word in it, or a line of a program.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::DeTable;

use crate::content::diagnostic::{Code, Diagnostic, Severity, SourceFile};
use crate::content::locate::{Step, locate};
use crate::content::problems::{MOST_PROBLEMS, too_many};
use crate::content::question::LineNo;

/// Collects the problems of one question.
pub(crate) struct Findings<'a> {
    file: &'a Arc<SourceFile>,
    /// The file, read again when its first problem turns up: a problem has to be shown in its place.
    root: OnceCell<Spanned<DeTable<'a>>>,
    problems: Vec<Diagnostic>,
    /// How many errors and how many warnings found no place among them.
    dropped: (usize, usize),
    /// A problem that is not listed, for its caller to complete.
    unlisted: Option<Diagnostic>,
}

impl<'a> Findings<'a> {
    pub(crate) fn new(file: &'a Arc<SourceFile>) -> Self {
        Self { file, root: OnceCell::new(), problems: Vec::new(), dropped: (0, 0), unlisted: None }
    }

    /// Notes an error at the value that `path` leads to.
    pub(crate) fn error(
        &mut self,
        code: Code,
        path: &[Step],
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) {
        let span = self.place(path);
        self.push(Severity::Error, code, span, message.into(), help.into()).label = label.into();
    }

    /// Notes a problem at `span`, and hands it out to be completed. Where there are too many, an error takes the place of a
    /// warning and never of an error; what has no place is counted.
    pub(crate) fn push(
        &mut self,
        severity: Severity,
        code: Code,
        span: Range<usize>,
        message: String,
        help: String,
    ) -> &mut Diagnostic {
        let file = self.file.clone();
        let (label, notes) = (String::new(), Vec::new());
        let problem = Diagnostic { code, severity, file, span, message, label, notes, help };
        if !self.has_room(severity) {
            match severity {
                Severity::Error => self.dropped.0 += 1,
                Severity::Warning | Severity::Note => self.dropped.1 += 1,
            }
            return self.unlisted.insert(problem);
        }
        if self.problems.len() >= MOST_PROBLEMS
            && let Some(last) = self.last_warning()
        {
            self.problems.remove(last);
            self.dropped.1 += 1;
        }
        self.problems.push_mut(problem)
    }

    /// Whether a problem that is noted now will be listed.
    pub(crate) fn has_room(&self, severity: Severity) -> bool {
        self.problems.len() < MOST_PROBLEMS || severity == Severity::Error && self.last_warning().is_some()
    }

    fn last_warning(&self) -> Option<usize> {
        self.problems.iter().rposition(|problem| problem.severity != Severity::Error)
    }

    /// The bytes of the value that `path` leads to.
    pub(crate) fn place(&self, path: &[Step]) -> Range<usize> {
        let root = self.root.get_or_init(|| DeTable::parse_recoverable(&self.file.text).0);
        locate(root, path)
    }

    /// The bytes of `word` in the value that `path` leads to; of the whole value where the word is written otherwise.
    pub(crate) fn word(&self, path: &[Step], word: &str) -> Range<usize> {
        self.narrow(self.place(path), word)
    }

    /// The bytes of `word` in those of `whole`; all of them where the word is written otherwise. `bug` in `debug(bug)` is the
    /// second one, which stands by itself.
    pub(crate) fn narrow(&self, whole: Range<usize>, word: &str) -> Range<usize> {
        let written = self.file.text.get(whole.clone()).unwrap_or_default();
        match first_word(written, word) {
            Some(at) => whole.start + at..whole.start + at + word.len(),
            None => whole,
        }
    }

    /// The bytes of a line of the program that `path` leads to, without the blanks around it; of the whole program where
    /// it is not written line by line.
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

    /// Whether this kind of problem was noted at the value that `path` leads to.
    pub(crate) fn has(&self, code: Code, path: &[Step]) -> bool {
        let found = |problem: &Diagnostic| problem.code == code;
        self.problems.iter().any(found) && {
            let span = self.place(path);
            self.problems.iter().any(|problem| found(problem) && problem.span == span)
        }
    }

    /// The problems, in the order in which they were found; the last says how many are not listed.
    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        let Self { file, mut problems, dropped: (errors, warnings), .. } = self;
        if errors + warnings > 0 {
            let severity = if errors > 0 { Severity::Error } else { Severity::Warning };
            problems.push(too_many(file.clone(), severity, errors + warnings));
        }
        problems
    }
}

/// Where `word` begins in `text`: the first time that no letter or digit goes on at its ends, or else the first time.
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
    use crate::content::diagnostic::codes;
    use crate::content::read;

    fn found(severities: &[(Severity, usize)]) -> Vec<(Severity, Code, String)> {
        let file = read::source(Path::new("x.toml"), "a = 1\n");
        let mut findings = Findings::new(&file);
        for (severity, count) in severities {
            for number in 0..*count {
                let message = format!("{number}");
                findings.push(*severity, codes::SPELLING, 0..1, message, String::new()).notes = vec!["n".to_owned()];
            }
        }
        findings.finish().into_iter().map(|it| (it.severity, it.code, it.message)).collect()
    }

    #[test]
    fn a_word_is_found_where_it_stands_by_itself() {
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
