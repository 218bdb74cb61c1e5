//! The rest of the third proof: the program needs what the repair changes on the accepted lines.
//!
//! Runs parts of the repair without the others, and the repair without each of its lines. The whole repair was proved before.

use std::cell::Cell;
use std::collections::HashSet;

use super::jobs::{job, wait};
use super::verifier::Verifier;
use crate::author::python::Reader;
use crate::content::changes::{bare, changes};
use crate::content::diagnostic::{Severity, codes};
use crate::content::locate::Step;
use crate::content::question::{Answer, LineNo, Question, Repair, lines};
use crate::error::Error;
use crate::runner::{CheckCode, Limits, Mode, Runner};
use crate::text::listed;

/// Runs parts of a repair that has several. `passing` are the accepted lines without which every check passes. Returns the
/// number of programs.
pub(super) fn prove(
    verifier: &mut Verifier<'_>,
    runner: &dyn Runner,
    (checks, limits): (&[CheckCode], Limits),
    passing: &HashSet<LineNo>,
) -> Result<usize, Error> {
    let question = verifier.question;
    let entries: Vec<&Repair> = question.spot.repairs.iter().filter(|it| changes(question, it)).collect();
    let repaired: Vec<LineNo> = entries.iter().map(|it| it.line).filter(|line| question.accepts(*line)).collect();
    if repaired.is_empty() {
        // Reported when the question was read.
        return Ok(0);
    }
    let count = Cell::new(0);
    let passes = |part: &[LineNo]| {
        count.set(count.get() + 1);
        let source = question.repaired_with(|it| part.contains(&it.line));
        wait(&runner.start(job(&source, Mode::Check(checks.to_vec()), Limits::default()))).map(|it| it.passed())
    };
    let part = |wanted: &dyn Fn(LineNo) -> bool| -> Vec<LineNo> {
        entries.iter().map(|it| it.line).filter(|line| wanted(*line)).collect()
    };
    let elsewhere = part(&|line| !question.accepts(line));
    if !elsewhere.is_empty() && passes(&elsewhere)? {
        verifier.repaired_elsewhere(&elsewhere);
        return Ok(count.get());
    }
    let mut unproved = HashSet::new();
    for (at, answer) in question.spot.answers.iter().enumerate() {
        let line = answer.line;
        let proved = passing.contains(&line)
            // With one such line, the rest of the repair was seen not to be enough.
            || repaired.contains(&line) && (repaired.len() == 1 || !passes(&part(&|it| it != line))? || passes(&[line])?)
            || repaired.contains(&line) && (is_moved(question, answer) || only_feeds(question, answer, &repaired));
        if !proved {
            verifier.unproved(at, answer, repaired.contains(&line));
            unproved.insert(line);
        }
    }
    let may_go = |line: LineNo| {
        let answer = question.spot.answers.iter().find(|it| it.line == line);
        unproved.contains(&line)
            || answer.is_some_and(|it| is_moved(question, it) || only_feeds(question, it, &repaired))
    };
    for (at, repair) in question.spot.repairs.iter().enumerate() {
        let others = part(&|line| line != repair.line);
        if entries.len() > 1 && entries.contains(&repair) && passes(&others)? {
            // Of two lines each of which can be repaired alone, both are answers.
            let is_another_way = question.accepts(repair.line) && passes(&[repair.line])?;
            if !is_another_way && !may_go(repair.line) {
                verifier.needless_repair(at, None);
            }
            continue;
        }
        count.set(count.get() + prove_lines(verifier, runner, (checks, limits), at)?);
    }
    Ok(count.get())
}

/// Runs the repaired program without each line of the entry at `at`, if it has several. Returns the number of programs.
pub(super) fn prove_lines(
    verifier: &mut Verifier<'_>,
    runner: &dyn Runner,
    (checks, limits): (&[CheckCode], Limits),
    at: usize,
) -> Result<usize, Error> {
    let question = verifier.question;
    let rows = question.spot.repairs.get(at).map(|it| needed_lines(question, it)).unwrap_or_default();
    for row in &rows {
        let source = without_row(question, at, *row);
        if wait(&runner.start(job(&source, Mode::Check(checks.to_vec()), limits)))?.passed() {
            verifier.needless_repair(at, Some(LineNo::from_index(*row)));
        }
    }
    Ok(rows.len())
}

/// The lines of an entry of several, as indices, without those that are blank, comments, or the replaced line itself.
fn needed_lines(question: &Question, repair: &Repair) -> Vec<usize> {
    let replaced = lines(&question.spot.code).get(repair.line.index()).map(|it| bare(it).trim().to_owned());
    let text = |(row, line): (usize, &str)| Some((row, bare(line).trim().to_owned())).filter(|(_, it)| !it.is_empty());
    let all: Vec<(usize, String)> = repair.with.lines().enumerate().filter_map(text).collect();
    let several = all.len() > 1;
    all.into_iter().filter(|(_, text)| several && Some(text) != replaced.as_ref()).map(|(row, _)| row).collect()
}

/// The repaired program without a line of the entry at `at`.
fn without_row(question: &Question, at: usize, gone: usize) -> String {
    let mut question = question.clone();
    if let Some(repair) = question.spot.repairs.get_mut(at) {
        let kept = repair.with.lines().enumerate().filter(|(row, _)| *row != gone);
        repair.with = kept.map(|(_, line)| format!("{line}\n")).collect();
    }
    question.repaired()
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

    /// Reports that every check passes without an entry of the repair, or without a line of it.
    fn needless_repair(&mut self, at: usize, row: Option<LineNo>) {
        let path = [Step::Key("spot"), Step::Key("repair"), Step::At(at), Step::Key("with")];
        let Some(line) = self.question.spot.repairs.get(at).map(|it| it.line) else { return };
        let (span, part) = match row {
            Some(row) => (self.problems.line(&path, row), "this line of the repair".to_owned()),
            None => (
                self.problems.place(&[Step::Key("spot"), Step::Key("repair"), Step::At(at), Step::Key("line")]),
                format!("the repair of line {line}"),
            ),
        };
        let message = format!("every check passes without {part}");
        let ran = format!("the repaired program without {part}, and its checks");
        let shown = ("a check fails", "every check passes");
        let help = "remove it, or add a check that fails without it; keep it if only mypy needs it";
        self.push(Severity::Warning, codes::NEEDLESS_REPAIR, span, message, (&ran, shown, shown), help);
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
    pub(super) fn passes_without(&mut self, line: LineNo, how: &str) {
        let repaired = self.question.spot.repairs.iter().any(|it| it.line == line);
        if !repaired || only_deletes(self.question, line) {
            return;
        }
        let Some(at) = self.question.accepted().position(|it| it == line) else { return };
        let span = self.problems.place(&[Step::Key("spot"), Step::Key("answer"), Step::At(at), Step::Key("line")]);
        let message = format!("every check passes without line {line}, so deleting it is a repair");
        let ran = format!("the buggy program {how}, and its checks");
        let shown = ("a check fails", "every check passes");
        let help = "add a check that fails when the line is deleted";
        self.push(Severity::Warning, codes::CHEAP_REPAIR, span, message, (&ran, shown, shown), help);
    }
}
