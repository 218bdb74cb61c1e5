//! A report for people.
//!
//! Owns the words, and that no stranger begins a line that seems to be ours. Else not yet safe to draw: reasons and output
//! are strangers' own.

use std::fmt::Write as _;

use crate::content::question::LineNo;
use crate::runner::CheckOutcome;
use crate::script::report::{Fix, Graded, Line, Mark, Points, Program, Report, Terms, Total, check_word};
use crate::tui::text;

/// Columns of the page.
const WIDTH: usize = 80;
/// Columns before what belongs to the line above.
const INDENT: usize = 9;

/// The whole page.
pub fn page(report: &Report) -> String {
    let mut out = String::new();
    for graded in &report.questions {
        question(&mut out, graded);
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(&total(&report.total, &report.terms));
    out
}

/// The last sentence of the page.
fn total(total: &Total, terms: &Terms) -> String {
    let verdict = if total.passed { "passed" } else { "not passed" };
    let mark = terms.pass_mark;
    if total.asked == 0 {
        return format!("Nothing was asked: no question falls into this part: {verdict}\n");
    }
    let score = match (terms.weights.line, terms.weights.fix) {
        (1, 0) => format!("{} of {} right ({} %)", total.score, total.of, total.percent),
        _ => format!(
            "{} of {} right, score {} of {} ({} %)",
            total.right, total.asked, total.score, total.of, total.percent
        ),
    };
    format!("{score}, pass mark {mark} %: {verdict}\n")
}

fn question(out: &mut String, graded: &Graded) {
    let mark = format!("{:<INDENT$}", graded.line.result.word());
    let name = graded.question.to_string();
    let _ = writeln!(out, "{mark}{}: {}", text::line(&name), line(&graded.line));
    paragraph(out, &graded.line.why);
    if let Some(fix) = &graded.fix {
        repair(out, fix);
    }
    if let Some(points) = &graded.points {
        paragraph(out, &said(points));
    }
}

/// The picks and the accepted lines in one sentence.
pub fn line(line: &Line) -> String {
    let Line { chosen, accepted, picks, .. } = line;
    let later = match picks.split_first() {
        Some((_, later)) if !later.is_empty() => format!(", then {}", numbers(later, " and ")),
        _ => String::new(),
    };
    let is = if accepted.len() == 1 { "the answer is" } else { "accepted is" };
    let accepted = numbers(accepted, " or ");
    match (line.result, chosen) {
        (Mark::Right, Some(line)) if accepted == line.to_string() => format!("line {line}"),
        (_, Some(line)) => format!("line {line}{later}; {is} line {accepted}"),
        (_, None) => format!("no line; {is} line {accepted}"),
    }
}

fn repair(out: &mut String, fix: &Fix) {
    let uncounted = if fix.counted { "" } else { " (not counted: `--weights line=1,fix=1` counts it)" };
    paragraph(out, &format!("fix {}{uncounted}", outcome(fix)));
    for check in &fix.ran.checks {
        // What a check says stands behind its name, or on lines that say so: none passes for a check of its own.
        let said = check.message.trim_end();
        let message = if said.is_empty() || said.contains('\n') { String::new() } else { format!(": {said}") };
        paragraph(out, &text::line(&format!("{}: {}{message}", check_word(check.result), check.name)));
        for line in text::raw_lines(said).filter(|_| said.contains('\n')) {
            let _ = writeln!(out, "{:INDENT$}message | {line}", "");
        }
    }
    for (name, text) in [("fix", &fix.text), ("stdout", &fix.ran.stdout), ("stderr", &fix.ran.stderr)] {
        for line in text::raw_lines(text) {
            let _ = writeln!(out, "{:INDENT$}{name} | {line}", "");
        }
    }
}

/// How a fix did, in one sentence.
pub fn outcome(fix: &Fix) -> String {
    let passed = fix.ran.checks.iter().filter(|check| check.result == CheckOutcome::Passed).count();
    let verdict = if fix.passed { "passed" } else { "failed" };
    let Program { checks, detail, engine, .. } = &fix.ran;
    let (name, sandbox) = (&engine.name, engine.sandbox);
    let detail = text::line(detail);
    format!("{verdict}, {passed} of {} checks passed ({detail}; {name}, sandbox {sandbox})", checks.len())
}

/// What the learner says was covered.
pub fn said(points: &Points) -> String {
    let texts: Vec<&str> = points.covered.iter().map(|point| point.text.as_str()).collect();
    let list = if texts.is_empty() { String::new() } else { format!(": {}", texts.join("; ")) };
    format!("said {} of {} points{list}", points.covered.len(), points.of)
}

/// Line numbers as a sentence has them: `3 or 8`.
fn numbers(lines: &[LineNo], between: &str) -> String {
    let lines: Vec<String> = lines.iter().map(LineNo::to_string).collect();
    lines.join(between)
}

fn paragraph(out: &mut String, words: &str) {
    for line in textwrap::wrap(words, text::whole_words(WIDTH - INDENT)) {
        let _ = writeln!(out, "{:INDENT$}{line}", "");
    }
}
