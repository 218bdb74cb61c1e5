//! Reads a file of answers: TOML, or JSON lines.
//!
//! ```toml
//! format = 1
//!
//! [[answer]]
//! question = "fencing-tokens"
//! line = 8
//! fix_file = "fencing.py"
//! points = [1, 4]
//! ```
//!
//! ```json
//! {"question": "fencing-tokens", "line": 8, "fix": "class ReportStore: ...", "points": [1, 4]}
//! ```
//!
//! A JSON line may say `"format": 1` too. `assets/quiz.md` describes both for users.
//!
//! Every mistake of the file is listed. One mistake refuses the whole file, unless mistakes cost only their entries.

mod json;
mod toml;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use crate::content::catalog::{Catalog, Entry, LookupError};
use crate::content::decode::Number;
use crate::content::diagnostic::{Code, Diagnostic, SourceFile, codes};
use crate::content::problems::Problems;
use crate::content::question::{LineNo, QuestionName};
use crate::quiz::repair::{LONGEST, clean};
use crate::text::brief;

/// The version of the format.
pub const FORMAT: i64 = 1;

/// Bytes that a file of answers may have: 60 questions with the largest fix each, also where JSON writes every character
/// of them as two.
pub const LARGEST: u64 = 8 << 20;

/// Answers that a file may hold.
pub const MOST: usize = 1_000;

/// The endings of files with answers.
pub const ENDINGS: [&str; 3] = ["toml", "json", "jsonl"];

/// Bytes that the name of a program's file may have.
const LONGEST_NAME: usize = 4_096;

/// Answers by question.
pub type Answers = BTreeMap<QuestionName, Answer>;

/// The answer to one question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The lines in the order in which they were picked, each once. The first one counts.
    pub picks: Vec<LineNo>,
    /// The repaired program, cleaned.
    pub fix: Option<String>,
    /// Points of the spoken answer that the learner reports as covered, counted from 1.
    pub points: Option<BTreeSet<usize>>,
}

/// The reason why a file that an answer names cannot be read.
pub struct Fault {
    /// The stable name of the kind of problem.
    pub code: Code,
    /// The mistake.
    pub message: String,
    /// A remedy.
    pub help: String,
}

/// The content of a file of answers.
#[derive(Debug)]
pub struct Parsed {
    /// The answers without a mistake.
    pub answers: Answers,
    /// The mistakes, in their order.
    pub problems: Vec<Diagnostic>,
}

/// Reads the file that `fix_file` names.
pub type ReadFix<'a> = &'a dyn Fn(&str) -> Result<String, Fault>;

/// Refuses a file that other programs would read as another text.
///
/// # Errors
///
/// The file contains a NUL byte.
pub fn plain(file: Arc<SourceFile>) -> Result<Arc<SourceFile>, Box<Diagnostic>> {
    let Some(at) = file.text.find('\0') else { return Ok(file) };
    let problems = Problems::new(file.clone());
    let message = "this file contains a NUL byte, as files in UTF-16 do";
    problems.error(codes::CONTROL_CHARACTER, at..at, message, "", "save the file as UTF-8");
    problems.finish().pop().map_or(Ok(file), |problem| Err(Box::new(problem)))
}

/// Reads the answers in `file`, whose questions are those of `catalog`. Of several entries with the same question, the first
/// one is its answer, even if it has a mistake.
///
/// # Errors
///
/// Every problem of a file that is refused as a whole, in its order: one with a mistake, or where `lenient`, one that cannot
/// be split into entries.
pub fn parse(
    file: &Arc<SourceFile>,
    catalog: &Catalog,
    read_fix: ReadFix<'_>,
    lenient: bool,
) -> Result<Parsed, Vec<Diagnostic>> {
    let problems = Problems::new(file.clone());
    let Entries { given, complete } = if is_json(&file.text) {
        json::answers(&problems, &file.text)
    } else {
        toml::answers(&problems, &file.text, lenient)
    };
    let mut answers = Answers::new();
    let mut first_at: BTreeMap<QuestionName, usize> = BTreeMap::new();
    for given in given {
        let Some(entry) = known(&problems, catalog, &given) else { continue };
        let span = given.span.clone();
        let (sound, before) = (given.sound, problems.count());
        let answer = answer(&problems, entry, given, read_fix);
        let sound = sound && problems.count() == before;
        if let Some(first) = first_at.get(&entry.name) {
            let first = line_of(&file.text, *first);
            problems.error(
                codes::DUPLICATE_ANSWER,
                span,
                format!("`{}` already has an answer on line {first}", entry.name),
                "",
                "keep one of them",
            );
            continue;
        }
        first_at.insert(entry.name.clone(), span.start);
        if sound {
            answers.insert(entry.name.clone(), answer);
        }
    }
    let problems = problems.finish();
    let refused = if lenient { !complete } else { !problems.is_empty() };
    if refused { Err(problems) } else { Ok(Parsed { answers, problems }) }
}

/// True if `text` is meant as JSON: it begins with an object, or with a list of objects, which is a mistake in JSON lines.
/// No TOML document begins like that.
fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with('{') || text.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('{'))
}

/// Entries of a file.
struct Entries {
    given: Vec<Given>,
    /// True if every mistake belongs to one entry, so that the others can be graded.
    complete: bool,
}

/// One answer as the file has it. Values that could not be read are among the problems.
struct Given {
    question: String,
    /// Place of the question's name.
    span: Range<usize>,
    picks: Vec<Number>,
    fix: Option<(FixSource, Range<usize>)>,
    points: Option<Vec<Number>>,
    /// True if nothing was wrong so far.
    sound: bool,
}

/// A repaired program as an answer gives it.
enum FixSource {
    Text(String),
    /// The name of a file.
    File(String),
}

impl Given {
    /// The same answer in a text that has `offset` more bytes before it.
    fn moved_by(mut self, offset: usize) -> Self {
        let picks = self.picks.iter_mut().map(|(_, span)| span);
        let points = self.points.iter_mut().flatten().map(|(_, span)| span);
        let fix = self.fix.iter_mut().map(|(_, span)| span);
        for span in picks.chain(points).chain(fix).chain([&mut self.span]) {
            *span = span.start + offset..span.end + offset;
        }
        self
    }
}

/// The keys of an entry, in one of the two syntaxes. Each reader notes a value of the wrong type as a problem.
trait Keys {
    fn has(&self, key: &str) -> bool;
    fn span_of(&self, key: &str) -> Range<usize>;
    fn report(&self, code: Code, key: &str, message: String, help: &str);
    fn question(&self) -> Option<String>;
    fn text(&self, key: &'static str) -> Option<String>;
    fn number(&self, key: &'static str) -> Option<Number>;
    fn numbers(&self, key: &'static str) -> Option<Vec<Number>>;
    /// Reports the other keys.
    fn finish(self);
}

/// Reads an entry. In one that is not `whole`, because of a mistake in its syntax, no key is missed.
fn given(problems: &Problems, keys: impl Keys, whole: bool) -> Option<Given> {
    let before = problems.count();
    let question = keys.question();
    let (line, lines) = (keys.number("line"), keys.numbers("lines"));
    let text = keys.text("fix").map(|text| (FixSource::Text(text), keys.span_of("fix")));
    let file = keys.text("fix_file").map(|name| (FixSource::File(name), keys.span_of("fix_file")));
    let points = keys.numbers("points");
    for (one, other) in [("line", "lines"), ("fix", "fix_file")] {
        if keys.has(one) && keys.has(other) {
            let message = format!("`{one}` and `{other}` exclude each other");
            keys.report(codes::BAD_VALUE, other, message, "keep one of them");
        }
    }
    if whole && question.is_some() && !["line", "lines", "fix", "fix_file", "points"].iter().any(|key| keys.has(key)) {
        let message = "this entry answers nothing: `line` is missing".to_owned();
        keys.report(codes::MISSING_KEY, "question", message, "add `line`, or remove the entry");
    }
    if lines.as_ref().is_some_and(Vec::is_empty) {
        keys.report(codes::EMPTY, "lines", "`lines` is empty".to_owned(), "name at least one line");
    }
    let span = keys.span_of("question");
    keys.finish();
    Some(Given {
        question: question?,
        span,
        picks: line.into_iter().chain(lines.unwrap_or_default()).collect(),
        fix: text.or(file),
        points,
        sound: whole && problems.count() == before,
    })
}

/// True if `format`, which the file writes as `written`, is read here.
fn check_format(problems: &Problems, span: Range<usize>, format: Option<i64>, written: &str) -> bool {
    if format != Some(FORMAT) {
        let message = format!("this fencepost reads answers in format {FORMAT}, not {written}");
        problems.error(codes::FORMAT, span, message, "", format!("set `format` to {FORMAT}"));
    }
    format == Some(FORMAT)
}

fn answer(problems: &Problems, entry: &Entry, given: Given, read_fix: ReadFix<'_>) -> Answer {
    let count = entry.question.line_count();
    let lines = numbers(problems, given.picks, count, "line", |number| {
        let message = format!("`{}` has no line {number}: the program has {count} lines", entry.name);
        (codes::LINE_OUTSIDE, message, "lines are counted from 1, as `fencepost show` numbers them")
    });
    let of = entry.question.say.points.len();
    let points = given.points.map(|points| {
        numbers(problems, points, of, "point", |number| {
            let message = format!("`{}` has no point {number}: its checklist has {of}", entry.name);
            (codes::BAD_VALUE, message, "points are counted from 1, in the order of the checklist")
        })
    });
    Answer {
        picks: lines.into_iter().filter_map(|line| LineNo::new(u32::try_from(line).ok()?)).collect(),
        fix: given.fix.and_then(|fix| program(problems, entry, fix, read_fix)),
        points: points.map(BTreeSet::from_iter),
    }
}

/// The numbers from 1 to `count`, each once; others are problems, which `outside` words.
fn numbers(
    problems: &Problems,
    given: Vec<Number>,
    count: usize,
    what: &str,
    outside: impl Fn(i64) -> (Code, String, &'static str),
) -> Vec<usize> {
    let mut numbers: Vec<usize> = Vec::new();
    for (number, span) in given {
        match usize::try_from(number) {
            Ok(found) if (1..=count).contains(&found) && numbers.contains(&found) => {
                let message = format!("duplicate {what} {number}");
                problems.error(codes::DUPLICATE_LINE, span, message, "", "name each once");
            }
            Ok(found) if (1..=count).contains(&found) => numbers.push(found),
            _ => {
                let (code, message, help) = outside(number);
                problems.error(code, span, message, "", help);
            }
        }
    }
    numbers
}

fn program(
    problems: &Problems,
    entry: &Entry,
    (source, span): (FixSource, Range<usize>),
    read_fix: ReadFix<'_>,
) -> Option<String> {
    let error = |code, message: String, help: String| {
        problems.error(code, span.clone(), message, "", help);
        None
    };
    if entry.question.checks.is_empty() {
        let message = format!("`{}` has no checks, so a fix cannot be graded", entry.name);
        return error(codes::BAD_VALUE, message, "leave the fix out".to_owned());
    }
    let text = match source {
        FixSource::Text(text) => text,
        // No system has longer names, and the message would be as long.
        FixSource::File(name) if name.len() > LONGEST_NAME => {
            let message = format!("the file name `{}` is too long", brief(&name));
            return error(codes::TOO_LARGE, message, "name the file, or put the program into `fix`".to_owned());
        }
        FixSource::File(name) => match read_fix(&name) {
            Ok(text) => text,
            Err(fault) => return error(fault.code, fault.message, fault.help),
        },
    };
    // What runs is the cleaned text, and a session refuses the same ones.
    let text = clean(&text);
    if text.trim().is_empty() {
        return error(codes::EMPTY, "the fix is empty".to_owned(), "write the whole program".to_owned());
    }
    if text.len() > LONGEST {
        let message = format!("the fix is {} bytes long; the limit is {LONGEST}", text.len());
        return error(codes::TOO_LARGE, message, "shorten it: the end of its last line counts too".to_owned());
    }
    Some(text)
}

fn known<'a>(problems: &Problems, catalog: &'a Catalog, given: &Given) -> Option<&'a Arc<Entry>> {
    let tell = |error: LookupError| {
        let (message, help) = error.explain(&brief(&given.question), "`fencepost list` shows every question");
        problems.error(codes::UNKNOWN_QUESTION, given.span.clone(), message, "", help);
    };
    catalog.find(&given.question).map_err(tell).ok()
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
}
