//! A report as JUnit XML: a suite for each question, a case for each part of it.
//!
//! The dialect is the one that `junit-10.xsd` of the Jenkins xUnit plugin allows and that GitHub and GitLab read.

use std::fmt::Write as _;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report as Document, SerializeError, TestCase, TestCaseStatus, TestSuite};
use serde_json::Value;

use crate::script::ascii;
use crate::script::parts::{Part, Status, of_the_question, of_the_quiz, parts, within};
use crate::script::report::{Graded, Report};
use crate::text::{self, is_unseen};

/// Name of the document, and of the suite where nothing was asked.
const NAME: &str = "fencepost quiz";

/// Stands for `&#` until the document is written: quick-junit drops tabs, and line feeds in its attributes become blanks in
/// a reader. XML cannot hold this character, so no text has it.
const REFERENCE: &str = "\u{fffe}";

/// Writes the whole document.
///
/// # Errors
///
/// The library cannot write it.
pub fn document(report: &Report) -> Result<String, SerializeError> {
    let mut document = Document::new(NAME);
    document.add_test_suites(report.questions.iter().map(|graded| suite(report, Some(graded))));
    // `testsuites` can have no properties, so a suite without a case has them.
    if report.questions.is_empty() {
        document.add_test_suite(suite(report, None));
    }
    document.time = sum(document.test_suites.iter().map(|suite| suite.time));
    // The schema knows this attribute on suites only; the first one is that of `testsuites`.
    let skipped = format!(" skipped=\"{}\"", document.skipped);
    Ok(document.to_string()?.replacen(&skipped, "", 1).replace(REFERENCE, "&#"))
}

fn suite(report: &Report, graded: Option<&Graded>) -> TestSuite {
    let name = graded.map_or_else(|| NAME.to_owned(), |graded| graded.question.to_string());
    let parts = graded.map(|graded| parts(graded, report)).unwrap_or_default();
    let mut suite = TestSuite::new(attribute(&name));
    let question = graded.map(of_the_question).unwrap_or_default();
    let of_parts = parts.iter().map(|part| {
        // Output has elements of its own.
        let facts = part.facts.iter().filter(|(name, _)| !["stdout", "stderr"].contains(&name.as_str()));
        within(part.name, facts.cloned().collect())
    });
    // The schema allows a case no properties, so the suite has them.
    for (name, value) in [of_the_quiz(report), within("question", question)].into_iter().chain(of_parts).flatten() {
        suite.add_property((name, attribute(&property(&value))));
    }
    suite.add_test_cases(parts.iter().map(|part| case(&name, part)));
    suite.time = sum(suite.test_cases.iter().map(|case| case.time));
    suite
}

/// The sum of `times`; `None` where one is left out.
fn sum(mut times: impl Iterator<Item = Option<Duration>>) -> Option<Duration> {
    times.try_fold(Duration::ZERO, |sum, time| sum.checked_add(time?))
}

fn case(question: &str, part: &Part) -> TestCase {
    let summary = part.sentence.lines().next().unwrap_or_default();
    let mut status = match part.status {
        Status::Passed => TestCaseStatus::success(),
        Status::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Status::NotCounted => TestCaseStatus::skipped(),
    };
    match part.status {
        Status::Passed => {}
        Status::Failed => {
            status.set_message(attribute(summary)).set_type(part.result).set_description(element(&explanation(part)));
        }
        Status::NotCounted => {
            status.set_message(attribute(&format!("not counted: {summary}")));
        }
    }
    let mut case = TestCase::new(part.name, status);
    // Jenkins takes what stands before the last dot for a package and groups by it.
    case.set_classname(attribute(&question.replace('/', ".")));
    case.time = part.wall_ms.and_then(|wall_ms| Duration::try_from_secs_f64(wall_ms / 1000.0).ok());
    if let Some((stdout, stderr)) = &part.written {
        case.set_system_out(element(stdout)).set_system_err(element(stderr));
    }
    case
}

/// Text of a failure: the outcome, why, and what the program wrote.
fn explanation(part: &Part) -> String {
    let mut words = part.sentence.clone();
    let why = part.facts.iter().find(|(name, _)| name == "why").and_then(|(_, why)| why.as_str());
    if let Some(why) = why {
        let _ = write!(words, "\n{why}");
    }
    if let Some((stdout, stderr)) = &part.written {
        for (name, text) in [("stdout", stdout), ("stderr", stderr)] {
            for line in text::raw_lines(text) {
                let _ = write!(words, "\n{name} | {line}");
            }
        }
    }
    words
}

/// The value of a property; null is empty.
fn property(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        // What XML cannot hold is an escape in JSON.
        other => ascii::for_yaml(&other.to_string()).into_owned(),
    }
}

/// Text for an attribute. A parser returns it unchanged, except what XML cannot hold.
fn attribute(text: &str) -> String {
    encoded(text, |_| false)
}

/// Text for an element. People read it, so what a terminal would obey is shown; the property `fix.output` has it unchanged.
fn element(text: &str) -> String {
    encoded(text, |c| !['\n', '\t'].contains(&c)).replace(&format!("{REFERENCE}xA;"), "\n")
}

/// `text` with references for invisible characters and those that a terminal obeys. Those that `shown` holds for, or that
/// XML 1.0 cannot hold (<https://www.w3.org/TR/xml/#charsets>), are shown instead.
fn encoded(text: &str, shown: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        let allowed = c >= ' ' || ['\n', '\t', '\r'].contains(&c);
        let _ = match c {
            '\u{fffe}' | '\u{ffff}' => write!(out, "<U+{:X}>", u32::from(c)),
            c if !(c.is_control() || is_unseen(c)) => write!(out, "{c}"),
            c if allowed && !shown(c) => write!(out, "{REFERENCE}x{:X};", u32::from(c)),
            c => write!(out, "{}", text::line(c.encode_utf8(&mut [0; 4]))),
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_kept_as_references_or_shown() {
        assert_eq!(attribute("a\"<&>\n\tb\r\u{202e}"), "a\"<&>\u{fffe}xA;\u{fffe}x9;b\u{fffe}xD;\u{fffe}x202E;");
        assert_eq!(attribute("\u{1b}\u{0}\u{ffff}"), "␛␀<U+FFFF>");
        assert_eq!(element("\u{1b}[2J \r\n\t\u{202e}\u{9b}"), "␛[2J ␍\n\u{fffe}x9;<U+202E><U+009B>");
    }
}
