//! Proves by runs that an answer key is right.
//!
//! The caller chooses the interpreter, and how many questions are proved at a time.
//!
//! 1. Both programs print what the question says.
//! 2. A check fails on the buggy program, and every check passes on the fixed one.
//! 3. The repair alone makes every check pass, and its changes to accepted lines are needed for that.
//! 4. Without any one other line, some check still fails. A line that is all of its block leaves `pass` behind.
//!    In a question about a gap, some check also fails with the missing lines in any other gap.
//! 5. Further runs print the same.
//!
//! A thorough proof also tries small edits of the other lines, and whether each check fails on one of the programs.
//!
//! Every check runs in a fresh process, after the program.

mod batch;
mod disagreement;
mod edits;
mod excerpt;
mod failure_hint;
mod insertions;
mod jobs;
mod missing_names;
mod mutants;
mod needless_checks;
mod repair_parts;
mod replacements;
mod scenario;
mod verifier;

use std::sync::Arc;
use std::time::Duration;

use self::batch::Batch;
use self::jobs::{job, python_literal, wait};
use self::verifier::{Verifier, Which};
use crate::content::diagnostic::{Diagnostic, SourceFile, codes};
use crate::content::locate::Step;
use crate::content::problems::Problems;
use crate::content::question::{Ask, Question};
use crate::error::Error;
use crate::quiz::runnable;
use crate::runner::{CheckCode, CheckOutcome, Engine, Limits, Mode, Runner};

/// Shortest time limit of a mutant, and its time limit as a multiple of the buggy program's time.
const SHORTEST: Duration = Duration::from_millis(50);
const PATIENCE: f64 = 20.0;

/// Seconds by which the clock of a second run is ahead: more than a day, so that hour and minute differ too.
const LATER: u32 = 100_000;

/// The further runs that prove that a program does the same each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// Once more, with the clocks of `time` a day ahead: for the built-in interpreter, whose sets keep their order.
    DayLater,
    /// Four times more, each time with another hash seed: for CPython, which chooses one for each process.
    HashSeeds,
}

impl Repetition {
    /// The difference of a further run, in words.
    fn how(self) -> &'static str {
        match self {
            Self::DayLater => "with its clocks a day ahead",
            Self::HashSeeds => "with another hash seed",
        }
    }

    /// The programs to run, one for each further run of `source`.
    fn runs(self, source: &str) -> Vec<String> {
        match self {
            Self::DayLater => vec![a_day_later(source)],
            Self::HashSeeds => vec![source.to_owned(); 4],
        }
    }
}

/// A program that runs `source` in its own namespace with the clocks of `time` ahead.
fn a_day_later(source: &str) -> String {
    let source = python_literal(source);
    format!(
        "\
import time
def _later(clock, ahead):
    return lambda: clock() + ahead
for _name in ('time', 'monotonic', 'perf_counter'):
    setattr(time, _name, _later(getattr(time, _name), {LATER}))
    setattr(time, _name + '_ns', _later(getattr(time, _name + '_ns'), {LATER} * 10**9))
def _now(convert, clock=time.time):
    return lambda seconds=None: convert(clock() if seconds is None else seconds)
for _name in ('gmtime', 'localtime', 'ctime'):
    setattr(time, _name, _now(getattr(time, _name)))
del time, _later, _now, _name
exec(compile({source}, 'program.py', 'exec', dont_inherit=True))
"
    )
}

/// The result of the proofs.
#[derive(Debug)]
pub struct Proof {
    /// The problems, in no order.
    pub problems: Vec<Diagnostic>,
    /// The interpreter that ran the programs.
    pub engine: Engine,
    /// The number of different programs that were run.
    pub programs: usize,
}

/// Adds the problems that another interpreter found, each once. If a program prints something else each time, its first output
/// is not compared with the question.
pub fn merge(problems: &mut Vec<Diagnostic>, mut more: Vec<Diagnostic>, file: &Arc<SourceFile>, engine: &Engine) {
    disagreement::explain(problems, &mut more, file, engine);
    // Interpreters may name different lines for one mistake.
    let same = |a: &Diagnostic, b: &Diagnostic| a.code == b.code && (a.span == b.span || a.message == b.message);
    let more: Vec<_> = more.into_iter().filter(|it| !problems.iter().any(|known| same(known, it))).collect();
    problems.extend(more);
    if !problems.iter().any(|it| it.code == codes::NOT_REPEATABLE) {
        return;
    }
    let places = Problems::new(file.clone());
    for table in ["spot", "fixed"] {
        let [code, prints] = ["code", "prints"].map(|key| places.place(&[Step::Key(table), Step::Key(key)]));
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
/// Says why the runner failed; the question is not to blame.
pub fn prove(
    question: &Question,
    file: &Arc<SourceFile>,
    runner: &dyn Runner,
    repetition: Repetition,
    thorough: bool,
) -> Result<Proof, Error> {
    let checks = runnable::checks(question);
    let repaired = question.repaired();
    // Often the fixed program is the repaired one, and is run once.
    let same = repaired == question.fixed.code;
    let start = |source: &str, mode: Mode| runner.start(job(source, mode, Limits::default()));
    let check = |source: &str| start(source, Mode::Check(checks.clone()));
    let (spot, fixed) = (question.spot.code.as_str(), question.fixed.code.as_str());
    // All at once, so that every core has something to do.
    let handles = (check(spot), check(fixed), (!same).then(|| check(&repaired)));
    let again = [(Which::Buggy, spot), (Which::Fixed, fixed)].into_iter();
    let again = again.flat_map(|(which, source)| repetition.runs(source).into_iter().map(move |it| (which, it)));
    let again: Vec<_> = again.map(|(which, source)| (which, start(&source, Mode::Run))).collect();
    let scenarios = question.scenario.as_ref().map(|scenario| {
        let mode = Mode::Scenario(runnable::scenario(scenario));
        (scenario, [spot, fixed].map(|source| start(source, mode.clone())))
    });

    let (buggy, fixed) = (wait(&handles.0)?, wait(&handles.1)?);
    let repaired = handles.2.as_ref().map(wait).transpose()?;
    let mut verifier = Verifier::new(question, buggy.ending.engine.clone(), Problems::new(file.clone()));
    // First the programs that differ from run to run: their other results mean nothing.
    for (which, handle) in &again {
        verifier.again(*which, repetition.how(), if *which == Which::Buggy { &buggy } else { &fixed }, &wait(handle)?);
    }
    verifier.programs(&buggy, &fixed, repaired.as_ref().unwrap_or(&fixed));
    let fails = buggy.checks.iter().position(|check| check.result != CheckOutcome::Passed).unwrap_or(0);
    let killers = first(checks, fails);
    if let Some((scenario, [buggy, fixed])) = &scenarios {
        verifier.scenario(scenario, &wait(buggy)?, &wait(fixed)?);
    }
    let mut count = if same { 2 } else { 3 };
    // Checks that do not separate the two programs prove nothing about others.
    if verifier.checks_decide {
        let wall = SHORTEST.max(Duration::from_secs_f64(buggy.ending.wall_ms * PATIENCE / 1000.0));
        let limits = Limits { wall: wall.min(Limits::default().wall), ..Limits::default() };
        let batch = Batch::new(runner, &killers, [&question.spot.code, &question.fixed.code], limits)?;
        let tried = mutants::prove(&mut verifier, (runner, &batch), &killers, limits, thorough)?;
        count += tried.programs;
        if thorough {
            needless_checks::prove(&mut verifier, &batch, &buggy, &tried.failing, limits)?;
        }
        // A repair that fails says nothing about its parts.
        let reported = |code| verifier.problems.has(code, &[Step::Key("spot"), Step::Key("repair")]);
        if !reported(codes::REPAIR_FAILS) && !reported(codes::NOT_FINISHED) {
            count += match question.spot.ask {
                Ask::Line => repair_parts::prove(&mut verifier, runner, (&killers, limits), &tried.passing)?,
                Ask::Gap => {
                    insertions::prove(&mut verifier, runner, &killers, limits)?
                        + repair_parts::prove_lines(&mut verifier, runner, (&killers, limits), 0)?
                }
            };
        }
    }
    let engine = verifier.engine.clone();
    Ok(Proof { engine, problems: verifier.problems.finish(), programs: count })
}

/// The checks, with the one at `place` first: a program that still has the bug usually fails it again.
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
    use crate::author::template::{self, Blanks};
    use crate::content::question::Date;
    use crate::content::{parse, read};
    use crate::runner::{Handle, Job};

    struct Silent;

    impl Runner for Silent {
        fn start(&self, _: Job) -> Handle {
            Handle::new(mpsc::channel().1, || {})
        }
    }

    #[test]
    fn a_runner_that_stops_says_nothing_about_the_question() {
        let today = Date(jiff::civil::date(2026, 11, 30));
        let blanks = Blanks { id: "x", topic: "T", file: "x.toml", schema: "#:schema x", today };
        let file = read::source(Path::new("x.toml"), &template::question(&blanks));
        let question = parse::question(&file).0.unwrap();
        let failed = prove(&question, &file, &Silent, Repetition::DayLater, true).unwrap_err();
        assert_eq!(failed.message, "the proofs stopped: the runner stopped in the middle of a program");
    }

    #[test]
    fn the_check_that_the_buggy_program_fails_comes_first() {
        let check = |name: &str| CheckCode { name: name.to_owned(), code: String::new() };
        let names = |checks: Vec<CheckCode>| checks.into_iter().map(|it| it.name).collect::<Vec<_>>();
        assert_eq!(names(first(vec![check("a"), check("b"), check("c")], 1)), ["b", "a", "c"]);
        assert_eq!(names(first(Vec::new(), 0)), <[String; 0]>::default());
    }
}
