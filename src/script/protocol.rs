//! What a bot or an editor and `fencepost quiz --serve-stdio` say to each other: one JSON object a line.
//!
//! Owns the shapes and how a line becomes a request. What a request does is `server.rs`. The doc comments here are the
//! descriptions in `assets/quiz-request.schema.json` and `assets/quiz-reply.schema.json`.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::question::{Level, LineNo, QuestionName};
use crate::script::report::{Mark, Program};
use crate::script::strict;

/// The version of the protocol.
pub const FORMAT: u32 = 1;

/// A line that is sent to fencepost.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(title = "fencepost request")]
pub struct RequestLine {
    /// Comes back with the reply as it was.
    #[serde(default)]
    id: Option<Id>,
    /// What is asked.
    #[serde(flatten)]
    request: Request,
}

/// A line that fencepost sends.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "fencepost reply")]
pub struct ReplyLine {
    /// The id of the request; null in the greeting, and where the request had none or could not be read.
    pub id: Option<Id>,
    /// The answer to it.
    #[serde(flatten)]
    pub reply: Reply,
}

/// The mark by which a reply is known.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Id {
    /// Text.
    Text(String),
    /// A whole number.
    #[schemars(schema_with = "whole_numbers")]
    Number(serde_json::Number),
}

/// The numbers that come back digit by digit.
fn whole_numbers(_: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({ "type": "integer", "minimum": i64::MIN, "maximum": u64::MAX })
}

/// What may be asked.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Name every question that is served.
    List {},
    /// Show a question, without its answer.
    Question {
        /// The question: its id, or `pack/id`.
        question: String,
    },
    /// Open the next hint.
    Hint {
        /// The question: its id, or `pack/id`.
        question: String,
    },
    /// Answer with a line. Only the first one scores.
    Answer {
        /// The question: its id, or `pack/id`.
        question: String,
        /// The line, counted from 1.
        line: u32,
    },
    /// Run the buggy program; the fixed one too, once the question is answered.
    Run {
        /// The question: its id, or `pack/id`.
        question: String,
    },
    /// Run a repaired program and the question's checks on it.
    Fix {
        /// The question: its id, or `pack/id`.
        question: String,
        /// The whole program.
        text: String,
    },
    /// Tell the answer. A question that is not answered yet is given up.
    Reveal {
        /// The question: its id, or `pack/id`.
        question: String,
    },
}

/// What fencepost says.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Reply {
    /// The greeting: the first line of a session, before any request.
    Hello {
        /// Version of the protocol.
        #[schemars(extend("const" = 1))]
        format: u32,
        /// Version of the program.
        version: String,
        /// How many questions are served.
        questions: usize,
    },
    /// The questions.
    List {
        /// In the order in which they would be asked.
        questions: Vec<Card>,
    },
    /// A question.
    Question(Box<Question>),
    /// A hint.
    Hint {
        /// Which hint, counted from 1.
        hint: usize,
        /// How many there are.
        of: usize,
        /// The hint, as inline Markdown.
        text: String,
    },
    /// What an answer is worth.
    Answer {
        /// The line.
        line: LineNo,
        /// Whether it is accepted.
        right: bool,
        /// With which pick it was found, or how many picks there were so far.
        pick: usize,
        /// Why it is the bug, or why it is not, as inline Markdown; null where a wrong line has no words of its own.
        why: Option<String>,
    },
    /// How the programs ran.
    Run {
        /// The buggy program, and the fixed one once the question is answered.
        runs: Vec<Program>,
    },
    /// How a repaired program did.
    Fix {
        /// Whether it came to its end and passed every check.
        passed: bool,
        /// The run and the checks.
        #[serde(flatten)]
        ran: Program,
    },
    /// The answer.
    Reveal {
        /// How the question stands: `right` and `wrong` by the first pick, `missing` where there was none.
        result: Mark,
        /// The accepted lines.
        accepted: Vec<LineNo>,
        /// Why, as inline Markdown.
        explanation: String,
        /// The buggy program with its smallest repair.
        repaired: String,
        /// The model program.
        fixed: String,
        /// A spoken answer.
        say: String,
    },
    /// The request could not be done. The session goes on.
    Error(Refusal),
}

/// Why a request could not be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Refusal {
    /// The kind of error.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// What to do about it; may be empty.
    pub hint: String,
}

/// A question in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Card {
    /// The question: `pack/id`.
    #[schemars(with = "String")]
    pub question: QuestionName,
    /// The heading.
    pub title: String,
    /// The subject.
    pub topic: String,
    /// Whom it is for.
    pub level: Level,
}

/// A question, without anything that gives the answer away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Question {
    /// Its name and what the library shows of it.
    #[serde(flatten)]
    pub card: Card,
    /// What the learner is asked, as inline Markdown.
    pub prompt: String,
    /// The buggy program.
    pub code: String,
    /// What it prints.
    pub prints: String,
    /// How many hints there are.
    pub hints: usize,
    /// How many of them are open.
    pub hints_open: usize,
    /// The lines that were picked.
    pub picks: Vec<LineNo>,
    /// Whether the line was found or given up.
    pub answered: bool,
}

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The line is longer than 1 MiB. It was passed over to its end.
    TooLong,
    /// The line is not UTF-8.
    NotUtf8,
    /// The line is not JSON, is nested too deeply, or has a key twice.
    BadJson,
    /// The line is JSON, but no request.
    BadRequest,
    /// There is no such question, or several packs have one of this name.
    UnknownQuestion,
    /// The program has no such line.
    NoSuchLine,
    /// Every hint is open.
    NoMoreHints,
    /// The question is answered already.
    Answered,
    /// The question has no checks, so that nothing can grade a fix.
    NoChecks,
    /// The sandbox does not contain the programs of this pack, and nobody agreed to run them.
    NotTrusted,
    /// The program's own machinery failed.
    Machinery,
}

impl Refusal {
    /// A refusal of this kind.
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: hint.into() }
    }
}

/// The request in `line` with its id.
///
/// # Errors
///
/// Why the line is no request; the id comes first, as far as it could be read.
pub fn read(line: &str) -> (Option<Id>, Result<Request, Refusal>) {
    const HINT: &str = r#"a request is {"id": 1, "type": "question", "question": "fencing-tokens"}"#;
    let value = match strict::parse(line) {
        Ok(value) => value,
        Err(error) => {
            let message = format!("column {}: {}", error.column(), strict::reason(&error));
            return (None, Err(Refusal::new(Code::BadJson, message, HINT)));
        }
    };
    let Value::Object(mut object) = value else {
        return (None, Err(Refusal::new(Code::BadRequest, "the line is not a JSON object", HINT)));
    };
    let id = match object.shift_remove("id") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(Id::Text(text)),
        Some(Value::Number(number)) if !number.is_f64() => Some(Id::Number(number)),
        Some(Value::Number(_)) => {
            let message = format!("`id` must be text, or a whole number from {} to {}", i64::MIN, u64::MAX);
            let hint = "other numbers would not come back as they are written; put it into quotes";
            return (None, Err(Refusal::new(Code::BadRequest, message, hint)));
        }
        Some(_) => return (None, Err(Refusal::new(Code::BadRequest, "`id` must be text or a whole number", HINT))),
    };
    if let Some(message) = misfit(&object) {
        return (id, Err(Refusal::new(Code::BadRequest, message, HINT)));
    }
    let request = serde_json::from_value(Value::Object(object));
    (id, request.map_err(|error| Refusal::new(Code::BadRequest, error.to_string(), HINT)))
}

/// A value that no request has under its key.
fn misfit(object: &serde_json::Map<String, Value>) -> Option<String> {
    let text = ["type", "question", "text"];
    if let Some(key) = text.into_iter().find(|key| object.get(*key).is_some_and(|value| !value.is_string())) {
        return Some(format!("`{key}` must be text"));
    }
    let line = object.get("line")?;
    let fits = line.as_u64().is_some_and(|line| u32::try_from(line).is_ok());
    (!fits).then(|| "`line` must be a whole number, such as 8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes back is what was sent, character by character, or the request is refused.
    #[test]
    fn an_id_is_kept_as_it_is_or_refused() {
        let id = |id: &str| {
            let (id, request) = read(&format!(r#"{{"id": {id}, "type": "list"}}"#));
            request.map(|_| serde_json::to_string(&id).unwrap()).map_err(|refusal| refusal.code)
        };
        for kept in ["0", "-7", "9007199254740993", "18446744073709551615", "-9223372036854775808", "\"1e400\"", "null"]
        {
            assert_eq!(id(kept), Ok(kept.to_owned()), "{kept}");
        }
        for lost in ["18446744073709551616", "-9223372036854775809", "1.0", "1e2", "-0", "0.1", "true", "[1]", "{}"] {
            assert_eq!(id(lost), Err(Code::BadRequest), "{lost}");
        }
        for broken in ["1e400", "01", "1, \"id\": 1", "1, \"\\u0069d\": 1", "NaN"] {
            assert_eq!(id(broken), Err(Code::BadJson), "{broken}");
        }
        assert_eq!(read(r#"{"type": "list"}"#), (None, Ok(Request::List {})));
    }

    #[test]
    fn a_value_that_does_not_fit_is_named_by_its_key() {
        let line = "`line` must be a whole number, such as 8";
        for (rest, message) in [
            (r#""question": "x", "line": 8.0"#, line),
            (r#""question": "x", "line": -1"#, line),
            (r#""question": "x", "line": 4294967296"#, line),
            (r#""question": "x", "line": "8""#, line),
            (r#""question": 5, "line": 8"#, "`question` must be text"),
            (r#""line": 8"#, "missing field `question`"),
        ] {
            let (id, request) = read(&format!(r#"{{"id": 1, "type": "answer", {rest}}}"#));
            assert_eq!((id, request.unwrap_err().message), (Some(Id::Number(1.into())), message.to_owned()), "{rest}");
        }
    }
}
