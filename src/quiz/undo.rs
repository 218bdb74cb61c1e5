//! Taking back the last answer, the last tick, or the end of a checklist.
//!
//! Owns what has to be known for that. What was recorded is not deleted: another record cancels it.

use crate::quiz::action::Effect;
use crate::quiz::attempt::{Attempt, LastResult, What};
use crate::quiz::state::{News, Outcome, Phase, Quiz, Sitting, Stage};
use crate::quiz::time::Millis;

/// Something that can be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Done {
    /// A line was picked, or the answer asked for.
    Answered {
        /// What was recorded.
        attempt: Attempt,
        /// How the question had gone before.
        before: Option<LastResult>,
    },
    /// This point was ticked, or its tick taken away.
    Ticked(usize),
    /// The checklist was completed.
    Said {
        /// What was recorded.
        attempt: Attempt,
        /// What was left of the countdown.
        left: Millis,
    },
}

impl Sitting {
    /// Whether there is something to take back in the stage that is shown.
    pub fn can_undo(&self) -> bool {
        self.last_done().is_some()
    }

    /// The place of what would be taken back: the last thing that was done in this stage.
    fn last_done(&self) -> Option<usize> {
        let fits = |done: &Done| match (self.stage, self.say.phase) {
            (Stage::Spot, _) => matches!(done, Done::Answered { .. }),
            (Stage::Say, Phase::Checklist { .. }) => matches!(done, Done::Ticked(_)),
            (Stage::Say, Phase::Done) => matches!(done, Done::Said { .. }),
            _ => false,
        };
        self.done.iter().rposition(fits)
    }

    /// Forgets what was done to a checklist that is no more.
    pub(super) fn forget_checklist(&mut self) {
        self.done.retain(|done| matches!(done, Done::Answered { .. }));
    }
}

/// Takes back the last thing that was done in the stage that is shown.
pub(super) fn undo(quiz: &mut Quiz) -> Vec<Effect> {
    let at = quiz.now;
    let Some(sitting) = quiz.sitting_mut() else { return Vec::new() };
    let Some(last) = sitting.last_done() else { return Vec::new() };
    match sitting.done.remove(last) {
        Done::Ticked(index) => {
            if let Some(covered) = sitting.say.covered.get_mut(index) {
                *covered = !*covered;
                sitting.say.cursor = index;
            }
            Vec::new()
        }
        Done::Said { attempt, left } => {
            sitting.say.phase = Phase::Checklist { left };
            vec![Effect::TakeBack { attempt, at }]
        }
        Done::Answered { attempt, before } => {
            let mut effects = take_back_answer(sitting, &attempt);
            match before {
                Some(result) => quiz.results.insert(attempt.question.clone(), result),
                None => quiz.results.remove(&attempt.question),
            };
            effects.push(Effect::TakeBack { attempt, at });
            effects
        }
    }
}

/// Opens the search again. What gives the answer away closes, also every run of the fixed program.
fn take_back_answer(sitting: &mut Sitting, attempt: &Attempt) -> Vec<Effect> {
    sitting.typed = 0;
    sitting.news = Some(News::TakenBack);
    match attempt.what {
        What::Picked { line, right, .. } => {
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
        What::GaveUp if sitting.outcome == Some(Outcome::GaveUp) => sitting.outcome = None,
        What::GaveUp | What::Said { .. } | What::Repaired { .. } => {}
    }
    if sitting.is_answered() {
        return Vec::new();
    }
    let run = sitting.fixed.take().filter(|run| run.ending.is_none()).map(|run| run.id);
    let runs = [run, sitting.timeline.close_fixed(), sitting.steps.close_fixed()];
    runs.into_iter().flatten().map(Effect::Stop).collect()
}
