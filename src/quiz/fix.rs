//! The stage Fix: edits the learner's repair, and takes what its checks report.

use crate::content::question::QuestionName;
use crate::quiz::action::Action;
use crate::quiz::attempt::{Attempt, AttemptKind};
use crate::quiz::consent::Start;
use crate::quiz::effect::Effect;
use crate::quiz::renamed;
use crate::quiz::repair::{LONGEST, Note, Repair, RepairState, Repairs, clean};
use crate::quiz::reply::Reply;
use crate::quiz::runs::Slot;
use crate::quiz::sitting::Sitting;
use crate::quiz::stage::Stage;
use crate::quiz::state::Quiz;
use crate::quiz::time::Timestamp;
use crate::runner::{Event, Verdict};

/// Does what the learner asked in the stage Fix, or takes what came of an editor.
pub(super) fn act(quiz: &mut Quiz, action: Action) -> Reply {
    match action {
        Action::Edited { question, text, path, aside } => return edited(quiz, &question, &text, path, aside),
        Action::NotEdited { question, why } => {
            if let Some(sitting) = quiz.sittings.get_mut(&question) {
                sitting.repair.note = Some(Note::Failed(why));
            }
            return Reply::none();
        }
        Action::RunChecks => return run_checks(quiz),
        _ => {}
    }
    let at = quiz.now;
    let Some(sitting) = in_sight(quiz) else { return Reply::none() };
    match action {
        Action::Edit(text) => change(sitting, at, &text).into(),
        Action::EditOutside => {
            let (question, text) = (sitting.entry.name.clone(), sitting.repair.text().to_owned());
            vec![Effect::OpenEditor { question, text }].into()
        }
        Action::ResetDraft => {
            sitting.repair.ask_reset(sitting.repair.is_changed(&sitting.entry.question));
            Reply::none()
        }
        Action::KeepText => {
            sitting.repair.ask_reset(false);
            Reply::none()
        }
        Action::ConfirmReset if sitting.repair.asks_reset() => {
            let entry = sitting.entry.clone();
            sitting.repair.reset(&entry.question);
            let kept = Effect::KeepDraft(sitting.repair.keep(&entry.name, at));
            let mut effects = quiz.runs.drop(&entry.name, is_checks);
            effects.push(kept);
            effects.into()
        }
        Action::BringBack if sitting.repair.bring_back() => keep(sitting, at).into(),
        _ => Reply::none(),
    }
}

fn is_checks(slot: Slot) -> bool {
    slot == Slot::Checks
}

fn in_sight(quiz: &mut Quiz) -> Option<&mut Sitting> {
    let known = quiz.repairs_known;
    quiz.sitting_mut().filter(|sitting| known && sitting.stage == Stage::Fix)
}

/// Takes what was repaired in earlier sittings.
pub(super) fn remember(quiz: &mut Quiz, repairs: Repairs) {
    quiz.repairs_known = true;
    quiz.repairs.drafts = repairs.drafts;
    quiz.repairs.passed.extend(repairs.passed);
    renamed::repairs(&quiz.catalog, &mut quiz.repairs);
    for (name, sitting) in &mut quiz.sittings {
        if let Some(draft) = quiz.repairs.drafts.get(name) {
            sitting.repair = Repair::new(&sitting.entry.question, Some(draft));
        }
    }
}

fn change(sitting: &mut Sitting, at: Timestamp, text: &str) -> Vec<Effect> {
    if sitting.repair.change(text) { keep(sitting, at) } else { Vec::new() }
}

fn keep(sitting: &mut Sitting, at: Timestamp) -> Vec<Effect> {
    vec![Effect::KeepDraft(sitting.repair.keep(&sitting.entry.name, at))]
}

/// Takes the text that another editor left, and asks for its checks.
fn edited(quiz: &mut Quiz, question: &QuestionName, text: &str, path: String, aside: Option<String>) -> Reply {
    let at = quiz.now;
    let Some(sitting) = quiz.sittings.get_mut(question) else { return Reply::none() };
    // The end of its last line can make a text too long that was not.
    if clean(text).len() > LONGEST {
        sitting.repair.note = Some(Note::Failed(format!("`{path}` is longer than 64 KiB")));
        return Reply::none();
    }
    let mut effects = change(sitting, at, text);
    sitting.repair.note = Some(Note::Edited { path, changed: !effects.is_empty(), aside });
    let checks = run_checks(quiz);
    effects.extend(checks.effects);
    Reply { effects, start: checks.start }
}

fn run_checks(quiz: &mut Quiz) -> Reply {
    let Some(sitting) = in_sight(quiz) else { return Reply::none() };
    sitting.repair.ask_reset(false);
    if sitting.repair.is_running() && !sitting.repair.is_stale() {
        return Reply::none();
    }
    let name = sitting.entry.name.clone();
    Reply { effects: quiz.runs.stop(&name, is_checks), start: Some(Start::Checks) }
}

/// Takes what the checks on the repair of `question` reported.
pub(super) fn record(quiz: &mut Quiz, question: &QuestionName, event: Event) -> Vec<Effect> {
    let at = quiz.now;
    let Some(sitting) = quiz.sittings.get_mut(question) else { return Vec::new() };
    let of = sitting.entry.question.checks.len();
    let Some(checked) = &mut sitting.repair.checked else { return Vec::new() };
    if matches!(event, Event::Check(_)) && checked.results().len() >= of {
        return Vec::new();
    }
    let verdict = match &event {
        Event::Ended(ending) => Some(ending.verdict),
        _ => None,
    };
    checked.recording.add(event);
    // After some endings, nothing is known of the text.
    if verdict.is_none_or(|it| matches!(it, Verdict::Stopped | Verdict::MachineryFailed | Verdict::Refused)) {
        return Vec::new();
    }
    let held = checked.passed_count();
    let passed = sitting.repair.state(&sitting.entry.question) == RepairState::Passed;
    if passed {
        quiz.repairs.passed.insert(question.clone());
    }
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let kind = AttemptKind::Repaired { passed, held: count(held), of: count(of) };
    vec![Effect::Record(Attempt { question: question.clone(), at, kind })]
}
