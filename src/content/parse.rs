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
    Answer, Check, DEFAULT_SECONDS, FORMAT, Fact, Fixed, FollowUp, Learn, Level, Model, Near, Pack, Question, Repair,
    Review, Say, Scenario, Spot, Step, Verified,
};
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
    let (root, errors) = DeTable::parse_recoverable(&file.text);
    problems.syntax(&errors, "see https://toml.io for the syntax; put programs between ''' and '''");
    let value = read_document(&problems, &root, errors.is_empty(), read);
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
    let id = t.text("id");
    let title = t.text("title");
    let topic = t.text("topic");
    let level = t.choice("level", &Level::ALL.map(|level| (level.word(), level)));
    let requires = t.texts("requires");
    let python = t.text("python");
    let tags = t.texts("tags");
    let related = t.texts("related");
    let model = optional(t.optional_table("model"), read_model);
    let review = optional(t.optional_table("review"), read_review);
    let spot = t.table("spot").and_then(read_spot);
    let fixed = t.table("fixed").and_then(read_fixed);
    let verified = optional(t.optional_table("verified"), read_verified);
    let checks = each(t.some_tables("check"), read_check);
    let scenario = optional(t.optional_table("scenario"), read_scenario);
    let say = t.table("say").and_then(read_say);
    let learn = t.table("learn").and_then(read_learn);
    let follow_ups = each(t.tables("follow_up"), read_follow_up);
    Some(Question {
        format: FORMAT,
        id: id.unwrap_or_default(),
        title: title.unwrap_or_default(),
        topic: topic.unwrap_or_default(),
        level: level.unwrap_or(Level::Mid),
        requires: requires.unwrap_or_default(),
        python: python.unwrap_or_default(),
        tags: tags.unwrap_or_default(),
        related: related.unwrap_or_default(),
        model: model.flatten(),
        review: review.flatten(),
        spot: spot?,
        fixed: fixed.unwrap_or_else(|| Fixed { title: String::new(), code: String::new(), prints: String::new() }),
        verified: verified.flatten(),
        checks: checks.unwrap_or_default(),
        scenario: scenario.flatten(),
        say: say.unwrap_or_else(|| Say { prompt: String::new(), seconds: 1, answer: String::new(), points: vec![] }),
        learn: learn.unwrap_or_else(|| Learn { mistakes: vec![], senior_take: String::new(), facts: vec![] }),
        follow_ups: follow_ups.unwrap_or_default(),
    })
}

/// Reads a table that may be left out. The outer `None` means that it is invalid.
fn optional<'a, T>(table: Option<Option<Table<'a>>>, read: impl Fn(Table<'a>) -> Option<T>) -> Option<Option<T>> {
    match table? {
        None => Some(None),
        Some(table) => read(table).map(Some),
    }
}

/// Reads every table of a list, without the invalid ones, which were reported.
fn each<'a, T>(tables: Option<Vec<Table<'a>>>, read: impl Fn(Table<'a>) -> Option<T>) -> Option<Vec<T>> {
    Some(tables?.into_iter().filter_map(read).collect())
}

fn read_model(t: Table<'_>) -> Option<Model> {
    let (kind, leaves_out) = (t.text("kind"), t.text("leaves_out"));
    t.finish();
    Some(Model { kind: kind?, leaves_out: leaves_out? })
}

fn read_review(t: Table<'_>) -> Option<Review> {
    let (by, on) = (t.text("by"), t.date("on"));
    t.finish();
    Some(Review { by: by?, on: on? })
}

fn read_spot(t: Table<'_>) -> Option<Spot> {
    let prompt = t.text("prompt");
    let hints = t.texts("hints");
    let code = t.text("code");
    let prints = t.text_or_empty("prints");
    let explanation = t.text("explanation");
    let answers = each(t.some_tables("answer"), read_answer);
    let near = each(t.tables("near"), read_near);
    let repairs = each(t.some_tables("repair"), read_repair);
    t.finish();
    Some(Spot {
        prompt: prompt.unwrap_or_default(),
        hints: hints.unwrap_or_default(),
        code: code?,
        prints: prints.unwrap_or_default(),
        explanation: explanation.unwrap_or_default(),
        answers: answers.unwrap_or_default(),
        near: near.unwrap_or_default(),
        repairs: repairs.unwrap_or_default(),
    })
}

fn read_answer(t: Table<'_>) -> Option<Answer> {
    let (line, code) = (t.line("line"), t.text("code"));
    t.finish();
    Some(Answer { line: line?, code: code? })
}

fn read_near(t: Table<'_>) -> Option<Near> {
    let (line, feedback) = (t.line("line"), t.text("feedback"));
    t.finish();
    Some(Near { line: line?, feedback: feedback? })
}

fn read_repair(t: Table<'_>) -> Option<Repair> {
    let (line, with) = (t.line("line"), t.text_or_empty("with"));
    t.finish();
    Some(Repair { line: line?, with: with? })
}

fn read_fixed(t: Table<'_>) -> Option<Fixed> {
    let (title, code, prints) = (t.text("title"), t.text("code"), t.text_or_empty("prints"));
    t.finish();
    Some(Fixed { title: title?, code: code?, prints: prints? })
}

fn read_verified(t: Table<'_>) -> Option<Verified> {
    let (python, mypy, on, hash) = (t.text("python"), t.text("mypy"), t.date("on"), t.text("hash"));
    for (key, version, numbers) in [("python", &python, 3), ("mypy", &mypy, 2)] {
        if let Some(version) = version.as_ref().filter(|it| !it.trim().is_empty() && !is_version(it, numbers)) {
            let message = format!("`{version}` is not a version");
            let help = "remove `[verified]`; `fencepost author check --stamp` writes it again";
            t.report(codes::BAD_VALUE, t.span_of(key), message, help);
        }
    }
    t.finish();
    Some(Verified { python: python?, mypy: mypy?, on: on?, hash: hash? })
}

fn read_check(t: Table<'_>) -> Option<Check> {
    let (name, code) = (t.text("name"), t.text("code"));
    t.finish();
    Some(Check { name: name?, code: code? })
}

fn read_scenario(t: Table<'_>) -> Option<Scenario> {
    let setup = t.optional_text("setup");
    let watch = t.texts("watch");
    let steps = each(t.some_tables("step"), read_step);
    t.finish();
    Some(Scenario { setup: setup?.unwrap_or_default(), watch: watch?, steps: steps? })
}

fn read_step(t: Table<'_>) -> Option<Step> {
    let (at, who, does, run) = (t.text("at"), t.text("who"), t.text("does"), t.optional_text("run"));
    t.finish();
    Some(Step { at: at?, who: who?, does: does?, run: run? })
}

fn read_say(t: Table<'_>) -> Option<Say> {
    let prompt = t.text("prompt");
    let seconds = match t.optional_number("seconds") {
        None => None,
        Some(None) => Some(DEFAULT_SECONDS),
        Some(Some((number, span))) => match u32::try_from(number) {
            Ok(seconds @ 1..=3600) => Some(seconds),
            _ => {
                t.report(
                    codes::BAD_VALUE,
                    span,
                    format!("`seconds` is {number}, but must be from 1 to 3600"),
                    "write the time for the spoken answer; 35 seconds are usual",
                );
                None
            }
        },
    };
    let answer = t.text("answer");
    let points = t.some_texts("points");
    t.finish();
    Some(Say { prompt: prompt?, seconds: seconds?, answer: answer?, points: points? })
}

fn read_learn(t: Table<'_>) -> Option<Learn> {
    let mistakes = t.texts("mistakes");
    let senior_take = t.text("senior_take");
    let facts = each(t.tables("fact"), read_fact);
    t.finish();
    Some(Learn { mistakes: mistakes?, senior_take: senior_take?, facts: facts? })
}

fn read_fact(t: Table<'_>) -> Option<Fact> {
    let (text, source, checked) = (t.text("text"), t.text("source"), t.date("checked"));
    t.finish();
    Some(Fact { text: text?, source: source?, checked: checked? })
}

fn read_follow_up(t: Table<'_>) -> Option<FollowUp> {
    let (question, hint) = (t.text("question"), t.text("hint"));
    t.finish();
    Some(FollowUp { question: question?, hint: hint? })
}

fn read_pack(t: &Table<'_>) -> Option<Pack> {
    let title = t.text("title");
    let summary = t.text("summary");
    let authors = t.some_texts("authors");
    let licence = t.text("licence");
    let report = t.text("report");
    let words = t.texts("words");
    Some(Pack {
        format: FORMAT,
        title: title?,
        summary: summary?,
        authors: authors?,
        licence: licence?,
        report: report?,
        words: words?,
    })
}
