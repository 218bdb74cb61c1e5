//! Answers in TOML.

use toml::Spanned;
use toml::de::DeTable;

use super::{FORMAT, Fix, Given, Program};
use crate::content::decode::Table;
use crate::content::diagnostic::codes;
use crate::content::problems::Problems;

pub(super) fn answers(problems: &Problems, text: &str) -> Vec<Given> {
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
