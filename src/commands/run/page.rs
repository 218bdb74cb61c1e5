//! The page that `fencepost run` prints for people. All text of a program or a pack passes `text::line` here.

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use crate::content::question::{Question, Scenario, lines};
use crate::quiz::describe::{self, value as words};
use crate::runner::{CheckOutcome, Step, StepKind, Stream, TraceLimit};
use crate::script::run::{DetailedRun, Repair, Role, Run, Runs, TracedStep};
use crate::script::text::overloads;
use crate::text;

/// Prints the runs: side by side in `columns`, or one under the other.
pub(super) fn page(document: &Runs, question: &Question, columns: Option<usize>) -> String {
    let runs = &document.runs;
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
    if let Some(scenario) = question.scenario.as_ref().filter(|_| runs.iter().any(|run| !run.rows.is_empty())) {
        timeline(&mut out, document, scenario);
    }
    let Some(DetailedRun { run: first, .. }) = runs.first() else { return out };
    if let Some(of) = &document.repair {
        repair(&mut out, of, first, question.checks.len());
    }
    let times = runs.iter().map(|run| format!("{} {:.1} ms", name(&run.run), run.run.wall_ms.unwrap_or_default()));
    let times = times.collect::<Vec<_>>().join(", ");
    let engine = &first.engine;
    let _ = writeln!(
        out,
        "\n{} {} (Python {}) | sandbox {} | {times}",
        engine.name, engine.version, engine.python, engine.sandbox
    );
    out
}

/// A program in a word.
fn name(run: &Run) -> &'static str {
    match run.program {
        Role::Buggy => "buggy",
        Role::Fixed => "fixed",
        Role::Fix => "yours",
    }
}

/// One program: its name, its output, its checks, its verdict.
fn block(detailed: &DetailedRun) -> Vec<String> {
    let run = &detailed.run;
    let title = match run.program {
        Role::Fix => "Your program".to_owned(),
        _ => format!("The {} program", name(run)),
    };
    let mut block = vec![title.clone(), "-".repeat(title.len())];
    for chunk in &run.output {
        block.extend(output(chunk.stream, &chunk.text));
    }
    if run.output.is_empty() {
        block.push("(no output)".into());
    }
    if !run.checks.is_empty() {
        block.push(String::new());
    }
    for check in &run.checks {
        let word = match check.result {
            CheckOutcome::Passed => "passed",
            CheckOutcome::Failed => "FAILED",
            CheckOutcome::Error => "ERROR",
            CheckOutcome::TimedOut => "TIMED OUT",
        };
        block.push(format!("{word:>9}  {}", text::line(&check.name)));
        let message = lines(&check.message).into_iter().filter(|line| !line.is_empty());
        block.extend(message.map(|line| format!("           {}", text::line(line))));
    }
    trace(&mut block, detailed);
    block.push(String::new());
    block.push(format!("{}: {}", describe::verdict(run.verdict), text::line(&run.detail)));
    block
}

/// Lines that a program wrote, each with its stream, so that no program writes what looks like a verdict.
fn output(stream: Stream, written: &str) -> impl Iterator<Item = String> {
    text::raw_lines(written).map(move |line| format!("{}: {}", stream.word(), text::line(line)))
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

/// Says if the program of `run` repairs the question, and shows the diffs if it does.
fn repair(out: &mut String, repair: &Repair, run: &Run, checks: usize) {
    out.push('\n');
    if !repair.for_grading {
        out.push_str("Not for grading: on CPython, a program can reach what checks it.\n");
    }
    if !run.overloads.is_empty() {
        let _ = writeln!(out, "It {}.", overloads(&run.overloads));
    }
    if repair.suspicious {
        out.push_str("Not repaired: no check on it can be trusted.\n");
        return;
    }
    let Some(diffs) = &repair.diffs else {
        // Where the program itself did not come to its end, its verdict above says why.
        let failed = checks.saturating_sub(run.passed_checks());
        let _ = writeln!(out, "Not repaired: {failed} of {checks} checks failed.");
        return;
    };
    let _ = writeln!(out, "Repaired: every check passed.");
    let same = diffs.smallest == diffs.fixed;
    let smallest = (!same).then_some(("The smallest repair", &diffs.smallest));
    for (title, diff) in
        [("Your repair", &diffs.yours)].into_iter().chain(smallest).chain([("The fixed program", &diffs.fixed)])
    {
        let _ = writeln!(out, "\n{title}");
        for line in diff {
            let _ = writeln!(out, "  {}", text::line(line).trim_end());
        }
    }
}

/// The steps of a trace, one a line, indented by how deep they are, and between them what was written meanwhile.
fn trace(block: &mut Vec<String>, run: &DetailedRun) {
    if !run.steps.is_empty() {
        block.push(String::new());
    }
    let mut before = 0;
    for TracedStep { step, written } in &run.steps {
        let mut start = 0;
        for chunk in &run.run.output {
            let part = before.max(start) - start..(*written).min(start + chunk.text.len()).max(start) - start;
            // Nothing where the range is empty or turned round: the chunk came before or comes later.
            let new = chunk.text.get(part).unwrap_or_default();
            block.extend(output(chunk.stream, new).map(|line| format!("      {line}")));
            start += chunk.text.len();
        }
        before = *written;
        block.push(text::line(&step_line(step)).into_owned());
    }
    let limit = match run.trace_full {
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

/// Rows of the scenario: what happens, and below it the results in each program.
fn timeline(out: &mut String, document: &Runs, scenario: &Scenario) {
    for (index, step) in scenario.steps.iter().enumerate() {
        let heading = format!("{:>2}. {}  {} {}", index + 1, step.at, step.who, step.does);
        let _ = writeln!(out, "\n{}", text::line(&heading));
        for run in &document.runs {
            let line = match run.rows.get(index) {
                None => "not reached".to_owned(),
                Some(row) => {
                    let result = row.result.as_ref().map(words);
                    let watched =
                        row.watched.iter().map(|it| format!("{} = {}", it.expression, words(&it.value)).into());
                    result.into_iter().chain(watched).collect::<Vec<Cow<'_, str>>>().join(", ")
                }
            };
            let _ = writeln!(out, "{}", text::line(&format!("    {:<6} {line}", name(&run.run))).trim_end());
        }
        if document.parts_at == Some(index + 1) {
            let _ = writeln!(out, "    The programs diverge here.");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::load;
    use crate::runner::recording::Outcome;
    use crate::runner::{Chunk, Ending, Engine, Level, Verdict};

    fn ran(program: Role, output: &[(Stream, &str)]) -> DetailedRun {
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
        let outcome = Outcome { output, ..Outcome::of(ending) };
        DetailedRun::new(program, &outcome, None)
    }

    #[test]
    fn a_wide_terminal_shows_both_programs_side_by_side() {
        let long = "a line that is longer than half of the terminal has columns, and so it goes on below\n";
        let runs = [
            ran(Role::Buggy, &[(Stream::Stdout, "one\n\u{1b}[2Jtwo\n"), (Stream::Stderr, "oh\n")]),
            ran(Role::Fixed, &[(Stream::Stdout, long)]),
        ];
        let entry = &load::load(&[]).unwrap().questions[0];
        let document = Runs { question: entry.name.clone(), parts_at: None, runs: runs.into(), repair: None };
        insta::assert_snapshot!(page(&document, &entry.question, Some(100)), @r"
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
