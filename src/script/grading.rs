//! Grades answers.
//!
//! Any accepted line is right, the first pick counts, a fix is right when the program comes to its end and every check
//! passes, and a missing part is worth nothing. Lines are graded as in the screens; fixes go to the runner, several at once.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::content::catalog::Entry;
use crate::content::question::lines;
use crate::error::Error;
use crate::quiz::grade::{Grade, grade};
use crate::quiz::runnable;
use crate::runner::recording::Outcome;
use crate::runner::{Handle, Job, Limits, Runner, Verdict};
use crate::script::answers::{Answer, Answers};
use crate::script::problem::Problem;
use crate::script::report::{Fix, FixMark, Graded, Line, Mark, Point, Points, Report, Terms, Total};
use crate::script::run::{Role, Run};
use crate::script::scoring::{PassMark, Weights, percent};

/// Fixes that the runner holds at a time. It runs one on each core; the others wait in memory.
const AHEAD: usize = 64;

/// A question whose fix runs, if one was handed in.
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
    questions: &[Arc<Entry>],
    answers: &Answers,
    weights: Weights,
    times: bool,
    runner: &dyn Runner,
    mut tell: impl FnMut(&Graded) -> Result<(), Error>,
) -> Result<Vec<Graded>, Error> {
    let nothing = Answer::default();
    let mut to_start = questions.iter();
    let mut started: VecDeque<Started<'_>> = VecDeque::new();
    let mut graded = Vec::with_capacity(questions.len());
    loop {
        while started.len() < AHEAD
            && let Some(entry) = to_start.next()
        {
            let answer = answers.get(&entry.name).unwrap_or(&nothing);
            let start = |source: String| {
                let job = Job { source, mode: runnable::grade(&entry.question), limits: Limits::default() };
                runner.start(job)
            };
            let fix = answer.fix.clone().map(|fix| (start(fix.clone()), fix));
            started.push_back(Started { entry, answer, fix });
        }
        let Some(Started { entry, answer, fix }) = started.pop_front() else { return Ok(graded) };
        let line = grade_line(entry, answer);
        let fix = match fix {
            Some((handle, text)) => Some(grade_fix(entry, text, &handle, weights, times)?),
            None => no_fix(entry, weights),
        };
        let one = weigh(entry, answer, line, fix, weights);
        tell(&one)?;
        graded.push(one);
    }
}

fn grade_line(entry: &Entry, answer: &Answer) -> Line {
    let question = &entry.question;
    let chosen = answer.picks.first().copied();
    let grade = chosen.map(|line| grade(question, line));
    let why = match grade {
        Some(Grade::Near(feedback)) => feedback,
        _ => &question.spot.explanation,
    };
    let text = |line: usize| lines(&question.spot.code).get(line).map(|text| text.trim().to_owned());
    Line {
        result: match grade {
            None => Mark::Missing,
            Some(Grade::Right) => Mark::Right,
            Some(_) => Mark::Wrong,
        },
        ask: question.spot.ask,
        chosen,
        code: chosen.and_then(|line| text(line.index())),
        picks: answer.picks.clone(),
        accepted: question.accepted().collect(),
        why: why.to_owned(),
    }
}

fn grade_fix(entry: &Entry, text: String, handle: &Handle, weights: Weights, times: bool) -> Result<Fix, Error> {
    let gone = || Error::machinery(format!("the runner stopped in the middle of the fix for `{}`", entry.name));
    let outcome = Outcome::wait(handle).ok_or_else(gone)?;
    if outcome.ending.verdict == Verdict::MachineryFailed {
        let message = format!("cannot run the fix for `{}`: {}", entry.name, outcome.ending.detail);
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

/// A missing fix, where one would count.
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

/// The worth of a right answer to the question of `entry`.
pub fn worth(entry: &Entry, weights: Weights) -> u64 {
    u64::from(weights.line) + for_fix(entry, weights)
}

/// The worth of a fix: nothing where a question has no checks to grade it.
fn for_fix(entry: &Entry, weights: Weights) -> u64 {
    if entry.question.checks.is_empty() { 0 } else { u64::from(weights.fix) }
}

/// The sum over all questions.
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
