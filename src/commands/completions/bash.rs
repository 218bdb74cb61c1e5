//! clap's completions for bash, which splits `--topic=d` into `--topic`, `=` and `d`.
//!
//! clap takes each of them for an argument of its own, and offers questions for the value of `--topic=`.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::engine;
use clap_complete::env::{self, EnvCompleter};

pub(super) struct Bash;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        env::Bash.name()
    }

    fn is(&self, name: &str) -> bool {
        env::Bash.is(name)
    }

    fn write_registration(&self, var: &str, name: &str, bin: &str, own: &str, out: &mut dyn Write) -> io::Result<()> {
        env::Bash.write_registration(var, name, bin, own, out)
    }

    fn write_complete(
        &self,
        command: &mut Command,
        args: Vec<OsString>,
        folder: Option<&Path>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let index = std::env::var("_CLAP_COMPLETE_INDEX").ok().and_then(|index| index.parse().ok());
        let between = std::env::var("_CLAP_IFS").unwrap_or_else(|_| "\n".to_owned());
        let (args, index) = without_equals(args, index.unwrap_or_default());
        let candidates = engine::complete(command, args, index, folder)?;
        let words: Vec<_> = candidates.iter().map(|candidate| candidate.get_value().to_string_lossy()).collect();
        out.write_all(words.join(&between).as_bytes())
    }
}

/// Drops the signs after options, and returns the new place of the word at `index`. Bash inserts a candidate for `--topic d`
/// after the sign of `--topic=d`.
fn without_equals(words: Vec<OsString>, index: usize) -> (Vec<OsString>, usize) {
    let mut kept: Vec<OsString> = Vec::new();
    let mut before = 0;
    for (place, word) in words.into_iter().enumerate() {
        let is_split = word == "=" && kept.last().is_some_and(|option| option.to_string_lossy().starts_with("--"));
        if !is_split {
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
    fn a_value_is_completed_after_its_sign() {
        for (words, index, expected) in [
            ("f quiz --topic = d", 4, ("f quiz --topic d", 3)),
            ("f quiz --topic =", 3, ("f quiz --topic ", 3)),
            ("f --content = packs quiz --topic = d x", 7, ("f --content packs quiz --topic d x", 5)),
            ("f quiz = x", 3, ("f quiz = x", 3)),
        ] {
            let (words, index) = without_equals(words.split(' ').map(OsString::from).collect(), index);
            assert_eq!((words.join(" ".as_ref()).to_str().unwrap(), index), expected);
        }
    }
}
