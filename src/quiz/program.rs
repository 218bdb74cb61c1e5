//! Names the two programs of a question.

use crate::content::question::Question;

/// One of a question's two programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Program {
    /// The one with the bug.
    Buggy,
    /// The fixed program.
    Fixed,
}

impl Program {
    /// Both, in the order in which they are shown.
    pub const ALL: [Self; 2] = [Self::Buggy, Self::Fixed];

    /// The text of this program of `question`.
    pub fn code(self, question: &Question) -> &str {
        match self {
            Self::Buggy => &question.spot.code,
            Self::Fixed => &question.fixed.code,
        }
    }
}

/// The programs whose steps are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Programs {
    /// One alone.
    One(Program),
    /// Both in step; the buggy one leads.
    Both,
}

impl Default for Programs {
    fn default() -> Self {
        Self::One(Program::Buggy)
    }
}

impl Programs {
    /// The program that keys move.
    pub fn leader(self) -> Program {
        match self {
            Self::One(program) => program,
            Self::Both => Program::Buggy,
        }
    }
}

/// A value for each program that has one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PerProgram<T> {
    buggy: Option<T>,
    fixed: Option<T>,
}

impl<T> Default for PerProgram<T> {
    fn default() -> Self {
        Self { buggy: None, fixed: None }
    }
}

impl<T> PerProgram<T> {
    pub(super) fn get(&self, program: Program) -> Option<&T> {
        match program {
            Program::Buggy => self.buggy.as_ref(),
            Program::Fixed => self.fixed.as_ref(),
        }
    }

    /// The place of `program`'s value, to change it, put one in, or take it out.
    pub(super) fn place(&mut self, program: Program) -> &mut Option<T> {
        match program {
            Program::Buggy => &mut self.buggy,
            Program::Fixed => &mut self.fixed,
        }
    }

    /// The values of both, where both have one.
    pub(super) fn both(&self) -> Option<(&T, &T)> {
        self.buggy.as_ref().zip(self.fixed.as_ref())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.buggy.iter().chain(&self.fixed)
    }
}
