//! Completions for bash, which takes `--topic=d` for three words: `--topic`, `=` and `d`.
//!
//! Owns how the words are put together again, and how bash is told to complete the names of files. What completes the
//! rest is clap's own.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::engine;
use clap_complete::env::{Bash as Script, EnvCompleter};

use crate::commands::completions::files::{self, FILES};

/// Bash completes the names of files; below version 4, where a script cannot ask for that, as well as it can.
const FILES_BY_BASH: &str = r#"    elif [[ "${COMPREPLY-}" == ":files" ]]; then
        unset COMPREPLY
        local IFS=$'\n'
        compopt -o default 2> /dev/null || COMPREPLY=( $( compgen -f -- "$2" ) )
"#;

/// What completes in bash.
pub(super) struct Bash;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        Script.name()
    }

    fn is(&self, name: &str) -> bool {
        Script.is(name)
    }

    fn write_registration(
        &self,
        var: &str,
        name: &str,
        bin: &str,
        completer: &str,
        buf: &mut dyn Write,
    ) -> Result<(), io::Error> {
        let mut script = Vec::new();
        Script.write_registration(var, name, bin, completer, &mut script)?;
        let script = String::from_utf8_lossy(&script);
        let script = files::with_lines(&script, FILES_BY_BASH, "    elif [[ $_CLAP_COMPLETE_SPACE")?;
        buf.write_all(script.as_bytes())
    }

    fn write_complete(
        &self,
        cmd: &mut Command,
        args: Vec<OsString>,
        current_dir: Option<&Path>,
        buf: &mut dyn Write,
    ) -> Result<(), io::Error> {
        // The script of `write_registration` sets both.
        let index = std::env::var("_CLAP_COMPLETE_INDEX").ok().and_then(|index| index.parse().ok());
        let between = std::env::var("_CLAP_IFS").unwrap_or_else(|_| "\n".to_owned());
        let (args, index) = without_equals(args, index.unwrap_or_default());
        let candidates = engine::complete(&mut files::told(cmd.clone()), args, index, current_dir)?;
        if files::are_wanted(&candidates) {
            return buf.write_all(FILES.as_bytes());
        }
        let values: Vec<_> = candidates.iter().map(|candidate| candidate.get_value().to_string_lossy()).collect();
        buf.write_all(values.join(&between).as_bytes())
    }
}

/// The words without the signs that bash cuts off options, and where the one at `index` stands among them. A value
/// behind a blank is completed as well as one behind the sign, and bash puts it into the place of its own third word.
fn without_equals(words: Vec<OsString>, index: usize) -> (Vec<OsString>, usize) {
    let mut kept: Vec<OsString> = Vec::new();
    let mut before = 0;
    for (place, word) in words.into_iter().enumerate() {
        let cut_off = word == "=" && kept.last().is_some_and(|option| option.to_string_lossy().starts_with("--"));
        if !cut_off {
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
        let told = |words: &str, index: usize| {
            let (words, index) = without_equals(words.split(' ').map(OsString::from).collect(), index);
            (words.join(" ".as_ref()).into_string().unwrap(), index)
        };
        assert_eq!(told("f quiz --topic = d", 4), ("f quiz --topic d".to_owned(), 3));
        assert_eq!(told("f quiz --topic =", 3), ("f quiz --topic ".to_owned(), 3));
        assert_eq!(
            told("f --content = packs quiz --topic = d x", 7),
            ("f --content packs quiz --topic d x".to_owned(), 5)
        );
        assert_eq!(told("f quiz = x", 3), ("f quiz = x".to_owned(), 3));
    }
}
