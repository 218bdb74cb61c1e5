//! Answers in JSON lines: one object a line.

use std::ops::Range;

use serde_json::{Map, Value};

use super::{Entries, Keys, MOST, check_format, given};
use crate::content::decode::Number;
use crate::content::diagnostic::{Code, codes};
use crate::content::problems::Problems;
use crate::content::suggestion::closest;
use crate::script::lines;
use crate::script::object::{self, Malformed};
use crate::text::brief;

/// Keys of an answer.
const KEYS: [&str; 7] = ["question", "line", "lines", "fix", "fix_file", "points", "format"];

/// Unknown keys of one line that are listed.
const MOST_UNKNOWN: usize = 10;

const ONE_EACH: &str = r#"write one whole JSON object on each line, such as {"question": "fencing-tokens", "line": 8}"#;

const EXAMPLE: &str = r#"write {"question": "fencing-tokens", "line": 8}"#;

/// Reads the answers in `text`. A broken line is one mistake; a file without a whole line is not JSON lines at all.
pub(super) fn answers(problems: &Problems, text: &str) -> Entries {
    let mut entries = Entries { given: Vec::new(), complete: false };
    let mut start = 0;
    let mut count = 0;
    for raw in text.split_inclusive('\n') {
        let line = raw.trim_end();
        let span = start..start + line.len();
        start += raw.len();
        if line.is_empty() {
            continue;
        }
        count += 1;
        if count > MOST {
            let message = format!("this is more than {MOST} answers");
            problems.error(codes::TOO_LARGE, span, message, "", "split the answers into several files");
            return Entries { complete: false, ..entries };
        }
        // A long line of small values takes a hundred times its own room.
        if raw.len() > lines::LONGEST {
            let message = format!("the line is longer than {} bytes", lines::LONGEST);
            problems.error(codes::TOO_LARGE, span.start..span.start, message, "", "an answer is a short text");
            continue;
        }
        match object::read(line) {
            Ok(object) => {
                entries.complete = true;
                entries.given.extend(given(problems, Line { problems, object: &object, span }, true));
            }
            Err(Malformed::NotAnObject) => {
                problems.error(codes::WRONG_TYPE, span, "the line is not a JSON object", "", ONE_EACH);
            }
            Err(Malformed::Broken { at, reason }) => {
                let at = span.start + at;
                problems.error(codes::SYNTAX, at..at, reason, "", ONE_EACH);
            }
        }
    }
    entries
}

const WHOLE: &str = "a whole number";

const LIST: &str = "a list of whole numbers";

fn example_of_list(key: &str) -> String {
    format!("write \"{key}\": [1]")
}

/// A line that is an object.
struct Line<'a> {
    problems: &'a Problems,
    object: &'a Map<String, Value>,
    span: Range<usize>,
}

impl Line<'_> {
    fn value<'a, T>(&'a self, key: &str, of: impl Fn(&'a Value) -> Option<T>, wanted: &str) -> Option<T> {
        let value = self.object.get(key)?;
        let found = of(value);
        if found.is_none() {
            let number = value.as_str().filter(|text| wanted == WHOLE && text.parse::<i64>().is_ok());
            let quoted = number.map(|number| format!("write \"{key}\": {number}, without quotes"));
            let help = quoted.unwrap_or_else(|| if wanted == LIST { example_of_list(key) } else { EXAMPLE.to_owned() });
            self.report(codes::WRONG_TYPE, key, format!("`{key}` must be {wanted}"), &help);
        }
        found
    }
}

impl Keys for Line<'_> {
    fn has(&self, key: &str) -> bool {
        self.object.contains_key(key)
    }

    fn span_of(&self, _: &str) -> Range<usize> {
        self.span.clone()
    }

    fn report(&self, code: Code, _: &str, message: String, help: &str) {
        self.problems.error(code, self.span.clone(), message, "", help);
    }

    fn question(&self) -> Option<String> {
        if !self.has("question") {
            self.report(codes::MISSING_KEY, "", "missing key `question`".to_owned(), EXAMPLE);
        }
        self.text("question")
    }

    fn text(&self, key: &'static str) -> Option<String> {
        self.value(key, Value::as_str, "text").map(str::to_owned)
    }

    fn number(&self, key: &'static str) -> Option<Number> {
        self.value(key, Value::as_i64, WHOLE).map(|number| (number, self.span.clone()))
    }

    fn numbers(&self, key: &'static str) -> Option<Vec<Number>> {
        let items = self.value(key, Value::as_array, LIST)?;
        let numbers: Vec<Number> = items.iter().filter_map(|item| Some((item.as_i64()?, self.span.clone()))).collect();
        if numbers.len() < items.len() {
            self.report(
                codes::WRONG_TYPE,
                key,
                format!("every entry of `{key}` must be a whole number"),
                &example_of_list(key),
            );
        }
        Some(numbers)
    }

    fn finish(self) {
        if let Some(format) = self.object.get("format") {
            check_format(self.problems, self.span.clone(), format.as_i64(), &brief(&format.to_string()));
        }
        for key in self.object.keys().filter(|key| !KEYS.contains(&key.as_str())).take(MOST_UNKNOWN) {
            let help = match closest(key, &KEYS).first() {
                Some(close) => format!("did you mean `{close}`?"),
                None => format!("remove it; the keys here are `{}`", KEYS.join("`, `")),
            };
            self.report(codes::UNKNOWN_KEY, key, format!("unknown key `{}`", brief(key)), &help);
        }
    }
}
