//! Checks that use a name which only the fixed program has.
//!
//! Such a check fails on every buggy program, so it catches no bug, and no learner could know the name.

use super::verifier::Verifier;
use crate::author::python::Reader;
use crate::content::diagnostic::{Severity, codes};
use crate::content::locate::Step;
use crate::content::question::Question;
use crate::runner::recording::Outcome;
use crate::runner::{CheckOutcome, CheckResult};

/// The name that a check misses on the buggy program, if the check itself uses it.
fn missing<'r>(question: &Question, at: usize, buggy: &'r CheckResult) -> Option<&'r str> {
    let (kind, message) = buggy.message.split_once(": ")?;
    let before = match kind {
        "NameError" => "name '",
        "AttributeError" => "has no attribute '",
        "TypeError" => "unexpected keyword argument '",
        _ => return None,
    };
    let name = message.split_once(before)?.1.split('\'').next()?;
    let asked = |code: &str| {
        let mut reader = Reader::new()?;
        Some(reader.read(code)?.names().iter().any(|(_, it)| *it == name))
    };
    let code = &question.checks.get(at)?.code;
    // A program that misses its own name has a bug, and the check found it.
    (asked(code)? && !asked(&question.spot.code)?).then_some(name)
}

impl Verifier<'_> {
    /// Reports checks that fail on the buggy program because only the fixed one has a name. Returns their indices.
    pub(super) fn names_of_fixed(&mut self, buggy: &Outcome, fixed: &Outcome) -> Vec<usize> {
        let mut all = Vec::new();
        for (at, (check, right)) in buggy.checks.iter().zip(&fixed.checks).enumerate() {
            let Some(name) = missing(self.question, at, check) else { continue };
            if right.result != CheckOutcome::Passed {
                continue;
            }
            let span = self.problems.word(&[Step::Key("check"), Step::At(at), Step::Key("code")], name);
            let message = format!("the check `{}` uses `{name}`, which only the fixed program has", check.name);
            let seen = format!("error: {}", check.message);
            let shown = ("it passes, or an assertion in it fails", &*seen);
            let help = "use only names that both programs have: a learner's repair cannot know this one";
            self.push(
                Severity::Error,
                codes::MISSING_NAME,
                span,
                message,
                ("this check on the buggy program", shown, shown),
                help,
            );
            self.checks_decide = false;
            all.push(at);
        }
        all
    }
}
