//! Reads a file of answers: TOML, or JSON lines.
//!
//! ```toml
//! format = 1
//!
//! [[answer]]
//! question = "fencing-tokens"
//! line = 8
//! ```
//!
//! ```json
//! {"question": "fencing-tokens", "line": 8}
//! ```
//!
//! A JSON line may say `"format": 1` too.
//!
//! Every mistake of the file is listed. A file with one is not graded at all: half a grade is worse than none.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;
use toml::Spanned;
use toml::de::DeTable;

use crate::content::catalog::{Catalog, LookupError};
use crate::content::decode::Table;
use crate::content::diagnostic::{Diagnostic, SourceFile, codes};
use crate::content::problems::Problems;
use crate::content::question::{LineNo, QuestionName};
use crate::content::suggestion::closest;

/// The version of the format.
const FORMAT: i64 = 1;

/// Answers by question.
pub type Answers = BTreeMap<QuestionName, LineNo>;

/// Reads the answers in `file`, whose questions are those of `catalog`.
///
/// # Errors
///
/// Every problem of the file, in its order.
pub fn parse(file: &Arc<SourceFile>, catalog: &Catalog) -> Result<Answers, Vec<Diagnostic>> {
    let problems = Problems::new(file.clone());
    // A JSON object starts with a brace; a TOML document cannot.
    let given = if file.text.trim_start().starts_with('{') {
        json_lines(&problems, &file.text)
    } else {
        toml(&problems, &file.text)
    };
    let mut answers = Answers::new();
    let mut first_at: BTreeMap<QuestionName, usize> = BTreeMap::new();
    for answer in given {
        let Some(name) = known(&problems, catalog, &answer) else { continue };
        if let Some(first) = first_at.get(&name) {
            let first = line_of(&file.text, *first);
            problems.error(
                codes::DUPLICATE_ANSWER,
                answer.span,
                format!("`{name}` already has an answer in line {first}"),
                "",
                "keep one of them",
            );
            continue;
        }
        first_at.insert(name.clone(), answer.span.start);
        if let Some(line) = answer.line {
            answers.insert(name, line);
        }
    }
    let problems = problems.finish();
    if problems.is_empty() { Ok(answers) } else { Err(problems) }
}

/// One answer as it stands in the file.
struct Given {
    question: String,
    /// The line; `None` where it could not be read, which is among the problems.
    line: Option<LineNo>,
    /// Where the question is named.
    span: Range<usize>,
    /// Where the line is.
    line_span: Range<usize>,
}

fn known(problems: &Problems, catalog: &Catalog, answer: &Given) -> Option<QuestionName> {
    let error = |message: String, help: String| {
        problems.error(codes::UNKNOWN_QUESTION, answer.span.clone(), message, "", help);
    };
    let entry = match catalog.find(&answer.question) {
        Ok(entry) => entry,
        Err(LookupError::Unknown { similar }) => {
            let help = match similar.first() {
                Some(name) => format!("did you mean `{name}`?"),
                None => "`fencepost list` shows every question".to_owned(),
            };
            error(format!("there is no question `{}`", answer.question), help);
            return None;
        }
        Err(LookupError::Ambiguous { candidates }) => {
            let names: Vec<String> = candidates.iter().map(|name| format!("`{name}`")).collect();
            error(
                format!("several packs have a question `{}`", answer.question),
                format!("name one with its pack: {}", names.join(", ")),
            );
            return None;
        }
    };
    let count = entry.question.line_count();
    if let Some(line) = answer.line.filter(|line| line.index() >= count) {
        problems.error(
            codes::LINE_OUTSIDE,
            answer.line_span.clone(),
            format!("`{}` has no line {line}: the program has {count} lines", entry.name),
            "",
            "lines are counted from 1, as `fencepost show` numbers them",
        );
        return None;
    }
    Some(entry.name.clone())
}

fn toml(problems: &Problems, text: &str) -> Vec<Given> {
    let (root, errors) = DeTable::parse_recoverable(text);
    problems.syntax(&errors, "answers are `[[answer]]` tables with `question` and `line`, or one JSON object a line");
    toml_answers(problems, &root, errors.is_empty())
}

fn toml_answers<'a>(problems: &'a Problems, root: &'a Spanned<DeTable<'a>>, complete: bool) -> Vec<Given> {
    let table = Table::root(problems, root, complete);
    if let Some((format, span)) = table.number("format").filter(|(format, _)| *format != FORMAT) {
        table.report(
            codes::FORMAT,
            span,
            format!("this fencepost reads answers in format {FORMAT}, not {format}"),
            "write `format = 1`",
        );
    }
    let mut given = Vec::new();
    for entry in table.tables("answer").unwrap_or_default() {
        let (question, line) = (entry.text("question"), entry.line("line"));
        let (span, line_span) = (entry.span_of("question"), entry.span_of("line"));
        entry.finish();
        if let Some(question) = question {
            given.push(Given { question, line, span, line_span });
        }
    }
    table.finish();
    given
}

fn json_lines(problems: &Problems, text: &str) -> Vec<Given> {
    let mut given = Vec::new();
    let mut start = 0;
    for raw in text.split_inclusive('\n') {
        let span = start..start + raw.trim_end().len();
        start += raw.len();
        if raw.trim().is_empty() {
            continue;
        }
        match serde_json::from_str::<Value>(raw) {
            Ok(Value::Object(object)) => given.extend(json_answer(problems, &object, span)),
            Ok(_) => problems.error(
                codes::WRONG_TYPE,
                span,
                "the line is not a JSON object",
                "",
                r#"write {"question": "fencing-tokens", "line": 8}"#,
            ),
            Err(error) => {
                let column = if error.is_eof() { span.len() } else { error.column().saturating_sub(1) };
                let at = span.start + column.min(span.len());
                let reason = error.to_string();
                let reason = reason.split(" at line ").next().unwrap_or_default();
                problems.error(
                    codes::SYNTAX,
                    at..at,
                    format!("not valid JSON: {reason}"),
                    "",
                    "write one whole JSON object on each line",
                );
            }
        }
    }
    given
}

fn json_answer(problems: &Problems, object: &serde_json::Map<String, Value>, span: Range<usize>) -> Option<Given> {
    const KEYS: [&str; 3] = ["question", "line", "format"];
    if let Some(format) = object.get("format").filter(|format| format.as_i64() != Some(FORMAT)) {
        problems.error(
            codes::FORMAT,
            span.clone(),
            format!("this fencepost reads answers in format {FORMAT}, not {format}"),
            "",
            "write `\"format\": 1`, or leave it out",
        );
    }
    for key in object.keys().filter(|key| !KEYS.contains(&key.as_str())) {
        let help = match closest(key, &KEYS).first() {
            Some(close) => format!("did you mean `{close}`?"),
            None => format!("remove it; the keys here are `{}`", KEYS.join("`, `")),
        };
        problems.error(codes::UNKNOWN_KEY, span.clone(), format!("unknown key `{key}`"), "", help);
    }
    let wanted = |key: &str, what: &str| {
        let value = object.get(key);
        let (code, message) = match value {
            Some(_) => (codes::WRONG_TYPE, format!("`{key}` must be {what}")),
            None => (codes::MISSING_KEY, format!("missing key `{key}`")),
        };
        problems.error(code, span.clone(), message, "", r#"write {"question": "fencing-tokens", "line": 8}"#);
    };
    let question = object.get("question").and_then(Value::as_str);
    if question.is_none() {
        wanted("question", "text");
    }
    let line = object.get("line").and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok()).and_then(LineNo::new);
    if line.is_none() {
        wanted("line", "a whole number from 1 on");
    }
    Some(Given { question: question?.to_owned(), line, line_span: span.clone(), span })
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
}
