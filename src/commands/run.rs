//! `fencepost run`: the programs of a question, run live.
//!
//! Owns which programs run and how; what is printed is `run/document.rs` for scripts and `run/page.rs` for people, `run/repair.rs` compares.

mod document;
mod page;
mod repair;

use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::Duration;

use crate::cli::{Format, Run};
use crate::commands::run::repair::Repair;
use crate::commands::{Session, find, json, print, width};
use crate::content::catalog::Entry;
use crate::content::read;
use crate::error::{Error, Exit};
use crate::quiz::runnable;
use crate::quiz::timeline;
use crate::runner::recording::Outcome;
use crate::runner::{Job, Limits, Mode, Runner, Scenario, Verdict};

/// Columns from which two programs stand side by side.
const SIDE_BY_SIDE: usize = 100;

pub(super) fn run(session: &Session, args: &Run) -> Result<Exit, Error> {
    let catalog = session.catalog()?;
    let entry = find(&catalog, &args.question)?;
    let programs = programs(entry, args)?;
    let runner = session.runner_on(args.python.as_deref(), &entry.question.python)?;
    session.may_run(entry, &runner)?;
    let limits = Limits { wall: Duration::from_secs_f64(args.timeout).min(Limits::MAX_WALL), ..Limits::default() };

    let learner =
        programs.iter().find(|(_, _, mode)| matches!(mode, Mode::Grade { .. })).map(|(_, source, _)| source.clone());

    // Both start at once, so that the slower one alone decides how long it takes.
    let started: Vec<_> = programs
        .into_iter()
        .map(|(program, source, mode)| (program, runner.start(Job { source, mode, limits })))
        .collect();
    let mut runs = Vec::new();
    for (program, handle) in &started {
        let outcome =
            Outcome::wait(handle).ok_or_else(|| Error::machinery("the runner went away in the middle of a program"))?;
        runs.push(Ran { program, outcome });
    }
    let repair = learner.zip(runs.first()).map(|(source, ran)| Repair::new(&entry.question, &source, &ran.outcome));
    let report = Report { entry, runs, repair };
    print(&match args.format {
        Format::Text => {
            let two = report.runs.len() == 2 && io::stdout().is_terminal();
            page::page(&report, two.then(width).filter(|width| *width >= SIDE_BY_SIDE))
        }
        Format::Json => json(&document::document(&report))?,
    })?;
    Ok(exit(&report.runs, args.file.is_some() && !args.trace && !args.scenario))
}

/// Everything that was run.
struct Report<'a> {
    entry: &'a Entry,
    runs: Vec<Ran<'a>>,
    /// What was checked as a repair.
    repair: Option<Repair>,
}

/// A program that came to its end, one way or another.
struct Ran<'a> {
    program: &'a str,
    outcome: Outcome,
}

impl Report<'_> {
    /// The first row, counted from 0, in which the two programs' scenarios part; `None` where they do not.
    fn parts_at(&self) -> Option<usize> {
        let [one, other] = self.runs.as_slice() else { return None };
        timeline::parts_at(&one.outcome.rows, &other.outcome.rows)
    }
}

fn programs(entry: &Entry, args: &Run) -> Result<Vec<(&'static str, String, Mode)>, Error> {
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
        programs.push(("file", read_program(path)?, mode));
        if checked || args.trace {
            return Ok(programs);
        }
    } else if !args.fixed {
        programs.push(("buggy", question.spot.code.clone(), mode.clone()));
    }
    if !args.buggy {
        programs.push(("fixed", question.fixed.code.clone(), mode));
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

/// How the command ends. Where there is nothing to pass, as in a trace, how a program ended is data; where a file was
/// `checked`, nothing but passing passes, also if it never ran.
fn exit(runs: &[Ran<'_>], checked: bool) -> Exit {
    let machinery = |ran: &Ran<'_>| ran.outcome.ending.verdict == Verdict::MachineryFailed;
    if runs.iter().any(machinery) {
        Exit::Machinery
    } else if checked && !runs.iter().all(|ran| ran.outcome.passed()) {
        Exit::Failed
    } else {
        Exit::Done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::{CheckOutcome, CheckResult, Ending, Engine, Level};

    fn ran(program: &'static str, verdict: Verdict, checks: &[CheckOutcome]) -> Ran<'static> {
        let engine =
            Engine { name: "RustPython".into(), version: "0".into(), python: "3".into(), sandbox: Level::Full };
        let check = |result: &CheckOutcome| CheckResult {
            name: "it".into(),
            result: *result,
            message: String::new(),
            unreached: None,
        };
        let ending = Ending { verdict, detail: String::new(), wall_ms: 0.0, engine, overloads: Vec::new() };
        let outcome = Outcome { checks: checks.iter().map(check).collect(), ..Outcome::of(ending) };
        Ran { program, outcome }
    }

    #[test]
    fn nothing_but_passing_passes() {
        use CheckOutcome::{Failed, Passed};
        let file = |verdict, checks: &[CheckOutcome]| exit(&[ran("file", verdict, checks)], true);
        assert_eq!(file(Verdict::Finished, &[Passed, Passed]), Exit::Done);
        assert_eq!(file(Verdict::Finished, &[Passed, Failed]), Exit::Failed);
        assert_eq!(file(Verdict::Raised, &[]), Exit::Failed);
        assert_eq!(file(Verdict::Refused, &[]), Exit::Failed, "a program that never ran passed");
        assert_eq!(file(Verdict::MachineryFailed, &[]), Exit::Machinery);
        let both = [ran("buggy", Verdict::TimedOut, &[]), ran("fixed", Verdict::Finished, &[])];
        assert_eq!(exit(&both, false), Exit::Done, "how a question's own programs end is data");
    }
}
