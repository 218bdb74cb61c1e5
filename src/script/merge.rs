//! Adds up the reports of the parts of a quiz, or the tables of a batch that was graded in parts.
//!
//! They must be all parts of one quiz. Every reason why they are not is listed.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::content::question::QuestionName;
use crate::script::report::{FORMAT, Graded, Report, Terms, Total, why_empty};
use crate::script::scoring::percent;
use crate::script::selection::{Partition, shuffle_by_name};
use crate::script::table::{Learner, Row};
use crate::text::{is_forbidden, listed};

/// Missing parts that are named.
const MOST_MISSING: u64 = 10;

/// A value with the name of its file.
type Named<T> = (String, T);

/// A learner, and the file that was handed in.
type Entrant = (String, Option<String>);

/// The content of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Document {
    /// A report on one set of answers.
    Report(Box<Report>),
    /// The rows of a batch; at least one.
    Table(Vec<Row>),
}

/// A file to add up.
#[derive(Clone, Debug)]
pub struct Part {
    /// The name of the file.
    pub name: String,
    /// Its content.
    pub document: Document,
}

/// Reads a report, or a table in JSON lines.
///
/// # Errors
///
/// The mistake, as the end of a sentence that begins with the file's name.
pub fn read(text: &str) -> Result<Document, String> {
    let mut reports = Vec::new();
    let mut rows = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        let value = value.map_err(|error| format!("is not valid JSON: {error}"))?;
        if value.get("event").is_some() {
            return Err("holds the events of a report; use `--format json`".to_owned());
        }
        if value.get("learner").is_some() {
            rows.push(typed::<Row>(value, "row of a table")?);
        } else {
            reports.push(typed::<Report>(value, "report")?);
        }
    }
    let of_rows = rows.iter().map(|row| &row.report);
    reports.iter().chain(of_rows).flat_map(|report| &report.questions).try_for_each(sound)?;
    match (reports.pop(), rows.is_empty()) {
        (Some(report), true) if reports.is_empty() => Ok(Document::Report(Box::new(report))),
        (None, false) => Ok(Document::Table(rows)),
        (None, true) => Err("is empty".to_owned()),
        _ => Err("has more than one report".to_owned()),
    }
}

/// Refuses a question that the types allow and that no report of this program has.
fn sound(Graded { question, fix, .. }: &Graded) -> Result<(), String> {
    if question.to_string().chars().any(|c| c.is_control() || is_forbidden(c)) {
        return Err(format!("has a question with an invisible character in its name: `{question}`"));
    }
    // A run that cannot be read is left out of the type without a word.
    if fix.as_ref().is_some_and(|fix| fix.text.is_some() != fix.ran.is_some()) {
        return Err(format!("does not say how the fix for `{question}` ran"));
    }
    Ok(())
}

fn typed<T: DeserializeOwned>(value: Value, what: &str) -> Result<T, String> {
    match value.get("format").and_then(Value::as_u64) {
        Some(format) if format == u64::from(FORMAT) => {
            serde_json::from_value(value).map_err(|error| format!("is not a {what}: {error}"))
        }
        Some(format) => Err(format!("is in format {format}, and this fencepost reads format {FORMAT}")),
        None => Err(format!("is not a {what}: it has no `format`")),
    }
}

/// Adds the parts up.
///
/// # Errors
///
/// Every reason why they are not one quiz, one sentence each.
pub fn merge(parts: Vec<Part>) -> Result<Document, Vec<String>> {
    let mut wrong = Vec::new();
    let mut terms = Vec::new();
    let mut reports = Vec::new();
    let mut tables = Vec::new();
    for Part { name, document } in parts {
        match document {
            Document::Report(report) => {
                terms.push((name.clone(), report.terms.clone()));
                reports.push((name, *report));
            }
            Document::Table(rows) => {
                let Some(first) = rows.first().map(|row| row.report.terms.clone()) else { continue };
                let other = |row: &&Row| row.report.terms.partition != first.partition;
                if let Some(Row { learner, .. }) = rows.iter().find(other) {
                    wrong.push(format!(
                        "the row of `{}` in `{name}` belongs to another part than the first one",
                        learner.name
                    ));
                }
                terms.push((name.clone(), first));
                tables.push((name, rows));
            }
        }
    }
    if let (Some((report, _)), Some((table, _))) = (reports.first(), tables.first()) {
        return Err(vec![format!("`{report}` is a report on one learner, and `{table}` is a table")]);
    }
    wrong.extend(disagreements(&terms));
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let Some((_, first)) = terms.into_iter().next() else { return Err(vec!["there is nothing to add up".to_owned()]) };
    let merged = if tables.is_empty() {
        Document::Report(Box::new(report(reports, &first, "", &mut wrong)))
    } else {
        Document::Table(table(tables, &first, &mut wrong))
    };
    if wrong.is_empty() { Ok(merged) } else { Err(wrong) }
}

/// The reasons why parts with these terms are not all parts of one quiz.
fn disagreements(terms: &[Named<Terms>]) -> Vec<String> {
    let Some((first, whole)) = terms.first() else { return Vec::new() };
    let mut wrong = Vec::new();
    let shared = |terms: &Terms| {
        [
            format!("the weights {}", terms.weights),
            format!("the pass mark {} %", terms.pass_mark),
            if terms.lenient { "`--lenient`" } else { "no `--lenient`" }.to_owned(),
            terms.seed.map_or_else(|| "no seed".to_owned(), |seed| format!("the seed {seed}")),
        ]
    };
    for (name, other) in terms {
        let pairs = shared(other).into_iter().zip(shared(whole));
        let different = pairs.filter(|(other, whole)| other != whole);
        wrong.extend(different.map(|(other, whole)| format!("`{name}` has {other}, and `{first}` has {whole}")));
    }
    let mut found: BTreeMap<u64, &str> = BTreeMap::new();
    let mut of = None;
    for (name, terms) in terms {
        let Some(partition) = terms.partition.as_deref().and_then(|text| text.parse::<Partition>().ok()) else {
            wrong.push(format!("`{name}` is the report on a whole quiz, not on a part"));
            continue;
        };
        let (earlier, parts) = *of.get_or_insert((name, partition.of));
        if parts != partition.of {
            wrong.push(format!("`{name}` is one of {} parts, and `{earlier}` one of {parts}", partition.of));
        } else if let Some(earlier) = found.insert(partition.part, name) {
            wrong.push(format!("part {partition} is there twice: `{earlier}` and `{name}`"));
        }
    }
    if let Some((_, parts)) = of {
        let missing = || (1..=parts).filter(|part| !found.contains_key(part));
        let named = missing().take(usize::try_from(MOST_MISSING).unwrap_or(usize::MAX));
        let named = listed(named.map(|part| format!("{part}/{parts}")), "and");
        match parts - found.len() as u64 {
            0 => {}
            1 => wrong.push(format!("part {named} is missing")),
            count if count > MOST_MISSING => wrong.push(format!("{count} parts are missing, such as {named}")),
            _ => wrong.push(format!("the parts {named} are missing")),
        }
    }
    wrong
}

/// The table with the row of each learner.
fn table(tables: Vec<Named<Vec<Row>>>, terms: &Terms, wrong: &mut Vec<String>) -> Vec<Row> {
    let files: Vec<String> = tables.iter().map(|(name, _)| name.clone()).collect();
    let mut learners: BTreeMap<Entrant, Vec<Named<Row>>> = BTreeMap::new();
    for (name, rows) in tables {
        for row in rows {
            let Learner { name: learner, file, .. } = &row.learner;
            learners.entry((learner.clone(), file.clone())).or_default().push((name.clone(), row));
        }
    }
    let mut merged = Vec::new();
    for ((learner, _), rows) in learners {
        let Some((first, whole)) = rows.first().map(|(name, row)| (name.clone(), row.learner.clone())) else {
            continue;
        };
        for file in &files {
            match rows.iter().filter(|(name, _)| name == file).count() {
                0 => wrong.push(format!("`{learner}` has a row in `{first}`, but none in `{file}`")),
                1 => {}
                _ => wrong.push(format!("`{learner}` has more than one row in `{file}`")),
            }
        }
        for (name, _) in rows.iter().filter(|(_, row)| row.learner.on_roster != whole.on_roster) {
            wrong.push(format!("`{first}` and `{name}` disagree whether `{learner}` is on the roster"));
        }
        let reports = rows.into_iter().map(|(name, row)| (name, row.report)).collect();
        merged.push(Row { learner: whole, report: report(reports, terms, &format!(" for `{learner}`"), wrong) });
    }
    merged
}

/// The report on all questions; `whose` ends the message about one that is there twice.
fn report(parts: Vec<Named<Report>>, terms: &Terms, whose: &str, wrong: &mut Vec<String>) -> Report {
    let sum =
        |number: fn(&Total) -> u64| parts.iter().map(|(_, part)| number(&part.total)).fold(0, u64::saturating_add);
    let count =
        |number: fn(&Total) -> usize| parts.iter().map(|(_, part)| number(&part.total)).fold(0, usize::saturating_add);
    let (score, of, asked) = (sum(|total| total.score), sum(|total| total.of), count(|total| total.asked));
    let mark = terms.pass_mark;
    // A part that reached the mark and is not passed was not graded.
    let graded = |total: &Total| total.passed || !mark.is_reached(total.score, total.of);
    let total = Total {
        passed: mark.is_reached(score, of) && parts.iter().all(|(_, part)| graded(&part.total)),
        score,
        of,
        percent: percent(score, of),
        right: count(|total| total.right),
        asked,
        suspicious: parts.iter().any(|(_, part)| part.total.suspicious),
    };
    let terms = Terms { partition: None, why_empty: why_empty(asked, None), ..terms.clone() };
    let (mut questions, mut problems) = (Vec::new(), Vec::new());
    for (name, part) in parts {
        questions.extend(part.questions.into_iter().map(|graded| (name.clone(), graded)));
        for problem in part.problems {
            // Each part lists what is wrong with the whole file.
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
    }
    let questions = in_order(questions, &terms, whose, wrong);
    Report { total, terms, questions, problems }
}

/// The questions in the order of the seed, or of `fencepost list` without a seed. No question may occur twice.
fn in_order(questions: Vec<Named<Graded>>, terms: &Terms, whose: &str, wrong: &mut Vec<String>) -> Vec<Graded> {
    let mut seen: BTreeMap<QuestionName, &str> = BTreeMap::new();
    for (name, graded) in &questions {
        if let Some(earlier) = seen.insert(graded.question.clone(), name) {
            let question = &graded.question;
            wrong.push(format!("`{question}` is there twice{whose}: in `{earlier}` and in `{name}`"));
        }
    }
    let mut questions: Vec<Graded> = questions.into_iter().map(|(_, graded)| graded).collect();
    match terms.seed {
        Some(seed) => shuffle_by_name(&mut questions, seed, |graded| &graded.question),
        None => questions.sort_by(|one, other| one.question.cmp(&other.question)),
    }
    questions
}

/// The questions of a table, in the order of its rows.
pub fn questions(rows: &[Row]) -> Vec<QuestionName> {
    let mut seen = BTreeSet::new();
    let names = rows.iter().flat_map(|row| row.report.questions.iter().map(|graded| graded.question.clone()));
    names.filter(|name| seen.insert(name.clone())).collect()
}
