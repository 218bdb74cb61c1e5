//! The stage Learn: marks an item, opens hints and answers of follow-up questions.

use crate::quiz::action::Action;
use crate::quiz::sitting::{LearnItem, Opened, Sitting};

/// Does what the learner asked in the stage Learn. `related` is the number of related questions.
pub(super) fn act(sitting: &mut Sitting, action: &Action, related: usize) {
    if !sitting.is_answered() {
        return;
    }
    let follow_ups = sitting.question().follow_ups.len();
    match *action {
        Action::Hint => {
            // The first follow-up question whose hint is closed.
            if let Some(next) = (0..follow_ups).find(|index| !sitting.opened.contains_key(index)) {
                sitting.opened.insert(next, Opened::Hint);
                sitting.focus = Some(LearnItem::FollowUp(next));
            }
        }
        Action::FollowUp(index) if index < follow_ups => {
            sitting.focus = Some(LearnItem::FollowUp(index));
            turn(sitting, index);
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

/// Opens the hint of a follow-up question, then its answer, then closes both.
fn turn(sitting: &mut Sitting, index: usize) {
    let has_answer = sitting.question().follow_ups.get(index).is_some_and(|it| it.answer.is_some());
    match sitting.opened(index) {
        None => sitting.opened.insert(index, Opened::Hint),
        Some(Opened::Hint) if has_answer => sitting.opened.insert(index, Opened::Answer),
        Some(Opened::Hint | Opened::Answer) => sitting.opened.remove(&index),
    };
}
