//! Reports every proof that fails: what was run, expected and seen. Runs nothing.

use std::ops::Range;

use super::excerpt::{cut, difference, quoted, said};
use super::failure_hint::{Cause, cause};
use crate::author::python::Reader;
use crate::content::diagnostic::{Code, Diagnostic, Severity, codes};
use crate::content::locate::Step;
use crate::content::problems::Problems;
use crate::content::question::{LineNo, Question, Repair, lines};
use crate::runner::recording::Outcome;
use crate::runner::{CheckOutcome, CheckResult, Engine, Stream, Unreached, Verdict};
use crate::text::counted;

/// A program of the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    Buggy,
    Fixed,
    Repaired,
}

impl Which {
    pub(super) fn name(self) -> &'static str {
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

/// Compares the results of programs with what the question says.
pub(super) struct Verifier<'a> {
    pub(super) question: &'a Question,
    pub(super) engine: Engine,
    pub(super) problems: Problems,
    /// True if the checks fail on the buggy program and pass on the fixed one, so that they can judge others.
    pub(super) checks_decide: bool,
    /// Programs that do not finish, which was reported.
    pub(super) unfinished: Vec<Which>,
}

impl<'a> Verifier<'a> {
    pub(super) fn new(question: &'a Question, engine: Engine, problems: Problems) -> Self {
        Self { question, engine, problems, checks_decide: true, unfinished: Vec::new() }
    }

    /// Checks the results of the three programs. What follows from a reported problem is left out.
    pub(super) fn programs(&mut self, buggy: &Outcome, fixed: &Outcome, repaired: &Outcome) {
        let buggy_ends = self.finished(Which::Buggy, buggy);
        let fixed_ends = self.finished(Which::Fixed, fixed);
        // A problem that the repair does not touch is reported at the program that has it.
        let reported = !buggy_ends && ends_like(repaired, buggy) || !fixed_ends && ends_like(repaired, fixed);
        let repaired_ends = !reported && self.finished(Which::Repaired, repaired);
        let both_end = buggy_ends && fixed_ends;
        // Programs that differ from run to run prove nothing, and neither do their repairs.
        let [buggy_ends, fixed_ends, repaired_ends] = [
            buggy_ends && self.does_the_same(Which::Buggy),
            fixed_ends && self.does_the_same(Which::Fixed),
            repaired_ends && self.does_the_same(Which::Buggy),
        ];
        self.checks_decide &= both_end;
        let broken: Vec<bool> = match both_end {
            true => buggy.checks.iter().zip(&fixed.checks).map(|(a, b)| is_broken(a, b)).collect(),
            false => Vec::new(),
        };
        let of_fixed = if self.checks_decide { self.names_of_fixed(buggy, fixed) } else { Vec::new() };
        let says_nothing = |at: usize| broken.get(at).copied().unwrap_or(false) || of_fixed.contains(&at);
        if buggy_ends {
            let prints = &self.question.spot.prints;
            self.prints(Which::Buggy, "spot", prints, buggy);
            self.bug_is_caught(buggy);
        }
        if fixed_ends {
            let prints = &self.question.fixed.prints;
            self.prints(Which::Fixed, "fixed", prints, fixed);
            for (at, check) in failed(fixed) {
                if says_nothing(at) { self.check_broken(at, check) } else { self.fixed_fails(at, check) }
            }
        }
        if buggy_ends && repaired_ends {
            self.repair_shows(buggy, repaired);
        }
        if repaired_ends {
            for (at, check) in failed(repaired) {
                let reported = fixed_ends && fixed.checks.get(at) == Some(check);
                if !reported && !says_nothing(at) {
                    self.repair_fails(check);
                }
            }
        }
    }

    /// True if every run of a program printed the same.
    fn does_the_same(&self, which: Which) -> bool {
        !self.problems.has(codes::NOT_REPEATABLE, &which.code())
    }

    fn bug_is_caught(&mut self, buggy: &Outcome) {
        if buggy.checks.iter().all(|check| check.result == CheckOutcome::Passed) {
            self.checks_decide = false;
            self.wrong(
                codes::BUG_NOT_CAUGHT,
                &[Step::Key("check")],
                "every check passes on the buggy program".to_owned(),
                ("the checks on the buggy program", "at least one check fails", "every check passed".to_owned()),
                "check the property that the bug breaks, with values that show it",
            );
        }
    }

    fn check_broken(&mut self, index: usize, check: &CheckResult) {
        self.checks_decide = false;
        let is_invalid = ["SyntaxError", "IndentationError", "TabError"].iter().any(|it| check.message.starts_with(it));
        let (how, help) = match check.result {
            CheckOutcome::TimedOut => ("does not finish", "make it finish, whatever the program does"),
            _ if is_invalid => {
                ("is not valid Python", "fix it; `code` runs after the program, as part of the same file")
            }
            _ if ["NameError", "AttributeError", "ImportError"].iter().any(|it| check.message.starts_with(it)) => (
                "fails with an error on both programs",
                "use only names that both programs define or the check imports",
            ),
            _ => ("fails with an error on both programs", "fix the check: on a correct program it must run to its end"),
        };
        let path = [Step::Key("check"), Step::At(index), Step::Key("code")];
        let unknown = check.message.strip_prefix("NameError: name '").and_then(|rest| rest.split('\'').next());
        let broken = || Reader::new()?.read(&self.question.checks.get(index)?.code)?.broken();
        let span = match is_invalid.then(broken).flatten() {
            Some(line) => self.problems.line(&path, line),
            None => self.problems.word(&path, unknown.unwrap_or_default()),
        };
        let message = format!("the check `{}` {how}", check.name);
        let (expected, seen) = ("it passes, or an assertion in it fails", said(check));
        let proof = ("this check on the buggy and on the fixed program", (expected, &*cut(&seen)), (expected, &*seen));
        self.push(Severity::Error, codes::CHECK_BROKEN, span, message, proof, help);
    }

    fn fixed_fails(&mut self, index: usize, check: &CheckResult) {
        self.checks_decide = false;
        self.wrong(
            codes::FIXED_FAILS,
            &[Step::Key("check"), Step::At(index), Step::Key("name")],
            format!("the fixed program fails the check `{}`", check.name),
            ("this check on the fixed program", "it passes", said(check)),
            "a check must pass on every correct program: fix the check, or the fixed program",
        );
    }

    /// Reports a repair that changes nothing that a learner can see.
    fn repair_shows(&mut self, buggy: &Outcome, repaired: &Outcome) {
        let outputs = [buggy, repaired].map(|it| it.text(Stream::Stdout));
        // Follows from two outputs of the question that are the same, or from an output that it states wrongly.
        let reported = self.question.spot.prints == self.question.fixed.prints
            || ["spot", "fixed"]
                .iter()
                .any(|it| self.problems.has(codes::PRINTS, &[Step::Key(it), Step::Key("prints")]));
        if outputs[0] == outputs[1] && !reported {
            self.wrong(
                codes::REPAIR_PRINTS,
                &[Step::Key("spot"), Step::Key("repair")],
                "the repaired program prints the same as the buggy one".to_owned(),
                (
                    "the buggy program with `[[spot.repair]]` applied",
                    "another output than that of the buggy program",
                    quoted(&outputs[0]),
                ),
                "repair what the output shows, or let the program print what the repair changes",
            );
        }
    }

    fn repair_fails(&mut self, check: &CheckResult) {
        self.wrong(
            codes::REPAIR_FAILS,
            &[Step::Key("spot"), Step::Key("repair")],
            format!("the repaired program fails the check `{}`", check.name),
            ("the buggy program with `[[spot.repair]]` applied, and its checks", "every check passes", said(check)),
            "fix the repair: `line` counts in the buggy program, and `with` replaces the whole line with its indentation",
        );
    }

    /// Returns true if a program finished, and reports it otherwise.
    fn finished(&mut self, which: Which, outcome: &Outcome) -> bool {
        if leaves(outcome) {
            self.wrong(
                codes::NOT_FINISHED,
                &which.code(),
                format!("{} exits before its checks", which.name()),
                (which.name(), "it runs to its last line", "it exited with `SystemExit`".to_owned()),
                "remove the exit: checks and scenarios run after the last line",
            );
            self.unfinished.push(which);
            return false;
        }
        if outcome.ending.verdict == Verdict::Finished {
            return true;
        }
        let detail = &outcome.ending.detail;
        let source = match which {
            Which::Buggy => &self.question.spot.code,
            Which::Fixed => &self.question.fixed.code,
            Which::Repaired => &self.question.repaired(),
        };
        let Cause { line, word, help } = cause(outcome.ending.verdict, detail, source);
        let mut span = self.problems.place(&which.code());
        // The repaired program is not in the file.
        if let Some(line) = line.filter(|_| which != Which::Repaired) {
            span = self.problems.line(&which.code(), line);
            span = self.problems.narrow(span, word.as_deref().unwrap_or_default());
        }
        let help = match which {
            Which::Repaired => self.repair_help(detail),
            _ if help.is_some() => help.unwrap_or_default(),
            Which::Buggy => "at the end of `spot.code`, catch the exception and print the result".to_owned(),
            Which::Fixed => "fix `fixed.code`; `fencepost run` shows what it does".to_owned(),
        };
        let seen = format!("{}: {detail}", outcome.ending.verdict.word());
        let message = format!("{} does not run to its end", which.name());
        let proof = (which.name(), ("it runs to its end", &*cut(&seen)), ("it runs to its end", &*seen));
        self.unfinished.push(which);
        self.push(Severity::Error, codes::NOT_FINISHED, span, message, proof, &help);
        false
    }

    /// The help for a repaired program that does not finish.
    fn repair_help(&self, detail: &str) -> String {
        let program = lines(&self.question.spot.code);
        let indent = |text: &str| text.len() - text.trim_start().len();
        let indents = |it: &Repair| Some((indent(&it.with), indent(program.get(it.line.index())?)));
        let mut indents = self.question.spot.repairs.iter().filter(|it| !it.with.is_empty()).filter_map(indents);
        match indents.find(|(with, line)| with != line) {
            Some((_, spaces)) if detail.starts_with("IndentationError") => {
                format!(
                    "`with` replaces the whole line: start it with the same {}, if `line` is the right one",
                    counted(spaces, "space")
                )
            }
            _ if detail.starts_with("IndentationError") || detail.starts_with("SyntaxError") => {
                "fix `line` and `with`: the repaired program must be valid Python".to_owned()
            }
            _ => "fix the repair: the program must finish; if it refuses by raising, catch that at the end of `spot.code`"
                .to_owned(),
        }
    }

    fn prints(&mut self, which: Which, table: &'static str, said: &str, outcome: &Outcome) {
        let seen = outcome.text(Stream::Stdout);
        if seen != said {
            self.differs(
                codes::PRINTS,
                &[Step::Key(table), Step::Key("prints")],
                format!("{} does not print what `{table}.prints` says", which.name()),
                (which.name(), said, &seen),
                &format!("if that output is right, copy it into `{table}.prints`; otherwise fix the program"),
            );
        }
        let errors = outcome.text(Stream::Stderr);
        if !errors.is_empty() {
            let message = format!("{} writes to its standard error", which.name());
            let span = self.problems.place(&which.code());
            let help = "fix the cause of the warning, or print it to standard output";
            let shown = ("nothing on standard error", &*quoted(&errors));
            self.push(Severity::Warning, codes::STDERR, span, message, (which.name(), shown, ("", &errors)), help);
        }
    }

    pub(super) fn again(&mut self, which: Which, how: &str, first: &Outcome, second: &Outcome) {
        // A program that does not finish was reported, unless only one of its runs finished.
        let verdicts = (first.ending.verdict, second.ending.verdict);
        let texts = (first.text(Stream::Stdout), second.text(Stream::Stdout));
        if verdicts.0 != Verdict::Finished || (verdicts.0 == verdicts.1 && texts.0 == texts.1) {
            return;
        }
        if self.problems.has(codes::NOT_REPEATABLE, &which.code()) {
            return;
        }
        let message = format!("{} does not print the same each time", which.name());
        let ran = format!("{} again, {how}", which.name());
        // "<Job object at 0x7f1c2a3b4d90>"
        let shows_addresses = [&texts.0, &texts.1].iter().all(|text| text.contains(" at 0x"));
        let help = match shows_addresses {
            true => "print a field of the object, or give its class a `__repr__`: an address differs from run to run",
            false => "remove randomness and clocks, and sort sets before printing them",
        };
        if verdicts.1 == Verdict::Finished {
            self.differs(codes::NOT_REPEATABLE, &which.code(), message, (&ran, &texts.0, &texts.1), help);
        } else {
            let seen = format!("{}: {}", verdicts.1.word(), second.ending.detail);
            self.wrong(codes::NOT_REPEATABLE, &which.code(), message, (&ran, &quoted(&texts.0), seen), help);
        }
        self.checks_decide = false;
    }

    /// Reports that every check passes with a change of lines that are not answers, as it does with `more` changes of them.
    pub(super) fn other_answer(&mut self, line: LineNo, lines: &str, how: &str, more: usize) {
        let span = self.problems.line(&Which::Buggy.code(), line);
        let ran = format!("the buggy program {how}, and its checks");
        let message = match more {
            0 => format!("every check passes {how}"),
            _ => format!("every check passes {how}, and with {} of it", counted(more, "other edit")),
        };
        let help = format!("accept {lines} as well, or add a check that this program fails");
        let shown = ("a check fails", "every check passes");
        self.push(Severity::Error, codes::OTHER_ANSWER, span, message, (&ran, shown, shown), &help);
    }

    pub(super) fn wrong(
        &mut self,
        code: Code,
        path: &[Step],
        message: String,
        (ran, expected, seen): (&str, &str, String),
        help: &str,
    ) {
        let span = self.problems.place(path);
        let proof = (ran, (expected, &*cut(&seen)), (expected, &*seen));
        self.push(Severity::Error, code, span, message, proof, help);
    }

    /// Reports a program that wrote something else than it should.
    fn differs(
        &mut self,
        code: Code,
        path: &[Step],
        message: String,
        (ran, expected, seen): (&str, &str, &str),
        help: &str,
    ) {
        let span = self.problems.place(path);
        let [shown_expected, shown_seen] = difference(expected, seen);
        let proof = (ran, (&*shown_expected, &*shown_seen), (expected, seen));
        self.push(Severity::Error, code, span, message, proof, help);
    }

    /// Reports a problem with what was run, expected and seen: as it is shown, and whole.
    pub(super) fn push(
        &mut self,
        severity: Severity,
        code: Code,
        span: Range<usize>,
        message: String,
        (ran, shown, whole): (&str, (&str, &str), (&str, &str)),
        help: &str,
    ) {
        let notes = vec![
            format!("ran: {ran}, on {} {}", self.engine.name, self.engine.version),
            format!("expected: {}", shown.0),
            format!("seen: {}", shown.1),
        ];
        let results = Some([whole.0.to_owned(), whole.1.to_owned()]);
        let problem = Diagnostic::new(severity, code, &self.problems.file, span, message, help);
        self.problems.add(Diagnostic { notes, results, ..problem });
    }
}

/// The checks that did not pass, with their places.
fn failed(outcome: &Outcome) -> impl Iterator<Item = (usize, &CheckResult)> {
    outcome.checks.iter().enumerate().filter(|(_, check)| check.result != CheckOutcome::Passed)
}

/// True if a check has the same error on both programs: it is not valid Python, raises something other than an assertion error,
/// or does not finish. A program that ends before its check is not the check's fault.
fn is_broken(buggy: &CheckResult, fixed: &CheckResult) -> bool {
    let no_answer = matches!(fixed.result, CheckOutcome::Error | CheckOutcome::TimedOut);
    no_answer && buggy == fixed && fixed.unreached.is_none()
}

/// True if a program exits on purpose, so that none of its checks can run.
fn leaves(outcome: &Outcome) -> bool {
    let left = |check: &CheckResult| check.unreached == Some(Unreached::Left);
    outcome.ending.verdict == Verdict::Finished && outcome.checks.iter().any(left)
}

/// True if two programs end alike.
fn ends_like(one: &Outcome, other: &Outcome) -> bool {
    let end = |it: &Outcome| (it.ending.verdict, it.ending.detail.clone(), leaves(it));
    end(one) == end(other)
}
