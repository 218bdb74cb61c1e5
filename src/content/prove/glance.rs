//! A first look at a question, with as few processes as will do.
//!
//! Nearly every question that is checked is right. A check that is the only step of a scenario needs one process, which also
//! shows what the program prints; so where everything holds, nothing more has to run. A look never says what is wrong:
//! whatever is not plainly right is proved the long way, in words that an author can use.

use crate::content::question::Question;
use crate::runner::recording::Outcome;
use crate::runner::{CheckCode, Handle, Limits, Mode, Row, Runner, Scenario, Stream, Verdict};

use super::{job, together, wait};

/// A look that was begun: its programs run.
pub(super) struct Look<'a> {
    runner: &'a dyn Runner,
    question: &'a Question,
    checks: &'a [CheckCode],
    /// Whether one process shows all checks of a program.
    shares: bool,
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
        shares: bool,
    ) -> Option<Self> {
        let all = |source: &str| -> Vec<Handle> {
            if shares {
                let runs: Vec<_> = checks.iter().map(|check| (source, check.code.as_str())).collect();
                return vec![runner.start(job("", together::mode(&runs), Limits::default()))];
            }
            checks.iter().map(|check| alone(runner, source, check)).collect()
        };
        let buggy = alone(runner, &question.spot.code, checks.first()?);
        let fixed = all(&question.fixed.code);
        // Most often the model program is the repaired one, and what holds for it was seen.
        let repaired = if repaired == question.fixed.code { Vec::new() } else { all(repaired) };
        Some(Self { runner, question, checks, shares, buggy, fixed, repaired })
    }

    /// Waits, and says what was seen if everything holds and each program printed the same so many times. `lived` are the
    /// scenarios of both programs, which show what they print as well.
    pub(super) fn end(self, lived: Option<&[Outcome; 2]>, times: usize) -> Result<Option<Sound>, String> {
        let Self { runner, question, checks, shares, .. } = self;
        let mut buggy = vec![wait(&self.buggy)?];
        let fixed = self.fixed.iter().map(wait).collect::<Result<Vec<_>, _>>()?;
        let repaired = self.repaired.iter().map(wait).collect::<Result<Vec<_>, _>>()?;
        let mut fails = 0;
        while buggy.last().is_some_and(|outcome| passes(outcome, 1)) {
            let Some(next) = checks.get(fails + 1) else { return Ok(None) };
            buggy.push(wait(&alone(runner, &question.spot.code, next))?);
            fails += 1;
        }
        let more = |source: &str, seen: usize| -> Result<Vec<Outcome>, String> {
            let shown = seen + usize::from(lived.is_some());
            let runs = (shown..times).map(|_| runner.start(job(source, Mode::Run, Limits::default())));
            runs.collect::<Vec<_>>().iter().map(wait).collect()
        };
        let (spot, model) = (&question.spot, &question.fixed);
        let buggy_more = more(&spot.code, buggy.len())?;
        let fixed_more = more(&model.code, fixed.len())?;
        let (buggy_lived, fixed_lived) = lived.map(|[buggy, fixed]| (buggy, fixed)).unzip();
        let each = if shares { checks.len() } else { 1 };
        let all_fixed = model.prints.repeat(each);
        let holds = buggy.iter().all(|outcome| reaches(outcome, 1))
            && fixed.iter().chain(&repaired).all(|outcome| passes(outcome, each))
            && fixed.iter().all(|outcome| prints(outcome, &all_fixed))
            && buggy.iter().chain(&buggy_more).chain(buggy_lived).all(|outcome| prints(outcome, &spot.prints))
            && fixed_more.iter().chain(fixed_lived).all(|outcome| prints(outcome, &model.prints));
        Ok(holds.then(|| Sound { buggy: buggy.swap_remove(fails), fails }))
    }
}

/// Starts a program with one check after it.
fn alone(runner: &dyn Runner, source: &str, check: &CheckCode) -> Handle {
    runner.start(job(source, only_step(check), Limits::default()))
}

/// A check as the only step of a scenario.
fn only_step(check: &CheckCode) -> Mode {
    let steps = vec![Some(check.code.clone())];
    Mode::Scenario(Scenario { setup: String::new(), watch: Vec::new(), steps })
}

/// Whether so many checks were come to, and the end.
fn reaches(outcome: &Outcome, checks: usize) -> bool {
    outcome.ending.verdict == Verdict::Finished && outcome.rows.len() == checks
}

/// Whether they passed as well.
fn passes(outcome: &Outcome, checks: usize) -> bool {
    let raised = |row: &Row| row.result.as_ref().is_some_and(|result| result.raised);
    reaches(outcome, checks) && !outcome.rows.iter().any(raised)
}

/// Whether the program came to its end and wrote this and nothing else. A check that writes something casts a doubt that
/// is no fault.
fn prints(outcome: &Outcome, said: &str) -> bool {
    outcome.ending.verdict == Verdict::Finished
        && outcome.text(Stream::Stdout) == said
        && outcome.text(Stream::Stderr).is_empty()
}
