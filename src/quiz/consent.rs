//! Decides if the programs of a question may run here.
//!
//! Programs that came with fencepost run anywhere. Others run only where the sandbox contains them, or once the learner
//! has agreed for their pack. Until it is known which of these holds, nothing of theirs starts.

use std::collections::BTreeSet;

use crate::content::catalog::Entry;
use crate::quiz::stage::Stage;
use crate::runner::Level;

/// Strength of the sandbox, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Sandbox {
    /// Not known yet; somebody is looking.
    #[default]
    Unknown,
    /// It is this strong.
    Known {
        /// The level.
        level: Level,
        /// Its gaps here, as part of a sentence.
        why: String,
    },
    /// It could not be looked at, for this reason.
    Failed(String),
}

/// A reason why a run that the learner asked for has not started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// The strength of the sandbox is not known yet. The run starts, or becomes a question, as soon as it is.
    SandboxUnknown,
    /// The sandbox does not contain someone else's programs: the learner has to agree first.
    NeedsConsent,
    /// The sandbox could not be looked at, so that there is nothing to agree to.
    SandboxFailed,
}

/// The reason why the programs of `entry` may not run; `None` if they may.
pub(super) fn blocked(entry: &Entry, sandbox: &Sandbox, trusted: &BTreeSet<String>) -> Option<Blocked> {
    if entry.shipped || trusted.contains(&entry.name.pack) {
        return None;
    }
    match sandbox {
        Sandbox::Known { level, .. } if level.contains_strangers() => None,
        Sandbox::Known { .. } => Some(Blocked::NeedsConsent),
        Sandbox::Unknown => Some(Blocked::SandboxUnknown),
        Sandbox::Failed(_) => Some(Blocked::SandboxFailed),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// The request to the stage Run.
    Programs,
    /// The checks on the learner's program, which are the pack's.
    Checks,
}

/// For each start that was asked for, the reason why it has not happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Waiting {
    pub(super) programs: Option<Blocked>,
    pub(super) checks: Option<Blocked>,
}

impl Waiting {
    pub(super) fn set(&mut self, start: Start, blocked: Option<Blocked>) {
        match start {
            Start::Programs => self.programs = blocked,
            Start::Checks => self.checks = blocked,
        }
    }

    /// The reason why the start that belongs to `stage` has not happened.
    pub(super) fn in_stage(self, stage: Stage) -> Option<Blocked> {
        match stage {
            Stage::Run => self.programs,
            Stage::Fix => self.checks,
            Stage::Spot | Stage::Say | Stage::Learn => None,
        }
    }
}
