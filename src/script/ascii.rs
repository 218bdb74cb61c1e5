//! JSON that is safe on a terminal.
//!
//! JSON escapes only the control characters below U+0020. Here everything that a terminal obeys, and every invisible
//! character, is an escape; a reader of the JSON gets the same text.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::text::is_unseen;

/// The same JSON with escapes for invisible characters.
pub fn visible(json: &str) -> Cow<'_, str> {
    escaped(json, |c| is_unseen(c) || (c.is_control() && c != '\n'))
}

/// The same for a document in YAML 1.2, which is JSON as well. Two things differ: YAML forbids U+FFFE and U+FFFF, and it has
/// no pairs of escapes for one character. What JSON would need a pair for stays as it is; no terminal obeys it.
pub fn for_yaml(json: &str) -> Cow<'_, str> {
    escaped(json, |c| match c {
        '\u{fffe}' | '\u{ffff}' => true,
        '\u{10000}'.. => false,
        c => is_unseen(c) || (c.is_control() && c != '\n'),
    })
}

fn escaped(json: &str, hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !json.contains(&hidden) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_text_stays_and_the_terminal_does_not_obey() {
        let value = json!({"a": "x\n\u{1b}[2J\u{7f}\u{9b}\u{202e}\u{e0041}é"});
        let text = value.to_string();
        let written = visible(&text);
        assert_eq!(written, r#"{"a":"x\n\u001b[2J\u007f\u009b\u202e\udb40\udc41é"}"#);
        assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), value);
        assert_eq!(visible("{\n}"), "{\n}");
    }

    #[test]
    fn yaml_has_one_escape_for_a_character_or_none() {
        let value = json!("\u{1b}\u{85}\u{2028}\u{feff}\u{ffff}\u{fffe}\u{e0041}😀é");
        let text = value.to_string();
        let written = for_yaml(&text);
        assert_eq!(written, "\"\\u001b\\u0085\\u2028\\ufeff\\uffff\\ufffe\u{e0041}😀é\"");
        assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), value);
    }
}
