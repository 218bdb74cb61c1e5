//! Compares the results of the scenario in both programs.

use super::verifier::{Verifier, Which};
use crate::content::diagnostic::{Severity, codes};
use crate::content::locate::Step;
use crate::content::question::Scenario;
use crate::runner::recording::Outcome;
use crate::runner::{Row, Verdict};

impl Verifier<'_> {
    pub(super) fn scenario(&mut self, scenario: &Scenario, buggy: &Outcome, fixed: &Outcome) {
        let programs = [(Which::Buggy, buggy), (Which::Fixed, fixed)];
        // A program that does not finish was reported.
        if programs.iter().any(|(which, _)| self.unfinished.contains(which)) {
            return;
        }
        for (which, outcome) in programs {
            if outcome.ending.verdict != Verdict::Finished {
                let seen = format!("{}: {}", outcome.ending.verdict.word(), outcome.ending.detail);
                self.wrong(
                    codes::SCENARIO_FAILS,
                    &[Step::Key("scenario"), Step::Key("setup")],
                    format!("the scenario does not finish in {}", which.name()),
                    (&format!("the scenario in {}", which.name()), "every step runs", seen),
                    "`setup` runs after the program; `fencepost run QUESTION --scenario` shows how far it gets",
                );
                return;
            }
        }
        for (a, b) in buggy.rows.iter().zip(&fixed.rows) {
            self.row(scenario, a, b);
        }
        if buggy.rows == fixed.rows {
            let span = self.problems.place(&[Step::Key("scenario")]);
            let message = "the scenario has the same results in both programs".to_owned();
            let help = "add the step in which the bug shows, or watch the value that it changes";
            let shown = ("at least one step with different results", "no difference");
            let proof = ("the scenario in both programs", shown, shown);
            self.push(Severity::Warning, codes::SCENARIO_SAME, span, message, proof, help);
        }
    }

    /// Reports what raises the same in both programs. An exception in one of them may be the purpose of the scenario.
    fn row(&mut self, scenario: &Scenario, buggy: &Row, fixed: &Row) {
        let step = [Step::Key("scenario"), Step::Key("step"), Step::At(buggy.step), Step::Key("run")];
        let results = buggy.result.iter().zip(&fixed.result).map(|pair| (pair, step.to_vec()));
        let watched = buggy.watched.iter().zip(&fixed.watched).enumerate();
        let watched = watched.map(|(at, pair)| (pair, vec![Step::Key("scenario"), Step::Key("watch"), Step::At(at)]));
        for ((a, b), path) in results.chain(watched).collect::<Vec<_>>() {
            if !(a.raised && b.raised && a.text == b.text) || self.problems.has(codes::SCENARIO_FAILS, &path) {
                continue;
            }
            let at = scenario.steps.get(buggy.step).map(|step| step.at.clone()).unwrap_or_default();
            self.wrong(
                codes::SCENARIO_FAILS,
                &path,
                "this raises in both programs".to_owned(),
                (&format!("the step at {at}"), "a value", a.text.clone()),
                "use only names that both programs or `setup` define, and catch expected exceptions in the step",
            );
        }
    }
}
