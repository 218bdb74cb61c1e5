//! Rules that run code: the proofs that an answer key is right.
//!
//! Owns which programs are run and what they must come to. Knows a runner only as something that takes jobs; which
//! interpreter it is, and how many questions are proved at a time, is the caller's.
//!
//! 1. Both programs print what the question says. (That they print different things is seen without a run.)
//! 2. A check fails on the buggy program, and every check passes on the fixed one.
//! 3. The repair alone makes every check pass, and what it changes on the accepted lines is needed for that. (That it changes
//!    something there is seen without a run.)
//! 4. Without any one other line, some check still fails. A line that is all of its block leaves `pass` behind.
//! 5. Further runs print the same.
//! 6. Nothing gives the line away: that is `leak.rs`, since no run shows it.

mod answers;
mod ending;
mod glance;
mod judge;
mod names;
mod others;
mod shown;
mod together;

use std::iter::repeat_n;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use self::glance::{Look, Sound};
use self::judge::{Judge, Which};
use crate::content::diagnostic::{Code, Diagnostic, SourceFile, codes};
use crate::content::findings::Findings;
use crate::content::locate::Step;
use crate::content::question::Question;
use crate::content::runnable;
use crate::runner::recording::Outcome;
use crate::runner::{CheckCode, CheckOutcome, CheckResult, Engine, Handle, Job, Limits, Mode, Runner, Verdict};

/// What a program gets that lacks a line, at least, and as a multiple of what the buggy program took.
const SHORTEST: Duration = Duration::from_millis(50);
const PATIENCE: f64 = 20.0;

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
    /// What the problems compare.
    pub compared: Vec<Compared>,
    /// What ran the programs.
    pub engine: Engine,
    /// How many different programs were run.
    pub programs: usize,
}

/// What a problem expected and what was seen, whole. The problem itself shows what fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    code: Code,
    span: Range<usize>,
    message: String,
    /// An output, or a sentence on what should happen.
    pub expected: String,
    /// An output, or a sentence on what happened.
    pub seen: String,
}

impl Compared {
    /// Whether it belongs to `problem`.
    pub fn is_of(&self, problem: &Diagnostic) -> bool {
        (self.code, &self.span, &self.message) == (problem.code, &problem.span, &problem.message)
    }
}

/// Puts together what was found on several interpreters: a problem that one of them told is not told again, and of a program
/// that does not print the same each time nobody is told to copy what it once printed.
pub fn together(problems: &mut Vec<Diagnostic>, more: Vec<Diagnostic>, file: &Arc<SourceFile>) {
    // Of a program that is wrong in one way, interpreters may name different lines.
    let same = |a: &Diagnostic, b: &Diagnostic| a.code == b.code && (a.span == b.span || a.message == b.message);
    let more: Vec<_> = more.into_iter().filter(|it| !problems.iter().any(|told| same(told, it))).collect();
    problems.extend(more);
    if !problems.iter().any(|it| it.code == codes::NOT_REPEATABLE) {
        return;
    }
    let findings = Findings::new(file);
    for table in ["spot", "fixed"] {
        let [code, prints] = ["code", "prints"].map(|key| findings.place(&[Step::Key(table), Step::Key(key)]));
        let differs = |it: &Diagnostic| it.code == codes::NOT_REPEATABLE && it.span == code;
        if problems.iter().any(differs) {
            problems.retain(|it| it.code != codes::PRINTS || it.span != prints);
        }
    }
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
    let checks = runnable::checks(question);
    let repaired = question.repaired();
    let programs = [&question.spot.code, &question.fixed.code, &repaired].map(String::as_str);
    let shares = together::may_share(programs.into_iter().chain(checks.iter().map(|check| check.code.as_str())));
    let look = match names::may_be_missing(question) {
        true => None,
        false => Look::begin(runner, question, &repaired, &checks, shares),
    };
    let lived = match &question.scenario {
        None => None,
        Some(scenario) => {
            let mode = Mode::Scenario(runnable::scenario(scenario));
            let both = [&question.spot.code, &question.fixed.code];
            let [buggy, fixed] = both.map(|source| runner.start(job(source, mode.clone(), Limits::default())));
            Some((scenario, [wait(&buggy)?, wait(&fixed)?]))
        }
    };
    let outcomes = lived.as_ref().map(|(_, outcomes)| outcomes);
    let sound = look.map(|look| look.end(outcomes, 1 + repetition.runs())).transpose()?.flatten();

    let mut judge;
    let killers;
    let wall_ms;
    if let Some(Sound { buggy, fails }) = sound {
        judge = Judge::new(question, buggy.ending.engine, Findings::new(file));
        wall_ms = buggy.ending.wall_ms;
        killers = first(checks, fails);
    } else {
        let buggy;
        (judge, buggy) = at_length(question, file, runner, repetition, &repaired, &checks)?;
        wall_ms = buggy.ending.wall_ms;
        let failed = |check: &CheckResult| check.result != CheckOutcome::Passed;
        let fails = buggy.checks.iter().position(failed).unwrap_or(0);
        killers = first(checks, fails);
    }
    if let Some((scenario, [buggy, fixed])) = &lived {
        judge.scenario(scenario, buggy, fixed);
    }
    let mut count = if repaired == question.fixed.code { 2 } else { 3 };
    // Where the checks do not tell the bug from what is right, what they say of a line less means nothing.
    if judge.checks_tell {
        let wall = SHORTEST.max(Duration::from_secs_f64(wall_ms * PATIENCE / 1000.0));
        let limits = Limits { wall: wall.min(Limits::default().wall), ..Limits::default() };
        let (programs, passing) = others::without_each_line(&mut judge, runner, &killers, limits, shares)?;
        count += programs;
        // A repair that does not do its work says nothing of its parts.
        let told = |code| judge.findings.has(code, &[Step::Key("spot"), Step::Key("repair")]);
        if !told(codes::REPAIR_FAILS) && !told(codes::NOT_FINISHED) {
            count += answers::are_what_is_repaired(&mut judge, runner, &killers, &passing)?;
        }
    }
    let engine = judge.engine.clone();
    let (problems, compared) = judge.finish();
    Ok(Proof { engine, problems, compared, programs: count })
}

/// Proves the programs one by one, with a word on everything that does not hold. Returns how the buggy program went as
/// well.
fn at_length<'a>(
    question: &'a Question,
    file: &'a Arc<SourceFile>,
    runner: &dyn Runner,
    repetition: Repetition,
    repaired: &str,
    checks: &[CheckCode],
) -> Result<(Judge<'a>, Outcome), String> {
    let start = |source: &str, mode: Mode| runner.start(job(source, mode, Limits::default()));
    let programs = [
        (Which::Buggy, question.spot.code.as_str()),
        (Which::Fixed, question.fixed.code.as_str()),
        (Which::Repaired, repaired),
    ];
    // All at once, so that every core has something to do.
    let [buggy, fixed, mended] = programs.map(|(_, source)| start(source, Mode::Check(checks.to_vec())));
    let again = programs[..2].iter().flat_map(|(which, source)| repeat_n((*which, *source), repetition.runs()));
    let again: Vec<_> = again.map(|(which, source)| (which, start(source, Mode::Run))).collect();

    let (buggy, fixed, mended) = (wait(&buggy)?, wait(&fixed)?, wait(&mended)?);
    let mut judge = Judge::new(question, buggy.ending.engine.clone(), Findings::new(file));
    // First what differs: what else such a program does means nothing.
    for (which, handle) in &again {
        judge.again(*which, if *which == Which::Buggy { &buggy } else { &fixed }, &wait(handle)?);
    }
    judge.programs(&buggy, &fixed, &mended);
    Ok((judge, buggy))
}

fn job(source: &str, mode: Mode, limits: Limits) -> Job {
    Job { source: source.to_owned(), mode, limits }
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

/// The checks, with the one at `place` in front: a program that still has the bug most often fails it again.
fn first(mut checks: Vec<CheckCode>, place: usize) -> Vec<CheckCode> {
    if let Some(front) = checks.get_mut(..=place) {
        front.rotate_right(1);
    }
    checks
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
    fn the_check_that_the_buggy_program_fails_comes_first() {
        let check = |name: &str| CheckCode { name: name.to_owned(), code: String::new() };
        let names = |checks: Vec<CheckCode>| checks.into_iter().map(|it| it.name).collect::<Vec<_>>();
        assert_eq!(names(first(vec![check("a"), check("b"), check("c")], 1)), ["b", "a", "c"]);
        assert_eq!(names(first(Vec::new(), 0)), <[String; 0]>::default());
    }
}
