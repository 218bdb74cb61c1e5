//! Stories about the prediction: when it is asked for, what may be typed, and what stands beside the truth.

use fencepost::quiz::describe::Said;
use fencepost::quiz::prediction::{Act, Prediction};
use fencepost::quiz::run_view::RunView;
use fencepost::quiz::{Action, Effect, Quiz, Sitting, Stage, steps, timeline, update};
use fencepost::runner::{Level, Stream, Verdict};

use crate::cases::each;
use crate::fixtures::{BUGGY_STEPS, ended, late_label, name, paused_clerk, quiz, sandbox, stepped, strangers, wrote};
use crate::screens::{SIZES, Screen, snapshot};

fn tell(quiz: &mut Quiz, actions: impl IntoIterator<Item = Action>) -> Vec<Effect> {
    actions.into_iter().flat_map(|action| update(quiz, action)).collect()
}

fn typed(text: &str) -> Action {
    Action::Predict(Act::Type(text.to_owned()))
}

const DONE: Action = Action::Predict(Act::Done);

fn asking() -> Quiz {
    quiz(vec![paused_clerk(), late_label()]).asking_for_predictions()
}

fn open() -> Quiz {
    let mut quiz = asking();
    tell(&mut quiz, [Action::Open(name("stale-ticket")), Action::Go(Stage::Run)]);
    quiz
}

fn sitting(quiz: &Quiz) -> &Sitting {
    quiz.sitting().expect("a question is open")
}

/// Predicts `text`, lets the program print `printed`, and says what the learner reads.
fn judged(text: &str, printed: &str) -> String {
    let mut quiz = open();
    tell(&mut quiz, [Action::Run, typed(text), DONE, wrote(1, Stream::Stdout, printed)]);
    tell(&mut quiz, [wrote(1, Stream::Stderr, "noise\n")]);
    assert_eq!(sitting(&quiz).prediction_result(), None, "the program has not ended");
    tell(&mut quiz, [ended(1, Verdict::Finished, "")]);
    let judged = sitting(&quiz).prediction_result().expect("a prediction and an output");
    let said = judged.said.into_iter().map(|piece| match piece {
        Said::Words(words) => words,
        Said::Output(output) => format!("<{output}>"),
    });
    format!("{} {}", if judged.right { "right:" } else { "wrong:" }, said.collect::<String>())
}

#[test]
fn the_first_run_waits_for_a_prediction() {
    let mut quiz = open();
    assert_eq!(tell(&mut quiz, [Action::Run, typed("from pau"), Action::Run]), []);
    assert!(sitting(&quiz).is_predicting());
    assert_eq!(tell(&mut quiz, [typed("sed"), DONE]).len(), 2, "the program and its scenario");
    assert_eq!(sitting(&quiz).prediction(), &Prediction::Made("from paused".to_owned()));
    // It is asked for once, and kept.
    tell(&mut quiz, [ended(1, Verdict::Finished, ""), ended(2, Verdict::Finished, "")]);
    assert_eq!(tell(&mut quiz, [Action::Run]).len(), 2);
    assert!(!sitting(&quiz).is_predicting());
    // Another question has its own.
    tell(&mut quiz, [Action::Open(name("late-label")), Action::Go(Stage::Run)]);
    assert_eq!(tell(&mut quiz, [Action::Run]), []);
    assert!(sitting(&quiz).is_predicting());
}

#[test]
fn nothing_typed_is_no_prediction() {
    let mut quiz = open();
    assert_eq!(tell(&mut quiz, [Action::Run, typed(" \n"), DONE]).len(), 2);
    tell(&mut quiz, [wrote(1, Stream::Stdout, "x"), ended(1, Verdict::Finished, "")]);
    assert_eq!((sitting(&quiz).prediction(), sitting(&quiz).prediction_result()), (&Prediction::None, None));
}

#[test]
fn nobody_is_asked_who_turned_it_off() {
    let mut quiz = quiz(vec![paused_clerk()]);
    assert_eq!(tell(&mut quiz, [Action::OpenAt(0), Action::Go(Stage::Run), Action::Run]).len(), 2);
    assert_eq!(tell(&mut quiz, [typed("x"), DONE]), []);
    assert_eq!(sitting(&quiz).prediction(), &Prediction::Open);
}

#[test]
fn any_first_run_waits_for_the_prediction_and_then_starts() {
    let mut quiz = open();
    tell(&mut quiz, [Action::Show(RunView::Timeline)]);
    assert_eq!(tell(&mut quiz, [Action::Timeline(timeline::Act::PlayOn)]), []);
    assert_eq!(tell(&mut quiz, [DONE]).len(), 2);
    assert_eq!(sitting(&quiz).timeline().at(), Some(0), "Space played the first row");
    let mut quiz = open();
    assert_eq!(tell(&mut quiz, [Action::Steps(steps::Act::Trace), typed("late")]), []);
    assert_eq!(tell(&mut quiz, [DONE]).len(), 1);
    tell(&mut quiz, stepped(1, BUGGY_STEPS));
    tell(&mut quiz, [ended(1, Verdict::Finished, "")]);
    assert!(sitting(&quiz).prediction_result().unwrap().right, "what a traced program prints counts too");
}

#[test]
fn leaving_the_question_alone_runs_nothing_and_it_comes_again() {
    let mut quiz = open();
    assert_eq!(tell(&mut quiz, [Action::Run, typed("x"), Action::Predict(Act::Leave)]), []);
    assert_eq!(sitting(&quiz).prediction(), &Prediction::Open);
    // In another stage nothing is typed.
    tell(&mut quiz, [Action::Run, typed("a"), Action::NextStage, typed("b"), DONE, Action::PreviousStage]);
    assert_eq!(sitting(&quiz).prediction(), &Prediction::Typing("a".to_owned()));
}

#[test]
fn a_stranger_is_asked_about_behind_the_prediction() {
    let mut quiz = strangers(vec![paused_clerk()]).asking_for_predictions();
    tell(&mut quiz, [sandbox(Level::None), Action::OpenAt(0), Action::Go(Stage::Run), Action::Run]);
    assert_eq!((sitting(&quiz).is_predicting(), sitting(&quiz).is_asking()), (true, false));
    assert_eq!(tell(&mut quiz, [typed("x"), DONE]), []);
    assert!(sitting(&quiz).is_asking());
    assert_eq!(tell(&mut quiz, [Action::Agree]).len(), 2);
}

#[test]
fn text_is_typed_pasted_and_taken_back() {
    let mut quiz = open();
    tell(&mut quiz, [Action::Run, typed("a\r\nb\rc\u{1b}\u{7}\td"), typed("é")]);
    assert_eq!(sitting(&quiz).prediction(), &Prediction::Typing("a\nb\nc\tdé".to_owned()));
    tell(&mut quiz, [Action::Predict(Act::Erase), Action::Predict(Act::Erase)]);
    assert_eq!(sitting(&quiz).prediction(), &Prediction::Typing("a\nb\nc\t".to_owned()));
    tell(&mut quiz, [Action::Predict(Act::EraseLine)]);
    assert_eq!(sitting(&quiz).prediction(), &Prediction::Typing("a\nb\n".to_owned()));
    tell(
        &mut quiz,
        [Action::Predict(Act::EraseLine), Action::Predict(Act::EraseLine), Action::Predict(Act::EraseLine)],
    );
    assert_eq!(sitting(&quiz).prediction(), &Prediction::Typing(String::new()));
    tell(&mut quiz, [Action::Predict(Act::Erase), typed(&"é".repeat(5000))]);
    assert_eq!(sitting(&quiz).prediction(), &Prediction::Typing("é".repeat(1000)), "it has an end");
}

#[test]
fn the_sentence_says_where_it_differs() {
    let right = "right: You predicted what the buggy program prints.";
    assert_eq!(judged("late", "late\n"), right);
    assert_eq!(judged("a \n b\n\n", "a\n b  \n"), right);
    assert_eq!(judged("new", "late\n"), "wrong: You predicted <new>, the buggy program prints <late>.");
    assert_eq!(judged("new", ""), "wrong: You predicted <new>, the buggy program prints nothing.");
    assert_eq!(judged("a\nb", "a\nc\n"), "wrong: In line 2 you predicted <b>, the buggy program prints <c>.");
    assert_eq!(judged("a", "a\nc\n"), "wrong: In line 2 you predicted nothing, the buggy program prints <c>.");
    assert_eq!(judged("a\nb", "\nb\n"), "wrong: In line 1 you predicted <a>, the buggy program prints an empty line.");
}

#[test]
fn a_run_that_was_stopped_proves_nothing() {
    let mut quiz = open();
    tell(&mut quiz, [Action::Run, typed("x"), DONE, ended(1, Verdict::Stopped, "")]);
    assert_eq!(sitting(&quiz).prediction_result(), None);
}

#[test]
fn prediction_while_it_is_typed() {
    snapshot("predict", asking, |screen| {
        screen.press("<enter><tab>rfrom ?mq2");
    });
}

#[test]
fn prediction_beside_the_truth() {
    snapshot("predict-wrong", asking, |screen| {
        screen.press("<enter><tab>rnew<enter>");
        screen.tell([wrote(1, Stream::Stdout, "from paused old leader\n")]);
        screen.tell([ended(1, Verdict::Finished, ""), ended(2, Verdict::Finished, "")]);
    });
}

#[test]
fn no_key_is_lost_to_typing() {
    each(SIZES, |size| {
        let mut screen = Screen::new(asking(), size);
        screen.press("<enter><tab>v ").shows("What will the buggy program print?").press("q?m r[]gGh 1<backspace>2");
        screen.shows("q?m r[]gGh 2_").press("<f1>").shows("Keep the prediction").press("<f1>").shows("gGh 2_");
        screen.press("<esc>").hides("What will").shows("[Timeline]").press(" ").press("<enter>").shows("Row 1 of 4");
    });
}

#[test]
fn a_long_prediction_is_shown_beside_a_long_output() {
    each(SIZES, |size| {
        let mut screen = Screen::new(asking(), size);
        screen.press("<enter><tab>r").tell([typed("one\n\u{202e}two")]).press("<enter>");
        screen.tell([wrote(1, Stream::Stdout, "one\nthree\n"), ended(1, Verdict::Finished, "")]);
        let all = screen.whole();
        for part in ["× In line 2 you predicted `<U+202E>two`,", "the buggy program prints `three`.", "Your prediction"]
        {
            assert!(all.contains(part), "{part}: {all}");
        }
    });
}
