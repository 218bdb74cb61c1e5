//! Checks that ask for a name which only the fixed program has.
//!
//! Such a check fails on the buggy program whatever that does, so it catches no bug; and no learner could know the name.

use super::judge::Judge;
use crate::content::diagnostic::{Severity, codes};
use crate::content::locate::Step;
use crate::content::python::{Program, Reader};
use crate::content::question::Question;
use crate::runner::recording::Outcome;
use crate::runner::{CheckOutcome, CheckResult};

/// Whether some check may ask for such a name: it stands there, and the fixed program alone binds it. Only a run shows whether
/// the check stumbles over it.
pub(super) fn may_be_missing(question: &Question) -> bool {
    let found = || {
        let mut reader = Reader::new()?;
        let buggy = reader.read(&question.spot.code)?;
        let fixed = reader.read(&question.fixed.code)?;
        let known: Vec<&str> = buggy.names().into_iter().map(|(_, name)| name).collect();
        let mut only_fixed = fixed.bound();
        only_fixed.retain(|name| !known.contains(name));
        if only_fixed.is_empty() {
            return Some(false);
        }
        let mut asks = |code: &str| reader.read(code).is_some_and(|check| asks_for(&check, &only_fixed));
        Some(question.checks.iter().any(|check| asks(&check.code)))
    };
    found().unwrap_or(false)
}

fn asks_for(check: &Program<'_>, names: &[&str]) -> bool {
    let bound = check.bound();
    check.names().iter().any(|(_, name)| names.contains(name) && !bound.contains(name))
}

/// The name that a check lacks on the buggy program, if it is the check that asks for it.
fn missing<'r>(question: &Question, at: usize, buggy: &'r CheckResult) -> Option<&'r str> {
    let name = buggy.message.strip_prefix("NameError: name '")?.split('\'').next()?;
    let asked = |code: &str| {
        let mut reader = Reader::new()?;
        Some(reader.read(code)?.names().iter().any(|(_, it)| *it == name))
    };
    let code = &question.checks.get(at)?.code;
    // A program that trips over its own name has a bug that the check found.
    (asked(code)? && !asked(&question.spot.code)?).then_some(name)
}

impl Judge<'_> {
    /// Notes checks that fail on the buggy program for want of a name that the fixed one has. Returns where they are.
    pub(super) fn names_of_fixed(&mut self, buggy: &Outcome, fixed: &Outcome) -> Vec<usize> {
        let mut all = Vec::new();
        for (at, (check, right)) in buggy.checks.iter().zip(&fixed.checks).enumerate() {
            let Some(name) = missing(self.question, at, check) else { continue };
            if right.result != CheckOutcome::Passed {
                continue;
            }
            let span = self.findings.word(&[Step::Key("check"), Step::At(at), Step::Key("code")], name);
            let message = format!("the check `{}` asks for `{name}`, which only the fixed program has", check.name);
            let seen = format!("error: {}", check.message);
            let shown = ("it passes, or an assertion in it fails", &*seen);
            let help = "ask for what both programs have: no repair of the buggy one could know the name";
            self.push(
                Severity::Error,
                codes::MISSING_NAME,
                span,
                message,
                ("this check on the buggy program", shown, shown),
                help,
            );
            self.checks_tell = false;
            all.push(at);
        }
        all
    }
}
