//! Describes values and keys for the author of the file.

use toml::de::DeValue;

use crate::content::suggestion::closest;

/// Keys that an error names; more of them hide the message.
const MOST_KEYS_LISTED: usize = 8;

/// The remedy for an unknown key, where these are `known`.
pub(super) fn instead_of(name: &str, known: &[&str]) -> String {
    match closest(name, known).first() {
        Some(close) => format!("did you mean `{close}`?"),
        None if known.len() > MOST_KEYS_LISTED => "remove it; the guide for authors lists the keys".to_owned(),
        None => format!("remove it; the keys here are `{}`", known.join("`, `")),
    }
}

/// The type of a value, with its article.
pub(super) fn kind(value: &DeValue<'_>) -> String {
    let article = if matches!(value, DeValue::Integer(_) | DeValue::Array(_)) { "an" } else { "a" };
    format!("{article} {}", value.type_str())
}

/// How the key would look in a file.
pub(super) fn example(key: &str, wanted: &str) -> String {
    match wanted {
        "text" => format!("`{key} = \"...\"`"),
        "a list of texts" => format!("`{key} = [\"...\"]`"),
        "a whole number" => format!("`{key} = 1`"),
        "a list of whole numbers" => format!("`{key} = [1]`"),
        "a date" => format!("`{key} = 2026-11-29`, without quotes"),
        "a table" => format!("`{key}` on a line of its own, with its keys below"),
        other => format!("`{key}` as {other}"),
    }
}
