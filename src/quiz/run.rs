//! The stage Run: runs and stops programs, and shows its views.

use crate::quiz::action::Action;
use crate::quiz::consent::Start;
use crate::quiz::reply::Reply;
use crate::quiz::run_view::{Request, RunView};
use crate::quiz::runs::Slot;
use crate::quiz::stage::Stage;
use crate::quiz::state::Quiz;
use crate::quiz::{step_moves, timeline_moves};

/// Does what the learner asked in the stage Run, where that is shown.
pub(super) fn act(quiz: &mut Quiz, action: Action) -> Reply {
    let Some(sitting) = quiz.sitting_mut().filter(|sitting| sitting.stage == Stage::Run) else { return Reply::none() };
    let start = match action {
        Action::Run if sitting.is_running() => {
            let name = sitting.entry.name.clone();
            return quiz.runs.stop(&name, |slot| slot != Slot::Checks).into();
        }
        Action::Run => {
            sitting.request = match sitting.view {
                RunView::Output => Request::Programs,
                RunView::Timeline => Request::Timeline(0),
                RunView::Steps => Request::Steps,
            };
            Some(Start::Programs)
        }
        Action::Show(view) => {
            if sitting.views().any(|known| known == view) {
                sitting.view = view;
            }
            None
        }
        Action::NextView => {
            let next = sitting.views().skip_while(|view| *view != sitting.view).nth(1);
            sitting.view = next.unwrap_or_default();
            None
        }
        Action::Steps(act) => step_moves::act(sitting, act),
        Action::Timeline(act) => timeline_moves::act(sitting, act),
        Action::Predict(act) => sitting.prediction.act(act).then_some(Start::Programs),
        _ => None,
    };
    Reply { effects: Vec::new(), start }
}
