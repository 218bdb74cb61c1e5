//! Grades picks, draws the smallest repair as a diff, and compares two runs.

use crate::content::question::{LineNo, Question, lines};
use crate::runner::recording::Recording;
use crate::runner::{Stream, Verdict};

/// What a picked line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade<'a> {
    /// An accepted line.
    Right,
    /// A tempting line, and why it is not the bug.
    Near(&'a str),
    /// Another line.
    Wrong,
}

/// What `line` is worth as an answer to `question`.
pub fn grade(question: &Question, line: LineNo) -> Grade<'_> {
    if question.accepts(line) {
        return Grade::Right;
    }
    question.near(line).map_or(Grade::Wrong, Grade::Near)
}

/// A line of the buggy program beside its repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffLine<'a> {
    /// Stays as it is.
    Kept {
        /// Its number.
        line: LineNo,
        /// Its text.
        text: &'a str,
    },
    /// Goes.
    Removed {
        /// Its number.
        line: LineNo,
        /// Its text.
        text: &'a str,
    },
    /// Comes.
    Added {
        /// Its text.
        text: &'a str,
    },
}

/// The smallest repair as a diff over the whole buggy program. A repair that repeats the line that it replaces inserts
/// around it, and the line counts as kept.
pub fn repair_diff(question: &Question) -> Vec<DiffLine<'_>> {
    let mut diff = Vec::new();
    for (index, text) in lines(&question.spot.code).into_iter().enumerate() {
        let line = LineNo::from_index(index);
        let Some(repair) = question.spot.repairs.iter().find(|repair| repair.line == line) else {
            diff.push(DiffLine::Kept { line, text });
            continue;
        };
        if repair.with.is_empty() {
            diff.push(DiffLine::Removed { line, text });
            continue;
        }
        let new = lines(&repair.with);
        let kept = new.iter().position(|added| *added == text);
        if kept.is_none() {
            diff.push(DiffLine::Removed { line, text });
        }
        for (position, added) in new.into_iter().enumerate() {
            diff.push(if Some(position) == kept {
                DiffLine::Kept { line, text }
            } else {
                DiffLine::Added { text: added }
            });
        }
    }
    diff
}

/// Longest piece of output that a sentence quotes, in characters.
const QUOTED: usize = 40;

/// One sentence that says how two finished runs differ, as inline Markdown; `None` while one of them is missing or still
/// runs. The quoted output is the programs' own and not yet safe to draw.
pub fn difference(buggy: Option<&Recording>, fixed: Option<&Recording>) -> Option<Vec<Said>> {
    let (buggy, fixed) = (buggy?, fixed?);
    let (end, fixed_end) = (buggy.ending.as_ref()?, fixed.ending.as_ref()?);
    let text = |text: &str| Said::Words(text.to_owned());
    let one = written(buggy);
    let other = written(fixed);
    if end.verdict == Verdict::Stopped || fixed_end.verdict == Verdict::Stopped {
        return Some(vec![text("A run was stopped, so there is nothing to compare.")]);
    }
    if end.verdict != fixed_end.verdict {
        let sentence =
            format!("The buggy program {}, the fixed program {}.", verb(end.verdict), verb(fixed_end.verdict));
        return Some(vec![text(&sentence)]);
    }
    let differing = one.iter().zip(&other).position(|(a, b)| a != b);
    let index = match differing {
        Some(index) => index,
        None if one.len() == other.len() => {
            return Some(vec![text("Both programs print the same, and end the same way.")]);
        }
        None => one.len().min(other.len()),
    };
    let place = if one.len() <= 1 && other.len() <= 1 {
        String::new()
    } else {
        format!("In line {} of the output ", index + 1)
    };
    let subject = if place.is_empty() { "The buggy program prints " } else { "the buggy program prints " };
    let mut said = vec![text(&format!("{place}{subject}"))];
    said.push(quoted(one.get(index)));
    said.push(text(", the fixed program "));
    said.push(quoted(other.get(index)));
    said.push(text("."));
    Some(said)
}

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Our own words.
    Words(String),
    /// What a program wrote: hostile until it is made safe.
    Output(String),
}

fn quoted(line: Option<&String>) -> Said {
    match line {
        None => Said::Words("nothing".to_owned()),
        Some(line) if line.is_empty() => Said::Words("an empty line".to_owned()),
        Some(line) if line.chars().count() > QUOTED => {
            Said::Output(line.chars().take(QUOTED - 1).chain(std::iter::once('…')).collect())
        }
        Some(line) => Said::Output(line.clone()),
    }
}

/// The lines of standard output.
fn written(run: &Recording) -> Vec<String> {
    let whole = run.text(Stream::Stdout);
    if whole.is_empty() { Vec::new() } else { lines(&whole).into_iter().map(str::to_owned).collect() }
}

/// What a program with this verdict does, for a sentence.
fn verb(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Finished => "comes to its end",
        Verdict::Raised => "ends with an exception",
        Verdict::TimedOut => "runs out of time",
        Verdict::OutOfMemory => "runs out of memory",
        Verdict::OutputTooLong => "writes more than is kept",
        Verdict::Crashed => "crashes the interpreter",
        Verdict::Refused => "was not run",
        Verdict::MachineryFailed => "could not be run",
        Verdict::Stopped => "was stopped",
        Verdict::Tampered => "reaches into the interpreter that checks it",
    }
}
