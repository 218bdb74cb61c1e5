//! One file per command: wires the command line to the parts that do the work.

mod author;
pub(crate) mod completions;
mod consent;
mod doctor;
mod in_order;
mod list;
mod man;
mod play;
mod progress;
mod quiz;
mod run;
mod show;
mod terminal;

use std::ffi::OsStr;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use crate::cli::{Cli, ColorChoice, Command, Global};
use crate::commands::consent::{Inspect, Programs};
use crate::content::catalog::{Catalog, Entry, LookupError};
use crate::content::diagnostic::{Diagnostic, Severity};
use crate::content::{load, render, versions};
use crate::error::{Error, Exit};
use crate::runner::cpython::Interpreter;
use crate::runner::{Level, Missing, Sandboxed};
use crate::script::ascii;
use crate::settings::Places;
use crate::stdout;
use crate::text;

/// Columns of text if the width of the terminal is unknown.
const DEFAULT_WIDTH: usize = 80;

/// Runs one command.
///
/// # Errors
///
/// The command failed; the caller prints why.
pub fn run(cli: Cli) -> Result<Exit, Error> {
    let session = Session { global: cli.global };
    match cli.command {
        None => play::run(&session, None, false),
        Some(Command::Play(args)) => play::run(&session, args.question.as_deref(), args.plain),
        Some(Command::List(args)) => list::run(&session, &args),
        Some(Command::Show(args)) => show::run(&session, &args),
        Some(Command::Run(args)) => run::run(&session, &args),
        Some(Command::Quiz(args)) => quiz::run(&session, &args),
        Some(Command::Author(command)) => author::run(&session, &command),
        Some(Command::Completions(args)) => completions::run(args.shell),
        Some(Command::Man) => man::run(),
        Some(Command::Doctor(args)) => doctor::run(&session, &args),
    }
}

/// The global options, and what follows from them.
struct Session {
    global: Global,
}

impl Session {
    /// Loads the questions and prints all problems of their files.
    fn catalog(&self) -> Result<Catalog, Error> {
        let catalog = load::load(&self.global.content)?;
        if !catalog.problems.is_empty() {
            let text = render::diagnostics(
                &catalog.problems,
                |words| text::line(words).into_owned(),
                self.colour(&io::stderr()),
                width(),
            );
            message(&text);
        }
        Ok(catalog)
    }

    /// The runner, which starts this program again as its hidden template.
    fn runner(&self) -> Result<Sandboxed, Error> {
        let executable = std::env::current_exe()
            .map_err(|error| Error::machinery("cannot find the fencepost executable").because(error))?;
        Ok(Sandboxed::without(executable, self.global.without.clone()))
    }

    /// The runner on the CPython of `--python`, for a question that supports the versions in `range`.
    fn runner_on(&self, python: Option<&OsStr>, range: &str) -> Result<Sandboxed, Error> {
        let Some(python) = python else { return self.runner() };
        let found = if python == "auto" { newest_cpython(range) } else { Interpreter::find(python) };
        let interpreter =
            found.map_err(|reason| Error::usage(reason).hint("omit `--python` to use the built-in interpreter"))?;
        Ok(self.runner()?.with_python(interpreter))
    }

    /// Checks that the programs of `entry` may run on `runner`; asks the user if necessary.
    fn may_run(&self, entry: &Entry, runner: &Sandboxed) -> Result<(), Error> {
        consent::obtain(Programs::OfQuestion, entry, &self.global.trust_pack, runner)
    }

    /// Checks the same for a fix that someone handed in for `entry`.
    fn may_run_handed_in(&self, entry: &Entry, runner: &Sandboxed) -> Result<(), Error> {
        consent::obtain(Programs::HandedIn, entry, &self.global.trust_pack, runner)
    }

    fn places(&self) -> Result<Places, Error> {
        match &self.global.data_dir {
            Some(folder) => Ok(Places::within(folder)),
            None => Places::of_the_user(),
        }
    }

    /// True if `stream` gets colours. See <https://no-color.org>.
    fn colour(&self, stream: &impl IsTerminal) -> bool {
        match self.global.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                stream.is_terminal() && !unwanted && !terminal::is_dumb()
            }
        }
    }
}

/// The newest CPython on the `PATH` in `range`, or else, with a note to the user, the newest of all.
fn newest_cpython(range: &str) -> Result<Interpreter, String> {
    let mut found = Interpreter::find_all().into_iter();
    if let Some(fits) = found.clone().find(|it| versions::allows(range, &it.version)) {
        return Ok(fits);
    }
    let newest = found.next().map_or_else(Interpreter::find_any, Ok)?;
    let version = &newest.version;
    message(&text::block(&format!(
        "note: the question needs Python {range}, which is not on the PATH; using {version}\n"
    )));
    Ok(newest)
}

impl Inspect for Sandboxed {
    fn inspect(&self) -> Result<(Level, Vec<Missing>), Error> {
        match Self::inspect(self) {
            Ok(sandbox) => Ok((sandbox.engine.sandbox, sandbox.missing)),
            Err(reason) => Err(Error::machinery(format!("the runner does not start: {reason}"))),
        }
    }
}

/// True if a file has an error and cannot be used.
fn has_errors(catalog: &Catalog) -> bool {
    catalog.problems.iter().any(|problem| problem.severity == Severity::Error)
}

/// Finds the question that the user named.
fn find<'a>(catalog: &'a Catalog, text: &str) -> Result<&'a Arc<Entry>, Error> {
    catalog.find(text).map_err(|error| {
        let broken = |problem: &Diagnostic| problem.severity == Severity::Error && is_file_of(&problem.file.path, text);
        if matches!(error, LookupError::Unknown { .. }) && catalog.problems.iter().any(broken) {
            return Error::content(format!("the question `{text}` has errors")).hint("`fencepost list` shows them");
        }
        let (message, hint) = error.told(text, "`fencepost list` shows every question");
        Error::usage(message).hint(hint)
    })
}

/// True if `path` would be the file of the question that `text` names.
fn is_file_of(path: &Path, text: &str) -> bool {
    let (pack, id) = text.split_once('/').map_or((None, text), |(pack, id)| (Some(pack), id));
    let folder = path.parent().and_then(Path::file_name);
    path.file_stem().is_some_and(|stem| stem == id) && pack.is_none_or(|pack| folder.is_some_and(|name| name == pack))
}

/// Columns of the terminal; 80 if there is none.
fn width() -> usize {
    if !io::stdout().is_terminal() && !io::stderr().is_terminal() {
        return DEFAULT_WIDTH;
    }
    match crossterm::terminal::size() {
        // A terminal that does not know its size, as on a serial line, reports 0.
        Ok((0, _)) | Err(_) => DEFAULT_WIDTH,
        Ok((columns, _)) => usize::from(columns).max(20),
    }
}

/// Writes all of `text` to standard output. A reader that has gone is no error.
fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    stdout::written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Writes a message to standard error. If that fails, no one can be told.
fn message(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// A JSON document that ends with a newline.
fn json(value: &impl serde::Serialize) -> Result<String, Error> {
    ascii_json(serde_json::to_string_pretty(value))
}

/// A JSON document on one line, which ends with a newline.
fn json_line(value: &impl serde::Serialize) -> Result<String, Error> {
    ascii_json(serde_json::to_string(value))
}

fn ascii_json(text: serde_json::Result<String>) -> Result<String, Error> {
    let text = text.map_err(|error| Error::machinery("cannot write the report as JSON").because(error))?;
    Ok(ascii::visible(&(text + "\n")).into_owned())
}
