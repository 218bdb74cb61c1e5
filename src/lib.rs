//! fencepost: a terminal tutor for spot-the-bug interview questions.
//!
//! The map, from the pure middle outwards:
//!
//! - [`content`] holds questions as data: how they are read, and what is wrong with them
//! - [`author`] checks and proves questions for those who write them
//! - [`quiz`] is the state of a quiz, and `update`, the only function that changes it
//! - [`runner`] runs Python in sandboxed processes
//! - [`progress`] remembers
//! - [`effects`] does what a quiz asks for
//! - [`tui`] is the screens
//! - [`plain`] is the same flow as lines of text
//! - [`script`] turns answers into a report
//! - [`cli`] and [`commands`] are the command line and its verbs
//! - [`settings`] and [`error`] say where files live and how things end
//! - [`text`] makes untrusted text safe to show, and writes plurals and lists

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

/// Runs the program with the arguments of this process. An error is printed here, once.
pub fn run() -> Exit {
    match commands::completions::complete_if_asked() {
        Ok(Some(exit)) => return exit,
        Ok(None) => {}
        Err(error) => return told(error),
    }
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors and go to standard output.
            if error.use_stderr() {
                let _ = error.print();
                return Exit::Usage;
            }
            return error::written(error.print()).map_or_else(told, |()| Exit::Done);
        }
    };
    commands::run(cli).unwrap_or_else(told)
}

/// Prints an error; how it ends the program.
fn told(error: Error) -> Exit {
    eprint(&error);
    error.exit
}

/// Prints an error, why it happened, and what to do next.
fn eprint(error: &Error) {
    use std::io::Write as _;

    // A name in a message may have line breaks, and must not begin a line that seems to be ours.
    let words = |words: &dyn std::fmt::Display| text::block(words.to_string().trim_end()).replace('\n', "\n    ");
    let mut text = format!("error: {}\n", words(error));
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!("  because: {}\n", words(&cause)));
        source = cause.source();
    }
    for hint in &error.hints {
        text.push_str(&format!("  hint: {}\n", words(hint)));
    }
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
