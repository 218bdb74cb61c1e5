//! The rest of the third proof: the program needs what the repair changes on the accepted lines.
//!
//! Runs parts of the repair without the others. The whole repair was proved before.

use std::collections::HashSet;

use super::jobs::{job, wait};
use super::verifier::Verifier;
use crate::author::python::Reader;
use crate::content::changes::changes;
use crate::content::diagnostic::{Severity, codes};
use crate::content::locate::Step;
use crate::content::question::{Answer, LineNo, Question, Repair};
use crate::error::Error;
use crate::runner::{CheckCode, Limits, Mode, Runner};
use crate::text::listed;

/// Runs parts of a repair that has several. `passing` are the accepted lines without which every check passes. Returns the
/// number of programs.
pub(super) fn prove(
    verifier: &mut Verifier<'_>,
    runner: &dyn Runner,
    checks: &[CheckCode],
    passing: &HashSet<LineNo>,
) -> Result<usize, Error> {
    let question = verifier.question;
    let entries: Vec<&Repair> = question.spot.repairs.iter().filter(|it| changes(question, it)).collect();
    let repaired: Vec<LineNo> = entries.iter().map(|it| it.line).filter(|line| question.accepts(*line)).collect();
    if repaired.is_empty() {
        // Reported when the question was read.
        return Ok(0);
    }
    let mut count = 0;
    let mut passes = |part: &[LineNo]| {
        count += 1;
        let source = question.repaired_with(|it| part.contains(&it.line));
        wait(&runner.start(job(&source, Mode::Check(checks.to_vec()), Limits::default()))).map(|it| it.passed())
    };
    let part = |wanted: &dyn Fn(LineNo) -> bool| -> Vec<LineNo> {
        entries.iter().map(|it| it.line).filter(|line| wanted(*line)).collect()
    };
    let elsewhere = part(&|line| !question.accepts(line));
    if !elsewhere.is_empty() && passes(&elsewhere)? {
        verifier.repaired_elsewhere(&elsewhere);
        return Ok(count);
    }
    for (at, answer) in question.spot.answers.iter().enumerate() {
        let line = answer.line;
        let proved = passing.contains(&line)
            // With one such line, the rest of the repair was seen not to be enough.
            || repaired.contains(&line) && (repaired.len() == 1 || !passes(&part(&|it| it != line))? || passes(&[line])?)
            || repaired.contains(&line) && (is_moved(question, answer) || only_feeds(question, answer, &repaired));
        if !proved {
            verifier.unproved(at, answer, repaired.contains(&line));
        }
    }
    Ok(count)
}

/// True if the repair deletes the line because another accepted line no longer needs the name that it binds, such as a value
/// that was read too early.
fn only_feeds(question: &Question, answer: &Answer, repaired: &[LineNo]) -> bool {
    let uses = || {
        let mut reader = Reader::new()?;
        let bound = reader.read(answer.code.trim())?.bound();
        let others = question.spot.answers.iter().filter(|it| it.line != answer.line && repaired.contains(&it.line));
        let mut names =
            |code: &str| reader.read(code).is_some_and(|it| it.names().iter().any(|(_, it)| bound.contains(it)));
        Some(others.map(|it| it.code.trim()).any(&mut names))
    };
    only_deletes(question, answer.line) && uses().unwrap_or(false)
}

/// True if the repair moves the line.
fn is_moved(question: &Question, answer: &Answer) -> bool {
    let mut elsewhere = question.spot.repairs.iter().filter(|it| it.line != answer.line).flat_map(|it| it.with.lines());
    only_deletes(question, answer.line) && elsewhere.any(|line| line.trim() == answer.code.trim())
}

/// True if the repair only deletes the line.
fn only_deletes(question: &Question, line: LineNo) -> bool {
    let with = question.spot.repairs.iter().filter(|it| it.line == line).flat_map(|it| it.with.lines());
    let code = |text: &str| text.split('#').next().unwrap_or_default().trim().to_owned();
    with.map(code).all(|text| text.is_empty() || text == "pass")
}

impl Verifier<'_> {
    /// Reports that the repair works without its entries for accepted lines.
    fn repaired_elsewhere(&mut self, lines: &[LineNo]) {
        let Some(at) = self.question.spot.repairs.iter().position(|it| lines.contains(&it.line)) else { return };
        let noun = if lines.len() == 1 { "line" } else { "lines" };
        let named = format!("{noun} {}", listed(lines.iter().map(LineNo::to_string), "and"));
        self.wrong(
            codes::REPAIR_MISSES,
            &[Step::Key("spot"), Step::Key("repair"), Step::At(at), Step::Key("line")],
            format!("every check passes with the repair of {named} alone, which changes no accepted line"),
            (
                &format!("the buggy program with the repair of {named} alone, and its checks"),
                "a check fails",
                "every check passes".to_owned(),
            ),
            "accept the lines that must change, and repair no others",
        );
    }

    /// Reports that nothing shows that a line is an answer.
    fn unproved(&mut self, at: usize, answer: &Answer, changed: bool) {
        let line = answer.line;
        let path = [Step::Key("spot"), Step::Key("answer"), Step::At(at), Step::Key("line")];
        let span = self.problems.place(&path);
        let message = format!("nothing proves that line {line} is an answer");
        let (ran, expected, seen) = if changed {
            (
                format!("the program without line {line}, with its repair alone, and with the rest of the repair"),
                "without it or with its repair alone every check passes, or the rest of the repair is not enough",
                "without it and with its repair alone a check fails, and the rest of the repair is enough",
            )
        } else {
            (
                format!("the buggy program without line {line}, and its checks"),
                "every check passes, or the repair changes the line",
                "a check fails, and the repair leaves the line as it is",
            )
        };
        let shown = (expected, seen);
        let help = "repair the line, or remove the answer; if a learner could defend the line, keep the answer and ignore this warning";
        self.push(Severity::Warning, codes::UNPROVED_ANSWER, span, message, (&ran, shown, shown), help);
    }

    /// Reports that every check passes without an accepted line, though the repair does more than delete it.
    pub(super) fn passes_without(&mut self, line: LineNo, emptied: bool) {
        let repaired = self.question.spot.repairs.iter().any(|it| it.line == line);
        if !repaired || only_deletes(self.question, line) {
            return;
        }
        let Some(at) = self.question.accepted().position(|it| it == line) else { return };
        let span = self.problems.place(&[Step::Key("spot"), Step::Key("answer"), Step::At(at), Step::Key("line")]);
        let message = format!("every check passes without line {line}, so deleting it is a repair");
        let how = if emptied { format!("with `pass` in place of line {line}") } else { format!("without line {line}") };
        let ran = format!("the buggy program {how}, and its checks");
        let shown = ("a check fails", "every check passes");
        let help = "add a check that fails when the line is deleted";
        self.push(Severity::Warning, codes::CHEAP_REPAIR, span, message, (&ran, shown, shown), help);
    }
}
