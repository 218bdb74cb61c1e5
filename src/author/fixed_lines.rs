//! Reports a fixed program that leaves every accepted line as it is.

use crate::content::changes::bare;
use crate::content::diagnostic::{Severity, codes};
use crate::content::locate::Step;
use crate::content::problems::Problems;
use crate::content::question::{Ask, LineNo, Question, lines};
use crate::quiz::diff::{diff, moves};
use crate::quiz::grade::DiffLine;
use crate::text::listed;

/// Reports that the fixed program changes, deletes or moves no accepted line; for a gap, that it inserts nothing after one.
pub(super) fn check(problems: &Problems, question: &Question) {
    let [buggy, fixed] = [&question.spot.code, &question.fixed.code].map(|code| without_comments(code));
    let diff = diff(&buggy, &fixed);
    let changes = |line| match question.spot.ask {
        Ask::Line => is_changed(&diff, line),
        Ask::Gap => is_followed(&diff, line),
    };
    if question.accepted().any(changes) {
        return;
    }
    let span = problems.place(&[Step::Key("fixed"), Step::Key("code")]);
    let accepted = lines_named(question.accepted());
    let (message, help) = match question.spot.ask {
        Ask::Line => {
            let removed = |line: &DiffLine<'_>| match line {
                DiffLine::Removed { line, .. } => Some(*line),
                DiffLine::Kept { .. } | DiffLine::Added { .. } => None,
            };
            let removed: Vec<LineNo> = diff.iter().filter_map(removed).collect();
            let instead = match removed.is_empty() {
                true => "it only adds lines".to_owned(),
                false => format!("it changes {} of the buggy one", lines_named(removed.into_iter())),
            };
            let message = format!("the fixed program leaves {accepted} as in the buggy one");
            (message, format!("accept a line that the fixed program changes, or change an accepted one; {instead}"))
        }
        Ask::Gap => (
            format!("the fixed program inserts nothing after {accepted}"),
            "insert the missing step there, or accept the line before the step".to_owned(),
        ),
    };
    problems.push(Severity::Error, codes::FIXED_MISSES, span, message, help);
}

/// The program with as many lines, without comments and spaces that mean nothing.
fn without_comments(code: &str) -> String {
    lines(code).into_iter().map(|line| bare(line) + "\n").collect()
}

fn lines_named(all: impl Iterator<Item = LineNo>) -> String {
    let all: Vec<String> = all.map(|it| it.to_string()).collect();
    format!("{} {}", if all.len() == 1 { "line" } else { "lines" }, listed(all, "and"))
}

/// True if the line is changed, deleted or moved.
fn is_changed(diff: &[DiffLine<'_>], wanted: LineNo) -> bool {
    let text = |it: &DiffLine<'_>| match it {
        DiffLine::Kept { line, text } | DiffLine::Removed { line, text } if *line == wanted => Some((*text).to_owned()),
        _ => None,
    };
    let text = diff.iter().find_map(text);
    // Of two equal lines, the diff cannot tell which one went.
    let goes = |it: &DiffLine<'_>| matches!(it, DiffLine::Removed { text: gone, .. } if text.as_deref() == Some(*gone));
    // A line that moves past an accepted one changes the order of the two.
    let passes = |it: crate::quiz::diff::Move| match it.below {
        Some(below) if below >= it.from => it.from < wanted && wanted <= below,
        below => below.is_none_or(|below| below < wanted) && wanted < it.from,
    };
    diff.iter().any(goes) || moves(diff).into_iter().any(passes)
}

/// True if something is inserted right after the line.
fn is_followed(diff: &[DiffLine<'_>], wanted: LineNo) -> bool {
    let is_wanted = |it: &DiffLine<'_>| match it {
        DiffLine::Kept { line, .. } | DiffLine::Removed { line, .. } => *line == wanted,
        DiffLine::Added { .. } => false,
    };
    let after = diff.iter().skip_while(|it| !is_wanted(it)).skip(1);
    let mut after = after.skip_while(|it| matches!(it, DiffLine::Removed { .. }));
    matches!(after.next(), Some(DiffLine::Added { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_changes_if_it_goes_or_another_moves_past_it() {
        for (old, new, wanted) in [
            ("a\nb\nc\n", "a\nx\nc\n", [false, true, false]),
            ("a\nb\nc\n", "a\nc\n", [false, true, false]),
            ("a\nb\nc\n", "a\nx\nb\nc\n", [false, false, false]),
            ("a\nb\nc\nd\n", "b\nc\na\nd\n", [true, true, true]),
            ("a\na\nc\n", "a\nc\n", [true, true, false]),
            ("a\nb\nc\n", "a\n  b\nc\n", [false, true, false]),
        ] {
            let diff = diff(old, new);
            let changed = [1, 2, 3].map(|line| is_changed(&diff, LineNo::new(line).unwrap()));
            assert_eq!(changed, wanted, "{old} {new}");
        }
    }

    #[test]
    fn a_gap_is_filled_right_after_its_line() {
        for (old, new, wanted) in [
            ("a\nb\nc\n", "a\nx\nb\nc\n", [true, false, false]),
            ("a\nb\nc\n", "a\nb\nc\nx\n", [false, false, true]),
            ("a\nb\nc\n", "x\na\nc\n", [false, false, false]),
            ("a\nb\nc\n", "a\nx\nc\n", [true, true, false]),
        ] {
            let diff = diff(old, new);
            let filled = [1, 2, 3].map(|line| is_followed(&diff, LineNo::new(line).unwrap()));
            assert_eq!(filled, wanted, "{old} {new}");
        }
    }
}
