//! Rules of style: the size of programs, the names of checks, and dates.
//!
//! A question that breaks one still works, so most of them only warn.

use std::collections::HashSet;

use crate::author::python::Program;
use crate::content::diagnostic::{Severity, codes};
use crate::content::load;
use crate::content::locate::Step;
use crate::content::problems::Problems;
use crate::content::question::{Date, LineNo, Question, lines};
use crate::text::counted;

/// Columns and lines of a program: an 80-column screen keeps room for line numbers, and 24 lines for the frame.
const COLUMNS: usize = 76;
const BUGGY_LINES: usize = 22;
const FIXED_LINES: usize = 26;

/// Reports programs that do not fit a screen.
pub(super) fn size(problems: &Problems, question: &Question) {
    for (table, code, most) in
        [("spot", &question.spot.code, BUGGY_LINES), ("fixed", &question.fixed.code, FIXED_LINES)]
    {
        let path = [Step::Key(table), Step::Key("code")];
        let program = lines(code);
        for (index, text) in program.iter().enumerate() {
            let width = text.chars().count();
            if width > COLUMNS {
                let line = LineNo::from_index(index);
                let span = problems.line(&path, line);
                let message = format!("line {line} has {width} columns, but only {COLUMNS} fit on the screen");
                problems.push(Severity::Warning, codes::TOO_WIDE, span, message, "split the line".to_owned());
            }
        }
        if program.len() > most {
            let span = problems.line(&path, LineNo::from_index(most));
            let message = format!("the program has {} lines, but only {most} fit on the screen", program.len());
            let help = "remove what the question does not need".to_owned();
            problems.push(Severity::Warning, codes::TOO_LONG, span, message, help);
        }
    }
}

/// Reports classes and functions that checks could not find in the fixed program.
pub(super) fn names(problems: &Problems, buggy: &Program<'_>, fixed: &Program<'_>) {
    // Assigned, imported, or defined in a branch.
    let theirs = fixed.bound();
    for (_, name) in buggy.definitions() {
        if !theirs.contains(&name) {
            let span = problems.place(&[Step::Key("fixed"), Step::Key("code")]);
            let message = format!("the fixed program does not define `{name}`, which the buggy one does");
            let help = format!("define `{name}`, so that checks and scenario work in both");
            problems.push(Severity::Error, codes::MISSING_NAME, span, message, help);
        }
    }
}

/// Reports checks with the same name, which reports could not tell apart.
pub(super) fn check_names(problems: &Problems, question: &Question) {
    let mut seen = HashSet::new();
    for (at, check) in question.checks.iter().enumerate() {
        let words: Vec<String> = check.name.split_whitespace().map(str::to_lowercase).collect();
        if !seen.insert(words.join(" ")) {
            let span = problems.place(&[Step::Key("check"), Step::At(at), Step::Key("name")]);
            let message = format!("another check is also called `{}`", check.name.trim());
            let help = "give each check its own name, so that reports can tell them apart".to_owned();
            problems.push(Severity::Error, codes::DUPLICATE_CHECK, span, message, help);
        }
    }
}

/// Reports dates after `today`, except tomorrow: it may have begun where the author is.
pub(super) fn days(problems: &Problems, question: &Question, today: Date) {
    // A clock that is behind the newest built-in question is wrong.
    let today = load::newest_day().map_or(today, |newest| today.max(newest));
    let mut days = Vec::new();
    if let Some(review) = &question.review {
        let help = "write the day on which the question was reviewed";
        days.push((review.on, vec![Step::Key("review"), Step::Key("on")], help));
    }
    if let Some(verified) = &question.verified {
        let help = "`fencepost author check --stamp` writes a new one";
        days.push((verified.on, vec![Step::Key("verified"), Step::Key("on")], help));
    }
    for (at, fact) in question.learn.facts.iter().enumerate() {
        let path = vec![Step::Key("learn"), Step::Key("fact"), Step::At(at), Step::Key("checked")];
        days.push((fact.checked, path, "write the day on which the fact was looked up"));
    }
    for (day, path, help) in days.into_iter().filter(|(day, ..)| day.days_since(today) > 1) {
        let span = problems.place(&path);
        let message = format!("{day} is in the future");
        problems.push(Severity::Warning, codes::FUTURE_DATE, span, message, help.to_owned());
    }
}

/// Reports facts that were looked up more than `days` ago.
pub(super) fn facts(problems: &Problems, question: &Question, today: Date, days: u32) {
    for (index, fact) in question.learn.facts.iter().enumerate() {
        let age = today.days_since(fact.checked);
        if age > i64::from(days) {
            let span = problems.place(&[Step::Key("learn"), Step::Key("fact"), Step::At(index), Step::Key("checked")]);
            let age = counted(usize::try_from(age).unwrap_or(usize::MAX), "day");
            let message = format!("this fact was looked up {age} ago");
            let help = "look it up again, correct it if needed, and set `checked` to today";
            problems.push(Severity::Warning, codes::STALE_FACT, span, message, help);
        }
    }
}
