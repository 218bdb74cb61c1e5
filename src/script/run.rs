//! Runs of programs in JSON: the document of `fencepost run`, and [`Run`], which reports of `fencepost quiz` and replies of
//! a session have as well. The doc comments here are descriptions in the schemas.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::question::{Question, QuestionName, Scenario};
use crate::quiz::diff::diff;
use crate::quiz::grade::{DiffLine, repair_diff};
use crate::quiz::state::Program;
use crate::runner::recording::{Outcome, Recording};
use crate::runner::{
    self, CheckOutcome, CheckResult, Chunk, Ending, Engine, Evaluated, Step, Stream, TraceLimit, Verdict,
};

/// Programs that `fencepost run` ran: `fencepost run --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Runs {
    /// The question: `pack/id`.
    #[schemars(with = "String")]
    pub question: QuestionName,
    /// The first row of the scenario in which the programs differ, counted from 1; left out where none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts_at: Option<usize>,
    /// The runs: first of the buggy program or of one that was handed in, then of the fixed program.
    pub runs: Vec<DetailedRun>,
    /// The result of a program that was handed in as a repair; left out where its checks did not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<Repair>,
}

/// A program that ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// The part that the program plays in the question.
    pub program: Role,
    /// The kind of its end.
    pub verdict: Verdict,
    /// A sentence about its end.
    pub detail: String,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Both, in the order of writing.
    pub output: Vec<Chunk>,
    /// The question's checks on it, by name; empty where it was only run.
    pub checks: Vec<CheckResult>,
    /// Its running time in milliseconds, without its checks. Left out with `--no-times`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub wall_ms: Option<f64>,
    /// The interpreter and its sandbox.
    pub engine: Engine,
    /// Methods such as `__eq__` that a repaired program defines and its question does not: values can lie through them.
    pub overloads: Vec<String>,
}

/// A program that ran, with its trace or its scenario.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DetailedRun {
    /// The run.
    #[serde(flatten)]
    pub run: Run,
    /// Steps of a traced program; left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<TracedStep>,
    /// The limit that cut the steps short; left out where none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_full: Option<TraceLimit>,
    /// Rows of the scenario; left out where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<Row>,
}

/// The part that a program plays in a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The program with the bug.
    Buggy,
    /// The fixed program.
    Fixed,
    /// A program that was handed in.
    Fix,
}

impl From<Program> for Role {
    fn from(program: Program) -> Self {
        match program {
            Program::Buggy => Self::Buggy,
            Program::Fixed => Self::Fixed,
        }
    }
}

/// A step of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TracedStep {
    /// The step itself.
    #[serde(flatten)]
    pub step: Step,
    /// Bytes of output before it, on both streams together.
    pub written: usize,
}

/// A row of a scenario: the question's words, and the results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Row {
    /// The number of the row, counted from 1.
    pub row: usize,
    /// The time in the story.
    pub at: String,
    /// The actor.
    pub who: String,
    /// The action.
    pub does: String,
    /// The value of the step, or its exception; null where it has none.
    pub result: Option<Evaluated>,
    /// The watched expressions after it.
    pub watched: Vec<Watched>,
}

/// A watched expression.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Watched {
    /// The expression.
    pub expression: String,
    /// Its value.
    #[serde(flatten)]
    pub value: Evaluated,
}

impl Run {
    /// The run of a program with this role, which ended with `ending`.
    pub fn new<E>(program: Role, recording: &Recording<E>, ending: &Ending) -> Self {
        Self {
            program,
            verdict: ending.verdict,
            detail: ending.detail.clone(),
            stdout: recording.text(Stream::Stdout),
            stderr: recording.text(Stream::Stderr),
            output: recording.output.clone(),
            checks: recording.checks.clone(),
            wall_ms: Some((ending.wall_ms * 1000.0).round() / 1000.0),
            engine: ending.engine.clone(),
            overloads: ending.overloads.clone(),
        }
    }

    /// True if the program came to its end and every check passed.
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Finished && self.passed_checks() == self.checks.len()
    }

    /// True if the program is a repair of `question`. A check that never reported has not passed.
    pub fn repairs(&self, question: &Question) -> bool {
        self.passed() && self.checks.len() == question.checks.len()
    }

    /// Number of checks that passed.
    pub fn passed_checks(&self) -> usize {
        self.checks.iter().filter(|check| check.result == CheckOutcome::Passed).count()
    }
}

impl DetailedRun {
    /// The run of a program with this role. `scenario` is that of its question.
    pub fn new(program: Role, outcome: &Outcome, scenario: Option<&Scenario>) -> Self {
        let steps = outcome.steps.iter().zip(&outcome.written);
        let rows = outcome.rows.iter().zip(1..).filter_map(|(row, number)| Row::new(number, row, scenario?));
        Self {
            run: Run::new(program, outcome, &outcome.ending),
            steps: steps.map(|(step, written)| TracedStep { step: step.clone(), written: *written }).collect(),
            trace_full: outcome.trace_full,
            rows: rows.collect(),
        }
    }
}

impl Row {
    fn new(number: usize, row: &runner::Row, scenario: &Scenario) -> Option<Self> {
        let step = scenario.steps.get(row.step)?;
        let watched = scenario.watch.iter().cloned().zip(row.watched.iter().cloned());
        Some(Self {
            row: number,
            at: step.at.clone(),
            who: step.who.clone(),
            does: step.does.clone(),
            result: row.result.clone(),
            watched: watched.map(|(expression, value)| Watched { expression, value }).collect(),
        })
    }
}

/// A program as a repair.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Repair {
    /// True if the program came to its end and every check passed.
    pub passed: bool,
    /// True if it tampered with its checks.
    pub suspicious: bool,
    /// True if the result may count in a grade: on a real CPython, a program can reach what checks it.
    pub for_grading: bool,
    /// The diffs; left out unless the program passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diffs: Option<Diffs>,
}

/// Diffs over the whole buggy program. A line begins with a blank, `-` or `+`.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Diffs {
    /// To your repair.
    pub yours: Vec<String>,
    /// To the smallest repair.
    pub smallest: Vec<String>,
    /// To the fixed program.
    pub fixed: Vec<String>,
}

impl Repair {
    /// Judges `program`, which ran as `run`, as a repair of `question`.
    pub fn new(question: &Question, program: &str, run: &Run) -> Self {
        let to = |new| written(&diff(&question.spot.code, new));
        let passed = run.repairs(question);
        let diffs = passed.then(|| Diffs {
            yours: to(program),
            smallest: written(&repair_diff(question)),
            fixed: to(&question.fixed.code),
        });
        Self { passed, suspicious: run.verdict == Verdict::Tampered, for_grading: run.engine.grades(), diffs }
    }
}

fn written(diff: &[DiffLine<'_>]) -> Vec<String> {
    let line = |line: &DiffLine<'_>| match line {
        DiffLine::Kept { text, .. } => format!(" {text}"),
        DiffLine::Removed { text, .. } => format!("-{text}"),
        DiffLine::Added { text } => format!("+{text}"),
    };
    diff.iter().map(line).collect()
}
