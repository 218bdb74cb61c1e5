//! Stories about the learner's own repair, and about taking answers back.

use std::collections::{BTreeSet, HashMap};

use fencepost::content::question::LineNo;
use fencepost::quiz::attempt::{Attempt, AttemptKind, LastResult};
use fencepost::quiz::consent::Blocked;
use fencepost::quiz::diff::moves;
use fencepost::quiz::grade::repair_diff;
use fencepost::quiz::repair::{Draft, Earlier, Keeping, KeptDraft, LONGEST, Note, Repair, RepairState, Repairs};
use fencepost::quiz::state::{Outcome, Phase, Program, Programs, RunId};
use fencepost::quiz::steps;
use fencepost::quiz::time::Timestamp;
use fencepost::quiz::{Action, Effect, Quiz, Sitting, Stage, timeline, update};
use fencepost::runner::{CheckOutcome, Level, Mode, Stream, Verdict};

use crate::cases::each;
use crate::fixtures::{
    BUGGY_CLERK, BUGGY_STEPS, FIXED_CLERK, FIXED_STEPS, checked, ended, late_label, line, lived, name, paused_clerk,
    quiz, sandbox, shelf, stepped, strangers, wrote,
};

fn tell(quiz: &mut Quiz, actions: impl IntoIterator<Item = Action>) -> Vec<Effect> {
    actions.into_iter().flat_map(|action| update(quiz, action)).collect()
}

/// A quiz in the stage Fix.
fn fixing() -> Quiz {
    let mut quiz = quiz(vec![late_label(), shelf()]);
    tell(&mut quiz, [Action::Open(name("stale-ticket")), Action::Go(Stage::Fix)]);
    quiz
}

#[track_caller]
fn repair(quiz: &Quiz) -> &Repair {
    quiz.sitting().expect("a question is open").repair()
}

fn standing(quiz: &Quiz) -> RepairState {
    repair(quiz).state(&shelf())
}

fn kept(text: &str, keeping: Keeping) -> Effect {
    let base = shelf().spot.code;
    let (question, text) = (name("stale-ticket"), text.to_owned());
    Effect::KeepDraft(KeptDraft { question, at: Timestamp(1000), base, text, keeping })
}

fn edit(text: &str) -> Action {
    Action::Edit(text.to_owned())
}

const NAME: &str = "an old ticket changes nothing";

/// A run whose only check went so, to its end.
fn went(run: u64, result: CheckOutcome) -> [Action; 2] {
    [checked(run, NAME, result, ""), ended(run, Verdict::Finished, "ran to its end")]
}

fn repaired(passed: bool) -> Effect {
    let kind = AttemptKind::Repaired { passed, held: u32::from(passed), of: 1 };
    Effect::Record(Attempt { question: name("stale-ticket"), at: Timestamp(1000), kind })
}

#[test]
fn every_change_is_kept_and_the_first_begins_an_entry() {
    let mut quiz = fixing();
    assert!(!repair(&quiz).is_changed(&shelf()));
    assert_eq!(
        tell(&mut quiz, [edit("a\n"), edit("ab\n"), edit("ab\n")]),
        [kept("a\n", Keeping::NewRow), kept("ab\n", Keeping::SameRow)]
    );
    assert!(repair(&quiz).is_changed(&shelf()));
    // In another stage there is no text to change.
    assert_eq!(tell(&mut quiz, [Action::Go(Stage::Run), edit("x\n"), Action::RunChecks, Action::EditOutside]), []);
    assert_eq!(repair(&quiz).text(), "ab\n");
}

#[test]
fn a_text_is_made_a_program() {
    let mut quiz = fixing();
    assert_eq!(tell(&mut quiz, [edit("a\r\n\tb\u{1b}[2J\u{0}\rc")]), [kept("a\n\tb[2J\nc\n", Keeping::NewRow)]);
    // What is too long changes nothing.
    assert_eq!(tell(&mut quiz, [edit(&"x".repeat(LONGEST))]), []);
}

#[test]
fn the_checks_run_on_the_text_and_a_pass_is_kept() {
    let mut quiz = fixing();
    tell(&mut quiz, [edit("mine = 1\n")]);
    let effects = tell(&mut quiz, [Action::RunChecks]);
    let [Effect::Start { run: RunId(1), job }] = effects.as_slice() else { panic!("one run, not {effects:?}") };
    let Mode::Grade { checks, .. } = &job.mode else { panic!("no checks: {:?}", job.mode) };
    assert_eq!((job.source.as_str(), checks.len(), checks[0].name.as_str()), ("mine = 1\n", 1, NAME));
    assert_eq!(standing(&quiz), RepairState::Running);
    // Asking again changes nothing while the same text is being checked.
    assert_eq!(tell(&mut quiz, [Action::RunChecks]), []);
    assert_eq!(tell(&mut quiz, [wrote(1, Stream::Stdout, "hi\n")]), []);
    assert_eq!(tell(&mut quiz, went(1, CheckOutcome::Passed)), [repaired(true)]);
    assert_eq!((standing(&quiz), repair(&quiz).passes(&shelf())), (RepairState::Passed, true));
    assert!(quiz.is_repaired(&name("stale-ticket")));
    assert_eq!(repair(&quiz).checked().unwrap().recording().output[0].text, "hi\n");
    // A pass holds for the text that was checked.
    tell(&mut quiz, [edit("mine = 2\n")]);
    assert!(repair(&quiz).is_stale() && !repair(&quiz).passes(&shelf()));
    // It is no answer, and opens nothing.
    assert_eq!(quiz.result(&name("stale-ticket")), None);
    assert!(!quiz.sitting().unwrap().is_answered());
}

#[test]
fn nothing_but_a_finished_program_with_every_check_passed_is_a_pass() {
    each([CheckOutcome::Failed, CheckOutcome::Error, CheckOutcome::TimedOut], |result| {
        let mut quiz = fixing();
        tell(&mut quiz, [Action::RunChecks]);
        assert_eq!(tell(&mut quiz, went(1, result)), [repaired(false)]);
        assert_eq!(standing(&quiz), RepairState::Failed { failed: 1, of: 1 });
    });
    each(
        [Verdict::Raised, Verdict::TimedOut, Verdict::OutputTooLong, Verdict::Crashed, Verdict::OutOfMemory],
        |verdict| {
            let mut quiz = fixing();
            tell(&mut quiz, [Action::RunChecks, checked(1, NAME, CheckOutcome::Passed, "")]);
            let kind = AttemptKind::Repaired { passed: false, held: 1, of: 1 };
            let kept = Effect::Record(Attempt { question: name("stale-ticket"), at: Timestamp(1000), kind });
            assert_eq!(tell(&mut quiz, [ended(1, verdict, "")]), [kept]);
            assert_eq!(standing(&quiz), RepairState::Ended(verdict));
        },
    );
    // A run that forgot a check.
    let mut quiz = fixing();
    assert_eq!(tell(&mut quiz, [Action::RunChecks, ended(1, Verdict::Finished, "")]).last(), Some(&repaired(false)));
    // More results than checks are no checks of ours.
    let mut quiz = fixing();
    tell(&mut quiz, [Action::RunChecks]);
    tell(&mut quiz, [CheckOutcome::Failed, CheckOutcome::Passed].map(|result| checked(1, NAME, result, "")));
    assert_eq!(repair(&quiz).checked().unwrap().results().len(), 1);
}

#[test]
fn a_check_that_was_not_decided_is_not_kept() {
    each([Verdict::Stopped, Verdict::MachineryFailed, Verdict::Refused], |verdict| {
        let mut quiz = fixing();
        tell(&mut quiz, [Action::RunChecks]);
        assert_eq!(tell(&mut quiz, [ended(1, verdict, "")]), []);
        assert_eq!(standing(&quiz), RepairState::Ended(verdict));
    });
}

#[test]
fn checks_stop_when_they_are_told_to_or_the_question_is_left() {
    let mut quiz = fixing();
    tell(&mut quiz, [Action::RunChecks]);
    assert_eq!(tell(&mut quiz, [Action::StopRun]), [Effect::Stop(RunId(1))]);
    tell(&mut quiz, [ended(1, Verdict::Stopped, ""), Action::RunChecks]);
    assert_eq!(tell(&mut quiz, [Action::Back]), [Effect::Stop(RunId(2))]);
    // A changed text is checked instead of the one that runs.
    let mut quiz = fixing();
    tell(&mut quiz, [Action::RunChecks, edit("x = 1\n")]);
    let effects = tell(&mut quiz, [Action::RunChecks]);
    let [Effect::Stop(RunId(1)), Effect::Start { run: RunId(2), job }] = effects.as_slice() else {
        panic!("a stop and a run, not {effects:?}")
    };
    assert_eq!(job.source, "x = 1\n");
    // What the first one still says is not taken for the second.
    tell(&mut quiz, [checked(1, NAME, CheckOutcome::Passed, ""), ended(1, Verdict::Stopped, "")]);
    assert_eq!((standing(&quiz), repair(&quiz).checked().unwrap().results()), (RepairState::Running, &[][..]));
}

#[test]
fn checks_leave_the_programs_of_the_stage_run_alone() {
    let mut quiz = fixing();
    tell(&mut quiz, [Action::Go(Stage::Run), Action::Run, Action::Go(Stage::Fix), Action::RunChecks]);
    tell(&mut quiz, [wrote(1, Stream::Stdout, "buggy\n"), wrote(2, Stream::Stdout, "mine\n")]);
    tell(&mut quiz, [ended(2, Verdict::Finished, "")]);
    let sitting = quiz.sitting().unwrap();
    assert_eq!(sitting.run(Program::Buggy).unwrap().output[0].text, "buggy\n");
    assert!(sitting.is_running() && !sitting.repair().is_running());
}

#[test]
fn a_reset_asks_and_the_text_can_be_brought_back() {
    let mut quiz = fixing();
    // There is nothing to reset.
    assert_eq!(tell(&mut quiz, [Action::ResetDraft, Action::ConfirmReset]), []);
    tell(&mut quiz, [edit("mine\n"), Action::ResetDraft]);
    assert!(repair(&quiz).asks_reset());
    tell(&mut quiz, [Action::KeepText]);
    assert_eq!(tell(&mut quiz, [Action::ConfirmReset, Action::BringBack]), [], "a yes without a question");
    // A question that is out of sight is not answered by chance.
    tell(&mut quiz, [Action::ResetDraft, Action::NextStage, Action::PreviousStage]);
    assert_eq!(tell(&mut quiz, [Action::ConfirmReset]), []);
    assert_eq!(repair(&quiz).text(), "mine\n");
    let buggy = shelf().spot.code;
    assert_eq!(tell(&mut quiz, [Action::ResetDraft, Action::ConfirmReset]), [kept(&buggy, Keeping::NewRow)]);
    assert_eq!((repair(&quiz).text(), repair(&quiz).has_earlier()), (buggy.as_str(), true));
    assert_eq!(tell(&mut quiz, [Action::BringBack]), [kept("mine\n", Keeping::NewRow)]);
    assert_eq!(tell(&mut quiz, [edit("mine, too\n")]), [kept("mine, too\n", Keeping::SameRow)]);
}

#[test]
fn every_text_that_a_reset_replaced_can_be_brought_back() {
    let mut quiz = fixing();
    for text in ["one\n", "two\n"] {
        tell(&mut quiz, [edit(text), Action::RunChecks, Action::ResetDraft, Action::ConfirmReset]);
        assert_eq!(repair(&quiz).checked(), None, "what was found is about another text");
    }
    let mut seen = Vec::new();
    for _ in 0..4 {
        tell(&mut quiz, [Action::BringBack]);
        seen.push(repair(&quiz).text().to_owned());
    }
    assert_eq!(seen[..2], ["two\n", "one\n"]);
    assert_eq!(seen[3], "two\n", "and round again");
}

#[test]
fn starting_over_keeps_the_repair() {
    let mut quiz = fixing();
    tell(&mut quiz, [edit("mine\n"), Action::Go(Stage::Spot), Action::GiveUp, Action::StartOver]);
    assert_eq!(repair(&quiz).text(), "mine\n");
}

fn earlier(text: &str, base: &str, earlier: Option<&str>) -> Action {
    let earlier = earlier.map(|text| Earlier { text: text.to_owned(), base: base.to_owned() });
    let draft = Draft { text: text.to_owned(), base: base.to_owned(), earlier };
    let drafts = HashMap::from([(name("stale-ticket"), draft)]);
    Action::Repairs(Repairs { drafts, passed: BTreeSet::from([name("late-label")]) })
}

#[test]
fn an_earlier_text_goes_on_whenever_it_arrives() {
    let base = shelf().spot.code;
    for open_first in [true, false] {
        let mut quiz = quiz(vec![late_label(), shelf()]).while_remembering();
        let mut actions = [Action::Open(name("stale-ticket")), earlier("mine\n", &base, Some("older\n"))];
        if !open_first {
            actions.reverse();
        }
        tell(&mut quiz, actions);
        tell(&mut quiz, [Action::Go(Stage::Fix)]);
        assert_eq!((repair(&quiz).text(), repair(&quiz).is_of_another_version(&shelf())), ("mine\n", false));
        assert!(quiz.is_repaired(&name("late-label")));
        // What this quiz keeps begins an entry of its own.
        assert_eq!(tell(&mut quiz, [edit("mine, too\n")]), [kept("mine, too\n", Keeping::NewRow)]);
        assert_eq!(tell(&mut quiz, [Action::BringBack]), [kept("older\n", Keeping::NewRow)]);
    }
}

#[test]
fn nothing_is_edited_before_earlier_texts_are_known() {
    let mut quiz = quiz(vec![shelf()]).while_remembering();
    tell(&mut quiz, [Action::OpenAt(0), Action::Go(Stage::Fix)]);
    assert_eq!(tell(&mut quiz, [edit("x\n"), Action::RunChecks, Action::EditOutside, Action::ResetDraft]), []);
    tell(&mut quiz, [Action::Repairs(Repairs::default())]);
    assert_eq!(tell(&mut quiz, [edit("x\n")]), [kept("x\n", Keeping::NewRow)]);
}

#[test]
fn a_text_outlives_a_new_version_of_its_question() {
    let mut quiz = quiz(vec![shelf()]);
    tell(&mut quiz, [earlier("mine\n", "the program as it was\n", None), Action::OpenAt(0), Action::Go(Stage::Fix)]);
    assert_eq!((repair(&quiz).text(), repair(&quiz).is_of_another_version(&shelf())), ("mine\n", true));
    // The text still comes from the old program.
    let effects = tell(&mut quiz, [edit("mine, too\n")]);
    let [Effect::KeepDraft(draft)] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!(draft.base, "the program as it was\n");
    assert_eq!(
        tell(&mut quiz, [Action::ResetDraft, Action::ConfirmReset]),
        [kept(&shelf().spot.code, Keeping::NewRow)]
    );
    assert!(!repair(&quiz).is_of_another_version(&shelf()));
    // Brought back, it comes from the old program as before; another swap leads to the new one.
    let effects = tell(&mut quiz, [Action::BringBack]);
    let [Effect::KeepDraft(draft)] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!((draft.text.as_str(), draft.base.as_str()), ("mine, too\n", "the program as it was\n"));
    assert!(repair(&quiz).is_of_another_version(&shelf()));
    assert_eq!(tell(&mut quiz, [Action::BringBack]), [kept(&shelf().spot.code, Keeping::NewRow)]);
}

#[test]
fn the_text_goes_to_another_editor_and_is_checked_when_it_comes_back() {
    let mut quiz = fixing();
    tell(&mut quiz, [edit("mine\n")]);
    let (question, path) = (name("stale-ticket"), "drafts/x.py".to_owned());
    let text = "mine\n".to_owned();
    let effects = tell(&mut quiz, [Action::EditOutside]);
    assert_eq!(effects, [Effect::OpenEditor { question: question.clone(), text: text.clone() }]);
    let back = |text: &str| Action::Edited {
        question: question.clone(),
        text: text.to_owned(),
        path: path.clone(),
        aside: None,
    };
    let effects = tell(&mut quiz, [back("theirs")]);
    assert_eq!(effects[0], kept("theirs\n", Keeping::SameRow));
    assert!(matches!(&effects[1], Effect::Start { job, .. } if job.source == "theirs\n"), "{effects:?}");
    assert_eq!(repair(&quiz).note(), Some(&Note::Edited { path: path.clone(), changed: true, aside: None }));
    tell(&mut quiz, [ended(1, Verdict::Finished, "")]);
    // The same text again is checked, and said to be the same.
    let effects = tell(&mut quiz, [back("theirs\n")]);
    assert!(matches!(effects.as_slice(), [Effect::Start { .. }]), "{effects:?}");
    assert_eq!(repair(&quiz).note(), Some(&Note::Edited { path: path.clone(), changed: false, aside: None }));
    // One that is too long is not taken, and nothing is checked.
    assert_eq!(tell(&mut quiz, [back(&"x".repeat(LONGEST))]), []);
    assert!(matches!(repair(&quiz).note(), Some(Note::Failed(why)) if why.contains("64 KiB")));
    assert_eq!(repair(&quiz).text(), "theirs\n");
    // A failure leaves the text alone.
    let why = "there is no editor `x`".to_owned();
    assert_eq!(tell(&mut quiz, [Action::NotEdited { question, why: why.clone() }]), []);
    assert_eq!((repair(&quiz).text(), repair(&quiz).note()), ("theirs\n", Some(&Note::Failed(why))));
    tell(&mut quiz, [edit("mine again\n")]);
    assert_eq!(repair(&quiz).note(), None);
}

/// The checks are the pack's, so they are a stranger's programs where the pack is one's.
#[test]
fn a_strangers_checks_wait_for_a_yes() {
    let mut quiz = strangers(vec![late_label(), shelf()]);
    tell(&mut quiz, [Action::Open(name("stale-ticket")), Action::Go(Stage::Fix)]);
    assert_eq!(tell(&mut quiz, [Action::RunChecks]), []);
    assert_eq!(quiz.sitting().unwrap().blocked(Stage::Fix), Some(Blocked::SandboxUnknown));
    assert_eq!(tell(&mut quiz, [sandbox(Level::None)]), []);
    assert!(quiz.sitting().unwrap().is_asking());
    tell(&mut quiz, [Action::Decline]);
    assert_eq!((quiz.sitting().unwrap().blocked(Stage::Fix), tell(&mut quiz, [Action::Agree])), (None, vec![]));
    tell(&mut quiz, [Action::RunChecks]);
    // A yes starts what is in sight, and nothing else.
    let effects = tell(&mut quiz, [Action::Agree]);
    assert!(matches!(effects.as_slice(), [Effect::Start { .. }]), "{effects:?}");
    tell(&mut quiz, [Action::Go(Stage::Run)]);
    assert!(!quiz.sitting().unwrap().is_running());
    // Where the sandbox contains them, nobody asks.
    let mut quiz = strangers(vec![shelf()]);
    tell(&mut quiz, [sandbox(Level::Full), Action::OpenAt(0), Action::Go(Stage::Fix)]);
    assert!(matches!(tell(&mut quiz, [Action::RunChecks]).as_slice(), [Effect::Start { .. }]));
}

fn picked(n: u32, right: bool, pick: u32) -> Attempt {
    Attempt {
        question: name("stale-ticket"),
        at: Timestamp(1000),
        kind: AttemptKind::Picked { line: line(n), right, pick },
    }
}

fn taken_back(attempt: Attempt) -> Effect {
    Effect::TakeBack { attempt, at: Timestamp(2000) }
}

#[test]
fn answers_are_taken_back_one_by_one() {
    let mut quiz = quiz(vec![late_label(), shelf()]);
    let stale = name("stale-ticket");
    tell(&mut quiz, [Action::Remembered(HashMap::from([(stale.clone(), LastResult::GaveUp)]))]);
    tell(&mut quiz, [Action::Open(stale.clone()), Action::Pick(line(7)), Action::Pick(line(8))]);
    assert_eq!(quiz.result(&stale), Some(LastResult::FoundLater));
    tell(&mut quiz, [Action::Time(Timestamp(2000))]);
    assert_eq!(tell(&mut quiz, [Action::Undo]), [taken_back(picked(8, true, 2))]);
    let sitting = quiz.sitting().unwrap();
    assert_eq!((sitting.outcome(), sitting.picks(), sitting.cursor()), (None, &[line(7)][..], line(8)));
    assert_eq!(quiz.result(&stale), Some(LastResult::NotFound));
    assert!(quiz.sitting().unwrap().closed(Stage::Learn).is_some(), "what gives the answer away is closed again");
    assert_eq!(tell(&mut quiz, [Action::Undo]), [taken_back(picked(7, false, 1))]);
    assert_eq!((quiz.result(&stale), quiz.sitting().unwrap().picks()), (Some(LastResult::GaveUp), &[][..]));
    assert_eq!(tell(&mut quiz, [Action::Undo]), [], "there is nothing left");
    // The next pick is the first again.
    tell(&mut quiz, [Action::Pick(line(8))]);
    assert_eq!(quiz.sitting().unwrap().outcome(), Some(Outcome::Found { line: line(8), pick: 1 }));
    assert_eq!(quiz.result(&stale), Some(LastResult::FoundAtOnce));
}

#[test]
fn giving_up_is_taken_back_with_the_fixed_program() {
    let mut quiz = quiz(vec![shelf()]);
    tell(&mut quiz, [Action::OpenAt(0), Action::GiveUp, Action::Go(Stage::Run), Action::Run]);
    assert_eq!(tell(&mut quiz, [Action::Undo]), [], "the answer is not in sight");
    tell(&mut quiz, [Action::Go(Stage::Spot), Action::Time(Timestamp(2000))]);
    let gave_up = Attempt { question: name("stale-ticket"), at: Timestamp(1000), kind: AttemptKind::GaveUp };
    assert_eq!(tell(&mut quiz, [Action::Undo]), [Effect::Stop(RunId(2)), taken_back(gave_up)]);
    let sitting = quiz.sitting().unwrap();
    assert_eq!((sitting.outcome(), sitting.run(Program::Fixed)), (None, None));
    assert_eq!(quiz.result(&name("stale-ticket")), None);
}

#[test]
fn everything_of_the_fixed_program_goes_when_the_answer_is_taken_back() {
    let mut quiz = quiz(vec![paused_clerk()]);
    tell(&mut quiz, [Action::OpenAt(0), Action::GiveUp, Action::Go(Stage::Run), Action::Run]);
    // Both programs have lived through the scenario; then both are traced, and the fixed one is shown.
    tell(&mut quiz, lived(3, &BUGGY_CLERK).into_iter().chain(lived(4, &FIXED_CLERK)));
    tell(&mut quiz, (1..=3).map(|run| ended(run, Verdict::Finished, "")));
    tell(&mut quiz, [Action::StopRun, ended(4, Verdict::Stopped, ""), Action::Steps(steps::Act::Trace)]);
    tell(&mut quiz, stepped(5, BUGGY_STEPS));
    tell(&mut quiz, [ended(5, Verdict::Finished, "")]);
    tell(&mut quiz, stepped(6, FIXED_STEPS));
    tell(&mut quiz, [Action::Steps(steps::Act::Turn), Action::Go(Stage::Spot), Action::Time(Timestamp(2000))]);
    assert_eq!(quiz.sitting().unwrap().steps().programs(), Programs::One(Program::Fixed));
    let gave_up = Attempt { question: name("stale-ticket"), at: Timestamp(1000), kind: AttemptKind::GaveUp };
    assert_eq!(tell(&mut quiz, [Action::Undo]), [Effect::Stop(RunId(6)), taken_back(gave_up)]);
    shows_nothing_of_the_fixed_program(quiz.sitting().unwrap());
    assert!(quiz.sitting().unwrap().timeline().live(Program::Buggy).is_some(), "the buggy program stays");
    // What its run still reports finds no place.
    tell(&mut quiz, [ended(6, Verdict::Stopped, "")]);
    shows_nothing_of_the_fixed_program(quiz.sitting().unwrap());
}

/// Texts that only an answered question may show.
#[track_caller]
fn shows_nothing_of_the_fixed_program(sitting: &Sitting) {
    let (steps, timeline) = (sitting.steps(), sitting.timeline());
    assert_eq!((sitting.run(Program::Fixed), timeline.live(Program::Fixed)), (None, None));
    assert_eq!(
        (steps.walk(Program::Fixed), steps.programs(), steps.relation()),
        (None, Programs::One(Program::Buggy), None)
    );
    assert_eq!((timeline.parts_at(), sitting.open_programs().count()), (None, 1));
}

#[test]
fn ticks_and_the_end_of_the_checklist_are_taken_back() {
    let mut quiz = quiz(vec![shelf()]);
    tell(&mut quiz, [Action::OpenAt(0), Action::Go(Stage::Say), Action::EndCountdown]);
    tell(&mut quiz, [Action::Tick(1), Action::Tick(3), Action::Tick(1), Action::FinishChecklist]);
    tell(&mut quiz, [Action::Time(Timestamp(2000))]);
    let said =
        Attempt { question: name("stale-ticket"), at: Timestamp(1000), kind: AttemptKind::Said { covered: 1, of: 4 } };
    assert_eq!(tell(&mut quiz, [Action::Undo]), [taken_back(said)]);
    let covered = |quiz: &Quiz| quiz.sitting().unwrap().say().covered().to_vec();
    assert!(matches!(quiz.sitting().unwrap().say().phase(), Phase::Checklist { .. }));
    assert_eq!(covered(&quiz), [false, false, false, true]);
    tell(&mut quiz, [Action::Undo]);
    assert_eq!(covered(&quiz), [false, true, false, true]);
    tell(&mut quiz, [Action::Undo, Action::Undo, Action::Undo]);
    assert_eq!(covered(&quiz), [false; 4]);
    // After a reset there is nothing of the old checklist to take back.
    tell(&mut quiz, [Action::Tick(0), Action::ResetTimer, Action::EndCountdown, Action::Undo]);
    assert_eq!(covered(&quiz), [false; 4]);
}

#[test]
fn a_repair_that_moves_a_line_is_seen_as_a_move() {
    let question = late_label();
    let diff = repair_diff(&question);
    let moved: Vec<_> = moves(&diff).iter().map(|it| (it.from.get(), it.below.map(LineNo::get))).collect();
    assert_eq!(moved, [(5, Some(20))]);
    assert_eq!(moves(&repair_diff(&shelf())), [], "a line that is indented in its place has not moved");
}

#[test]
fn no_order_of_actions_breaks_a_repair_or_an_undo() {
    let mut seed = 19_u64;
    let mut random = move |below: u64| {
        // xorshift64 (Marsaglia, 2003)
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    let mut quiz = strangers(vec![late_label(), paused_clerk()]).while_remembering();
    let mut running: Vec<u64> = Vec::new();
    let mut answers_taken_back = 0;
    for _ in 0..40_000 {
        let n = random(33);
        let run = random(40);
        let action = match n {
            0 => Action::OpenAt((run % 2) as usize),
            1 => Action::Back,
            2 => Action::Go(Stage::ALL[(run % 5) as usize]),
            3 | 4 => Action::Go(Stage::Fix),
            5 => edit(&"x\r\n".repeat((run % 5) as usize)),
            6 => Action::RunChecks,
            7 => Action::ResetDraft,
            8 => Action::ConfirmReset,
            9 => Action::BringBack,
            10 => Action::KeepText,
            11 => Action::EditOutside,
            12 => Action::NotEdited { question: name("stale-ticket"), why: "no".to_owned() },
            13 => Action::Edited {
                question: name("late-label"),
                text: format!("y = {run}"),
                path: "p".to_owned(),
                aside: None,
            },
            14 => checked(run, NAME, CheckOutcome::Passed, ""),
            15 => ended(run, Verdict::Finished, ""),
            16 => sandbox([Level::Full, Level::None][(run % 2) as usize]),
            17 => Action::Agree,
            18 => earlier("mine\n", "old\n", None),
            19 => Action::Pick(line(u32::try_from(run % 14 + 1).unwrap())),
            20 => Action::GiveUp,
            21 => Action::StartOver,
            22 => Action::Tick((run % 4) as usize),
            23 => Action::EndCountdown,
            24 => Action::FinishChecklist,
            25 => Action::Run,
            26 => Action::Timeline(timeline::Act::PlayOn),
            27 => Action::Steps(steps::Act::Trace),
            28 => Action::Steps(steps::Act::Turn),
            29 => Action::Steps(steps::Act::Pin),
            30 | 31 => {
                let last = running.last().copied().unwrap_or(0);
                tell(&mut quiz, stepped(last, FIXED_STEPS).into_iter().chain(lived(last, &FIXED_CLERK)));
                ended(last, Verdict::Finished, "")
            }
            _ => Action::Undo,
        };
        let is_undo = action == Action::Undo;
        let before = quiz.sitting().map(|sitting| sitting.is_answered());
        for effect in update(&mut quiz, action) {
            match effect {
                Effect::Start { run, .. } => running.push(run.0),
                Effect::Stop(run) => running.retain(|other| *other != run.0),
                _ => {}
            }
        }
        let Some(sitting) = quiz.sitting() else { continue };
        if !sitting.is_answered() {
            shows_nothing_of_the_fixed_program(sitting);
            answers_taken_back += usize::from(is_undo && before == Some(true));
        }
        let repair = sitting.repair();
        assert!(repair.text().is_empty() || repair.text().ends_with('\n') && !repair.text().contains('\r'));
        // A line that was found is among the picks, and what is not answered has no accepted line among them.
        let found = sitting.picks().iter().any(|picked| sitting.question().accepts(*picked));
        assert_eq!(found, matches!(sitting.outcome(), Some(Outcome::Found { .. })));
    }
    assert!(answers_taken_back > 10, "{answers_taken_back}");
}
