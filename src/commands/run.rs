//! `fencepost run`: the programs of a question, run live.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::cli::{Format, Run};
use crate::commands::{Session, find, json, print, width};
use crate::content::question::{Question, QuestionName, lines};
use crate::content::read;
use crate::error::{Error, Exit};
use crate::runner::outcome::Outcome;
use crate::runner::{CheckCode, CheckOutcome, CheckResult, Chunk, Engine, Job, Limits, Mode, Runner, Stream, Verdict};
use crate::tui::text;

/// Columns from which two programs stand side by side.
const SIDE_BY_SIDE: usize = 100;

pub(super) fn run(session: &Session, args: &Run) -> Result<Exit, Error> {
    let catalog = session.catalog()?;
    let entry = find(&catalog, &args.question)?;
    let programs = programs(&entry.question, args)?;
    let runner = session.runner()?;
    session.may_run(entry, &runner)?;
    let limits = Limits { wall: Duration::from_secs_f64(args.timeout).min(Limits::MAX_WALL), ..Limits::default() };

    // Both start at once, so that the slower one alone decides how long it takes.
    let started: Vec<_> = programs
        .into_iter()
        .map(|(program, source, mode)| (program, runner.start(Job { source, mode, limits })))
        .collect();
    let mut runs = Vec::new();
    for (program, handle) in &started {
        let outcome =
            Outcome::wait(handle).ok_or_else(|| Error::machinery("the runner went away in the middle of a program"))?;
        runs.push(Ran { program, outcome });
    }
    print(&match args.format {
        Format::Text => {
            let two = runs.len() == 2 && std::io::IsTerminal::is_terminal(&std::io::stdout());
            report(&runs, two.then(width).filter(|width| *width >= SIDE_BY_SIDE))
        }
        Format::Json => json(&document(&entry.name, &runs))?,
    })?;
    Ok(exit(&runs))
}

/// A program that came to its end, one way or another.
struct Ran<'a> {
    program: &'a str,
    outcome: Outcome,
}

fn programs(question: &Question, args: &Run) -> Result<Vec<(&'static str, String, Mode)>, Error> {
    if let Some(path) = &args.file {
        let checks = question
            .checks
            .iter()
            .map(|check| CheckCode { name: check.name.clone(), code: check.code.clone() })
            .collect();
        return Ok(vec![("file", read_program(path)?, Mode::Check(checks))]);
    }
    let mut programs = Vec::new();
    if !args.fixed {
        programs.push(("buggy", question.spot.code.clone(), Mode::Run));
    }
    if !args.buggy {
        programs.push(("fixed", question.fixed.code.clone(), Mode::Run));
    }
    Ok(programs)
}

fn read_program(path: &Path) -> Result<String, Error> {
    let root = path.canonicalize().ok().and_then(|real| real.parent().map(Path::to_owned)).unwrap_or_default();
    match read::text_file(&root, path) {
        Ok(file) => Ok(file.text.clone()),
        Err(problem) => {
            Err(Error::usage(problem.message).hint(format!("`--file` takes a Python program: {}", problem.help)))
        }
    }
}

fn exit(runs: &[Ran<'_>]) -> Exit {
    let machinery = |ran: &Ran<'_>| ran.outcome.ending.verdict == Verdict::MachineryFailed;
    if runs.iter().any(machinery) {
        Exit::Machinery
    } else if runs.iter().any(|ran| ran.program == "file" && !ran.outcome.passed()) {
        Exit::Failed
    } else {
        Exit::Done
    }
}

#[derive(Serialize)]
struct Document<'a> {
    format: u32,
    question: &'a QuestionName,
    engine: Option<&'a Engine>,
    runs: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    program: &'a str,
    verdict: Verdict,
    detail: &'a str,
    stdout: String,
    stderr: String,
    output: &'a [Chunk],
    wall_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    checks: Option<&'a [CheckResult]>,
}

fn document<'a>(question: &'a QuestionName, runs: &'a [Ran<'_>]) -> Document<'a> {
    Document {
        format: 1,
        question,
        engine: runs.first().map(|ran| &ran.outcome.ending.engine),
        runs: runs
            .iter()
            .map(|ran| Row {
                program: ran.program,
                verdict: ran.outcome.ending.verdict,
                detail: &ran.outcome.ending.detail,
                stdout: ran.outcome.text(Stream::Stdout),
                stderr: ran.outcome.text(Stream::Stderr),
                output: &ran.outcome.output,
                wall_ms: (ran.outcome.ending.wall_ms * 1000.0).round() / 1000.0,
                checks: (ran.program == "file").then_some(ran.outcome.checks.as_slice()),
            })
            .collect(),
    }
}

/// The report for people: side by side in `columns`, or one under the other.
fn report(runs: &[Ran<'_>], columns: Option<usize>) -> String {
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
        // Standard error is marked in words, so that it is told apart without colour.
        let mark = if chunk.stream == Stream::Stderr { "stderr: " } else { "" };
        block.extend(lines(&chunk.text).iter().map(|line| format!("{mark}{}", text::line(line))));
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
    block.push(String::new());
    block.push(format!(
        "{}: {}",
        ran.outcome.ending.verdict.word().replace('_', " "),
        text::line(&ran.outcome.ending.detail)
    ));
    block
}

fn side_by_side(out: &mut String, left: &[String], right: &[String], columns: usize) {
    let half = columns.saturating_sub(3) / 2;
    let wrap = |lines: &[String]| -> Vec<String> {
        lines.iter().flat_map(|line| textwrap::wrap(line, half).into_iter().map(std::borrow::Cow::into_owned)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::{Ending, Level};

    fn ran(program: &'static str, output: &[(Stream, &str)]) -> Ran<'static> {
        let output = output.iter().map(|(stream, text)| Chunk { stream: *stream, text: (*text).to_owned() }).collect();
        let engine = Engine {
            name: "RustPython".into(),
            version: "0.5.0".into(),
            python: "3.14.0".into(),
            sandbox: Level::Full,
        };
        let ending = Ending { verdict: Verdict::Finished, detail: "ran to its end".into(), wall_ms: 1.25, engine };
        Ran {
            program,
            outcome: Outcome { output, checks: vec![], steps: vec![], trace_full: None, rows: vec![], ending },
        }
    }

    #[test]
    fn a_wide_terminal_shows_both_programs_side_by_side() {
        let long = "a line that is longer than half of the terminal has columns, and so it goes on below\n";
        let runs = [
            ran("buggy", &[(Stream::Stdout, "one\n\u{1b}[2Jtwo\n"), (Stream::Stderr, "oh\n")]),
            ran("fixed", &[(Stream::Stdout, long)]),
        ];
        insta::assert_snapshot!(report(&runs, Some(100)), @r"
        The buggy program                                | The fixed program
        -----------------                                | -----------------
        one                                              | a line that is longer than half of the terminal
        ␛[2Jtwo                                          | has columns, and so it goes on below
        stderr: oh                                       |
                                                         |
        finished: ran to its end                         | finished: ran to its end

        RustPython 0.5.0 (Python 3.14.0) | sandbox full | buggy 1.2 ms, fixed 1.2 ms
        ");
    }
}
