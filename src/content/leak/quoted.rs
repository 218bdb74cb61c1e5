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
    /// Whether it may be a part of a sentence: `return done` in "to return done jobs".
    is_words: bool,
}

impl Line {
    /// `None` for a line that is too short to be recognised. A comment behind the code is none of it.
    pub(super) fn new(code: &str) -> Option<Self> {
        let code = without_comment(code).trim().trim_end_matches(':');
        let is_a_word = code.chars().all(char::is_alphanumeric);
        let letters = code.chars().filter(|c| c.is_alphanumeric()).count();
        let is_long = !is_a_word && letters >= SHORTEST;
        let is_words = code.split_whitespace().all(is_plain_word);
        is_long.then(|| Self { tokens: tokens(code), unmarked: unmarked(code), is_words })
    }
}

/// A text that is searched for lines of code.
pub(super) struct Quoted {
    /// As it is written, and as it is shown.
    forms: [String; 2],
    /// Without anything that may be a mark.
    unmarked: String,
    /// What is set as code, and what is stressed, each piece by itself.
    code: String,
    stressed: String,
}

impl Quoted {
    /// A text in Markdown.
    pub(super) fn prose(text: &str) -> Self {
        let pieces = prose::pieces(text);
        let shown = pieces.iter().filter(|piece| piece.kind != Kind::Address);
        let shown: String = shown.map(|piece| piece.text.as_str()).collect();
        let all_of = |kind| pieces.iter().filter(|piece| piece.kind == kind).map(|piece| tokens(&piece.text)).collect();
        let (code, stressed) = (all_of(Kind::Code), all_of(Kind::Emphasis));
        Self { forms: [tokens(text), tokens(&shown)], unmarked: unmarked(text), code, stressed }
    }

    /// A text in a program.
    pub(super) fn plain(text: &str) -> Self {
        let (code, stressed) = (String::new(), String::new());
        Self { forms: [tokens(text), String::new()], unmarked: unmarked(text), code, stressed }
    }

    /// Whether the line of code stands in it. What may be a part of a sentence has to be set apart.
    pub(super) fn holds(&self, line: &Line) -> bool {
        if line.is_words {
            let [written, shown] = &self.forms;
            return self.code.contains(&line.tokens)
                || [written, shown, &self.stressed].iter().any(|form| is_apart(form, &line.tokens));
        }
        self.forms.iter().any(|form| form.contains(&line.tokens)) || self.unmarked.contains(&line.unmarked)
    }
}

/// Whether `wanted` stands in `text` between quotes, in brackets, behind a colon, or by itself.
fn is_apart(text: &str, wanted: &str) -> bool {
    text.match_indices(wanted).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default().rsplit(' ').next();
        let behind = text.get(at + wanted.len()..).unwrap_or_default().split(' ').next();
        matches!(before, Some("" | "`" | "'" | "*" | "(" | "[" | ":"))
            && matches!(behind, Some("" | "`" | "'" | "*" | ")" | "]" | "." | ":" | ";" | "!" | "?"))
    })
}

/// Whether a word of code may be one of a sentence, or a number.
fn is_plain_word(word: &str) -> bool {
    let letters = word.chars().all(char::is_alphabetic) && !word.chars().skip(1).any(char::is_uppercase);
    letters || word.chars().all(char::is_numeric)
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

    #[test]
    fn a_line_of_words_counts_where_it_is_set_apart() {
        for (text, code) in [
            ("to `return done` there", "return done"),
            ("then `else: return done` follows", "return done"),
            ("then \u{201c}return done\u{201d} follows", "return done"),
            ("then *return done* follows", "return done"),
            ("then _return done_ follows", "return done"),
            ("then (return done) follows", "return done"),
            ("It is this one: return done.", "return done"),
            ("Return done.", "return done"),
            ("return  done", "return done"),
            ("the `except KeyError`", "except KeyError:"),
            // These are no words of a sentence.
            ("it has an except KeyError there", "except KeyError:"),
            ("it does return job2 there", "return job2"),
            ("it does return done_jobs there", "return done_jobs"),
        ] {
            assert!(holds(text, code), "{text}");
        }
        for (text, code) in [
            ("To return done jobs at the end is right.", "return done"),
            ("Return done jobs", "return done"),
            ("It must return done", "return done"),
            ("Return done, and stop.", "return done"),
            ("They *return done jobs* here", "return done"),
            ("To return 42 jobs is right.", "return 42"),
            ("They raise exception after exception.", "raise Exception"),
            ("They await task three", "await task"),
            ("`done` to return done `return`", "return done"),
        ] {
            assert!(!holds(text, code), "{text}");
        }
        assert!(Line::new("return done").is_some_and(|line| Quoted::plain("return done").holds(&line)));
        assert!(Line::new("return done").is_some_and(|line| Quoted::plain("`return done`").holds(&line)));
        assert!(!Line::new("return done").is_some_and(|line| Quoted::plain("to return done jobs").holds(&line)));
    }
}
