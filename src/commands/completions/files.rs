//! clap's completions for bash and zsh, but the shell itself completes the names of files.
//!
//! The shell knows how to write blanks, quotes, `$` and `~`. clap's own answers are inserted as they are, which breaks
//! such names. So no candidates are printed for a path, and the scripts fall back to the shell's files.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;

use clap::builder::ValueHint;
use clap::{Arg, Command};
use clap_complete::env::{self, EnvCompleter};
use clap_complete::{ArgValueCompleter, CompletionCandidate, engine};

/// Stands for every path among the candidates. Nothing else ends with a colon.
const PATH: &str = ":";

pub(super) struct Bash;

pub(super) struct Zsh;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn is(&self, name: &str) -> bool {
        name == "bash"
    }

    fn write_registration(
        &self,
        var: &str,
        name: &str,
        bin: &str,
        completer: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let script = script(|script| env::Bash.write_registration(var, name, bin, completer, script))?;
        out.write_all(script.replace("-o bashdefault", "-o bashdefault -o default").as_bytes())
    }

    fn write_complete(
        &self,
        command: &mut Command,
        args: Vec<OsString>,
        folder: Option<&Path>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (args, index) = without_equals(args, index());
        let between = std::env::var("_CLAP_IFS").unwrap_or_else(|_| "\n".to_owned());
        let candidates = candidates(command, args, index, folder)?;
        out.write_all(candidates.join(&between).as_bytes())
    }
}

impl EnvCompleter for Zsh {
    fn name(&self) -> &'static str {
        "zsh"
    }

    fn is(&self, name: &str) -> bool {
        name == "zsh"
    }

    fn write_registration(
        &self,
        var: &str,
        name: &str,
        bin: &str,
        completer: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let script = script(|script| env::Zsh.write_registration(var, name, bin, completer, script))?;
        let files = "    else\n        compset -P '--*='\n        _files\n    fi\n}\n";
        out.write_all(script.replace("    fi\n}\n", files).as_bytes())
    }

    fn write_complete(
        &self,
        command: &mut Command,
        mut args: Vec<OsString>,
        folder: Option<&Path>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let index = index();
        // The script omits an empty word.
        if args.len() == index {
            args.push(OsString::new());
        }
        if candidates(command, args.clone(), index, folder)?.is_empty() {
            return Ok(());
        }
        env::Zsh.write_complete(command, args, folder, out)
    }
}

fn script(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> io::Result<String> {
    let mut script = Vec::new();
    write(&mut script)?;
    String::from_utf8(script).map_err(io::Error::other)
}

/// The position of the word to complete, which the scripts pass.
fn index() -> usize {
    std::env::var("_CLAP_COMPLETE_INDEX").ok().and_then(|index| index.parse().ok()).unwrap_or_default()
}

/// clap's candidates; none if one of them is a path.
fn candidates(command: &Command, args: Vec<OsString>, index: usize, folder: Option<&Path>) -> io::Result<Vec<String>> {
    let candidates = engine::complete(&mut with_marked_paths(command.clone()), args, index, folder)?;
    let words: Vec<String> = candidates.iter().map(|it| it.get_value().to_string_lossy().into_owned()).collect();
    Ok(if words.iter().any(|word| word.ends_with(PATH)) { Vec::new() } else { words })
}

fn with_marked_paths(command: Command) -> Command {
    let marked = |_: &OsStr| vec![CompletionCandidate::new(PATH)];
    let mark = |arg: Arg| match arg.get_value_hint() {
        ValueHint::AnyPath => arg.add(ArgValueCompleter::new(marked)),
        _ => arg,
    };
    command.mut_args(mark).mut_subcommands(with_marked_paths)
}

/// Joins options that bash has cut: it passes `--topic=d` as `--topic`, `=` and `d`. Returns the words without the signs, and
/// the new place of the word at `index`.
fn without_equals(words: Vec<OsString>, index: usize) -> (Vec<OsString>, usize) {
    let mut kept: Vec<OsString> = Vec::new();
    let mut before = 0;
    for (place, word) in words.into_iter().enumerate() {
        let is_cut = word == "=" && kept.last().is_some_and(|option| option.to_string_lossy().starts_with("--"));
        if !is_cut {
            kept.push(word);
        } else if place == index {
            kept.push(OsString::new());
        } else if place < index {
            before += 1;
        }
    }
    (kept, index - before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_completed_behind_its_sign() {
        let joined = |words: &str, index: usize| {
            let (words, index) = without_equals(words.split(' ').map(OsString::from).collect(), index);
            (words.join(" ".as_ref()).into_string().unwrap(), index)
        };
        assert_eq!(joined("f quiz --topic = d", 4), ("f quiz --topic d".to_owned(), 3));
        assert_eq!(joined("f quiz --topic =", 3), ("f quiz --topic ".to_owned(), 3));
        assert_eq!(
            joined("f --content = packs quiz --topic = d x", 7),
            ("f --content packs quiz --topic d x".to_owned(), 5)
        );
        assert_eq!(joined("f quiz = x", 3), ("f quiz = x".to_owned(), 3));
    }
}
