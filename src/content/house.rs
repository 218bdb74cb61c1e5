//! The rules of the house: what a screen has room for, what a pack of checks can rely on, what days there may be.
//!
//! Owns rules that a question can break and still work, which is why most of them warn only.

use std::collections::HashSet;

use crate::content::diagnostic::{Severity, codes};
use crate::content::findings::Findings;
use crate::content::locate::Step;
use crate::content::python::Program;
use crate::content::question::{Date, LineNo, Question, lines};
use crate::content::{chance, load};

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
            let help = format!("define `{name}`, so that checks and scenario work in both");
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

/// Notes checks that are called what another is called: whoever reads a report could not tell them apart.
pub(super) fn check_names(findings: &mut Findings<'_>, question: &Question) {
    let mut seen = HashSet::new();
    for (at, check) in question.checks.iter().enumerate() {
        let words: Vec<String> = check.name.split_whitespace().map(str::to_lowercase).collect();
        if !seen.insert(words.join(" ")) {
            let span = findings.place(&[Step::Key("check"), Step::At(at), Step::Key("name")]);
            let message = format!("another check is called `{}` as well", check.name.trim());
            let help = "name each check after what it alone asks: reports tell them apart by their names".to_owned();
            findings.push(Severity::Error, codes::DUPLICATE_CHECK, span, message, help);
        }
    }
}

/// Notes days that are still to come on `today`. Tomorrow is not among them: it may have begun where the author is.
pub(super) fn days(findings: &mut Findings<'_>, question: &Question, today: Date) {
    // Where the clock says that this program was not written yet, the clock is wrong.
    let today = load::newest_day().map_or(today, |newest| today.max(newest));
    let mut days = Vec::new();
    if let Some(review) = &question.review {
        let help = "write the day on which the question was reviewed";
        days.push((review.on, vec![Step::Key("review"), Step::Key("on")], help));
    }
    if let Some(verified) = &question.verified {
        let help = "`fencepost author check --stamp` writes it anew";
        days.push((verified.on, vec![Step::Key("verified"), Step::Key("on")], help));
    }
    for (at, fact) in question.learn.facts.iter().enumerate() {
        let path = vec![Step::Key("learn"), Step::Key("fact"), Step::At(at), Step::Key("checked")];
        days.push((fact.checked, path, "write the day on which the fact was looked up"));
    }
    for (day, path, help) in days.into_iter().filter(|(day, ..)| day.days_since(today) > 1) {
        let span = findings.place(&path);
        let message = format!("{day} has not come yet");
        findings.push(Severity::Warning, codes::FUTURE_DATE, span, message, help.to_owned());
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
