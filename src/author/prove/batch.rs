//! Runs many small variants of a program, each with a check after it, in few processes.
//!
//! A process of its own for each would cost ten times as much. A variant that does not end in time ends its process, and
//! the next ones get a new one. If what one program leaves behind changes the result of another, each runs alone.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::jobs::{GONE, job, python_literal, stopped, usable};
use crate::error::Error;
use crate::runner::recording::Outcome;
use crate::runner::{CheckCode, Event, Handle, Limits, Mode, Runner, Scenario};

/// Most variants in a process, and most bytes of their text.
const MOST: usize = 100;
const LONGEST: usize = 256 << 10;

/// Runs a program in a module of its own, then a check in the same module. Each function returns true if nothing was raised.
const SETUP: &str = "\
import sys, types
def _run(source):
    global _names
    module = types.ModuleType('__main__')
    sys.modules['__main__'], _names = module, None
    try:
        exec(compile(source, 'program.py', 'exec', dont_inherit=True), module.__dict__)
    except BaseException:
        return False
    _names = module.__dict__
    return True
def _passes():
    try:
        exec(_check, _names)
    except BaseException:
        return False
    return True
";

/// The result of a program and the check after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Far {
    /// The check passed.
    Passed,
    /// The program finished, and the check failed.
    Failed,
    /// The program finished, and the check ran out of time.
    CheckTooSlow,
    /// The program did not finish.
    Unfinished,
}

/// Runs variants of a program.
pub(super) struct Batch<'a> {
    runner: &'a dyn Runner,
    /// True if variants can share a process.
    together: bool,
}

impl<'a> Batch<'a> {
    /// The first of `checks` fails on the buggy program. Finds out on the buggy and the fixed program, the one after the other, whether variants can share a process.
    pub(super) fn new(
        runner: &'a dyn Runner,
        checks: &[CheckCode],
        [buggy, fixed]: [&str; 2],
        limits: Limits,
    ) -> Result<Self, Error> {
        let mut batch = Self { runner, together: true };
        let Some(check) = checks.first() else { return Ok(batch) };
        let mut seen = Vec::new();
        batch.each(&[buggy, fixed, buggy, fixed], check, limits, |_, far| {
            seen.push(far);
            ControlFlow::Continue(())
        })?;
        batch.together = seen == [Far::Failed, Far::Passed, Far::Failed, Far::Passed];
        Ok(batch)
    }

    /// Runs each of `programs` with `check` after it, and passes its index and result to `tell`, until that breaks.
    pub(super) fn each(
        &self,
        programs: &[&str],
        check: &CheckCode,
        limits: Limits,
        mut tell: impl FnMut(usize, Far) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let mut at = 0;
        while let Some(rest) = programs.get(at..).filter(|it| !it.is_empty()) {
            let mut bytes = 0;
            let mut fits = |it: &&&str| {
                bytes += it.len();
                bytes < LONGEST
            };
            let most = if self.together { MOST } else { 1 };
            let count = rest.iter().take(most).take_while(&mut fits).count().max(1);
            let some = rest.get(..count).unwrap_or(rest);
            let mut done = 0;
            let over = self.in_one_process(some, check, limits, |far| {
                done += 1;
                tell(at + done - 1, far)
            })?;
            if over.is_break() {
                return Ok(());
            }
            at += done.max(1);
        }
        Ok(())
    }

    /// Runs `programs` in one process, up to the first that does not end in time or ends the process.
    fn in_one_process(
        &self,
        programs: &[&str],
        check: &CheckCode,
        limits: Limits,
        mut tell: impl FnMut(Far) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Error> {
        let count = u32::try_from(programs.len()).unwrap_or(u32::MAX);
        let setup = format!(
            "{SETUP}_check = compile({}, 'check.py', 'exec', dont_inherit=True)\n",
            python_literal(&check.code)
        );
        let steps = programs
            .iter()
            .flat_map(|it| [Some(format!("_run({})", python_literal(it))), Some("_passes()".to_owned())]);
        // The first step shows that the process has begun.
        let steps = std::iter::once(None).chain(steps).collect();
        let mode = Mode::Scenario(Scenario { setup, watch: Vec::new(), steps });
        // What follows watches each program; these limits are for all of them.
        let wall = Limits::default().wall + limits.wall * 2 * count;
        let output = limits.output * programs.len();
        let handle = self.runner.start(job("", mode, Limits { wall, output, ..limits }));
        let rows = Rows(handle);
        if rows.next(Duration::MAX)?.is_none() {
            return Ok(tell(Far::Unfinished));
        }
        for _ in programs {
            let Some(finished) = rows.next(limits.wall)? else { return Ok(tell(Far::Unfinished)) };
            let Some(passed) = rows.next(limits.wall)? else {
                return Ok(tell(if finished { Far::CheckTooSlow } else { Far::Unfinished }));
            };
            let far = match (finished, passed) {
                (true, true) => Far::Passed,
                (true, false) => Far::Failed,
                (false, _) => Far::Unfinished,
            };
            if tell(far).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// The results of a scenario's steps.
struct Rows(Handle);

impl Rows {
    /// The next result, true or false; `None` if it does not come in time, or the process ended.
    fn next(&self, patience: Duration) -> Result<Option<bool>, Error> {
        let until = Instant::now().checked_add(patience);
        loop {
            let event = match until {
                Some(until) => match self.0.next_before(until) {
                    Ok(event) => event,
                    Err(_late) => return Ok(None),
                },
                None => self.0.next(),
            };
            match event.ok_or_else(|| stopped(GONE))? {
                Event::Row(row) => return Ok(Some(row.result.is_some_and(|it| it.text == "True"))),
                Event::Ended(ending) => return usable(Outcome::of(ending)).map(|_| None),
                _ => {}
            }
        }
    }
}
