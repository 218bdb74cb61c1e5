//! Rules that run code: the proofs that an answer key is right.
//!
//! Owns which programs are run and what they must come to. Knows a runner only as something that takes jobs; which
//! interpreter it is, and how many questions are proved at a time, is the caller's.
//!
//! 1. Both programs print what the question says. (That they print different things is seen without a run.)
//! 2. A check fails on the buggy program, and every check passes on the fixed one.
//! 3. The repair alone makes every check pass. (That it touches an accepted line is seen without a run.)
//! 4. Without any one other line, some check still fails.
//! 5. Further runs print the same.
//! 6. Nothing gives the line away: that is `leak.rs`, since no run shows it.

use std::iter::repeat_n;
use std::sync::Arc;
use std::time::Duration;

use crate::content::diagnostic::{Code, Diagnostic, Severity, SourceFile, codes};
use crate::content::findings::Findings;
use crate::content::locate::Step;
use crate::content::question::{LineNo, Question, lines};
use crate::runner::outcome::{self, Outcome};
use crate::runner::{
    CheckCode, CheckOutcome, CheckResult, Engine, Event, Handle, Job, Limits, Mode, Row, Runner, Scenario, Stream,
    Verdict,
};

/// What a program gets that lacks a line, at least, and as a multiple of what the buggy program took.
const SHORTEST: Duration = Duration::from_millis(50);
const PATIENCE: f64 = 20.0;

/// Lines and characters of an output that a problem shows.
const SHOWN_LINES: usize = 5;
const SHOWN_CHARACTERS: usize = 200;

/// How much the proofs are to take on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// One more run of each program: an interpreter without chance in it.
    Once,
    /// Several more runs: each gets a hash seed of its own, so that the order of a set shows sooner or later.
    Seeds,
}

impl Repetition {
    fn runs(self) -> usize {
        match self {
            Self::Once => 1,
            Self::Seeds => 3,
        }
    }
}

/// What the proofs came to.
#[derive(Debug)]
pub struct Proof {
    /// What is wrong, in no order.
    pub problems: Vec<Diagnostic>,
    /// What ran the programs.
    pub engine: Engine,
    /// How many different programs were run.
    pub programs: usize,
}

/// Runs the proofs of a question on `runner`. The question must have passed the rules that need no run.
///
/// # Errors
///
/// Says why the runner could not do its work. That is no word on the question.
pub fn prove(
    question: &Question,
    file: &Arc<SourceFile>,
    runner: &dyn Runner,
    repetition: Repetition,
) -> Result<Proof, String> {
    let checks: Vec<CheckCode> = question.checks.iter().map(check_code).collect();
    let repaired = question.repaired();
    let start = |source: &str, mode: Mode| runner.start(job(source, mode, Limits::default()));
    let programs =
        [(Which::Buggy, &question.spot.code), (Which::Fixed, &question.fixed.code), (Which::Repaired, &repaired)];
    // All at once, so that every core has something to do.
    let checked = programs.map(|(_, source)| start(source, Mode::Check(checks.clone())));
    let lived = question.scenario.as_ref().map(|scenario| {
        let mode = Mode::Scenario(steps(scenario));
        (scenario, [start(&question.spot.code, mode.clone()), start(&question.fixed.code, mode)])
    });
    let again = programs[..2].iter().flat_map(|(which, source)| repeat_n((*which, source), repetition.runs()));
    let again: Vec<_> = again.map(|(which, source)| (which, start(source, Mode::Run))).collect();

    let [buggy, fixed, mended] = checked;
    let buggy = until_failure(&buggy)?;
    let (fixed, mended) = (wait(&fixed)?, wait(&mended)?);
    let mut judge = Judge { question, engine: buggy.ending.engine.clone(), findings: Findings::new(file) };
    judge.buggy(&buggy);
    judge.fixed(&fixed);
    judge.repaired(&mended);
    for (which, handle) in &again {
        judge.again(*which, if *which == Which::Buggy { &buggy } else { &fixed }, &wait(handle)?);
    }
    if let Some((scenario, [a, b])) = &lived {
        judge.scenario(scenario, &wait(a)?, &wait(b)?);
    }
    let mut count = programs.len();
    // Where the programs themselves do not hold, what a line more or less does says nothing.
    if judge.is_sound() {
        let wall = SHORTEST.max(Duration::from_secs_f64(buggy.ending.wall_ms * PATIENCE / 1000.0));
        let limits = Limits { wall: wall.min(Limits::default().wall), ..Limits::default() };
        let killers = hardest_first(checks, &buggy.checks);
        count += judge.others(runner, &killers, limits)?;
    }
    Ok(Proof { engine: judge.engine, problems: judge.findings.finish(), programs: count })
}

/// Waits for a program whose checks say enough as soon as one of them fails. The outcome is that of the program itself.
fn until_failure(handle: &Handle) -> Result<Outcome, String> {
    let mut output = Vec::new();
    let mut checks: Vec<CheckResult> = Vec::new();
    loop {
        match handle.next().ok_or(GONE)? {
            Event::Output(chunk) => outcome::push(&mut output, chunk),
            Event::Check(check) => {
                if check.result != CheckOutcome::Passed {
                    handle.stop();
                }
                checks.push(check);
            }
            Event::Ended(mut ending) => {
                let failed = checks.iter().any(|check| check.result != CheckOutcome::Passed);
                if failed && ending.verdict == Verdict::Stopped {
                    ending.verdict = Verdict::Finished;
                }
                let (steps, rows) = (Vec::new(), Vec::new());
                return usable(Outcome { output, checks, steps, trace_full: None, rows, ending });
            }
            Event::Step(_) | Event::TraceFull(_) | Event::Row(_) => {}
        }
    }
}

/// Whether the program came to the first step of its scenario and that did not raise. It is not waited for any longer.
fn comes_through(handle: &Handle) -> Result<bool, String> {
    loop {
        match handle.next().ok_or(GONE)? {
            Event::Row(row) => return Ok(row.result.is_none_or(|result| !result.raised)),
            Event::Ended(ending) => {
                let (checks, rows) = (Vec::new(), Vec::new());
                let outcome = Outcome { output: vec![], checks, steps: vec![], trace_full: None, rows, ending };
                return usable(outcome).map(|_| false);
            }
            _ => {}
        }
    }
}

fn job(source: &str, mode: Mode, limits: Limits) -> Job {
    Job { source: source.to_owned(), mode, limits }
}

fn check_code(check: &crate::content::question::Check) -> CheckCode {
    CheckCode { name: check.name.clone(), code: check.code.clone() }
}

fn steps(scenario: &crate::content::question::Scenario) -> Scenario {
    Scenario {
        setup: scenario.setup.clone(),
        watch: scenario.watch.clone(),
        steps: scenario.steps.iter().map(|step| step.run.clone()).collect(),
    }
}

/// What there is to say when a runner ends a job without its last word.
const GONE: &str = "the runner went away in the middle of a program";

/// Waits for a program.
fn wait(handle: &Handle) -> Result<Outcome, String> {
    usable(Outcome::wait(handle).ok_or(GONE)?)
}

/// An end that says nothing about the program is an error.
fn usable(outcome: Outcome) -> Result<Outcome, String> {
    match outcome.ending.verdict {
        Verdict::MachineryFailed | Verdict::Refused | Verdict::Stopped => Err(outcome.ending.detail),
        _ => Ok(outcome),
    }
}

/// The checks, those that the buggy program failed first: a program that still has the bug fails them again, so that one
/// check is most often enough.
fn hardest_first(checks: Vec<CheckCode>, results: &[CheckResult]) -> Vec<CheckCode> {
    let failed =
        |check: &CheckCode| results.iter().any(|it| it.name == check.name && it.result != CheckOutcome::Passed);
    let (mut first, rest): (Vec<_>, Vec<_>) = checks.into_iter().partition(failed);
    first.extend(rest);
    first
}

/// The lines whose loss is tried: those with something on them that are no answer.
fn other_lines(question: &Question) -> Vec<LineNo> {
    let program = lines(&question.spot.code);
    let all = (0..program.len()).filter(|&index| !program[index].trim().is_empty()).map(LineNo::from_index);
    all.filter(|line| !question.accepts(*line)).collect()
}

fn without(code: &str, gone: LineNo) -> String {
    let kept = lines(code).into_iter().enumerate().filter(|(index, _)| *index != gone.index());
    kept.fold(String::with_capacity(code.len()), |program, (_, line)| program + line + "\n")
}

/// A program of the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
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

/// Decides what results mean. Pure, but for [`Judge::others`], which asks for more of them.
struct Judge<'a> {
    question: &'a Question,
    engine: Engine,
    findings: Findings<'a>,
}

impl Judge<'_> {
    fn is_sound(&self) -> bool {
        !self.findings.has_errors()
    }

    fn buggy(&mut self, outcome: &Outcome) {
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

    fn fixed(&mut self, outcome: &Outcome) {
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

    fn repaired(&mut self, outcome: &Outcome) {
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

    fn again(&mut self, which: Which, first: &Outcome, second: &Outcome) {
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

    fn scenario(&mut self, scenario: &crate::content::question::Scenario, buggy: &Outcome, fixed: &Outcome) {
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
    fn row(&mut self, scenario: &crate::content::question::Scenario, buggy: &Row, fixed: &Row) {
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

    /// Runs the buggy program without each of its other lines. Returns how many programs that were.
    fn others(&mut self, runner: &dyn Runner, checks: &[CheckCode], limits: Limits) -> Result<usize, String> {
        let Some(first) = checks.first() else { return Ok(0) };
        let start = |line: LineNo, mode: Mode| {
            let source = without(&self.question.spot.code, line);
            (line, runner.start(job(&source, mode, limits)))
        };
        // As the only step of a scenario, a check needs one process and not two. Nearly all programs fail it.
        let steps = vec![Some(first.code.clone())];
        let only_step = Scenario { setup: String::new(), watch: Vec::new(), steps };
        let lines = other_lines(self.question).into_iter();
        let tried: Vec<_> = lines.map(|line| start(line, Mode::Scenario(only_step.clone()))).collect();
        let count = tried.len();
        let mut survivors = Vec::new();
        for (line, handle) in tried {
            if comes_through(&handle)? {
                survivors.push(line);
            }
        }
        let tried: Vec<_> = survivors.into_iter().map(|line| start(line, Mode::Check(checks.to_vec()))).collect();
        for (line, handle) in tried {
            if wait(&handle)?.passed() {
                self.other_answer(line);
            }
        }
        Ok(count)
    }

    fn other_answer(&mut self, line: LineNo) {
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

/// What a check that did not pass said.
fn said(check: &CheckResult) -> String {
    let word = match check.result {
        CheckOutcome::Passed => "passed",
        CheckOutcome::Failed => "failed",
        CheckOutcome::Error => "error",
        CheckOutcome::TimedOut => "timed out",
    };
    let message = cut(&check.message);
    if message.is_empty() { word.to_owned() } else { format!("{word}: {message}") }
}

/// An output as a note shows it: on lines of its own where it has several.
fn quoted(output: &str) -> String {
    match output {
        "" => "nothing".to_owned(),
        "\n" => "an empty line".to_owned(),
        _ => {
            let shown = cut(output);
            let end = if output.ends_with('\n') { "" } else { " (without a newline at its end)" };
            if shown.contains('\n') { format!("these lines{end}\n{shown}") } else { format!("`{shown}`{end}") }
        }
    }
}

/// The beginning of a text, no more than fits a problem.
fn cut(text: &str) -> String {
    let mut out = Vec::new();
    let all: Vec<&str> = text.trim_end_matches('\n').split('\n').collect();
    for line in all.iter().take(SHOWN_LINES) {
        let short: String = line.chars().take(SHOWN_CHARACTERS).collect();
        let more = if short.len() < line.len() { " ..." } else { "" };
        out.push(short + more);
    }
    if all.len() > SHOWN_LINES {
        out.push(format!("... and {} more lines", all.len() - SHOWN_LINES));
    }
    out.join("\n")
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::mpsc;

    use super::*;
    use crate::content::question::Date;
    use crate::content::template::{self, Blanks};
    use crate::content::{parse, read};

    struct Silent;

    impl Runner for Silent {
        fn start(&self, _: Job) -> Handle {
            Handle::new(mpsc::channel().1, || {})
        }
    }

    #[test]
    fn a_runner_that_goes_away_is_no_word_on_the_question() {
        let today = Date(jiff::civil::date(2026, 11, 30));
        let blanks = Blanks { id: "x", topic: "T", author: "A", file: "x.toml", schema: "#:schema x", today };
        let file = read::source(Path::new("x.toml"), &template::question(&blanks));
        let question = parse::question(&file).0.unwrap();
        let failed = prove(&question, &file, &Silent, Repetition::Once).unwrap_err();
        assert_eq!(failed, "the runner went away in the middle of a program");
    }

    #[test]
    fn outputs_are_shown_short() {
        assert_eq!(quoted(""), "nothing");
        assert_eq!(quoted("x\n"), "`x`");
        assert_eq!(quoted("x"), "`x` (without a newline at its end)");
        assert_eq!(quoted("a\nb\n"), "these lines\na\nb");
        assert_eq!(cut(&"é".repeat(300)), format!("{} ...", "é".repeat(200)));
        assert_eq!(cut("1\n2\n3\n4\n5\n6\n7\n"), "1\n2\n3\n4\n5\n... and 2 more lines");
    }

    #[test]
    fn the_checks_that_the_buggy_program_failed_come_first() {
        let check = |name: &str| CheckCode { name: name.to_owned(), code: String::new() };
        let result = |name: &str, result| CheckResult { name: name.to_owned(), result, message: String::new() };
        let results = [result("a", CheckOutcome::Passed), result("b", CheckOutcome::Failed)];
        let order = hardest_first(vec![check("a"), check("b"), check("c")], &results);
        assert_eq!(order.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["b", "a", "c"]);
    }
}
