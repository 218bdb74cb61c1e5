//! Parent's side of the runner: takes jobs and reports events, without blocking.
//!
//! One thread starts the templates and serves them. It lives as long as the runner, because the kernel ends a template when
//! the *thread* that started it ends. Everything that a child sends is checked before it is believed.

mod child;
mod job;
mod output;
mod pool;
mod proc;
mod process;
mod verdict;
mod work;

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, SendError, Sender};
use std::sync::{Arc, OnceLock};
use std::thread;

use super::cpython::Interpreter;
use super::{Ending, Engine, Event, Handle, Job, Level, Missing, Part, Runner, python};

/// Runs programs in sandboxed children of a hidden template process.
///
/// Nothing is started before [`Sandboxed::prewarm`] or the first job. Dropping it ends all its processes; jobs that
/// still run report [`super::Verdict::Stopped`].
pub struct Sandboxed {
    start: Start,
    keeper: OnceLock<Arc<Keeper>>,
}

/// Configuration of templates.
#[derive(Clone, Debug)]
struct Start {
    executable: PathBuf,
    without: Vec<Part>,
    /// Runs programs on this CPython instead of the embedded interpreter.
    python: Option<Interpreter>,
}

/// Sandbox on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox {
    /// The interpreter, with the level.
    pub engine: Engine,
    /// The parts that are not in force, with reasons.
    pub missing: Vec<Missing>,
}

/// Error when the thread is gone, which only a bug in it can cause.
const ENDED: &str = "the runner has ended";

/// The thread and the way to it.
struct Keeper {
    commands: Sender<Command>,
    waker: UnixStream,
    jobs: AtomicU64,
}

enum Command {
    Start { id: u64, job: Job, events: Sender<Event> },
    Stop { id: u64 },
    Prewarm,
    Inspect { answer: Sender<Result<Sandbox, String>> },
    Quit,
}

impl Keeper {
    /// Hands the command back if the thread has ended.
    fn send(&self, command: Command) -> Result<(), Box<Command>> {
        let sent = self.commands.send(command).map_err(|SendError(command)| Box::new(command));
        // A full socket means that the thread is about to wake anyway.
        let _ = (&self.waker).write(&[1]);
        sent
    }
}

impl Sandboxed {
    /// A runner whose templates are started from `executable`, which must be this program: see
    /// [`super::template::run_if_asked`].
    pub fn new(executable: PathBuf) -> Self {
        Self::without(executable, Vec::new())
    }

    /// A runner on a real CPython, which was found with [`Interpreter::find`].
    pub fn on(executable: PathBuf, python: Interpreter) -> Self {
        Self::without(executable, Vec::new()).with_python(python)
    }

    /// The same runner on a real CPython.
    #[must_use]
    pub fn with_python(mut self, python: Interpreter) -> Self {
        self.start.python = Some(python);
        self
    }

    /// A runner without parts of the sandbox, for tests.
    pub fn without(executable: PathBuf, parts: Vec<Part>) -> Self {
        Self { start: Start { executable, without: parts, python: None }, keeper: OnceLock::new() }
    }

    /// Starts a template in the background, so that the first job does not wait for it.
    pub fn prewarm(&self) {
        if let Ok(keeper) = self.keeper() {
            // Without the thread there is nothing to warm; the first job says so.
            let _ = keeper.send(Command::Prewarm);
        }
    }

    /// Reports the sandbox on this machine. Waits for a template, some 50 ms if none runs yet.
    ///
    /// # Errors
    ///
    /// No template could be started.
    pub fn inspect(&self) -> Result<Sandbox, String> {
        let (answer, result) = mpsc::channel();
        // Not sent or not answered: either way the sender of the answer is dropped.
        let _ = self.keeper()?.send(Command::Inspect { answer });
        result.recv().unwrap_or_else(|_| Err(ENDED.to_owned()))
    }

    fn keeper(&self) -> Result<&Arc<Keeper>, String> {
        if let Some(keeper) = self.keeper.get() {
            return Ok(keeper);
        }
        let failed = |error: std::io::Error| format!("the runner cannot start: {error}");
        let (waker, wake) = UnixStream::pair().map_err(failed)?;
        waker.set_nonblocking(true).map_err(failed)?;
        wake.set_nonblocking(true).map_err(failed)?;
        let (commands, inbox) = mpsc::channel();
        let start = self.start.clone();
        thread::Builder::new()
            .name("runner".to_owned())
            .spawn(move || pool::Pool::new(start, inbox, wake).serve())
            .map_err(failed)?;
        // Two threads may come here at once: the thread of the one that loses ends when its senders are dropped.
        Ok(self.keeper.get_or_init(|| Arc::new(Keeper { commands, waker, jobs: AtomicU64::new(0) })))
    }
}

impl Runner for Sandboxed {
    fn start(&self, job: Job) -> Handle {
        let (events, inbox): (_, Receiver<Event>) = mpsc::channel();
        let keeper = match self.keeper() {
            Ok(keeper) => Arc::clone(keeper),
            Err(reason) => {
                let _ = events.send(Event::Ended(never_ran(reason)));
                return Handle::new(inbox, || {});
            }
        };
        let id = keeper.jobs.fetch_add(1, Ordering::Relaxed);
        if let Err(command) = keeper.send(Command::Start { id, job, events })
            && let Command::Start { events, .. } = *command
        {
            let _ = events.send(Event::Ended(never_ran(ENDED.to_owned())));
        }
        Handle::new(inbox, move || {
            // A thread that has ended has no job to stop.
            let _ = keeper.send(Command::Stop { id });
        })
    }
}

impl Drop for Sandboxed {
    fn drop(&mut self) {
        if let Some(keeper) = self.keeper.get() {
            let _ = keeper.send(Command::Quit);
        }
    }
}

/// Returns the ending of a job that could not be started.
fn never_ran(detail: String) -> Ending {
    Ending { engine: nobody(None), ..Ending::unreported(detail) }
}

/// Describes the engine of a program that never ran.
fn nobody(python: Option<&Interpreter>) -> Engine {
    python.map_or_else(|| python::engine(Level::None), |found| found.engine(Level::None))
}

#[cfg(test)]
mod tests {
    use super::super::{Limits, Mode};
    use super::*;

    #[test]
    fn a_job_ends_once_where_the_thread_is_gone() {
        let (commands, inbox) = mpsc::channel();
        let (waker, _wake) = UnixStream::pair().unwrap();
        drop(inbox);
        let runner = Sandboxed::new("/nothing/here".into());
        let keeper = Keeper { commands, waker, jobs: AtomicU64::new(0) };
        assert!(runner.keeper.set(Arc::new(keeper)).is_ok());
        let handle = runner.start(Job { source: String::new(), mode: Mode::Run, limits: Limits::default() });
        handle.stop();
        assert_eq!(runner.inspect(), Err("the runner has ended".to_owned()));
        let ended = never_ran("the runner has ended".to_owned());
        assert_eq!(handle.next(), Some(Event::Ended(ended)));
        drop(runner);
        assert_eq!(handle.next(), None);
    }
}
