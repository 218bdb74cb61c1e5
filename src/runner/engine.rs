//! The interpreters, and the levels and parts of the sandbox around them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::cpython::{self, Interpreter};
use super::python;

/// The interpreter that ran a program, for the stamp beside its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// "RustPython" or "CPython".
    pub name: String,
    /// The engine's own version, such as "0.5.0".
    pub version: String,
    /// The version of Python that it implements, such as "3.14.0".
    pub python: String,
    /// The sandbox around the program.
    pub sandbox: Level,
}

impl Engine {
    /// The built-in interpreter, or a CPython.
    pub(super) fn new(python: Option<&Interpreter>, sandbox: Level) -> Self {
        let (name, version, language) = match python {
            None => (python::NAME, python::VERSION, python::LANGUAGE),
            Some(found) => (cpython::NAME, found.version.as_str(), found.version.as_str()),
        };
        Self { name: name.to_owned(), version: version.to_owned(), python: language.to_owned(), sandbox }
    }

    /// True if its results may count in a grade: only the built-in interpreter keeps checks out of a program's reach.
    pub fn grades(&self) -> bool {
        self.name == python::NAME
    }
}

/// How much of the sandbox is in force, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Landlock, seccomp and resource limits.
    Full,
    /// Seccomp and resource limits; seccomp alone still closes files and network.
    NoLandlock,
    /// Resource limits only: the program could open files.
    LimitsOnly,
    /// Nothing.
    None,
}

impl Level {
    /// The word that reports use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::NoLandlock => "no_landlock",
            Self::LimitsOnly => "limits_only",
            Self::None => "none",
        }
    }

    /// True if someone else's program may run at this level without asking.
    pub fn contains_strangers(self) -> bool {
        self <= Self::NoLandlock
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// A part of the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Landlock: no file can be opened, whatever the system call.
    Landlock,
    /// Seccomp: only listed system calls, none of which opens, connects or forks.
    Seccomp,
    /// Limits on memory, processor time and descriptors.
    Limits,
}

impl Part {
    /// Every part.
    pub const ALL: [Self; 3] = [Self::Landlock, Self::Seccomp, Self::Limits];

    /// The word that reports use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Landlock => "landlock",
            Self::Seccomp => "seccomp",
            Self::Limits => "limits",
        }
    }
}

/// A part of the sandbox that is not in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// The part.
    pub part: Part,
    /// The reason, for users.
    pub reason: String,
}
