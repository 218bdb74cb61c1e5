//! Stories in plain lines: what is typed, what the runs report, and every word that is said.

use std::collections::HashMap;
use std::sync::Arc;

use fencepost::plain::response::Response;
use fencepost::plain::session::Session;
use fencepost::quiz::{Action, Quiz, update};
use fencepost::runner::{CheckOutcome, Level, Stream, Verdict};
use fencepost::script::lines::Input;

use crate::fixtures::{
    BUGGY_CLERK, FIXED_CLERK, catalog, checked, ended, late_label, lived, name, paused_clerk, quiz, sandbox, shelf,
    wrote,
};

/// A session and all that was said in it, with what was typed behind a prompt.
pub(crate) struct Play {
    pub(crate) session: Session,
    said: String,
}

impl Play {
    /// A session in the question `id` of this quiz.
    pub(crate) fn of(mut quiz: Quiz, id: &str) -> Self {
        update(&mut quiz, Action::Open(name(id)));
        Self { session: Session::new(quiz), said: String::new() }
    }

    pub(crate) fn new(quiz: Quiz) -> Self {
        Self { session: Session::new(quiz), said: String::new() }
    }

    pub(crate) fn types(&mut self, lines: &[&str]) -> &mut Self {
        for line in lines {
            self.said.push_str(&format!("> {line}\n"));
            match self.session.line(&Input::Line((*line).to_owned())) {
                Response::Leave => self.said.push_str("[left]\n"),
                Response::Words(words) | Response::Refused(words) => self.said.push_str(&words),
                Response::Do { actions, then } => {
                    self.happens(actions);
                    let words = then(self.session.quiz());
                    self.said.push_str(&words);
                }
            }
        }
        self
    }

    pub(crate) fn happens(&mut self, actions: impl IntoIterator<Item = Action>) -> &mut Self {
        for action in actions {
            let (_, words) = self.session.act(action);
            self.said.push_str(&words);
        }
        self
    }

    /// Lines since the last call.
    pub(crate) fn since(&mut self) -> String {
        std::mem::take(&mut self.said)
    }
}

pub(crate) fn finished(run: u64) -> Action {
    ended(run, Verdict::Finished, "ran to its end")
}

#[test]
fn the_timeline_is_told_row_by_row() {
    let mut play = Play::of(quiz(vec![paused_clerk()]), "stale-ticket");
    play.types(&["timeline"]).happens(lived(2, &BUGGY_CLERK)).happens([finished(1), finished(2)]);
    play.types(&["next", "4", "spot", "answer"]);
    let begins = play.said.find("Right").or_else(|| play.said.find("The answer is")).unwrap();
    play.said.truncate(begins);
    play.types(&["timeline"]).happens(lived(5, &BUGGY_CLERK)).happens(lived(6, &FIXED_CLERK[..3]));
    play.happens([
        finished(3),
        finished(4),
        finished(5),
        ended(6, Verdict::TimedOut, "ran out of time, and was stopped."),
    ]);
    play.types(&["next", "next", "next", "next", "99", "2", "timeline"]);
    insta::assert_snapshot!(play.since());
}

#[test]
fn a_question_without_a_scenario_has_no_timeline() {
    let mut play = Play::of(quiz(vec![shelf()]), "stale-ticket");
    play.types(&["timeline", "run"]).happens([finished(1)]).since();
    play.types(&["timeline", "next", "1"]);
    insta::assert_snapshot!(play.since(), @"
    > timeline
    This question has no timeline.
    > next
    `steps` goes through the program step by step.
    > 1
    A number is an answer in the stage Spot: `spot` goes there. `steps` goes through
    the program step by step.
    ");
}

/// Who types `answer 4` answers, and a word too many is no silent something else.
#[test]
fn a_command_with_more_behind_it_is_not_guessed_at() {
    let mut play = Play::of(quiz(vec![shelf()]), "stale-ticket");
    play.types(&["hint 2", "quit now", "answer x", "answer 99", "answer line 1"]);
    insta::assert_snapshot!(play.since());
}

#[test]
fn a_prediction_is_asked_for_once_and_judged() {
    let ask = || Play::of(quiz(vec![shelf()]).asking_for_predictions(), "stale-ticket");
    let mut play = ask();
    play.types(&["run", "cancel", "run", "from new leader", "text quit", "text", "undo", "where", ""]);
    play.happens([wrote(1, Stream::Stdout, "from paused old leader\n"), finished(1)]);
    play.types(&["run"]).happens([wrote(2, Stream::Stdout, "from new leader\nquit\n"), finished(2)]);
    insta::assert_snapshot!(play.since());
    let mut skipped = ask();
    skipped.types(&["run", ""]).happens([wrote(1, Stream::Stdout, "late\n"), finished(1)]);
    assert!(!skipped.since().contains("predicted"));
}

#[test]
fn a_reset_can_be_undone_and_the_own_program_is_read() {
    let mut play = Play::of(quiz(vec![shelf()]), "stale-ticket");
    play.happens([Action::Repairs(fencepost::quiz::repair::Repairs::default())]);
    play.types(&["fix", "bring back"]).since();
    play.happens([Action::Edit("print('mine')\n".to_owned())]);
    play.types(&["reset", "yes", "bring back", "read", "read 1", "bring back", "bring-back"]);
    insta::assert_snapshot!(play.since());
}

/// Text of a pack, a check or a program never begins a line.
#[test]
fn nobody_writes_lines_in_the_tutors_name() {
    let forged = "Every check passed: the bug is gone.";
    let evil = format!("x\n{forged}\r\n{forged}");
    let mut question = paused_clerk();
    question.title.clone_from(&evil);
    question.topic.clone_from(&evil);
    question.requires = vec![evil.clone()];
    question.checks[0].name.clone_from(&evil);
    question.related = vec![evil.clone()];
    if let Some(scenario) = &mut question.scenario {
        scenario.watch.clone_from(&vec![evil.clone(), evil.clone()]);
        for step in &mut scenario.steps {
            step.at.clone_from(&evil);
            step.who.clone_from(&evil);
            step.does.clone_from(&evil);
        }
    }
    let mut play = Play::of(quiz(vec![question]), "stale-ticket");
    play.happens([Action::Repairs(fencepost::quiz::repair::Repairs::default())]);
    play.types(&["list", "where", "read", "hint", "timeline"]);
    let rows = [(Some(evil.as_str()), evil.as_str()); 4];
    play.happens(lived(2, &rows)).happens([
        wrote(1, Stream::Stdout, &evil),
        ended(1, Verdict::Raised, &evil),
        finished(2),
    ]);
    play.types(&["next", "run"]).happens([wrote(3, Stream::Stderr, &evil), ended(3, Verdict::Raised, &evil)]);
    play.types(&["fix", "check"]).happens([
        wrote(5, Stream::Stdout, &evil),
        checked(5, &evil, CheckOutcome::Failed, &evil),
        ended(5, Verdict::Finished, &evil),
    ]);
    play.happens([Action::SaveFailed(evil.clone())]);
    play.types(&["related 1", &format!("open {evil}"), &evil, "learn", "answer"]);
    let said = play.since();
    let forging: Vec<&str> = said.lines().filter(|line| line.trim_start().starts_with("Every check passed")).collect();
    // What is typed comes back from the terminal itself.
    assert_eq!(forging.len(), 2 * 2, "{said}");
    assert!(said.contains("Check 1 of 1 failed. x"), "{said}");
    assert!(said.contains("Check 1 says: Every check passed: the bug is gone."), "{said}");
}

/// A folder's name is a pack's name, and may have line breaks.
#[test]
fn a_packs_name_cannot_answer_for_the_learner() {
    let mut catalog = catalog(vec![shelf()]);
    let entry = Arc::make_mut(&mut catalog.questions[0]);
    entry.shipped = false;
    entry.name.pack = format!("x\nIts programs are safe. Type `yes`.\n{}", "y".repeat(5_000));
    let opened = entry.name.clone();
    let mut quiz = Quiz::new(Arc::new(catalog), HashMap::new());
    update(&mut quiz, Action::Open(opened));
    let mut play = Play { session: Session::new(quiz), said: String::new() };
    play.types(&["run"]).happens([sandbox(Level::LimitsOnly)]);
    insta::assert_snapshot!(play.since(), @"
    > run
    The pack x␊Its programs are safe. Type `yes`.␊yyyyyyyyyyyyyyyyyyyyyy… did not
    come with fencepost, and the sandbox is only at level limits_only and lacks
    seccomp (the kernel has none). Its programs could read and change your files.
    Type `yes` to run them, or `no`.
    ");
}

#[test]
fn an_answer_is_heard_after_its_hint() {
    let mut play = Play::of(quiz(vec![shelf(), late_label()]), "stale-ticket");
    play.types(&["answer", "learn"]);
    play.since();
    play.types(&["1", "1", "1"]);
    insta::assert_snapshot!(play.since(), @"
    > 1
    Follow-up question 1 of 2: Where do the numbers come from?
    Its hint: From the service that grants the lease.
    > 1
    Follow-up question 1 of 2: Where do the numbers come from?
    Its hint: From the service that grants the lease.
    Its answer: From a counter of that service: every grant gets the next `ticket`.
    > 1
    Follow-up question 1 of 2: Where do the numbers come from?
    ");
}

#[test]
fn related_questions_are_opened_and_left() {
    let mut play = Play::of(quiz(vec![shelf(), late_label()]), "stale-ticket");
    play.types(&["answer", "learn"]);
    let begins = play.said.find("Follow-up question 1").unwrap();
    play.said.drain(..begins);
    play.types(&[
        "related 2",
        "related 0",
        "related",
        "related 1",
        "back",
        "open 1",
        "open late-label",
        "where",
        "library",
    ]);
    insta::assert_snapshot!(play.since());
}
