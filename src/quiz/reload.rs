//! Replaces the library while the quiz goes on.
//!
//! Questions that are being worked on go on with the new text where they were left, as far as the new text has that place.

use std::sync::Arc;

use crate::content::catalog::Entry;
use crate::content::question::{LineNo, Question, QuestionName};
use crate::quiz::action::Library;
use crate::quiz::attempt::AttemptKind;
use crate::quiz::effect::Effect;
use crate::quiz::motion::Motion;
use crate::quiz::program::PerProgram;
use crate::quiz::runs::{Runs, Slot};
use crate::quiz::sitting::{LearnItem, Outcome, Sitting, Undoable};
use crate::quiz::state::Quiz;
use crate::quiz::steps::Steps;
use crate::quiz::timeline::Timeline;

/// Puts the library in place and keeps the marks on what they were on. Programs that were changed stop. Returns also the
/// question to open, where an author waits for it.
pub(super) fn loaded(quiz: &mut Quiz, library: Library) -> (Vec<Effect>, Option<QuestionName>) {
    let had_nothing = quiz.catalog.questions.is_empty();
    let marked = quiz.catalog.questions.get(quiz.selected).map(|entry| entry.name.clone());
    quiz.catalog = library.0;
    quiz.loading = false;
    let place = marked.and_then(|name| quiz.catalog.questions.iter().position(|entry| entry.name == name));
    quiz.selected = place.unwrap_or_else(|| Motion::By(0).from(quiz.selected, quiz.catalog.questions.len()));
    let mut effects = Vec::new();
    for (name, sitting) in &mut quiz.sittings {
        if let Some(entry) = quiz.catalog.questions.iter().find(|entry| entry.name == *name) {
            effects.extend(renew(sitting, &mut quiz.runs, entry));
        }
    }
    // An author whose file could not be read at first waits for the question, not for the library.
    let waits = quiz.preview && had_nothing && quiz.trail.is_empty();
    let first = quiz.catalog.questions.first().filter(|_| waits);
    (effects, first.map(|entry| entry.name.clone()))
}

/// Gives a sitting the new text of its question.
fn renew(sitting: &mut Sitting, runs: &mut Runs, entry: &Arc<Entry>) -> Vec<Effect> {
    if Arc::ptr_eq(&sitting.entry, entry) {
        return Vec::new();
    }
    let old = std::mem::replace(&mut sitting.entry, Arc::clone(entry));
    let question = &entry.question;
    let mut effects = Vec::new();
    let live = |it: &Question| (it.spot.code.clone(), it.fixed.code.clone(), it.scenario.clone());
    if live(&old.question) != live(question) {
        effects = runs.drop(&entry.name, |slot| slot != Slot::Checks);
        (sitting.recordings, sitting.waiting.programs) = (PerProgram::default(), None);
        (sitting.timeline, sitting.steps) = (Timeline::default(), Steps::default());
    }
    if sitting.repair.renew(&old.question, question) {
        effects.extend(runs.drop(&entry.name, |slot| slot == Slot::Checks));
    }
    let lines = question.line_count();
    sitting.typed = 0;
    sitting.cursor = LineNo::from_index(Motion::By(0).from(sitting.cursor.index(), lines));
    sitting.hints = sitting.hints.min(question.spot.hints.len());
    renew_answers(sitting, question);
    sitting.say.covered.resize(question.say.points.len(), false);
    sitting.say.cursor = Motion::By(0).from(sitting.say.cursor, sitting.say.covered.len());
    let follow_ups = question.follow_ups.len();
    sitting.opened.retain(|index, _| *index < follow_ups);
    sitting.focus = sitting.focus.filter(|item| matches!(item, LearnItem::FollowUp(index) if *index < follow_ups));
    effects
}

/// Keeps of the answers what the new text still bears out. What is open stays open: an author wants to go on reading there.
fn renew_answers(sitting: &mut Sitting, question: &Question) {
    let mut found = None;
    if let Some(Outcome::Found { line, .. }) = &mut sitting.outcome {
        if !question.accepts(*line)
            && let Some(accepted) = question.accepted().next()
        {
            sitting.picks.retain(|picked| picked != line);
            sitting.picks.push(accepted);
            *line = accepted;
        }
        found = Some(*line);
    }
    // A wrong pick that is right now is no pick any more, so that it can be the answer.
    let lines = question.line_count();
    let is_wrong = |line: &LineNo| line.index() < lines && !question.accepts(*line);
    let mut last = true;
    let mut picks: Vec<LineNo> = sitting.picks.drain(..).rev().collect();
    picks.retain(|line| is_wrong(line) || (found == Some(*line) && std::mem::take(&mut last)));
    picks.reverse();
    sitting.done.retain(|done| match done {
        Undoable::Answered { attempt, .. } => match attempt.kind {
            AttemptKind::Picked { line, right: false, .. } => is_wrong(&line),
            _ => true,
        },
        Undoable::Ticked(_) | Undoable::Said { .. } => true,
    });
    sitting.picks = picks;
}
