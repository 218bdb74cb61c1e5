//! What the results of programs mean for a question.
//!
//! Owns the words of every proof that fails: what was run, expected and seen. Runs nothing.

use super::shown::{cut, quoted, said};
use crate::content::diagnostic::{Code, Severity, codes};
use crate::content::findings::Findings;
use crate::content::locate::Step;
use crate::content::question::{LineNo, Question, Scenario};
use crate::runner::outcome::Outcome;
use crate::runner::{CheckOutcome, Engine, Row, Stream, Verdict};

/// A program of the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    Buggy,
    Fixed,
    Repaired,
}

impl Which {
    fn name(self) -> &'static str {
        match self {
            Self::Buggy => "the buggy program",
            Self::Fixed => "the fixed program",
            Self::Repaired => "the repaired program",
        }
    }

    fn code(self) -> [Step; 2] {
        match self {
            Self::Buggy => [Step::Key("spot"), Step::Key("code")],
            Self::Fixed => [Step::Key("fixed"), Step::Key("code")],
            Self::Repaired => [Step::Key("spot"), Step::Key("repair")],
        }
    }
}

/// Decides what results mean.
pub(super) struct Judge<'a> {
    pub(super) question: &'a Question,
    pub(super) engine: Engine,
    pub(super) findings: Findings<'a>,
}

impl Judge<'_> {
    pub(super) fn is_sound(&self) -> bool {
        !self.findings.has_errors()
    }

    pub(super) fn buggy(&mut self, outcome: &Outcome) {
        if !self.finished(Which::Buggy, outcome) {
            return;
        }
        let prints = self.question.spot.prints.clone();
        self.prints(Which::Buggy, "spot", &prints, outcome);
        if outcome.checks.iter().all(|check| check.result == CheckOutcome::Passed) {
            let seen = "every check passed".to_owned();
            self.wrong(
                codes::BUG_NOT_CAUGHT,
                &[Step::Key("check")],
                "every check passes on the buggy program".to_owned(),
                ("the checks on the buggy program", "at least one check fails", seen),
                "check the property that the bug breaks, with values that show it",
            );
        }
    }

    pub(super) fn fixed(&mut self, outcome: &Outcome) {
        if !self.finished(Which::Fixed, outcome) {
            return;
        }
        let prints = self.question.fixed.prints.clone();
        self.prints(Which::Fixed, "fixed", &prints, outcome);
        for (index, check) in outcome.checks.iter().enumerate().filter(|(_, it)| it.result != CheckOutcome::Passed) {
            self.wrong(
                codes::FIXED_FAILS,
                &[Step::Key("check"), Step::At(index), Step::Key("name")],
                format!("the fixed program fails the check `{}`", check.name),
                ("this check on the fixed program", "it passes", said(check)),
                "a check must pass on every right program: mend the check, or the fixed program",
            );
        }
    }

    pub(super) fn repaired(&mut self, outcome: &Outcome) {
        if !self.finished(Which::Repaired, outcome) {
            return;
        }
        for check in outcome.checks.iter().filter(|check| check.result != CheckOutcome::Passed) {
            self.wrong(
                codes::REPAIR_FAILS,
                &[Step::Key("spot"), Step::Key("repair")],
                format!("the repaired program fails the check `{}`", check.name),
                ("the buggy program with `[[spot.repair]]` applied, and its checks", "every check passes", said(check)),
                "mend the repair; its `line` counts in the buggy program, and `with` brings its own indentation",
            );
        }
    }

    /// Whether a program came to its end. If not, that is a problem, and the rest of its outcome says nothing.
    fn finished(&mut self, which: Which, outcome: &Outcome) -> bool {
        if outcome.ending.verdict == Verdict::Finished {
            return true;
        }
        let seen = format!("{}: {}", outcome.ending.verdict.word(), cut(&outcome.ending.detail));
        self.wrong(
            codes::NOT_FINISHED,
            &which.code(),
            format!("{} does not come to its end", which.name()),
            (which.name(), "it finishes", seen),
            match which {
                Which::Buggy => "let the program catch what the bug raises, and print what came of it",
                Which::Fixed => "mend the fixed program; `fencepost run` shows what it does",
                Which::Repaired => "a program that does not finish is no repair: mend `line` and `with`",
            },
        );
        false
    }

    fn prints(&mut self, which: Which, table: &'static str, said: &str, outcome: &Outcome) {
        let seen = outcome.text(Stream::Stdout);
        if seen != said {
            self.wrong(
                codes::PRINTS,
                &[Step::Key(table), Step::Key("prints")],
                format!("{} does not print what `{table}.prints` says", which.name()),
                (which.name(), &quoted(said), quoted(&seen)),
                "copy what was seen, if that is what a learner should see; else mend the program",
            );
        }
        let errors = outcome.text(Stream::Stderr);
        if !errors.is_empty() {
            let message = format!("{} writes to its standard error", which.name());
            let notes = self.notes(which.name(), "nothing on standard error", quoted(&errors));
            let span = self.findings.place(&which.code());
            let help = "print what learners should see, and mend what warns".to_owned();
            self.findings.push(Severity::Warning, codes::STDERR, span, message, help).notes = notes;
        }
    }

    pub(super) fn again(&mut self, which: Which, first: &Outcome, second: &Outcome) {
        // One that does not finish was told already, unless that is what differs.
        let verdicts = (first.ending.verdict, second.ending.verdict);
        let texts = (first.text(Stream::Stdout), second.text(Stream::Stdout));
        if verdicts.0 != Verdict::Finished || (verdicts.0 == verdicts.1 && texts.0 == texts.1) {
            return;
        }
        if self.findings.has(codes::NOT_REPEATABLE, &which.code()) {
            return;
        }
        let seen = match verdicts.1 {
            Verdict::Finished => quoted(&texts.1),
            other => format!("{}: {}", other.word(), second.ending.detail),
        };
        self.wrong(
            codes::NOT_REPEATABLE,
            &which.code(),
            format!("{} does not do the same each time", which.name()),
            (&format!("{}, once more", which.name()), &quoted(&texts.0), seen),
            "leave out what depends on chance, time or the order of a set; sort a set before it is printed",
        );
    }

    pub(super) fn scenario(&mut self, scenario: &Scenario, buggy: &Outcome, fixed: &Outcome) {
        for (which, outcome) in [(Which::Buggy, buggy), (Which::Fixed, fixed)] {
            if outcome.ending.verdict != Verdict::Finished {
                let seen = format!("{}: {}", outcome.ending.verdict.word(), outcome.ending.detail);
                self.wrong(
                    codes::SCENARIO_FAILS,
                    &[Step::Key("scenario"), Step::Key("setup")],
                    format!("the scenario does not come to its end in {}", which.name()),
                    (&format!("the scenario in {}", which.name()), "every step is taken", seen),
                    "`setup` runs after the program; `fencepost run QUESTION --scenario` shows how far it comes",
                );
                return;
            }
        }
        for (a, b) in buggy.rows.iter().zip(&fixed.rows) {
            self.row(scenario, a, b);
        }
        if buggy.rows == fixed.rows {
            let notes =
                self.notes("the scenario in both programs", "a step with another result", "no difference".into());
            let span = self.findings.place(&[Step::Key("scenario")]);
            let message = "both programs live through the scenario alike".to_owned();
            let help = "add the step in which the bug shows, or watch the value that it changes".to_owned();
            self.findings.push(Severity::Warning, codes::SCENARIO_SAME, span, message, help).notes = notes;
        }
    }

    /// What raises the same in both programs is a mistake of the scenario. What raises in one of them may be its point.
    fn row(&mut self, scenario: &Scenario, buggy: &Row, fixed: &Row) {
        let step = [Step::Key("scenario"), Step::Key("step"), Step::At(buggy.step), Step::Key("run")];
        let results = buggy.result.iter().zip(&fixed.result).map(|pair| (pair, step.to_vec()));
        let watched = buggy.watched.iter().zip(&fixed.watched).enumerate();
        let watched = watched.map(|(at, pair)| (pair, vec![Step::Key("scenario"), Step::Key("watch"), Step::At(at)]));
        for ((a, b), path) in results.chain(watched).collect::<Vec<_>>() {
            if !(a.raised && b.raised && a.text == b.text) || self.findings.has(codes::SCENARIO_FAILS, &path) {
                continue;
            }
            let at = scenario.steps.get(buggy.step).map(|step| step.at.clone()).unwrap_or_default();
            self.wrong(
                codes::SCENARIO_FAILS,
                &path,
                "this raises in both programs".to_owned(),
                (&format!("the step at {at}"), "a value", a.text.clone()),
                "name only what both programs define, or what `setup` makes; catch what a step may raise there",
            );
        }
    }

    pub(super) fn other_answer(&mut self, line: LineNo) {
        let span = self.findings.line(&Which::Buggy.code(), line);
        let ran = format!("the buggy program without line {line}, and its checks");
        let notes = self.notes(&ran, "a check fails", "every check passes".to_owned());
        let message = format!("without line {line} every check passes");
        let help = format!("accept line {line} as well, or add a check that this program fails");
        self.findings.push(Severity::Error, codes::OTHER_ANSWER, span, message, help).notes = notes;
    }

    fn wrong(
        &mut self,
        code: Code,
        path: &[Step],
        message: String,
        (ran, expected, seen): (&str, &str, String),
        help: &str,
    ) {
        let notes = self.notes(ran, expected, seen);
        let span = self.findings.place(path);
        self.findings.push(Severity::Error, code, span, message, help.to_owned()).notes = notes;
    }

    fn notes(&self, ran: &str, expected: &str, seen: String) -> Vec<String> {
        vec![
            format!("ran: {ran}, on {} {}", self.engine.name, self.engine.version),
            format!("expected: {expected}"),
            format!("seen: {seen}"),
        ]
    }
}
