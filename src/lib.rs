//! fencepost: a terminal tutor for spot-the-bug interview questions.
//!
//! Modules, from the pure core outwards:
//!
//! - [`content`] loads questions and reports mistakes in them: `question` has the types, `parse` every key
//! - [`author`] checks and proves questions for their authors
//! - [`quiz`] holds the state of a quiz, and `update`, the only function that changes it
//! - [`runner`] runs Python in sandboxed processes
//! - [`progress`] stores answers and repairs; the tables are in `schema.sql`
//! - [`effects`] performs the effects that a quiz asks for
//! - [`tui`] draws the screens
//! - [`plain`] is plain-text mode, for screen readers
//! - [`script`] grades files of answers and writes reports
//! - [`cli`] defines the command line, and [`commands`] has one file per command
//! - [`settings`] finds and reads the user's files
//! - [`error`] defines errors and exit codes
//! - [`text`] makes untrusted text safe to show, and formats plurals and lists

pub mod author;
pub mod cli;
pub mod commands;
pub mod content;
pub mod effects;
pub mod error;
pub mod plain;
pub mod progress;
pub mod quiz;
pub mod runner;
pub mod script;
pub mod settings;
pub mod text;
pub mod tui;

use std::error::Error as _;

use clap::Parser as _;

use crate::error::{Error, Exit};

/// Runs fencepost with the arguments of this process, and prints its error, if any.
pub fn run() -> Exit {
    match commands::completions::complete_if_asked() {
        Ok(Some(exit)) => return exit,
        Ok(None) => {}
        Err(error) => return report(error),
    }
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // clap reports help and version as errors too, but prints them to standard output.
            if error.use_stderr() {
                let _ = error.print();
                return Exit::Usage;
            }
            return error::written(error.print()).map_or_else(report, |()| Exit::Done);
        }
    };
    commands::run(cli).unwrap_or_else(report)
}

/// Prints an error with its causes and hints. Returns its exit code.
fn report(error: Error) -> Exit {
    use std::io::Write as _;

    // A name with line breaks must not begin a line that looks like ours.
    let words = |words: &dyn std::fmt::Display| text::block(words.to_string().trim_end()).replace('\n', "\n    ");
    let mut text = format!("error: {}\n", words(&error));
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!("  because: {}\n", words(&cause)));
        source = cause.source();
    }
    for hint in &error.hints {
        text.push_str(&format!("  hint: {}\n", words(hint)));
    }
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
    error.exit
}
