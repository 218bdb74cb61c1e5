//! Completions for zsh, which completes the names of files itself.
//!
//! Owns how zsh is told so. All else is clap's own.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::Command;
use clap_complete::engine;
use clap_complete::env::{EnvCompleter, Zsh as Script};

use crate::commands::completions::files::{self, FILES};

/// Zsh completes the names of files, also behind `--answers=`.
const FILES_BY_ZSH: &str = r#"    if [[ "$completions" == ":files" ]]; then
        compset -P '--*='
        _files
        return
    fi

"#;

/// What completes in zsh.
pub(super) struct Zsh;

impl EnvCompleter for Zsh {
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
        let script = files::with_lines(&script, FILES_BY_ZSH, "    if [[ -n $completions ]]")?;
        buf.write_all(script.as_bytes())
    }

    fn write_complete(
        &self,
        cmd: &mut Command,
        mut args: Vec<OsString>,
        current_dir: Option<&Path>,
        buf: &mut dyn Write,
    ) -> Result<(), io::Error> {
        // The script of `write_registration` sets it, and leaves an empty word out.
        let index = std::env::var("_CLAP_COMPLETE_INDEX").ok().and_then(|index| index.parse().ok()).unwrap_or_default();
        let given = args.clone();
        if args.len() == index {
            args.push(OsString::new());
        }
        let candidates = engine::complete(&mut files::told(cmd.clone()), args, index, current_dir)?;
        if files::are_wanted(&candidates) {
            return buf.write_all(FILES.as_bytes());
        }
        Script.write_complete(cmd, given, current_dir, buf)
    }
}
