//! The stage Learn: marks an item, opens hints of follow-up questions.

use crate::quiz::action::Action;
use crate::quiz::sitting::{LearnItem, Sitting};

/// Does what the learner asked in the stage Learn. `related` is the number of related questions.
pub(super) fn act(sitting: &mut Sitting, action: &Action, related: usize) {
    if !sitting.is_answered() {
        return;
    }
    let follow_ups = sitting.question().follow_ups.len();
    match *action {
        Action::Hint => {
            // The first follow-up question whose hint is closed.
            if let Some(next) = (0..follow_ups).find(|index| !sitting.opened.contains(index)) {
                sitting.opened.insert(next);
                sitting.focus = Some(LearnItem::FollowUp(next));
            }
        }
        Action::FollowUp(index) if index < follow_ups => {
            sitting.focus = Some(LearnItem::FollowUp(index));
            if !sitting.opened.remove(&index) {
                sitting.opened.insert(index);
            }
        }
        Action::Focus(item) => {
            let exists = match item {
                LearnItem::FollowUp(index) => index < follow_ups,
                LearnItem::Related(index) => index < related,
            };
            if exists {
                sitting.focus = Some(item);
            }
        }
        _ => {}
    }
}
