//! Turns the text of a file into a question or a pack, or into every problem that it has.
//!
//! Knows every key, and which are required. `validate.rs` checks the values of a well-formed question.

use std::sync::Arc;

use toml::Spanned;
use toml::de::DeTable;

use crate::content::decode::Table;
use crate::content::diagnostic::{Diagnostic, SourceFile, codes};
use crate::content::problems::Problems;
use crate::content::question::{
    Answer, Ask, Check, DEFAULT_SECONDS, FORMAT, Fact, Fixed, FollowUp, Learn, LearningPath, Level, Model, Near, Pack,
    Question, Repair, Review, Say, Scenario, Spot, Step, Verified,
};
use crate::content::syntax::{self, Document};
use crate::content::versions::is_version;

/// Reads a question. The problems are in the order of the file; without a question there is at least one. A question with
/// problems has empty or missing parts: use it only to look for further problems, so that an author sees all at once.
pub fn question(file: &Arc<SourceFile>) -> (Option<Question>, Vec<Diagnostic>) {
    document(file, read_question)
}

/// Reads a `pack.toml`. The problems are in the order of the file; without a pack there is at least one.
pub fn pack(file: &Arc<SourceFile>) -> (Option<Pack>, Vec<Diagnostic>) {
    let (pack, problems) = document(file, read_pack);
    (pack.filter(|_| problems.is_empty()), problems)
}

fn document<T>(file: &Arc<SourceFile>, read: impl Fn(&Table<'_>) -> Option<T>) -> (Option<T>, Vec<Diagnostic>) {
    let problems = Problems::new(file.clone());
    let help = "see https://toml.io for the syntax; put programs between ''' and '''";
    let Document { root, complete } = syntax::read(&problems, &file.text, help);
    // Texts can hide a conflict from the parser.
    let value = if complete && syntax::conflicts(&problems, &file.text) {
        None
    } else {
        read_document(&problems, &root, complete, read)
    };
    (value, problems.finish())
}

fn read_document<'a, T>(
    problems: &'a Problems,
    root: &'a Spanned<DeTable<'a>>,
    complete: bool,
    read: impl Fn(&Table<'a>) -> Option<T>,
) -> Option<T> {
    // Only the version of a newer format is reported, since this program does not know its keys.
    let version = Table::root(problems, root, complete);
    match version.number("format") {
        Some((FORMAT, _)) => {}
        Some((other, span)) => {
            let help = if other > FORMAT {
                "update fencepost, or ask the author for the question in format 1"
            } else {
                "write `format = 1`"
            };
            problems.error(codes::FORMAT, span, format!("this fencepost reads format {FORMAT}, not {other}"), "", help);
            return None;
        }
        None => {}
    }
    let table = Table::root(problems, root, complete);
    table.skip("format");
    let value = read(&table);
    table.finish();
    value
}

fn read_question(t: &Table<'_>) -> Option<Question> {
    let mut has_program = false;
    let question = Question {
        format: FORMAT,
        id: t.text("id").unwrap_or_default(),
        formerly: t.texts("formerly"),
        title: t.text("title").unwrap_or_default(),
        topic: t.text("topic").unwrap_or_default(),
        level: t.choice("level", &Level::ALL.map(|level| (level.word(), level))).unwrap_or(Level::Mid),
        requires: t.texts("requires"),
        python: t.text("python").unwrap_or_default(),
        tags: t.texts("tags"),
        related: t.texts("related"),
        model: one(t.optional_table("model"), read_model),
        review: one(t.optional_table("review"), read_review),
        spot: one(t.table("spot"), read_spot).inspect(|_| has_program = true).unwrap_or_default(),
        fixed: one(t.table("fixed"), read_fixed).unwrap_or_default(),
        verified: one(t.optional_table("verified"), read_verified),
        checks: each(t.some_tables("check"), read_check),
        scenario: one(t.optional_table("scenario"), read_scenario),
        say: one(t.table("say"), read_say).unwrap_or_default(),
        learn: one(t.table("learn"), read_learn).unwrap_or_default(),
        follow_ups: each(t.tables("follow_up"), read_follow_up),
    };
    has_program.then_some(question)
}

fn one<'a, T>(table: Option<Table<'a>>, read: impl Fn(&Table<'a>) -> Option<T>) -> Option<T> {
    let table = table?;
    let value = read(&table);
    table.finish();
    value
}

/// Reads every table of a list, without the invalid ones, which were reported.
fn each<'a, T>(tables: Option<Vec<Table<'a>>>, read: impl Fn(&Table<'a>) -> Option<T>) -> Vec<T> {
    tables.into_iter().flatten().filter_map(|table| one(Some(table), &read)).collect()
}

fn read_model(t: &Table<'_>) -> Option<Model> {
    let (kind, leaves_out) = (t.text("kind"), t.text("leaves_out"));
    Some(Model { kind: kind?, leaves_out: leaves_out? })
}

fn read_review(t: &Table<'_>) -> Option<Review> {
    let (by, on) = (t.text("by"), t.date("on"));
    Some(Review { by: by?, on: on? })
}

fn read_spot(t: &Table<'_>) -> Option<Spot> {
    let (prompt, hints, code) = (t.text("prompt"), t.texts("hints"), t.text("code"));
    Some(Spot {
        prompt: prompt.unwrap_or_default(),
        ask: t.optional_choice("ask", &Ask::ALL).unwrap_or_default(),
        hints,
        prints: t.text_or_empty("prints").unwrap_or_default(),
        explanation: t.text("explanation").unwrap_or_default(),
        answers: each(t.some_tables("answer"), read_answer),
        near: each(t.tables("near"), read_near),
        repairs: each(t.some_tables("repair"), read_repair),
        code: code?,
    })
}

fn read_answer(t: &Table<'_>) -> Option<Answer> {
    let (line, code) = (t.line("line"), t.text("code"));
    Some(Answer { line: line?, code: code? })
}

fn read_near(t: &Table<'_>) -> Option<Near> {
    let (line, feedback) = (t.line("line"), t.text("feedback"));
    Some(Near { line: line?, feedback: feedback? })
}

fn read_repair(t: &Table<'_>) -> Option<Repair> {
    let (line, with) = (t.line("line"), t.text_or_empty("with"));
    Some(Repair { line: line?, with: with? })
}

fn read_fixed(t: &Table<'_>) -> Option<Fixed> {
    let (title, code, prints) = (t.text("title"), t.text("code"), t.text_or_empty("prints"));
    Some(Fixed { title: title?, code: code?, prints: prints? })
}

fn read_verified(t: &Table<'_>) -> Option<Verified> {
    let (python, mypy, on, hash) = (t.text("python"), t.text("mypy"), t.date("on"), t.text("hash"));
    let pythons = python.iter().flat_map(|it| it.split(", ")).map(|it| ("python", it, 3));
    for (key, version, numbers) in pythons.chain(mypy.iter().map(|it| ("mypy", it.as_str(), 2))) {
        if !version.trim().is_empty() && !is_version(version, numbers) {
            let message = format!("`{version}` is not a version");
            let help = "remove `[verified]`; `fencepost author check --stamp` writes it again";
            t.report(codes::BAD_VALUE, t.span_of(key), message, help);
        }
    }
    Some(Verified { python: python?, mypy: mypy?, on: on?, hash: hash? })
}

fn read_check(t: &Table<'_>) -> Option<Check> {
    let (name, code) = (t.text("name"), t.text("code"));
    Some(Check { name: name?, code: code? })
}

fn read_scenario(t: &Table<'_>) -> Option<Scenario> {
    Some(Scenario {
        setup: t.optional_text("setup").unwrap_or_default(),
        watch: t.texts("watch"),
        steps: each(t.some_tables("step"), read_step),
    })
}

fn read_step(t: &Table<'_>) -> Option<Step> {
    let (at, who, does, run) = (t.text("at"), t.text("who"), t.text("does"), t.optional_text("run"));
    Some(Step { at: at?, who: who?, does: does?, run })
}

fn read_say(t: &Table<'_>) -> Option<Say> {
    let (prompt, answer, points) = (t.text("prompt"), t.text("answer"), t.some_texts("points"));
    let seconds = t.optional_number("seconds").map_or(DEFAULT_SECONDS, |(number, span)| {
        let seconds = u32::try_from(number).ok().filter(|seconds| (1..=3600).contains(seconds));
        if seconds.is_none() {
            let message = format!("`seconds` is {number}, but must be from 1 to 3600");
            t.report(codes::BAD_VALUE, span, message, "write the time for the spoken answer; 35 seconds are usual");
        }
        seconds.unwrap_or(DEFAULT_SECONDS)
    });
    Some(Say { prompt: prompt?, seconds, answer: answer?, points: points? })
}

fn read_learn(t: &Table<'_>) -> Option<Learn> {
    let (mistakes, senior_take) = (t.texts("mistakes"), t.text("senior_take"));
    let facts = each(t.tables("fact"), read_fact);
    Some(Learn { mistakes, senior_take: senior_take?, facts })
}

fn read_fact(t: &Table<'_>) -> Option<Fact> {
    let (text, source, checked) = (t.text("text"), t.text("source"), t.date("checked"));
    Some(Fact { text: text?, source: source?, checked: checked? })
}

fn read_follow_up(t: &Table<'_>) -> Option<FollowUp> {
    let (question, hint, answer) = (t.text("question"), t.text("hint"), t.optional_text("answer"));
    Some(FollowUp { question: question?, hint: hint?, answer })
}

fn read_pack(t: &Table<'_>) -> Option<Pack> {
    let (title, summary, authors) = (t.text("title"), t.text("summary"), t.some_texts("authors"));
    let (licence, report, words) = (t.text("licence"), t.text("report"), t.texts("words"));
    let paths = each(t.tables("path"), read_path);
    let (title, summary, authors, licence, report) = (title?, summary?, authors?, licence?, report?);
    Some(Pack { format: FORMAT, title, summary, authors, licence, report, words, paths })
}

fn read_path(t: &Table<'_>) -> Option<LearningPath> {
    let (title, summary, questions) = (t.text("title"), t.text("summary"), t.some_texts("questions"));
    Some(LearningPath { title: title?, summary: summary?, questions: questions? })
}
