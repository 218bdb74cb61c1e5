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

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ShellFiles {
    Bash,
    Zsh,
}

impl ShellFiles {
    fn upstream(self) -> &'static dyn EnvCompleter {
        match self {
            Self::Bash => &env::Bash,
            Self::Zsh => &env::Zsh,
        }
    }
}

impl EnvCompleter for ShellFiles {
    fn name(&self) -> &'static str {
        self.upstream().name()
    }

    fn is(&self, name: &str) -> bool {
        self.upstream().is(name)
    }

    fn write_registration(
        &self,
        var: &str,
        name: &str,
        bin: &str,
        completer: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut script = Vec::new();
        self.upstream().write_registration(var, name, bin, completer, &mut script)?;
        let script = String::from_utf8_lossy(&script);
        let files = "    else\n        compset -P '--*='\n        _files\n    fi\n}\n";
        let script = match self {
            Self::Bash => script.replace("-o bashdefault", "-o bashdefault -o default"),
            Self::Zsh => script.replace("    fi\n}\n", files),
        };
        out.write_all(script.as_bytes())
    }

    fn write_complete(
        &self,
        command: &mut Command,
        args: Vec<OsString>,
        folder: Option<&Path>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let index = std::env::var("_CLAP_COMPLETE_INDEX").ok().and_then(|index| index.parse().ok()).unwrap_or_default();
        let (mut args, index) = if *self == Self::Bash { without_equals(args, index) } else { (args, index) };
        // zsh omits an empty word.
        if args.len() == index {
            args.push(OsString::new());
        }
        let candidates = candidates(command, args.clone(), index, folder)?;
        match self {
            Self::Zsh if !candidates.is_empty() => env::Zsh.write_complete(command, args, folder, out),
            Self::Zsh => Ok(()),
            Self::Bash => {
                let between = std::env::var("_CLAP_IFS").unwrap_or_else(|_| "\n".to_owned());
                out.write_all(candidates.join(&between).as_bytes())
            }
        }
    }
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
