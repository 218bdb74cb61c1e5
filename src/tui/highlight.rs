//! Finds the keywords, strings and names of a Python program, in a thread of its own.
//!
//! Compiling the query takes longer than drawing a screen, so nothing ever waits for this: programs are drawn plain
//! until their highlights arrive. Must not decide colours; that is `theme.rs`.

use std::collections::{HashMap, HashSet};
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

/// What is known so far.
#[derive(Debug, Default)]
pub struct Highlights {
    known: HashMap<String, Vec<Parts>>,
    asked: HashSet<String>,
}

impl Highlights {
    /// Keeps a result.
    pub fn add(&mut self, result: Highlighted) {
        self.known.insert(result.source, result.lines);
    }

    /// The parts of the line at `index` of `source`; none while they are unknown.
    pub fn line(&self, source: &str, index: usize) -> &[(Range<usize>, Syntax)] {
        self.known.get(source).and_then(|lines| lines.get(index)).map_or(&[], Vec::as_slice)
    }

    /// Asks `worker` for what is neither known nor asked for.
    pub fn want(&mut self, source: &str, worker: &Worker) {
        if source.len() <= LONGEST && !self.asked.contains(source) {
            self.asked.insert(source.to_owned());
            worker.ask(source.to_owned());
        }
    }
}

/// The thread that highlights.
#[derive(Debug)]
pub struct Worker {
    sources: Sender<String>,
}

impl Worker {
    /// Starts the thread; `deliver` is called there with each result. The thread ends when the worker is dropped.
    pub fn start(deliver: impl Fn(Highlighted) + Send + 'static) -> Self {
        let (sources, inbox) = mpsc::channel::<String>();
        // Where no thread can be had, programs stay plain.
        let _ = thread::Builder::new().name("highlight".to_owned()).spawn(move || {
            let Some(config) = python() else { return };
            let mut highlighter = Highlighter::new();
            for source in inbox {
                if let Some(lines) = highlight(&mut highlighter, &config, &source) {
                    deliver(Highlighted { source, lines });
                }
            }
        });
        Self { sources }
    }

    fn ask(&self, source: String) {
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
    fn broken_programs_are_no_trouble() {
        let config = python().unwrap();
        for source in ["", "\n", "def (((", "\0\u{202e}é漢", "'''open"] {
            let lines = highlight(&mut Highlighter::new(), &config, source).unwrap();
            assert_eq!(lines.len(), source.split('\n').count());
        }
    }
}
