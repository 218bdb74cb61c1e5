//! Grades picks, and draws the smallest repair as a diff.

use crate::content::question::{LineNo, Question, lines};

/// The grade of a picked line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade<'a> {
    /// An accepted line.
    Right,
    /// A tempting line, and why it is not the bug.
    Near(&'a str),
    /// Another line.
    Wrong,
}

/// Grades `line` as an answer to `question`.
pub fn grade(question: &Question, line: LineNo) -> Grade<'_> {
    let line = question.answer_line(line);
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
