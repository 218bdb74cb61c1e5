//! Stories about the quiz: what happened, what is shown then, what was asked for.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use fencepost::content::question::Question;
use fencepost::quiz::action::{LearnItem, Library};
use fencepost::quiz::attempt::{Attempt, AttemptKind, LastResult};
use fencepost::quiz::availability::{Ability, Reason, unavailable};
use fencepost::quiz::consent::{Blocked, Sandbox};
use fencepost::quiz::describe::{Said, difference};
use fencepost::quiz::grade::{DiffLine, repair_diff};
use fencepost::quiz::run_view::RunView;
use fencepost::quiz::state::{Opened, Outcome, Phase, Program, Programs, RunId};
use fencepost::quiz::time::{Millis, Timestamp};
use fencepost::quiz::{Action, Effect, Motion, Quiz, Sitting, Stage, steps, update};
use fencepost::runner::{Level, Limits, Mode, Stream, Verdict};

use crate::cases::each;
use crate::fixtures::{
    catalog, ended, hostile, late_label, line, name, program_of, quiz, sandbox, shelf, strangers, wrote,
};

/// Gives `actions` to the quiz and returns everything that was asked for.
fn tell(quiz: &mut Quiz, actions: impl IntoIterator<Item = Action>) -> Vec<Effect> {
    actions.into_iter().flat_map(|action| update(quiz, action)).collect()
}

fn open_shelf() -> Quiz {
    let mut quiz = quiz(vec![late_label(), shelf()]);
    assert_eq!(tell(&mut quiz, [Action::Open(name("stale-ticket"))]), []);
    quiz
}

fn answered_shelf() -> Quiz {
    let mut quiz = open_shelf();
    tell(&mut quiz, [Action::Pick(line(8))]);
    quiz
}

#[track_caller]
fn sitting(quiz: &Quiz) -> &Sitting {
    quiz.sitting().expect("a question is open")
}

fn recorded(id: &str, at: i64, kind: AttemptKind) -> Effect {
    Effect::Record(Attempt { question: name(id), at: Timestamp(at), kind })
}

#[test]
fn the_first_pick_is_right() {
    let mut quiz = open_shelf();
    let effects = tell(&mut quiz, [Action::Move(Motion::By(7)), Action::Time(Timestamp(5000)), Action::Pick(line(8))]);
    assert_eq!(effects, [recorded("stale-ticket", 5000, AttemptKind::Picked { line: line(8), right: true, pick: 1 })]);
    assert_eq!(sitting(&quiz).outcome(), Some(Outcome::Found { line: line(8), pick: 1 }));
    assert_eq!(quiz.result(&name("stale-ticket")), Some(LastResult::FoundAtOnce));
}

#[test]
fn wrong_picks_leave_another_try() {
    let mut quiz = open_shelf();
    let effects = tell(&mut quiz, [Action::Pick(line(7)), Action::Pick(line(13))]);
    let wrong = |n, pick| recorded("stale-ticket", 1000, AttemptKind::Picked { line: line(n), right: false, pick });
    assert_eq!(effects, [wrong(7, 1), wrong(13, 2)]);
    assert_eq!(sitting(&quiz).picks(), [line(7), line(13)]);
    assert_eq!(quiz.result(&name("stale-ticket")), Some(LastResult::NotFound));
    // The same line once more shows its feedback and is no new answer.
    assert_eq!(tell(&mut quiz, [Action::Pick(line(7))]), []);
    assert_eq!(sitting(&quiz).picks(), [line(13), line(7)]);
    let effects = tell(&mut quiz, [Action::Pick(line(8))]);
    assert_eq!(effects, [recorded("stale-ticket", 1000, AttemptKind::Picked { line: line(8), right: true, pick: 3 })]);
    assert_eq!(quiz.result(&name("stale-ticket")), Some(LastResult::FoundLater));
    // What is answered is answered.
    assert_eq!(tell(&mut quiz, [Action::Pick(line(1)), Action::GiveUp]), []);
}

#[test]
fn giving_up_shows_the_answer_and_is_kept() {
    let mut quiz = open_shelf();
    assert_eq!(tell(&mut quiz, [Action::GiveUp]), [recorded("stale-ticket", 1000, AttemptKind::GaveUp)]);
    assert_eq!(sitting(&quiz).outcome(), Some(Outcome::GaveUp));
    assert_eq!(sitting(&quiz).cursor(), line(8));
    assert_eq!(quiz.result(&name("stale-ticket")), Some(LastResult::GaveUp));
}

#[test]
fn every_accepted_line_is_right() {
    for accepted in [5, 20] {
        let mut quiz = quiz(vec![late_label()]);
        tell(&mut quiz, [Action::OpenAt(0), Action::Pick(line(accepted))]);
        assert_eq!(sitting(&quiz).outcome(), Some(Outcome::Found { line: line(accepted), pick: 1 }));
    }
}

#[test]
fn lines_outside_the_program_are_no_answers() {
    let mut quiz = open_shelf();
    assert_eq!(tell(&mut quiz, [Action::Pick(line(15)), Action::Point(line(99)), Action::Pick(line(u32::MAX))]), []);
    assert_eq!(sitting(&quiz).cursor(), line(1));
}

#[test]
fn the_cursor_stays_in_the_program() {
    let mut quiz = open_shelf();
    let at = |quiz: &mut Quiz, motion| {
        tell(quiz, [Action::Move(motion)]);
        sitting(quiz).cursor().get()
    };
    assert_eq!(at(&mut quiz, Motion::By(-1)), 1);
    assert_eq!(at(&mut quiz, Motion::Last), 14);
    assert_eq!(at(&mut quiz, Motion::By(isize::MAX)), 14);
    assert_eq!(at(&mut quiz, Motion::By(isize::MIN)), 1);
}

#[test]
fn digits_are_read_as_a_line_number() {
    let mut quiz = open_shelf();
    let typed = |quiz: &mut Quiz, digits: &str| {
        tell(quiz, digits.bytes().map(|byte| Action::Digit(byte - b'0')));
        sitting(quiz).cursor().get()
    };
    assert_eq!(typed(&mut quiz, "1"), 1);
    assert_eq!(typed(&mut quiz, "2"), 12);
    // There is no line 127, so 7 starts a new number.
    assert_eq!(typed(&mut quiz, "7"), 7);
    assert_eq!(typed(&mut quiz, "0"), 7);
    // Any other move ends the number.
    tell(&mut quiz, [Action::Digit(1), Action::Move(Motion::By(1))]);
    assert_eq!(typed(&mut quiz, "3"), 3);
}

#[test]
fn hints_open_one_by_one() {
    let mut quiz = open_shelf();
    assert_eq!(sitting(&quiz).hints(), 0);
    tell(&mut quiz, [Action::Hint, Action::Hint, Action::Hint]);
    assert_eq!(sitting(&quiz).hints(), 1);
}

#[test]
fn stages_that_give_the_answer_away_are_closed_until_it_is_known() {
    let mut quiz = open_shelf();
    assert!(sitting(&quiz).closed(Stage::Learn).is_some_and(|why| why.contains("found or given up")));
    // Actions of a closed stage do nothing.
    tell(&mut quiz, [Action::Go(Stage::Learn), Action::Hint, Action::FollowUp(0)]);
    tell(&mut quiz, [Action::Focus(LearnItem::FollowUp(0))]);
    assert!(sitting(&quiz).opened(0).is_none());
    assert_eq!(sitting(&quiz).focus(), None);
    let effects = tell(&mut quiz, [Action::Go(Stage::Run), Action::Run]);
    assert_eq!(programs(&effects), [Program::Buggy]);
    for open in [Stage::Spot, Stage::Run, Stage::Fix, Stage::Say] {
        assert_eq!(sitting(&quiz).closed(open), None);
    }
    tell(&mut quiz, [Action::Go(Stage::Spot), Action::GiveUp]);
    assert_eq!(sitting(&quiz).closed(Stage::Learn), None);
}

#[test]
fn stages_go_round() {
    let mut quiz = open_shelf();
    let mut seen = Vec::new();
    for _ in 0..6 {
        seen.push(sitting(&quiz).stage());
        tell(&mut quiz, [Action::NextStage]);
    }
    assert_eq!(seen, [Stage::Spot, Stage::Run, Stage::Fix, Stage::Say, Stage::Learn, Stage::Spot]);
    tell(&mut quiz, [Action::PreviousStage, Action::PreviousStage]);
    assert_eq!(sitting(&quiz).stage(), Stage::Learn);
}

fn programs(effects: &[Effect]) -> Vec<Program> {
    let started = effects.iter().filter_map(|effect| match effect {
        Effect::Start { job, .. } => Some(program_of(job)),
        _ => None,
    });
    started.collect()
}

#[test]
fn both_programs_run_once_the_line_is_known() {
    let mut quiz = answered_shelf();
    let effects = tell(&mut quiz, [Action::Go(Stage::Run), Action::Run]);
    let [Effect::Start { run: RunId(1), job }, Effect::Start { run: RunId(2), .. }] = effects.as_slice() else {
        panic!("two runs, not {effects:?}")
    };
    assert_eq!(
        (job.source.as_str(), &job.mode, job.limits),
        (shelf().spot.code.as_str(), &Mode::Run, Limits::default())
    );
    tell(
        &mut quiz,
        [
            wrote(1, Stream::Stdout, "from paused old leader\n"),
            wrote(2, Stream::Stdout, "True False new\n"),
            ended(2, Verdict::Finished, ""),
        ],
    );
    assert!(sitting(&quiz).is_running());
    assert_eq!(difference(sitting(&quiz).run(Program::Buggy), sitting(&quiz).run(Program::Fixed)), None);
    tell(&mut quiz, [ended(1, Verdict::Finished, "")]);
    assert!(!sitting(&quiz).is_running());
    assert_eq!(said(&quiz), "The buggy program prints <from paused old leader>, the fixed program <True False new>.");
}

fn said(quiz: &Quiz) -> String {
    let said = difference(sitting(quiz).run(Program::Buggy), sitting(quiz).run(Program::Fixed));
    let pieces = said.expect("both programs have ended").into_iter().map(|piece| match piece {
        Said::Words(words) => words,
        Said::Output(output) => format!("<{output}>"),
    });
    pieces.collect()
}

#[test]
fn the_sentence_says_what_differs() {
    let after = |actions: Vec<Action>| {
        let mut quiz = answered_shelf();
        tell(&mut quiz, [Action::Go(Stage::Run), Action::Run]);
        tell(&mut quiz, actions);
        said(&quiz)
    };
    let finished = |run| ended(run, Verdict::Finished, "");
    let same = after(vec![wrote(1, Stream::Stdout, "a\n"), wrote(2, Stream::Stdout, "a\n"), finished(1), finished(2)]);
    assert_eq!(same, "Both programs print the same, and end the same way.");
    let later =
        after(vec![wrote(1, Stream::Stdout, "a\nb\n"), wrote(2, Stream::Stdout, "a\n"), finished(1), finished(2)]);
    assert_eq!(later, "In line 2 of the output the buggy program prints <b>, the fixed program nothing.");
    let verdicts = after(vec![ended(1, Verdict::TimedOut, "Stopped after 2 s."), finished(2)]);
    assert_eq!(verdicts, "The buggy program runs out of time, the fixed program comes to its end.");
    let stopped = after(vec![ended(1, Verdict::Stopped, ""), finished(2)]);
    assert_eq!(stopped, "A run was stopped, so there is nothing to compare.");
    // Standard error is no part of the comparison: it holds addresses and times.
    let errors = after(vec![wrote(1, Stream::Stderr, "x\n"), finished(1), finished(2)]);
    assert_eq!(errors, "Both programs print the same, and end the same way.");
    let long = after(vec![wrote(1, Stream::Stdout, &"x".repeat(99)), finished(1), finished(2)]);
    assert_eq!(long, format!("The buggy program prints <{}…>, the fixed program nothing.", "x".repeat(39)));
}

#[test]
fn running_again_stops_and_late_events_are_dropped() {
    let mut quiz = open_shelf();
    tell(&mut quiz, [Action::Go(Stage::Run)]);
    assert_eq!(programs(&tell(&mut quiz, [Action::Run])), [Program::Buggy]);
    assert_eq!(tell(&mut quiz, [Action::Run]), [Effect::Stop(RunId(1))]);
    assert_eq!(tell(&mut quiz, [Action::StopRun]), [Effect::Stop(RunId(1))]);
    tell(&mut quiz, [ended(1, Verdict::Stopped, "")]);
    assert_eq!(tell(&mut quiz, [Action::StopRun]), []);
    tell(&mut quiz, [Action::Run, wrote(1, Stream::Stdout, "late"), ended(1, Verdict::Finished, "")]);
    let run = sitting(&quiz).run(Program::Buggy).unwrap();
    assert_eq!((&run.output[..], run.ending()), (&[][..], None));
}

#[test]
fn leaving_a_question_stops_its_runs_and_keeps_the_rest() {
    let mut quiz = open_shelf();
    tell(&mut quiz, [Action::Pick(line(7)), Action::Go(Stage::Run), Action::Run]);
    assert_eq!(tell(&mut quiz, [Action::Back]), [Effect::Stop(RunId(1))]);
    assert!(quiz.sitting().is_none());
    tell(&mut quiz, [Action::Open(name("stale-ticket"))]);
    assert_eq!((sitting(&quiz).stage(), sitting(&quiz).picks()), (Stage::Run, &[line(7)][..]));
    assert_eq!(tell(&mut quiz, [Action::Back, Action::Back]), [Effect::Stop(RunId(1)), Effect::Quit]);
}

/// A quiz in the stage Run of a question that did not come with the program.
fn stranger() -> Quiz {
    let mut quiz = strangers(vec![late_label(), shelf()]);
    tell(&mut quiz, [Action::Open(name("stale-ticket")), Action::Go(Stage::Run)]);
    quiz
}

const WEAK: [Level; 2] = [Level::LimitsOnly, Level::None];
const CONTAINING: [Level; 2] = [Level::Full, Level::NoLandlock];

#[test]
fn shipped_programs_never_wait_for_the_sandbox() {
    each(
        [None, Some(sandbox(Level::None)), Some(Action::Sandbox(Sandbox::Failed("no template".to_owned())))],
        |known| {
            let mut quiz = open_shelf();
            tell(&mut quiz, known.into_iter().chain([Action::Go(Stage::Run)]));
            assert_eq!(programs(&tell(&mut quiz, [Action::Run])), [Program::Buggy]);
        },
    );
}

#[test]
fn strangers_run_without_a_question_where_they_are_contained() {
    each(CONTAINING, |level| {
        let mut quiz = stranger();
        assert_eq!(tell(&mut quiz, [sandbox(level)]), [], "nobody asked for a run");
        assert_eq!(programs(&tell(&mut quiz, [Action::Run])), [Program::Buggy], "{level}");
    });
}

#[test]
fn strangers_run_only_after_a_yes_where_they_are_not_contained() {
    each(WEAK, |level| {
        let mut quiz = stranger();
        assert_eq!(tell(&mut quiz, [sandbox(level), Action::Run, Action::Run]), [], "{level}");
        assert_eq!(
            (sitting(&quiz).blocked(Stage::Run), sitting(&quiz).is_asking()),
            (Some(Blocked::NeedsConsent), true)
        );
        assert_eq!(programs(&tell(&mut quiz, [Action::Agree])), [Program::Buggy], "{level}");
        assert_eq!((sitting(&quiz).blocked(Stage::Run), sitting(&quiz).is_running()), (None, true));
        // A second yes starts nothing.
        assert_eq!(tell(&mut quiz, [Action::Agree]), []);
        // The yes holds for the pack, in this sitting and in others.
        tell(&mut quiz, [ended(1, Verdict::Finished, "")]);
        assert_eq!(programs(&tell(&mut quiz, [Action::Run])), [Program::Buggy]);
        tell(&mut quiz, [Action::Open(name("late-label")), Action::Go(Stage::Run)]);
        assert_eq!(programs(&tell(&mut quiz, [Action::Run])), [Program::Buggy]);
    });
}

#[test]
fn after_a_no_nothing_runs_and_the_question_comes_again() {
    let mut quiz = stranger();
    assert_eq!(tell(&mut quiz, [sandbox(Level::None), Action::Run, Action::Decline]), []);
    assert_eq!((sitting(&quiz).blocked(Stage::Run), sitting(&quiz).run(Program::Buggy)), (None, None));
    assert_eq!(tell(&mut quiz, [Action::Agree]), [], "a yes without a question");
    assert_eq!(tell(&mut quiz, [Action::Run]), []);
    assert!(sitting(&quiz).is_asking());
}

#[test]
fn a_yes_counts_only_where_the_question_is_in_sight() {
    let mut quiz = stranger();
    tell(&mut quiz, [sandbox(Level::None), Action::Run, Action::NextStage]);
    assert_eq!(tell(&mut quiz, [Action::Agree]), []);
    // Leaving the question takes the wish back.
    tell(&mut quiz, [Action::Go(Stage::Run), Action::Back, Action::Open(name("stale-ticket"))]);
    assert_eq!((sitting(&quiz).blocked(Stage::Run), tell(&mut quiz, [Action::Agree])), (None, vec![]));
}

#[test]
fn a_yes_to_one_pack_is_no_yes_to_another() {
    let mut catalog = catalog(vec![late_label(), shelf()]);
    for (entry, pack) in catalog.questions.iter_mut().zip(["one", "two"]) {
        let entry = Arc::make_mut(entry);
        entry.shipped = false;
        entry.name.pack = pack.to_owned();
    }
    let mut quiz = Quiz::new(Arc::new(catalog), HashMap::new());
    tell(&mut quiz, [sandbox(Level::None), Action::OpenAt(0), Action::Go(Stage::Run), Action::Run]);
    assert_eq!(programs(&tell(&mut quiz, [Action::Agree])), [Program::Buggy]);
    assert_eq!(programs(&tell(&mut quiz, [Action::Back, Action::OpenAt(1), Action::Go(Stage::Run), Action::Run])), []);
    assert!(sitting(&quiz).is_asking());
}

#[test]
fn a_run_waits_for_what_the_sandbox_is() {
    each(CONTAINING, |level| {
        let mut quiz = stranger();
        assert_eq!(tell(&mut quiz, [Action::Run, Action::Agree]), []);
        assert_eq!(sitting(&quiz).blocked(Stage::Run), Some(Blocked::SandboxUnknown));
        assert_eq!(programs(&tell(&mut quiz, [sandbox(level)])), [Program::Buggy], "{level}");
    });
    each(WEAK, |level| {
        let mut quiz = stranger();
        assert_eq!(tell(&mut quiz, [Action::Run, sandbox(level)]), [], "{level}");
        assert!(sitting(&quiz).is_asking());
    });
    // Who stops, starts over or leaves does not wait any more.
    for withdrawn in [Action::StopRun, Action::StartOver, Action::Back] {
        let mut quiz = stranger();
        assert_eq!(tell(&mut quiz, [Action::Run, withdrawn.clone(), sandbox(Level::Full)]), [], "{withdrawn:?}");
    }
}

#[test]
fn trusted_packs_run_whatever_the_sandbox_is() {
    each(
        [None, Some(sandbox(Level::None)), Some(Action::Sandbox(Sandbox::Failed("no template".to_owned())))],
        |known| {
            let mut quiz = stranger().trusting(["shelves".to_owned()]);
            tell(&mut quiz, known);
            assert_eq!(programs(&tell(&mut quiz, [Action::Run])), [Program::Buggy]);
        },
    );
    let mut quiz = stranger().trusting(["another".to_owned()]);
    assert_eq!(tell(&mut quiz, [sandbox(Level::None), Action::Run]), []);
}

#[test]
fn strangers_do_not_run_where_nobody_knows_the_sandbox() {
    let failed = || Action::Sandbox(Sandbox::Failed("the runner does not start: no template".to_owned()));
    for actions in [[Action::Run, failed()], [failed(), Action::Run]] {
        let mut quiz = stranger();
        assert_eq!(tell(&mut quiz, actions), []);
        assert_eq!(sitting(&quiz).blocked(Stage::Run), Some(Blocked::SandboxFailed));
        // There is nothing to agree to.
        assert_eq!(tell(&mut quiz, [Action::Agree, Action::Run]), []);
    }
}

#[test]
fn output_without_end_is_not_kept_without_end() {
    let mut quiz = open_shelf();
    tell(&mut quiz, [Action::Go(Stage::Run), Action::Run]);
    for _ in 0..40 {
        tell(&mut quiz, [wrote(1, Stream::Stdout, &"x".repeat(64 << 10))]);
    }
    let kept: usize = sitting(&quiz).run(Program::Buggy).unwrap().output.iter().map(|chunk| chunk.text.len()).sum();
    assert!(kept <= 1 << 20);
}

#[test]
fn the_countdown_rings_once_and_leads_to_the_checklist() {
    let mut quiz = open_shelf();
    tell(&mut quiz, [Action::Go(Stage::Say)]);
    assert_eq!((quiz.left(sitting(&quiz)), quiz.wake()), (Millis(35_000), None));
    tell(&mut quiz, [Action::Timer]);
    assert_eq!(quiz.wake(), Some(Timestamp(2000)));
    tell(&mut quiz, [Action::Time(Timestamp(2000))]);
    assert_eq!((quiz.left(sitting(&quiz)).seconds_up(), quiz.wake()), (34, Some(Timestamp(3000))));
    // A late wake does not shift those after it.
    tell(&mut quiz, [Action::Time(Timestamp(3700))]);
    assert_eq!((quiz.left(sitting(&quiz)).seconds_up(), quiz.wake()), (33, Some(Timestamp(4000))));
    assert_eq!(tell(&mut quiz, [Action::Time(Timestamp(36_000))]), [Effect::Bell]);
    assert_eq!(sitting(&quiz).say().phase(), Phase::Checklist { left: Millis(0) });
    assert_eq!((tell(&mut quiz, [Action::Time(Timestamp(99_000))]), quiz.wake()), (vec![], None));
}

#[test]
fn the_countdown_pauses_and_is_reset() {
    let mut quiz = open_shelf();
    tell(&mut quiz, [Action::Go(Stage::Say), Action::Timer, Action::Time(Timestamp(11_000)), Action::Timer]);
    assert_eq!(sitting(&quiz).say().phase(), Phase::Paused { left: Millis(25_000) });
    tell(&mut quiz, [Action::Time(Timestamp(500_000)), Action::Timer]);
    assert_eq!(sitting(&quiz).say().phase(), Phase::Speaking { until: Timestamp(525_000) });
    // A clock that goes back changes nothing.
    tell(&mut quiz, [Action::Time(Timestamp(0))]);
    assert_eq!(quiz.left(sitting(&quiz)), Millis(25_000));
    // A stage that is not seen does not count down.
    tell(&mut quiz, [Action::NextStage]);
    assert_eq!(sitting(&quiz).say().phase(), Phase::Paused { left: Millis(25_000) });
    tell(&mut quiz, [Action::PreviousStage, Action::ResetTimer]);
    assert_eq!((sitting(&quiz).say().phase(), quiz.left(sitting(&quiz))), (Phase::Ready, Millis(35_000)));
}

#[test]
fn the_checklist_is_kept() {
    let mut quiz = open_shelf();
    tell(&mut quiz, [Action::Go(Stage::Say), Action::Timer, Action::Time(Timestamp(3000)), Action::EndCountdown]);
    assert_eq!(sitting(&quiz).say().phase(), Phase::Checklist { left: Millis(33_000) });
    tell(
        &mut quiz,
        [Action::Tick(0), Action::Tick(1), Action::Tick(3), Action::Tick(1), Action::Tick(1), Action::Tick(9)],
    );
    assert_eq!(sitting(&quiz).say().covered(), [true, true, false, true]);
    let effects = tell(&mut quiz, [Action::FinishChecklist, Action::FinishChecklist]);
    assert_eq!(effects, [recorded("stale-ticket", 3000, AttemptKind::Said { covered: 3, of: 4 })]);
    assert_eq!(sitting(&quiz).say().phase(), Phase::Done);
    // A said answer is not a found line.
    assert_eq!(quiz.result(&name("stale-ticket")), None);
}

#[test]
fn follow_up_hints_open_one_by_one_or_by_choice() {
    let mut quiz = answered_shelf();
    tell(&mut quiz, [Action::Go(Stage::Learn), Action::FollowUp(1)]);
    let open = |quiz: &Quiz| [0, 1].map(|index| sitting(quiz).opened(index).is_some());
    assert_eq!(open(&quiz), [false, true]);
    tell(&mut quiz, [Action::Hint]);
    assert_eq!((open(&quiz), sitting(&quiz).focus()), ([true, true], Some(LearnItem::FollowUp(0))));
    tell(&mut quiz, [Action::FollowUp(1), Action::FollowUp(7), Action::Focus(LearnItem::Related(1))]);
    assert_eq!((open(&quiz), sitting(&quiz).focus()), ([true, false], Some(LearnItem::FollowUp(1))));
}

#[test]
fn an_answer_opens_after_its_hint_and_both_close_together() {
    let mut quiz = answered_shelf();
    tell(&mut quiz, [Action::Go(Stage::Learn)]);
    let states = [Some(Opened::Hint), Some(Opened::Answer), None].map(|state| {
        tell(&mut quiz, [Action::FollowUp(0)]);
        (sitting(&quiz).opened(0), state)
    });
    each(states, |(seen, wanted)| assert_eq!(seen, wanted));
    // `h` opens hints only, so that no answer is read by accident.
    tell(&mut quiz, [Action::Hint, Action::Hint, Action::Hint]);
    assert_eq!([0, 1].map(|index| sitting(&quiz).opened(index)), [Some(Opened::Hint); 2]);
}

#[test]
fn related_questions_lead_there_and_back() {
    let mut quiz = answered_shelf();
    let related: Vec<_> = quiz.related(sitting(&quiz).entry()).map(|entry| entry.name.clone()).collect();
    assert_eq!(related, [name("late-label")], "only what the library has");
    tell(&mut quiz, [Action::Open(name("late-label"))]);
    assert_eq!((sitting(&quiz).entry().name.clone(), quiz.came_from_question()), (name("late-label"), true));
    tell(&mut quiz, [Action::Back]);
    assert_eq!(sitting(&quiz).entry().name, name("stale-ticket"));
    // Going in circles does not make the way back longer.
    tell(&mut quiz, ["late-label", "stale-ticket", "late-label", "stale-ticket"].map(|id| Action::Open(name(id))));
    assert_eq!(tell(&mut quiz, [Action::Back, Action::Back]), [Effect::Quit]);
}

#[test]
fn starting_over_forgets_the_sitting_and_not_the_result() {
    let mut quiz = answered_shelf();
    tell(&mut quiz, [Action::StartOver]);
    assert_eq!((sitting(&quiz).outcome(), sitting(&quiz).picks()), (None, &[][..]));
    assert_eq!(quiz.result(&name("stale-ticket")), Some(LastResult::FoundAtOnce));
}

#[test]
fn a_failure_to_save_is_shown_until_it_is_mended() {
    let mut quiz = open_shelf();
    tell(&mut quiz, [Action::SaveFailed("Not saved: disk full.".to_owned())]);
    assert_eq!(quiz.unsaved(), Some("Not saved: disk full."));
    // What could not be read is still not there once everything is saved again.
    let unread = ["The progress file was damaged.", "No more questions: no folder."];
    tell(&mut quiz, [Action::RememberFailed(unread[0].to_owned()), Action::LoadFailed(unread[1].to_owned())]);
    tell(&mut quiz, [Action::Saved]);
    assert_eq!((quiz.unsaved(), quiz.unread()), (None, &unread.map(str::to_owned)[..]));
}

#[test]
fn an_empty_library_is_no_trouble() {
    let mut quiz = quiz(Vec::new());
    let actions = [Action::Move(Motion::By(1)), Action::Move(Motion::Last), Action::Select(3), Action::OpenAt(0)];
    assert_eq!(tell(&mut quiz, actions), []);
    assert_eq!((quiz.selected(), tell(&mut quiz, [Action::Back])), (0, vec![Effect::Quit]));
}

#[test]
fn the_repair_is_a_diff_of_the_program() {
    let drawn = |question| {
        let lines = repair_diff(&question).into_iter().filter_map(|line| match line {
            DiffLine::Kept { .. } => None,
            DiffLine::Removed { line, text } => Some(format!("-{line} {text}")),
            DiffLine::Added { text } => Some(format!("+ {text}")),
        });
        lines.collect::<Vec<_>>()
    };
    assert_eq!(
        drawn(shelf()),
        ["-8         self.label = label", "+         if ticket >= self.newest:", "+             self.label = label"]
    );
    assert_eq!(drawn(late_label()), ["-5 step_5()", "+ step_5()"]);
    assert_eq!(drawn(hostile()).len(), 2);
}

#[test]
fn no_order_of_actions_panics() {
    let mut seed = 7_u64;
    let mut random = move |below: u64| {
        // xorshift64 (Marsaglia, 2003)
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    let mut quiz = strangers(vec![late_label(), shelf(), hostile()]);
    for _ in 0..20_000 {
        let n = random(30);
        let action = match random(30) {
            0 => Action::Time(Timestamp(i64::try_from(n).unwrap() * 10_000)),
            1 => Action::OpenAt(usize::try_from(n % 4).unwrap()),
            2 => Action::Back,
            3 => Action::NextStage,
            4 => Action::PreviousStage,
            5 => Action::Move(Motion::By(n as isize - 15)),
            6 => Action::Move(Motion::Last),
            7 => Action::Point(line(u32::try_from(n + 1).unwrap())),
            8 => Action::Digit((n % 12) as u8),
            9 => Action::Pick(line(u32::try_from(n + 1).unwrap())),
            10 => Action::Hint,
            11 => Action::GiveUp,
            12 => Action::StartOver,
            13 => Action::Run,
            14 => Action::StopRun,
            15 => wrote(n, Stream::Stdout, "x"),
            16 => ended(n, Verdict::Finished, ""),
            17 => Action::Timer,
            18 => Action::ResetTimer,
            19 => Action::EndCountdown,
            20 => Action::Tick(n as usize),
            21 => Action::FinishChecklist,
            22 => Action::Focus(LearnItem::Related(n as usize)),
            23 => Action::FollowUp(n as usize),
            24 => Action::Select(n as usize),
            25 => Action::Agree,
            26 => Action::Decline,
            27 => sandbox([Level::Full, Level::LimitsOnly][(n % 2) as usize]),
            28 => Action::Sandbox(Sandbox::Failed("no".to_owned())),
            _ => Action::Go(Stage::ALL[(n % 5) as usize]),
        };
        update(&mut quiz, action);
        if let Some(sitting) = quiz.sitting() {
            assert!(sitting.cursor().index() < sitting.question().line_count());
        }
    }
}

/// A library of these questions that comes later.
fn later(questions: Vec<Question>) -> Action {
    Action::Loaded(Library(Arc::new(catalog(questions))))
}

fn marked(quiz: &Quiz) -> String {
    quiz.catalog().questions[quiz.selected()].name.id.clone()
}

#[test]
fn more_questions_do_not_move_the_mark_to_another_one() {
    let mut quiz = quiz(vec![late_label(), shelf()]).while_loading();
    assert!(quiz.is_loading());
    tell(&mut quiz, [Action::Select(1)]);
    assert_eq!(marked(&quiz), "stale-ticket");
    tell(&mut quiz, [later(vec![hostile(), late_label(), shelf()])]);
    assert_eq!((quiz.is_loading(), quiz.selected(), marked(&quiz)), (false, 2, "stale-ticket".to_owned()));
    // Where the marked question is gone, the mark stays inside the library, even in one that is empty.
    tell(&mut quiz, [later(vec![hostile(), late_label()])]);
    assert_eq!(marked(&quiz), "late-label");
    tell(&mut quiz, [later(Vec::new())]);
    assert_eq!((quiz.selected(), tell(&mut quiz, [Action::OpenAt(0)])), (0, vec![]));
}

#[test]
fn an_open_question_goes_on_while_more_come() {
    let mut quiz = quiz(vec![shelf()]).while_loading();
    tell(&mut quiz, [Action::OpenAt(0), Action::Pick(line(7))]);
    tell(&mut quiz, [later(vec![hostile(), late_label(), shelf()])]);
    assert_eq!(sitting(&quiz).picks(), [line(7)]);
    let related: Vec<_> = quiz.related(sitting(&quiz).entry()).map(|entry| entry.name.clone()).collect();
    assert_eq!(related, [name("late-label")], "what came later counts");
    tell(&mut quiz, [Action::Back]);
    assert_eq!(marked(&quiz), "stale-ticket");
}

#[test]
fn folders_that_cannot_be_read_are_told_and_the_rest_stays() {
    let mut quiz = quiz(vec![shelf()]).while_loading();
    tell(&mut quiz, [Action::LoadFailed("No more questions: no folder.".to_owned())]);
    assert!(!quiz.is_loading());
    assert_eq!(quiz.unread(), ["No more questions: no folder."]);
    assert_eq!(quiz.catalog().questions.len(), 1);
}

#[test]
fn an_action_is_newer_than_remembered_progress() {
    let mut quiz = quiz(vec![late_label(), shelf()]);
    tell(&mut quiz, [Action::Open(name("stale-ticket")), Action::Pick(line(8))]);
    let earlier = [(name("stale-ticket"), LastResult::GaveUp), (name("late-label"), LastResult::NotFound)];
    tell(&mut quiz, [Action::Remembered(HashMap::from(earlier))]);
    assert_eq!(quiz.result(&name("stale-ticket")), Some(LastResult::FoundAtOnce));
    assert_eq!(quiz.result(&name("late-label")), Some(LastResult::NotFound));
}

/// The shelf with another hint, one line less, and other points.
fn rewritten_shelf() -> Question {
    let mut question = shelf();
    question.spot.hints = vec!["Another hint.".to_owned()];
    question.spot.code = question.spot.code.replace("print(shelf.label)\n", "");
    question.say.points.truncate(2);
    question.follow_ups.truncate(1);
    question
}

#[test]
fn an_open_question_that_was_rewritten_goes_on_where_it_was() {
    let mut quiz = open_shelf();
    tell(&mut quiz, [Action::Move(Motion::By(4)), Action::Hint, later(vec![rewritten_shelf()])]);
    assert_eq!((sitting(&quiz).cursor(), sitting(&quiz).hints()), (line(5), 1));
    assert_eq!(sitting(&quiz).question().spot.hints, ["Another hint."]);
    // The last line is gone, and the cursor with it.
    tell(&mut quiz, [later(vec![shelf()]), Action::Move(Motion::Last)]);
    assert_eq!(sitting(&quiz).cursor(), line(14));
    tell(&mut quiz, [later(vec![rewritten_shelf()])]);
    assert_eq!(sitting(&quiz).cursor(), line(13));
}

#[test]
fn an_answered_question_stays_open_when_it_is_rewritten() {
    let mut quiz = answered_shelf();
    tell(&mut quiz, [Action::Go(Stage::Learn), Action::FollowUp(1)]);
    assert!(sitting(&quiz).opened(1).is_some());
    let mut question = rewritten_shelf();
    question.spot.answers[0].line = line(7);
    tell(&mut quiz, [later(vec![question])]);
    let sitting = sitting(&quiz);
    assert_eq!((sitting.stage(), sitting.outcome()), (Stage::Learn, Some(Outcome::Found { line: line(7), pick: 1 })));
    assert!(sitting.opened(1).is_none() && sitting.focus().is_none());
    assert_eq!(sitting.say().covered().len(), 2);
}

#[test]
fn a_wrong_pick_that_became_the_answer_can_be_picked() {
    let mut quiz = open_shelf();
    tell(&mut quiz, [Action::Pick(line(13)), Action::Pick(line(7))]);
    let mut question = shelf();
    question.spot.answers[0].line = line(7);
    tell(&mut quiz, [later(vec![question])]);
    assert_eq!(sitting(&quiz).picks(), [line(13)]);
    let effects = tell(&mut quiz, [Action::Pick(line(7))]);
    assert_eq!(effects, [recorded("stale-ticket", 1000, AttemptKind::Picked { line: line(7), right: true, pick: 2 })]);
    assert_eq!(sitting(&quiz).outcome(), Some(Outcome::Found { line: line(7), pick: 2 }));
}

#[test]
fn answers_to_an_older_text_are_taken_back_within_the_new_one() {
    let mut quiz = open_shelf();
    // The last line and then the answer; afterwards the last line is gone, and the answer is another one.
    tell(&mut quiz, [Action::Pick(line(14)), Action::Pick(line(7)), Action::Pick(line(8))]);
    let mut question = rewritten_shelf();
    question.spot.answers[0].line = line(7);
    tell(&mut quiz, [later(vec![question])]);
    assert_eq!(sitting(&quiz).picks(), [line(7)]);
    tell(&mut quiz, [Action::Undo]);
    let now = sitting(&quiz);
    assert_eq!((now.outcome(), now.picks(), now.cursor(), now.can_undo()), (None, &[][..], line(7), false));
}

#[test]
fn a_program_that_was_rewritten_stops_and_one_that_was_not_goes_on() {
    let mut quiz = open_shelf();
    tell(&mut quiz, [Action::Go(Stage::Run), Action::Run]);
    let mut question = shelf();
    question.title = "Another title".to_owned();
    assert_eq!(tell(&mut quiz, [later(vec![question])]), []);
    tell(&mut quiz, [wrote(1, Stream::Stdout, "still here")]);
    assert_eq!(sitting(&quiz).run(Program::Buggy).unwrap().text(Stream::Stdout), "still here");
    assert_eq!(tell(&mut quiz, [later(vec![rewritten_shelf()])]), [Effect::Stop(RunId(1))]);
    assert!(sitting(&quiz).run(Program::Buggy).is_none());
}

#[test]
fn a_preview_opens_its_question_as_soon_as_there_is_one() {
    let mut quiz = Quiz::new(Arc::new(catalog(Vec::new())), HashMap::new()).previewing();
    assert!(quiz.sitting().is_none());
    tell(&mut quiz, [later(vec![shelf()])]);
    assert_eq!(sitting(&quiz).entry().name.id, "stale-ticket");
    // Who has gone back to the library stays there.
    tell(&mut quiz, [Action::Back, later(vec![rewritten_shelf()])]);
    assert!(quiz.sitting().is_none());
}

#[test]
fn actions_that_are_unavailable_change_nothing() {
    let abilities = [
        (Ability::Hint, Action::Hint),
        (Ability::GiveUp, Action::GiveUp),
        (Ability::Undo, Action::Undo),
        (Ability::Repair, Action::RunChecks),
        (Ability::Reset, Action::ResetDraft),
        (Ability::BringBack, Action::BringBack),
        (Ability::EndCountdown, Action::EndCountdown),
        (Ability::FinishChecklist, Action::FinishChecklist),
        (Ability::Next, Action::Steps(steps::Act::Step(Motion::By(1)))),
        (Ability::Show(Programs::One(Program::Fixed)), Action::Steps(steps::Act::Turn)),
        (Ability::Decide, Action::Agree),
    ];
    let places = Stage::ALL.map(|stage| vec![Action::Go(stage)]);
    let more = [
        vec![],
        vec![Action::Hint],
        vec![Action::GiveUp],
        vec![Action::Go(Stage::Say), Action::EndCountdown],
        vec![Action::Go(Stage::Say), Action::EndCountdown, Action::FinishChecklist],
        vec![Action::GiveUp, Action::Go(Stage::Learn), Action::FollowUp(0), Action::FollowUp(1)],
        vec![Action::Go(Stage::Run), Action::Show(RunView::Timeline)],
    ];
    let mut refused = BTreeSet::new();
    each(places.into_iter().chain(more), |actions| {
        let mut quiz = open_shelf();
        tell(&mut quiz, actions.clone());
        // A hint that was just opened is no longer new after any action.
        tell(&mut quiz, [Action::Digit(0)]);
        for (ability, action) in &abilities {
            let Some(reason) = unavailable(&quiz, *ability) else { continue };
            refused.insert(format!("{reason:?}"));
            // The last hint can be asked for again.
            if reason == Reason::HintsOpen {
                continue;
            }
            let before = format!("{quiz:?}");
            assert_eq!(tell(&mut quiz, [action.clone()]), [], "{ability:?} after {actions:?}");
            assert!(format!("{quiz:?}") == before, "{ability:?} after {actions:?}");
        }
    });
    for reason in ["HintsOpen", "HintsOfFollowUps", "NoRows", "NoChecklist", "ChecklistDone", "Unchanged"] {
        assert!(refused.contains(reason), "{reason} never came up: {refused:?}");
    }
}
