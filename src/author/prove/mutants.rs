//! The fourth proof: no small change of another line is a repair. Runs the buggy program without each of its lines, and with
//! small edits.
//!
//! Nearly all of these programs are invalid, raise, or still have the bug, so the first check is enough for them. Only those
//! that pass it run with every check.

use std::collections::HashSet;
use std::ops::{ControlFlow, RangeInclusive};

use super::batch::{Batch, Far};
use super::edits::{edits, named};
use super::jobs::{job, wait};
use super::verifier::Verifier;
use crate::author::python::Reader;
use crate::content::question::{LineNo, Question, lines};
use crate::error::Error;
use crate::runner::{CheckCode, Limits, Mode, Runner};

/// The buggy program with a small change.
pub(super) struct Mutant {
    /// The lines that the change touches, as indices.
    rows: RangeInclusive<usize>,
    kind: Kind,
    /// The change in words that follow "the program".
    how: String,
    pub(super) source: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A line is gone, or `pass` replaces it.
    Deletion,
    Edit,
}

impl Mutant {
    /// The first line that the change touches.
    fn line(&self) -> LineNo {
        LineNo::from_index(*self.rows.start())
    }

    fn touches_an_answer(&self, question: &Question) -> bool {
        self.rows.clone().any(|row| question.accepts(LineNo::from_index(row)))
    }
}

/// The results of the mutants of a question.
#[derive(Default)]
pub(super) struct Tried {
    /// The number of programs.
    pub(super) programs: usize,
    /// The accepted lines without which every check passes.
    pub(super) passing: HashSet<LineNo>,
    /// Mutants that may fail a check: those that do, and the edits of accepted lines.
    pub(super) failing: Vec<Mutant>,
}

/// Runs the buggy program without each of its lines, and, if `thorough`, with each small edit of lines that are not accepted.
pub(super) fn prove(
    verifier: &mut Verifier<'_>,
    (runner, batch): (&dyn Runner, &Batch<'_>),
    checks: &[CheckCode],
    limits: Limits,
    thorough: bool,
) -> Result<Tried, Error> {
    let question = verifier.question;
    let Some(first) = checks.first() else { return Ok(Tried::default()) };
    let mut tried = Tried::default();
    let mut mutants = deletions(question);
    if thorough {
        let known: HashSet<String> = mutants.iter().map(|it| it.source.clone()).collect();
        let all = edits(&question.spot.code).into_iter().filter(|it| !known.contains(&it.source));
        let all = all.map(|it| Mutant { rows: it.rows, kind: Kind::Edit, how: it.how, source: it.source });
        let (answers, others): (Vec<_>, Vec<_>) = all.partition(|it| it.touches_an_answer(question));
        tried.failing = answers;
        mutants.extend(others);
    }
    tried.programs = mutants.len();
    // An endless loop is not worth the wait for a warning, which is all that a repaired line can cause.
    let is_repaired = |line| question.spot.repairs.iter().any(|repair| repair.line == line);
    let is_worth_waiting = |mutant: &Mutant| !question.accepts(mutant.line()) || !is_repaired(mutant.line());
    let mut far = Vec::with_capacity(mutants.len());
    let sources: Vec<&str> = mutants.iter().map(|it| it.source.as_str()).collect();
    batch.each(&sources, first, limits, |_, it| {
        far.push(it);
        ControlFlow::Continue(())
    })?;
    let slow = |(at, far): (usize, &Far)| {
        (*far == Far::CheckTooSlow && mutants.get(at).is_some_and(is_worth_waiting)).then_some(at)
    };
    let slow: Vec<usize> = far.iter().enumerate().filter_map(slow).collect();
    let more = more_time(limits, slow.len());
    let again: Vec<&str> = slow.iter().filter_map(|at| sources.get(*at).copied()).collect();
    batch.each(&again, first, more, |at, it| {
        if let Some(far) = slow.get(at).and_then(|at| far.get_mut(*at)) {
            *far = it;
        }
        ControlFlow::Continue(())
    })?;
    let mut in_full = Vec::new();
    for (at, (mutant, far)) in mutants.into_iter().zip(far).enumerate() {
        if far == Far::Passed {
            let limits = if slow.contains(&at) { more } else { limits };
            let handle = runner.start(job(&mutant.source, Mode::Check(checks.to_vec()), limits));
            in_full.push((mutant, handle));
        } else if far != Far::Unfinished {
            tried.failing.push(mutant);
        }
    }
    let mut hits: Vec<(Mutant, usize)> = Vec::new();
    for (mutant, handle) in in_full {
        if !wait(&handle)?.passed() {
            tried.failing.push(mutant);
        } else if question.accepts(mutant.line()) && mutant.kind == Kind::Deletion {
            verifier.passes_without(mutant.line(), &mutant.how);
            tried.passing.insert(mutant.line());
        } else if let Some((_, more)) = hits.iter_mut().find(|(it, _)| it.line() == mutant.line()) {
            // One hole in the checks lets many edits of a line pass.
            *more += 1;
        } else {
            hits.push((mutant, 0));
        }
    }
    for (mutant, more) in hits {
        verifier.other_answer(mutant.line(), &named(&mutant.rows), &mutant.how, more);
    }
    Ok(tried)
}

/// The limits of a second try for `programs` whose check ran out of time: together they get the time of one program.
fn more_time(limits: Limits, programs: usize) -> Limits {
    let share = Limits::default().wall / u32::try_from(programs.max(1)).unwrap_or(u32::MAX);
    Limits { wall: share.max(limits.wall), ..limits }
}

/// One program for each line that is not blank.
fn deletions(question: &Question) -> Vec<Mutant> {
    let code = question.spot.code.as_str();
    let lone = Reader::new().and_then(|mut reader| Some(reader.read(code)?.lone_lines())).unwrap_or_default();
    let mutant = |(row, text): (usize, &&str)| {
        let line = LineNo::from_index(row);
        let emptied = lone.contains(&line);
        let how = if emptied { format!("with `pass` in place of line {line}") } else { format!("without line {line}") };
        let source = || without(code, line, emptied);
        (!text.trim().is_empty()).then(|| Mutant { rows: row..=row, kind: Kind::Deletion, how, source: source() })
    };
    lines(code).iter().enumerate().filter_map(mutant).collect()
}

/// A program without a line, or with `pass` in its place.
fn without(code: &str, gone: LineNo, emptied: bool) -> String {
    let mut program = String::with_capacity(code.len() + 8);
    for (index, line) in lines(code).into_iter().enumerate() {
        if index != gone.index() {
            program = program + line + "\n";
        } else if emptied {
            program = program + line.get(..line.len() - line.trim_start().len()).unwrap_or_default() + "pass\n";
        }
    }
    program
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_keeps_something_in_it() {
        let line = LineNo::new(2).unwrap();
        assert_eq!(without("if a:\n    b  # c\nd\n", line, true), "if a:\n    pass\nd\n");
        assert_eq!(without("if a:\n    b  # c\nd\n", line, false), "if a:\nd\n");
    }

    #[test]
    fn slow_checks_share_the_time_of_one_program() {
        let all = Limits::default().wall;
        let limits = Limits { wall: all / 4, ..Limits::default() };
        assert_eq!([0, 1, 2, 4, 9].map(|count| more_time(limits, count).wall), [all, all, all / 2, all / 4, all / 4]);
    }
}
