//! Sentences that screens, plain mode, reports and diagnostics share.

use std::borrow::Cow;

use crate::content::question::{Ask, lines};
use crate::quiz::align::Relation;
use crate::quiz::program::Program;
use crate::quiz::steps::Missed;
use crate::quiz::trace::Way;
use crate::runner::recording::Recording;
use crate::runner::{Evaluated, Stream, TraceLimit, Verdict};

/// Says why no run of the fixed program is shown.
pub const FIXED_RUN_IS_CLOSED: &str =
    "The fixed program joins in once the line is found or given up in the stage Spot.";

/// Says why the fixed program is not shown.
pub const FIXED_IS_CLOSED: &str = "The fixed program opens once the line is found or given up in the stage Spot.";

/// Says why the model answer is not shown.
pub const MODEL_ANSWER_IS_CLOSED: &str =
    "The model answer names the bug, so it stays closed until the line is found or given up in the stage Spot.";

/// Says why the stage Learn is closed.
pub const LEARN_IS_CLOSED: &str =
    "The stage Learn explains the bug, so it stays closed until the line is found or given up in the stage Spot.";

/// Says why the stage Fix shows nothing yet.
pub const REPAIRS_ARE_UNREAD: &str = "What you wrote here before is still being read.";

/// Marks the row of the timeline in which the programs part.
pub const THEY_PART_HERE: &str = "The programs part here.";

/// Says what a question about a gap asks for.
pub const PICK_A_GAP: &str = "Pick the line after which a step is missing.";

/// The line that a question asks for.
pub fn asked(ask: Ask) -> &'static str {
    match ask {
        Ask::Line => "the line with the bug",
        Ask::Gap => "the line after which a step is missing",
    }
}

/// Says that `place`, such as "line 8", is the answer.
pub fn is_the_answer(ask: Ask, place: &str) -> String {
    match ask {
        Ask::Line => format!("{place} is the bug"),
        Ask::Gap => format!("the step is missing after {place}"),
    }
}

/// Says that `place` is not the answer.
pub fn is_not_the_answer(ask: Ask, place: &str) -> String {
    match ask {
        Ask::Line => format!("{place} is not the bug"),
        Ask::Gap => format!("no step is missing after {place}"),
    }
}

/// The program, as part of a sentence: "the {} program".
pub fn program(program: Program) -> &'static str {
    match program {
        Program::Buggy => "buggy",
        Program::Fixed => "fixed",
    }
}

/// The program, as a heading.
pub fn heading(program: Program) -> &'static str {
    match program {
        Program::Buggy => "Buggy program",
        Program::Fixed => "Fixed program",
    }
}

/// A verdict in words: "timed out".
pub fn verdict(verdict: Verdict) -> String {
    verdict.word().replace('_', " ")
}

/// Says where the programs part in a timeline that was played to its end: in the row `parts_at`, counted from 0, or nowhere
/// once `both` have been through it.
pub fn parting(parts_at: Option<usize>, both: bool) -> Option<String> {
    match parts_at {
        Some(row) => Some(format!("The programs part in row {}.", row + 1)),
        None => both.then(|| "The programs do not part.".to_owned()),
    }
}

/// Says why the fixed program waits.
pub fn waits(relation: Option<Relation>) -> Option<&'static str> {
    match relation? {
        Relation::Same => None,
        Relation::NoSuchLine => Some("The fixed program waits: it has no line like this one."),
        Relation::NotSoOften => Some("The fixed program waits: it does not come here again."),
    }
}

/// A motion that found nothing, without the full stop.
pub fn missed(missed: &Missed) -> String {
    let side = |way: &Way| match way {
        Way::On => "later",
        Way::Back => "earlier",
    };
    match missed {
        Missed::Call(way) => format!("There is no {} call", side(way)),
        Missed::Return(way) => format!("There is no {} return", side(way)),
        Missed::Line(line, way) => format!("There is no {} visit of line {line}", side(way)),
        Missed::Change(name, way) => format!("There is no {} change of {name}", side(way)),
        Missed::NoLine(line) => format!("There is no line {line}"),
        Missed::Fixed => FIXED_IS_CLOSED.trim_end_matches('.').to_owned(),
    }
}

/// Says why a trace ends before its program.
pub fn trace_limit(limit: TraceLimit) -> String {
    let limit = match limit {
        TraceLimit::Steps => "no more steps are kept",
        TraceLimit::Bytes => "no more room is kept for values",
    };
    format!("The trace stops here: {limit}. The program went on without it.")
}

/// A value, or the exception that came instead, for a sentence. Not yet safe to draw.
pub fn value(value: &Evaluated) -> Cow<'_, str> {
    if value.raised { Cow::Owned(format!("raised {}", value.text)) } else { Cow::Borrowed(&value.text) }
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
    /// Output of a program: hostile until it is made safe.
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

fn written(run: &Recording) -> Vec<String> {
    let whole = run.text(Stream::Stdout);
    if whole.is_empty() { Vec::new() } else { lines(&whole).into_iter().map(str::to_owned).collect() }
}

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
