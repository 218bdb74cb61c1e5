//! Answers in JSON lines: one object a line.

use std::ops::Range;

use serde_json::{Map, Value};

use super::{Entries, FORMAT, Fix, Given, MOST, Program};
use crate::content::decode::Number;
use crate::content::diagnostic::{Code, codes};
use crate::content::problems::Problems;
use crate::content::suggestion::closest;
use crate::script::{lines, strict};
use crate::text::brief;

/// The keys of an answer.
const KEYS: [&str; 7] = ["question", "line", "lines", "fix", "fix_file", "points", "format"];

/// Unknown keys of one line that are listed.
const MOST_UNKNOWN: usize = 10;

const ONE_EACH: &str = r#"write one whole JSON object on each line, such as {"question": "fencing-tokens", "line": 8}"#;

const EXAMPLE: &str = r#"write {"question": "fencing-tokens", "line": 8}"#;

/// The answers in `text`. A line that is broken is a mistake of its own; a file without a whole line is no JSON lines at all.
pub(super) fn answers(problems: &Problems, text: &str) -> Entries {
    let mut given = Vec::new();
    let mut objects = 0;
    let (mut start, mut count) = (0, 0);
    for raw in text.split_inclusive('\n') {
        let span = start..start + raw.trim_end().len();
        start += raw.len();
        if raw.trim().is_empty() {
            continue;
        }
        count += 1;
        if count > MOST {
            let message = format!("this is more than {MOST} answers");
            problems.error(codes::TOO_LARGE, span, message, "", "hand in the questions in parts");
            return Entries { given, complete: false };
        }
        // A long line of small values takes a hundred times its own room.
        if raw.len() > lines::LONGEST {
            let message = format!("the line is longer than {} bytes", lines::LONGEST);
            problems.error(codes::TOO_LARGE, span.start..span.start, message, "", "an answer is a short text");
            continue;
        }
        match strict::parse(raw.trim_end()) {
            Ok(Value::Object(object)) => {
                objects += 1;
                given.extend(Line { problems, object: &object, span }.answer());
            }
            Ok(_) => problems.error(codes::WRONG_TYPE, span, "the line is not a JSON object", "", ONE_EACH),
            Err(error) => {
                let column = if error.is_eof() { span.len() } else { error.column().saturating_sub(1) };
                let mut at = span.start + column.min(span.len());
                while !text.is_char_boundary(at) {
                    at -= 1;
                }
                let message = match error.classify() {
                    serde_json::error::Category::Data => strict::reason(&error),
                    _ => format!("not valid JSON: {}", strict::reason(&error)),
                };
                problems.error(codes::SYNTAX, at..at, message, "", ONE_EACH);
            }
        }
    }
    Entries { given, complete: objects > 0 }
}

/// A line that is an object.
struct Line<'a> {
    problems: &'a Problems,
    object: &'a Map<String, Value>,
    span: Range<usize>,
}

impl Line<'_> {
    fn answer(&self) -> Option<Given> {
        let before = self.problems.count();
        if let Some(format) = self.object.get("format").filter(|format| format.as_i64() != Some(FORMAT)) {
            let message =
                format!("this fencepost reads answers in format {FORMAT}, not {}", brief(&format.to_string()));
            self.error(codes::FORMAT, message, "write `\"format\": 1`, or leave it out");
        }
        self.unknown_keys();
        for (one, other) in [("line", "lines"), ("fix", "fix_file")] {
            if self.object.contains_key(one) && self.object.contains_key(other) {
                let message = format!("`{one}` and `{other}` say the same thing twice");
                self.error(codes::BAD_VALUE, message, "keep one of them");
            }
        }
        let question = self.text("question");
        if !self.object.contains_key("question") {
            self.error(codes::MISSING_KEY, "missing key `question`".to_owned(), EXAMPLE);
        }
        if !KEYS
            .into_iter()
            .filter(|key| !["question", "format"].contains(key))
            .any(|key| self.object.contains_key(key))
        {
            let message = "nothing is answered here: `line` is missing".to_owned();
            self.error(codes::MISSING_KEY, message, "add `\"line\": 1`, or remove the line");
        }
        let line = self.object.get("line").and_then(|value| self.number("line", value));
        let lines = self.numbers("lines");
        if lines.as_ref().is_some_and(Vec::is_empty) {
            self.error(codes::EMPTY, "`lines` is empty".to_owned(), "name at least one line");
        }
        let text = self.text("fix").map(|text| Fix { program: Program::Text(text), span: self.span.clone() });
        let file = self.text("fix_file").map(|name| Fix { program: Program::File(name), span: self.span.clone() });
        Some(Given {
            question: question?,
            span: self.span.clone(),
            picks: line.into_iter().chain(lines.unwrap_or_default()).collect(),
            fix: text.or(file),
            points: self.numbers("points"),
            sound: self.problems.count() == before,
        })
    }

    fn unknown_keys(&self) {
        for key in self.object.keys().filter(|key| !KEYS.contains(&key.as_str())).take(MOST_UNKNOWN) {
            let help = match closest(key, &KEYS).first() {
                Some(close) => format!("did you mean `{close}`?"),
                None => format!("remove it; the keys here are `{}`", KEYS.join("`, `")),
            };
            self.error(codes::UNKNOWN_KEY, format!("unknown key `{}`", brief(key)), &help);
        }
    }

    fn text(&self, key: &str) -> Option<String> {
        let value = self.object.get(key)?;
        if !value.is_string() {
            self.error(codes::WRONG_TYPE, format!("`{key}` must be text"), EXAMPLE);
        }
        value.as_str().map(str::to_owned)
    }

    fn numbers(&self, key: &str) -> Option<Vec<Number>> {
        let value = self.object.get(key)?;
        let Value::Array(items) = value else {
            let message = format!("`{key}` must be a list of whole numbers");
            self.error(codes::WRONG_TYPE, message, &format!("write \"{key}\": [1]"));
            return None;
        };
        Some(items.iter().filter_map(|item| self.number(key, item)).collect())
    }

    fn number(&self, key: &str, value: &Value) -> Option<Number> {
        let number = value.as_i64();
        if number.is_none() {
            self.error(codes::WRONG_TYPE, format!("`{key}` must be a whole number"), EXAMPLE);
        }
        number.map(|number| (number, self.span.clone()))
    }

    fn error(&self, code: Code, message: String, help: &str) {
        self.problems.error(code, self.span.clone(), message, "", help);
    }
}
