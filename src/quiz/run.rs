//! The stage Run: runs and stops programs, and shows its parts. `playing.rs` is its timeline, `stepping.rs` its steps.

use crate::quiz::action::Action;
use crate::quiz::consent::Start;
use crate::quiz::parts::{Part, Request};
use crate::quiz::reply::Reply;
use crate::quiz::runs::Slot;
use crate::quiz::stage::Stage;
use crate::quiz::state::Quiz;
use crate::quiz::{playing, stepping};

/// Does what the learner asked in the stage Run, where that is shown.
pub(super) fn act(quiz: &mut Quiz, action: Action) -> Reply {
    let Some(sitting) = quiz.sitting_mut().filter(|sitting| sitting.stage == Stage::Run) else { return Reply::none() };
    let start = match action {
        Action::Run if sitting.is_running() => {
            let name = sitting.entry.name.clone();
            return quiz.runs.stop(&name, |slot| slot != Slot::Checks).into();
        }
        Action::Run => {
            sitting.request = match sitting.part {
                Part::Output => Request::Programs,
                Part::Timeline => Request::Timeline(0),
                Part::Steps => Request::Steps,
            };
            Some(Start::Programs)
        }
        Action::Show(part) => {
            if sitting.parts().any(|known| known == part) {
                sitting.part = part;
            }
            None
        }
        Action::NextPart => {
            let next = sitting.parts().skip_while(|part| *part != sitting.part).nth(1);
            sitting.part = next.unwrap_or_default();
            None
        }
        Action::Steps(act) => stepping::act(sitting, act),
        Action::Timeline(act) => playing::act(sitting, act),
        Action::Predict(act) => sitting.prediction.act(act).then_some(Start::Programs),
        _ => None,
    };
    Reply { effects: Vec::new(), start }
}
