//! Interpreters, and the levels of the sandbox around them.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::python;

/// The interpreter that ran a program, and its sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Engine {
    /// "RustPython" or "CPython".
    pub name: String,
    /// The engine's own version, such as "0.5.0".
    pub version: String,
    /// The Python version whose language it speaks, such as "3.14.0".
    pub python: String,
    /// The level of the sandbox.
    pub sandbox: Level,
}

impl Engine {
    /// True if its results may be graded: only the built-in interpreter keeps checks out of a program's reach.
    pub fn grades(&self) -> bool {
        self.name == python::NAME
    }
}

/// The parts of the sandbox that are in force, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
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

    /// True if someone else's program may run at this level without consent.
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
    /// Missing part.
    pub part: Part,
    /// Reason, for users.
    pub reason: String,
}
