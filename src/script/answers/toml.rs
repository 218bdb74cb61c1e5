//! Answers in TOML.

use std::ops::Range;
use std::path::Path;

use toml::de::DeTable;

use super::{Entries, Keys, MOST, check_format, given};
use crate::content::decode::{Number, Table};
use crate::content::diagnostic::{Code, codes};
use crate::content::problems::Problems;
use crate::content::{read, syntax};

/// Bytes that may stand outside of texts and comments. The parser takes a hundred times their room and more.
const MOST_STRUCTURE: usize = 1 << 20;

const HELP: &str = "answers are `[[answer]]` tables with `question` and `line`, or one JSON object a line";

pub(super) fn answers(problems: &Problems, text: &str, lenient: bool) -> Entries {
    if structure(text) > MOST_STRUCTURE {
        let message = format!("more than {MOST_STRUCTURE} bytes of this file are neither quoted text nor comments");
        problems.error(codes::TOO_LARGE, 0..0, message, "", "an answer is a few keys, and a fix in quotes");
        return Entries { given: Vec::new(), complete: false };
    }
    if lenient
        && !DeTable::parse_recoverable(text).1.is_empty()
        && let Some(entries) = in_pieces(problems, text)
    {
        return entries;
    }
    let document = syntax::read(problems, text, HELP);
    let table = Table::root(problems, &document.root, document.complete);
    let right_format = format(problems, &table);
    let Entries { given, complete } = tables(problems, &table, document.complete);
    table.finish();
    Entries { given, complete: complete && right_format && document.complete }
}

/// Reads each entry of a text with broken syntax on its own, so that a mistake in one costs no other. `None` if the text
/// cannot be split into entries.
fn in_pieces(problems: &Problems, text: &str) -> Option<Entries> {
    let mut starts = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if begins_entry(line) {
            starts.push(at);
        }
        at += line.len();
    }
    let (head, _) = text.split_at_checked(*starts.first()?)?;
    let (root, errors) = DeTable::parse_recoverable(head);
    if !errors.is_empty() || starts.len() > MOST {
        return None;
    }
    let table = Table::root(problems, &root, true);
    let mut complete = format(problems, &table);
    complete &= tables(problems, &table, true).complete;
    table.finish();
    let mut entries = Vec::new();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    for (start, end) in starts.iter().copied().zip(ends) {
        let piece = Problems::new(read::source(Path::new(""), text.get(start..end)?));
        let document = syntax::read(&piece, text.get(start..end)?, HELP);
        let table = Table::root(&piece, &document.root, document.complete);
        entries.extend(tables(&piece, &table, document.complete).given.into_iter().map(|given| given.moved_by(start)));
        table.finish();
        problems.adopt(piece, start);
    }
    Some(Entries { given: entries, complete })
}

/// True if an entry begins with `line`, also where a bracket is missing.
fn begins_entry(line: &str) -> bool {
    let code = line.split('#').next().unwrap_or_default();
    let code: String = code.split_whitespace().collect();
    code.starts_with('[') && code.trim_matches(['[', ']']) == "answer"
}

/// True if the document is in a format that is read here, or says nothing of it.
fn format(problems: &Problems, table: &Table<'_>) -> bool {
    let format = table.number("format");
    format.is_none_or(|(format, span)| check_format(problems, span, Some(format), &format.to_string()))
}

/// The entries of a document whose syntax is `sound`, or not.
fn tables(problems: &Problems, table: &Table<'_>, sound: bool) -> Entries {
    let tables = table.tables("answer");
    let complete = tables.is_some();
    let given = tables.into_iter().flatten().filter_map(|table| given(problems, table, sound)).collect();
    Entries { given, complete }
}

impl Keys for Table<'_> {
    fn has(&self, key: &str) -> bool {
        Table::has(self, key)
    }

    fn span_of(&self, key: &str) -> Range<usize> {
        Table::span_of(self, key)
    }

    fn report(&self, code: Code, key: &str, message: String, help: &str) {
        Table::report(self, code, self.span_of(key), message, help);
    }

    fn question(&self) -> Option<String> {
        Table::text(self, "question")
    }

    fn text(&self, key: &'static str) -> Option<String> {
        self.optional_program(key)
    }

    fn number(&self, key: &'static str) -> Option<Number> {
        self.optional_number(key)
    }

    fn numbers(&self, key: &'static str) -> Option<Vec<Number>> {
        self.optional_numbers(key)
    }

    fn finish(self) {
        Table::finish(self);
    }
}

/// The bytes of `text` outside of strings and comments, with the quotes, and with the backslashes in strings, of which
/// each may be a mistake of its own.
fn structure(text: &str) -> usize {
    let mut count = 0;
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        count += 1;
        rest = behind;
        match first {
            b'#' => rest = behind.get(behind.iter().take_while(|byte| **byte != b'\n').count()..).unwrap_or_default(),
            b'"' | b'\'' => {
                let (inside, behind) = string(*first, behind);
                count += inside;
                rest = behind;
            }
            _ => {}
        }
    }
    count
}

/// The bytes that count in a string that began with `quote`, and the text after it.
fn string(quote: u8, mut rest: &[u8]) -> (usize, &[u8]) {
    let long = rest.starts_with(&[quote; 2]);
    let end = if long { &[quote; 3][..] } else { &[quote; 1] };
    let mut count = if long { 2 } else { 0 };
    rest = rest.get(count..).unwrap_or_default();
    while let Some((byte, behind)) = rest.split_first() {
        if let Some(behind) = rest.strip_prefix(end) {
            return (count + end.len(), behind);
        }
        if !long && *byte == b'\n' {
            break;
        }
        let escape = quote == b'"' && *byte == b'\\';
        count += usize::from(escape);
        // A line ends also behind a backslash.
        rest = behind.get(usize::from(escape && !behind.starts_with(b"\n"))..).unwrap_or_default();
    }
    (count, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_their_first_line() {
        for (line, begins) in [
            ("[[answer]]\n", true),
            (" [[ answer ]] # the first\n", true),
            ("[answer]", true),
            ("[[answer]", true),
            ("[[answers]]", false),
            ("answer = [", false),
            ("# [[answer]]", false),
            ("[[]]", false),
            ("", false),
        ] {
            assert_eq!(begins_entry(line), begins, "{line:?}");
        }
    }

    #[test]
    fn bytes_outside_of_texts_are_counted() {
        for (text, bytes) in [
            ("a = 1\n", 6),
            ("# long words\n", 2),
            ("a = 'long # words'\n", 7),
            (r#"a = "long \" words""#, 7),
            ("'not ended\nb", 3),
            ("a='''\nlong 'words'\n'''b", 9),
            (r#""""not \ended ""#, 4),
            ("''''''", 6),
            ("''", 2),
            ("\"", 1),
            ("\"\\", 2),
            ("\"\\\nx = 1", 8),
        ] {
            assert_eq!(structure(text), bytes, "{text}");
        }
    }
}
