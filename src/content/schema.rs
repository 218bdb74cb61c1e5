//! The JSON Schema of a question, made from the types, so that editors can complete keys.

use crate::content::question::Question;

/// The schema as JSON text that ends with a newline.
pub fn question_schema() -> String {
    let schema = schemars::schema_for!(Question);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}
