//! What gives the line away before a learner has looked for it.
//!
//! Owns the sixth proof. The text of an accepted line in what learners read first is an error. What merely smells of the
//! answer is a warning, since a word may be innocent; so is what gives the repair away, in the checks that learners see while
//! they look for one.

mod quoted;
mod said;
mod smells;

use std::collections::HashSet;
use std::ops::Range;

use crate::content::diagnostic::{Severity, codes};
use crate::content::findings::Findings;
use crate::content::locate::Step;
use crate::content::python::{Comment, Program, Reader};
use crate::content::question::{Answer, LineNo, Question, lines};
use crate::content::texts;
use quoted::Quoted;
use said::Side;

const CODE: [Step; 2] = [Step::Key("spot"), Step::Key("code")];

/// Notes what gives the line of `question` away in its prose.
pub(super) fn prose(findings: &mut Findings<'_>, question: &Question) {
    for text in texts::of(question).iter().filter(|text| text.before) {
        let quoted = Quoted::prose(text.words);
        for answer in question.spot.answers.iter().filter(|answer| quoted.holds(&answer.code)) {
            let span = findings.word(&text.path, answer.code.trim());
            let message = format!("the text of the accepted line {} stands here", answer.line);
            let help = "say what goes wrong, seen from outside, and leave the line to the learner".to_owned();
            findings.push(Severity::Error, codes::GIVEN_AWAY, span, message, help);
        }
        for said in said_lines(question, text.words) {
            let span = findings.word(&text.path, said);
            names_an_accepted_line(findings, said, span);
        }
    }
    neighbours(findings, question);
}

/// Notes near misses that name an accepted line as their neighbour.
fn neighbours(findings: &mut Findings<'_>, question: &Question) {
    let program = lines(&question.spot.code);
    let is_written = |line: &LineNo| program.get(line.index()).is_some_and(|text| !text.trim().is_empty());
    for (at, near) in question.spot.near.iter().enumerate() {
        let path = [Step::Key("spot"), Step::Key("near"), Step::At(at), Step::Key("feedback")];
        for (said, side) in said::beside(&near.feedback) {
            let mut above = (0..near.line.index()).rev().map(LineNo::from_index);
            let mut below = (near.line.index() + 1..program.len()).map(LineNo::from_index);
            let meant = match side {
                Side::Above => above.find(is_written),
                Side::Below => below.find(is_written),
            };
            if meant.is_some_and(|line| question.accepts(line)) {
                let span = findings.word(&path, said);
                names_an_accepted_line(findings, said, span);
            }
        }
    }
}

/// Notes what gives the line of `question` away in its buggy program.
pub(super) fn program(findings: &mut Findings<'_>, question: &Question, program: &Program<'_>) {
    let mut comments = program.comments();
    one_comment(findings, question, &comments);
    // A text that stands by itself is a comment to whoever reads the program.
    comments.extend(program.strings().into_iter().filter(|text| text.alone).map(|text| text.comment));
    for comment in &comments {
        if quotes_the_answer(findings, question, comment, "a comment", "remove the comment") {
            continue;
        }
        for (line, text) in (comment.line.index()..).map(LineNo::from_index).zip(comment.text.lines()) {
            if let Some(message) = smells::in_comment(text) {
                let span = in_line(findings, line, text.trim());
                let help = "let comments describe the world, such as `the TTL is 10 s`, and not the fault".to_owned();
                findings.push(Severity::Warning, codes::HINTS_AT_ANSWER, span, message, help);
            }
            for said in said_lines(question, text) {
                let span = in_line(findings, line, said);
                names_an_accepted_line(findings, said, span);
            }
        }
    }
    // Learners see what a program prints, too.
    for text in program.strings().into_iter().filter(|text| !text.alone).map(|text| text.comment) {
        if !quotes_the_answer(findings, question, &text, "a text of the program", "let the text say something else") {
            for said in said_lines(question, text.text) {
                let span = in_line(findings, text.line, said);
                names_an_accepted_line(findings, said, span);
            }
        }
    }
    let made: HashSet<&str> = program.made().into_iter().collect();
    for (line, name) in program.names() {
        if smells::in_name(name, made.contains(name)).is_some() {
            let span = in_line(findings, line, name);
            let message = format!("the name `{name}` tells where to look");
            let help = "name it after what it does, as if nothing were wrong with it".to_owned();
            findings.push(Severity::Warning, codes::HINTS_AT_ANSWER, span, message, help);
        }
    }
}

fn quotes_the_answer(
    findings: &mut Findings<'_>,
    question: &Question,
    text: &Comment<'_>,
    place: &str,
    help: &str,
) -> bool {
    let Some(answer) = answer_in(question, &Quoted::plain(text.text)) else { return false };
    let span = in_line(findings, text.line, text.text);
    let message = format!("the text of the accepted line {} stands in {place}", answer.line);
    findings.push(Severity::Error, codes::GIVEN_AWAY, span, message, help.to_owned());
    true
}

/// Notes an accepted line that stands out because it alone has a comment.
fn one_comment(findings: &mut Findings<'_>, question: &Question, comments: &[Comment<'_>]) {
    let trailing: Vec<&Comment<'_>> = comments.iter().filter(|comment| comment.trailing).collect();
    if let [only] = trailing[..]
        && question.accepts(only.line)
    {
        let span = in_line(findings, only.line, only.text);
        let message = "the only line with a comment is the accepted one".to_owned();
        let help = "comment other lines as well, or put the comment above the block".to_owned();
        findings.push(Severity::Warning, codes::HINTS_AT_ANSWER, span, message, help);
    }
}

fn names_an_accepted_line(findings: &mut Findings<'_>, said: &str, span: Range<usize>) {
    let message = format!("`{said}` names an accepted line");
    let help = "speak of what the program does there, or leave it out".to_owned();
    findings.push(Severity::Warning, codes::HINTS_AT_ANSWER, span, message, help);
}

/// Notes what the checks tell of the repair: their names, and what their asserts say when they fail.
pub(super) fn checks(findings: &mut Findings<'_>, question: &Question, reader: &mut Reader) {
    let repair = repair_lines(question);
    for (at, check) in question.checks.iter().enumerate() {
        let path = |key| [Step::Key("check"), Step::At(at), Step::Key(key)];
        // Of the line itself, the name is prose like any other.
        let name = Quoted::prose(&check.name);
        if let Some(line) = repair.iter().find(|line| name.holds(line)) {
            let span = findings.word(&path("name"), line);
            tell(findings, span, "a line of the repair stands here");
        }
        let Some(program) = reader.read(&check.code) else { continue };
        for (line, message) in program.messages() {
            if let Some((told, words)) = tells_the_repair(question, &repair, message) {
                let line = findings.line(&path("code"), line);
                let span = findings.narrow(line, words);
                tell(findings, span, &told);
            }
        }
    }
}

fn tell(findings: &mut Findings<'_>, span: Range<usize>, told: &str) {
    let help = "say what a right program does, seen from outside, and leave the repair to the learner".to_owned();
    let message = format!("{told}, and learners see the checks before they have repaired the program");
    findings.push(Severity::Warning, codes::HINTS_AT_ANSWER, span, message, help);
}

/// What of the repair the message of an assert tells, and the words that do.
fn tells_the_repair<'q>(question: &'q Question, repair: &[&'q str], message: &'q str) -> Option<(String, &'q str)> {
    let quoted = Quoted::plain(message);
    if let Some(answer) = answer_in(question, &quoted) {
        let told = format!("the text of the accepted line {} stands here", answer.line);
        return Some((told, answer.code.trim()));
    }
    if let Some(line) = repair.iter().find(|line| quoted.holds(line)) {
        return Some(("a line of the repair stands here".to_owned(), line));
    }
    let said = said_lines(question, message).into_iter().next()?;
    Some((format!("`{said}` names an accepted line"), said))
}

fn answer_in<'q>(question: &'q Question, text: &Quoted) -> Option<&'q Answer> {
    question.spot.answers.iter().find(|answer| text.holds(&answer.code))
}

/// The lines of the repair, without those that are in the program already: a repair that inserts has some.
fn repair_lines(question: &Question) -> Vec<&str> {
    let program: HashSet<String> = lines(&question.spot.code).into_iter().map(squeeze).collect();
    let repairs = question.spot.repairs.iter().flat_map(|repair| lines(&repair.with));
    repairs.filter(|line| !program.contains(&squeeze(line))).map(str::trim).collect()
}

/// The words in `text` that name an accepted line by its number, each once.
fn said_lines<'t>(question: &Question, text: &'t str) -> Vec<&'t str> {
    let said = said::lines(text, question.line_count()).into_iter();
    let said = said.filter(|said| question.accepted().any(|line| said.names(line))).map(|said| said.words);
    let mut seen = HashSet::new();
    said.filter(|words| seen.insert(*words)).collect()
}

fn in_line(findings: &Findings<'_>, line: LineNo, word: &str) -> Range<usize> {
    let span = findings.line(&CODE, line);
    findings.narrow(span, word)
}

/// `text` without its blanks.
fn squeeze(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Whether `word` is among `words`, which have blanks between them.
fn is_one_of(words: &str, word: &str) -> bool {
    words.split(' ').any(|it| it == word)
}
