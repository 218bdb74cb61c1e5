//! Proves many questions at a time, so that every core has work.
//!
//! Owns which interpreter each question is proved on, and the line that tells how far the work is. Must not know what a
//! proof is, which is `content/prove.rs`, nor print what it found.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::{self, IsTerminal, Write};
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::report::{Engine, Report};
use crate::commands::Session;
use crate::content::catalog::Entry;
use crate::content::diagnostic::{Severity, SourceFile, codes};
use crate::content::prove::{self, Proof, Repetition};
use crate::content::question::Question;
use crate::content::{diagnostic::Diagnostic, versions};
use crate::error::Error;
use crate::runner::Sandboxed;
use crate::runner::cpython::Interpreter;

/// What programs are proved on.
pub(super) enum Interpreters {
    /// The one that is built in, for every question.
    Embedded(Sandboxed),
    /// For each question the first CPython that is in its range, and they are sorted: the newest first.
    CPython(Vec<(Interpreter, Sandboxed)>),
}

impl Interpreters {
    pub(super) fn embedded(runner: Sandboxed) -> Self {
        Self::Embedded(runner)
    }

    /// The CPython that was asked for, or every one that is found.
    pub(super) fn cpython(session: &Session, wanted: &OsStr) -> Result<Self, String> {
        let found = match wanted == "auto" {
            true => Interpreter::find_all(),
            false => vec![Interpreter::find(wanted)?],
        };
        if found.is_empty() {
            // Said in the words of the search for one.
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
            Self::Embedded(_) => Repetition::Once,
            Self::CPython(_) => Repetition::Seeds,
        }
    }

    /// What proves questions that need `range`.
    fn runner(&self, range: &str) -> Option<&Sandboxed> {
        match self {
            Self::Embedded(runner) => Some(runner),
            Self::CPython(found) => {
                found.iter().find(|(it, _)| versions::allows(range, &it.version)).map(|(_, runner)| runner)
            }
        }
    }

    fn versions(&self) -> String {
        let Self::CPython(found) = self else { return String::new() };
        found.iter().map(|(it, _)| it.version.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// Runs the proofs of every usable question and adds what they say to `report`.
///
/// # Errors
///
/// The runner does not work.
pub(super) fn prove(
    session: &Session,
    report: &mut Report,
    on: &Interpreters,
    progress: &Progress,
) -> Result<(), Error> {
    let mut tasks: Vec<(usize, Arc<Question>, Arc<SourceFile>, &Sandboxed)> = Vec::new();
    let mut asked = BTreeSet::new();
    let mut refused = BTreeSet::new();
    for (place, examined) in report.questions.iter_mut().enumerate() {
        let Some(question) = &examined.question else { continue };
        let Some(runner) = on.runner(&question.python) else {
            let problem = out_of_range(question, &examined.file, &on.versions());
            examined.problems.push(problem);
            continue;
        };
        if asked.insert((examined.pack, std::ptr::from_ref(runner))) {
            let entry = Entry::new(examined.name.clone(), Question::clone(question), false);
            if let Err(refusal) = session.may_run(&entry, runner) {
                let hints: Vec<String> = refusal.hints.iter().map(|hint| format!("; {hint}")).collect();
                report.not_done.push(format!("{refusal}{}", hints.concat()));
                refused.insert(examined.pack);
            }
        }
        if refused.contains(&examined.pack) {
            continue;
        }
        tasks.push((place, question.clone(), examined.file.clone(), runner));
    }
    progress.begin("proving", tasks.len());
    let proofs = at_once(&tasks, |(_, question, file, runner)| {
        let proof = prove::prove(question, file, *runner, on.repetition());
        progress.step();
        proof
    });
    for ((place, ..), proof) in tasks.iter().zip(proofs) {
        let Proof { problems, engine, programs } =
            proof.map_err(|reason| Error::machinery(format!("the proofs stopped: {reason}")))?;
        report.programs += programs;
        let Some(examined) = report.questions.get_mut(*place) else { continue };
        if matches!(on, Interpreters::CPython(_)) {
            examined.cpython = Some(engine.python.clone());
        }
        // What fails on one interpreter most often fails on the other as well, and is told once.
        let seen: Vec<_> = examined.problems.iter().map(|it| (it.code, it.span.clone())).collect();
        examined.problems.extend(problems.into_iter().filter(|it| !seen.contains(&(it.code, it.span.clone()))));
        let set_order_proved = on.repetition() == Repetition::Seeds;
        let engine = Engine { engine, set_order_proved };
        if !report.engines.contains(&engine) {
            report.engines.push(engine);
        }
    }
    Ok(())
}

/// Does `work` on every task, several at a time. The results come in the order of the tasks, up to the first that failed.
fn at_once<T: Sync, R: Send, E: Send>(tasks: &[T], work: impl Fn(&T) -> Result<R, E> + Sync) -> Vec<Result<R, E>> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let done = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        // One more than cores: while one question is judged, the programs of another run.
        for _ in 0..(cores + 1).min(tasks.len()) {
            scope.spawn(|| {
                while !failed.load(Ordering::Relaxed) {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(task) = tasks.get(place) else { break };
                    let result = work(task);
                    failed.fetch_or(result.is_err(), Ordering::Relaxed);
                    done.lock().unwrap_or_else(PoisonError::into_inner).insert(place, result);
                }
            });
        }
    });
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut results: Vec<_> = done.into_values().collect();
    if let Some(failure) = results.iter().position(Result::is_err) {
        results.swap(0, failure);
        results.truncate(1);
    }
    results
}

fn out_of_range(question: &Question, file: &Arc<SourceFile>, versions: &str) -> Diagnostic {
    let at = file.text.find("\npython").map_or(0, |at| at + 1);
    let end = file.text.get(at..).and_then(|rest| rest.find('\n')).map_or(file.text.len(), |length| at + length);
    Diagnostic {
        code: codes::PYTHON_RANGE,
        severity: Severity::Error,
        file: file.clone(),
        span: at..end,
        message: format!("not proved on CPython: the question needs {}, and {versions} is here", question.python),
        label: String::new(),
        notes: Vec::new(),
        help: "name a CPython in that range with `--python PATH`, or widen the range".into(),
    }
}

/// One line on standard error that says how far the work is, where somebody can see it.
pub(super) struct Progress {
    shown: bool,
    what: Mutex<&'static str>,
    all: AtomicUsize,
    done: AtomicUsize,
}

impl Progress {
    pub(super) fn new() -> Self {
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let shown = io::stderr().is_terminal() && !dumb;
        Self { shown, what: Mutex::new(""), all: AtomicUsize::new(0), done: AtomicUsize::new(0) }
    }

    pub(super) fn begin(&self, what: &'static str, all: usize) {
        *self.what.lock().unwrap_or_else(PoisonError::into_inner) = what;
        self.all.store(all, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.draw(0);
    }

    pub(super) fn step(&self) {
        self.draw(self.done.fetch_add(1, Ordering::Relaxed) + 1);
    }

    fn draw(&self, done: usize) {
        const WIDTH: usize = 30;
        if !self.shown {
            return;
        }
        let what = self.what.lock().unwrap_or_else(PoisonError::into_inner);
        let all = self.all.load(Ordering::Relaxed);
        let full = (WIDTH * done).checked_div(all).unwrap_or(0);
        // In one write, so that nothing comes between.
        let bar = format!("\r{what} [{}{}] {done}/{all}\x1b[K", "#".repeat(full), "-".repeat(WIDTH - full));
        let _ = io::stderr().lock().write_all(bar.as_bytes());
    }

    pub(super) fn clear(&self) {
        if self.shown {
            let _ = io::stderr().lock().write_all(b"\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_tasks_whatever_ends_first() {
        let tasks: Vec<u32> = (0..200).collect();
        let results = at_once(&tasks, |n| if n % 7 == 3 { Err(*n) } else { Ok(*n) });
        assert!(matches!(results[..], [Err(n)] if n % 7 == 3), "{results:?}");
        let results = at_once(&tasks, |n| Ok::<_, ()>(n * 2));
        assert_eq!(results, tasks.iter().map(|n| Ok(n * 2)).collect::<Vec<_>>());
        assert_eq!(at_once(&[0; 0], |_| Ok::<_, ()>(())), []);
    }
}
