//! A folder of questions.

use schemars::JsonSchema;
use serde::Serialize;

/// A folder of questions, described by its `pack.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields, title = "fencepost pack")]
pub struct Pack {
    /// Version of the format. This program reads version 1.
    #[schemars(extend("const" = 1))]
    pub format: i64,
    /// The pack's heading.
    pub title: String,
    /// One sentence on what the pack teaches.
    pub summary: String,
    /// The authors.
    pub authors: Vec<String>,
    /// The licence of the texts and programs.
    pub licence: String,
    /// An address for suggestions that people can open or write to.
    pub report: String,
    /// Words that the spelling check should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
}
