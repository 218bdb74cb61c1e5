//! The parts of a question and their facts, for the two formats that know test cases and nothing else: JUnit and TAP.

use serde::Serialize;
use serde_json::Value;

use crate::runner::CheckOutcome;
use crate::script::report::{FORMAT, Fix, FixMark, Graded, Line, Mark, Report};
use crate::script::text;

/// A part of a question.
pub(super) struct Part {
    /// `line` or `fix`.
    pub(super) name: &'static str,
    /// The result, as a test case has it.
    pub(super) status: Status,
    /// The word for the outcome: `right`, `wrong`, `missing`, `passed`, `failed`.
    pub(super) result: &'static str,
    /// The outcome in one sentence.
    pub(super) sentence: String,
    /// The facts of the part.
    pub(super) facts: Vec<Fact>,
    /// Standard output and standard error of the repaired program.
    pub(super) written: Option<(String, String)>,
    /// The running time in milliseconds; `None` where that is left out.
    pub(super) wall_ms: Option<f64>,
}

/// A fact under the name that the JSON report has for it.
pub(super) type Fact = (String, Value);

/// The facts of `shape`: its fields as they are in the JSON report, so that no format has fewer of them.
pub(super) fn facts(shape: &impl Serialize) -> Vec<Fact> {
    match serde_json::to_value(shape) {
        Ok(Value::Object(fields)) => fields.into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The facts of the whole quiz, each name with `quiz.` before it, since a question has a score as well.
pub(super) fn of_the_quiz(report: &Report) -> Vec<Fact> {
    let Report { total, terms, questions: _, problems } = report;
    let problems = serde_json::to_value(problems).unwrap_or_default();
    let ends = [("format", FORMAT.into()), ("problems", problems)].map(|(name, value)| (name.to_owned(), value));
    let [format, problems] = ends;
    let facts = [vec![format], facts(total), facts(terms), vec![problems]].concat();
    within("quiz", facts)
}

/// `facts` with `owner.` before each name.
pub(super) fn within(owner: &str, facts: Vec<Fact>) -> Vec<Fact> {
    facts.into_iter().map(|(name, value)| (format!("{owner}.{name}"), value)).collect()
}

/// The facts of a question that belong to none of its parts.
pub(super) fn of_the_question(graded: &Graded) -> Vec<Fact> {
    let Graded { question: _, score, of, suspicious, line: _, fix: _, points } = graded;
    let points = serde_json::to_value(points).unwrap_or_default();
    [("score", (*score).into()), ("of", (*of).into()), ("suspicious", (*suspicious).into()), ("points", points)]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
}

/// The result of a part, as a test case has it.
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
pub(super) fn parts(graded: &Graded, report: &Report) -> Vec<Part> {
    let mut parts = vec![line(&graded.line, report.terms.weights.line > 0)];
    parts.extend(graded.fix.as_ref().map(repair));
    parts
}

fn line(line: &Line, counted: bool) -> Part {
    Part {
        name: "line",
        status: Status::of(line.result == Mark::Right, counted),
        result: line.result.word(),
        sentence: text::line(line),
        facts: facts(line),
        written: None,
        wall_ms: Some(0.0),
    }
}

fn repair(fix: &Fix) -> Part {
    let mut sentence = text::outcome(fix);
    let checks = fix.ran.iter().flat_map(|ran| &ran.checks);
    for check in checks.filter(|check| check.result != CheckOutcome::Passed) {
        sentence.push_str(&format!("\n{}: {}: {}", check.result.word(), check.name, check.message));
    }
    Part {
        name: "fix",
        // A fix that tampers fails a job also where no fix counts: the answer is worth nothing.
        status: Status::of(fix.result == FixMark::Passed, fix.counted || fix.is_suspicious()),
        result: fix.result.word(),
        sentence,
        facts: facts(fix),
        written: fix.ran.as_ref().map(|ran| (ran.stdout.clone(), ran.stderr.clone())),
        wall_ms: fix.ran.as_ref().map_or(Some(0.0), |ran| ran.wall_ms),
    }
}
