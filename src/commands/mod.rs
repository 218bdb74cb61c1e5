//! Commands, one file each: wiring between the command line and the modules that do the work.

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

use serde::Serialize;

use crate::cli::{Cli, ColorChoice, Command, Global};
use crate::commands::consent::{Inspect, Programs};
use crate::content::catalog::{Catalog, Entry, LookupError};
use crate::content::diagnostic::{Diagnostic, Severity};
use crate::content::{load, render, versions};
use crate::error::{self, Error, Exit};
use crate::runner::cpython::Interpreter;
use crate::runner::{Level, Missing, Sandboxed};
use crate::script::ascii;
use crate::settings::Places;
use crate::text;

/// Columns of text when the width of the terminal is unknown.
const USUAL_WIDTH: usize = 80;

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

/// Context of a command.
struct Session {
    global: Global,
}

impl Session {
    /// Loads all questions and prints the problems in them.
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

    /// Returns the runner, which starts this program again as the hidden template.
    fn runner(&self) -> Result<Sandboxed, Error> {
        let executable = std::env::current_exe()
            .map_err(|error| Error::machinery("cannot find fencepost's own executable").because(error))?;
        Ok(Sandboxed::without(executable, self.global.without.clone()))
    }

    /// Returns the runner for `--python`. `auto` means the newest CPython that the question's `range` allows.
    fn runner_on(&self, python: Option<&OsStr>, range: &str) -> Result<Sandboxed, Error> {
        let Some(python) = python else { return self.runner() };
        let found = if python == "auto" { newest_cpython(range) } else { Interpreter::find(python) };
        let interpreter =
            found.map_err(|reason| Error::usage(reason).hint("omit `--python` to use the built-in interpreter"))?;
        Ok(self.runner()?.with_python(interpreter))
    }

    /// Checks that the programs of `entry` may run on `runner`, or asks the user.
    fn may_run(&self, entry: &Entry, runner: &Sandboxed) -> Result<(), Error> {
        consent::obtain(Programs::OfQuestion, entry, &self.global.trust_pack, runner)
    }

    /// Checks that a submitted fix for `entry` may run on `runner`, or asks the user.
    fn may_run_handed_in(&self, entry: &Entry, runner: &Sandboxed) -> Result<(), Error> {
        consent::obtain(Programs::HandedIn, entry, &self.global.trust_pack, runner)
    }

    fn places(&self) -> Result<Places, Error> {
        match &self.global.data_dir {
            Some(folder) => Ok(Places::within(folder)),
            None => Places::of_the_user(),
        }
    }

    /// True if colours go to `stream`. See <https://no-color.org>.
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

/// Finds the newest CPython on the `PATH` in `range`; if there is none, the newest of all, with a note to the user.
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

/// True if an error made a file of the catalog unusable.
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
        let (message, hint) = error.explain(text, "`fencepost list` shows every question");
        Error::usage(message).hint(hint)
    })
}

/// True if `path` would be the file of the question named `text`.
fn is_file_of(path: &Path, text: &str) -> bool {
    let (pack, id) = text.split_once('/').map_or((None, text), |(pack, id)| (Some(pack), id));
    let folder = path.parent().and_then(Path::file_name);
    path.file_stem().is_some_and(|stem| stem == id) && pack.is_none_or(|pack| folder.is_some_and(|name| name == pack))
}

/// Returns the columns of the terminal, or 80 without one.
fn width() -> usize {
    if !io::stdout().is_terminal() && !io::stderr().is_terminal() {
        return USUAL_WIDTH;
    }
    match ratatui::crossterm::terminal::size() {
        // Terminals that do not know their size, such as serial lines, report 0.
        Ok((0, _)) | Err(_) => USUAL_WIDTH,
        Ok((columns, _)) => usize::from(columns).max(20),
    }
}

/// Writes `text` to standard output. A closed pipe, as in `fencepost list | head -1`, is not an error.
fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    error::written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Writes a message to standard error, and ignores failure: there is nowhere left to report it.
fn message(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Formats a JSON document over several lines.
fn json(value: &impl Serialize) -> Result<String, Error> {
    visible(serde_json::to_string_pretty(value))
}

/// Formats a JSON document on one line.
fn json_line(value: &impl Serialize) -> Result<String, Error> {
    visible(serde_json::to_string(value))
}

fn visible(json: serde_json::Result<String>) -> Result<String, Error> {
    let text = json.map_err(|error| Error::machinery("cannot write the report as JSON").because(error))?;
    Ok(ascii::visible(&text).into_owned() + "\n")
}
