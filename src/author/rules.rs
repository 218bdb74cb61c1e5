//! Applies the rules for authors that need no run.
//!
//! Learners can use a question that breaks one. Rules that make a question unusable are in `content/validate.rs`.

use std::sync::Arc;

use crate::author::python::Reader;
use crate::author::{determinism, lint, spelling, spoilers};
use crate::content::diagnostic::{Diagnostic, Severity, SourceFile, codes};
use crate::content::locate::Step;
use crate::content::problems::Problems;
use crate::content::question::{Date, Question, Verified};
use crate::content::{stamp, versions};

/// Context of the rules besides the question.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// Words that the spelling check accepts.
    pub words: &'a [String],
    /// Today.
    pub today: Date,
    /// Days after which a fact should be looked up again.
    pub stale: Option<u32>,
    /// True if the question cannot be used yet, so that its stamp is not checked.
    pub unusable: bool,
}

/// Every rule that `question`, read from `file`, breaks.
pub fn broken(question: &Question, file: &Arc<SourceFile>, context: &Context<'_>) -> Vec<Diagnostic> {
    let problems = Problems::new(file.clone());
    lint::size(&problems, question);
    if let Some(mut reader) = Reader::new() {
        let buggy = reader.read(&question.spot.code);
        let fixed = reader.read(&question.fixed.code);
        if let (Some(buggy), Some(fixed)) = (buggy, fixed) {
            lint::names(&problems, &buggy, &fixed);
        }
        determinism::check(&problems, question, &mut reader);
        spoilers::check(&problems, question, &mut reader);
        lint::checks_that_cannot_fail(&problems, question, &mut reader);
    }
    lint::check_names(&problems, question);
    lint::days(&problems, question, context.today);
    if let Some(days) = context.stale {
        lint::facts(&problems, question, context.today, days);
    }
    spelling::check(&problems, question, context.words);
    if let Some(verified) = question.verified.as_ref().filter(|_| !context.unusable) {
        stale_stamp(&problems, question, verified);
    }
    problems.finish()
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
    if !versions::allows(&question.python, &verified.python) {
        let (python, range) = (&verified.python, &question.python);
        stale("python", format!("the programs were verified on Python {python}, which is not in `{range}`"));
    }
}
