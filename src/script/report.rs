//! The report on a quiz. Every format writes the same facts.
//!
//! `grading.rs` fills it in. The doc comments here are the descriptions in `assets/quiz-report.schema.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::question::{Ask, LineNo, QuestionName};
use crate::runner::Verdict;
use crate::script::problem::Problem;
use crate::script::run::Run;
use crate::script::scoring::{PassMark, Weights};

/// The version of the report's format, for every format that carries one.
pub const FORMAT: u32 = 1;

/// A document with the version of its format.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Versioned<T> {
    /// Version of the format.
    #[schemars(extend("const" = 1))]
    format: u32,
    /// The rest of the document.
    #[serde(flatten)]
    content: T,
}

impl<T> Versioned<T> {
    /// `content` in the current version.
    pub fn new(content: T) -> Self {
        Self { format: FORMAT, content }
    }
}

/// The report on one set of answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// The result as a whole.
    #[serde(flatten)]
    pub total: Total,
    /// The terms of the quiz.
    #[serde(flatten)]
    pub terms: Terms,
    /// The questions in the order in which they were asked.
    pub questions: Vec<Graded>,
    /// Mistakes in the answers. Only `--lenient` grades answers with problems, and it leaves their entries out.
    pub problems: Vec<Problem>,
}

/// The result of a quiz as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Total {
    /// True if the pass mark was reached. The exit code says the same: 0 or 1.
    pub passed: bool,
    /// The score.
    pub score: u64,
    /// The highest possible score.
    pub of: u64,
    /// The score in percent, rounded down; 100 where nothing was asked.
    pub percent: u32,
    /// Number of questions whose first pick is right.
    pub right: usize,
    /// Number of questions.
    pub asked: usize,
    /// True if a repaired program tampered with its checks.
    pub suspicious: bool,
}

/// The terms of a quiz.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Terms {
    /// The share of the score that passes, in percent.
    pub pass_mark: PassMark,
    /// The weights of the parts of an answer.
    pub weights: Weights,
    /// True if a mistake costs its own entry and not the whole file: `--lenient`.
    pub lenient: bool,
    /// The seed that the questions were shuffled with; null where they were not.
    pub seed: Option<u64>,
    /// The part of the questions that was asked, as `K/N`; null where it was all of them.
    pub partition: Option<String>,
    /// The reason why nothing was asked; null where something was.
    pub why_empty: Option<String>,
}

/// The reason why nothing was asked, if nothing was. An empty part is not a mistake of the job that got it.
pub fn why_empty(asked: usize, partition: Option<&str>) -> Option<String> {
    let reason = match partition {
        Some(part) => format!("no question falls into part {part}"),
        None => "there is no question".to_owned(),
    };
    (asked == 0).then_some(reason)
}

/// The result of one question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Graded {
    /// The question: `pack/id`.
    #[schemars(with = "String")]
    pub question: QuestionName,
    /// The score of the answer.
    pub score: u64,
    /// The highest possible score.
    pub of: u64,
    /// True if the repaired program tampered with its checks; the score is 0 then.
    pub suspicious: bool,
    /// The line.
    pub line: Line,
    /// The repaired program; null where none was handed in and none counts.
    pub fix: Option<Fix>,
    /// Points of the spoken answer that the learner reports as covered; null without a report. They are never graded.
    pub points: Option<Points>,
}

/// The search for the line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Line {
    /// The outcome. Only the first pick counts.
    pub result: Mark,
    /// `gap` where the question asks for the line after which a step is missing; left out where it asks for the line with the
    /// bug.
    #[serde(default, skip_serializing_if = "Ask::is_line")]
    pub ask: Ask,
    /// The first pick; null where there was none.
    pub chosen: Option<LineNo>,
    /// The text of the chosen line, without the blanks around it.
    pub code: Option<String>,
    /// All picks, in order.
    pub picks: Vec<LineNo>,
    /// The accepted lines.
    pub accepted: Vec<LineNo>,
    /// The question's explanation why the chosen line is or is not the bug, in inline Markdown.
    pub why: String,
}

/// The outcome of the search for the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// An accepted line.
    Right,
    /// Another line.
    Wrong,
    /// No line was named.
    Missing,
}

impl Mark {
    /// The word that reports use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::Missing => "missing",
        }
    }
}

/// A repaired program and its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fix {
    /// The outcome.
    pub result: FixMark,
    /// True if the program came to its end and passed every check.
    pub passed: bool,
    /// True if that is part of the score.
    pub counted: bool,
    /// The program as it ran; null where none was handed in.
    pub text: Option<String>,
    /// The run; left out where none was handed in.
    #[serde(flatten)]
    pub ran: Option<Run>,
}

impl Fix {
    /// True if it tampered with its checks.
    pub fn is_suspicious(&self) -> bool {
        self.ran.as_ref().is_some_and(|ran| ran.verdict == Verdict::Tampered)
    }
}

/// The outcome of a repaired program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FixMark {
    /// It came to its end and passed every check.
    Passed,
    /// It did not.
    Failed,
    /// None was handed in, and one counts.
    Missing,
}

impl FixMark {
    /// The word that reports use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Missing => "missing",
        }
    }
}

/// Points that the learner reports as covered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Points {
    /// The points.
    pub covered: Vec<Point>,
    /// Number of points in the checklist.
    pub of: usize,
}

/// A point of the checklist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Point {
    /// Its place in the checklist, counted from 1.
    pub point: usize,
    /// Its text.
    pub text: String,
}

/// An event while answers are graded, one JSON object a line: `fencepost quiz --format jsonl`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event<'a> {
    /// Grading begins. Always the first.
    Started {
        /// Version of the format.
        #[schemars(extend("const" = 1))]
        format: u32,
        /// Number of questions.
        asked: usize,
        /// The terms of the quiz.
        #[serde(flatten)]
        terms: &'a Terms,
        /// Mistakes in the answers. Only `--lenient` grades answers with problems, and it leaves their entries out.
        problems: &'a [Problem],
    },
    /// A question is graded. One for each question, in the order in which they are asked.
    Graded(&'a Graded),
    /// Grading is over. Always the last.
    Finished(&'a Total),
}
