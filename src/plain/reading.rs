//! Reads out the question, and the lines of a program, all of them or some.

use std::fmt::Write as _;

use crate::content::question::{LineNo, lines};
use crate::plain::{programs, words};
use crate::quiz::describe;
use crate::quiz::{Quiz, Sitting, Stage};
use crate::text::counted;

/// The question and its program.
pub fn question(sitting: &Sitting) -> String {
    let question = sitting.question();
    let mut out = words::asked(sitting);
    let _ = writeln!(out, "The program has {}.", counted(question.line_count(), "line"));
    programs::program(&mut out, &question.spot.code);
    out
}

/// Reads out what follows `read`: nothing for everything, `8`, `line 8`, `3 to 6`, and `fixed` before any of them.
pub fn read(quiz: &Quiz, rest: &str) -> String {
    let Some(sitting) = quiz.sitting() else { return String::new() };
    let (fixed, rest) = of_fixed(rest);
    if fixed && !sitting.is_answered() {
        return describe::FIXED_IS_CLOSED.to_owned() + "\n";
    }
    let own = !fixed && sitting.stage() == Stage::Fix;
    let (code, name) = match (fixed, own) {
        (true, _) => (sitting.question().fixed.code.as_str(), "The fixed program"),
        (_, true) => (sitting.repair().text(), "Your program"),
        _ => (sitting.question().spot.code.as_str(), "The program"),
    };
    let count = lines(code).len();
    if rest.is_empty() {
        if !fixed && !own {
            return question(sitting);
        }
        let mut out =
            if fixed { words::sentence(&sitting.question().fixed.title) + "\n" } else { words::asked(sitting) };
        let _ = writeln!(out, "{name} has {}.", counted(count, "line"));
        programs::program(&mut out, code);
        return out;
    }
    match range(rest) {
        None => "Type `read`, or `read` and the number of a line, or `read 3 to 6`.\n".to_owned(),
        Some((from, to)) => {
            let numbers = (from..=to).take_while(|number| usize::try_from(*number).is_ok_and(|number| number <= count));
            let read: String =
                numbers.filter_map(LineNo::new).filter_map(|number| programs::line(code, number)).collect();
            if read.is_empty() {
                format!("There is no such line: {} has {}.\n", lower(name), counted(count, "line"))
            } else {
                read
            }
        }
    }
}

/// True if `rest` names something to read.
pub fn is_place(rest: &str) -> bool {
    let (_, rest) = of_fixed(rest);
    rest.is_empty() || range(rest).is_some()
}

/// Splits off the word `fixed`: true if it was there, and the rest.
fn of_fixed(rest: &str) -> (bool, &str) {
    let (first, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    if first.eq_ignore_ascii_case("fixed") { (true, behind.trim()) } else { (false, rest) }
}

/// The first and the last line of `8`, `line 8`, `lines 3 to 6` and `3-6`.
fn range(rest: &str) -> Option<(u32, u32)> {
    let lower = rest.to_lowercase();
    let numbers = lower.strip_prefix("lines").or_else(|| lower.strip_prefix("line")).unwrap_or(&lower);
    let (from, to) = match numbers.split_once("to").or_else(|| numbers.split_once('-')) {
        Some((from, to)) => (from, to),
        None => (numbers, numbers),
    };
    let (from, to): (u32, u32) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
    Some((from.min(to), from.max(to)))
}

fn lower(name: &str) -> String {
    name.replacen('T', "t", 1).replacen('Y', "y", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_named_as_people_say_them() {
        for (typed, expected) in [
            ("8", Some((8, 8))),
            ("line 8", Some((8, 8))),
            ("lines 3 to 6", Some((3, 6))),
            ("3-6", Some((3, 6))),
            ("3 - 6", Some((3, 6))),
            ("6 to 3", Some((3, 6))),
            ("", None),
            ("eight", None),
            ("3 to", None),
            ("-3", None),
        ] {
            assert_eq!(range(typed), expected, "{typed}");
        }
    }
}
