//! The JSON Schemas in `assets/` that are made from types. That of answers is written by hand, since their reader has no type.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use crate::script::protocol::{ReplyLine, RequestLine};
use crate::script::report::{Event, Report, Versioned};
use crate::script::run::Runs;
use crate::script::table::Row;

/// Each schema under the name of its file.
pub fn schemas() -> Vec<(&'static str, String)> {
    vec![
        ("run.schema.json", of::<Versioned<Runs>>("fencepost run")),
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
