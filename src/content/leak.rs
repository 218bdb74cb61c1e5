//! What gives the line away before a learner has looked for it.
//!
//! Owns the sixth proof. The text of an accepted line in what learners read first is an error. What merely smells of the
//! answer is a warning, since a word may be innocent; so is what gives the repair away, in the checks that learners see while
//! they look for one.

use crate::content::diagnostic::{Severity, codes};
use crate::content::findings::Findings;
use crate::content::locate::Step;
use crate::content::python::{Comment, Program, Reader};
use crate::content::question::{LineNo, Question, lines};
use crate::content::texts;

/// Letters and digits that the text of a line needs to be recognised: `x = 1` may stand anywhere, as may a single word.
const SHORTEST: usize = 6;

/// Words that authors use of the fault, in names and comments.
const SMELLS: [&str; 18] = [
    "bug",
    "bugs",
    "buggy",
    "broken",
    "wrong",
    "wrongly",
    "unsafe",
    "faulty",
    "fault",
    "incorrect",
    "incorrectly",
    "flawed",
    "flaw",
    "oops",
    "mistake",
    "fixme",
    "todo",
    "xxx",
];

const CODE: [Step; 2] = [Step::Key("spot"), Step::Key("code")];

/// Notes what gives the line of `question` away. `program` is its buggy program.
pub(super) fn check(findings: &mut Findings<'_>, question: &Question, program: &Program<'_>) {
    texts_with_the_answer(findings, question);
    texts_with_the_number(findings, question);
    comments(findings, question, &program.comments());
    for (line, name) in program.names() {
        if parts(name).iter().any(|part| SMELLS.contains(&part.as_str())) {
            let span = in_line(findings, line, name);
            let help = "name it after what it does, as if nothing were wrong with it".to_owned();
            findings.push(
                Severity::Warning,
                codes::HINTS_AT_ANSWER,
                span,
                format!("the name `{name}` tells where to look"),
                help,
            );
        }
    }
}

fn texts_with_the_answer(findings: &mut Findings<'_>, question: &Question) {
    for text in texts::of(question).iter().filter(|text| text.before) {
        let squeezed = squeeze(text.words);
        for answer in &question.spot.answers {
            if says(&squeezed, &answer.code) {
                let span = findings.word(&text.path, answer.code.trim());
                let message = format!("the text of the accepted line {} stands here", answer.line);
                let help = "say what goes wrong, seen from outside, and leave the line to the learner".to_owned();
                findings.push(Severity::Error, codes::GIVEN_AWAY, span, message, help);
            }
        }
    }
}

fn texts_with_the_number(findings: &mut Findings<'_>, question: &Question) {
    for text in texts::of(question).iter().filter(|text| text.before) {
        for line in question.accepted() {
            if let Some(said) = names_line(text.words, line) {
                let span = findings.word(&text.path, &said);
                let message = format!("`{said}` names an accepted line");
                let help = "speak of what the program does there, or leave it out".to_owned();
                findings.push(Severity::Warning, codes::HINTS_AT_ANSWER, span, message, help);
            }
        }
    }
}

fn comments(findings: &mut Findings<'_>, question: &Question, comments: &[Comment<'_>]) {
    for comment in comments {
        let squeezed = squeeze(comment.text);
        if let Some(answer) = question.spot.answers.iter().find(|answer| says(&squeezed, &answer.code)) {
            let span = in_line(findings, comment.line, comment.text);
            let message = format!("the text of the accepted line {} stands in a comment", answer.line);
            let help = "remove the comment".to_owned();
            findings.push(Severity::Error, codes::GIVEN_AWAY, span, message, help);
            continue;
        }
        if let Some(word) = parts(comment.text).into_iter().find(|part| SMELLS.contains(&part.as_str())) {
            let span = in_line(findings, comment.line, comment.text);
            let message = format!("a comment that says `{word}` tells where to look");
            let help = "let comments describe the world, such as `the TTL is 10 s`, and not the fault".to_owned();
            findings.push(Severity::Warning, codes::HINTS_AT_ANSWER, span, message, help);
        }
    }
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

/// Notes what the checks tell of the repair: their names, and what their asserts say when they fail.
pub(super) fn checks(findings: &mut Findings<'_>, question: &Question, reader: &mut Reader) {
    for (at, check) in question.checks.iter().enumerate() {
        let path = |key| [Step::Key("check"), Step::At(at), Step::Key(key)];
        if let Some((told, words)) = tells_the_repair(question, &check.name) {
            let span = findings.word(&path("name"), &words);
            tell(findings, span, &told);
        }
        let Some(program) = reader.read(&check.code) else { continue };
        for (line, message) in program.messages() {
            if let Some((told, words)) = tells_the_repair(question, message) {
                let line = findings.line(&path("code"), line);
                let span = findings.narrow(line, &words);
                tell(findings, span, &told);
            }
        }
    }
}

fn tell(findings: &mut Findings<'_>, span: std::ops::Range<usize>, told: &str) {
    let help = "say what a right program does, seen from outside, and leave the repair to the learner".to_owned();
    let message = format!("{told}, and learners see the checks before they have repaired the program");
    findings.push(Severity::Warning, codes::HINTS_AT_ANSWER, span, message, help);
}

/// What of the repair `text` tells, and the words that do.
fn tells_the_repair(question: &Question, text: &str) -> Option<(String, String)> {
    let squeezed = squeeze(text);
    if let Some(answer) = question.spot.answers.iter().find(|answer| says(&squeezed, &answer.code)) {
        let told = format!("the text of the accepted line {} stands here", answer.line);
        return Some((told, answer.code.trim().to_owned()));
    }
    let program: Vec<String> = lines(&question.spot.code).into_iter().map(squeeze).collect();
    // A repair that inserts has lines that are there already.
    let repairs = question.spot.repairs.iter().flat_map(|repair| lines(&repair.with));
    let mut new = repairs.filter(|line| !program.contains(&squeeze(line)));
    if let Some(line) = new.find(|line| says(&squeezed, line)) {
        return Some(("a line of the repair stands here".to_owned(), line.trim().to_owned()));
    }
    let said = question.accepted().into_iter().find_map(|line| names_line(text, line))?;
    Some((format!("`{said}` names an accepted line"), said))
}

/// The words in `text` that name this line by its number.
fn names_line(text: &str, line: LineNo) -> Option<String> {
    let said = [format!("line {line}"), format!("Line {line}"), format!("lines {line}")];
    let names = |said: &String| text.match_indices(said.as_str()).any(|(at, _)| !digit_at(text, at + said.len()));
    said.into_iter().find(names)
}

fn digit_at(text: &str, at: usize) -> bool {
    text.as_bytes().get(at).is_some_and(u8::is_ascii_digit)
}

fn in_line(findings: &Findings<'_>, line: LineNo, word: &str) -> std::ops::Range<usize> {
    let span = findings.line(&CODE, line);
    findings.narrow(span, word)
}

/// `text` without its blanks.
fn squeeze(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Whether a squeezed text holds the line of code, whatever blanks are in it. A comment behind the code need not be there.
fn says(squeezed: &str, code: &str) -> bool {
    let code = code.split_once("  #").map_or(code, |(code, _)| code).trim().trim_end_matches(':');
    let is_a_word = code.chars().all(char::is_alphanumeric);
    let code = squeeze(code);
    let letters = code.chars().filter(|c| c.is_alphanumeric()).count();
    !is_a_word && letters >= SHORTEST && squeezed.contains(&code)
}

/// The words in a name or a sentence, in small letters: `unsafe_put`, `UnsafePut` and "unsafe put" have the same.
fn parts(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut small = false;
    for c in text.chars() {
        if !c.is_alphanumeric() || (small && c.is_uppercase()) {
            all.push(String::new());
        }
        small = c.is_lowercase();
        if c.is_alphanumeric()
            && let Some(last) = all.last_mut()
        {
            last.extend(c.to_lowercase());
        }
    }
    all.retain(|part| !part.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_names_and_lines_in_prose() {
        assert_eq!(parts("unsafe_putItem2 HTTPBug"), ["unsafe", "put", "item2", "httpbug"]);
        assert!(says(&squeeze("see `self.report = report` there"), "self.report  =  report"));
        assert!(says(&squeeze("loop `for x in values`"), "for x in values:"));
        assert!(says(&squeeze("loop `self.report = report`"), "self.report = report  # the newest"));
        assert!(!says(&squeeze("return"), "return"), "too short to be recognised");
        assert!(!says(&squeeze("report = self.report"), "self.report = report"));
    }
}
