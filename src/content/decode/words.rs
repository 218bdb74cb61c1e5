//! Describes values and keys for the author of the file.

use toml::de::DeValue;

use crate::content::suggestion::closest;
use crate::text::listed;

/// Maximum number of keys that an error names.
const MOST_KEYS_LISTED: usize = 8;

/// The help for an unknown key, if these are `known`.
pub(super) fn instead_of(name: &str, known: &[&str]) -> String {
    match closest(name, known).first() {
        Some(close) => format!("did you mean `{close}`?"),
        None if known.len() > MOST_KEYS_LISTED => "remove it; the guide for authors lists every key".to_owned(),
        None => format!("remove it; the keys here are `{}`", known.join("`, `")),
    }
}

/// "`dark`, `light` or `none`"
pub(super) fn listed_words<T>(choices: &[(&'static str, T)]) -> String {
    listed(choices.iter().map(|(word, _)| format!("`{word}`")), "or")
}

/// The type of a value, with its article.
pub(super) fn kind(value: &DeValue<'_>) -> String {
    let article = if matches!(value, DeValue::Integer(_) | DeValue::Array(_)) { "an" } else { "a" };
    format!("{article} {}", value.type_str())
}

/// Longest value of the author that a help repeats.
pub(super) const LONGEST_ECHO: usize = 60;

/// The author's own value with the type that is wanted, as the key would look in the file.
pub(super) fn corrected(key: &str, wanted: &str, got: &DeValue<'_>, written: &str) -> Option<String> {
    let plain = |text: &str| !text.is_empty() && text.len() <= LONGEST_ECHO && !text.contains(['"', '\n', '\\', '`']);
    let text = got.as_str().filter(|text| plain(text)).unwrap_or_default();
    let is_number = !text.is_empty() && text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit());
    match wanted {
        "a whole number" if is_number => Some(format!("`{key} = {text}`, without quotes")),
        "`true` or `false`" if ["true", "false"].contains(&text) => Some(format!("`{key} = {text}`, without quotes")),
        "a date" if text.parse::<jiff::civil::Date>().is_ok() && text.len() == 10 => {
            Some(format!("`{key} = {text}`, without quotes"))
        }
        "text" if !matches!(got, DeValue::Array(_) | DeValue::Table(_)) && plain(written) => {
            Some(format!("`{key} = \"{written}\"`, in quotes"))
        }
        "a list of texts" if !text.is_empty() => Some(format!("`{key} = [\"{text}\"]`, in brackets")),
        "a list of whole numbers" if matches!(got, DeValue::Integer(_)) && plain(written) => {
            Some(format!("`{key} = [{written}]`, in brackets"))
        }
        _ => None,
    }
}

/// The key as it would look in a file.
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
