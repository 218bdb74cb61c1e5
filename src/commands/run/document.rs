//! What `fencepost run --format json` prints.
//!
//! Owns the shape of the document. Names are snake_case; lines and rows are counted from 1.

use serde::Serialize;

use crate::commands::run::repair::Repair;
use crate::commands::run::{Ran, Report};
use crate::content::question::{QuestionName, Scenario};
use crate::runner::{CheckResult, Chunk, Engine, Evaluated, Step, Stream, TraceLimit, Verdict};

#[derive(Serialize)]
pub(super) struct Document<'a> {
    format: u32,
    question: &'a QuestionName,
    engine: Option<&'a Engine>,
    /// The first row of the scenario in which the programs part.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts_at: Option<usize>,
    runs: Vec<Run<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repair: Option<&'a Repair>,
}

#[derive(Serialize)]
struct Run<'a> {
    program: &'a str,
    verdict: Verdict,
    detail: &'a str,
    stdout: String,
    stderr: String,
    output: &'a [Chunk],
    wall_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    checks: Option<&'a [CheckResult]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<Traced<'a>>>,
    /// Which limit cut the steps short.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_full: Option<TraceLimit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<Row<'a>>>,
}

/// A step, and how many bytes of the output came before it, on both streams together.
#[derive(Serialize)]
struct Traced<'a> {
    #[serde(flatten)]
    step: &'a Step,
    written: usize,
}

/// A row of the timeline: what the question says, and what came of it.
#[derive(Serialize)]
struct Row<'a> {
    row: usize,
    at: &'a str,
    who: &'a str,
    does: &'a str,
    result: Option<&'a Evaluated>,
    watched: Vec<Watched<'a>>,
}

#[derive(Serialize)]
struct Watched<'a> {
    expression: &'a str,
    #[serde(flatten)]
    value: &'a Evaluated,
}

pub(super) fn document<'a>(report: &'a Report<'_>) -> Document<'a> {
    let scenario = report.entry.question.scenario.as_ref();
    Document {
        format: 1,
        question: &report.entry.name,
        engine: report.runs.first().map(|ran| &ran.outcome.ending.engine),
        parts_at: report.parts_at().map(|row| row + 1),
        runs: report.runs.iter().map(|ran| run(ran, scenario)).collect(),
        repair: report.repair.as_ref(),
    }
}

fn run<'a>(ran: &'a Ran<'_>, scenario: Option<&'a Scenario>) -> Run<'a> {
    let outcome = &ran.outcome;
    Run {
        program: ran.program,
        verdict: outcome.ending.verdict,
        detail: &outcome.ending.detail,
        stdout: outcome.text(Stream::Stdout),
        stderr: outcome.text(Stream::Stderr),
        output: &outcome.output,
        wall_ms: (outcome.ending.wall_ms * 1000.0).round() / 1000.0,
        checks: (!outcome.checks.is_empty()).then_some(outcome.checks.as_slice()),
        steps: (!outcome.steps.is_empty()).then(|| {
            outcome
                .steps
                .iter()
                .zip(&outcome.written)
                .map(|(step, written)| Traced { step, written: *written })
                .collect()
        }),
        trace_full: outcome.trace_full,
        rows: scenario.filter(|_| !outcome.rows.is_empty()).map(|scenario| rows(ran, scenario)),
    }
}

fn rows<'a>(ran: &'a Ran<'_>, scenario: &'a Scenario) -> Vec<Row<'a>> {
    let row = |(index, row): (usize, &'a crate::runner::Row)| {
        let step = scenario.steps.get(row.step)?;
        let watched = scenario.watch.iter().zip(&row.watched);
        Some(Row {
            row: index + 1,
            at: &step.at,
            who: &step.who,
            does: &step.does,
            result: row.result.as_ref(),
            watched: watched.map(|(expression, value)| Watched { expression, value }).collect(),
        })
    };
    ran.outcome.rows.iter().enumerate().filter_map(row).collect()
}
