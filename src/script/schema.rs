//! The JSON Schemas of everything that scripts read and write, made from the types.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, json_schema};

use crate::quiz::repair::LONGEST;
use crate::script::protocol::{ReplyLine, RequestLine};
use crate::script::report::{Event, Report, Versioned};
use crate::script::run::Runs;
use crate::script::table::Row;

/// Every schema under the name of its file in `assets/`.
pub fn schemas() -> Vec<(&'static str, String)> {
    vec![
        ("run.schema.json", of::<Versioned<Runs>>("fencepost run")),
        ("quiz-answers.schema.json", written(answers(), "fencepost answers")),
        ("quiz-report.schema.json", of::<Versioned<Report>>("fencepost quiz report")),
        ("quiz-events.schema.json", of::<Event<'_>>("fencepost quiz event")),
        ("quiz-table.schema.json", of::<Versioned<Row>>("fencepost quiz table")),
        ("quiz-request.schema.json", written(schemars::schema_for!(RequestLine), "fencepost request")),
        ("quiz-reply.schema.json", of::<ReplyLine>("fencepost reply")),
    ]
}

/// The schema of a type as it is written: a field that is always there is required.
fn of<T: JsonSchema>(title: &str) -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    written(settings.into_generator().into_root_schema_for::<T>(), title)
}

fn written(mut schema: Schema, title: &str) -> String {
    schema.insert("title".to_owned(), title.into());
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

/// The answers, as one TOML document or one JSON line. Their reader finds every mistake itself, with its place, so there
/// is no type to make this from; a test compares the two.
fn answers() -> Schema {
    json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "description": "A file of answers in TOML, or one line of a file of answers in JSON lines.",
        "oneOf": [
            {
                "type": "object",
                "properties": {
                    "format": { "description": "Version of the format.", "const": 1 },
                    "answer": { "type": "array", "maxItems": 1000, "items": {
                        "$ref": "#/$defs/answer", "unevaluatedProperties": false
                    } }
                },
                "required": ["format"],
                "additionalProperties": false
            },
            {
                "$ref": "#/$defs/answer",
                "properties": { "format": { "description": "Version of the format.", "const": 1 } },
                "unevaluatedProperties": false
            }
        ],
        "$defs": {
            "answer": {
                "type": "object",
                "properties": {
                    "question": { "description": "The question: its id, or `pack/id`.", "type": "string" },
                    "line": { "description": "The line with the bug, counted from 1.", "type": "integer", "minimum": 1 },
                    "lines": {
                        "description": "Several picks, in order. The first one counts.",
                        "type": "array", "minItems": 1, "uniqueItems": true,
                        "items": { "type": "integer", "minimum": 1 }
                    },
                    "fix": { "description": "The repaired program.", "type": "string", "maxLength": LONGEST },
                    "fix_file": {
                        "description": "A file with the repaired program: its path from the folder of the answers.",
                        "type": "string"
                    },
                    "points": {
                        "description": "Points of the spoken answer that were covered, counted from 1. Never graded.",
                        "type": "array", "uniqueItems": true,
                        "items": { "type": "integer", "minimum": 1 }
                    }
                },
                "required": ["question"],
                "anyOf": [
                    { "required": ["line"] }, { "required": ["lines"] }, { "required": ["fix"] },
                    { "required": ["fix_file"] }, { "required": ["points"] }
                ],
                "not": { "anyOf": [{ "required": ["line", "lines"] }, { "required": ["fix", "fix_file"] }] }
            }
        }
    })
}
