//! A question's checks and its scenario, as a runner takes them.

use crate::content::question::{Question, Scenario};
use crate::runner::{self, CheckCode, Mode};

/// The checks of a question.
pub fn checks(question: &Question) -> Vec<CheckCode> {
    question.checks.iter().map(|check| CheckCode { name: check.name.clone(), code: check.code.clone() }).collect()
}

/// The mode that grades a program as a repair of the question.
pub fn grade(question: &Question) -> Mode {
    Mode::Grade { checks: checks(question), question: question.spot.code.clone() }
}

/// The steps of a scenario.
pub fn scenario(scenario: &Scenario) -> runner::Scenario {
    runner::Scenario {
        setup: scenario.setup.clone(),
        watch: scenario.watch.clone(),
        steps: scenario.steps.iter().map(|step| step.run.clone()).collect(),
    }
}
