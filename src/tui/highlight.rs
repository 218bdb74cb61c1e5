//! Finds the keywords, strings and names of a Python program, in a thread of its own.
//!
//! Compiling the query takes longer than drawing a screen, so nothing ever waits for this: programs are drawn plain
//! until their highlights arrive. Must not decide colours; that is `theme.rs`.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;
use std::sync::mpsc::{self, Sender};
use std::thread;

use tree_sitter_highlight::{HighlightConfiguration, HighlightEvent, Highlighter};

use crate::tui::theme::Syntax;

/// Programs longer than this many bytes stay plain. Real ones have a few hundred.
const LONGEST: usize = 64 << 10;

/// The parts of one line, as ranges of its bytes, in order and without overlap.
pub type Parts = Vec<(Range<usize>, Syntax)>;

/// A program and the parts of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Highlighted {
    /// The program's text.
    pub source: String,
    /// One entry for each line.
    pub lines: Vec<Parts>,
}

/// Results so far.
#[derive(Debug, Default)]
pub struct Highlights {
    known: HashMap<String, Vec<Parts>>,
    asked: HashSet<String>,
    /// The newest text of a repair that was highlighted.
    draft: Option<Highlighted>,
    /// The newest one that was asked for.
    asked_draft: Option<String>,
}

impl Highlights {
    /// Keeps a result.
    pub fn add(&mut self, result: Highlighted) {
        if self.asked.contains(&result.source) {
            self.known.insert(result.source, result.lines);
        } else {
            self.draft = Some(result);
        }
    }

    /// The parts of the line at `index` of `source`; none while they are unknown.
    pub fn line(&self, source: &str, index: usize) -> &[(Range<usize>, Syntax)] {
        self.known.get(source).and_then(|lines| lines.get(index)).map_or(&[], Vec::as_slice)
    }

    /// Asks `worker` for what is neither known nor asked for.
    pub fn want(&mut self, source: &str, worker: &Worker) {
        if source.len() <= LONGEST && !self.asked.contains(source) {
            self.asked.insert(source.to_owned());
            worker.ask(Ask::Program(source.to_owned()));
        }
    }

    /// Asks `worker` for the text of a repair, which is another one with each key. Only the newest is remembered.
    pub fn want_draft(&mut self, source: &str, worker: &Worker) {
        let asked = self.asked.contains(source) || self.asked_draft.as_deref() == Some(source);
        if source.len() <= LONGEST && !asked {
            self.asked_draft = Some(source.to_owned());
            worker.ask(Ask::Draft(source.to_owned()));
        }
    }

    /// The parts of the text `source` of a repair, as far as they are known. Between a key and its highlights, those of the
    /// text before it stand in, line by line.
    pub fn draft<'a>(&'a self, source: &'a str) -> DraftParts<'a> {
        let lines = |source: &'a str| source.split('\n').collect::<Vec<_>>();
        if let Some(known) = self.known.get(source) {
            return DraftParts { known, old: Vec::new(), start: usize::MAX, shift: 0 };
        }
        let Some(draft) = &self.draft else { return DraftParts { known: &[], old: Vec::new(), start: 0, shift: 0 } };
        let (old, new) = (lines(&draft.source), lines(source));
        let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let shift = isize::try_from(new.len()).unwrap_or(0) - isize::try_from(old.len()).unwrap_or(0);
        DraftParts { known: &draft.lines, old, start, shift }
    }
}

/// The parts of a text, taken from those of a text that was there a moment ago.
pub struct DraftParts<'a> {
    known: &'a [Parts],
    /// The lines of the text that is known.
    old: Vec<&'a str>,
    /// Lines at the start that are the same.
    start: usize,
    /// Lines that the text has more than the known one.
    shift: isize,
}

impl DraftParts<'_> {
    /// The parts of the line `text` at `index`.
    pub fn line(&self, text: &str, index: usize) -> Cow<'_, [(Range<usize>, Syntax)]> {
        let known = |index: usize| self.known.get(index).map_or(&[][..], Vec::as_slice);
        if index < self.start {
            return Cow::Borrowed(known(index));
        }
        let shifted = index.checked_add_signed(-self.shift);
        if let Some(shifted) = shifted.filter(|shifted| self.old.get(*shifted) == Some(&text)) {
            return Cow::Borrowed(known(shifted));
        }
        // The line that is being typed in: what stands before and behind the change looks as it did.
        let Some(old) = self.old.get(index) else { return Cow::Borrowed(&[]) };
        let same = old.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
        let rest = old.len().min(text.len()) - same;
        let tail = old.bytes().rev().zip(text.bytes().rev()).take(rest).take_while(|(a, b)| a == b).count();
        let move_by = isize::try_from(text.len()).unwrap_or(0) - isize::try_from(old.len()).unwrap_or(0);
        let moved = known(index).iter().filter_map(|(part, syntax)| {
            let part = if part.end <= same {
                part.clone()
            } else if part.start >= old.len() - tail {
                part.start.checked_add_signed(move_by)?..part.end.checked_add_signed(move_by)?
            } else {
                return None;
            };
            text.get(part.clone()).map(|_| (part, *syntax))
        });
        Cow::Owned(moved.collect())
    }
}

/// A request for highlights.
enum Ask {
    /// A program of a question.
    Program(String),
    /// The text of a repair. An older one is of no use once there is a newer one.
    Draft(String),
}

/// The thread that highlights.
#[derive(Debug)]
pub struct Worker {
    sources: Sender<Ask>,
}

impl Worker {
    /// Starts the thread; `deliver` is called there with each result. The thread ends when the worker is dropped.
    pub fn start(deliver: impl Fn(Highlighted) + Send + 'static) -> Self {
        let (sources, inbox) = mpsc::channel::<Ask>();
        // Where no thread can be had, programs stay plain.
        let _ = thread::Builder::new().name("highlight".to_owned()).spawn(move || {
            let Some(config) = python() else { return };
            let mut highlighter = Highlighter::new();
            let mut waiting = VecDeque::new();
            while let Some(ask) = waiting.pop_front().or_else(|| inbox.recv().ok()) {
                waiting.extend(inbox.try_iter());
                let source = match ask {
                    Ask::Program(source) => source,
                    Ask::Draft(_) if waiting.iter().any(|later| matches!(later, Ask::Draft(_))) => continue,
                    Ask::Draft(source) => source,
                };
                if let Some(lines) = highlight(&mut highlighter, &config, &source) {
                    deliver(Highlighted { source, lines });
                }
            }
        });
        Self { sources }
    }

    fn ask(&self, source: Ask) {
        // Without a thread nothing arrives, and the program stays plain.
        let _ = self.sources.send(source);
    }
}

/// Capture names of the grammar's query, and what we make of them. A longer name wins over its beginning.
const NAMES: [(&str, Syntax); 10] = [
    ("keyword", Syntax::Keyword),
    ("string", Syntax::String),
    ("number", Syntax::Constant),
    ("constant.builtin", Syntax::Constant),
    ("comment", Syntax::Comment),
    ("function", Syntax::Function),
    ("function.method", Syntax::Function),
    ("function.builtin", Syntax::Function),
    ("type", Syntax::Type),
    ("constructor", Syntax::Type),
];

fn python() -> Option<HighlightConfiguration> {
    let language = tree_sitter_python::LANGUAGE.into();
    let mut config =
        HighlightConfiguration::new(language, "python", tree_sitter_python::HIGHLIGHTS_QUERY, "", "").ok()?;
    config.configure(&NAMES.map(|(name, _)| name));
    Some(config)
}

fn highlight(highlighter: &mut Highlighter, config: &HighlightConfiguration, source: &str) -> Option<Vec<Parts>> {
    let mut lines = vec![Parts::new(); source.split('\n').count()];
    let starts: Vec<usize> =
        std::iter::once(0).chain(source.match_indices('\n').map(|(position, _)| position + 1)).collect();
    let mut open = Vec::new();
    for event in highlighter.highlight(config, source.as_bytes(), None, |_| None).ok()? {
        match event.ok()? {
            HighlightEvent::HighlightStart(highlight) => open.push(NAMES.get(highlight.0).map(|(_, syntax)| *syntax)),
            HighlightEvent::HighlightEnd => {
                open.pop();
            }
            HighlightEvent::Source { start, end } => {
                if let Some(Some(syntax)) = open.last() {
                    add(&mut lines, &starts, source, start..end, *syntax);
                }
            }
        }
    }
    Some(lines)
}

/// Adds a range of the whole text to the lines that it touches.
fn add(lines: &mut [Parts], starts: &[usize], source: &str, range: Range<usize>, syntax: Syntax) {
    let first = starts.partition_point(|start| *start <= range.start).saturating_sub(1);
    for (index, start) in starts.iter().enumerate().skip(first) {
        if *start >= range.end {
            break;
        }
        let end = starts.get(index + 1).map_or(source.len(), |next| next - 1);
        let part = range.start.max(*start) - start..range.end.min(end).saturating_sub(*start);
        if part.start < part.end
            && let Some(line) = lines.get_mut(index)
        {
            line.push((part, syntax));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_line_by_line() {
        let source = "def f(x):\n    return \"\"\"a\nb\"\"\"  # note\n";
        let config = python().unwrap();
        let lines = highlight(&mut Highlighter::new(), &config, source).unwrap();
        let named: Vec<Vec<(&str, Syntax)>> = source
            .split('\n')
            .zip(&lines)
            .map(|(line, parts)| parts.iter().map(|(range, syntax)| (&line[range.clone()], *syntax)).collect())
            .collect();
        assert_eq!(named[0], [("def", Syntax::Keyword), ("f", Syntax::Function)]);
        assert_eq!(named[1], [("return", Syntax::Keyword), ("\"\"\"a", Syntax::String)]);
        assert_eq!(named[2], [("b\"\"\"", Syntax::String), ("# note", Syntax::Comment)]);
    }

    #[test]
    fn a_line_that_is_typed_in_keeps_the_highlights_around_the_change() {
        let config = python().unwrap();
        let source = "def f():\n    return 'a', 1\n\nx = 2\n".to_owned();
        let lines = highlight(&mut Highlighter::new(), &config, &source).unwrap();
        let highlights = Highlights { draft: Some(Highlighted { source, lines }), ..Highlights::default() };
        let seen = |text: &str| {
            let parts = highlights.draft(text);
            let lines = text.split('\n').enumerate();
            let seen = lines.map(|(index, line)| {
                parts
                    .line(line, index)
                    .iter()
                    .map(|(part, _)| line[part.clone()].to_owned())
                    .collect::<Vec<_>>()
                    .join(" ")
            });
            seen.collect::<Vec<_>>()
        };
        assert_eq!(seen("def f():\n    return 'a', 1\n\nx = 2\n"), ["def f", "return 'a' 1", "", "2", ""]);
        assert_eq!(seen("def f():\n    return 'a', y, 1\n\nx = 2\n"), ["def f", "return 'a' 1", "", "2", ""]);
        assert_eq!(seen("def f():\n    return '漢', 1\n\nx = 2\n"), ["def f", "return 1", "", "2", ""]);
        assert_eq!(seen("def f():\n\n    return 'a', 1\n\nx = 2\n"), ["def f", "", "return 'a' 1", "", "2", ""]);
        assert_eq!(seen(""), [""]);
    }

    #[test]
    fn broken_programs_are_no_trouble() {
        let config = python().unwrap();
        for source in ["", "\n", "def (((", "\0\u{202e}é漢", "'''open"] {
            let lines = highlight(&mut Highlighter::new(), &config, source).unwrap();
            assert_eq!(lines.len(), source.split('\n').count());
        }
    }
}
