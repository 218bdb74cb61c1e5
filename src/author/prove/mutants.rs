//! The fourth proof: no other line is an answer. Runs the buggy program without each of its lines.
//!
//! Nearly all of these programs are invalid, raise, or still have the bug, so the first check is enough for them. Only those
//! that pass it run with every check.

use std::collections::HashSet;

use super::jobs::{job, next, python_literal, usable, wait};
use super::verifier::Verifier;
use crate::author::python::Reader;
use crate::content::question::{LineNo, Question, lines};
use crate::error::Error;
use crate::runner::recording::Outcome;
use crate::runner::{CheckCode, Event, Handle, Limits, Mode, Runner, Scenario, Verdict};

/// The buggy program without a line.
struct Mutant {
    line: LineNo,
    source: String,
    /// True if `pass` replaces the line, which was all of its block.
    emptied: bool,
}

/// Runs the buggy program without each of its lines. Returns the number of programs, and the accepted lines without which every
/// check passes.
pub(super) fn prove(
    verifier: &mut Verifier<'_>,
    runner: &dyn Runner,
    checks: &[CheckCode],
    limits: Limits,
) -> Result<(usize, HashSet<LineNo>), Error> {
    let question = verifier.question;
    let Some(first) = checks.first() else { return Ok(Default::default()) };
    let programs = mutants(question);
    let count = programs.len();
    let open = that_compile(runner, programs)?;
    let try_it = |mutant: Mutant, limits: Limits| {
        // Both as steps of an empty program: that is faster than the report on an exception.
        let steps = vec![Some(mutant.source.clone()), Some(first.code.clone())];
        let mode = Mode::Scenario(Scenario { setup: String::new(), watch: Vec::new(), steps });
        let handle = runner.start(job("", mode, limits));
        (mutant, handle)
    };
    // An endless loop is not worth the wait for a warning, which is all that a repaired line can cause.
    let is_repaired = |line| question.spot.repairs.iter().any(|repair| repair.line == line);
    let is_worth_waiting = |mutant: &Mutant| !question.accepts(mutant.line) || !is_repaired(mutant.line);
    let mut survivors = Vec::new();
    let mut slow = Vec::new();
    for (mutant, handle) in open.into_iter().map(|mutant| try_it(mutant, limits)).collect::<Vec<_>>() {
        match how_far(&handle)? {
            Far::Through => survivors.push((mutant, limits)),
            Far::CheckTooSlow if is_worth_waiting(&mutant) => slow.push(mutant),
            Far::CheckTooSlow | Far::Raised => {}
        }
    }
    let more = more_time(limits, slow.len());
    for (mutant, handle) in slow.into_iter().map(|mutant| try_it(mutant, more)).collect::<Vec<_>>() {
        if how_far(&handle)? == Far::Through {
            survivors.push((mutant, more));
        }
    }
    let in_full = |(mutant, limits): (Mutant, Limits)| {
        let handle = runner.start(job(&mutant.source, Mode::Check(checks.to_vec()), limits));
        (mutant, handle)
    };
    let mut passing = HashSet::new();
    for (mutant, handle) in survivors.into_iter().map(in_full).collect::<Vec<_>>() {
        if !wait(&handle)?.passed() {
            continue;
        }
        if question.accepts(mutant.line) {
            verifier.passes_without(mutant.line, mutant.emptied);
            passing.insert(mutant.line);
        } else {
            verifier.other_answer(mutant.line, mutant.emptied);
        }
    }
    Ok((count, passing))
}

/// The limits of a second try for `programs` whose check ran out of time: together they get the time of one program.
fn more_time(limits: Limits, programs: usize) -> Limits {
    let share = Limits::default().wall / u32::try_from(programs.max(1)).unwrap_or(u32::MAX);
    Limits { wall: share.max(limits.wall), ..limits }
}

/// Those of `programs` that compile. Only the compiler runs, so one process is enough for all of them.
fn that_compile(runner: &dyn Runner, programs: Vec<Mutant>) -> Result<Vec<Mutant>, Error> {
    let compile = |mutant: &Mutant| Some(format!("compile({}, 'program.py', 'exec')", python_literal(&mutant.source)));
    let steps = programs.iter().map(compile).collect();
    let mode = Mode::Scenario(Scenario { setup: String::new(), watch: Vec::new(), steps });
    let outcome = wait(&runner.start(job("", mode, Limits::default())))?;
    let raised = |at: usize| {
        let row = outcome.rows.get(at).and_then(|row| row.result.as_ref());
        row.is_some_and(|result| result.raised)
    };
    Ok(programs.into_iter().enumerate().filter(|(at, _)| !raised(*at)).map(|(_, mutant)| mutant).collect())
}

/// The result of a program and the check after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Far {
    /// Neither raised.
    Through,
    /// The program finished, and the check ran out of time.
    CheckTooSlow,
    /// One of them raised, or the program did not finish.
    Raised,
}

/// Waits for the result of a program and the check after it.
fn how_far(handle: &Handle) -> Result<Far, Error> {
    let mut ran = false;
    loop {
        match next(handle)? {
            Event::Row(row) if row.result.as_ref().is_some_and(|result| result.raised) => return Ok(Far::Raised),
            Event::Row(row) if row.step == 1 => return Ok(Far::Through),
            Event::Row(_) => ran = true,
            Event::Ended(ending) => {
                let slow = ran && ending.verdict == Verdict::TimedOut;
                return usable(Outcome::of(ending)).map(|_| if slow { Far::CheckTooSlow } else { Far::Raised });
            }
            _ => {}
        }
    }
}

/// One program for each line that is not blank.
fn mutants(question: &Question) -> Vec<Mutant> {
    let code = question.spot.code.as_str();
    let lone = Reader::new().and_then(|mut reader| Some(reader.read(code)?.lone_lines())).unwrap_or_default();
    let mutant = |(index, text): (usize, &&str)| {
        let line = LineNo::from_index(index);
        let emptied = lone.contains(&line);
        (!text.trim().is_empty()).then(|| Mutant { line, source: without(code, line, emptied), emptied })
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
