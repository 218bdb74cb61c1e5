//! Rows of a table as CSV (RFC 4180), for spreadsheets.
//!
//! A row has results, and no text of a program.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use crate::content::question::QuestionName;
use crate::script::parts::facts;
use crate::script::report::{Graded, Report};
use crate::script::table::Row;
use crate::script::text as script_text;
use crate::text;

/// The columns before those of the questions: the facts of a learner and of a total, and three more.
const COLUMNS: [&str; 14] = [
    "learner",
    "file",
    "handed_in",
    "on_roster",
    "passed",
    "score",
    "of",
    "percent",
    "right",
    "asked",
    "suspicious",
    "to_look_at",
    "problems",
    "first_problem",
];

/// The columns of each question, behind its name.
const QUESTION_COLUMNS: [&str; 3] = ["score", "line", "fix"];

/// The first line, which names the columns of a table about `questions`.
pub fn header(questions: &[QuestionName]) -> String {
    let names = questions.iter().flat_map(|name| QUESTION_COLUMNS.map(|column| format!("{name} {column}")));
    line(COLUMNS.into_iter().map(str::to_owned).chain(names))
}

/// The line of `row`. The cells of a question that was not graded are empty, but for its score, which is 0.
pub fn row(row: &Row, questions: &[QuestionName]) -> String {
    let Report { total, questions: graded, problems, .. } = &row.report;
    let facts = facts(&row.learner).into_iter().chain(facts(total)).map(|(_, value)| match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    });
    let first = problems.first().map(ToString::to_string).unwrap_or_default();
    let whole = facts.chain([to_look_at(graded), problems.len().to_string(), first]);
    let graded: BTreeMap<_, _> = graded.iter().map(|graded| (&graded.question, graded)).collect();
    let of_questions = questions.iter().flat_map(|name| match graded.get(name) {
        None => ["0".to_owned(), String::new(), String::new()],
        Some(graded) => {
            let fix = graded.fix.as_ref().map(|fix| fix.result.word());
            [graded.score.to_string(), graded.line.result.word().to_owned(), fix.unwrap_or_default().to_owned()]
        }
    });
    line(whole.chain(of_questions))
}

/// Reasons for a person to read a fix: it tampered, or has methods that can change what a check compares.
fn to_look_at(questions: &[Graded]) -> String {
    let fixes = questions.iter().filter_map(|graded| Some((graded, graded.fix.as_ref()?)));
    let reasons = fixes.filter_map(|(graded, fix)| {
        let ran = fix.ran.as_ref()?;
        let reason = match (fix.is_suspicious(), ran.overloads.is_empty()) {
            (true, _) => ran.detail.clone(),
            (false, false) => script_text::overloads(&ran.overloads),
            (false, true) => return None,
        };
        Some(format!("{}: {reason}", graded.question))
    });
    reasons.collect::<Vec<_>>().join("; ")
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.map(|text| cell(&text)).collect();
    // The RFC ends lines with CR LF; its readers take LF as well, and the tools of a shell take nothing else.
    cells.join(",") + "\n"
}

/// `text` as one cell. Nothing in it commands a terminal, breaks the line, or begins a formula.
fn cell(text: &str) -> String {
    let safe = text::line(text);
    let safe = if begins_formula(text) { Cow::Owned(format!("'{safe}")) } else { safe };
    if safe.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", safe.replace('"', "\"\"")) } else { safe.into_owned() }
}

/// True if a spreadsheet would take `text` for a formula: see "CSV injection" at OWASP. The last four are wide forms, which
/// some spreadsheets read alike.
fn begins_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_quoted_where_it_must_be() {
        for (text, written) in [
            ("ada", "ada"),
            ("", ""),
            ("Lovelace, Ada", "\"Lovelace, Ada\""),
            ("the \"first\"", "\"the \"\"first\"\"\""),
            ("two\nlines", "two␊lines"),
            ("\u{1b}[2J", "␛[2J"),
            ("né", "né"),
        ] {
            assert_eq!(cell(text), written, "{text:?}");
        }
    }

    #[test]
    fn no_cell_begins_a_formula() {
        for (text, written) in [
            ("=1+1", "'=1+1"),
            ("+49", "'+49"),
            ("-ada", "'-ada"),
            ("@sum", "'@sum"),
            ("\t=1", "'    =1"),
            ("\r=1", "'␍=1"),
            ("\n=1", "'␊=1"),
            ("＝1", "'＝1"),
            ("=a,\"b\"", "\"'=a,\"\"b\"\"\""),
            ("a=1", "a=1"),
            ("'=1", "'=1"),
        ] {
            assert_eq!(cell(text), written, "{text:?}");
        }
    }
}
