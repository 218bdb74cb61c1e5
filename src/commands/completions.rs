//! `fencepost completions`: prints a shell's script, and answers when the script asks for completions.
//!
//! The scripts are clap's. They contain no commands: they start this program again, so they are never out of date.

mod files;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, Command, CommandFactory as _};
use clap_complete::env::{CompleteEnv, EnvCompleter, Fish, Powershell, Shells};
use clap_complete::{ArgValueCandidates, CompletionCandidate};

use self::files::ShellFiles;
use crate::cli::{Cli, Shell};
use crate::commands::print;
use crate::content::catalog::Catalog;
use crate::content::load;
use crate::error::{Error, Exit};
use crate::script::selection::slug;
use crate::text;

/// The variable that the scripts set to the name of the shell.
const ASKED: &str = "FENCEPOST_COMPLETE";

pub(super) fn run(shell: Shell) -> Result<Exit, Error> {
    let failed = |error: std::io::Error| Error::machinery("cannot write the script").because(error);
    let completer: &dyn EnvCompleter = match shell {
        Shell::Bash => &ShellFiles::Bash,
        Shell::Zsh => &ShellFiles::Zsh,
        Shell::Fish => &Fish,
        Shell::Powershell => &Powershell,
    };
    let mut script = Vec::new();
    completer.write_registration(ASKED, "fencepost", "fencepost", "fencepost", &mut script).map_err(failed)?;
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

/// Answers a shell that asks for completions. Returns `None` if none asks.
pub(crate) fn complete_if_asked() -> Result<Option<Exit>, Error> {
    // Without the variable, every other start stays as fast as it is.
    if std::env::var_os(ASKED).is_none() {
        return Ok(None);
    }
    let here = std::env::current_dir().ok();
    let shells = Shells(&[&ShellFiles::Bash, &Fish, &Powershell, &ShellFiles::Zsh]);
    let asked = CompleteEnv::with_factory(command).var(ASKED).shells(shells);
    match asked.try_complete(std::env::args_os(), here.as_deref()) {
        Ok(true) => Ok(Some(Exit::Done)),
        Ok(false) => Ok(None),
        Err(error) => Err(Error::usage(format!("`{ASKED}` is set, and nothing can be completed")).because(error)),
    }
}

/// The command line, with the names of questions and topics as candidates.
fn command() -> Command {
    let question = |arg: Arg| arg.add(ArgValueCandidates::new(questions));
    Cli::command()
        .mut_subcommand("play", |play| play.mut_arg("question", question))
        .mut_subcommand("show", |show| show.mut_arg("question", question))
        .mut_subcommand("run", |run| run.mut_arg("question", question))
        .mut_subcommand("quiz", |quiz| {
            quiz.mut_arg("questions", question).mut_arg("topic", |arg| arg.add(ArgValueCandidates::new(topics)))
        })
}

/// The questions by their full names and, where it is enough, by their ids, with their titles.
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

/// The topics, each as one word.
fn topics() -> Vec<CompletionCandidate> {
    let topics: BTreeSet<String> = catalog().questions.iter().map(|entry| slug(&entry.card.topic)).collect();
    topics.into_iter().filter(|topic| is_word(topic)).map(CompletionCandidate::new).collect()
}

/// Returns true if every shell reads `name` as one literal word. Shells insert names as they are, and PowerShell evaluates
/// the line at each completion: the name of someone else's folder must not become a command.
fn is_word(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+'))
}

/// The questions of the command that is being typed. Files with errors are left out, since a shell cannot show errors.
fn catalog() -> Catalog {
    let folders = content_folders(std::env::args_os());
    load::load(&folders).or_else(|_| load::load(&[])).unwrap_or_default()
}

/// The folders that `words` name with `--content`.
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
        folders.extend(folder.map(home_expanded).filter(|folder| folder.is_dir()));
    }
    folders
}

/// Replaces `~`, which bash and zsh pass on as it was typed.
fn home_expanded(word: OsString) -> PathBuf {
    match (word.to_str().and_then(|word| word.strip_prefix("~/")), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
