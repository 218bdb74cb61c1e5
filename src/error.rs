//! Errors that end a command, and the table of exit codes.
//!
//! Mistakes in questions are `content::diagnostic`s instead, because all of them are listed.

use std::fmt;
use std::process::ExitCode;

/// Exit codes, the same for every command and every output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: done, and passed where there was something to pass.
    Done,
    /// 1: done, but below the pass mark, or a program or a proof failed.
    Failed,
    /// 2: invalid arguments or answers.
    Usage,
    /// 3: invalid or unreadable questions.
    Content,
    /// 4: internal error: the runner or the disk failed.
    Machinery,
    /// 128 + the signal that ended it: 129 SIGHUP, 130 SIGINT, 131 SIGQUIT, 143 SIGTERM.
    Signal(u8),
}

impl Exit {
    /// The status that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Content => 3,
            Self::Machinery => 4,
            Self::Signal(signal) => 128_u8.saturating_add(signal),
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// The reason why a command failed.
#[derive(Debug)]
pub struct Error {
    /// The exit code.
    pub exit: Exit,
    /// A lower-case fragment, with the user's words in backticks.
    pub message: String,
    /// Next steps; each names a command, a key or a file.
    pub hints: Vec<String>,
    /// The error of the system or a library.
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error with an exit code.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hints: Vec::new(), source: None }
    }

    /// Invalid arguments or answers.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Invalid or unreadable questions.
    pub fn content(message: impl Into<String>) -> Self {
        Self::new(Exit::Content, message)
    }

    /// An internal error.
    pub fn machinery(message: impl Into<String>) -> Self {
        Self::new(Exit::Machinery, message)
    }

    /// Adds a next step.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds the cause.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}
