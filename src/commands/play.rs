//! `fencepost` and `fencepost play`: the screens.

use std::collections::HashMap;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::commands::{Session, find, message, width};
use crate::content::{load, render};
use crate::effects::Memory;
use crate::error::{Error, Exit};
use crate::progress::store::{Store, Unopened};
use crate::quiz::attempt::Attempt;
use crate::quiz::time::Timestamp;
use crate::quiz::{Action, Quiz, update};
use crate::settings;
use crate::tui::theme::ThemeName;
use crate::tui::{self, text};

pub(super) fn run(session: &Session, question: Option<&str>) -> Result<Exit, Error> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(Error::usage("the screens need a terminal for input and output")
            .hint("`fencepost list`, `show`, `run` and `quiz` work without one"));
    }
    // The program's first run takes longest, so its template starts while the learner reads.
    let runner = Arc::new(session.runner()?);
    runner.prewarm();

    let catalog = Arc::new(load::load(&session.global.content)?);
    let name = match question {
        Some(question) => Some(find(&catalog, question)?.name.clone()),
        None => None,
    };
    let places = session.places()?;
    let (mut settings, problems) = settings::load(&places.settings);
    if !problems.is_empty() {
        let colour = session.colour(&io::stderr());
        let safe = |words: &str| text::line(words).into_owned();
        message(&render::diagnostics(&problems, safe, colour, width()));
        return Err(Error::usage("the settings cannot be read").hint("mend the file, or delete it to get a fresh one"));
    }
    if !session.colour(&io::stdout()) {
        settings.theme = ThemeName::Colourless;
    }

    let mut trouble = None;
    let (memory, results): (Box<dyn Memory>, _) = match Store::open(&places.progress, now()) {
        Ok(opened) => {
            if let Some(aside) = opened.put_aside {
                trouble = Some(format!("The progress file was damaged; it was put aside as {}.", aside.display()));
            }
            let results = opened.store.last_results()?;
            (Box::new(Kept(opened.store)), results)
        }
        Err(Unopened::Newer(error)) => return Err(error),
        Err(Unopened::Unusable(error)) => {
            trouble = Some(format!("Answers are not saved: {error}."));
            (Box::new(Lost(error.to_string())), HashMap::new())
        }
    };
    let mut quiz = Quiz::new(catalog, results);
    if let Some(trouble) = trouble {
        update(&mut quiz, Action::SaveFailed(trouble));
    }
    if let Some(name) = name {
        update(&mut quiz, Action::Open(name));
    }
    tui::run(quiz, settings, runner, memory)
}

/// Attempts go to the database.
struct Kept(Store);

impl Memory for Kept {
    fn record(&mut self, attempt: &Attempt) -> Result<(), Error> {
        self.0.record(attempt)
    }
}

/// There is no database: every attempt says why.
struct Lost(String);

impl Memory for Lost {
    fn record(&mut self, _: &Attempt) -> Result<(), Error> {
        Err(Error::machinery(self.0.clone()))
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
