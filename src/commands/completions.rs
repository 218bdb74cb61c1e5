//! `fencepost completions`: prints a shell's completion script, and answers the script's queries.
//!
//! The script contains no commands itself: it starts fencepost for each completion, so it is never out of date.

mod bash;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::ValueHint;
use clap::{Arg, Command, CommandFactory as _};
use clap_complete::env::{self, CompleteEnv, EnvCompleter, Shells};
use clap_complete::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter};

use crate::cli::{Cli, Shell};
use crate::commands::print;
use crate::content::catalog::Catalog;
use crate::content::load;
use crate::error::{Error, Exit};
use crate::script::selection::slug;
use crate::text;

/// Variable that the scripts set to the name of their shell.
const ASKED: &str = "FENCEPOST_COMPLETE";

pub(super) fn run(shell: Shell) -> Result<Exit, Error> {
    let failed = |error: std::io::Error| Error::machinery("cannot write the script").because(error);
    let completer: &dyn EnvCompleter = match shell {
        Shell::Bash => &env::Bash,
        Shell::Zsh => &env::Zsh,
        Shell::Fish => &env::Fish,
        Shell::Powershell => &env::Powershell,
    };
    let mut script = Vec::new();
    completer.write_registration(ASKED, "fencepost", "fencepost", "fencepost", &mut script).map_err(failed)?;
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

/// Adds completers for values to `command`.
fn completed(command: Command) -> Command {
    let with_values = |arg: Arg| match arg.get_id().as_str() {
        "question" | "questions" => arg.add(ArgValueCandidates::new(questions)),
        "topic" => arg.add(ArgValueCandidates::new(topics)),
        _ if arg.get_value_hint() == ValueHint::AnyPath => {
            let paths = PathCompleter::any().filter(|path: &Path| path.to_str().is_some_and(is_word));
            arg.add(ArgValueCompleter::new(paths))
        }
        _ => arg,
    };
    command.mut_args(with_values).mut_subcommands(completed)
}

/// Answers a shell's completion query; `None` if there is none.
pub(crate) fn complete_if_asked() -> Result<Option<Exit>, Error> {
    // Checked first, so that normal starts stay fast.
    if std::env::var_os(ASKED).is_none() {
        return Ok(None);
    }
    let here = std::env::current_dir().ok();
    let shells = Shells(&[&bash::Bash, &env::Zsh, &env::Fish, &env::Powershell]);
    let asked = CompleteEnv::with_factory(|| completed(Cli::command())).var(ASKED).shells(shells);
    match asked.try_complete(std::env::args_os(), here.as_deref()) {
        Ok(true) => Ok(Some(Exit::Done)),
        Ok(false) => Ok(None),
        Err(error) => Err(Error::usage(format!("invalid completion query in `{ASKED}`")).because(error)),
    }
}

/// Lists questions with their titles: by full name and, if it is unique, by id.
fn questions() -> Vec<CompletionCandidate> {
    let catalog = catalog();
    let mut candidates = Vec::new();
    for entry in &catalog.questions {
        let title = text::line(&entry.card.title).into_owned();
        let names = [entry.name.id.clone(), entry.name.to_string()];
        let names = names.into_iter().filter(|name| catalog.find(name).is_ok() && is_word(name));
        candidates.extend(names.map(|name| CompletionCandidate::new(name).help(Some(title.clone().into()))));
    }
    candidates
}

/// Lists the topics, each as one word.
fn topics() -> Vec<CompletionCandidate> {
    let topics: BTreeSet<String> = catalog().questions.iter().map(|entry| slug(&entry.card.topic)).collect();
    topics.into_iter().filter(|topic| is_word(topic)).map(CompletionCandidate::new).collect()
}

/// True if `name` is one literal word in every shell. Shells insert it unquoted, and PowerShell evaluates the line at each
/// completion: the name of someone else's file must not become a command.
fn is_word(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+'))
}

/// Loads the questions for the command being typed. Errors are ignored: a completion cannot show them.
fn catalog() -> Catalog {
    let folders = content_folders(std::env::args_os());
    load::load(&folders).or_else(|_| load::load(&[])).unwrap_or_default()
}

/// Finds the folders of `--content` in `words`.
fn content_folders(words: impl IntoIterator<Item = OsString>) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    // Bash passes `--content=DIR` as three words.
    let mut words = words.into_iter().filter(|word| word != "=");
    while let Some(word) = words.next() {
        let folder = match word.to_str().and_then(|word| word.strip_prefix("--content=")) {
            Some(folder) => Some(OsString::from(folder)),
            None if word == "--content" => words.next(),
            None => None,
        };
        let as_typed = folder.iter().map(PathBuf::from);
        let as_meant = folder.iter().filter_map(|folder| folder.to_str()).map(unquoted);
        folders.extend(as_typed.chain(as_meant).find(|folder| folder.is_dir()));
    }
    folders
}

/// Expands quotes and `~` in `word`, which bash and zsh pass as typed.
fn unquoted(word: &str) -> PathBuf {
    let mut out = String::new();
    let mut quote = None;
    let mut chars = word.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => out.extend(chars.next()),
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(quoted)) if c == quoted => quote = None,
            (c, _) => out.push(c),
        }
    }
    match (word.strip_prefix("~/"), std::env::home_dir()) {
        (Some(_), Some(home)) => home.join(out.trim_start_matches("~/")),
        _ => PathBuf::from(out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_found_as_they_are_quoted() {
        for word in ["a b", "'a b'", "\"a b\"", "a\\ b", "a' b'"] {
            assert_eq!(unquoted(word), PathBuf::from("a b"), "{word}");
        }
        assert_eq!(unquoted("it\\'s"), PathBuf::from("it's"));
        assert_eq!(unquoted("\"a"), PathBuf::from("a"));
        assert_eq!(unquoted("a\\"), PathBuf::from("a"));
        assert_eq!(unquoted("~"), PathBuf::from("~"));
    }

    #[test]
    fn names_that_a_shell_would_take_apart_are_left_out() {
        for (name, word) in [("leases/fencing-tokens", true), ("größe/x", true), ("c++", true)] {
            assert_eq!(is_word(name), word, "{name}");
        }
        for name in ["a b/x", "$(x)/y", "a;b/x", "a`b/x", "a'b/x", "a\nb/x", "~/x~", "a&b/x", "@(x)"] {
            assert!(!is_word(name), "{name}");
        }
    }

    #[test]
    fn folders_of_the_typed_command_are_found() {
        let words = "fencepost --content src show --content=tests --content /nowhere --content = assets --content";
        let found = content_folders(words.split(' ').map(OsString::from));
        assert_eq!(found, ["src", "tests", "assets"].map(PathBuf::from));
    }
}
