//! `fencepost list`: all questions, one per line, or the paths through them.

use std::fmt::Write as _;

use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::cli::{Format, List};
use crate::commands::{Session, has_errors, json, print, width};
use crate::content::catalog::Catalog;
use crate::content::prose;
use crate::content::question::{Level, QuestionName};
use crate::error::{Error, Exit};
use crate::script::report::Versioned;
use crate::text;

pub(super) fn run(session: &Session, args: &List) -> Result<Exit, Error> {
    let catalog = session.catalog()?;
    print(&match args.format {
        Format::Text if args.paths => paths(&catalog),
        Format::Text => table(&catalog),
        Format::Json => json(&Versioned::new(document(&catalog)))?,
    })?;
    // The list holds every usable question; the exit code says that some are missing.
    Ok(if has_errors(&catalog) { Exit::Content } else { Exit::Done })
}

#[derive(Serialize)]
struct Document<'a> {
    questions: Vec<Row<'a>>,
    paths: Vec<Path<'a>>,
}

/// Questions in an order to learn them by.
#[derive(Serialize)]
struct Path<'a> {
    pack: &'a str,
    title: &'a str,
    summary: &'a str,
    questions: Vec<&'a QuestionName>,
}

#[derive(Serialize)]
struct Row<'a> {
    question: &'a QuestionName,
    title: &'a str,
    topic: &'a str,
    level: Level,
    requires: &'a [String],
    tags: &'a [String],
}

fn document(catalog: &Catalog) -> Document<'_> {
    Document {
        questions: catalog
            .questions
            .iter()
            .map(|entry| Row {
                question: &entry.name,
                title: &entry.card.title,
                topic: &entry.card.topic,
                level: entry.card.level,
                requires: &entry.question.requires,
                tags: &entry.question.tags,
            })
            .collect(),
        paths: catalog
            .paths()
            .map(|(pack, path, questions)| Path {
                pack: &pack.name,
                title: &path.title,
                summary: &path.summary,
                questions: questions.iter().map(|entry| &entry.name).collect(),
            })
            .collect(),
    }
}

fn paths(catalog: &Catalog) -> String {
    let mut out = String::new();
    for (pack, path, questions) in catalog.paths() {
        let gap = if out.is_empty() { "" } else { "\n" };
        let _ = writeln!(out, "{gap}{} ({})", text::line(&path.title), text::line(&pack.name));
        for line in textwrap::wrap(&prose::plain(&path.summary), text::whole_words(width())) {
            let _ = writeln!(out, "{}", text::line(&line));
        }
        for (index, entry) in questions.iter().enumerate() {
            let (name, title) = (entry.name.to_string(), text::line(&entry.card.title));
            let _ = writeln!(out, "{:>4}  {}  {title}", index + 1, text::line(&name));
        }
    }
    if out.is_empty() { "No pack has a path.\n".to_owned() } else { out }
}

fn table(catalog: &Catalog) -> String {
    let rows: Vec<[String; 4]> = catalog
        .questions
        .iter()
        .map(|entry| {
            [entry.name.to_string(), entry.card.level.to_string(), entry.card.topic.clone(), entry.card.title.clone()]
                .map(|cell| text::line(&cell).into_owned())
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    let mut out = String::new();
    for row in &rows {
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(out, "{cell}{}  ", " ".repeat(width.saturating_sub(cell.width())));
        }
        out.push_str(&row[3]);
        out.push('\n');
    }
    out
}
