//! The stage Say: the countdown, then the checklist.

use crate::quiz::action::Action;
use crate::quiz::attempt::{Attempt, AttemptKind};
use crate::quiz::countdown::{Phase, Say};
use crate::quiz::effect::Effect;
use crate::quiz::sitting::{Sitting, Undoable};
use crate::quiz::stage::Stage;
use crate::quiz::state::Quiz;
use crate::quiz::time::{Millis, Timestamp};

/// Does what the learner asked of the checklist, or begins again.
pub(super) fn act(sitting: &mut Sitting, action: &Action) {
    let is_open = matches!(sitting.say.phase, Phase::Checklist { .. });
    match *action {
        Action::ResetTimer => {
            sitting.say = Say::new(&sitting.entry.question);
            // Ticks of a checklist that is no more cannot be taken back.
            sitting.done.retain(|done| matches!(done, Undoable::Answered { .. }));
        }
        Action::Move(motion) if is_open => {
            sitting.say.cursor = motion.from(sitting.say.cursor, sitting.say.covered.len());
        }
        Action::Tick(index) if is_open => {
            if let Some(covered) = sitting.say.covered.get_mut(index) {
                *covered = !*covered;
                sitting.say.cursor = index;
                sitting.done.push(Undoable::Ticked(index));
            }
        }
        _ => {}
    }
}

/// Takes the time, which may be up.
pub(super) fn time(quiz: &mut Quiz, now: Timestamp) -> Vec<Effect> {
    // A clock that goes back would make a countdown longer.
    quiz.now = quiz.now.max(now);
    let now = quiz.now;
    match quiz.sitting_mut() {
        Some(sitting) if matches!(sitting.say.phase, Phase::Speaking { until } if until <= now) => {
            sitting.say.phase = Phase::Checklist { left: Millis(0) };
            vec![Effect::Bell]
        }
        _ => Vec::new(),
    }
}

/// Starts the countdown, or pauses it.
pub(super) fn timer(quiz: &mut Quiz) {
    let now = quiz.now;
    let Some(sitting) = quiz.sitting_mut().filter(|sitting| sitting.stage == Stage::Say) else { return };
    sitting.say.phase = match sitting.say.phase {
        Phase::Ready => Phase::Speaking { until: now + Millis::from_seconds(sitting.question().say.seconds) },
        Phase::Speaking { until } => Phase::Paused { left: until.since(now) },
        Phase::Paused { left } => Phase::Speaking { until: now + left },
        other @ (Phase::Checklist { .. } | Phase::Done) => other,
    };
}

/// Pauses the countdown, where it runs.
pub(super) fn pause(quiz: &mut Quiz) {
    let now = quiz.now;
    if let Some(sitting) = quiz.sitting_mut()
        && let Phase::Speaking { until } = sitting.say.phase
    {
        sitting.say.phase = Phase::Paused { left: until.since(now) };
    }
}

/// Goes on to the checklist.
pub(super) fn end_countdown(quiz: &mut Quiz) {
    let left = quiz.sitting().map(|sitting| quiz.left(sitting));
    let (Some(left), Some(sitting)) = (left, quiz.sitting_mut()) else { return };
    if sitting.stage == Stage::Say && !matches!(sitting.say.phase, Phase::Done) {
        sitting.say.phase = Phase::Checklist { left };
    }
}

/// Keeps the checklist and shows the model answer.
pub(super) fn finish_checklist(quiz: &mut Quiz) -> Vec<Effect> {
    let at = quiz.now;
    let Some(sitting) = quiz.sitting_mut().filter(|sitting| sitting.stage == Stage::Say) else { return Vec::new() };
    let Phase::Checklist { left } = sitting.say.phase else { return Vec::new() };
    sitting.say.phase = Phase::Done;
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let kind = AttemptKind::Said { covered: count(sitting.say.covered_count()), of: count(sitting.say.covered.len()) };
    let attempt = Attempt { question: sitting.entry.name.clone(), at, kind };
    sitting.done.push(Undoable::Said { attempt: attempt.clone(), left });
    vec![Effect::Record(attempt)]
}
