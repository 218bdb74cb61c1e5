//! Describes programs, their runs and their checks: the buggy one, the fixed one, and the learner's own.
//!
//! Each line that a program or a check wrote says whose it is, so that none passes for the tutor's word.

use std::fmt::Write as _;

use crate::content::question::{LineNo, lines};
use crate::quiz::Sitting;
use crate::quiz::describe::{self, Said, difference};
use crate::quiz::diff::diff;
use crate::quiz::grade::DiffLine;
use crate::quiz::repair::RepairState;
use crate::quiz::state::Program;
use crate::runner::recording::Recording;
use crate::runner::{CheckOutcome, CheckResult, Chunk, Stream, Verdict};
use crate::text::{self, counted};

/// A line of the program in words.
pub fn line(code: &str, number: LineNo) -> Option<String> {
    let all = lines(code);
    all.get(number.index()).map(|text| line_words(number, all.len(), text))
}

/// Every line of a program.
pub fn program(out: &mut String, code: &str) {
    let all = lines(code);
    for (index, text) in all.iter().enumerate() {
        out.push_str(&line_words(LineNo::from_index(index), all.len(), text));
    }
}

/// Indentation means something in Python, so it is said and not left to blanks that a reader passes over.
pub fn indent(text: &str) -> String {
    match text.chars().count() - text.trim_start().chars().count() {
        0 => String::new(),
        indent => format!(", indent {indent}"),
    }
}

fn line_words(number: LineNo, of: usize, text: &str) -> String {
    match text.trim() {
        "" => format!("Line {number} of {of}: empty.\n"),
        code => format!("Line {number} of {of}{}: {code}\n", indent(text)),
    }
}

/// The lines that go and come.
pub fn changes(out: &mut String, diff: &[DiffLine<'_>]) {
    let mut behind = 0;
    for change in diff {
        let words = |text: &str| match text.trim() {
            "" => ": an empty line.".to_owned(),
            code => format!("{}: {code}", indent(text)),
        };
        match change {
            DiffLine::Kept { line, .. } => behind = line.get(),
            DiffLine::Removed { line, text } => {
                behind = line.get();
                let _ = writeln!(out, "Removed, line {line}{}", words(text));
            }
            DiffLine::Added { text } => {
                let place = if behind == 0 { "before line 1".to_owned() } else { format!("after line {behind}") };
                let _ = writeln!(out, "Added, {place}{}", words(text));
            }
        }
    }
}

/// Describes the runs of the programs.
pub fn runs(sitting: &Sitting) -> String {
    let mut out = String::new();
    let predicted = sitting.prediction_result().map(|result| result.said).unwrap_or_default();
    for program in Program::ALL {
        if let Some(run) = sitting.run(program) {
            ran(&mut out, &format!("The {} program", describe::program(program)), run);
        }
    }
    for said in [predicted, difference(sitting.run(Program::Buggy), sitting.run(Program::Fixed)).unwrap_or_default()] {
        sentence(&mut out, &said);
    }
    if !sitting.is_answered() {
        let _ = writeln!(out, "{}", describe::FIXED_RUN_IS_CLOSED);
    }
    if sitting.question().scenario.is_some() {
        out.push_str("`timeline` tells the scenario, one row at a time.\n");
    }
    out
}

/// A sentence with parts of an output in it.
pub fn sentence(out: &mut String, said: &[Said]) {
    for piece in said {
        match piece {
            Said::Words(words) => out.push_str(words),
            Said::Output(output) => {
                let _ = write!(out, "`{}`", text::line(output));
            }
        }
    }
    if !said.is_empty() {
        out.push('\n');
    }
}

fn ran(out: &mut String, name: &str, run: &Recording) {
    let Some(ending) = run.ending() else { return };
    let engine = &ending.engine;
    let _ = writeln!(
        out,
        "{name}: {}. It ran on {}, Python {}, sandbox {}.",
        text::line(ending.detail.trim_end_matches('.')),
        engine.name,
        engine.python,
        engine.sandbox
    );
    if run.output.is_empty() {
        let _ = writeln!(out, "{name} printed nothing.");
    }
    printed(out, name, &run.output);
}

/// Output of the program `name`, line by line.
pub fn printed(out: &mut String, name: &str, chunks: &[Chunk]) {
    for chunk in chunks {
        let stream = if chunk.stream == Stream::Stdout { "printed" } else { "printed to standard error" };
        for line in text::raw_lines(&chunk.text) {
            let line = if line.is_empty() { "an empty line" } else { line };
            let _ = writeln!(out, "{name} {stream}: {line}");
        }
    }
}

/// Describes how the learner's program differs from the buggy one.
pub fn own_changes(sitting: &Sitting) -> String {
    let (question, repair) = (sitting.question(), sitting.repair());
    if !repair.is_changed(question) {
        return "Your program is the buggy program so far.\n".to_owned();
    }
    let mut out = String::from("Your program differs from the buggy one:\n");
    changes(&mut out, &diff(&question.spot.code, repair.text()));
    out
}

/// Describes the results of the checks.
pub fn checked(sitting: &Sitting) -> String {
    let (question, repair) = (sitting.question(), sitting.repair());
    let Some(checked) = repair.checked() else { return String::new() };
    let mut out = String::new();
    ran(&mut out, "Your program", checked.recording());
    let of = question.checks.len();
    for (index, CheckResult { name, result, message, .. }) in checked.results().iter().enumerate() {
        let result = match result {
            CheckOutcome::Passed => "passed",
            CheckOutcome::Failed => "failed",
            CheckOutcome::Error => "could not be decided",
            CheckOutcome::TimedOut => "ran out of time",
        };
        let number = index + 1;
        let mut said = text::raw_lines(message);
        let message = match (said.next(), said.next()) {
            (None, _) => String::new(),
            (Some(line), None) => format!(": {line}"),
            (Some(_), Some(_)) => {
                let lines = text::raw_lines(message);
                lines.fold(":".to_owned(), |out, line| format!("{out}\nCheck {number} says: {line}"))
            }
        };
        let _ = writeln!(out, "Check {number} of {of} {result}. {}{message}", text::line(name));
    }
    out.push_str(&match repair.state(question) {
        RepairState::Untried | RepairState::Running => String::new(),
        RepairState::Passed if sitting.is_answered() => {
            "Every check passed: the bug is gone. `read fixed` reads the fixed program.\n".to_owned()
        }
        RepairState::Passed => "Every check passed: the bug is gone.\n".to_owned(),
        RepairState::Failed { of: 0, .. } => "This question has no checks.\n".to_owned(),
        RepairState::Failed { failed, of } => format!("{failed} of {} did not pass.\n", counted(of, "check")),
        RepairState::Ended(Verdict::Tampered) => {
            "No check on your program can be trusted, so it has not passed.\n".to_owned()
        }
        RepairState::Ended(_) => "Your program did not come to its end, so it has not passed.\n".to_owned(),
    });
    out
}
