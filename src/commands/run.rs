//! `fencepost run`: the programs of a question, run live.
//!
//! `script::run` has the JSON document, `run/page.rs` the page for people.

mod page;

use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::Duration;

use crate::cli::{self, Format};
use crate::commands::{Session, find, json, print, width};
use crate::content::catalog::Entry;
use crate::content::read;
use crate::error::{Error, Exit};
use crate::quiz::runnable;
use crate::quiz::timeline;
use crate::runner::recording::Outcome;
use crate::runner::{Job, Limits, Mode, Runner, Scenario, Verdict};
use crate::script::report::Versioned;
use crate::script::run::{DetailedRun, Repair, Role, Runs};

/// Columns from which two programs stand side by side.
const SIDE_BY_SIDE: usize = 100;

pub(super) fn run(session: &Session, args: &cli::Run) -> Result<Exit, Error> {
    let catalog = session.catalog()?;
    let entry = find(&catalog, &args.question)?;
    let programs = programs(entry, args)?;
    let runner = session.runner_on(args.python.as_deref(), &entry.question.python)?;
    session.may_run(entry, &runner)?;
    let limits = Limits { wall: Duration::from_secs_f64(args.timeout).min(Limits::MAX_WALL), ..Limits::default() };

    let learner =
        programs.iter().find(|(_, _, mode)| matches!(mode, Mode::Grade { .. })).map(|(_, source, _)| source.clone());

    // Both start at once, so that the slower one alone decides how long it takes.
    let started: Vec<_> =
        programs.into_iter().map(|(role, source, mode)| (role, runner.start(Job { source, mode, limits }))).collect();
    let gone = || Error::machinery("the runner stopped in the middle of a program");
    let outcomes = started.iter().map(|(role, handle)| Some((*role, Outcome::wait(handle)?)));
    let outcomes: Vec<(Role, Outcome)> = outcomes.collect::<Option<_>>().ok_or_else(gone)?;

    let scenario = entry.question.scenario.as_ref();
    let runs: Vec<DetailedRun> =
        outcomes.iter().map(|(role, outcome)| DetailedRun::new(*role, outcome, scenario)).collect();
    let parts_at = match outcomes.as_slice() {
        [(_, one), (_, other)] => timeline::parts_at(&one.rows, &other.rows).map(|row| row + 1),
        _ => None,
    };
    let repair = learner.zip(runs.first()).map(|(source, run)| Repair::new(&entry.question, &source, &run.run));
    let document = Runs { question: entry.name.clone(), parts_at, runs, repair };
    print(&match args.format {
        Format::Text => {
            let two = document.runs.len() == 2 && io::stdout().is_terminal();
            page::page(&document, &entry.question, two.then(width).filter(|width| *width >= SIDE_BY_SIDE))
        }
        Format::Json => json(&Versioned::new(&document))?,
    })?;
    Ok(exit(&document.runs, args.file.is_some() && !args.trace && !args.scenario))
}

fn programs(entry: &Entry, args: &cli::Run) -> Result<Vec<(Role, String, Mode)>, Error> {
    let question = &entry.question;
    let mode = if args.trace {
        Mode::Trace
    } else if args.scenario {
        Mode::Scenario(scenario(entry)?)
    } else {
        Mode::Run
    };
    let mut programs = Vec::new();
    if let Some(path) = &args.file {
        let checked = mode == Mode::Run;
        let mode = if checked { runnable::grade(question) } else { mode.clone() };
        programs.push((Role::Fix, read_program(path)?, mode));
        if checked || args.trace {
            return Ok(programs);
        }
    } else if !args.fixed {
        programs.push((Role::Buggy, question.spot.code.clone(), mode.clone()));
    }
    if !args.buggy {
        programs.push((Role::Fixed, question.fixed.code.clone(), mode));
    }
    Ok(programs)
}

fn scenario(entry: &Entry) -> Result<Scenario, Error> {
    let scenario = entry.question.scenario.as_ref().ok_or_else(|| {
        Error::usage(format!("the question `{}` has no scenario", entry.name))
            .hint(format!("`fencepost run {}` runs its programs, `--trace` shows their steps", entry.name))
    })?;
    Ok(runnable::scenario(scenario))
}

fn read_program(path: &Path) -> Result<String, Error> {
    match read::named_file(path) {
        Ok(file) => Ok(file.text.clone()),
        Err(problem) => Err(Error::usage(problem.message).hint(problem.help)),
    }
}

/// The exit code. Where a file was `checked`, it must pass, also if it never ran. Otherwise the end of a program is data.
fn exit(runs: &[DetailedRun], checked: bool) -> Exit {
    if runs.iter().any(|run| run.run.verdict == Verdict::MachineryFailed) {
        Exit::Machinery
    } else if checked && !runs.iter().all(|run| run.run.passed()) {
        Exit::Failed
    } else {
        Exit::Done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::{CheckOutcome, CheckResult, Ending};

    fn ran(verdict: Verdict, checks: &[CheckOutcome]) -> DetailedRun {
        let check = |result: &CheckOutcome| CheckResult {
            name: "it".into(),
            result: *result,
            message: String::new(),
            unreached: None,
        };
        let ending = Ending { verdict, ..Ending::unreported(String::new()) };
        let outcome = Outcome { checks: checks.iter().map(check).collect(), ..Outcome::of(ending) };
        DetailedRun::new(Role::Fix, &outcome, None)
    }

    #[test]
    fn nothing_but_passing_passes() {
        use CheckOutcome::{Failed, Passed};
        let file = |verdict, checks: &[CheckOutcome]| exit(&[ran(verdict, checks)], true);
        assert_eq!(file(Verdict::Finished, &[Passed, Passed]), Exit::Done);
        assert_eq!(file(Verdict::Finished, &[Passed, Failed]), Exit::Failed);
        assert_eq!(file(Verdict::Raised, &[]), Exit::Failed);
        assert_eq!(file(Verdict::Refused, &[]), Exit::Failed, "a program that never ran passed");
        assert_eq!(file(Verdict::MachineryFailed, &[]), Exit::Machinery);
        let both = [ran(Verdict::TimedOut, &[]), ran(Verdict::Finished, &[])];
        assert_eq!(exit(&both, false), Exit::Done, "how a question's own programs end is data");
    }
}
