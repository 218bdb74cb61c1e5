//! The types of a question and of a pack, one field for every key of format 1.
//!
//! `parse.rs` reads them from text, and `validate.rs` checks them.
//! The doc comments of keys are also the descriptions in `assets/question.schema.json`, for authors.

mod date;
mod line_no;
mod name;
mod pack;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::date::Date;
pub use self::line_no::LineNo;
pub use self::name::QuestionName;
pub use self::pack::{LearningPath, Pack};
use crate::content::versions;

/// The version of the question format that this program reads.
pub const FORMAT: i64 = 1;

/// The experience that the question assumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// First years on the job.
    Junior,
    /// Builds features without help.
    Mid,
    /// Designs systems.
    Senior,
    /// Designs across teams.
    Staff,
}

impl Level {
    /// Every level, easiest first.
    pub const ALL: [Self; 4] = [Self::Junior, Self::Mid, Self::Senior, Self::Staff];

    /// The word for it in a question's file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Junior => "junior",
            Self::Mid => "mid",
            Self::Senior => "senior",
            Self::Staff => "staff",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// One spot-the-bug question in format 1.
///
/// Prose is inline Markdown: `code`, *emphasis* and links.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, title = "fencepost question")]
pub struct Question {
    /// Version of the format. This program reads version 1.
    #[schemars(extend("const" = 1))]
    pub format: i64,
    /// The file's name without `.toml`: lowercase letters, digits and hyphens.
    #[schemars(regex(pattern = r"^[a-z0-9]+(-[a-z0-9]+)*$"))]
    pub id: String,
    /// Ids that the question had before. Old commands, answers and a learner's history still find it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(regex(pattern = r"^[a-z0-9]+(-[a-z0-9]+)*$")))]
    pub formerly: Vec<String>,
    /// The heading, which learners see before they answer. It must not give the line away.
    #[schemars(regex(pattern = r"\S"), length(max = 100))]
    pub title: String,
    /// The subject that the library groups by, such as "Distributed systems".
    #[schemars(regex(pattern = r"\S"))]
    pub topic: String,
    /// The experience that the question assumes.
    pub level: Level,
    /// Subjects and their first versions, shown as chips: "Python 3.13+", "PostgreSQL 17+".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(regex(pattern = r"\S")))]
    pub requires: Vec<String>,
    /// The Python versions that the programs need, such as ">=3.13".
    #[schemars(regex(pattern = versions::RANGE))]
    pub python: String,
    /// Words to search by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(regex(pattern = r"\S")))]
    pub tags: Vec<String>,
    /// Ids of related questions. Each must exist when a pack is checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(regex(pattern = r"\S")))]
    pub related: Vec<String>,
    /// The kind of model, so that nobody takes a toy for the real system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Model>,
    /// The last review of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
    /// The question and the buggy program.
    pub spot: Spot,
    /// The fixed program.
    pub fixed: Fixed,
    /// The stamp. `fencepost author check --stamp` writes it; do not write it by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<Verified>,
    /// Properties of every correct program. At least one fails on the buggy program.
    #[serde(rename = "check")]
    #[schemars(length(min = 1))]
    pub checks: Vec<Check>,
    /// Steps that both programs run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenario: Option<Scenario>,
    /// The spoken answer.
    pub say: Say,
    /// Background: common mistakes, a senior engineer's view, and facts.
    pub learn: Learn,
    /// Questions that an interviewer would ask next.
    #[serde(rename = "follow_up", default, skip_serializing_if = "Vec::is_empty")]
    pub follow_ups: Vec<FollowUp>,
}

/// The kind of model, and what it leaves out.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Model {
    /// The kind of model: "toy", "real SQLite", "real asyncio", "real Python".
    #[schemars(regex(pattern = r"\S"))]
    pub kind: String,
    /// The parts of the real system that the program leaves out.
    #[schemars(regex(pattern = r"\S"))]
    pub leaves_out: String,
}

/// The last review of the question.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Review {
    /// The reviewer.
    #[schemars(regex(pattern = r"\S"))]
    pub by: String,
    /// The day of the review.
    pub on: Date,
}

/// The question and the buggy program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Spot {
    /// The problem as a user sees it, and a question that asks for a line.
    #[schemars(regex(pattern = r"\S"))]
    pub prompt: String,
    /// The place that the question asks for: a line, or a gap after a line.
    #[serde(default)]
    pub ask: Ask,
    /// Hints, opened one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(regex(pattern = r"\S")))]
    pub hints: Vec<String>,
    /// The buggy program.
    #[schemars(regex(pattern = r"\S"))]
    pub code: String,
    /// Everything that the buggy program writes to standard output.
    pub prints: String,
    /// The reason why the accepted line is the bug, shown after the answer.
    #[schemars(regex(pattern = r"\S"))]
    pub explanation: String,
    /// The accepted lines. At least one.
    #[serde(rename = "answer")]
    #[schemars(length(min = 1))]
    pub answers: Vec<Answer>,
    /// Tempting wrong lines.
    #[serde(rename = "near", default, skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<Near>,
    /// The repair of the buggy program, as small as possible. Lines count in the buggy program, and all entries apply together.
    #[serde(rename = "repair")]
    #[schemars(length(min = 1))]
    pub repairs: Vec<Repair>,
}

/// The place that the question asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// The line with the bug.
    #[default]
    Line,
    /// The line after which a step is missing.
    Gap,
}

impl Ask {
    /// Both kinds, with their words in a question's file.
    pub const ALL: [(&'static str, Self); 2] = [("line", Self::Line), ("gap", Self::Gap)];

    /// True for the usual kind.
    pub fn is_line(&self) -> bool {
        *self == Self::Line
    }
}

/// An accepted line of the buggy program. Number and text must agree, so that an edit that moves lines is noticed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Answer {
    /// The line, counted from 1.
    pub line: LineNo,
    /// The text of that line, without its indentation.
    #[schemars(regex(pattern = r"\S"))]
    pub code: String,
}

/// A tempting wrong line and why it is not the bug.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Near {
    /// The line, counted from 1.
    pub line: LineNo,
    /// Shown to a learner who picks it.
    #[schemars(regex(pattern = r"\S"))]
    pub feedback: String,
}

/// A changed line of the repair.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Repair {
    /// The line of the buggy program to replace, counted from 1.
    pub line: LineNo,
    /// The new text of the line. An empty text deletes it, several lines insert; one newline at the end is dropped. For a gap:
    /// the line as it is, and the missing lines below it.
    pub with: String,
}

/// The fixed program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Fixed {
    /// The heading of the program.
    #[schemars(regex(pattern = r"\S"))]
    pub title: String,
    /// The program. It defines at least the public names of the buggy program.
    #[schemars(regex(pattern = r"\S"))]
    pub code: String,
    /// Everything that it writes to standard output.
    pub prints: String,
}

/// The stamp of a question that was proved on a real CPython.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Verified {
    /// The CPython version, such as "3.13.5", or the oldest and the newest: "3.10.13, 3.13.0".
    #[schemars(regex(pattern = versions::PYTHON))]
    pub python: String,
    /// The mypy version, such as "1.18.2".
    #[schemars(regex(pattern = versions::TOOL))]
    pub mypy: String,
    /// The day of the proof.
    pub on: Date,
    /// Hash of everything that the proofs depend on, so that an outdated stamp is noticed.
    #[schemars(regex(pattern = r"\S"))]
    pub hash: String,
}

/// A property, checked in the namespace of a program after it has run. Any exception fails the check.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Check {
    /// The property, in words.
    #[schemars(regex(pattern = r"\S"))]
    pub name: String,
    /// Python that asserts the property.
    #[schemars(regex(pattern = r"\S"))]
    pub code: String,
}

/// Steps that both programs run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Scenario {
    /// Python that runs before the first step.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(regex(pattern = r"\S"))]
    pub setup: String,
    /// Expressions that are shown after each step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(regex(pattern = r"\S")))]
    pub watch: Vec<String>,
    /// The rows of the timeline, in order.
    #[serde(rename = "step")]
    #[schemars(length(min = 1))]
    pub steps: Vec<Step>,
}

/// A row of the timeline.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Step {
    /// The time, in the scenario's own units.
    #[schemars(regex(pattern = r"\S"))]
    pub at: String,
    /// The actor.
    #[schemars(regex(pattern = r"\S"))]
    pub who: String,
    /// The action, in words.
    #[schemars(regex(pattern = r"\S"))]
    pub does: String,
    /// A Python expression that is evaluated in both programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"\S"))]
    pub run: Option<String>,
}

/// The spoken answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Say {
    /// The interviewer's question.
    #[schemars(regex(pattern = r"\S"))]
    pub prompt: String,
    /// The time for the answer, in seconds.
    #[serde(default = "default_seconds")]
    #[schemars(range(min = 1, max = 3600))]
    pub seconds: u32,
    /// An answer that takes about 30 seconds to say.
    #[schemars(regex(pattern = r"\S"))]
    pub answer: String,
    /// The points that a good answer covers.
    #[schemars(length(min = 1), inner(regex(pattern = r"\S")))]
    pub points: Vec<String>,
}

/// The default of `say.seconds`.
pub const DEFAULT_SECONDS: u32 = 35;

fn default_seconds() -> u32 {
    DEFAULT_SECONDS
}

/// Background: common mistakes, a senior engineer's view, and facts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Learn {
    /// Common mistakes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(regex(pattern = r"\S")))]
    pub mistakes: Vec<String>,
    /// The view of a senior engineer.
    #[schemars(regex(pattern = r"\S"))]
    pub senior_take: String,
    /// Facts, each with its source and the day on which it was looked up.
    #[serde(rename = "fact", default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
}

/// A fact with its source.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Fact {
    /// The fact.
    #[schemars(regex(pattern = r"\S"))]
    pub text: String,
    /// The document and address in which it was looked up.
    #[schemars(regex(pattern = r"\S"))]
    pub source: String,
    /// The day on which it was looked up.
    pub checked: Date,
}

/// A question that an interviewer would ask next.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FollowUp {
    /// The question.
    #[schemars(regex(pattern = r"\S"))]
    pub question: String,
    /// A hint that the learner can open.
    #[schemars(regex(pattern = r"\S"))]
    pub hint: String,
    /// A strong answer, which the learner can open after the hint.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"\S"))]
    pub answer: Option<String>,
}

/// True if a line has more than blanks and a comment.
pub(crate) fn is_code(line: &str) -> bool {
    let text = line.trim_start();
    !text.is_empty() && !text.starts_with('#')
}

impl Verified {
    /// The versions of CPython, the oldest first.
    pub fn pythons(&self) -> impl Iterator<Item = &str> {
        self.python.split(", ")
    }
}

/// The lines of a program, without the newline at its end.
pub fn lines(code: &str) -> Vec<&str> {
    code.strip_suffix('\n').unwrap_or(code).split('\n').collect()
}

impl Question {
    /// The accepted lines, in the file's order.
    pub fn accepted(&self) -> impl Iterator<Item = LineNo> + '_ {
        self.spot.answers.iter().map(|answer| answer.line)
    }

    /// True if `line` is an accepted answer.
    pub fn accepts(&self, line: LineNo) -> bool {
        self.accepted().any(|accepted| accepted == line)
    }

    /// The line that `line` means as an answer. In a question about a gap, a blank line or a comment means the code above it,
    /// since both are followed by the same gap.
    pub fn answer_line(&self, line: LineNo) -> LineNo {
        if self.spot.ask.is_line() {
            return line;
        }
        let program = lines(&self.spot.code);
        let is_code = |index: &usize| program.get(*index).is_some_and(|text| is_code(text));
        (0..=line.index()).rev().find(is_code).map_or(line, LineNo::from_index)
    }

    /// The feedback for a tempting wrong line.
    pub fn near(&self, line: LineNo) -> Option<&str> {
        self.spot.near.iter().find(|near| near.line == line).map(|near| near.feedback.as_str())
    }

    /// True if a follow-up question has an answer.
    pub fn has_follow_up_answers(&self) -> bool {
        self.follow_ups.iter().any(|follow_up| follow_up.answer.is_some())
    }

    /// The number of lines of the buggy program.
    pub fn line_count(&self) -> usize {
        lines(&self.spot.code).len()
    }

    /// The buggy program with the repair applied.
    pub fn repaired(&self) -> String {
        self.repaired_with(|_| true)
    }

    /// The buggy program with the `wanted` entries of the repair applied.
    pub fn repaired_with(&self, wanted: impl Fn(&Repair) -> bool) -> String {
        let mut out = String::with_capacity(self.spot.code.len() + 80);
        for (index, text) in lines(&self.spot.code).iter().enumerate() {
            let here = LineNo::from_index(index);
            match self.spot.repairs.iter().find(|repair| repair.line == here && wanted(repair)) {
                None => {
                    out.push_str(text);
                    out.push('\n');
                }
                Some(repair) if repair.with.is_empty() => {}
                Some(repair) => {
                    out.push_str(repair.with.strip_suffix('\n').unwrap_or(&repair.with));
                    out.push('\n');
                }
            }
        }
        out
    }
}
