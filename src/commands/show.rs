//! `fencepost show`: one question as text. Only `--answer` shows the answer.

mod markdown;

use std::fmt::Write as _;

use serde::Serialize;

use self::markdown::Fold;
use crate::cli::{Show, ShowFormat};
use crate::commands::{Session, find, json, print, width};
use crate::content::catalog::{Entry, PackEntry};
use crate::content::prose::plain;
use crate::content::question::{Ask, Level, Model, Question, QuestionName, Review, lines};
use crate::error::{Error, Exit};
use crate::quiz::describe::PICK_A_GAP;
use crate::quiz::grade::{DiffLine, repair_diff};
use crate::script::report::Versioned;
use crate::text::{self, counted};

pub(super) fn run(session: &Session, args: &Show) -> Result<Exit, Error> {
    let catalog = session.catalog()?;
    let entry = find(&catalog, &args.question)?;
    print(&match (args.format, args.answer) {
        (ShowFormat::Markdown, answer) => {
            let fold = if answer { Fold::Open } else { Fold::Closed };
            markdown::page(entry, catalog.pack(&entry.name.pack), fold)
        }
        (ShowFormat::Text, answer) => {
            text::block(&page(entry, catalog.pack(&entry.name.pack), answer, width())).into_owned()
        }
        (ShowFormat::Json, false) => json(&Versioned::new(Closed::of(entry)))?,
        (ShowFormat::Json, true) => json(&Versioned::new(Open { question: &entry.name, content: &entry.question }))?,
    })?;
    Ok(Exit::Done)
}

/// Question without its answer.
#[derive(Serialize)]
struct Closed<'a> {
    question: &'a QuestionName,
    title: &'a str,
    topic: &'a str,
    level: Level,
    requires: &'a [String],
    python: &'a str,
    tags: &'a [String],
    related: &'a [String],
    model: Option<&'a Model>,
    review: Option<&'a Review>,
    prompt: &'a str,
    ask: Ask,
    hints: usize,
    code: &'a str,
    prints: &'a str,
}

impl<'a> Closed<'a> {
    fn of(entry: &'a Entry) -> Self {
        let question = &entry.question;
        Self {
            question: &entry.name,
            title: &question.title,
            topic: &question.topic,
            level: question.level,
            requires: &question.requires,
            python: &question.python,
            tags: &question.tags,
            related: &question.related,
            model: question.model.as_ref(),
            review: question.review.as_ref(),
            prompt: &question.spot.prompt,
            ask: question.spot.ask,
            hints: question.spot.hints.len(),
            code: &question.spot.code,
            prints: &question.spot.prints,
        }
    }
}

/// Whole question, with the keys of its file.
#[derive(Serialize)]
struct Open<'a> {
    question: &'a QuestionName,
    content: &'a Question,
}

fn page(entry: &Entry, pack: Option<&PackEntry>, answer: bool, width: usize) -> String {
    let question = &entry.question;
    let mut page = Page { out: String::new(), width: width.min(100) };
    page.line(&question.title);
    let mut chips = vec![question.topic.clone(), question.level.to_string()];
    chips.extend(question.requires.iter().cloned());
    page.line(&chips.join(" | "));
    if let Some(review) = &question.review {
        page.line(&format!("Reviewed by {} on {}", review.by, review.on));
    }
    if let Some(model) = &question.model {
        page.prose(&format!("Model: {}. {}", model.kind, model.leaves_out));
    }
    page.heading("Spot the bug");
    page.prose(&question.spot.prompt);
    if question.spot.ask == Ask::Gap {
        page.gap();
        page.prose(PICK_A_GAP);
    }
    page.gap();
    page.program(&question.spot.code);
    if answer {
        answer_part(&mut page, question);
        learn_part(&mut page, entry, pack);
    } else {
        let hints = question.spot.hints.len();
        page.gap();
        page.prose(&format!(
            "{}. `fencepost play {}` opens the question; `fencepost show {} --answer` shows the answer.",
            counted(hints, "hint"),
            entry.name,
            entry.name,
        ));
    }
    page.out
}

fn answer_part(page: &mut Page, question: &Question) {
    let spot = &question.spot;
    for (index, hint) in spot.hints.iter().enumerate() {
        page.gap();
        page.prose(&format!("Hint {} of {}: {hint}", index + 1, spot.hints.len()));
    }
    page.heading("Answer");
    let after = if spot.ask == Ask::Gap { "after " } else { "" };
    for answer in &spot.answers {
        page.line(&format!("{after}line {}: {}", answer.line, answer.code.trim()));
    }
    page.gap();
    page.prose(&spot.explanation);
    if !spot.near.is_empty() {
        page.heading("Tempting lines");
        for near in &spot.near {
            page.item(&format!("line {}: {}", near.line, near.feedback));
        }
    }
    page.heading("The smallest repair");
    page.diff(question);
    page.heading(&question.fixed.title);
    page.program(&question.fixed.code);
    page.heading("What they print");
    page.line("buggy:");
    page.block(&spot.prints);
    page.line("fixed:");
    page.block(&question.fixed.prints);
}

fn learn_part(page: &mut Page, entry: &Entry, pack: Option<&PackEntry>) {
    let question = &entry.question;
    page.heading("Say it");
    page.prose(&format!("{} ({} s)", question.say.prompt, question.say.seconds));
    page.gap();
    page.prose(&question.say.answer);
    page.gap();
    page.items(&question.say.points);
    if !question.learn.facts.is_empty() {
        page.heading("Deep dive");
        for fact in &question.learn.facts {
            page.item(&format!("{} ({}, checked {})", fact.text, fact.source, fact.checked));
        }
    }
    if !question.learn.mistakes.is_empty() {
        page.heading("Common mistakes");
        page.items(&question.learn.mistakes);
    }
    page.heading("Senior take");
    page.prose(&question.learn.senior_take);
    if !question.follow_ups.is_empty() {
        page.heading("Follow-up questions");
        for follow_up in &question.follow_ups {
            let answer = follow_up.answer.as_ref().map_or_else(String::new, |answer| format!(" Answer: {answer}"));
            page.item(&format!("{} Hint: {}{answer}", follow_up.question, follow_up.hint));
        }
    }
    if !question.related.is_empty() {
        page.heading("Related questions");
        page.items(&question.related);
    }
    if let Some(pack) = pack {
        page.heading("Suggest a fix");
        page.prose(&format!("{} (question `{}`)", pack.pack.report, entry.name));
    }
}

/// Text wrapped to a width, except for programs.
struct Page {
    out: String,
    width: usize,
}

impl Page {
    fn gap(&mut self) {
        self.out.push('\n');
    }

    /// Adds `words` as one line, even if they contain line breaks.
    fn line(&mut self, words: &str) {
        self.out.push_str(&text::line(words));
        self.out.push('\n');
    }

    fn heading(&mut self, words: &str) {
        self.gap();
        self.line(words);
        self.line(&"-".repeat(text::width(&text::line(words)).min(self.width)));
    }

    fn prose(&mut self, text: &str) {
        self.wrapped("", "", text);
    }

    fn item(&mut self, text: &str) {
        self.wrapped("- ", "  ", text);
    }

    fn items(&mut self, texts: &[String]) {
        for text in texts {
            self.item(text);
        }
    }

    /// Adds inline Markdown, wrapped.
    fn wrapped(&mut self, first: &str, rest: &str, markdown: &str) {
        let options = text::whole_words(self.width).initial_indent(first).subsequent_indent(rest);
        for line in textwrap::wrap(&plain(markdown), options) {
            self.line(&line);
        }
    }

    fn program(&mut self, code: &str) {
        for (index, line) in lines(code).iter().enumerate() {
            let _ = writeln!(self.out, "{}", format!("{:>4}  {line}", index + 1).trim_end());
        }
    }

    fn block(&mut self, text: &str) {
        for line in lines(text) {
            self.line(format!("    {line}").trim_end_matches([' ', '\r']));
        }
    }

    fn diff(&mut self, question: &Question) {
        for change in repair_diff(question) {
            let (number, mark, text) = match change {
                DiffLine::Kept { line, text } => (line.to_string(), ' ', text),
                DiffLine::Removed { line, text } => (line.to_string(), '-', text),
                DiffLine::Added { text } => (String::new(), '+', text),
            };
            let _ = writeln!(self.out, "{}", format!("{number:>4} {mark} {text}").trim_end());
        }
    }
}
