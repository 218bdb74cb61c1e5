//! Whether the programs of a question may run here.
//!
//! Owns the rule in the screens: programs that came with this one run anywhere, others only where the sandbox contains
//! them, or once the learner agreed for their pack. Until it is known which of these holds, nothing of theirs starts.

use crate::quiz::action::Effect;
use crate::quiz::repair;
use crate::quiz::state::{Quiz, Sitting, Stage};
use crate::quiz::update::start;
use crate::runner::Level;

/// What is known of the sandbox.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Sandbox {
    /// Nothing yet; somebody is looking.
    #[default]
    Unknown,
    /// It is this strong.
    Known {
        /// The level.
        level: Level,
        /// What it does not do here, as part of a sentence.
        why: String,
    },
    /// It could not be looked at, for this reason.
    Failed(String),
}

/// What keeps a run that the learner asked for from starting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Nobody knows yet how strong the sandbox is. The run starts, or becomes a question, as soon as that is known.
    Looking,
    /// The sandbox does not contain strangers' programs: the learner has to agree first.
    Asked,
    /// The sandbox could not be looked at, so that there is nothing to agree to.
    Failed,
}

impl Quiz {
    /// What is known of the sandbox.
    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    fn doubt_about(&self, sitting: &Sitting) -> Option<Doubt> {
        let entry = &sitting.entry;
        if entry.shipped || self.trusted.contains(&entry.name.pack) {
            return None;
        }
        match &self.sandbox {
            Sandbox::Known { level, .. } if level.contains_strangers() => None,
            Sandbox::Known { .. } => Some(Doubt::Asked),
            Sandbox::Unknown => Some(Doubt::Looking),
            Sandbox::Failed(_) => Some(Doubt::Failed),
        }
    }
}

/// Starts the programs of the open question, or notes what keeps them from it.
pub(super) fn start_if_allowed(quiz: &mut Quiz) -> Vec<Effect> {
    let doubt = quiz.sitting().and_then(|sitting| quiz.doubt_about(sitting));
    let Some(sitting) = quiz.sitting_mut() else { return Vec::new() };
    sitting.doubt = doubt;
    if doubt.is_some() { Vec::new() } else { start(quiz) }
}

/// Starts the checks on the learner's program, or notes what keeps them from it. The checks are the pack's.
pub(super) fn check_if_allowed(quiz: &mut Quiz) -> Vec<Effect> {
    let doubt = quiz.sitting().and_then(|sitting| quiz.doubt_about(sitting));
    let Some(sitting) = quiz.sitting_mut() else { return Vec::new() };
    sitting.repair.doubt = doubt;
    if doubt.is_some() { Vec::new() } else { repair::start(quiz) }
}

/// Takes what was found out about the sandbox, and decides on what waits for it.
pub(super) fn looked(quiz: &mut Quiz, sandbox: Sandbox) -> Vec<Effect> {
    quiz.sandbox = sandbox;
    let waits = |doubt| doubt == Some(Doubt::Looking);
    let Some(sitting) = quiz.sitting() else { return Vec::new() };
    let (runs, checks) = (waits(sitting.doubt), waits(sitting.repair.doubt));
    let mut effects = if runs { start_if_allowed(quiz) } else { Vec::new() };
    if checks {
        effects.extend(check_if_allowed(quiz));
    }
    effects
}

/// The learner agrees to run the programs of the open question's pack.
pub(super) fn agree(quiz: &mut Quiz) -> Vec<Effect> {
    let Some(sitting) = quiz.sitting().filter(|sitting| sitting.is_asking()) else { return Vec::new() };
    let pack = sitting.entry.name.pack.clone();
    let stage = sitting.stage;
    quiz.trusted.insert(pack);
    if let Some(sitting) = quiz.sitting_mut() {
        (sitting.doubt, sitting.repair.doubt) = (None, None);
    }
    if stage == Stage::Fix { check_if_allowed(quiz) } else { start_if_allowed(quiz) }
}

/// The learner does not agree.
pub(super) fn decline(quiz: &mut Quiz) {
    if let Some(sitting) = quiz.sitting_mut().filter(|sitting| sitting.is_asking()) {
        (sitting.doubt, sitting.repair.doubt) = (None, None);
    }
}
