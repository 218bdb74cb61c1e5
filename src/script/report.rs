//! What a report says, in every format the same.
//!
//! Owns the shape. How it is worked out is `grading.rs`; the formats are `text.rs`, `junit.rs`, `tap.rs` and `csv.rs`, and
//! JSON is this shape itself. The doc comments here are the descriptions in `assets/quiz-report.schema.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::question::{LineNo, QuestionName};
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
    /// How it went as a whole.
    #[serde(flatten)]
    pub total: Total,
    /// How it was asked.
    #[serde(flatten)]
    pub terms: Terms,
    /// The questions in the order in which they were asked.
    pub questions: Vec<Graded>,
    /// What is wrong in the answers. Only `--lenient` grades answers with problems, and it leaves their entries out.
    pub problems: Vec<Problem>,
}

/// How a quiz went as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Total {
    /// Whether the pass mark was reached. The exit code says the same: 0 or 1.
    pub passed: bool,
    /// What the answers are worth.
    pub score: u64,
    /// What right answers to all selected questions would be worth.
    pub of: u64,
    /// The score in percent, rounded down; 100 where nothing was asked.
    pub percent: u32,
    /// Questions whose line was named right with the first pick.
    pub right: usize,
    /// Questions that were asked.
    pub asked: usize,
    /// Whether a repaired program tampered with its checks.
    pub suspicious: bool,
}

/// How a quiz was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Terms {
    /// The share of the score that passes, in percent.
    pub pass_mark: PassMark,
    /// What the parts of an answer are worth.
    pub weights: Weights,
    /// Whether a mistake costs its own entry and not the whole file: `--lenient`.
    pub lenient: bool,
    /// The seed that the questions were shuffled with; null where they were not.
    pub seed: Option<u64>,
    /// The part of the questions that was asked, as `K/N`; null where it was all of them.
    pub partition: Option<String>,
    /// Why nothing was asked; null where something was.
    pub why_empty: Option<String>,
}

/// Why nothing was asked, where nothing was. What narrows the questions down to none is refused, but for a part: that is
/// no mistake of the job that got it.
pub fn why_empty(asked: usize, partition: Option<&str>) -> Option<String> {
    let reason = match partition {
        Some(part) => format!("no question falls into part {part}"),
        None => "there is no question".to_owned(),
    };
    (asked == 0).then_some(reason)
}

/// How one question went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Graded {
    /// The question: `pack/id`.
    #[schemars(with = "String")]
    pub question: QuestionName,
    /// What the answer is worth.
    pub score: u64,
    /// What a right answer is worth.
    pub of: u64,
    /// Whether the repaired program tampered with its checks; the answer is worth nothing then.
    pub suspicious: bool,
    /// The line.
    pub line: Line,
    /// The repaired program; null where none was handed in and none counts.
    pub fix: Option<Fix>,
    /// What the learner says was covered when speaking; null where nothing was said. It is never graded.
    pub points: Option<Points>,
}

/// How the search for the line went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Line {
    /// The outcome. Only the first pick counts.
    pub result: Mark,
    /// The first pick; null where there was none.
    pub chosen: Option<LineNo>,
    /// The text of the chosen line, without the blanks around it.
    pub code: Option<String>,
    /// All picks, in order.
    pub picks: Vec<LineNo>,
    /// The accepted lines.
    pub accepted: Vec<LineNo>,
    /// Why the chosen line is the bug, or why it is not: the question's own words, in inline Markdown.
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

/// How a repaired program did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fix {
    /// The outcome.
    pub result: FixMark,
    /// Whether the program came to its end and passed every check.
    pub passed: bool,
    /// Whether that is part of the score.
    pub counted: bool,
    /// The program as it ran; null where none was handed in.
    pub text: Option<String>,
    /// How it ran; left out where none was handed in.
    #[serde(flatten)]
    pub ran: Option<Run>,
}

impl Fix {
    /// Whether it tampered with its checks.
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
    /// None was handed in, and it counts.
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

/// What the learner says was covered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Points {
    /// The points.
    pub covered: Vec<Point>,
    /// How many there are.
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

/// What happens while answers are graded, one JSON object a line: `fencepost quiz --format jsonl`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event<'a> {
    /// Grading begins. Always the first.
    Started {
        /// Version of the format.
        #[schemars(extend("const" = 1))]
        format: u32,
        /// How many questions are asked.
        asked: usize,
        /// How they are asked.
        #[serde(flatten)]
        terms: &'a Terms,
        /// What is wrong in the answers. Only `--lenient` grades answers with problems, and it leaves their entries out.
        problems: &'a [Problem],
    },
    /// A question is graded. One for each question, in the order in which they are asked.
    Graded(&'a Graded),
    /// Grading is over. Always the last.
    Finished(&'a Total),
}
