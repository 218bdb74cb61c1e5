//! Plays rows of the timeline, and goes back to them.

use crate::quiz::consent::Start;
use crate::quiz::motion::Motion;
use crate::quiz::program::Program;
use crate::quiz::run_view::{Request, RunView};
use crate::quiz::sitting::Sitting;
use crate::quiz::stage::Stage;
use crate::quiz::timeline::Act;

/// Plays or goes to a row. Returns what is to be started first.
pub(super) fn act(sitting: &mut Sitting, act: Act) -> Option<Start> {
    if sitting.stage != Stage::Run || sitting.view != RunView::Timeline {
        return None;
    }
    let count = sitting.question().scenario.as_ref().map_or(0, |scenario| scenario.steps.len());
    let onwards = match act {
        Act::PlayOn => true,
        Act::Move(Motion::By(rows)) => rows > 0,
        Act::Move(Motion::Last) => true,
        Act::Move(Motion::First) | Act::Select(_) | Act::Open => false,
    };
    let all_live = sitting.open_programs().all(|(program, _)| sitting.timeline.live(program).is_some());
    if onwards && !all_live {
        if sitting.is_running() {
            return None;
        }
        let row = if act == Act::Move(Motion::Last) { count.saturating_sub(1) } else { 0 };
        sitting.request = Request::Timeline(row);
        return Some(Start::Programs);
    }
    let is_live = sitting.timeline.live(Program::Buggy).is_some();
    let timeline = &mut sitting.timeline;
    let row = match act {
        Act::PlayOn => timeline.at().map_or(0, |at| at.saturating_add(1)),
        // Down leads from the head of the timeline to its first row.
        Act::Move(motion) => match (timeline.at(), motion) {
            (None, Motion::By(rows)) if rows <= 0 => return None,
            (None, Motion::By(rows)) => Motion::By(rows.saturating_sub(1)).from(0, count),
            (at, motion) => motion.from(at.unwrap_or(0), count),
        },
        Act::Select(row) => row,
        Act::Open => {
            timeline.open_or_cut();
            return None;
        }
    };
    if is_live && row < count {
        timeline.go(row);
    }
    None
}
