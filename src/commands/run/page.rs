//! What `fencepost run` prints for people.
//!
//! Owns layout and wording. Everything that a program or a pack wrote passes `text::line` here.

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use crate::commands::run::repair::Repair;
use crate::commands::run::{Ran, Report};
use crate::content::question::lines;
use crate::quiz::describe::{self, value as words};
use crate::runner::{CheckOutcome, Step, StepKind, Stream, TraceLimit};
use crate::text;

/// The report: side by side in `columns`, or one under the other.
pub(super) fn page(report: &Report<'_>, columns: Option<usize>) -> String {
    let runs = &report.runs;
    let blocks: Vec<Vec<String>> = runs.iter().map(block).collect();
    let mut out = String::new();
    match (columns, blocks.as_slice()) {
        (Some(columns), [left, right]) => side_by_side(&mut out, left, right, columns),
        _ => {
            for (index, block) in blocks.iter().enumerate() {
                if index > 0 {
                    out.push('\n');
                }
                for line in block {
                    let _ = writeln!(out, "{line}");
                }
            }
        }
    }
    timeline(&mut out, report);
    if let Some(of) = &report.repair {
        repair(&mut out, of);
    }
    if let Some(ran) = runs.first() {
        let times: Vec<String> =
            runs.iter().map(|ran| format!("{} {:.1} ms", ran.program, ran.outcome.ending.wall_ms)).collect();
        let engine = &ran.outcome.ending.engine;
        let _ = writeln!(
            out,
            "\n{} {} (Python {}) | sandbox {} | {}",
            engine.name,
            engine.version,
            engine.python,
            engine.sandbox,
            times.join(", ")
        );
    }
    out
}

/// One program: its name, its output, its checks, its verdict.
fn block(ran: &Ran<'_>) -> Vec<String> {
    let title = match ran.program {
        "file" => "Your program".to_owned(),
        program => format!("The {program} program"),
    };
    let mut block = vec![title.clone(), "-".repeat(title.len())];
    for chunk in &ran.outcome.output {
        block.extend(output(chunk.stream, &chunk.text));
    }
    if ran.outcome.output.is_empty() {
        block.push("(no output)".into());
    }
    if !ran.outcome.checks.is_empty() {
        block.push(String::new());
    }
    for check in &ran.outcome.checks {
        let word = match check.result {
            CheckOutcome::Passed => "passed",
            CheckOutcome::Failed => "FAILED",
            CheckOutcome::Error => "ERROR",
            CheckOutcome::TimedOut => "TIMED OUT",
        };
        block.push(format!("{word:>9}  {}", text::line(&check.name)));
        block.extend(
            lines(&check.message)
                .iter()
                .filter(|line| !line.is_empty())
                .map(|line| format!("           {}", text::line(line))),
        );
    }
    trace(&mut block, ran);
    block.push(String::new());
    block.push(format!(
        "{}: {}",
        describe::verdict(ran.outcome.ending.verdict),
        text::line(&ran.outcome.ending.detail)
    ));
    block
}

/// Lines that a program wrote, marked in words: the streams are told apart without colour, and no program writes what
/// looks like a verdict.
fn output(stream: Stream, written: &str) -> impl Iterator<Item = String> {
    let mark = match stream {
        Stream::Stdout => "stdout",
        Stream::Stderr => "stderr",
    };
    text::raw_lines(written).map(move |line| format!("{mark}: {}", text::line(line)))
}

fn side_by_side(out: &mut String, left: &[String], right: &[String], columns: usize) {
    let half = columns.saturating_sub(3) / 2;
    let wrap = |lines: &[String]| -> Vec<String> {
        lines
            .iter()
            .flat_map(|line| textwrap::wrap(line, text::whole_words(half)).into_iter().map(Cow::into_owned))
            .collect()
    };
    let (mut left, mut right) = (wrap(left), wrap(right));
    // The verdicts stand on one line: the shorter output is filled up above its blank line and verdict.
    let height = left.len().max(right.len());
    for side in [&mut left, &mut right] {
        let at = side.len().saturating_sub(2);
        while side.len() < height {
            side.insert(at, String::new());
        }
    }
    for (a, b) in left.iter().zip(&right) {
        let gap = " ".repeat(half.saturating_sub(a.width()));
        let _ = writeln!(out, "{}", format!("{a}{gap} | {b}").trim_end());
    }
}

/// Whether a program repairs the question, and the diffs when it does.
fn repair(out: &mut String, repair: &Repair) {
    out.push('\n');
    if !repair.for_grading {
        out.push_str("Not for grading: on CPython, a program can reach what checks it.\n");
    }
    if !repair.overloads.is_empty() {
        let _ = writeln!(out, "It {}.", crate::script::text::overloads(&repair.overloads));
    }
    if repair.suspicious {
        out.push_str("Not repaired: no check on it can be trusted.\n");
        return;
    }
    let Some(diffs) = &repair.diffs else {
        // Where the program itself did not come to its end, its verdict above says why.
        let _ = writeln!(out, "Not repaired: {} of {} checks did not pass.", repair.failed, repair.of);
        return;
    };
    let _ = writeln!(out, "Repaired: every check passed.");
    let same = diffs.smallest == diffs.model;
    let smallest = if same { "The smallest repair, which is the model program too" } else { "The smallest repair" };
    let model = (!same).then_some(("The model program", &diffs.model));
    for (title, diff) in [("Your repair", &diffs.yours), (smallest, &diffs.smallest)].into_iter().chain(model) {
        let _ = writeln!(out, "\n{title}");
        for line in diff {
            let _ = writeln!(out, "  {}", text::line(line).trim_end());
        }
    }
}

/// The steps of a trace, one a line, indented by how deep they are, and between them what was written meanwhile.
fn trace(block: &mut Vec<String>, ran: &Ran<'_>) {
    if !ran.outcome.steps.is_empty() {
        block.push(String::new());
    }
    let mut before = 0;
    for (step, written) in ran.outcome.steps.iter().zip(&ran.outcome.written) {
        let mut start = 0;
        for chunk in &ran.outcome.output {
            let part = before.max(start) - start..(*written).min(start + chunk.text.len()).max(start) - start;
            // Nothing where the range is empty or turned round: the chunk came before or comes later.
            let new = chunk.text.get(part).unwrap_or_default();
            block.extend(output(chunk.stream, new).map(|line| format!("      {line}")));
            start += chunk.text.len();
        }
        before = *written;
        block.push(text::line(&step_line(step)).into_owned());
    }
    let limit = match ran.outcome.trace_full {
        None => return,
        Some(TraceLimit::Steps) => "number of steps",
        Some(TraceLimit::Bytes) => "size of a trace",
    };
    block.push(format!("The trace ends here: the {limit} is limited. The program went on without it."));
}

fn step_line(step: &Step) -> String {
    let depth = "  ".repeat(usize::try_from(step.depth).unwrap_or(0).min(20));
    let what = match step.kind {
        StepKind::Call => format!("call {}", step.function),
        StepKind::Line => String::new(),
        StepKind::Return => format!("return {}", step.value),
        StepKind::Exception => format!("raises {}", step.value),
    };
    let changed: Vec<String> =
        step.changed.iter().map(|variable| format!("{} = {}", variable.name, variable.value)).collect();
    let gone = step.gone.iter().map(|name| format!("{name} is gone"));
    let facts: Vec<String> = std::iter::once(what).chain(changed).chain(gone).filter(|fact| !fact.is_empty()).collect();
    format!("{:>4}  {depth}{}", step.line, facts.join(", ")).trim_end().to_owned()
}

/// The rows of a scenario: what happens, and under it what it came to in each program.
fn timeline(out: &mut String, report: &Report<'_>) {
    let Some(scenario) = report.entry.question.scenario.as_ref() else { return };
    if report.runs.iter().all(|ran| ran.outcome.rows.is_empty()) {
        return;
    }
    let parts_at = report.parts_at();
    for (index, step) in scenario.steps.iter().enumerate() {
        let heading = format!("{:>2}. {}  {} {}", index + 1, step.at, step.who, step.does);
        let _ = writeln!(out, "\n{}", text::line(&heading));
        for ran in &report.runs {
            let line = match ran.outcome.rows.get(index) {
                None => "did not get here".to_owned(),
                Some(row) => {
                    let result = row.result.as_ref().map(words);
                    let watched = scenario.watch.iter().zip(&row.watched);
                    let watched = watched.map(|(expression, value)| format!("{expression} = {}", words(value)).into());
                    result.into_iter().chain(watched).collect::<Vec<Cow<'_, str>>>().join(", ")
                }
            };
            let _ = writeln!(out, "{}", text::line(&format!("    {:<6} {line}", ran.program)).trim_end());
        }
        if parts_at == Some(index) {
            let _ = writeln!(out, "    Here the programs part.");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::load;
    use crate::runner::recording::Outcome;
    use crate::runner::{Chunk, Ending, Engine, Level, Verdict};

    fn ran(program: &'static str, output: &[(Stream, &str)]) -> Ran<'static> {
        let output = output.iter().map(|(stream, text)| Chunk { stream: *stream, text: (*text).to_owned() }).collect();
        let engine = Engine {
            name: "RustPython".into(),
            version: "0.5.0".into(),
            python: "3.14.0".into(),
            sandbox: Level::Full,
        };
        let ending = Ending {
            verdict: Verdict::Finished,
            detail: "ran to its end".into(),
            wall_ms: 1.25,
            engine,
            overloads: Vec::new(),
        };
        Ran { program, outcome: Outcome { output, ..Outcome::of(ending) } }
    }

    #[test]
    fn a_wide_terminal_shows_both_programs_side_by_side() {
        let long = "a line that is longer than half of the terminal has columns, and so it goes on below\n";
        let runs = [
            ran("buggy", &[(Stream::Stdout, "one\n\u{1b}[2Jtwo\n"), (Stream::Stderr, "oh\n")]),
            ran("fixed", &[(Stream::Stdout, long)]),
        ];
        let catalog = load::load(&[]).unwrap();
        let report = Report { entry: &catalog.questions[0], runs: runs.into(), repair: None };
        insta::assert_snapshot!(page(&report, Some(100)), @r"
        The buggy program                                | The fixed program
        -----------------                                | -----------------
        stdout: one                                      | stdout: a line that is longer than half of the
        stdout: ␛[2Jtwo                                  | terminal has columns, and so it goes on below
        stderr: oh                                       |
                                                         |
        finished: ran to its end                         | finished: ran to its end

        RustPython 0.5.0 (Python 3.14.0) | sandbox full | buggy 1.2 ms, fixed 1.2 ms
        ");
    }
}
