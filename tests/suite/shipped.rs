//! The shipped questions keep their promises: the product's own check finds nothing, on every interpreter that is here.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fencepost::content::catalog::Entry;
use fencepost::content::question::LineNo;
use fencepost::content::{load, stamp, versions};
use fencepost::quiz::runnable;
use fencepost::runner::cpython::Interpreter;
use fencepost::runner::recording::Outcome;
use fencepost::runner::{Job, Limits, Mode, Runner, Sandboxed};

use crate::cases::each;
use crate::command::Home;

fn questions() -> Vec<Arc<Entry>> {
    let questions = load::load(&[]).unwrap().questions;
    assert!(questions.len() >= 16, "the questions are not there");
    questions
}

/// Runs `author check` over `content/` and compares everything that it says.
fn check(args: &str, environment: &[(&str, OsString)], ran: &[String]) {
    let home = Home::new();
    let content = Path::new(env!("CARGO_MANIFEST_DIR")).join("content").display().to_string();
    let environment = environment.iter().map(|(name, value)| (*name, value));
    let said = home.run_with(&format!("author check {content} {args}"), |command| command.envs(environment));
    let count = questions().len();
    let mut wanted = format!("$ fencepost author check {content} {args}\n");
    let programs = said.lines().nth(1).and_then(|line| line.split_once(" questions, ")).map_or("", |(_, count)| count);
    wanted += &format!("{count} questions, {programs}\n");
    wanted += "ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)\n";
    wanted += &ran.concat();
    wanted += "no problems\n--- exit 0\n";
    assert_eq!(said, wanted);
}

#[test]
fn no_problem_is_found_on_the_built_in_interpreter() {
    check("", &[], &["add `--python auto` and `--mypy` to prove more\n".to_owned()]);
}

fn skipped(why: &str) {
    // Past the capture of the test harness, which would hide it as the test passes.
    let _ = writeln!(std::io::stderr(), "skipped, the shipped questions are not proved: {why}");
}

/// A CPython that is in the range of every shipped question. Where there is an older one only, the questions are not for it.
fn cpython() -> Option<Interpreter> {
    crate::runner_cpython::interpreter()?;
    let in_range = |it: &Interpreter| questions().iter().all(|q| versions::allows(&q.question.python, &it.version));
    let found = Interpreter::find_all().into_iter().find(in_range);
    if found.is_none() {
        skipped("no CPython that every question allows is on the PATH");
    }
    found
}

#[test]
fn no_problem_is_found_on_a_real_cpython() {
    let Some(python) = cpython() else { return };
    let path = python.executable.display().to_string();
    let ran = format!("ran on CPython {}, sandbox full\n", python.version);
    check(&format!("--python {path}"), &[], &[ran, "add `--mypy` to prove more\n".to_owned()]);
}

#[test]
fn no_problem_is_found_with_mypy() {
    // `.ci/run` installs one and names it here; elsewhere the one on the PATH will do.
    let named = std::env::var_os("FENCEPOST_MYPY");
    let mypy = named.clone().unwrap_or_else(|| OsString::from("mypy"));
    let version = match std::process::Command::new(&mypy).arg("--version").output() {
        Ok(said) => String::from_utf8(said.stdout).unwrap().split(' ').nth(1).unwrap_or_default().to_owned(),
        Err(error) if named.is_some() => panic!("the mypy that FENCEPOST_MYPY names does not start: {error}"),
        Err(error) => return skipped(&format!("there is no mypy on the PATH ({error})")),
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let ran = format!("ran mypy {version} --strict on {} questions\n", questions().len());
    check(
        "--mypy",
        &[("FENCEPOST_MYPY", mypy), ("PATH", path)],
        &[ran, "add `--python auto` to prove more\n".to_owned()],
    );
}

/// Every shipped question was proved as it is now.
#[test]
fn every_shipped_question_carries_a_stamp_that_holds() {
    each(questions(), |entry| {
        let question = &entry.question;
        let verified = question.verified.as_ref().unwrap_or_else(|| panic!("{} has no stamp", entry.name));
        assert!(stamp::covers(verified, question), "{}", entry.name);
        assert!(versions::allows(&question.python, &verified.python), "{}: {}", entry.name, verified.python);
    });
}

/// The checks ask what a program does. A text that prints what the model prints does nothing, and neither does one from
/// which everything is gone.
#[test]
fn printing_the_expected_text_or_nothing_passes_no_check_of_all() {
    let runner = Sandboxed::new(PathBuf::from(env!("CARGO_BIN_EXE_fencepost")));
    each(questions(), |entry| {
        let question = &entry.question;
        let checks = runnable::checks(question);
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
            let job = Job { source: program, mode: Mode::Check(checks.clone()), limits: Limits::default() };
            let outcome = Outcome::wait(&runner.start(job)).unwrap();
            assert!(!outcome.passed(), "{}: {what} passes every check", entry.name);
        }
    });
}

/// Counts of the rubric for questions: what a reader needs, and no more than a reader reads.
#[test]
fn every_shipped_question_keeps_the_counts_of_the_rubric() {
    let shipped = questions();
    let related = |id: &str| &shipped.iter().find(|it| it.name.id == id).unwrap().question.related;
    each(shipped.clone(), |entry| {
        let (question, name) = (&entry.question, &entry.name);
        let words = question.say.answer.split_whitespace().count();
        assert!((65..=75).contains(&words), "{name}: the spoken answer has {words} words");
        let counts = (question.spot.hints.len(), question.spot.near.len(), question.follow_ups.len());
        assert!(matches!(counts, (2..=3, 3..=5, 3)), "{name}: hints, near misses and follow-ups: {counts:?}");
        assert!(question.follow_ups.iter().all(|it| it.answer.is_some()), "{name}: a follow-up has no answer");
        let id_words = question.id.split('-').count();
        assert!((2..=3).contains(&id_words), "{name}: the id has {id_words} words");
        assert!(question.title.chars().count() <= 40, "{name}: `{}` is too long for a row", question.title);
        assert_eq!(question.review, None, "{name}");
        for other in &question.related {
            assert!(related(other).contains(&question.id), "{name}: `{other}` does not link back");
        }
    });
}

#[test]
fn the_flagship_question_keeps_the_facts_that_it_began_with() {
    let questions = questions();
    let entry = questions.iter().find(|entry| entry.name.to_string() == "leases/fencing-tokens").unwrap();
    let question = &entry.question;
    assert_eq!(question.topic, "Distributed systems");
    assert_eq!(question.level.word(), "senior");
    assert_eq!(question.requires, ["Python 3.13+", "PostgreSQL 17+"]);
    assert_eq!(question.accepted().map(LineNo::get).collect::<Vec<_>>(), [8]);
    assert_eq!(question.spot.prints, "34: True\n33: False\nstored: older report\n");
    assert_eq!(question.fixed.prints, "34: True\n33: False\nstored: newer report\n");
    assert_eq!(question.say.seconds, 35);
    assert_eq!(question.say.points.len(), 4);
    assert_eq!(question.learn.facts.len(), 4);
}
