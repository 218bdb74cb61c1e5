//! Answers in TOML.

use toml::Spanned;
use toml::de::DeTable;

use super::{FORMAT, Fix, Given, Program};
use crate::content::decode::Table;
use crate::content::diagnostic::codes;
use crate::content::problems::Problems;

/// Bytes that may stand outside of texts and comments. The parser takes a hundred times their room and more.
const MOST_STRUCTURE: usize = 1 << 20;

pub(super) fn answers(problems: &Problems, text: &str) -> Vec<Given> {
    if structure(text) > MOST_STRUCTURE {
        let message = format!("more than {MOST_STRUCTURE} bytes of this file are neither quoted text nor comments");
        problems.error(codes::TOO_LARGE, 0..0, message, "", "an answer is a few keys, and a fix in quotes");
        return Vec::new();
    }
    let (root, errors) = DeTable::parse_recoverable(text);
    problems.syntax(&errors, "answers are `[[answer]]` tables with `question` and `line`, or one JSON object a line");
    tables(problems, &root, errors.is_empty())
}

fn tables<'a>(problems: &'a Problems, root: &'a Spanned<DeTable<'a>>, complete: bool) -> Vec<Given> {
    let table = Table::root(problems, root, complete);
    if let Some((format, span)) = table.number("format").filter(|(format, _)| *format != FORMAT) {
        table.report(
            codes::FORMAT,
            span,
            format!("this fencepost reads answers in format {FORMAT}, not {format}"),
            "write `format = 1`",
        );
    }
    let mut given = Vec::new();
    for entry in table.tables("answer").unwrap_or_default() {
        given.extend(answer(&entry, complete));
        entry.finish();
    }
    table.finish();
    given
}

fn answer(entry: &Table<'_>, complete: bool) -> Option<Given> {
    let question = entry.text("question");
    let (line, lines) = (entry.optional_number("line"), entry.optional_numbers("lines"));
    let (text, file) = (entry.optional_program("fix"), entry.optional_program("fix_file"));
    let points = entry.optional_numbers("points");
    for (one, other) in [("line", "lines"), ("fix", "fix_file")] {
        if entry.has(one) && entry.has(other) {
            let message = format!("`{one}` and `{other}` say the same thing twice");
            entry.report(codes::BAD_VALUE, entry.span_of(other), message, "keep one of them");
        }
    }
    let keys = ["line", "lines", "fix", "fix_file", "points"];
    if complete && question.is_some() && !keys.into_iter().any(|key| entry.has(key)) {
        let message = "nothing is answered here: `line` is missing".to_owned();
        entry.report(codes::MISSING_KEY, entry.span_of("question"), message, "add `line = 1`, or remove the entry");
    }
    if lines.as_ref().is_some_and(|lines| lines.as_ref().is_some_and(Vec::is_empty)) {
        entry.report(codes::EMPTY, entry.span_of("lines"), "`lines` is empty".to_owned(), "name at least one line");
    }
    let text = text.flatten().map(|text| Fix { program: Program::Text(text), span: entry.span_of("fix") });
    let file = file.flatten().map(|name| Fix { program: Program::File(name), span: entry.span_of("fix_file") });
    Some(Given {
        question: question?,
        span: entry.span_of("question"),
        picks: line.flatten().into_iter().chain(lines.flatten().unwrap_or_default()).collect(),
        fix: text.or(file),
        points: points.flatten(),
    })
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

/// What counts in a string that began with `quote`, and what is behind it.
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
    fn what_is_no_text_is_counted() {
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
