//! A first look at a question, with as few processes as will do.
//!
//! Nearly every question that is checked is right. A check that is the only step of a scenario needs one process, which also
//! shows what the program prints; so where everything holds, nothing more has to run. A look never says what is wrong:
//! whatever is not plainly right is proved the long way, in words that an author can use.

use crate::content::question::Question;
use crate::runner::outcome::Outcome;
use crate::runner::{CheckCode, Handle, Limits, Mode, Runner, Scenario, Stream, Verdict};

use super::{job, wait};

/// A look that was begun: its programs run.
pub(super) struct Look<'a> {
    runner: &'a dyn Runner,
    question: &'a Question,
    checks: &'a [CheckCode],
    buggy: Handle,
    fixed: Vec<Handle>,
    repaired: Vec<Handle>,
}

/// What a look shows where everything holds.
pub(super) struct Sound {
    /// The buggy program with a check that fails on it.
    pub(super) buggy: Outcome,
    /// Which check that is.
    pub(super) fails: usize,
}

impl<'a> Look<'a> {
    /// Starts every program that is needed in any case. `None` where there is no check.
    pub(super) fn begin(
        runner: &'a dyn Runner,
        question: &'a Question,
        repaired: &str,
        checks: &'a [CheckCode],
    ) -> Option<Self> {
        let all = |source: &str| checks.iter().map(|check| alone(runner, source, check)).collect();
        let buggy = alone(runner, &question.spot.code, checks.first()?);
        let fixed = all(&question.fixed.code);
        // Most often the model program is the repaired one, and what holds for it was seen.
        let repaired = if repaired == question.fixed.code { Vec::new() } else { all(repaired) };
        Some(Self { runner, question, checks, buggy, fixed, repaired })
    }

    /// Waits, and says what was seen if everything holds and each program printed the same so many times. `lived` are the
    /// scenarios of both programs, which show what they print as well.
    pub(super) fn end(self, lived: Option<&[Outcome; 2]>, times: usize) -> Result<Option<Sound>, String> {
        let Self { runner, question, checks, .. } = self;
        let mut buggy = vec![wait(&self.buggy)?];
        let fixed = self.fixed.iter().map(wait).collect::<Result<Vec<_>, _>>()?;
        let repaired = self.repaired.iter().map(wait).collect::<Result<Vec<_>, _>>()?;
        let mut fails = 0;
        while passes(&buggy[fails]) {
            let Some(next) = checks.get(fails + 1) else { return Ok(None) };
            buggy.push(wait(&alone(runner, &question.spot.code, next))?);
            fails += 1;
        }
        let mut all = [
            (&question.spot.code, &question.spot.prints, buggy),
            (&question.fixed.code, &question.fixed.prints, fixed),
        ];
        for (at, (source, _, seen)) in all.iter_mut().enumerate() {
            let shown = seen.len() + usize::from(lived.is_some());
            let more: Vec<_> =
                (shown..times).map(|_| runner.start(job(source, Mode::Run, Limits::default()))).collect();
            let checked = seen.len();
            for handle in &more {
                seen.push(wait(handle)?);
            }
            let came_through = |outcome: &Outcome| outcome.ending.verdict == Verdict::Finished;
            let reached = seen.iter().take(checked).all(|outcome| outcome.rows.len() == 1);
            if !reached || !seen.iter().all(came_through) || (at == 1 && !seen.iter().take(checked).all(passes)) {
                return Ok(None);
            }
        }
        let mut outputs =
            all.iter().zip(lived.into_iter().flatten()).map(|((_, prints, _), outcome)| (*prints, outcome));
        let prints = |prints: &str, outcome: &Outcome| {
            outcome.text(Stream::Stdout) == prints && outcome.text(Stream::Stderr).is_empty()
        };
        let holds = all.iter().all(|(_, said, seen)| seen.iter().all(|outcome| prints(said, outcome)))
            && outputs.all(|(said, outcome)| prints(said, outcome))
            && repaired.iter().all(passes);
        let [(_, _, mut buggy), _] = all;
        Ok(holds.then(|| Sound { buggy: buggy.swap_remove(fails), fails }))
    }
}

/// Starts a program with one check after it.
fn alone(runner: &dyn Runner, source: &str, check: &CheckCode) -> Handle {
    runner.start(job(source, only_step(check), Limits::default()))
}

/// A check as the only step of a scenario.
pub(super) fn only_step(check: &CheckCode) -> Mode {
    let steps = vec![Some(check.code.clone())];
    Mode::Scenario(Scenario { setup: String::new(), watch: Vec::new(), steps })
}

/// Whether the program came to its check and its end, and nothing was raised.
fn passes(outcome: &Outcome) -> bool {
    let raised = |row: &crate::runner::Row| row.result.as_ref().is_some_and(|result| result.raised);
    outcome.ending.verdict == Verdict::Finished && outcome.rows.len() == 1 && !outcome.rows.iter().any(raised)
}
