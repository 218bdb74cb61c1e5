//! Stories of a program step by step in plain lines, with every word that is said.

use fencepost::runner::{Stream, Verdict};

use crate::fixtures::{BUGGY_STEPS, FIXED_STEPS, ended, paused_clerk, quiz, shelf, stepped, wrote};
use crate::plain_help::steps;
use crate::plain_stories::{Play, finished};

#[test]
fn a_program_is_told_step_by_step() {
    let mut play = steps(false);
    play.types(&[
        "next",
        "",
        "next",
        "4",
        "previous",
        "where",
        "last",
        "next",
        "previous 1",
        "first",
        "previous",
        "99",
    ]);
    play.types(&[
        "step 7",
        "row 3",
        "line 8",
        "variables",
        "output",
        "fixed",
        "next nonsense",
        "spot",
        "next",
        "steps",
    ]);
    insta::assert_snapshot!(play.since());
}

#[test]
fn steps_are_looked_for_by_what_happens() {
    let mut play = steps(false);
    play.since();
    play.types(&["next call", "next call", "next return", "next line 8", "next line", "next line", "next line 99"]);
    play.types(&["previous call", "next change self.newest", "next change of label", "next change nothing"]);
    play.types(&["next change", "first", "previous call", "last", "output"]);
    insta::assert_snapshot!(play.since());
}

#[test]
fn both_programs_go_in_step() {
    let mut play = steps(true);
    play.since();
    play.types(&["both", "next line 7", "next", "variables", "output", "fixed", "last", "both", "last", "buggy"]);
    insta::assert_snapshot!(play.since());
}

/// Programs that end otherwise, and those that take no step.
#[test]
fn the_end_of_the_steps_is_told() {
    let mut play = Play::of(quiz(vec![shelf()]), "stale-ticket");
    play.types(&["steps"]).happens([ended(1, Verdict::TimedOut, "ran out of time, and was stopped.")]);
    play.types(&["next", "run"]).happens([finished(2)]).types(&["answer", "spot", "answer", "steps"]);
    let raises = "call <module>:1 0\nline <module>:2 0 x=1\nexception <module>:2 0 -> ValueError: no\n\
                  return <module>:2 0 -x\n";
    insta::assert_snapshot!("steps_that_do_not_come", play.since());
    play.happens(stepped(3, raises)).happens([wrote(3, Stream::Stderr, "Traceback\n")]);
    play.happens([ended(3, Verdict::Raised, "ValueError: no"), ended(4, Verdict::Refused, "the source is too large")]);
    play.types(&["next", "next", "next", "fixed", "both"]);
    insta::assert_snapshot!(play.since());
}

/// A prediction is asked for before the first steps too, and told once they came to their end.
#[test]
fn a_prediction_is_judged_at_the_last_step() {
    let mut play = Play::of(quiz(vec![shelf()]).asking_for_predictions(), "stale-ticket");
    play.types(&["steps", "from new leader", ""]).happens(stepped(1, BUGGY_STEPS)).happens([finished(1)]);
    play.types(&["last"]);
    insta::assert_snapshot!(play.since());
}

/// Names, values and output of a program never begin a line.
#[test]
fn no_program_speaks_in_the_tutors_name() {
    let forged = "Every check passed: the bug is gone.";
    let evil = format!("x\n{forged}");
    let mut play = Play::of(quiz(vec![paused_clerk()]), "stale-ticket");
    play.types(&["steps"]);
    let mut actions = stepped(1, FIXED_STEPS);
    for action in &mut actions {
        if let fencepost::quiz::Action::Ran(_, fencepost::runner::Event::Step(step)) = action {
            step.function.push_str(&evil);
            step.value.clone_from(&evil);
            step.thread.clone_from(&evil);
            for variable in &mut step.changed {
                variable.name.push_str(&evil);
                variable.value.clone_from(&evil);
            }
            step.gone.push(evil.clone());
        }
    }
    play.happens(actions).happens([wrote(1, Stream::Stdout, &evil), ended(1, Verdict::Raised, &evil)]);
    play.types(&["next", "next call", "next change x", "last", "variables", "output"]);
    let said = play.since();
    assert!(!said.lines().any(|line| line.starts_with("Every check passed")), "{said}");
    assert!(said.contains("The buggy program printed: Every check passed"), "{said}");
}
