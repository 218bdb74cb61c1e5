//! JSON that is safe on a terminal.
//!
//! JSON escapes the control characters below U+0020 and no others. Here everything that a terminal obeys, or that nobody
//! sees, is written as an escape; who reads the JSON gets the same text.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::text::is_unseen;

/// The same JSON with escapes for what nobody sees.
pub fn visible(json: &str) -> Cow<'_, str> {
    let hidden = |c: char| is_unseen(c) || (c.is_control() && c != '\n');
    if !json.contains(hidden) {
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
}
