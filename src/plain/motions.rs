//! Translates commands that move through the timeline, or through the steps, into actions.

use crate::content::question::lines;
use crate::plain::command::Command;
use crate::plain::response::{Response, Then, refused};
use crate::plain::{steps, timeline as rows};
use crate::quiz::action::{Action, Motion};
use crate::quiz::run_view::RunView;
use crate::quiz::state::{Program, Programs};
use crate::quiz::steps::{Act, Target};
use crate::quiz::trace::Way;
use crate::quiz::{Quiz, Sitting, Stage, timeline};
use crate::text::counted;

pub(super) fn asked(sitting: &Sitting, command: Command, rest: &str) -> Response {
    match (command, sitting.view()) {
        (Command::Timeline, _) => begin_timeline(sitting),
        (Command::Steps, _) => {
            let traced = sitting.open_programs().all(|(program, _)| sitting.steps().walk(program).is_some());
            let then = if traced { step(None) } else { Box::new(|_: &Quiz| String::new()) };
            in_run(sitting, [Action::Steps(Act::Trace)], then)
        }
        (Command::Variables, _) => Response::Words(steps::variables(sitting)),
        (Command::Printed, _) => Response::Words(steps::output(sitting)),
        (Command::Show(side), _) => show(sitting, side),
        (_, RunView::Timeline) if !rest.is_empty() => {
            refused("In the timeline, `next`, `previous`, `first` and `last` stand alone.")
        }
        (_, RunView::Timeline) => {
            let act = match command {
                Command::Next => timeline::Act::PlayOn,
                Command::Previous => timeline::Act::Move(Motion::By(-1)),
                Command::First => timeline::Act::Select(0),
                _ => timeline::Act::Move(Motion::Last),
            };
            Response::Do { actions: vec![Action::Timeline(act)], then: row() }
        }
        _ => moved(sitting, command, rest),
    }
}

pub(super) fn to_row(index: usize) -> Response {
    Response::Do { actions: vec![Action::Timeline(timeline::Act::Select(index))], then: row() }
}

pub(super) fn to_step(sitting: &Sitting, index: usize) -> Response {
    let at = at(sitting);
    let by = isize::try_from(index).unwrap_or(isize::MAX).saturating_sub_unsigned(at);
    Response::Do { actions: vec![Action::Steps(Act::Step(Motion::By(by)))], then: step(Some(at)) }
}

fn in_run(sitting: &Sitting, actions: impl IntoIterator<Item = Action>, then: Then) -> Response {
    let go = (sitting.stage() != Stage::Run).then_some(Action::Go(Stage::Run));
    Response::Do { actions: go.into_iter().chain(actions).collect(), then }
}

/// Moves to the first row, after playing the scenario on each visible program that has not played it yet.
fn begin_timeline(sitting: &Sitting) -> Response {
    let all = sitting.open_programs().all(|(program, _)| sitting.timeline().live(program).is_some());
    let act = if all { timeline::Act::Select(0) } else { timeline::Act::PlayOn };
    in_run(sitting, [Action::Show(RunView::Timeline), Action::Timeline(act)], row())
}

/// Says the row that the learner is at, unless the programs are still on their way: their end says it then.
fn row() -> Then {
    Box::new(|quiz| {
        let sitting = quiz.sitting().filter(|sitting| {
            sitting.timeline().at().is_some()
                && !sitting.is_running()
                && !sitting.is_predicting()
                && !sitting.is_asking()
        });
        sitting.map(rows::here).unwrap_or_default()
    })
}

/// Says the step that the learner is at, and what happened since step `from`.
fn step(from: Option<usize>) -> Then {
    Box::new(move |quiz| quiz.sitting().map(|sitting| steps::here(sitting, from)).unwrap_or_default())
}

fn at(sitting: &Sitting) -> usize {
    sitting.steps().leader().map_or(0, |walk| walk.at())
}

/// Goes through the steps, one by one or to where something happens.
fn moved(sitting: &Sitting, command: Command, rest: &str) -> Response {
    let way = match command {
        Command::Next => Way::On,
        Command::Previous => Way::Back,
        _ => {
            let motion = if command == Command::First { Motion::First } else { Motion::Last };
            return Response::Do { actions: vec![Action::Steps(Act::Step(motion))], then: step(Some(at(sitting))) };
        }
    };
    let (what, of) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let acts = match (what.to_lowercase().as_str(), of.trim()) {
        ("" | "step", "") => vec![Act::Step(Motion::By(if way == Way::On { 1 } else { -1 }))],
        ("call", "") => vec![Act::Seek(Target::Call, way)],
        ("return", "") => vec![Act::Seek(Target::Return, way)],
        ("line", "") => vec![Act::Seek(Target::Line, way)],
        ("line", number) => match line(sitting, number) {
            Ok(digits) => digits.into_iter().map(Act::Digit).chain([Act::Seek(Target::Line, way)]).collect(),
            Err(why) => return refused(&why),
        },
        ("change", name) => match variable(sitting, name.strip_prefix("of ").unwrap_or(name).trim()) {
            Ok(row) => vec![Act::ChooseAt(row), Act::Seek(Target::Change, way)],
            Err(why) => return refused(&why),
        },
        _ => {
            return refused(
                "A step can be looked for by `call`, `return`, `line` and a number, or `change` and a name.",
            );
        }
    };
    Response::Do { actions: acts.into_iter().map(Action::Steps).collect(), then: step(Some(at(sitting))) }
}

/// The digits of a line of the program whose steps are read out.
fn line(sitting: &Sitting, number: &str) -> Result<Vec<u8>, String> {
    let count = lines(sitting.source(sitting.steps().programs().leader())).len();
    match number.parse::<usize>().ok().filter(|line| (1..=count).contains(line)) {
        Some(line) => Ok(line.to_string().bytes().map(|digit| digit - b'0').collect()),
        None => Err(format!("There is no such line; this program has {}.", counted(count, "line"))),
    }
}

/// The place of a variable among those at this step.
fn variable(sitting: &Sitting, name: &str) -> Result<usize, String> {
    if name.is_empty() {
        return Err("Type `change` and the name of a variable. `variables` tells them.".to_owned());
    }
    let steps = sitting.steps();
    let shown = steps.leader().map(|walk| steps.shown(walk)).unwrap_or_default();
    let found = shown.iter().position(|row| row.name.name == name);
    found.ok_or_else(|| "There is no variable of that name at this step. `variables` tells them.".to_owned())
}

/// Reads the steps of the next program, or of both: the quiz cycles through these views.
fn show(sitting: &Sitting, programs: Programs) -> Response {
    let place = |programs| match programs {
        Programs::One(Program::Buggy) => 0,
        Programs::One(Program::Fixed) => 1,
        Programs::Both => 2,
    };
    let turns = (place(programs) + 3 - place(sitting.steps().programs())) % 3;
    Response::Do { actions: vec![Action::Steps(Act::Turn); turns], then: step(None) }
}
