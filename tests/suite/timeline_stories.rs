//! Stories about the timeline: what the learner plays, what runs for it, and where the programs part.

use std::collections::HashMap;
use std::sync::Arc;

use fencepost::quiz::prediction;
use fencepost::quiz::run_view::RunView;
use fencepost::quiz::runnable;
use fencepost::quiz::state::{Program, RunId};
use fencepost::quiz::timeline::{Act, Timeline, parts_at};
use fencepost::quiz::{Action, Effect, Motion, Quiz, Stage, update};
use fencepost::runner::{Event, Level, Mode, Row, Verdict};

use crate::fixtures::{
    BUGGY_CLERK, FIXED_CLERK, catalog, ended, lived, name, paused_clerk, program_of, quiz, sandbox, shelf, strangers,
};

fn tell(quiz: &mut Quiz, actions: impl IntoIterator<Item = Action>) -> Vec<Effect> {
    actions.into_iter().flat_map(|action| update(quiz, action)).collect()
}

fn open() -> Quiz {
    let mut quiz = quiz(vec![paused_clerk()]);
    tell(&mut quiz, [Action::Open(name("stale-ticket"))]);
    quiz
}

fn at_timeline(mut quiz: Quiz) -> Quiz {
    tell(&mut quiz, [Action::Go(Stage::Run), Action::Show(RunView::Timeline)]);
    quiz
}

fn answered() -> Quiz {
    let mut quiz = open();
    tell(&mut quiz, [Action::GiveUp]);
    at_timeline(quiz)
}

fn timeline(quiz: &Quiz) -> &Timeline {
    quiz.sitting().expect("a question is open").timeline()
}

/// The learner's place, and the number of rows that were played.
fn place(quiz: &Quiz) -> (Option<usize>, usize) {
    (timeline(quiz).at(), timeline(quiz).played())
}

fn play(act: Act) -> Action {
    Action::Timeline(act)
}

/// The run that was started, its program, and true if it is the scenario.
fn started(effects: &[Effect]) -> Vec<(u64, Program, bool)> {
    let started = effects.iter().filter_map(|effect| match effect {
        Effect::Start { run, job } => Some((run.0, program_of(job), matches!(job.mode, Mode::Scenario(_)))),
        _ => None,
    });
    started.collect()
}

#[test]
fn space_runs_both_programs_and_plays_row_after_row() {
    let mut quiz = answered();
    let effects = tell(&mut quiz, [play(Act::PlayOn)]);
    let wanted =
        [(1, Program::Buggy, false), (2, Program::Fixed, false), (3, Program::Buggy, true), (4, Program::Fixed, true)];
    assert_eq!(started(&effects), wanted);
    let scenario = runnable::scenario(paused_clerk().scenario.as_ref().unwrap());
    let Some(Effect::Start { job, .. }) = effects.last() else { panic!("{effects:?}") };
    assert_eq!((&job.source, &job.mode), (&paused_clerk().fixed.code, &Mode::Scenario(scenario)));
    tell(&mut quiz, lived(3, &BUGGY_CLERK).into_iter().chain(lived(4, &FIXED_CLERK)));
    tell(&mut quiz, (1..=4).map(|run| ended(run, Verdict::Finished, "")));
    assert_eq!(place(&quiz), (Some(0), 1), "the first row is played at once");
    assert_eq!(timeline(&quiz).parts_at(), Some(2));
    for row in 1..4 {
        assert_eq!(tell(&mut quiz, [play(Act::PlayOn)]), []);
        assert_eq!(place(&quiz), (Some(row), row + 1));
    }
    tell(&mut quiz, [play(Act::PlayOn)]);
    assert_eq!(place(&quiz), (Some(3), 4), "there is nothing behind the last row");
    let fixed = timeline(&quiz).live(Program::Fixed).unwrap();
    assert_eq!(fixed.rows[2].result.as_ref().unwrap().text, "False");
    assert_eq!(fixed.ending().unwrap().verdict, Verdict::Finished);
}

#[test]
fn where_nobody_plays_the_scenario_nothing_lives_through_it() {
    let mut quiz = Quiz::new(Arc::new(catalog(vec![paused_clerk()])), HashMap::new());
    let effects = tell(&mut quiz, [Action::OpenAt(0), Action::GiveUp, Action::Go(Stage::Run), Action::Run]);
    assert_eq!(started(&effects), [(1, Program::Buggy, false), (2, Program::Fixed, false)]);
    tell(&mut quiz, (1..=2).map(|run| ended(run, Verdict::Finished, "")));
    assert!(!quiz.sitting().unwrap().is_running());
}

#[test]
fn arrows_go_back_and_what_was_played_stays() {
    let mut quiz = answered();
    tell(&mut quiz, [play(Act::PlayOn), play(Act::PlayOn), play(Act::PlayOn)]);
    let at = |quiz: &mut Quiz, act| {
        tell(quiz, [play(act)]);
        place(quiz)
    };
    assert_eq!(at(&mut quiz, Act::Move(Motion::By(-1))), (Some(1), 3));
    assert_eq!(at(&mut quiz, Act::Move(Motion::First)), (Some(0), 3));
    assert_eq!(at(&mut quiz, Act::Move(Motion::By(-1))), (Some(0), 3));
    assert_eq!(at(&mut quiz, Act::PlayOn), (Some(1), 3));
    assert_eq!(at(&mut quiz, Act::Move(Motion::Last)), (Some(3), 4));
    assert_eq!(at(&mut quiz, Act::Move(Motion::By(isize::MAX))), (Some(3), 4));
    assert_eq!(at(&mut quiz, Act::Select(2)), (Some(2), 4));
    assert_eq!(at(&mut quiz, Act::Select(4)), (Some(2), 4), "there is no fifth row");
}

#[test]
fn before_the_answer_only_the_buggy_program_lives_through_it() {
    let mut quiz = at_timeline(open());
    let effects = tell(&mut quiz, [play(Act::PlayOn)]);
    assert_eq!(started(&effects), [(1, Program::Buggy, false), (2, Program::Buggy, true)]);
    tell(&mut quiz, lived(2, &BUGGY_CLERK));
    tell(&mut quiz, [ended(1, Verdict::Finished, ""), ended(2, Verdict::Finished, "")]);
    assert_eq!((timeline(&quiz).live(Program::Fixed), timeline(&quiz).parts_at()), (None, None));
    // Once the line is known, Space runs both from the first row on.
    tell(&mut quiz, [play(Act::PlayOn), Action::Go(Stage::Spot), Action::GiveUp, Action::Go(Stage::Run)]);
    assert_eq!(quiz.sitting().unwrap().view(), RunView::Timeline, "the part stays where it was");
    assert_eq!(started(&tell(&mut quiz, [play(Act::PlayOn)])).len(), 4);
    assert_eq!(place(&quiz), (Some(0), 1));
}

#[test]
fn a_plain_run_takes_the_scenario_along_and_plays_nothing() {
    let mut quiz = answered();
    tell(&mut quiz, [Action::Show(RunView::Output)]);
    assert_eq!(started(&tell(&mut quiz, [Action::Run])).len(), 4);
    assert_eq!(place(&quiz), (None, 0));
    tell(&mut quiz, (1..=4).map(|run| ended(run, Verdict::Finished, "")));
    tell(&mut quiz, [Action::Show(RunView::Timeline), play(Act::Move(Motion::By(-1)))]);
    assert_eq!(place(&quiz), (None, 0), "nothing lies before the first row");
    assert_eq!(tell(&mut quiz, [play(Act::Move(Motion::By(1)))]), []);
    assert_eq!(place(&quiz), (Some(0), 1));
    // `r` in the timeline plays it from its first row.
    tell(&mut quiz, [play(Act::Move(Motion::Last))]);
    assert_eq!(started(&tell(&mut quiz, [Action::Run])).len(), 4);
    assert_eq!(place(&quiz), (Some(0), 1));
}

#[test]
fn a_question_without_a_scenario_has_no_timeline() {
    let mut quiz = quiz(vec![shelf()]);
    tell(&mut quiz, [Action::OpenAt(0), Action::Go(Stage::Run), Action::Show(RunView::Timeline)]);
    assert_eq!(quiz.sitting().unwrap().view(), RunView::Output);
    assert_eq!(tell(&mut quiz, [play(Act::PlayOn), play(Act::Select(0)), play(Act::Open)]), []);
    assert_eq!(started(&tell(&mut quiz, [Action::Run])), [(1, Program::Buggy, false)]);
}

#[test]
fn stopping_and_leaving_stop_the_scenario_too() {
    let stops = |runs: &[u64]| runs.iter().map(|run| Effect::Stop(RunId(*run))).collect::<Vec<_>>();
    let mut quiz = at_timeline(open());
    tell(&mut quiz, [play(Act::PlayOn), ended(1, Verdict::Finished, "")]);
    assert_eq!(tell(&mut quiz, [Action::StopRun]), stops(&[2]));
    assert_eq!(tell(&mut quiz, [Action::Run]), stops(&[2]));
    tell(&mut quiz, [ended(2, Verdict::Stopped, ""), Action::Run]);
    assert_eq!(tell(&mut quiz, [Action::Back]), stops(&[3, 4]));
}

#[test]
fn events_of_an_old_run_are_dropped() {
    let mut quiz = at_timeline(open());
    tell(&mut quiz, [play(Act::PlayOn), Action::Run]);
    tell(&mut quiz, (1..=2).map(|run| ended(run, Verdict::Stopped, "")));
    tell(&mut quiz, [Action::Run]);
    tell(&mut quiz, lived(2, &BUGGY_CLERK));
    let live = timeline(&quiz).live(Program::Buggy).unwrap();
    assert_eq!((&live.rows[..], live.ending()), (&[][..], None));
    tell(&mut quiz, lived(4, &BUGGY_CLERK));
    assert_eq!(timeline(&quiz).live(Program::Buggy).unwrap().rows.len(), 4);
}

#[test]
fn a_program_that_does_not_get_there_parts_from_one_that_does() {
    let mut quiz = answered();
    tell(&mut quiz, [play(Act::PlayOn)]);
    tell(&mut quiz, lived(3, &BUGGY_CLERK[..2]).into_iter().chain(lived(4, &FIXED_CLERK)));
    assert_eq!(timeline(&quiz).parts_at(), None, "the missing rows may still come");
    tell(&mut quiz, [ended(3, Verdict::TimedOut, "Stopped after 2 s."), ended(4, Verdict::Finished, "")]);
    assert_eq!(timeline(&quiz).parts_at(), Some(2));
    // What the learner stopped is no difference between the programs.
    let mut quiz = answered();
    tell(&mut quiz, [play(Act::PlayOn)]);
    tell(&mut quiz, lived(3, &BUGGY_CLERK[..2]).into_iter().chain(lived(4, &FIXED_CLERK)));
    tell(&mut quiz, [ended(3, Verdict::Stopped, ""), ended(4, Verdict::Finished, "")]);
    assert_eq!(timeline(&quiz).parts_at(), None);
}

#[test]
fn rows_are_compared_by_result_and_by_every_watched_value() {
    let rows = |rows| -> Vec<Row> {
        let row = |action| match action {
            Action::Ran(_, Event::Row(row)) => row,
            other => panic!("{other:?}"),
        };
        lived(1, rows).into_iter().map(row).collect()
    };
    let buggy = rows(&BUGGY_CLERK);
    assert_eq!(parts_at(&buggy, &buggy), None);
    assert_eq!(parts_at(&buggy, &rows(&FIXED_CLERK)), Some(2));
    assert_eq!(parts_at(&buggy, &buggy[..3]), Some(3));
    let mut raised = buggy.clone();
    raised[1].result.as_mut().unwrap().raised = true;
    assert_eq!(parts_at(&buggy, &raised), Some(1), "to return a value is not to raise it");
}

#[test]
fn strangers_scenarios_pass_the_same_gate() {
    let mut quiz = strangers(vec![paused_clerk()]);
    tell(&mut quiz, [Action::OpenAt(0)]);
    let mut quiz = at_timeline(quiz);
    assert_eq!(tell(&mut quiz, [sandbox(Level::None), play(Act::PlayOn)]), []);
    assert!(quiz.sitting().unwrap().is_asking());
    tell(&mut quiz, [Action::Decline]);
    assert_eq!((timeline(&quiz).live(Program::Buggy), place(&quiz)), (None, (None, 0)));
    let effects = tell(&mut quiz, [play(Act::PlayOn), Action::Agree]);
    assert_eq!(started(&effects), [(1, Program::Buggy, false), (2, Program::Buggy, true)]);
    assert_eq!(place(&quiz), (Some(0), 1), "what was asked for is remembered");
}

#[test]
fn values_are_opened_at_a_row_and_close_when_it_is_left() {
    let mut quiz = answered();
    tell(&mut quiz, [play(Act::Open)]);
    assert!(!timeline(&quiz).is_open(), "there is no row yet");
    tell(&mut quiz, [play(Act::PlayOn), play(Act::Open)]);
    assert!(timeline(&quiz).is_open());
    tell(&mut quiz, [play(Act::Open), play(Act::Open), play(Act::PlayOn)]);
    assert!(!timeline(&quiz).is_open());
}

#[test]
fn down_and_end_begin_as_space_does() {
    for (motion, place_then) in [(Motion::By(1), (Some(0), 1)), (Motion::Last, (Some(3), 4))] {
        let mut quiz = answered();
        assert_eq!(started(&tell(&mut quiz, [play(Act::Move(motion))])).len(), 4, "{motion:?}");
        assert_eq!(place(&quiz), place_then, "{motion:?}");
    }
    for motion in [Motion::By(-1), Motion::First] {
        let mut quiz = answered();
        assert_eq!(tell(&mut quiz, [play(Act::Move(motion))]), [], "{motion:?}");
    }
}

/// Rows of the buggy program alone would suggest that the programs do not part.
#[test]
fn the_answer_begins_the_timeline_anew() {
    let mut quiz = at_timeline(open());
    tell(&mut quiz, [play(Act::PlayOn)]);
    tell(&mut quiz, lived(2, &BUGGY_CLERK).into_iter().chain([ended(1, Verdict::Finished, "")]));
    let effects = tell(&mut quiz, [play(Act::Move(Motion::Last)), Action::Go(Stage::Spot), Action::GiveUp]);
    assert!(effects.contains(&Effect::Stop(RunId(2))), "{effects:?}");
    assert_eq!((place(&quiz), timeline(&quiz).live(Program::Buggy)), ((None, 0), None));
    let mut quiz = at_timeline(quiz);
    assert_eq!(started(&tell(&mut quiz, [play(Act::PlayOn)])).len(), 4);
}

#[test]
fn the_end_of_a_timeline_is_reached_once_the_prediction_is_made() {
    let mut quiz = quiz(vec![paused_clerk()]).asking_for_predictions();
    tell(&mut quiz, [Action::OpenAt(0), Action::Go(Stage::Run), Action::Show(RunView::Timeline)]);
    assert_eq!(tell(&mut quiz, [play(Act::Move(Motion::Last))]), []);
    assert_eq!(place(&quiz), (None, 0));
    assert_eq!(started(&tell(&mut quiz, [Action::Predict(prediction::Act::Done)])).len(), 2);
    assert_eq!(place(&quiz), (Some(3), 4));
}
