//! Grades answers and says how they went.
//!
//! Owns the shape of the report. Any accepted line is right, the one answer that the file gives counts, and a question
//! without an answer scores 0.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use serde::Serialize;

use crate::content::catalog::{Catalog, Entry};
use crate::content::question::{LineNo, QuestionName};
use crate::quiz::action::Action;
use crate::quiz::grade::{Grade, grade};
use crate::quiz::state::{Outcome, Quiz};
use crate::quiz::update;
use crate::script::answers::Answers;
use crate::tui::text;

/// The report on one file of answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Version of the report's format.
    pub format: u32,
    /// Whether the pass mark was reached.
    pub passed: bool,
    /// Questions that were answered right.
    pub right: usize,
    /// Questions that were asked.
    pub of: usize,
    /// The share of right answers that passes, in percent.
    pub pass_mark: u32,
    /// The questions in the order in which they were asked.
    pub questions: Vec<Graded>,
}

/// How one question went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Graded {
    /// The question.
    pub question: QuestionName,
    /// The outcome.
    pub result: Mark,
    /// The line that was answered; `None` where there was no answer.
    pub line: Option<LineNo>,
    /// The accepted lines.
    pub accepted: Vec<LineNo>,
    /// Why the answered line is the bug, or why it is not: the question's own words.
    pub why: String,
}

/// The outcome of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// An accepted line.
    Right,
    /// Another line.
    Wrong,
    /// No answer.
    Missing,
}

/// The share of right answers that passes where nobody says otherwise, in percent.
pub const PASS_MARK: u32 = 100;

/// Grades `answers` to `questions`, through the same core as the screens.
pub fn grade_all(catalog: &Arc<Catalog>, questions: &[Arc<Entry>], answers: &Answers) -> Report {
    let mut quiz = Quiz::new(catalog.clone(), HashMap::new());
    let graded: Vec<Graded> =
        questions.iter().map(|entry| grade_one(&mut quiz, entry, answers.get(&entry.name).copied())).collect();
    let right = graded.iter().filter(|graded| graded.result == Mark::Right).count();
    let needed = graded.len() * PASS_MARK as usize;
    Report {
        format: 1,
        passed: right * 100 >= needed,
        right,
        of: graded.len(),
        pass_mark: PASS_MARK,
        questions: graded,
    }
}

fn grade_one(quiz: &mut Quiz, entry: &Entry, line: Option<LineNo>) -> Graded {
    let question = &entry.question;
    // A report is no sitting: what the core asks to be remembered is left out here.
    let _ = update(quiz, Action::Open(entry.name.clone()));
    if let Some(line) = line {
        let _ = update(quiz, Action::Pick(line));
    }
    let found = quiz.sitting().and_then(|sitting| sitting.outcome());
    let result = match (line, found) {
        (None, _) => Mark::Missing,
        (Some(_), Some(Outcome::Found { .. })) => Mark::Right,
        (Some(_), _) => Mark::Wrong,
    };
    let why = match line.map(|line| grade(question, line)) {
        Some(Grade::Near(feedback)) => feedback.to_owned(),
        _ => question.spot.explanation.clone(),
    };
    Graded { question: entry.name.clone(), result, line, accepted: question.accepted().collect(), why }
}

impl Report {
    /// The report for people. Not yet safe to draw: names and reasons are the questions' own.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for graded in &self.questions {
            let accepted: Vec<String> = graded.accepted.iter().map(LineNo::to_string).collect();
            let accepted = accepted.join(" or ");
            let _ = match (graded.result, graded.line) {
                (Mark::Right, Some(line)) => writeln!(out, "right    {}: line {line}", graded.question),
                (Mark::Wrong, Some(line)) => {
                    writeln!(out, "wrong    {}: line {line}, the answer is line {accepted}", graded.question)
                }
                _ => writeln!(out, "missing  {}: no answer, the answer is line {accepted}", graded.question),
            };
            if graded.result != Mark::Right {
                for line in textwrap::wrap(&graded.why, text::whole_words(80 - 9)) {
                    let _ = writeln!(out, "         {line}");
                }
            }
        }
        let percent = (self.right * 100).checked_div(self.of).unwrap_or(0);
        let verdict = if self.passed { "passed" } else { "not passed" };
        let _ = writeln!(
            out,
            "\n{} of {} right ({percent} %), pass mark {} %: {verdict}",
            self.right, self.of, self.pass_mark
        );
        out
    }
}
