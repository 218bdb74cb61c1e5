//! The reply of a stage to `update`.

use crate::quiz::consent::Start;
use crate::quiz::effect::Effect;

/// Effects, and what is to be started where that is allowed.
#[derive(Debug, Default)]
pub(super) struct Reply {
    pub(super) effects: Vec<Effect>,
    pub(super) start: Option<Start>,
}

impl Reply {
    pub(super) fn none() -> Self {
        Self::default()
    }
}

impl From<Vec<Effect>> for Reply {
    fn from(effects: Vec<Effect>) -> Self {
        Self { effects, start: None }
    }
}

impl From<Start> for Reply {
    fn from(start: Start) -> Self {
        Self { effects: Vec::new(), start: Some(start) }
    }
}
