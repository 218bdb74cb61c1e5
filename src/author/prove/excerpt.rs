//! Shortens outputs and messages of checks for the notes of a problem: the difference stays in sight, and invisible
//! characters at line ends are described in words.

use std::fmt::Write as _;

use crate::runner::{CheckOutcome, CheckResult};
use crate::text::{counted, listed};

/// Lines and characters of an output that a problem shows.
const SHOWN_LINES: usize = 5;
const SHOWN_CHARACTERS: usize = 200;

/// Lines that are shown before and after the first one that differs, and characters before the first one that differs.
const AROUND: usize = 2;
const BEFORE: usize = 60;

/// The outcome and the message of a check that did not pass.
pub(super) fn said(check: &CheckResult) -> String {
    let word = match check.result {
        CheckOutcome::Passed => "passed",
        CheckOutcome::Failed => "failed",
        CheckOutcome::Error => "error",
        CheckOutcome::TimedOut => "timed out",
    };
    if check.message.is_empty() { word.to_owned() } else { format!("{word}: {}", check.message) }
}

/// An output as a note shows it: on lines of its own where it has several.
pub(super) fn quoted(output: &str) -> String {
    if let Some(one) = on_one_line(output, 0, false) {
        return one;
    }
    let shown = cut(output);
    let end = if output.ends_with('\n') { "" } else { " (without a newline at its end)" };
    format!("these lines{end}\n{shown}")
}

/// The beginning of a text, no more than fits a problem.
pub(super) fn cut(text: &str) -> String {
    let mut out = Vec::new();
    let all: Vec<&str> = text.trim_end_matches('\n').split('\n').collect();
    for line in all.iter().take(SHOWN_LINES) {
        out.push(clip(line, 0));
    }
    if all.len() > SHOWN_LINES {
        out.push(format!("... and {}", counted(all.len() - SHOWN_LINES, "more line")));
    }
    out.join("\n")
}

/// Two outputs that should be one, as notes show them: where each is one line, both lines; else the first line that differs,
/// with its number and those around it.
pub(super) fn difference(expected: &str, seen: &str) -> [String; 2] {
    let outputs = [expected, seen];
    let lines = outputs.map(|output| output.split_inclusive('\n').collect::<Vec<&str>>());
    let [left, right] = &lines;
    let first = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let [a, b] = [left, right].map(|lines| lines.get(first).copied().unwrap_or_default());
    let column = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    // Outputs that differ only in white space look the same unless it is written out.
    let alike = a.trim() != b.trim() && a.split_whitespace().eq(b.split_whitespace());
    if let [Some(a), Some(b)] = outputs.map(|output| on_one_line(output, column, alike)) {
        return [a, b];
    }
    let long = [a, b].iter().any(|line| line.chars().count() > SHOWN_CHARACTERS);
    let column_too = if long { format!(", column {}", column + 1) } else { String::new() };
    let place = format!(", the first difference in line {}{column_too}", first + 1);
    [around(left, first, column, alike, &place), around(right, first, column, alike, "")]
}

/// The number of lines of an output, and those around the one at `first`.
fn around(lines: &[&str], first: usize, column: usize, alike: bool, place: &str) -> String {
    let Some(last) = lines.len().checked_sub(1) else { return "nothing".to_owned() };
    let until = last.min(first.saturating_add(AROUND));
    let width = (until + 1).to_string().len();
    let mut out = counted(lines.len(), "line") + place;
    for (at, line) in lines.iter().enumerate().take(until + 1).skip(first.min(last).saturating_sub(AROUND)) {
        let differs = at == first;
        let text = clip(&visible(line, differs && alike), if differs { column } else { 0 });
        let _ = write!(out, "\n{:>width$} | {text}{}", at + 1, end_of(line));
    }
    if last < first {
        out.push_str("\nand nothing after that");
    }
    out
}

/// An output of at most one line, between backticks.
fn on_one_line(output: &str, column: usize, alike: bool) -> Option<String> {
    match output {
        "" => Some("nothing".to_owned()),
        "\n" => Some("an empty line".to_owned()),
        _ if output.trim_end_matches('\n').contains('\n') || output.ends_with("\n\n") => None,
        _ => Some(format!("`{}`{}", clip(&visible(output, alike), column), end_of(output))),
    }
}

/// Describes what is invisible at the end of a line.
fn end_of(line: &str) -> String {
    let text = line.strip_suffix('\n');
    let body = text.unwrap_or(line);
    let blanks = body.get(body.trim_end().len()..).unwrap_or_default();
    let mut words = Vec::new();
    if blanks.chars().any(|it| it != ' ') {
        words.push(format!("with `{}` at its end", blanks.escape_default()));
    } else if !blanks.is_empty() {
        words.push(format!("with {} at its end", counted(blanks.len(), "space")));
    }
    if text.is_none() {
        words.push("without a newline at its end".to_owned());
    }
    if words.is_empty() { String::new() } else { format!(" ({})", listed(words, "and")) }
}

/// A line without its end; with `alike`, with all white space but plain spaces written out.
fn visible(line: &str, alike: bool) -> String {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let written = |it: char| match it {
        ' ' => " ".to_owned(),
        it if it.is_whitespace() => it.escape_default().collect(),
        it => it.to_string(),
    };
    if alike { line.chars().map(written).collect() } else { line.to_owned() }
}

/// As much of a line as fits, with the character at `column` in sight.
fn clip(line: &str, column: usize) -> String {
    if line.chars().count() <= SHOWN_CHARACTERS {
        return line.to_owned();
    }
    let from = if column < SHOWN_CHARACTERS - BEFORE { 0 } else { column - BEFORE };
    let mut rest = line.chars().skip(from);
    let shown: String = rest.by_ref().take(SHOWN_CHARACTERS).collect();
    let before = if from > 0 { "... " } else { "" };
    let after = if rest.next().is_some() { " ..." } else { "" };
    format!("{before}{shown}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_shown_short() {
        assert_eq!(quoted(""), "nothing");
        assert_eq!(quoted("\n"), "an empty line");
        assert_eq!(quoted("x\n"), "`x`");
        assert_eq!(quoted("x"), "`x` (without a newline at its end)");
        assert_eq!(quoted("x \n"), "`x ` (with 1 space at its end)");
        assert_eq!(quoted("a\nb\n"), "these lines\na\nb");
        assert_eq!(cut(&"é".repeat(300)), format!("{} ...", "é".repeat(200)));
        assert_eq!(cut("1\n2\n3\n4\n5\n6\n7\n"), "1\n2\n3\n4\n5\n... and 2 more lines");
        assert_eq!(cut("1\n2\n3\n4\n5\n6\n"), "1\n2\n3\n4\n5\n... and 1 more line");
    }

    #[track_caller]
    fn differ(expected: &str, seen: &str, shown: [&str; 2]) {
        assert_eq!(difference(expected, seen), shown);
    }

    #[test]
    fn what_differs_is_in_sight() {
        differ("6\n", "5\n", ["`6`", "`5`"]);
        differ("6\n", "", ["`6`", "nothing"]);
        let lines = |range: std::ops::RangeInclusive<u32>| range.map(|it| format!("{it}\n")).collect::<String>();
        let other = lines(1..=9).replace("7\n", "x\n");
        let expected = "9 lines, the first difference in line 7\n5 | 5\n6 | 6\n7 | 7\n8 | 8\n9 | 9";
        differ(&lines(1..=9), &other, [expected, "9 lines\n5 | 5\n6 | 6\n7 | x\n8 | 8\n9 | 9"]);
        let short = "8 lines\n6 | 6\n7 | 7\n8 | 8\nand nothing after that";
        let long = "10 lines, the first difference in line 9\n 7 | 7\n 8 | 8\n 9 | 9\n10 | 10";
        differ(&lines(1..=10), &lines(1..=8), [long, short]);
        differ("a\nb\n", "", ["2 lines, the first difference in line 1\n1 | a\n2 | b", "nothing"]);
    }

    #[test]
    fn what_cannot_be_seen_is_said() {
        differ("6\n", "6", ["`6`", "`6` (without a newline at its end)"]);
        differ(
            "6",
            "6  ",
            ["`6` (without a newline at its end)", "`6  ` (with 2 spaces at its end and without a newline at its end)"],
        );
        differ(
            "6\n",
            "6\n\n",
            ["1 line, the first difference in line 2\n1 | 6\nand nothing after that", "2 lines\n1 | 6\n2 | "],
        );
        differ(
            "a\nb \nc\n",
            "a\nb\nc",
            [
                "3 lines, the first difference in line 2\n1 | a\n2 | b  (with 1 space at its end)\n3 | c",
                "3 lines\n1 | a\n2 | b\n3 | c (without a newline at its end)",
            ],
        );
        differ("6\n", "6 \t\r\n", ["`6`", "`6 \t\r` (with ` \\t\\r` at its end)"]);
        differ("a b\n", "a\tb\n", ["`a b`", "`a\\tb`"]);
        differ("a b\n", "a\u{a0}b\n", ["`a b`", "`a\\u{a0}b`"]);
    }

    #[test]
    fn a_difference_far_to_the_right_is_in_sight() {
        let (left, right) = (format!("{}x\ny\n", "é".repeat(300)), format!("{}z\ny\n", "é".repeat(300)));
        let shown = |end: &str| format!("1 | ... {}{end}\n2 | y", "é".repeat(60));
        let expected = format!("2 lines, the first difference in line 1, column 301\n{}", shown("x"));
        differ(&left, &right, [&expected, &format!("2 lines\n{}", shown("z"))]);
        assert_eq!(clip(&"a".repeat(201), 0), format!("{} ...", "a".repeat(200)));
        assert_eq!(clip(&"a".repeat(200), 199), "a".repeat(200));
    }
}
