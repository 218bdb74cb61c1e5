//! The fourth proof: no other line is an answer.
//!
//! Owns how the buggy program is run without each of its other lines. Nearly all of these programs are no Python, raise, or
//! still have the bug, so that one process for each is enough; what comes through is run in full.

use super::{GONE, job, together, usable, wait};
use crate::content::prove::judge::Judge;
use crate::content::question::{LineNo, Question, lines};
use crate::runner::outcome::Outcome;
use crate::runner::{CheckCode, Event, Handle, Limits, Mode, Runner, Scenario};

/// Bytes of programs that one process gets at most; real ones have ten thousand together.
const MOST_AT_ONCE: usize = 1 << 20;

/// Runs the buggy program without each of its other lines. Returns how many programs that were.
pub(super) fn without_each_line(
    judge: &mut Judge<'_>,
    runner: &dyn Runner,
    checks: &[CheckCode],
    limits: Limits,
    shares: bool,
) -> Result<usize, String> {
    let question = judge.question;
    let Some(first) = checks.first() else { return Ok(0) };
    let lines = other_lines(question);
    let count = lines.len();
    let open = if question.spot.code.len().saturating_mul(count) > MOST_AT_ONCE {
        lines
    } else if shares {
        that_come_through(question, runner, lines, first, limits)?
    } else {
        that_compile(question, runner, lines)?
    };
    let start = |source: &str, mode: Mode| runner.start(job(source, mode, limits));
    let try_it = |line: LineNo| {
        let source = without(&question.spot.code, line);
        // Both as steps of an empty program: nobody reads the report that an exception costs otherwise.
        let steps = vec![Some(source.clone()), Some(first.code.clone())];
        let mode = Mode::Scenario(Scenario { setup: String::new(), watch: Vec::new(), steps });
        (line, source, start("", mode))
    };
    let tried: Vec<_> = open.into_iter().map(try_it).collect();
    let mut survivors = Vec::new();
    for (line, source, handle) in tried {
        if comes_through(&handle)? {
            survivors.push((line, source));
        }
    }
    let in_full = |(line, source): (LineNo, String)| (line, start(&source, Mode::Check(checks.to_vec())));
    let tried: Vec<_> = survivors.into_iter().map(in_full).collect();
    for (line, handle) in tried {
        if wait(&handle)?.passed() {
            judge.other_answer(line);
        }
    }
    Ok(count)
}

/// Those of `lines` without which the program is still Python. Nothing but a compiler runs, so that one process will do
/// for all of them.
fn that_compile(question: &Question, runner: &dyn Runner, lines: Vec<LineNo>) -> Result<Vec<LineNo>, String> {
    let compile = |line: &LineNo| {
        let source = together::literal(&without(&question.spot.code, *line));
        Some(format!("compile({source}, 'program.py', 'exec')"))
    };
    let steps = lines.iter().map(compile).collect();
    let mode = Mode::Scenario(Scenario { setup: String::new(), watch: Vec::new(), steps });
    let outcome = wait(&runner.start(job("", mode, Limits::default())))?;
    Ok(that_did_not_raise(lines, &outcome))
}

/// Those of `lines` without which neither the program nor the check after it is known to raise. One process runs all of
/// them; where one ends it, or does not end, another goes on behind that one, which is then tried alone, as it is.
fn that_come_through(
    question: &Question,
    runner: &dyn Runner,
    mut lines: Vec<LineNo>,
    check: &CheckCode,
    limits: Limits,
) -> Result<Vec<LineNo>, String> {
    let mut open = Vec::new();
    while !lines.is_empty() {
        let sources: Vec<_> = lines.iter().map(|line| without(&question.spot.code, *line)).collect();
        let runs: Vec<_> = sources.iter().map(|source| (source.as_str(), check.code.as_str())).collect();
        let outcome = wait(&runner.start(job("", together::mode(&runs), limits)))?;
        let behind = lines.split_off(lines.len().min(outcome.rows.len() + 1));
        open.extend(that_did_not_raise(lines, &outcome));
        lines = behind;
    }
    Ok(open)
}

/// Those of `lines` whose row, if there is one, does not say that something was raised.
fn that_did_not_raise(lines: Vec<LineNo>, outcome: &Outcome) -> Vec<LineNo> {
    let raised = |at: usize| {
        let row = outcome.rows.get(at).and_then(|row| row.result.as_ref());
        row.is_some_and(|result| result.raised)
    };
    lines.into_iter().enumerate().filter(|(at, _)| !raised(*at)).map(|(_, line)| line).collect()
}

/// Whether neither the program nor the check after it raised, both being steps. They are not waited for any longer.
fn comes_through(handle: &Handle) -> Result<bool, String> {
    loop {
        match handle.next().ok_or(GONE)? {
            Event::Row(row) if row.result.as_ref().is_some_and(|result| result.raised) => return Ok(false),
            Event::Row(row) if row.step == 1 => return Ok(true),
            Event::Ended(ending) => {
                let (checks, rows) = (Vec::new(), Vec::new());
                let outcome =
                    Outcome { output: vec![], checks, steps: vec![], written: vec![], trace_full: None, rows, ending };
                return usable(outcome).map(|_| false);
            }
            _ => {}
        }
    }
}

/// The lines whose loss is tried: those with something on them that are no answer.
fn other_lines(question: &Question) -> Vec<LineNo> {
    let program = lines(&question.spot.code);
    let all = program.iter().enumerate().filter(|(_, text)| !text.trim().is_empty());
    all.map(|(index, _)| LineNo::from_index(index)).filter(|line| !question.accepts(*line)).collect()
}

fn without(code: &str, gone: LineNo) -> String {
    let kept = lines(code).into_iter().enumerate().filter(|(index, _)| *index != gone.index());
    kept.fold(String::with_capacity(code.len()), |program, (_, line)| program + line + "\n")
}
