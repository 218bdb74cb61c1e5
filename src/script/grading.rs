//! Grades answers.
//!
//! Owns the rules: any accepted line is right, the first pick counts, a fix is right when the program comes to its end and
//! every check passes, and what is missing is worth nothing. Lines go through the same core as in the screens; fixes go
//! to the runner, several at once.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::content::catalog::{Catalog, Entry};
use crate::content::question::{Question, lines};
use crate::error::Error;
use crate::quiz::action::Action;
use crate::quiz::grade::{Grade, grade};
use crate::quiz::runnable;
use crate::quiz::state::{Outcome as Found, Quiz};
use crate::quiz::update;
use crate::runner::recording::Outcome;
use crate::runner::{Handle, Job, Limits, Runner, Verdict};
use crate::script::answers::{Answer, Answers};
use crate::script::problem::Problem;
use crate::script::report::{Fix, FixMark, Graded, Line, Mark, Point, Points, Report, Terms, Total};
use crate::script::run::{Role, Run};
use crate::script::scoring::{PassMark, Weights, percent};

/// Fixes that are handed to the runner before the first of them is done. The runner runs as many at a time as there are
/// cores; the others wait in it with their text, so they are bounded.
const AHEAD: usize = 64;

/// A question whose fix is on its way, where one was handed in.
struct Started<'a> {
    entry: &'a Arc<Entry>,
    answer: &'a Answer,
    fix: Option<(Handle, String)>,
}

/// Grades `answers` to `questions` and hands each question to `tell` as soon as it and those before it are graded. Only with
/// `times` do reports say how long a program ran.
///
/// # Errors
///
/// The runner failed, which is no answer's fault; or `tell` did.
pub fn grade_all(
    catalog: &Arc<Catalog>,
    questions: &[Arc<Entry>],
    answers: &Answers,
    weights: Weights,
    times: bool,
    runner: &dyn Runner,
    mut tell: impl FnMut(&Graded) -> Result<(), Error>,
) -> Result<Vec<Graded>, Error> {
    let mut quiz = Quiz::new(catalog.clone(), HashMap::new());
    let nothing = Answer::default();
    let mut to_start = questions.iter();
    let mut started: VecDeque<Started<'_>> = VecDeque::new();
    let mut graded = Vec::with_capacity(questions.len());
    loop {
        while started.len() < AHEAD
            && let Some(entry) = to_start.next()
        {
            let answer = answers.get(&entry.name).unwrap_or(&nothing);
            let fix = answer.fix.clone().map(|fix| (runner.start(check(&entry.question, fix.clone())), fix));
            started.push_back(Started { entry, answer, fix });
        }
        let Some(Started { entry, answer, fix }) = started.pop_front() else { return Ok(graded) };
        let line = grade_line(&mut quiz, entry, answer);
        let fix = match fix {
            Some((handle, text)) => Some(grade_fix(entry, text, &handle, weights, times)?),
            None => no_fix(entry, weights),
        };
        let one = weigh(entry, answer, line, fix, weights);
        tell(&one)?;
        graded.push(one);
    }
}

/// The job that grades `program` as a repair of `question`.
fn check(question: &Question, program: String) -> Job {
    Job { source: program, mode: runnable::grade(question), limits: Limits::default() }
}

fn grade_line(quiz: &mut Quiz, entry: &Entry, answer: &Answer) -> Line {
    let question = &entry.question;
    // A report is no sitting: what the core asks to be remembered is left out here.
    let _ = update(quiz, Action::Open(entry.name.clone()));
    for line in &answer.picks {
        let _ = update(quiz, Action::Pick(*line));
    }
    let found = quiz.sitting().and_then(|sitting| sitting.outcome());
    let chosen = answer.picks.first().copied();
    let result = match (chosen, found) {
        (None, _) => Mark::Missing,
        (Some(_), Some(Found::Found { pick: 1, .. })) => Mark::Right,
        (Some(_), _) => Mark::Wrong,
    };
    let why = match chosen.map(|line| grade(question, line)) {
        Some(Grade::Near(feedback)) => feedback.to_owned(),
        _ => question.spot.explanation.clone(),
    };
    let text = |line: usize| lines(&question.spot.code).get(line).map(|text| text.trim().to_owned());
    Line {
        result,
        chosen,
        code: chosen.and_then(|line| text(line.index())),
        picks: answer.picks.clone(),
        accepted: question.accepted().collect(),
        why,
    }
}

fn grade_fix(entry: &Entry, text: String, handle: &Handle, weights: Weights, times: bool) -> Result<Fix, Error> {
    let gone = || Error::machinery(format!("the runner went away in the middle of the fix for `{}`", entry.name));
    let outcome = Outcome::wait(handle).ok_or_else(gone)?;
    if outcome.ending.verdict == Verdict::MachineryFailed {
        let message = format!("the fix for `{}` could not be run: {}", entry.name, outcome.ending.detail);
        return Err(Error::machinery(message).hint("`fencepost doctor` says what is missing"));
    }
    let mut ran = Run::new(Role::Fix, &outcome, &outcome.ending);
    let passed = ran.repairs(&entry.question);
    ran.wall_ms = ran.wall_ms.filter(|_| times);
    Ok(Fix {
        result: if passed { FixMark::Passed } else { FixMark::Failed },
        passed,
        counted: for_fix(entry, weights) > 0,
        text: Some(text),
        ran: Some(ran),
    })
}

/// What is to be said where no fix was handed in: that one is missing, where it would count.
fn no_fix(entry: &Entry, weights: Weights) -> Option<Fix> {
    let counted = for_fix(entry, weights) > 0;
    counted.then_some(Fix { result: FixMark::Missing, passed: false, counted, text: None, ran: None })
}

fn weigh(entry: &Entry, answer: &Answer, line: Line, fix: Option<Fix>, weights: Weights) -> Graded {
    let question = &entry.question;
    let suspicious = fix.as_ref().is_some_and(Fix::is_suspicious);
    let mut score = 0;
    if line.result == Mark::Right {
        score += u64::from(weights.line);
    }
    if fix.as_ref().is_some_and(|fix| fix.passed) {
        score += for_fix(entry, weights);
    }
    if suspicious {
        score = 0;
    }
    let point = |point: &usize| {
        let text = question.say.points.get(point.checked_sub(1)?)?;
        Some(Point { point: *point, text: text.clone() })
    };
    let points = answer
        .points
        .as_ref()
        .map(|covered| Points { covered: covered.iter().filter_map(point).collect(), of: question.say.points.len() });
    Graded { question: entry.name.clone(), score, of: worth(entry, weights), suspicious, line, fix, points }
}

/// What a right answer to the question of `entry` is worth.
pub fn worth(entry: &Entry, weights: Weights) -> u64 {
    u64::from(weights.line) + for_fix(entry, weights)
}

/// Nobody can earn what nothing can grade.
fn for_fix(entry: &Entry, weights: Weights) -> u64 {
    if entry.question.checks.is_empty() { 0 } else { u64::from(weights.fix) }
}

/// The sum of what was graded.
fn total(graded: &[Graded], pass_mark: PassMark) -> Total {
    let score = graded.iter().map(|graded| graded.score).sum();
    let of = graded.iter().map(|graded| graded.of).sum();
    Total {
        passed: pass_mark.is_reached(score, of),
        score,
        of,
        percent: percent(score, of),
        right: graded.iter().filter(|graded| graded.line.result == Mark::Right).count(),
        asked: graded.len(),
        suspicious: graded.iter().any(|graded| graded.suspicious),
    }
}

/// The whole report.
pub fn report(questions: Vec<Graded>, terms: Terms, problems: Vec<Problem>) -> Report {
    Report { total: total(&questions, terms.pass_mark), terms, questions, problems }
}
