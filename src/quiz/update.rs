//! The only function that changes a quiz: it routes each action to the file of its stage.
//!
//! Stages do not call each other. What one of them wants started comes back as a [`Reply`], and `starting.rs` asks for a
//! prediction and for consent first. What is to be done outside is returned.

use std::sync::Arc;

use crate::content::catalog::Entry;
use crate::content::question::QuestionName;
use crate::quiz::action::Action;
use crate::quiz::consent::Waiting;
use crate::quiz::effect::{Effect, RunId};
use crate::quiz::motion::Motion;
use crate::quiz::repair::Repair;
use crate::quiz::reply::Reply;
use crate::quiz::runs::{Owner, Slot};
use crate::quiz::sitting::Sitting;
use crate::quiz::stage::Stage;
use crate::quiz::state::Quiz;
use crate::quiz::{fix, learn, reload, renamed, run, say, spot, starting, undo};
use crate::runner::Event;

/// Changes `quiz` by what happened and returns what is to be done. What makes no sense at the moment changes nothing.
pub fn update(quiz: &mut Quiz, action: Action) -> Vec<Effect> {
    let Reply { mut effects, start } = route(quiz, action);
    if let Some(start) = start {
        effects.extend(starting::start(quiz, start));
    }
    effects
}

fn route(quiz: &mut Quiz, action: Action) -> Reply {
    match action {
        Action::Time(now) => return say::time(quiz, now).into(),
        Action::Open(name) => return open(quiz, &name).into(),
        Action::OpenAt(index) => {
            let name = quiz.catalog.questions.get(index).map(|entry| entry.name.clone());
            return name.map_or_else(Vec::new, |name| open(quiz, &name)).into();
        }
        Action::Back => return back(quiz).into(),
        Action::Quit => {
            let mut effects = leave(quiz);
            effects.push(Effect::Quit);
            return effects.into();
        }
        Action::Select(index) => quiz.selected = Motion::By(0).from(index, quiz.catalog.questions.len()),
        Action::Move(motion) if quiz.trail.is_empty() => {
            quiz.selected = motion.from(quiz.selected, quiz.catalog.questions.len());
        }
        Action::Pick(line) => return spot::pick(quiz, line).into(),
        Action::GiveUp => return spot::give_up(quiz).into(),
        Action::StartOver => return start_over(quiz).into(),
        Action::StopRun => return stop_run(quiz).into(),
        Action::Run
        | Action::Show(_)
        | Action::NextView
        | Action::Steps(_)
        | Action::Predict(_)
        | Action::Timeline(_) => {
            return run::act(quiz, action);
        }
        Action::Sandbox(_) | Action::Agree | Action::Decline => return starting::decide(quiz, action).into(),
        Action::Ran(run, event) => return ran(quiz, run, event).into(),
        Action::Undo => return undo::undo(quiz).into(),
        Action::Edit(_)
        | Action::EditOutside
        | Action::Edited { .. }
        | Action::NotEdited { .. }
        | Action::RunChecks
        | Action::ResetDraft
        | Action::ConfirmReset
        | Action::KeepText
        | Action::BringBack => return fix::act(quiz, action),
        Action::Repairs(repairs) => fix::remember(quiz, repairs),
        Action::FinishChecklist => return say::finish_checklist(quiz).into(),
        Action::Loaded(library) => {
            let (mut effects, first) = reload::loaded(quiz, library);
            renamed::results(&quiz.catalog, &mut quiz.results);
            renamed::repairs(&quiz.catalog, &mut quiz.repairs);
            effects.extend(first.map_or_else(Vec::new, |name| open(quiz, &name)));
            return effects.into();
        }
        Action::LoadFailed(why) => {
            quiz.loading = false;
            quiz.failures.unread.push(why);
        }
        Action::Remembered(results) => {
            // What happened meanwhile is newer.
            for (name, result) in results {
                quiz.results.entry(name).or_insert(result);
            }
            renamed::results(&quiz.catalog, &mut quiz.results);
        }
        Action::RememberFailed(why) => quiz.failures.unread.push(why),
        Action::SaveFailed(why) => quiz.failures.unsaved = Some(why),
        Action::Saved => quiz.failures.unsaved = None,
        Action::Go(stage) => go(quiz, stage),
        Action::NextStage => turn(quiz, 1),
        Action::PreviousStage => turn(quiz, -1),
        Action::Timer => say::timer(quiz),
        Action::EndCountdown => say::end_countdown(quiz),
        Action::Hint
        | Action::Move(_)
        | Action::Point(_)
        | Action::Digit(_)
        | Action::ResetTimer
        | Action::Tick(_)
        | Action::Focus(_)
        | Action::FollowUp(_) => in_stage(quiz, &action),
    }
    Reply::none()
}

/// Changes the stage that is shown, and nothing else.
fn in_stage(quiz: &mut Quiz, action: &Action) {
    let related = quiz.sitting().map_or(0, |sitting| quiz.related(&sitting.entry).count());
    let Some(sitting) = quiz.sitting_mut() else { return };
    if !matches!(action, Action::Digit(_)) {
        sitting.typed = 0;
    }
    sitting.notice = None;
    match sitting.stage {
        Stage::Spot => spot::act(sitting, action),
        Stage::Say => say::act(sitting, action),
        Stage::Learn => learn::act(sitting, action, related),
        Stage::Run | Stage::Fix => {}
    }
}

fn open(quiz: &mut Quiz, name: &QuestionName) -> Vec<Effect> {
    let Some((index, entry)) = find(quiz, name) else { return Vec::new() };
    if quiz.trail.last() == Some(name) {
        return Vec::new();
    }
    let effects = leave(quiz);
    // A question that is already on the trail is gone back to, so that circles do not make the way back longer.
    if let Some(earlier) = quiz.trail.iter().position(|known| known == name) {
        quiz.trail.truncate(earlier);
    }
    if quiz.trail.is_empty() {
        quiz.selected = index;
    }
    quiz.trail.push(name.clone());
    let draft = quiz.repairs.drafts.get(name);
    quiz.sittings.entry(name.clone()).or_insert_with(|| {
        let repair = Repair::new(&entry.question, draft);
        Sitting::new(entry, repair)
    });
    effects
}

fn find(quiz: &Quiz, name: &QuestionName) -> Option<(usize, Arc<Entry>)> {
    let index = quiz.catalog.questions.iter().position(|entry| entry.name == *name)?;
    quiz.catalog.questions.get(index).map(|entry| (index, Arc::clone(entry)))
}

fn back(quiz: &mut Quiz) -> Vec<Effect> {
    let mut effects = leave(quiz);
    if quiz.trail.pop().is_none() {
        effects.push(Effect::Quit);
    }
    effects
}

/// Stops what belongs to the open question: its runs, also one that waits, and its countdown.
fn leave(quiz: &mut Quiz) -> Vec<Effect> {
    say::pause(quiz);
    stop_run(quiz)
}

/// Stops every run of the open question, also one that waits.
fn stop_run(quiz: &mut Quiz) -> Vec<Effect> {
    let Some(sitting) = quiz.sitting_mut() else { return Vec::new() };
    sitting.waiting = Waiting::default();
    let name = sitting.entry.name.clone();
    quiz.runs.stop(&name, |_| true)
}

fn go(quiz: &mut Quiz, stage: Stage) {
    // A countdown that nobody sees would ring out of nowhere.
    if stage != Stage::Say {
        say::pause(quiz);
    }
    if let Some(sitting) = quiz.sitting_mut() {
        sitting.typed = 0;
        sitting.repair.ask_reset(false);
        sitting.stage = stage;
    }
}

fn turn(quiz: &mut Quiz, by: isize) {
    if let Some(stage) = quiz.sitting().map(|sitting| sitting.stage.turned(by)) {
        go(quiz, stage);
    }
}

fn start_over(quiz: &mut Quiz) -> Vec<Effect> {
    let effects = leave(quiz);
    let Quiz { trail, sittings, runs, .. } = quiz;
    if let Some(sitting) = trail.last().and_then(|name| sittings.get_mut(name)) {
        // The learner's own program is work, not a part of the search.
        let repair = sitting.repair.clone();
        *sitting = Sitting::new(Arc::clone(&sitting.entry), repair);
        // They were already asked to stop.
        let _ = runs.drop(&sitting.entry.name, |slot| slot != Slot::Checks);
    }
    effects
}

/// Takes what a run reported.
fn ran(quiz: &mut Quiz, run: RunId, event: Event) -> Vec<Effect> {
    let Some(Owner { question, slot }) = quiz.runs.owner(run) else { return Vec::new() };
    if matches!(event, Event::Ended(_)) {
        quiz.runs.ended(run);
    }
    if slot == Slot::Checks {
        return fix::record(quiz, &question, event);
    }
    let Some(sitting) = quiz.sittings.get_mut(&question) else { return Vec::new() };
    let recording = match slot {
        Slot::Output(program) => sitting.recordings.place(program),
        Slot::Timeline(program) => sitting.timeline.recording(program),
        Slot::Steps(program) => {
            sitting.steps.record(program, event, &sitting.entry.question);
            return Vec::new();
        }
        Slot::Checks => return Vec::new(),
    };
    if let Some(recording) = recording {
        recording.add(event);
    }
    Vec::new()
}
