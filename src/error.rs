//! Errors that end a command, and the exit codes.
//!
//! Mistakes in questions are `content::diagnostic`s instead, since a command lists all of them.

use std::process::ExitCode;
use std::{fmt, io};

/// Exit codes, the same for every command and output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: done; whatever was graded or checked passed.
    Done,
    /// 1: below the pass mark, a failed check or a failed proof.
    Failed,
    /// 2: invalid arguments or answers.
    Usage,
    /// 3: some questions cannot be used.
    Content,
    /// 4: fencepost itself failed, for example the runner or the disk.
    Machinery,
    /// 128 + the signal that ended fencepost: 129 SIGHUP, 130 SIGINT, 131 SIGQUIT, 143 SIGTERM.
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

/// Failure of a command.
#[derive(Debug)]
pub struct Error {
    /// Exit code.
    pub exit: Exit,
    /// Lower-case fragment, with the user's words in backticks.
    pub message: String,
    /// Next steps, each naming a command, a key or a file.
    pub hints: Vec<String>,
    /// Underlying error.
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Creates an error that ends with `exit`.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hints: Vec::new(), source: None }
    }

    /// Creates an error for invalid arguments or answers.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Creates an error for questions that cannot be used.
    pub fn content(message: impl Into<String>) -> Self {
        Self::new(Exit::Content, message)
    }

    /// Creates an error for a failure of fencepost itself.
    pub fn machinery(message: impl Into<String>) -> Self {
        Self::new(Exit::Machinery, message)
    }

    /// Creates an error for a failed write to standard output.
    pub fn output(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::machinery("cannot write to standard output").because(source)
    }

    /// Adds a next step.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds the underlying error.
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

/// Turns the result of a write to standard output into ours. A closed pipe, as in `fencepost list | head -1`, is not an
/// error.
///
/// # Errors
///
/// The write failed for another reason.
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
