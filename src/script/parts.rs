//! The parts of a question, for formats that know test cases and nothing else.
//!
//! Owns what is a case, when it counts, and the facts that belong to it, so that JUnit and TAP say the same.

use serde_json::{Value, json};

use crate::script::report::{Fix, Graded, Mark, Terms, check_word};
use crate::script::text;

/// A part of a question.
pub(super) struct Part {
    /// `line` or `fix`.
    pub(super) name: &'static str,
    /// How it went.
    pub(super) status: Status,
    /// The word for the outcome: `right`, `wrong`, `missing`, `passed`, `failed`.
    pub(super) result: &'static str,
    /// The outcome in one sentence.
    pub(super) sentence: String,
    /// What is behind it, each under the name that the JSON report uses.
    pub(super) facts: Vec<(&'static str, Value)>,
    /// What the repaired program wrote.
    pub(super) written: Option<(String, String)>,
    /// How long a program ran, in milliseconds.
    pub(super) wall_ms: f64,
}

/// How a part went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// Right.
    Passed,
    /// Not right.
    Failed,
    /// Not right, but worth nothing.
    NotCounted,
}

impl Status {
    fn of(right: bool, counted: bool) -> Self {
        match (right, counted) {
            (true, _) => Self::Passed,
            (false, true) => Self::Failed,
            (false, false) => Self::NotCounted,
        }
    }
}

/// The parts of `graded`: its line, and its fix where one counts or was handed in.
pub(super) fn parts(graded: &Graded, terms: &Terms) -> Vec<Part> {
    let fix_counts = graded.of > u64::from(terms.weights.line);
    let mut parts = vec![line(graded, terms.weights.line > 0)];
    match &graded.fix {
        Some(fix) => parts.push(repair(fix)),
        None if fix_counts => parts.push(Part {
            name: "fix",
            status: Status::Failed,
            result: "missing",
            sentence: "no fix was handed in".to_owned(),
            facts: vec![("result", json!("missing"))],
            written: None,
            wall_ms: 0.0,
        }),
        None => {}
    }
    parts
}

fn line(graded: &Graded, counted: bool) -> Part {
    let line = &graded.line;
    let mut facts = vec![
        ("result", json!(line.result)),
        ("chosen", json!(line.chosen)),
        ("code", json!(line.code)),
        ("picks", json!(line.picks)),
        ("accepted", json!(line.accepted)),
        ("why", json!(line.why)),
        ("score", json!(graded.score)),
        ("of", json!(graded.of)),
    ];
    if let Some(points) = &graded.points {
        facts.push(("points", json!(points)));
    }
    Part {
        name: "line",
        status: Status::of(line.result == Mark::Right, counted),
        result: line.result.word(),
        sentence: text::line(line),
        facts,
        written: None,
        wall_ms: 0.0,
    }
}

fn repair(fix: &Fix) -> Part {
    let result = if fix.passed { "passed" } else { "failed" };
    let facts = vec![
        ("result", json!(result)),
        ("counted", json!(fix.counted)),
        ("text", json!(fix.text)),
        ("verdict", json!(fix.ran.verdict)),
        ("detail", json!(fix.ran.detail)),
        ("stdout", json!(fix.ran.stdout)),
        ("stderr", json!(fix.ran.stderr)),
        ("output", json!(fix.ran.output)),
        ("checks", json!(fix.ran.checks)),
        ("wall_ms", json!(fix.ran.wall_ms)),
        ("engine", json!(fix.ran.engine)),
    ];
    let mut sentence = text::outcome(fix);
    for check in fix.ran.checks.iter().filter(|check| check_word(check.result) != "passed") {
        sentence.push_str(&format!("\n{}: {}: {}", check_word(check.result), check.name, check.message));
    }
    Part {
        name: "fix",
        status: Status::of(fix.passed, fix.counted),
        result,
        sentence,
        facts,
        written: Some((fix.ran.stdout.clone(), fix.ran.stderr.clone())),
        wall_ms: fix.ran.wall_ms,
    }
}
