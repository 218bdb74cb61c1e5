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
    /// Questions in an order to learn them by.
    #[serde(rename = "path", default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<LearningPath>,
}

/// Questions of a pack in an order to learn them by.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LearningPath {
    /// The path's heading.
    #[schemars(regex(pattern = r"\S"))]
    pub title: String,
    /// One sentence on what the path teaches.
    #[schemars(regex(pattern = r"\S"))]
    pub summary: String,
    /// Ids of questions, first to last: of this pack, or `pack/id`.
    #[schemars(length(min = 1), inner(regex(pattern = r"\S")))]
    pub questions: Vec<String>,
}
