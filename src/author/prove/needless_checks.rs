//! Checks that no program fails: neither the buggy one nor any mutant that runs to its end.

use std::ops::ControlFlow;

use super::batch::{Batch, Far};
use super::mutants::Mutant;
use super::verifier::Verifier;
use crate::content::diagnostic::{Severity, codes};
use crate::content::locate::Step;
use crate::error::Error;
use crate::quiz::runnable;
use crate::runner::recording::Outcome;
use crate::runner::{CheckOutcome, CheckResult, Limits};
use crate::text::counted;

/// Runs each check that passes on the buggy program on `mutants`, up to the first that fails it.
pub(super) fn prove(
    verifier: &mut Verifier<'_>,
    batch: &Batch<'_>,
    buggy: &Outcome,
    mutants: &[Mutant],
    limits: Limits,
) -> Result<(), Error> {
    let programs: Vec<&str> = mutants.iter().map(|it| it.source.as_str()).collect();
    for (at, check) in runnable::checks(verifier.question).iter().enumerate() {
        let passed = |it: &CheckResult| it.result == CheckOutcome::Passed;
        if !buggy.checks.get(at).is_some_and(passed) {
            continue;
        }
        let mut fails = false;
        batch.each(&programs, check, limits, |_, far| {
            fails = matches!(far, Far::Failed | Far::CheckTooSlow);
            if fails { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if !fails {
            verifier.needless_check(at, &check.name, programs.len());
        }
    }
    Ok(())
}

impl Verifier<'_> {
    fn needless_check(&mut self, at: usize, name: &str, mutants: usize) {
        let span = self.problems.place(&[Step::Key("check"), Step::At(at), Step::Key("name")]);
        let message = format!("no program fails the check `{name}`");
        let ran = format!("this check on the buggy program and on {} of it", counted(mutants, "edit"));
        let shown = ("it fails on one of them", "it passes on all of them");
        let help = "check a property that a wrong repair breaks, or remove the check";
        self.push(Severity::Warning, codes::NEEDLESS_CHECK, span, message, (&ran, shown, shown), help);
    }
}
