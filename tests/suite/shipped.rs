//! The shipped questions keep their promises when their programs run.

use std::path::PathBuf;
use std::sync::Arc;

use fencepost::content::catalog::Entry;
use fencepost::content::load;
use fencepost::content::question::{LineNo, lines};
use fencepost::quiz::diff::moves;
use fencepost::quiz::grade::repair_diff;
use fencepost::runner::outcome::Outcome;
use fencepost::runner::{CheckCode, CheckOutcome, Job, Limits, Mode, Runner, Sandboxed, Stream, Verdict};

fn runner() -> Sandboxed {
    Sandboxed::new(PathBuf::from(env!("CARGO_BIN_EXE_fencepost")))
}

fn questions() -> Vec<Arc<Entry>> {
    let questions = load::load(&[]).unwrap().questions;
    assert!(questions.len() >= 3, "the questions are not there");
    questions
}

fn run(runner: &Sandboxed, source: &str, mode: Mode) -> Outcome {
    let job = Job { source: source.to_owned(), mode, limits: Limits::default() };
    Outcome::wait(&runner.start(job)).unwrap()
}

fn checks(entry: &Entry) -> Mode {
    let code =
        |check: &fencepost::content::question::Check| CheckCode { name: check.name.clone(), code: check.code.clone() };
    Mode::Check(entry.question.checks.iter().map(code).collect())
}

/// The checks that did not pass, with what they said.
fn unhappy(outcome: &Outcome) -> Vec<String> {
    let unhappy = outcome.checks.iter().filter(|check| check.result != CheckOutcome::Passed);
    unhappy.map(|check| format!("{}: {}", check.name, check.message)).collect()
}

#[test]
fn both_programs_print_what_is_said_each_time() {
    let runner = runner();
    for entry in questions() {
        let question = &entry.question;
        for (program, code, prints) in [
            ("buggy", &question.spot.code, &question.spot.prints),
            ("fixed", &question.fixed.code, &question.fixed.prints),
        ] {
            for _ in 0..2 {
                let outcome = run(&runner, code, Mode::Run);
                let seen = (outcome.ending.verdict, outcome.text(Stream::Stdout), outcome.text(Stream::Stderr));
                assert_eq!(seen, (Verdict::Finished, prints.clone(), String::new()), "{} {program}", entry.name);
            }
        }
    }
}

#[test]
fn the_checks_tell_the_buggy_program_from_the_fixed_and_the_repaired() {
    let runner = runner();
    for entry in questions() {
        let question = &entry.question;
        let buggy = run(&runner, &question.spot.code, checks(&entry));
        assert_ne!(unhappy(&buggy), <[String; 0]>::default(), "{}: no check fails on the buggy program", entry.name);
        for (program, code) in [("fixed", question.fixed.code.clone()), ("repaired", question.repaired())] {
            let outcome = run(&runner, &code, checks(&entry));
            assert_eq!(outcome.ending.verdict, Verdict::Finished, "{} {program}", entry.name);
            assert_eq!(outcome.checks.len(), question.checks.len(), "{} {program}", entry.name);
            assert_eq!(unhappy(&outcome), <[String; 0]>::default(), "{} {program}", entry.name);
        }
    }
}

/// Else the line would be another right answer, or the checks would have a hole.
#[test]
fn no_other_line_can_simply_be_deleted() {
    let runner = runner();
    for entry in questions() {
        let question = &entry.question;
        let program = lines(&question.spot.code);
        for gone in 0..program.len() {
            if question.accepts(LineNo::from_index(gone)) || program[gone].trim().is_empty() {
                continue;
            }
            let mutant: String =
                program.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, line)| format!("{line}\n")).collect();
            let limits = Limits { wall: std::time::Duration::from_millis(500), ..Limits::default() };
            let handle = runner.start(Job { source: mutant, mode: checks(&entry), limits });
            let outcome = Outcome::wait(&handle).unwrap();
            assert!(!outcome.passed(), "{}: without line {} every check passes", entry.name, gone + 1);
        }
    }
}

/// The checks ask what a program does. A text that prints what the model prints does nothing, and neither does one from
/// which everything is gone.
#[test]
fn printing_the_expected_text_or_nothing_passes_no_check_of_all() {
    let runner = runner();
    for entry in questions() {
        let question = &entry.question;
        let says = |text: &str| format!("print({}, end=\"\")\n", serde_json::Value::from(text));
        let names = |code: &str| -> String {
            // The names that the program defines, all of which do nothing.
            let defined = code.lines().filter_map(|line| {
                let rest = line.strip_prefix("class ").or_else(|| line.strip_prefix("def "))?;
                rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
            });
            defined.map(|name| format!("def {name}(*args, **kwargs):\n    return None\n")).collect()
        };
        for (what, program) in [
            ("printing", says(&question.fixed.prints)),
            ("nothing", String::new()),
            ("names that do nothing", names(&question.spot.code) + &says(&question.fixed.prints)),
        ] {
            let outcome = run(&runner, &program, checks(&entry));
            assert!(!outcome.passed(), "{}: {what} passes every check", entry.name);
        }
    }
}

#[test]
fn some_repair_moves_a_line_and_is_seen_as_a_move() {
    let moved = questions().iter().any(|entry| !moves(&repair_diff(&entry.question)).is_empty());
    assert!(moved, "no shipped question draws a move");
}

#[test]
fn the_flagship_question_keeps_the_facts_that_it_began_with() {
    let questions = questions();
    let entry = questions.iter().find(|entry| entry.name.to_string() == "leases/fencing-tokens").unwrap();
    let question = &entry.question;
    assert_eq!(question.topic, "Distributed systems");
    assert_eq!(question.level.word(), "senior");
    assert_eq!(question.requires, ["Python 3.13+", "PostgreSQL 17+"]);
    assert_eq!(question.line_count(), 14);
    assert_eq!(question.accepted().map(LineNo::get).collect::<Vec<_>>(), [8]);
    assert_eq!(question.spot.prints, "from paused old leader\n");
    assert_eq!(question.fixed.prints, "True False new\n");
    assert!(question.spot.code.contains("34") && question.spot.code.contains("33"));
    assert_eq!(question.spot.hints.len(), 1);
    assert_eq!(question.say.seconds, 35);
    assert_eq!(question.say.points.len(), 4);
    assert_eq!(question.learn.facts.len(), 4);
    assert_eq!(question.learn.mistakes.len(), 3);
    assert_eq!(question.follow_ups.len(), 2);
}

/// The limits of the house: programs are read on 80 columns beside line numbers.
#[test]
fn programs_fit_the_screen() {
    for entry in questions() {
        for (program, code, most) in
            [("buggy", &entry.question.spot.code, 22), ("fixed", &entry.question.fixed.code, 26)]
        {
            let program_lines = lines(code);
            assert!(program_lines.len() <= most, "{} {program}: {} lines", entry.name, program_lines.len());
            for line in program_lines {
                assert!(line.chars().count() <= 76, "{} {program}: {line}", entry.name);
            }
        }
    }
}
