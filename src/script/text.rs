//! A report for people.
//!
//! No text of a program or a pack begins a line of its own: each such line has a mark before it. The page is not yet safe
//! to draw.

use std::fmt::Write as _;

use crate::content::question::Ask;
use crate::quiz::describe;
use crate::runner::{Chunk, Stream};
use crate::script::problem::Problem;
use crate::script::report::{Fix, Graded, Line, Mark, Points, Report, Terms, Total};
use crate::script::run::Run;
use crate::text::{self, listed};

/// Columns of the page.
const WIDTH: usize = 80;
/// Columns before what belongs to the line above.
const INDENT: usize = 9;

/// Writes the whole page.
pub fn page(report: &Report) -> String {
    let mut out = String::new();
    for graded in &report.questions {
        question(&mut out, graded);
    }
    if !out.is_empty() {
        out.push('\n');
    }
    not_graded(&mut out, &report.problems);
    if let Some(why) = &report.terms.why_empty {
        let _ = writeln!(out, "Nothing was asked: {why}.");
    }
    out.push_str(&terms(&report.terms));
    out.push_str(&total(&report.total, &report.terms));
    out
}

/// The mistakes in the answers.
fn not_graded(out: &mut String, problems: &[Problem]) {
    if problems.is_empty() {
        return;
    }
    out.push_str("Not graded:\n");
    for problem in problems {
        paragraph(out, &text::line(&problem.to_string()));
        if !problem.hint.is_empty() {
            paragraph(out, &text::line(&format!("hint: {}", problem.hint)));
        }
    }
    out.push('\n');
}

/// The terms of the quiz.
fn terms(terms: &Terms) -> String {
    let mut out = format!("Weights {}", terms.weights);
    if terms.lenient {
        out.push_str("; lenient");
    }
    if let Some(seed) = terms.seed {
        let _ = write!(out, "; seed {seed}");
    }
    if let Some(part) = &terms.partition {
        let _ = write!(out, "; part {part}");
    }
    out.push('\n');
    out
}

/// The last sentence of the page.
fn total(total: &Total, terms: &Terms) -> String {
    let Total { passed, score, of, percent, right, asked, suspicious } = total;
    let verdict = if *passed { "passed" } else { "not passed" };
    // Where every question is worth its line, which is worth 1, the score is what is right.
    let score = match (terms.weights.line, terms.weights.fix) {
        (1, 0) => String::new(),
        _ => format!(", score {score} of {of}"),
    };
    let suspicious = if *suspicious { "; suspicious" } else { "" };
    format!("{right} of {asked} right{score} ({percent} %), pass mark {} %: {verdict}{suspicious}\n", terms.pass_mark)
}

fn question(out: &mut String, graded: &Graded) {
    let mark = format!("{:<INDENT$}", graded.line.result.word());
    let name = graded.question.to_string();
    let _ =
        writeln!(out, "{mark}{}: {}; score {} of {}", text::line(&name), line(&graded.line), graded.score, graded.of);
    if let (Some(chosen), Some(code)) = (graded.line.chosen, &graded.line.code) {
        marked(out, &format!("line {chosen}"), code);
    }
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
    let Line { ask, chosen, accepted, picks, .. } = line;
    let later = match picks.split_first() {
        Some((_, later)) if !later.is_empty() => format!(", then {}", listed(later, "and")),
        _ => String::new(),
    };
    let (after, is) = match ask {
        Ask::Line if accepted.len() == 1 => ("", "the answer is"),
        Ask::Line => ("", "accepted is"),
        Ask::Gap => ("after ", "the step is missing after"),
    };
    let accepted = listed(accepted, "or");
    match (line.result, chosen) {
        (Mark::Right, Some(line)) if accepted == line.to_string() => format!("{after}line {line}{later}"),
        (_, Some(line)) => format!("{after}line {line}{later}; {is} line {accepted}"),
        (_, None) => format!("no line; {is} line {accepted}"),
    }
}

fn repair(out: &mut String, fix: &Fix) {
    let uncounted = if fix.counted { "" } else { " (not counted: `--weights line=1,fix=1` counts it)" };
    paragraph(out, &format!("fix {}{uncounted}", outcome(fix)));
    let Some(ran) = &fix.ran else { return };
    if let Some(wall_ms) = ran.wall_ms {
        let _ = writeln!(out, "{:INDENT$}ran for {wall_ms} ms", "");
    }
    for check in &ran.checks {
        // The message of a check follows its name, or is on marked lines: none looks like another check.
        let said = check.message.trim_end();
        let message = if said.is_empty() || said.contains('\n') { String::new() } else { format!(": {said}") };
        paragraph(out, &text::line(&format!("{}: {}{message}", check.result.word(), check.name)));
        if said.contains('\n') {
            marked(out, "message", said);
        }
    }
    if fix.is_suspicious() {
        paragraph(out, "suspicious: the answer is worth nothing; a person should read the program");
    }
    if !ran.overloads.is_empty() {
        paragraph(out, &overloads(&ran.overloads));
    }
    marked(out, "fix", fix.text.as_deref().unwrap_or_default());
    for (stream, words) in joined(&ran.output) {
        marked(out, stream.word(), &words);
    }
}

/// The output in order; neighbours on the same stream are one piece.
fn joined(output: &[Chunk]) -> Vec<(Stream, String)> {
    let mut pieces: Vec<(Stream, String)> = Vec::new();
    for chunk in output {
        match pieces.last_mut() {
            Some((stream, words)) if *stream == chunk.stream => words.push_str(&chunk.text),
            _ => pieces.push((chunk.stream, chunk.text.clone())),
        }
    }
    pieces
}

/// The result of a fix in one sentence.
pub fn outcome(fix: &Fix) -> String {
    let word = fix.result.word();
    let Some(ran @ Run { checks, verdict, detail, engine, .. }) = &fix.ran else {
        return format!("{word}: none was handed in");
    };
    format!(
        "{word}, {} of {} checks passed ({}: {}; {} {}, Python {}, sandbox {})",
        ran.passed_checks(),
        checks.len(),
        describe::verdict(*verdict),
        text::line(detail),
        engine.name,
        engine.version,
        engine.python,
        engine.sandbox
    )
}

/// The methods with which a program can lie in a comparison, in one sentence.
pub fn overloads(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{}`", text::line(name))).collect();
    format!("defines {}, which can change what a check compares", listed(&names, "and"))
}

/// The points that the learner reports as covered.
pub fn said(points: &Points) -> String {
    let texts: Vec<String> = points.covered.iter().map(|point| format!("{}. {}", point.point, point.text)).collect();
    let list = if texts.is_empty() { String::new() } else { format!(": {}", texts.join("; ")) };
    format!("said {} of {} points{list}", points.covered.len(), points.of)
}

fn paragraph(out: &mut String, words: &str) {
    for line in textwrap::wrap(words, text::whole_words(WIDTH - INDENT)) {
        let _ = writeln!(out, "{:INDENT$}{line}", "");
    }
}

/// Lines of someone else's text, each with a mark.
fn marked(out: &mut String, mark: &str, words: &str) {
    for line in text::raw_lines(words) {
        let _ = writeln!(out, "{:INDENT$}{mark} | {line}", "");
    }
}
