//! Applies the rules for authors that need no run.
//!
//! Learners can use a question that breaks one. Rules that make a question unusable are in `content/validate.rs`.

use crate::author::drafts::Draft;
use crate::author::python::Reader;
use crate::author::{
    determinism, empty_checks, fixed_lines, leftovers, lint, placeholders, refusals, spelling, spoilers,
};
use crate::content::diagnostic::{Severity, codes};
use crate::content::locate::Step;
use crate::content::problems::Problems;
use crate::content::question::{Date, Question, Verified};
use crate::content::{stamp, versions};

/// Adds the rules that the question of `draft` breaks to its problems. The spelling check accepts `words`. Facts that were looked
/// up more than `stale` days before `today` should be looked up again.
pub fn apply(draft: &mut Draft, words: &[String], today: Date, stale: Option<u32>) {
    let Some(question) = draft.readable() else { return };
    let problems = Problems::new(draft.file.clone());
    lint::size(&problems, question);
    fixed_lines::check(&problems, question);
    if let Some(mut reader) = Reader::new() {
        let buggy = reader.read(&question.spot.code);
        let fixed = reader.read(&question.fixed.code);
        if let (Some(buggy), Some(fixed)) = (buggy, fixed) {
            lint::names(&problems, &buggy, &fixed);
        }
        determinism::check(&problems, question, &mut reader);
        spoilers::check(&problems, question, &mut reader);
        lint::scripts(&problems, question, &mut reader);
        placeholders::check(&problems, question, &mut reader);
        leftovers::check(&problems, question, &mut reader);
        refusals::check(&problems, question, &mut reader);
        empty_checks::check(&problems, question, &mut reader);
    }
    lint::line_breaks(&problems, question);
    lint::prompt(&problems, question);
    lint::answer(&problems, question);
    lint::check_names(&problems, question);
    lint::days(&problems, question, today);
    if let Some(days) = stale {
        lint::facts(&problems, question, today, days);
    }
    spelling::check(&problems, question, words);
    if let Some(verified) = question.verified.as_ref().filter(|_| draft.usable().is_some()) {
        stale_stamp(&problems, question, verified);
    }
    draft.problems.extend(problems.finish());
    draft.problems.sort_by_key(|problem| problem.span.start);
}

/// Reports a stamp that does not match the question.
fn stale_stamp(problems: &Problems, question: &Question, verified: &Verified) {
    let stale = |key, message: String| {
        let span = problems.place(&[Step::Key("verified"), Step::Key(key)]);
        let help = "run `fencepost author check --stamp` to prove them again".to_owned();
        problems.push(Severity::Warning, codes::STALE_STAMP, span, message, help);
    };
    if !stamp::covers(verified, question) {
        stale("hash", "the programs, checks or answers have changed since they were verified".to_owned());
    }
    let range = &question.python;
    if let Some(python) = verified.pythons().find(|it| !versions::allows(range, it)) {
        stale("python", format!("the programs were verified on Python {python}, which is not in `{range}`"));
    }
}
