//! The rules of the house: what a screen has room for, what a pack of checks can rely on, how old facts may get.
//!
//! Owns rules that a question can break and still work, which is why most of them warn only.

use crate::content::chance;
use crate::content::diagnostic::{Severity, codes};
use crate::content::findings::Findings;
use crate::content::locate::Step;
use crate::content::python::Program;
use crate::content::question::{Date, LineNo, Question, lines};

/// Columns and lines of a program: an 80-column screen keeps room for line numbers, and 24 lines for the frame.
const COLUMNS: usize = 76;
const BUGGY_LINES: usize = 22;
const FIXED_LINES: usize = 26;

/// Notes programs that do not fit a screen.
pub(super) fn size(findings: &mut Findings<'_>, question: &Question) {
    for (table, code, most) in
        [("spot", &question.spot.code, BUGGY_LINES), ("fixed", &question.fixed.code, FIXED_LINES)]
    {
        let path = [Step::Key(table), Step::Key("code")];
        let program = lines(code);
        for (index, text) in program.iter().enumerate() {
            let width = text.chars().count();
            if width > COLUMNS {
                let line = LineNo::from_index(index);
                let span = findings.line(&path, line);
                let message =
                    format!("line {line} has {width} columns, of which {COLUMNS} fit beside the line numbers");
                findings.push(Severity::Warning, codes::TOO_WIDE, span, message, "break the line".to_owned());
            }
        }
        if program.len() > most {
            let span = findings.line(&path, LineNo::from_index(most));
            let message = format!("the program has {} lines, of which {most} fit the screen", program.len());
            let help = "leave out what the question does not need".to_owned();
            findings.push(Severity::Warning, codes::TOO_LONG, span, message, help);
        }
    }
}

/// Notes classes and functions that checks could not find in the fixed program.
pub(super) fn names(findings: &mut Findings<'_>, buggy: &Program<'_>, fixed: &Program<'_>) {
    let theirs: Vec<&str> = fixed.definitions().into_iter().map(|(_, name)| name).collect();
    for (_, name) in buggy.definitions() {
        if !theirs.contains(&name) {
            let span = findings.place(&[Step::Key("fixed"), Step::Key("code")]);
            let message = format!("the fixed program does not define `{name}`, which the buggy one does");
            let help = format!("define `{name}`, so that checks and scenario work in both").to_string();
            findings.push(Severity::Error, codes::MISSING_NAME, span, message, help);
        }
    }
}

/// Notes what differs from run to run in the program of `table`.
pub(super) fn chance(findings: &mut Findings<'_>, table: &'static str, program: &Program<'_>) {
    for found in chance::uses(program) {
        let span = findings.line(&[Step::Key(table), Step::Key("code")], found.line);
        findings.push(Severity::Warning, codes::NOT_DETERMINISTIC, span, found.what, found.instead.to_owned());
    }
}

/// Notes facts that were looked up more than `days` before `today`.
pub(super) fn facts(findings: &mut Findings<'_>, question: &Question, today: Date, days: u32) {
    for (index, fact) in question.learn.facts.iter().enumerate() {
        let age = today.days_since(fact.checked);
        if age > i64::from(days) {
            let span = findings.place(&[Step::Key("learn"), Step::Key("fact"), Step::At(index), Step::Key("checked")]);
            let message = format!("this fact was looked up {age} days ago");
            let help = "look it up again, correct it, and write today's date".to_owned();
            findings.push(Severity::Warning, codes::STALE_FACT, span, message, help);
        }
    }
}
