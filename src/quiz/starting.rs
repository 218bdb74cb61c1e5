//! Starts programs and checks. This is the one place that asks for a prediction and for consent.

use crate::quiz::action::Action;
use crate::quiz::consent::{Blocked, Sandbox, Start, blocked};
use crate::quiz::effect::Effect;
use crate::quiz::prediction::Prediction;
use crate::quiz::program::Program;
use crate::quiz::repair::Checked;
use crate::quiz::run_view::Request;
use crate::quiz::runnable;
use crate::quiz::runs::Slot;
use crate::quiz::stage::Stage;
use crate::quiz::state::Quiz;
use crate::runner::recording::Recording;
use crate::runner::{Job, Limits, Mode};

/// Starts what was asked for, or notes what keeps it from starting.
pub(super) fn start(quiz: &mut Quiz, start: Start) -> Vec<Effect> {
    let predicts = quiz.predicts;
    let Some(sitting) = quiz.sitting_mut() else { return Vec::new() };
    if start == Start::Programs {
        if predicts {
            sitting.prediction.ask();
        }
        if matches!(sitting.prediction, Prediction::Typing(_)) {
            return Vec::new();
        }
    }
    let entry = sitting.entry.clone();
    let blocked = blocked(&entry, &quiz.sandbox, &quiz.trusted);
    if let Some(sitting) = quiz.sitting_mut() {
        sitting.waiting.set(start, blocked);
    }
    match (blocked, start) {
        (Some(_), _) => Vec::new(),
        (None, Start::Programs) => programs(quiz),
        (None, Start::Checks) => checks(quiz),
    }
}

/// Starts what the stage Run was asked for, on the programs that may be seen.
fn programs(quiz: &mut Quiz) -> Vec<Effect> {
    let Quiz { trail, sittings, runs, has_timeline, .. } = quiz;
    let Some(sitting) = trail.last().and_then(|name| sittings.get_mut(name)) else { return Vec::new() };
    let entry = sitting.entry.clone();
    let question = &entry.question;
    let open: Vec<Program> = sitting.open_programs().map(|(program, _)| program).collect();
    let mut effects = Vec::new();
    let mut add = |program: Program, slot, mode| {
        let job = Job { source: program.code(question).to_owned(), mode, limits: Limits::default() };
        effects.push(runs.start(&entry.name, slot, job));
    };
    if sitting.request == Request::Steps {
        open.iter().for_each(|program| add(*program, Slot::Steps(*program), Mode::Trace));
        sitting.steps.begin(&open);
        return effects;
    }
    for program in &open {
        add(*program, Slot::Output(*program), Mode::Run);
        *sitting.recordings.place(*program) = Some(Recording::default());
    }
    if let (true, Some(scenario)) = (*has_timeline, &question.scenario) {
        for program in &open {
            add(*program, Slot::Timeline(*program), Mode::Scenario(runnable::scenario(scenario)));
        }
        let row = match sitting.request {
            Request::Timeline(row) => Some(row),
            Request::Programs | Request::Steps => None,
        };
        sitting.timeline.begin(&open, row);
    }
    effects
}

/// Starts the checks on the learner's program.
fn checks(quiz: &mut Quiz) -> Vec<Effect> {
    let Quiz { trail, sittings, runs, .. } = quiz;
    let Some(sitting) = trail.last().and_then(|name| sittings.get_mut(name)) else { return Vec::new() };
    let entry = &sitting.entry;
    let text = sitting.repair.text().to_owned();
    let job = Job { source: text.clone(), mode: runnable::grade(&entry.question), limits: Limits::default() };
    sitting.repair.checked = Some(Checked { text, recording: Recording::default() });
    vec![runs.start(&entry.name, Slot::Checks, job)]
}

/// Takes what was found out about the sandbox, or the learner's answer about a pack, and starts what waited for it.
pub(super) fn decide(quiz: &mut Quiz, action: Action) -> Vec<Effect> {
    match action {
        Action::Sandbox(sandbox) => looked(quiz, sandbox),
        Action::Agree => agree(quiz),
        Action::Decline => {
            if let Some(sitting) = quiz.sitting_mut().filter(|sitting| sitting.is_asking()) {
                sitting.waiting = Default::default();
            }
            Vec::new()
        }
        _ => Vec::new(),
    }
}

fn looked(quiz: &mut Quiz, sandbox: Sandbox) -> Vec<Effect> {
    quiz.sandbox = sandbox;
    let waits = |blocked| blocked == Some(Blocked::SandboxUnknown);
    let Some(waiting) = quiz.sitting().map(|sitting| sitting.waiting) else { return Vec::new() };
    let mut effects = if waits(waiting.programs) { start(quiz, Start::Programs) } else { Vec::new() };
    if waits(waiting.checks) {
        effects.extend(start(quiz, Start::Checks));
    }
    effects
}

fn agree(quiz: &mut Quiz) -> Vec<Effect> {
    let Some(sitting) = quiz.sitting_mut().filter(|sitting| sitting.is_asking()) else { return Vec::new() };
    sitting.waiting = Default::default();
    let (pack, stage) = (sitting.entry.name.pack.clone(), sitting.stage);
    quiz.trusted.insert(pack);
    start(quiz, if stage == Stage::Fix { Start::Checks } else { Start::Programs })
}
