//! Requests and replies of `fencepost quiz --serve-stdio`: one JSON object a line.
//!
//! `server.rs` carries requests out. The doc comments here are the descriptions in `assets/quiz-request.schema.json` and
//! `assets/quiz-reply.schema.json`.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::content::question::{Ask, Level, LineNo, QuestionName};
use crate::content::suggestion::closest;
use crate::script::object::{self, Malformed};
use crate::script::report::Mark;
use crate::script::run::Run;
use crate::text::brief;

/// The version of the protocol.
pub const FORMAT: u32 = 1;

/// A line that is sent to fencepost.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct RequestLine {
    /// Returned with the reply, unchanged.
    #[serde(default)]
    id: Option<Id>,
    /// The request.
    #[serde(flatten)]
    request: Request,
}

/// A line that fencepost sends.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ReplyLine {
    /// The id of the request; null in the greeting, and where the request had none or could not be read.
    pub id: Option<Id>,
    /// The answer to it.
    #[serde(flatten)]
    pub reply: Reply,
}

/// Names a request, so that its reply is recognised.
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

/// A request.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// List every question of the session.
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
    /// Answer with a line. Only the first answer counts.
    Answer {
        /// The question: its id, or `pack/id`.
        question: String,
        /// The line, counted from 1.
        #[schemars(range(max = 4_294_967_295_u32))]
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
    /// Show the answer. This gives up a question that is not answered yet.
    Reveal {
        /// The question: its id, or `pack/id`.
        question: String,
    },
}

/// A reply.
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
        /// Number of questions in the session.
        questions: usize,
    },
    /// The questions.
    List {
        /// The questions, in the order of the quiz.
        questions: Vec<Card>,
    },
    /// A question.
    Question(Box<Question>),
    /// A hint.
    Hint {
        /// The number of the hint, counted from 1.
        hint: usize,
        /// Number of hints.
        of: usize,
        /// The hint, as inline Markdown.
        text: String,
    },
    /// The result of an answer.
    Answer {
        /// The line.
        line: LineNo,
        /// True if it is accepted.
        right: bool,
        /// Number of picks so far, this one included.
        pick: usize,
        /// The reason why it is or is not the bug, as inline Markdown; null for a wrong line without an explanation.
        why: Option<String>,
    },
    /// The runs of the question's programs.
    Run {
        /// The buggy program, and the fixed one once the question is answered.
        runs: Vec<Run>,
    },
    /// The run of a repaired program, and its checks.
    Fix {
        /// True if it came to its end and passed every check.
        passed: bool,
        /// True if it tampered with its checks.
        suspicious: bool,
        /// The run, with the results of the checks.
        #[serde(flatten)]
        ran: Run,
    },
    /// The answer.
    Reveal {
        /// The result: `right` or `wrong` by the first pick, `missing` without one.
        result: Mark,
        /// The accepted lines.
        accepted: Vec<LineNo>,
        /// The explanation, as inline Markdown.
        explanation: String,
        /// The buggy program with its smallest repair.
        repaired: String,
        /// The fixed program.
        fixed: String,
        /// A spoken answer.
        say: String,
    },
    /// The request failed. The session goes on.
    Error(Refusal),
}

/// The reason why a request failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Refusal {
    /// The kind of error.
    pub code: Code,
    /// The error.
    pub message: String,
    /// A remedy; may be empty.
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
    /// The level that it is for.
    pub level: Level,
}

/// A question, without anything that gives the answer away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Question {
    /// Its name and what the library shows of it.
    #[serde(flatten)]
    pub card: Card,
    /// The task, as inline Markdown.
    pub prompt: String,
    /// The place that the task asks for.
    pub ask: Ask,
    /// The buggy program.
    pub code: String,
    /// The output of that program.
    pub prints: String,
    /// Number of hints.
    pub hints: usize,
    /// Number of open hints.
    pub hints_open: usize,
    /// The picked lines.
    pub picks: Vec<LineNo>,
    /// True if the line was found or the question was given up.
    pub answered: bool,
}

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The line is longer than 1 MiB. It was skipped to its end.
    TooLong,
    /// The line is not UTF-8.
    NotUtf8,
    /// The line is empty or not JSON, is nested too deeply, or has a key twice.
    BadJson,
    /// The line is JSON, but not a request, or a `fix` without a program.
    BadRequest,
    /// There is no such question, or several packs have one of this name.
    UnknownQuestion,
    /// The program has no such line.
    NoSuchLine,
    /// Every hint is open.
    NoMoreHints,
    /// The question is already answered.
    Answered,
    /// The question has no checks, so a fix cannot be graded.
    NoChecks,
    /// The sandbox does not contain the programs of this pack, and `--trust-pack` does not name it.
    NotTrusted,
    /// The runner failed.
    Machinery,
}

impl Refusal {
    /// Builds an error of this kind.
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: hint.into() }
    }
}

/// An example of each type of request.
const EXAMPLES: [(&str, &str); 7] = [
    ("list", r#"{"id": 1, "type": "list"}"#),
    ("question", r#"{"id": 1, "type": "question", "question": "fencing-tokens"}"#),
    ("hint", r#"{"id": 1, "type": "hint", "question": "fencing-tokens"}"#),
    ("answer", r#"{"id": 1, "type": "answer", "question": "fencing-tokens", "line": 8}"#),
    ("run", r#"{"id": 1, "type": "run", "question": "fencing-tokens"}"#),
    ("fix", r#"{"id": 1, "type": "fix", "question": "fencing-tokens", "text": "class ..."}"#),
    ("reveal", r#"{"id": 1, "type": "reveal", "question": "fencing-tokens"}"#),
];

/// The hint for a line that shows no intention.
const EXAMPLE: &str = r#"a request is one JSON object on a line, such as {"id": 1, "type": "list"}"#;

/// Reads the request in `line`, and its id as far as that can be read.
///
/// # Errors
///
/// The line is not a request.
pub fn read(line: &str) -> (Option<Id>, Result<Request, Refusal>) {
    if line.trim().is_empty() {
        return (None, Err(Refusal::new(Code::BadJson, "the line is empty", EXAMPLE)));
    }
    let mut object = match object::read(line) {
        Ok(object) => object,
        Err(Malformed::NotAnObject) => {
            return (None, Err(Refusal::new(Code::BadRequest, "the line is not a JSON object", EXAMPLE)));
        }
        Err(Malformed::Broken { at, reason }) => {
            let message = format!("column {}: {reason}", at + 1);
            return (None, Err(Refusal::new(Code::BadJson, message, EXAMPLE)));
        }
    };
    let id = match object.shift_remove("id") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(Id::Text(text)),
        Some(Value::Number(number)) if !number.is_f64() => Some(Id::Number(number)),
        Some(Value::Number(_)) => {
            let message = format!("`id` must be text, or a whole number from {} to {}", i64::MIN, u64::MAX);
            let hint = "put any other number into quotes, so that it comes back unchanged";
            return (None, Err(Refusal::new(Code::BadRequest, message, hint)));
        }
        Some(_) => return (None, Err(Refusal::new(Code::BadRequest, "`id` must be text or a whole number", EXAMPLE))),
    };
    (id, request(object))
}

fn request(object: Map<String, Value>) -> Result<Request, Refusal> {
    let kind = object.get("type").and_then(Value::as_str).unwrap_or_default();
    let example = EXAMPLES.iter().find(|(name, _)| *name == kind);
    let hint = match (example, closest(kind, &EXAMPLES.map(|(name, _)| name)).first()) {
        (Some((_, example)), _) => format!("for example {example}"),
        (None, Some(close)) => format!("did you mean `{close}`?"),
        (None, None) => EXAMPLE.to_owned(),
    };
    let refusal = |message: &str| Refusal::new(Code::BadRequest, brief(message), hint.clone());
    // The derived reader does not name the key of a value of the wrong type.
    for (key, value) in &object {
        let (fits, wanted) = match key.as_str() {
            "line" => (value.as_u64().is_some_and(|line| u32::try_from(line).is_ok()), "a whole number, such as 8"),
            "type" | "question" | "text" => (value.is_string(), "text"),
            _ => continue,
        };
        if !fits {
            return Err(refusal(&format!("`{key}` must be {wanted}")));
        }
    }
    let words = |error: serde_json::Error| {
        let words =
            error.to_string().replacen("unknown field", "unknown key", 1).replacen("missing field", "missing key", 1);
        words.replacen("variant", "request", 1).replacen(
            ", there are no fields",
            ": this request has no keys of its own",
            1,
        )
    };
    serde_json::from_value(Value::Object(object)).map_err(|error| refusal(&words(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An id comes back character by character, or its request is refused.
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

    /// The error for `line`, whose id is 1 if it has one.
    fn said(line: &str) -> (Code, String, String) {
        let (id, request) = read(line);
        assert_eq!(id, line.contains("\"id\": 1").then(|| Id::Number(1.into())), "{line}");
        let Refusal { code, message, hint } = request.unwrap_err();
        (code, message, hint)
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
            (r#""line": 8"#, "missing key `question`"),
            (r#""question": "x""#, "missing key `line`"),
            (r#""question": "x", "line": 8, "text": "y""#, "unknown key `text`, expected `question` or `line`"),
        ] {
            let said = said(&format!(r#"{{"id": 1, "type": "answer", {rest}}}"#));
            let hint = r#"for example {"id": 1, "type": "answer", "question": "fencing-tokens", "line": 8}"#;
            assert_eq!(said, (Code::BadRequest, message.to_owned(), hint.to_owned()), "{rest}");
        }
    }

    #[test]
    fn an_error_names_the_key() {
        let all = ", expected one of `list`, `question`, `hint`, `answer`, `run`, `fix`, `reveal`";
        let (exec, questoin) = (format!("unknown request `exec`{all}"), format!("unknown request `questoin`{all}"));
        let bad = Code::BadRequest;
        let list = r#"for example {"id": 1, "type": "list"}"#;
        for (line, code, message, hint) in [
            ("", Code::BadJson, "the line is empty", EXAMPLE),
            (" \t", Code::BadJson, "the line is empty", EXAMPLE),
            ("[]", bad, "the line is not a JSON object", EXAMPLE),
            (r#"{"id": 1}"#, bad, "missing key `type`", EXAMPLE),
            (r#"{"id": 1, "type": 5}"#, bad, "`type` must be text", EXAMPLE),
            (r#"{"id": 1, "type": "exec"}"#, bad, &exec, EXAMPLE),
            (r#"{"id": 1, "type": "questoin"}"#, bad, &questoin, "did you mean `question`?"),
            (
                r#"{"id": 1, "type": "list", "extra": 1}"#,
                bad,
                "unknown key `extra`: this request has no keys of its own",
                list,
            ),
        ] {
            assert_eq!(said(line), (code, message.to_owned(), hint.to_owned()), "{line}");
        }
        let long = said(&format!(r#"{{"type": "{}"}}"#, "x".repeat(100_000)));
        assert_eq!(long.1, format!("unknown request `{}…", "x".repeat(183)));
    }

    /// The examples are requests, one of each type, with the keys that it needs and no other.
    #[test]
    fn every_example_is_a_request() {
        for (name, example) in EXAMPLES {
            let (_, request) = read(example);
            assert!(request.is_ok() && example.contains(&format!("\"type\": \"{name}\"")), "{example}");
        }
        let schema = schemars::schema_for!(Request).to_value();
        assert_eq!(schema["oneOf"].as_array().unwrap().len(), EXAMPLES.len());
    }
}
