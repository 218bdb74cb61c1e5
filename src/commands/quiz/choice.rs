//! Chooses the questions that the user asked for, in their order.

use std::sync::Arc;

use crate::cli::Quiz;
use crate::commands::find;
use crate::content::catalog::{Catalog, Entry};
use crate::content::suggestion::closest;
use crate::error::{Error, Exit};
use crate::script::selection::{is_topic, shuffle_by_name, slug};
use crate::text::{self, listed};

/// The questions that the user chose, each once and in order.
pub(super) fn choose(catalog: &Catalog, args: &Quiz) -> Result<Vec<Arc<Entry>>, Error> {
    let mut named: Vec<Arc<Entry>> = Vec::new();
    let mut wrong = Vec::new();
    for text in &args.questions {
        match find(catalog, text) {
            Ok(entry) if named.iter().any(|earlier| earlier.name == entry.name) => {}
            Ok(entry) => named.push(entry.clone()),
            Err(error) => wrong.push(error),
        }
    }
    if args.questions.first().is_some_and(|first| first == "merge") && !wrong.is_empty() {
        return Err(Error::usage("`merge` is a command only right behind `quiz`, and no question is called so")
            .hint("write `fencepost quiz merge FILE...`, and other options before `quiz` or behind the files"));
    }
    wrong.extend(args.topic.iter().filter_map(|topic| known_topic(catalog, topic).err()));
    together(wrong)?;
    if args.questions.is_empty() {
        named.clone_from(&catalog.questions);
    }
    let topic = |entry: &Arc<Entry>| args.topic.iter().any(|topic| is_topic(topic, &entry.card.topic));
    named.retain(|entry| args.topic.is_empty() || topic(entry));
    named.retain(|entry| args.level.is_empty() || args.level.contains(&entry.card.level));
    if named.is_empty() {
        return Err(if catalog.questions.is_empty() {
            Error::content("there is no question to ask")
        } else {
            no_match(args)
        });
    }
    // A part of few questions may be empty. That is no mistake of the job that got it.
    named.retain(|entry| args.partition.is_none_or(|partition| partition.has(&entry.name)));
    if let Some(seed) = args.seed {
        shuffle_by_name(&mut named, seed, |entry| &entry.name);
    }
    named.truncate(args.limit.unwrap_or(usize::MAX));
    Ok(named)
}

/// Names the conditions that no question meets.
fn no_match(args: &Quiz) -> Error {
    let which = if args.questions.is_empty() { "no question" } else { "none of the named questions" };
    let topics = listed(args.topic.iter().map(|topic| format!("`{topic}`")), "or");
    let levels = listed(args.level.iter().map(|level| format!("`{}`", level.word())), "or");
    let topic = (!topics.is_empty()).then(|| format!("of the topic {topics}"));
    let level = (!levels.is_empty()).then(|| format!("of the level {levels}"));
    let conditions: Vec<String> = topic.into_iter().chain(level).collect();
    Error::usage(format!("{which} is {}", listed(conditions, "and")))
        .hint("`fencepost list` shows the level and the topic of every question")
}

fn known_topic(catalog: &Catalog, typed: &str) -> Result<(), Error> {
    let topics: Vec<String> = catalog.questions.iter().map(|entry| slug(&entry.card.topic)).collect();
    if topics.contains(&slug(typed)) {
        return Ok(());
    }
    let names: Vec<&str> = topics.iter().map(String::as_str).collect();
    let error = Error::usage(format!("no question has the topic `{typed}`"));
    Err(match closest(&slug(typed), &names).first() {
        Some(close) => error.hint(format!("did you mean `{close}`?")),
        None => error.hint("`fencepost list` shows the topic of every question"),
    })
}

/// All errors as one, each on a line with its own hints.
fn together(mut errors: Vec<Error>) -> Result<(), Error> {
    if errors.len() < 2 {
        return errors.pop().map_or(Ok(()), Err);
    }
    let exit = errors.iter().map(|error| error.exit).find(|exit| *exit == Exit::Usage).unwrap_or(Exit::Content);
    // A name may have line breaks, and must not begin a line that seems to be ours.
    let line = |error: &Error| text::line(&format!("{}; {}", error.message, error.hints.join("; "))).into_owned();
    let lines: Vec<String> = errors.iter().map(line).collect();
    Err(Error::new(exit, lines.join("\n")))
}
