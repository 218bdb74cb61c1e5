//! Reads TOML and explains its syntax errors in terms of what the author wrote.
//!
//! The parser goes on after an error, and reports its consequences too. A text or list that is not closed is reported where it
//! was opened, and reading starts again behind it.

mod breaks;
mod rewrite;

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, Error};

use self::breaks::{header, is_assignment, line_at};
use crate::content::diagnostic::codes;
use crate::content::lookalike;
use crate::content::problems::{MOST_PROBLEMS, Problems};
use crate::text;

/// Most texts and lists that are not closed, of one file. For each the rest of the file is read again.
const MOST_BREAKS: usize = 10;

/// A file as far as it can be read.
pub(crate) struct Document<'a> {
    pub(crate) root: Spanned<DeTable<'a>>,
    /// False after a syntax error.
    pub(crate) complete: bool,
}

/// Parses `text`. Adds its syntax errors to `problems`; those that nothing better is known of get `help`.
pub(crate) fn read<'a>(problems: &Problems, text: &'a str, help: &str) -> Document<'a> {
    let (mut root, mut errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Document { root, complete: true };
    }
    if conflicts(problems, text) {
        return Document { root: DeTable::parse_recoverable("").0, complete: false };
    }
    let mut start = 0;
    let mut readable = text.len();
    for _ in 0..MOST_BREAKS {
        let part = text.get(start..).unwrap_or_default();
        errors.sort_by_key(|error| place(part, error).start);
        let found = breaks::first(part, &errors);
        let end = found.as_ref().map_or(usize::MAX, |found| found.opened.start);
        lines(problems, part, start, errors.iter().filter(|error| place(part, error).start < end), help);
        let Some(found) = found else { break };
        readable = readable.min(start + line_at(part, found.opened.start).start);
        problems.error(codes::SYNTAX, moved(&found.opened, start), found.message, "", found.help);
        let Some(next) = found.next else { break };
        start += next;
        errors = DeTable::parse_recoverable(text.get(start..).unwrap_or_default()).1;
    }
    // What follows an open text may have been read as something else.
    if let Some(before) = text.get(..readable).filter(|_| readable < text.len()) {
        root = DeTable::parse_recoverable(before).0;
    }
    Document { root, complete: false }
}

/// Reports each unresolved merge conflict. Returns whether there is one.
pub(crate) fn conflicts(problems: &Problems, text: &str) -> bool {
    let conflicts = breaks::conflicts(text);
    for span in &conflicts {
        let message = "this is an unresolved merge conflict";
        let help = "keep one of the two versions, and delete the lines `<<<<<<<`, `=======` and `>>>>>>>`";
        problems.error(codes::SYNTAX, span.clone(), message, "", help);
    }
    !conflicts.is_empty()
}

fn place(text: &str, error: &Error) -> Range<usize> {
    error.span().unwrap_or(text.len()..text.len())
}

fn moved(span: &Range<usize>, by: usize) -> Range<usize> {
    span.start + by..span.end + by
}

/// Adds one error for each line, in their order: the first mistake in a line often causes others.
fn lines<'a>(problems: &Problems, text: &str, start: usize, errors: impl Iterator<Item = &'a Error>, help: &str) {
    let mut from = 0;
    for error in errors {
        let span = place(text, error);
        problems.refuse(span.start + start);
        if span.start < from {
            continue;
        }
        let line = line_at(text, span.start);
        problems.refuse_line(moved(&line, start));
        let mistake = Mistake { text, span: span.clone(), line, message: error.message() };
        from = mistake.end();
        if problems.count() >= MOST_PROBLEMS {
            // It is only counted.
            problems.error(codes::SYNTAX, moved(&span, start), "", "", help);
            continue;
        }
        let (span, message, remedy) = mistake.explained();
        let remedy = remedy.unwrap_or_else(|| help.to_owned());
        problems.error(codes::SYNTAX, moved(&span, start), format!("not valid TOML: {message}"), "", remedy);
    }
}

/// One error of the parser.
struct Mistake<'a> {
    text: &'a str,
    span: Range<usize>,
    line: Range<usize>,
    message: &'a str,
}

impl Mistake<'_> {
    fn line(&self) -> &str {
        self.text.get(self.line.clone()).unwrap_or_default()
    }

    fn is(&self, message: &str) -> bool {
        self.message.starts_with(message)
    }

    /// The first byte behind what this error makes of the text.
    fn end(&self) -> usize {
        let mut end = (self.line.end + 1).min(self.text.len() + 1);
        // The rest of a text that goes on in the next lines, and the keys of a table that is there already.
        let is_over: fn(&str) -> bool = if self.is_open_text() {
            |line| line.trim().is_empty() || is_assignment(line) || header(line).is_some()
        } else if self.is("duplicate key") && header(self.line()).is_some() {
            |line| header(line).is_some()
        } else {
            |_| true
        };
        for line in self.text.get(end..).unwrap_or_default().split_inclusive('\n') {
            if is_over(line) {
                break;
            }
            end += line.len();
        }
        end
    }

    /// Its place, its message and what to do, if that is known.
    fn explained(&self) -> (Range<usize>, String, Option<String>) {
        let line = self.line();
        if self.is("duplicate key") {
            let (message, remedy) = self.duplicate();
            return (self.span.clone(), message, Some(remedy));
        }
        if let Some(found) = lookalike::first(line) {
            let at = self.line.start + found.at;
            return (at..at + found.character.len_utf8(), self.in_words(), Some(found.help()));
        }
        let written = || rewrite::line(line).map(|line| format!("write `{line}`"));
        (self.span.clone(), self.in_words(), self.special().or_else(written).or_else(|| self.by_message()))
    }

    /// The parser's message, or a plainer one.
    fn in_words(&self) -> String {
        let (message, _) = self.message.split_once(", expected ").unwrap_or((self.message, ""));
        let value = self.line().split_once('=').map_or("", |(_, value)| value.trim());
        match message {
            "invalid date" => format!("`{}` is not a date", text::brief(value)),
            _ if rewrite::date_parts(value).is_some() => format!("`{value}` is not a date"),
            "unexpected leading zero" => format!("the number `{}` begins with a zero", text::brief(value)),
            "key with no value" | "invalid unquoted key" => "this line is not `key = value`".to_owned(),
            "unexpected key or value" => "there is more behind the value".to_owned(),
            "string values must be quoted" if self.span.is_empty() => "the value is missing".to_owned(),
            "string values must be quoted" | "missing opening quote" => "text needs quotes".to_owned(),
            "invalid float" | "invalid boolean" | "invalid integer" | "redundant numeric sign" => {
                format!("`{}` is not a value", text::brief(value))
            }
            "missing escaped value" | "too few unicode value digits" => {
                "a backslash between `\"` has a meaning of its own".to_owned()
            }
            _ if self.is_open_text() => "this text is not closed on its line".to_owned(),
            _ => message.replace('\n', ", "),
        }
    }

    /// True for a text in single quotes that goes on to the end of its line.
    fn is_open_text(&self) -> bool {
        self.is("invalid basic string, expected `\"`") || self.is("invalid literal string, expected `'`")
    }

    /// The help where to write the line again would not do.
    fn special(&self) -> Option<String> {
        let rest = self.text.get(self.span.start..self.line.end).unwrap_or_default();
        if let Some(character) = rest.chars().next().filter(|c| c.is_control() && !c.is_whitespace()) {
            return Some(format!("remove the invisible character U+{:04X}", u32::from(character)));
        }
        if self.is_open_text() && self.end() > self.line.end + 1 {
            return Some("write the text in one line, or put it between `\"\"\"`".to_owned());
        }
        let key = rewrite::key(rest).filter(|_| self.is("unexpected key or value"))?;
        Some(format!("begin a new line before `{key}`"))
    }

    /// The help for lines that cannot be written again.
    fn by_message(&self) -> Option<String> {
        let line = self.line();
        let code = line.trim_start();
        if ["//", "--", ";", "/*"].iter().any(|sign| code.starts_with(sign)) {
            return Some("begin a comment with `#`".to_owned());
        }
        if self.is("missing comma between array elements") {
            return Some("write a `,` between the two entries".to_owned());
        }
        if self.is("extra comma in array") {
            return Some("remove one `,`".to_owned());
        }
        if self.is("invalid date") {
            let key = rewrite::key(line).unwrap_or("key");
            return Some(format!("write a real date, as in `{key} = 2026-11-29`"));
        }
        let escape = self.is("missing escaped value") || self.is("too few unicode value digits");
        if escape && !is_assignment(line) {
            return Some("write `\\\\` for a backslash, or put the text between `'''`".to_owned());
        }
        None
    }

    /// Describes a key or a table that is there twice.
    fn duplicate(&self) -> (String, String) {
        let name = self.text.get(self.span.clone()).unwrap_or_default();
        let Some(table) = header(self.line()) else {
            return (format!("the key `{name}` is there twice"), "remove this one or the one above".to_owned());
        };
        let before = self.text.get(..self.line.start).unwrap_or_default();
        let first = before.lines().find(|line| header(line) == Some(table));
        if first.is_some_and(|line| line.starts_with("[[")) {
            let message = format!("`[[{table}]]` and `[{table}]` are different things");
            return (message, format!("write `[[{table}]]`, as above"));
        }
        let help = "move its keys to the one above, or remove one of the two";
        (format!("the table `[{table}]` is there twice"), help.to_owned())
    }
}

#[cfg(test)]
mod tests;
