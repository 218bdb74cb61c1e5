//! Proves many questions at a time, so that every core has work.
//!
//! Chooses the interpreter of each question and reports progress. The proofs themselves are in `author/prove/`.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::sync::Arc;

use crate::author::prove::{self, Proof, Repetition};
use crate::author::report::{Engine, Report};
use crate::commands::Session;
use crate::commands::in_order::{cores, in_order};
use crate::commands::progress::Progress;
use crate::content::catalog::Entry;
use crate::content::diagnostic::SourceFile;
use crate::content::question::Question;
use crate::content::versions;
use crate::error::Error;
use crate::runner::Sandboxed;
use crate::runner::cpython::Interpreter;

/// The interpreters that programs are proved on.
pub(super) enum Interpreters {
    /// The built-in one, for every question.
    Embedded(Sandboxed),
    /// CPythons, the newest first; each question takes the newest and the oldest in its range.
    CPython(Vec<(Interpreter, Sandboxed)>),
}

impl Interpreters {
    /// The CPython that was asked for, or every one that is found.
    pub(super) fn cpython(session: &Session, wanted: &OsStr) -> Result<Self, String> {
        let found = match wanted == "auto" {
            true => Interpreter::find_all(),
            false => vec![Interpreter::find(wanted)?],
        };
        if found.is_empty() {
            // Returns the error of the search for one.
            Interpreter::find_any()?;
        }
        let runner = |it: Interpreter| {
            let runner = session.runner().map_err(|error| error.to_string())?.with_python(it.clone());
            Ok((it, runner))
        };
        Ok(Self::CPython(found.into_iter().map(runner).collect::<Result<_, String>>()?))
    }

    fn repetition(&self) -> Repetition {
        match self {
            Self::Embedded(_) => Repetition::DayLater,
            Self::CPython(_) => Repetition::HashSeeds,
        }
    }

    /// The runners for questions that need `range`, the newest first.
    fn runners(&self, range: &str) -> Vec<&Sandboxed> {
        match self {
            Self::Embedded(runner) => vec![runner],
            Self::CPython(found) => {
                let mut fit = found.iter().filter(|(it, _)| versions::allows(range, &it.version));
                fit.next().into_iter().chain(fit.next_back()).map(|(_, runner)| runner).collect()
            }
        }
    }

    fn versions(&self) -> Vec<&str> {
        let Self::CPython(found) = self else { return Vec::new() };
        found.iter().map(|(it, _)| it.version.as_str()).collect()
    }
}

/// Runs the proofs of every usable question and adds the results to `report`.
///
/// # Errors
///
/// The runner does not work.
pub(super) fn prove(
    session: &Session,
    report: &mut Report,
    on: &Interpreters,
    thorough: bool,
    progress: &Progress,
) -> Result<(), Error> {
    let mut tasks: Vec<(usize, Arc<Question>, Arc<SourceFile>, &Sandboxed)> = Vec::new();
    let mut asked = BTreeSet::new();
    let mut refused = BTreeSet::new();
    for (place, examined) in report.questions.iter_mut().enumerate() {
        let Some(question) = &examined.question else { continue };
        let runners = on.runners(&question.python);
        if runners.is_empty() {
            let problem = versions::out_of_range(question, &examined.file, &on.versions());
            examined.problems.push(problem);
        }
        for runner in runners {
            if asked.insert((examined.pack, std::ptr::from_ref(runner))) {
                let entry = Entry::new(examined.name.clone(), Question::clone(question), false);
                if let Err(refusal) = session.may_run(&entry, runner) {
                    report.not_done.push(refusal.in_one_line());
                    refused.insert(examined.pack);
                }
            }
            if !refused.contains(&examined.pack) {
                tasks.push((place, question.clone(), examined.file.clone(), runner));
            }
        }
    }
    progress.begin("proving", tasks.len());
    let prove = |(_, question, file, runner): &(usize, Arc<Question>, Arc<SourceFile>, &Sandboxed)| {
        let proof = prove::prove(question, file, *runner, on.repetition(), thorough);
        progress.step();
        proof
    };
    let mut proofs = Vec::with_capacity(tasks.len());
    // One more than cores: while the results of one question are compared, the programs of another run.
    in_order(&tasks, cores() + 1, prove, |proof| {
        proofs.push(proof?);
        Ok::<_, Error>(())
    })?;
    for ((place, ..), Proof { problems, engine, programs }) in tasks.iter().zip(proofs) {
        let Some(examined) = report.questions.get_mut(*place) else { continue };
        // Each interpreter runs the same programs.
        examined.programs = examined.programs.max(programs);
        if matches!(on, Interpreters::CPython(_)) {
            examined.cpython.insert(0, engine.python.clone());
        }
        // A problem on one interpreter is usually one on the other as well, and is reported once.
        prove::merge(&mut examined.problems, problems, &examined.file, &engine);
        let engine = Engine { engine, set_order_proved: matches!(on, Interpreters::CPython(_)) };
        if !report.engines.contains(&engine) {
            report.engines.push(engine);
        }
    }
    Ok(())
}
