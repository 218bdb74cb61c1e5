//! Whether a text holds a line of code, however it is set.
//!
//! Blanks, the marks of Markdown, and the kind of quotes make no difference to a reader, so they make none here.

use crate::content::prose::{self, Kind};

/// Letters and digits that a line needs to be recognised: `x = 1` may stand anywhere, as may a single word.
const SHORTEST: usize = 6;

/// What Markdown marks with, as far as it may stand inside a word.
const MARKS: [char; 4] = ['*', '`', '_', '\\'];

/// A line of code that texts are searched for.
pub(super) struct Line {
    tokens: String,
    unmarked: String,
}

impl Line {
    /// `None` for a line that is too short to be recognised. A comment behind the code is none of it.
    pub(super) fn new(code: &str) -> Option<Self> {
        let code = without_comment(code).trim().trim_end_matches(':');
        let is_a_word = code.chars().all(char::is_alphanumeric);
        let letters = code.chars().filter(|c| c.is_alphanumeric()).count();
        let is_long = !is_a_word && letters >= SHORTEST;
        is_long.then(|| Self { tokens: tokens(code), unmarked: unmarked(code) })
    }
}

/// A text that is searched for lines of code.
pub(super) struct Quoted {
    /// As it is written, and as it is shown.
    forms: [String; 2],
    /// Without anything that may be a mark.
    unmarked: String,
}

impl Quoted {
    /// A text in Markdown.
    pub(super) fn prose(text: &str) -> Self {
        let shown = prose::pieces(text).into_iter().filter(|piece| piece.kind != Kind::Address);
        let shown: String = shown.map(|piece| piece.text).collect();
        Self { forms: [tokens(text), tokens(&shown)], unmarked: unmarked(text) }
    }

    /// A text in a program.
    pub(super) fn plain(text: &str) -> Self {
        Self { forms: [tokens(text), String::new()], unmarked: unmarked(text) }
    }

    /// Whether the line of code stands in it.
    pub(super) fn holds(&self, line: &Line) -> bool {
        self.forms.iter().any(|form| form.contains(&line.tokens)) || self.unmarked.contains(&line.unmarked)
    }
}

fn unmarked(text: &str) -> String {
    tokens(&text.replace(MARKS, ""))
}

/// The names, numbers and signs of `text`, in small letters, with one blank around each: so a search, which takes no longer
/// than the text is long, finds whole ones only.
fn tokens(text: &str) -> String {
    let mut all = String::new();
    let mut in_word = false;
    for c in text.chars() {
        let is_word = c.is_alphanumeric() || c == '_';
        if !c.is_whitespace() {
            if !(is_word && in_word) {
                all.push(' ');
            }
            match c {
                '"' | '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}' => all.push('\''),
                _ => all.extend(c.to_lowercase()),
            }
        }
        in_word = is_word;
    }
    all.push(' ');
    all
}

/// The code of a line, without the comment behind it. A `#` in a text is no comment.
pub(super) fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '#') => return line.get(..at).unwrap_or(line),
            _ => {}
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str, code: &str) -> bool {
        Line::new(code).is_some_and(|line| Quoted::prose(text).holds(&line))
    }

    #[test]
    fn a_line_is_recognised_however_it_is_set() {
        let code = "self.entries[key] = (value, now)";
        for text in [
            "see `self.entries[key] = (value, now)` there",
            "self.entries[ key ]=( value,now )",
            "*self.entries*[key] = (value, now)",
            "**self**.`entries`[key] = (value, now)",
            "self\\.entries\\[key\\] = \\(value, now\\)",
            "self.ent*ries*[key] = (value, now)",
            "`self.entries` `[key]` = `(value, now)`",
            "Self.entries[key] = (value, now).",
            "[self.entries[key] = (value, now)](https://example.org)",
        ] {
            assert!(holds(text, code), "{text}");
        }
        for (text, code) in [
            ("loop `for x in values`", "for x in values:"),
            ("loop `self.report = report`", "self.report = report  # the newest"),
            ("loop `self.report = report`", "self.report = report # the newest"),
            ("print('# not', x)", "print(\"# not\", x)"),
            ("print(\u{201c}stored\u{201d}, x)", "print(\"stored\", x)"),
            ("total = price * count", "total = price*count"),
            ("`total = *price*count`", "total = price*count"),
        ] {
            assert!(holds(text, code), "{text}");
        }
    }

    #[test]
    fn what_is_another_line_or_none_is_left_alone() {
        for (text, code) in [
            ("return", "return"),
            ("x = 1", "x = 1"),
            ("report = self.report", "self.report = report"),
            ("`self.report = reports`", "self.report = report"),
            ("it must return values", "return value"),
            ("# only a comment", "# only a comment"),
            ("", "self.report = report"),
        ] {
            assert!(!holds(text, code), "{text}");
        }
    }
}
