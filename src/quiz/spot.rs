//! The stage Spot: the search for the line, by picks and hints, and its end.

use crate::content::question::LineNo;
use crate::quiz::action::Action;
use crate::quiz::attempt::{Attempt, AttemptKind, LastResult};
use crate::quiz::effect::Effect;
use crate::quiz::runs::Slot;
use crate::quiz::sitting::{Outcome, Sitting, SpotNotice, Undoable};
use crate::quiz::stage::Stage;
use crate::quiz::state::Quiz;
use crate::quiz::steps::Steps;
use crate::quiz::timeline::Timeline;

/// Does what the learner asked in the stage Spot, short of an answer.
pub(super) fn act(sitting: &mut Sitting, action: &Action) {
    if sitting.is_answered() {
        return;
    }
    let lines = sitting.question().line_count();
    match *action {
        Action::Hint => {
            sitting.notice = Some(SpotNotice::Hint);
            sitting.hints = sitting.question().spot.hints.len().min(sitting.hints + 1);
        }
        Action::Move(motion) => sitting.cursor = LineNo::from_index(motion.from(sitting.cursor.index(), lines)),
        Action::Point(line) if line.index() < lines => sitting.cursor = line,
        Action::Digit(digit) => type_digit(sitting, digit, lines),
        _ => {}
    }
}

/// Reads digits as a line number for as long as there is such a line; the first digit that leads nowhere starts again.
fn type_digit(sitting: &mut Sitting, digit: u8, lines: usize) {
    let digit = u32::from(digit.min(9));
    let longer = sitting.typed.saturating_mul(10).saturating_add(digit);
    let exists = |n: u32| LineNo::new(n).filter(|line| line.index() < lines);
    let (typed, line) = match (exists(longer), exists(digit)) {
        (Some(line), _) => (longer, line),
        (None, Some(line)) => (digit, line),
        (None, None) => return,
    };
    sitting.typed = typed;
    sitting.cursor = line;
}

/// Answers with `line`.
pub(super) fn pick(quiz: &mut Quiz, line: LineNo) -> Vec<Effect> {
    let at = quiz.now;
    let Some(sitting) = quiz.sitting_mut() else { return Vec::new() };
    let exists = line.index() < sitting.question().line_count();
    if sitting.stage != Stage::Spot || sitting.is_answered() || !exists {
        return Vec::new();
    }
    let line = sitting.question().answer_line(line);
    sitting.typed = 0;
    sitting.cursor = line;
    sitting.notice = Some(SpotNotice::Feedback);
    if let Some(again) = sitting.picks.iter().position(|picked| *picked == line) {
        // Its feedback is shown once more, but it is not a new answer.
        let line = sitting.picks.remove(again);
        sitting.picks.push(line);
        return Vec::new();
    }
    sitting.picks.push(line);
    let right = sitting.question().accepts(line);
    let pick = u32::try_from(sitting.picks.len()).unwrap_or(u32::MAX);
    if right {
        sitting.outcome = Some(Outcome::Found { line, pick });
    }
    let question = sitting.entry.name.clone();
    let result = match (right, pick) {
        (true, 1) => LastResult::FoundAtOnce,
        (true, _) => LastResult::FoundLater,
        (false, _) => LastResult::NotFound,
    };
    let attempt = Attempt { question, at, kind: AttemptKind::Picked { line, right, pick } };
    answer(quiz, attempt, result)
}

/// Ends the search and shows the answer.
pub(super) fn give_up(quiz: &mut Quiz) -> Vec<Effect> {
    let at = quiz.now;
    let Some(sitting) = quiz.sitting_mut() else { return Vec::new() };
    if sitting.stage != Stage::Spot || sitting.is_answered() {
        return Vec::new();
    }
    sitting.typed = 0;
    sitting.outcome = Some(Outcome::GaveUp);
    if let Some(line) = sitting.entry.question.accepted().next() {
        sitting.cursor = line;
    }
    let question = sitting.entry.name.clone();
    answer(quiz, Attempt { question, at, kind: AttemptKind::GaveUp }, LastResult::GaveUp)
}

/// Keeps an answer, and what is needed to take it back.
fn answer(quiz: &mut Quiz, attempt: Attempt, result: LastResult) -> Vec<Effect> {
    let before = quiz.results.insert(attempt.question.clone(), result);
    let Quiz { trail, sittings, runs, .. } = quiz;
    let sitting = trail.last().and_then(|name| sittings.get_mut(name));
    let mut effects = vec![Effect::Record(attempt.clone())];
    if let Some(sitting) = sitting {
        sitting.done.push(Undoable::Answered { attempt, before });
        if sitting.is_answered() {
            // These showed the buggy program alone. From now on they are about both.
            let alone = |slot| matches!(slot, Slot::Timeline(_) | Slot::Steps(_));
            effects.extend(runs.drop(&sitting.entry.name, alone));
            (sitting.timeline, sitting.steps) = (Timeline::default(), Steps::default());
        }
    }
    effects
}
