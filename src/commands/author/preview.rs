//! `fencepost author preview`: shows one file on the real screens, after every save.
//!
//! A thread here watches the file; the screens wait for its events.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use crate::author::drafts::{self, DraftPack};
use crate::author::rules;
use crate::cli::AuthorPreview;
use crate::commands::{Session, play};
use crate::content::catalog::{Catalog, Entry, PackEntry};
use crate::content::diagnostic::Diagnostic;
use crate::content::question::{Date, Question};
use crate::effects::Memory;
use crate::error::{Error, Exit};
use crate::quiz::action::Library;
use crate::quiz::attempt::Attempt;
use crate::quiz::repair::KeptDraft;
use crate::quiz::time::Timestamp;
use crate::quiz::{Action, Quiz, update};
use crate::tui;

/// Time between two looks at the file.
const PAUSE: Duration = Duration::from_millis(100);

/// Time after which a changed file is checked again, since an editor may still be saving.
const SETTLE: Duration = Duration::from_millis(20);

/// Age up to which a file may have been written again within one tick of its clock.
const YOUNG: Duration = Duration::from_secs(2);

/// Number of looks for which a file may be missing, as it is while some editors save.
const PATIENCE: usize = 5;

pub(super) fn run(session: &Session, args: &AuthorPreview) -> Result<Exit, Error> {
    let file = &args.file;
    must_be_question(file)?;
    play::must_have_terminal()?;
    // An absolute path still names the file if the current folder is moved.
    let path = std::path::absolute(file).unwrap_or_else(|_| file.clone());
    let mut look = Look { path, seen: None, valid: None };
    let catalog = look.again();
    let mut quiz = Quiz::new(Arc::new(catalog), HashMap::new()).previewing();
    quiz = quiz.trusting(session.global.trust_pack.iter().cloned());
    update(&mut quiz, Action::OpenAt(0));
    let places = session.places()?;
    let settings = play::settings(session, &places.settings)?;
    let runner = Arc::new(session.runner()?);
    let template = Arc::clone(&runner);
    let late = move |report: &dyn Fn(Action)| {
        template.prewarm();
        report(play::sandbox(&*template));
        look.follow(report);
    };
    // No pack can have this name, so no learner's file is touched.
    tui::run(quiz, settings, runner, Box::new(Nothing), &places.drafts.join(".preview"), Box::new(late))
}

/// Refuses paths that cannot be a question's file. An invalid question is shown with its problems.
fn must_be_question(file: &Path) -> Result<(), Error> {
    let packs = "`fencepost author check` takes packs and folders";
    drafts::read_one(file).map_err(|problem| Error::content(problem.message).hint(problem.help).hint(packs))?;
    match file.try_exists() {
        Ok(true) => Ok(()),
        Ok(false) => Err(Error::content(format!("`{}` does not exist", file.display()))
            .hint("`fencepost author new ID --pack DIR` creates a question")),
        Err(error) => Err(Error::content(format!("cannot read `{}`", file.display())).because(error)),
    }
}

/// Stores nothing: an author who tries a question is not a learner.
struct Nothing;

impl Memory for Nothing {
    fn record(&mut self, _: &Attempt) -> Result<(), Error> {
        Ok(())
    }

    fn take_back(&mut self, _: &Attempt, _: Timestamp) -> Result<(), Error> {
        Ok(())
    }

    fn keep_draft(&mut self, _: &KeptDraft) -> Result<(), Error> {
        Ok(())
    }
}

/// The last reading of a file, and the last valid question in it.
struct Look {
    path: PathBuf,
    /// The text of the file and its problems.
    seen: Option<(String, Vec<Diagnostic>)>,
    valid: Option<Arc<Entry>>,
}

/// The time, length and inode of a file, to notice changes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mark {
    written: Option<SystemTime>,
    length: u64,
    number: u64,
}

impl Look {
    /// Reads the file and returns a library of it: the last valid question, and every problem of the file.
    fn again(&mut self) -> Catalog {
        let mut pack = match drafts::read_one(&self.path) {
            Ok(pack) => pack,
            Err(problem) => DraftPack { name: String::new(), pack: None, problems: vec![*problem], drafts: Vec::new() },
        };
        let draft = pack.drafts.pop();
        let mut problems = std::mem::take(&mut pack.problems);
        let mut text = String::new();
        if let Some(mut draft) = draft {
            text.clone_from(&draft.file.text);
            let usable = draft.usable().is_some();
            rules::apply(&mut draft, pack.words(), Date(jiff::Zoned::now().date()), None);
            problems.extend(draft.problems);
            if let Some(question) = draft.question.filter(|_| usable) {
                self.keep(Entry::new(draft.name, question, false));
            }
        }
        let entry = |description| PackEntry { name: pack.name, pack: description, shipped: false };
        let packs = pack.pack.map(entry).into_iter().collect();
        self.seen = Some((text, problems.clone()));
        Catalog { packs, questions: self.valid.iter().cloned().collect(), problems }
    }

    /// Keeps the valid question; an unchanged one stays the same entry, so that nothing is drawn again.
    fn keep(&mut self, entry: Entry) {
        let same = self.valid.as_ref().is_some_and(|old| Question::eq(&old.question, &entry.question));
        if !same {
            self.valid = Some(Arc::new(entry));
        }
    }

    /// Follows the file for as long as the program runs.
    fn follow(mut self, report: &dyn Fn(Action)) {
        let mut mark = None;
        let mut gone = 0;
        loop {
            thread::sleep(PAUSE);
            let now = look_at(&self.path);
            let young = now.and_then(|it| it.written).is_none_or(|at| at.elapsed().is_ok_and(|age| age < YOUNG));
            if now == mark && !young {
                continue;
            }
            gone = if now.is_none() { gone + 1 } else { 0 };
            if now.is_none() && gone != PATIENCE {
                continue;
            }
            thread::sleep(SETTLE);
            if look_at(&self.path) != now {
                // It is still being written.
                continue;
            }
            mark = now;
            let before = self.seen.take();
            let catalog = self.again();
            if self.seen != before {
                report(Action::Loaded(Library(Arc::new(catalog))));
            }
        }
    }
}

/// The metadata of a file; `None` if there is none.
fn look_at(path: &Path) -> Option<Mark> {
    let kind = fs::metadata(path).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&kind);
    #[cfg(not(unix))]
    let number = 0;
    Some(Mark { written: kind.modified().ok(), length: kind.len(), number })
}
