//! The only function that changes a quiz.
//!
//! Owns the way from each action to who handles it, and what concerns the library, the search for the line, the plain runs
//! and the spoken answer. Must not do anything itself: what is to be done outside is returned.

use std::sync::Arc;

use crate::content::catalog::Entry;
use crate::content::question::{LineNo, QuestionName};
use crate::quiz::action::{Action, Effect, LearnItem, Motion};
use crate::quiz::attempt::{Attempt, LastResult, What};
use crate::quiz::consent::{self, Sandbox};
use crate::quiz::parts::{self, Part, Starting, Want};
use crate::quiz::prediction;
use crate::quiz::reload;
use crate::quiz::repair::{self, Repair};
use crate::quiz::state::{News, Outcome, Phase, Quiz, Run, RunId, Say, Sitting, Stage};
use crate::quiz::time::{Millis, Timestamp};
use crate::quiz::timeline;
use crate::quiz::undo::{self, Done};
use crate::quiz::{stepping, steps};
use crate::runner::{Chunk, Event, Mode};

/// Output that a quiz keeps of one run, in bytes. The runner stops programs earlier; this holds for any runner.
const OUTPUT_KEPT: usize = 1 << 20;

/// Changes `quiz` by what happened and returns what is to be done. What makes no sense at the moment changes nothing.
pub fn update(quiz: &mut Quiz, action: Action) -> Vec<Effect> {
    match action {
        Action::Time(now) => return time(quiz, now),
        Action::Open(name) => return open(quiz, &name),
        Action::OpenAt(index) => {
            let name = quiz.catalog.questions.get(index).map(|entry| entry.name.clone());
            return name.map_or_else(Vec::new, |name| open(quiz, &name));
        }
        Action::Back => return back(quiz),
        Action::Quit => {
            let mut effects = leave(quiz);
            effects.push(Effect::Quit);
            return effects;
        }
        Action::Select(index) => quiz.selected = Motion::By(0).from(index, quiz.catalog.questions.len()),
        Action::Move(motion) if quiz.trail.is_empty() => {
            quiz.selected = motion.from(quiz.selected, quiz.catalog.questions.len());
        }
        Action::Pick(line) => return pick(quiz, line),
        Action::GiveUp => return give_up(quiz),
        Action::StartOver => return start_over(quiz),
        Action::Run => return run(quiz),
        Action::StopRun => return stop_run(quiz),
        Action::Show(_) | Action::NextPart => show_part(quiz, &action),
        Action::Steps(act) => return stepping::act(quiz, act),
        Action::Predict(act) => return prediction::act(quiz, act),
        Action::Timeline(act) => return timeline::act(quiz, act),
        Action::Sandbox { level, why } => return consent::looked(quiz, Sandbox::Known { level, why }),
        Action::SandboxFailed(why) => return consent::looked(quiz, Sandbox::Failed(why)),
        Action::Agree => return consent::agree(quiz),
        Action::Decline => consent::decline(quiz),
        Action::Ran(id, event) => match repair::ran(quiz, id, &event) {
            Some(effects) => return effects,
            None => ran(quiz, id, event),
        },
        Action::Undo => return undo::undo(quiz),
        Action::Edit(_)
        | Action::EditOutside
        | Action::Edited { .. }
        | Action::NotEdited { .. }
        | Action::RunChecks
        | Action::ResetDraft
        | Action::ConfirmReset
        | Action::KeepText
        | Action::BringBack
        | Action::Repairs(_) => return repair::act(quiz, action),
        Action::FinishChecklist => return finish_checklist(quiz),
        Action::Loaded(library) => return reload::loaded(quiz, library),
        Action::LoadFailed(why) => {
            quiz.loading = false;
            quiz.troubles.unread.push(why);
        }
        Action::Remembered(results) => {
            // What happened meanwhile is newer.
            for (name, result) in results {
                quiz.results.entry(name).or_insert(result);
            }
        }
        Action::RememberFailed(why) => quiz.troubles.unread.push(why),
        Action::SaveFailed(why) => quiz.troubles.unsaved = Some(why),
        Action::Saved => quiz.troubles.unsaved = None,
        Action::Go(stage) => go(quiz, stage),
        Action::NextStage => turn(quiz, 1),
        Action::PreviousStage => turn(quiz, -1),
        Action::Timer => timer(quiz),
        Action::EndTalk => end_talk(quiz),
        Action::Hint
        | Action::Move(_)
        | Action::Point(_)
        | Action::Digit(_)
        | Action::ResetTimer
        | Action::Tick(_)
        | Action::Focus(_)
        | Action::FollowUp(_) => {
            let related = quiz.sitting().map_or(0, |sitting| quiz.related(&sitting.entry).count());
            if let Some(sitting) = quiz.sitting_mut() {
                in_sitting(sitting, action, related);
            }
        }
    }
    Vec::new()
}

/// Changes that concern nothing but the open question. `related` is the number of its related questions.
fn in_sitting(sitting: &mut Sitting, action: Action, related: usize) {
    let lines = sitting.question().line_count();
    if !matches!(action, Action::Digit(_)) {
        sitting.typed = 0;
    }
    sitting.news = None;
    match (sitting.stage, action) {
        (Stage::Spot, Action::Hint) if !sitting.is_answered() => {
            sitting.news = Some(News::Hint);
            sitting.hints = sitting.question().spot.hints.len().min(sitting.hints + 1);
        }
        (Stage::Learn, Action::Hint) if sitting.is_answered() => open_next_hint(sitting),
        (Stage::Spot, Action::Move(motion)) if !sitting.is_answered() => {
            sitting.cursor = LineNo::from_index(motion.from(sitting.cursor.index(), lines));
        }
        (Stage::Spot, Action::Point(line)) if !sitting.is_answered() && line.index() < lines => sitting.cursor = line,
        (Stage::Spot, Action::Digit(digit)) if !sitting.is_answered() => type_digit(sitting, digit, lines),
        (Stage::Say, Action::Move(motion)) if matches!(sitting.say.phase, Phase::Checklist { .. }) => {
            sitting.say.cursor = motion.from(sitting.say.cursor, sitting.say.covered.len());
        }
        (Stage::Say, Action::Tick(index)) if matches!(sitting.say.phase, Phase::Checklist { .. }) => {
            if let Some(covered) = sitting.say.covered.get_mut(index) {
                *covered = !*covered;
                sitting.say.cursor = index;
                sitting.done.push(Done::Ticked(index));
            }
        }
        (Stage::Say, Action::ResetTimer) => {
            sitting.say = Say::new(&sitting.entry.question);
            sitting.forget_checklist();
        }
        (Stage::Learn, Action::FollowUp(index))
            if sitting.is_answered() && index < sitting.question().follow_ups.len() =>
        {
            sitting.focus = Some(LearnItem::FollowUp(index));
            if !sitting.opened.remove(&index) {
                sitting.opened.insert(index);
            }
        }
        (Stage::Learn, Action::Focus(item)) if sitting.is_answered() => {
            let exists = match item {
                LearnItem::FollowUp(index) => index < sitting.question().follow_ups.len(),
                LearnItem::Related(index) => index < related,
            };
            if exists {
                sitting.focus = Some(item);
            }
        }
        _ => {}
    }
}

/// Opens the hint of the first follow-up question whose hint is closed.
fn open_next_hint(sitting: &mut Sitting) {
    let count = sitting.question().follow_ups.len();
    let Some(next) = (0..count).find(|index| !sitting.opened.contains(index)) else { return };
    sitting.opened.insert(next);
    sitting.focus = Some(LearnItem::FollowUp(next));
}

/// Reads digits as a line number for as long as there is such a line; the first digit that leads nowhere starts anew.
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

pub(super) fn open(quiz: &mut Quiz, name: &QuestionName) -> Vec<Effect> {
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

/// What stops when the open question is left: its runs, also one that waits, and its countdown.
fn leave(quiz: &mut Quiz) -> Vec<Effect> {
    pause(quiz);
    stop_run(quiz)
}

fn stop_run(quiz: &mut Quiz) -> Vec<Effect> {
    let Some(sitting) = quiz.sitting_mut() else { return Vec::new() };
    (sitting.doubt, sitting.repair.doubt) = (None, None);
    let mut effects = stops(sitting);
    effects.extend(sitting.repair.stops());
    effects
}

pub(super) fn stops(sitting: &Sitting) -> Vec<Effect> {
    sitting.running().map(Effect::Stop).collect()
}

fn go(quiz: &mut Quiz, stage: Stage) {
    // A countdown that nobody sees would ring out of nowhere.
    if stage != Stage::Say {
        pause(quiz);
    }
    if let Some(sitting) = quiz.sitting_mut() {
        sitting.typed = 0;
        sitting.repair.look_away();
        sitting.stage = stage;
    }
}

fn turn(quiz: &mut Quiz, by: isize) {
    if let Some(stage) = quiz.sitting().map(|sitting| sitting.stage.turned(by)) {
        go(quiz, stage);
    }
}

fn pick(quiz: &mut Quiz, line: LineNo) -> Vec<Effect> {
    let at = quiz.now;
    let Some(sitting) = quiz.sitting_mut() else { return Vec::new() };
    let exists = line.index() < sitting.question().line_count();
    if sitting.stage != Stage::Spot || sitting.is_answered() || !exists {
        return Vec::new();
    }
    sitting.typed = 0;
    sitting.cursor = line;
    sitting.news = Some(News::Feedback);
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
    let attempt = Attempt { question, at, what: What::Picked { line, right, pick } };
    answer(quiz, attempt, result)
}

fn give_up(quiz: &mut Quiz) -> Vec<Effect> {
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
    answer(quiz, Attempt { question, at, what: What::GaveUp }, LastResult::GaveUp)
}

/// Keeps an answer, and what is needed to take it back.
fn answer(quiz: &mut Quiz, attempt: Attempt, result: LastResult) -> Vec<Effect> {
    let before = quiz.results.insert(attempt.question.clone(), result);
    if let Some(sitting) = quiz.sitting_mut() {
        sitting.done.push(Done::Answered { attempt: attempt.clone(), before });
    }
    let mut effects = vec![Effect::Record(attempt)];
    if let Some(sitting) = quiz.sitting_mut().filter(|sitting| sitting.is_answered()) {
        // These showed the buggy program alone. From now on they are about both.
        let running: Vec<RunId> = sitting.timeline.running().chain(sitting.steps.running()).collect();
        effects.extend(running.into_iter().map(Effect::Stop));
        (sitting.timeline, sitting.steps) = (timeline::Timeline::default(), steps::Steps::default());
    }
    effects
}

fn start_over(quiz: &mut Quiz) -> Vec<Effect> {
    let effects = leave(quiz);
    if let Some(sitting) = quiz.sitting_mut() {
        // The learner's own program is work, not a part of the search.
        let repair = sitting.repair.clone();
        *sitting = Sitting::new(Arc::clone(&sitting.entry), repair);
    }
    effects
}

fn run(quiz: &mut Quiz) -> Vec<Effect> {
    let Some(sitting) = quiz.sitting_mut().filter(|sitting| sitting.stage == Stage::Run) else { return Vec::new() };
    if sitting.is_running() {
        return stops(sitting);
    }
    sitting.wanted = match sitting.part {
        Part::Output => Want::Run,
        Part::Timeline => Want::Play,
        Part::Steps => Want::Trace,
    };
    prediction::start_or_ask(quiz)
}

fn show_part(quiz: &mut Quiz, action: &Action) {
    let Some(sitting) = quiz.sitting_mut().filter(|sitting| sitting.stage == Stage::Run) else { return };
    match action {
        Action::Show(part) => parts::show(sitting, *part),
        _ => parts::show_next(sitting),
    }
}

/// Starts what was asked for on the programs that may be seen. Whether they may run at all is decided in `consent.rs`.
pub(super) fn start(quiz: &mut Quiz) -> Vec<Effect> {
    let mut starting = Starting::new(quiz.last_run, quiz.limits);
    let has_timeline = quiz.has_timeline;
    let Some(sitting) = quiz.sitting_mut() else { return Vec::new() };
    let entry = Arc::clone(&sitting.entry);
    if sitting.wanted == Want::Trace {
        steps::start(sitting, &mut starting);
        let (last, effects) = starting.finish();
        quiz.last_run = last;
        return effects;
    }
    sitting.buggy = Some(Run::new(starting.add(&entry.question.spot.code, Mode::Run)));
    if sitting.is_answered() {
        sitting.fixed = Some(Run::new(starting.add(&entry.question.fixed.code, Mode::Run)));
    }
    if has_timeline {
        timeline::start(sitting, &mut starting);
    }
    let (last, effects) = starting.finish();
    quiz.last_run = last;
    effects
}

/// Takes what a run reported. Events of a run that was replaced, or that has ended, find no place and are dropped.
fn ran(quiz: &mut Quiz, id: RunId, event: Event) {
    let mut sittings = quiz.sittings.values_mut();
    let Some(event) = sittings
        .try_fold(event, |event, sitting| sitting.timeline.ran(id, event).and_then(|event| sitting.traced(id, event)))
    else {
        return;
    };
    let runs = quiz.sittings.values_mut().flat_map(|sitting| [&mut sitting.buggy, &mut sitting.fixed]);
    let Some(run) = runs.flatten().find(|run| run.id == id && run.ending.is_none()) else { return };
    match event {
        Event::Output(chunk) => add_output(run, chunk),
        Event::Ended(ending) => run.ending = Some(ending),
        // A plain run is for what the program prints.
        Event::Check(_) | Event::Step(_) | Event::TraceFull(_) | Event::Row(_) => {}
    }
}

/// Adds to the last chunk when the stream is the same, so that many small writes stay cheap to draw.
pub(super) fn add_output(run: &mut Run, chunk: Chunk) {
    let kept: usize = run.output.iter().map(|chunk| chunk.text.len()).sum();
    if kept.saturating_add(chunk.text.len()) > OUTPUT_KEPT {
        return;
    }
    match run.output.last_mut() {
        Some(last) if last.stream == chunk.stream => last.text.push_str(&chunk.text),
        _ => run.output.push(chunk),
    }
}

fn time(quiz: &mut Quiz, now: Timestamp) -> Vec<Effect> {
    // A clock that goes back would make a countdown longer.
    quiz.now = quiz.now.max(now);
    let now = quiz.now;
    match quiz.sitting_mut() {
        Some(sitting) if matches!(sitting.say.phase, Phase::Talking { until } if until <= now) => {
            sitting.say.phase = Phase::Checklist { left: Millis(0) };
            vec![Effect::Bell]
        }
        _ => Vec::new(),
    }
}

fn timer(quiz: &mut Quiz) {
    let now = quiz.now;
    let Some(sitting) = quiz.sitting_mut().filter(|sitting| sitting.stage == Stage::Say) else { return };
    sitting.say.phase = match sitting.say.phase {
        Phase::Ready => Phase::Talking { until: now + Millis::from_seconds(sitting.question().say.seconds) },
        Phase::Talking { until } => Phase::Paused { left: until.since(now) },
        Phase::Paused { left } => Phase::Talking { until: now + left },
        other @ (Phase::Checklist { .. } | Phase::Done) => other,
    };
}

fn pause(quiz: &mut Quiz) {
    let now = quiz.now;
    if let Some(sitting) = quiz.sitting_mut()
        && let Phase::Talking { until } = sitting.say.phase
    {
        sitting.say.phase = Phase::Paused { left: until.since(now) };
    }
}

fn end_talk(quiz: &mut Quiz) {
    let left = quiz.sitting().map(|sitting| quiz.left(sitting));
    let (Some(left), Some(sitting)) = (left, quiz.sitting_mut()) else { return };
    if sitting.stage == Stage::Say && !matches!(sitting.say.phase, Phase::Done) {
        sitting.say.phase = Phase::Checklist { left };
    }
}

fn finish_checklist(quiz: &mut Quiz) -> Vec<Effect> {
    let at = quiz.now;
    let Some(sitting) = quiz.sitting_mut().filter(|sitting| sitting.stage == Stage::Say) else { return Vec::new() };
    let Phase::Checklist { left } = sitting.say.phase else { return Vec::new() };
    sitting.say.phase = Phase::Done;
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let what = What::Said { covered: count(sitting.say.covered_count()), of: count(sitting.say.covered.len()) };
    let attempt = Attempt { question: sitting.entry.name.clone(), at, what };
    sitting.done.push(Done::Said { attempt: attempt.clone(), left });
    vec![Effect::Record(attempt)]
}
