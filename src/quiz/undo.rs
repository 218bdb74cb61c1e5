//! Takes back the last answer, the last tick, or the end of a checklist.
//!
//! Records are not deleted: another record cancels them.

use crate::quiz::attempt::{Attempt, AttemptKind};
use crate::quiz::countdown::Phase;
use crate::quiz::effect::Effect;
use crate::quiz::program::Program;
use crate::quiz::runs::{Runs, Slot};
use crate::quiz::sitting::{Outcome, Sitting, SpotNotice, Undoable};
use crate::quiz::state::Quiz;

/// Takes back the last thing that was done in the stage that is shown.
pub(super) fn undo(quiz: &mut Quiz) -> Vec<Effect> {
    let at = quiz.now;
    let Quiz { trail, sittings, runs, results, .. } = quiz;
    let Some(sitting) = trail.last().and_then(|name| sittings.get_mut(name)) else { return Vec::new() };
    let Some(last) = sitting.last_done() else { return Vec::new() };
    match sitting.done.remove(last) {
        Undoable::Ticked(index) => {
            if let Some(covered) = sitting.say.covered.get_mut(index) {
                *covered = !*covered;
                sitting.say.cursor = index;
            }
            Vec::new()
        }
        Undoable::Said { attempt, left } => {
            sitting.say.phase = Phase::Checklist { left };
            vec![Effect::TakeBack { attempt, at }]
        }
        Undoable::Answered { attempt, before } => {
            let mut effects = take_back_answer(sitting, runs, &attempt);
            match before {
                Some(result) => results.insert(attempt.question.clone(), result),
                None => results.remove(&attempt.question),
            };
            effects.push(Effect::TakeBack { attempt, at });
            effects
        }
    }
}

/// Reopens the search, and closes everything that reveals the answer, including every run of the fixed program.
fn take_back_answer(sitting: &mut Sitting, runs: &mut Runs, attempt: &Attempt) -> Vec<Effect> {
    sitting.typed = 0;
    sitting.notice = Some(SpotNotice::TakenBack);
    match attempt.kind {
        AttemptKind::Picked { line, right, .. } => {
            let line = match sitting.outcome {
                // Not the one that was recorded, where the text of the question has changed since.
                Some(Outcome::Found { line, .. }) if right => line,
                _ => line,
            };
            sitting.picks.retain(|picked| *picked != line);
            sitting.cursor = line;
            if right {
                sitting.outcome = None;
            }
        }
        AttemptKind::GaveUp if sitting.outcome == Some(Outcome::GaveUp) => sitting.outcome = None,
        AttemptKind::GaveUp | AttemptKind::Said { .. } | AttemptKind::Repaired { .. } => {}
    }
    if sitting.is_answered() {
        return Vec::new();
    }
    *sitting.recordings.place(Program::Fixed) = None;
    *sitting.timeline.recording(Program::Fixed) = None;
    sitting.steps.close_fixed();
    let of_fixed = |slot| {
        use Program::Fixed;
        matches!(slot, Slot::Output(Fixed) | Slot::Timeline(Fixed) | Slot::Steps(Fixed))
    };
    runs.drop(&sitting.entry.name, of_fixed)
}
