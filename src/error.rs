//! Errors that end a command, and the table of exit codes.
//!
//! Mistakes in questions are `content::diagnostic`s instead, since all of them are listed.

use std::process::ExitCode;
use std::{fmt, io};

/// How the program ended, the same for every command and every output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: done, and passed where there was something to pass.
    Done,
    /// 1: done, but below the pass mark, a proof failed, or a program failed its checks.
    Failed,
    /// 2: the command line or the answers make no sense.
    Usage,
    /// 3: questions could not be read.
    Content,
    /// 4: the program's own machinery failed: the runner, the disk.
    Machinery,
    /// 128 + the signal that ended it: 129 SIGHUP, 130 SIGINT, 131 SIGQUIT, 143 SIGTERM.
    Signal(u8),
}

impl Exit {
    /// The number that the shell sees.
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

/// Why a command could not do its work.
#[derive(Debug)]
pub struct Error {
    /// The exit code's kind.
    pub exit: Exit,
    /// A lower-case fragment; the user's words stand in backticks.
    pub message: String,
    /// What to do next, each naming a command, a key or a file.
    pub hints: Vec<String>,
    /// What the system said.
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error that ends with `exit`.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hints: Vec::new(), source: None }
    }

    /// The command line or the answers make no sense.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Questions could not be read.
    pub fn content(message: impl Into<String>) -> Self {
        Self::new(Exit::Content, message)
    }

    /// The program's own machinery failed.
    pub fn machinery(message: impl Into<String>) -> Self {
        Self::new(Exit::Machinery, message)
    }

    /// Standard output cannot be written to.
    pub fn output(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::machinery("cannot write to standard output").because(source)
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds what the system said.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The message with its cause and hints.
    pub fn in_one_line(&self) -> String {
        let cause = self.source.as_ref().map(|cause| format!(": {cause}")).unwrap_or_default();
        let hints: Vec<String> = self.hints.iter().map(|hint| format!("; {hint}")).collect();
        format!("{self}{cause}{}", hints.concat())
    }
}

/// The result of writing to standard output. A reader that has gone, as in `fencepost list | head -1`, is no error.
///
/// # Errors
///
/// It could not be written for another reason.
pub fn written(result: io::Result<()>) -> Result<(), Error> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::output(error)),
        _ => Ok(()),
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
