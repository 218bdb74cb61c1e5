//! The fourth proof: no other line is an answer.
//!
//! Owns how the buggy program is run without each of its lines; what it means that one is an answer is `answers.rs`. Nearly all of these programs are no Python, raise, or
//! still have the bug, so that one process for each is enough; what comes through is run in full.

use std::collections::HashSet;

use super::judge::Judge;
use super::{GONE, job, together, usable, wait};
use crate::content::python::Reader;
use crate::content::question::{LineNo, Question, lines};
use crate::runner::recording::Outcome;
use crate::runner::{CheckCode, Event, Handle, Limits, Mode, Runner, Scenario, Verdict};

/// Bytes of programs that one process gets at most; real ones have ten thousand together.
const MOST_AT_ONCE: usize = 1 << 20;

/// The buggy program without a line.
struct Less {
    line: LineNo,
    source: String,
    /// Whether `pass` has the place of the line, which was all of its block.
    emptied: bool,
}

/// Runs the buggy program without each of its lines. Returns how many programs that were, and the accepted lines without
/// which every check passes.
pub(super) fn without_each_line(
    judge: &mut Judge<'_>,
    runner: &dyn Runner,
    checks: &[CheckCode],
    limits: Limits,
    shares: bool,
) -> Result<(usize, HashSet<LineNo>), String> {
    let question = judge.question;
    let Some(first) = checks.first() else { return Ok(Default::default()) };
    let mut programs = with_less(question);
    // The loss of an answer is the most likely to end what runs them all.
    programs.sort_by_key(|less| question.accepts(less.line));
    let count = programs.len();
    let mut through = Vec::new();
    let open = if question.spot.code.len().saturating_mul(count) > MOST_AT_ONCE {
        programs
    } else if shares {
        let mut open = Vec::new();
        through = programs;
        // Most fail the first one. What passes all of them is still run by itself, as it is.
        for check in checks {
            if through.is_empty() {
                break;
            }
            let (still, unknown) = that_come_through(runner, through, check, limits)?;
            through = still;
            // Of a line that the repair changes no more than a warning is at stake, which is not worth the time of a loop
            // that never ends.
            let is_repaired = |less: &Less| question.spot.repairs.iter().any(|repair| repair.line == less.line);
            open.extend(unknown.into_iter().filter(|less| !question.accepts(less.line) || !is_repaired(less)));
        }
        open
    } else {
        that_compile(runner, programs)?
    };
    let try_it = |less: Less, limits: Limits| {
        // Both as steps of an empty program: nobody reads the report that an exception costs otherwise.
        let steps = vec![Some(less.source.clone()), Some(first.code.clone())];
        let mode = Mode::Scenario(Scenario { setup: String::new(), watch: Vec::new(), steps });
        let handle = runner.start(job("", mode, limits));
        (less, handle)
    };
    let mut survivors: Vec<_> = through.into_iter().map(|less| (less, limits)).collect();
    let mut slow = Vec::new();
    for (less, handle) in open.into_iter().map(|less| try_it(less, limits)).collect::<Vec<_>>() {
        match how_far(&handle)? {
            Far::Through => survivors.push((less, limits)),
            Far::CheckTooSlow => slow.push(less),
            Far::Raised => {}
        }
    }
    let more = more_time(limits, slow.len());
    for (less, handle) in slow.into_iter().map(|less| try_it(less, more)).collect::<Vec<_>>() {
        if how_far(&handle)? == Far::Through {
            survivors.push((less, more));
        }
    }
    let in_full = |(less, limits): (Less, Limits)| {
        let handle = runner.start(job(&less.source, Mode::Check(checks.to_vec()), limits));
        (less, handle)
    };
    let mut passing = HashSet::new();
    for (less, handle) in survivors.into_iter().map(in_full).collect::<Vec<_>>() {
        if !wait(&handle)?.passed() {
            continue;
        }
        if question.accepts(less.line) {
            judge.passes_without(less.line, less.emptied);
            passing.insert(less.line);
        } else {
            judge.other_answer(less.line, less.emptied);
        }
    }
    Ok((count, passing))
}

/// What `programs` get that came to their end before their check ran out of time. A program that never ends most often does
/// not come so far; where one does, all of a question together get no more than any one program may have.
fn more_time(limits: Limits, programs: usize) -> Limits {
    let share = Limits::default().wall / u32::try_from(programs.max(1)).unwrap_or(u32::MAX);
    Limits { wall: share.max(limits.wall), ..limits }
}

/// Those of `programs` that are Python. Nothing but a compiler runs, so that one process will do for all of them.
fn that_compile(runner: &dyn Runner, programs: Vec<Less>) -> Result<Vec<Less>, String> {
    let compile = |less: &Less| Some(format!("compile({}, 'program.py', 'exec')", together::literal(&less.source)));
    let steps = programs.iter().map(compile).collect();
    let mode = Mode::Scenario(Scenario { setup: String::new(), watch: Vec::new(), steps });
    let outcome = wait(&runner.start(job("", mode, Limits::default())))?;
    Ok(that_did_not_raise(programs, &outcome))
}

/// Those of `programs` that do not raise, neither by themselves nor in the check after them, and those of which that is not
/// known. One process runs all of them; where one ends it, or does not end, another goes on behind that one.
fn that_come_through(
    runner: &dyn Runner,
    mut programs: Vec<Less>,
    check: &CheckCode,
    limits: Limits,
) -> Result<(Vec<Less>, Vec<Less>), String> {
    let (mut through, mut unknown) = (Vec::new(), Vec::new());
    while !programs.is_empty() {
        let runs: Vec<_> = programs.iter().map(|less| (less.source.as_str(), check.code.as_str())).collect();
        let outcome = wait(&runner.start(job("", together::mode(&runs), limits)))?;
        let mut behind = programs.split_off(programs.len().min(outcome.rows.len()));
        through.extend(that_did_not_raise(programs, &outcome));
        programs = behind.split_off(behind.len().min(1));
        unknown.append(&mut behind);
    }
    Ok((through, unknown))
}

/// Those of `programs` whose row, if there is one, does not say that something was raised.
fn that_did_not_raise(programs: Vec<Less>, outcome: &Outcome) -> Vec<Less> {
    let raised = |at: usize| {
        let row = outcome.rows.get(at).and_then(|row| row.result.as_ref());
        row.is_some_and(|result| result.raised)
    };
    programs.into_iter().enumerate().filter(|(at, _)| !raised(*at)).map(|(_, less)| less).collect()
}

/// How far a program and the check after it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Far {
    /// Neither raised.
    Through,
    /// The program came to its end, and the check did not in its time.
    CheckTooSlow,
    /// One of them raised, or the program did not come to its end.
    Raised,
}

/// How far a program and the check after it come, both being steps. They are not waited for any longer.
fn how_far(handle: &Handle) -> Result<Far, String> {
    let mut ran = false;
    loop {
        match handle.next().ok_or(GONE)? {
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

/// The program without each line on which there is something.
fn with_less(question: &Question) -> Vec<Less> {
    let code = question.spot.code.as_str();
    let lone = Reader::new().and_then(|mut reader| Some(reader.read(code)?.lone_lines())).unwrap_or_default();
    let less = |(index, text): (usize, &&str)| {
        let line = LineNo::from_index(index);
        let emptied = lone.contains(&line);
        (!text.trim().is_empty()).then(|| Less { line, source: without(code, line, emptied), emptied })
    };
    lines(code).iter().enumerate().filter_map(less).collect()
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
