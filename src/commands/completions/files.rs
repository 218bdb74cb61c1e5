//! Names of files in bash and zsh, which the shell itself completes: it knows its quotes, `~` and its variables, and inserts
//! a name as it must be written.
//!
//! Owns the word by which a script is told so.

use std::io;

use clap::builder::ValueHint;
use clap::{Arg, Command};
use clap_complete::{ArgValueCompleter, CompletionCandidate};

/// What a script is told where the name of a file belongs. No option, command, topic or question has a colon.
pub(super) const FILES: &str = ":files";

/// `command` with [`FILES`] as the one completion of every path.
pub(super) fn told(command: Command) -> Command {
    let files = || ArgValueCompleter::new(|_: &std::ffi::OsStr| vec![CompletionCandidate::new(FILES)]);
    let is_path = |arg: &Arg| arg.get_value_hint() == ValueHint::AnyPath;
    command.mut_args(|arg| if is_path(&arg) { arg.add(files()) } else { arg }).mut_subcommands(told)
}

/// Whether a path is what is being typed, among candidates for a command that was [`told`].
pub(super) fn are_wanted(candidates: &[CompletionCandidate]) -> bool {
    candidates.iter().any(|candidate| candidate.get_value().to_string_lossy().ends_with(FILES))
}

/// `script` with `lines` before the one that begins with `before`.
///
/// # Errors
///
/// There is no such line: clap's script is another one than this was written for.
pub(super) fn with_lines(script: &str, lines: &str, before: &str) -> io::Result<String> {
    let place = script.split_once(before);
    let (head, tail) = place.ok_or_else(|| io::Error::other("the script has no place for the names of files"))?;
    Ok(format!("{head}{lines}{before}{tail}"))
}
