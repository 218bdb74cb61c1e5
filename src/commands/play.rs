//! `fencepost` and `fencepost play`: the screens.
//!
//! The first frame waits for neither folders of questions, earlier results nor the runner's template: they are loaded on
//! another thread.

use std::collections::HashMap;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::commands::consent::{self, Inspect};
use crate::commands::{Session, find, message, terminal, width};
use crate::content::{load, render};
use crate::effects::{Background, Memory};
use crate::error::{Error, Exit};
use crate::plain;
use crate::progress::store::{Store, Unopened};
use crate::quiz::action::Library;
use crate::quiz::attempt::Attempt;
use crate::quiz::consent::Sandbox;
use crate::quiz::repair::{KeptDraft, Repairs};
use crate::quiz::time::Timestamp;
use crate::quiz::{Action, Quiz, update};
use crate::runner::Sandboxed;
use crate::settings::{self, Settings, ThemeName};
use crate::text;
use crate::tui::{self, external_editor};

pub(super) fn run(session: &Session, question: Option<&str>, plain: bool) -> Result<Exit, Error> {
    let plain = plain || !has_screens();
    let (quiz, folders) = quiz(&session.global.content, question)?;
    let quiz = quiz.trusting(session.global.trust_pack.iter().cloned()).while_remembering();
    let places = session.places()?;
    let settings = settings(session, &places.settings)?;
    if let Some(refusal) = Store::refusal(&places.progress) {
        return Err(refusal);
    }
    let runner = Arc::new(session.runner()?);
    let (store, opened) = mpsc::channel();
    let template = Arc::clone(&runner);
    let progress = places.progress.clone();
    let background = move |report: &dyn Fn(Action)| {
        remember(&progress, &store, report);
        // The first run takes longest, so the template starts while the learner reads.
        template.prewarm();
        if !folders.is_empty() {
            report(match load::load(&folders) {
                Ok(catalog) => Action::Loaded(Library(Arc::new(catalog))),
                Err(error) => Action::LoadFailed(format!("No more questions: {error}.")),
            });
        }
        // Only programs of packs that did not ship wait for this.
        report(sandbox(&*template));
    };
    let memory = Box::new(Diary { opened, store: None });
    if plain {
        let quiz = if settings.predict { quiz.asking_for_predictions() } else { quiz };
        return lines(quiz, runner, memory, &places.drafts, Box::new(background));
    }
    tui::run(quiz, settings, runner, memory, &places.drafts, Box::new(background))
}

/// Plays in plain mode.
fn lines(
    quiz: Quiz,
    runner: Arc<Sandboxed>,
    memory: Box<dyn Memory>,
    drafts: &Path,
    background: Background,
) -> Result<Exit, Error> {
    // Ctrl-C ends fencepost as by default, but not while an editor has the terminal.
    let ours = Arc::new(AtomicBool::new(true));
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGQUIT] {
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&ours))
            .map_err(|error| Error::machinery("signals cannot be set up").because(error))?;
    }
    let edit = |path: &Path| {
        let no_editor = "Neither `$VISUAL` nor `$EDITOR` names an editor. Set one before you start fencepost.";
        let command = external_editor::editor(|name| std::env::var(name).ok()).ok_or_else(|| no_editor.to_owned())?;
        ours.store(false, Ordering::SeqCst);
        let edited = external_editor::run(&command, path, || {});
        ours.store(true, Ordering::SeqCst);
        edited
    };
    let prompt = io::stdin().is_terminal();
    let columns = io::stdout().is_terminal().then(width);
    let world = plain::World { runner, memory, drafts, edit: &edit, background, prompt, width: columns };
    plain::run(quiz, world, io::BufReader::new(io::stdin()), &mut io::stdout())
}

/// True if input and output are a terminal that can move its cursor.
fn has_screens() -> bool {
    !terminal::is_dumb() && io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Refuses to start the screens without a terminal.
///
/// # Errors
///
/// Input or output is not a terminal, or the terminal cannot move its cursor.
pub(super) fn must_have_terminal() -> Result<(), Error> {
    if !has_screens() {
        return Err(Error::usage("the screens need a terminal with cursor movement, for input and output")
            .hint("`fencepost list`, `show`, `run` and `quiz` work without one"));
    }
    Ok(())
}

/// Returns the first state of the quiz, and the folders still to load.
fn quiz(folders: &[PathBuf], question: Option<&str>) -> Result<(Quiz, Vec<PathBuf>), Error> {
    let Some(question) = question else {
        for folder in folders {
            load::must_be_folder(folder)?;
        }
        let quiz = Quiz::new(Arc::new(load::load(&[])?), HashMap::new());
        return Ok((if folders.is_empty() { quiz } else { quiz.while_loading() }, folders.to_vec()));
    };
    let catalog = Arc::new(load::load(folders)?);
    let name = find(&catalog, question)?.name.clone();
    let mut quiz = Quiz::new(catalog, HashMap::new());
    update(&mut quiz, Action::Open(name));
    Ok((quiz, Vec::new()))
}

/// Inspects the sandbox for the quiz.
pub(super) fn sandbox(runner: &impl Inspect) -> Action {
    Action::Sandbox(match runner.inspect() {
        Ok((level, missing)) => Sandbox::Known { level, why: consent::reasons(level, &missing) },
        Err(error) => Sandbox::Failed(error.to_string()),
    })
}

pub(super) fn settings(session: &Session, path: &Path) -> Result<Settings, Error> {
    let (mut settings, problems) = settings::load(path);
    if !problems.is_empty() {
        let safe = |words: &str| text::line(words).into_owned();
        message(&render::diagnostics(&problems, safe, session.colour(&io::stderr()), width()));
        return Err(
            Error::usage("the settings cannot be read").hint("fix the file, or delete it to restore the defaults")
        );
    }
    if !session.colour(&io::stdout()) {
        settings.theme = ThemeName::Colourless;
    }
    Ok(settings)
}

/// Opens the database, reports earlier results and hands the database to the diary.
fn remember(path: &Path, diary: &Sender<Result<Store, String>>, report: &dyn Fn(Action)) {
    let opened = match Store::open(path, now()) {
        Ok(opened) => opened,
        Err(Unopened::Newer(error) | Unopened::Unusable(error)) => {
            report(Action::SaveFailed(format!("Answers are not saved: {error}.")));
            let _ = diary.send(Err(error.to_string()));
            report(Action::Repairs(Repairs::default()));
            return;
        }
    };
    if let Some(aside) = opened.put_aside {
        report(Action::RememberFailed(format!(
            "The progress file was damaged; it was put aside as {}.",
            aside.display()
        )));
    }
    match opened.store.last_results() {
        Ok(results) => report(Action::Remembered(results)),
        Err(error) => report(Action::RememberFailed(format!("Earlier results cannot be read: {error}."))),
    }
    match opened.store.repairs() {
        Ok(repairs) => report(Action::Repairs(repairs)),
        Err(error) => {
            report(Action::RememberFailed(format!("Earlier repairs cannot be read: {error}.")));
            report(Action::Repairs(Repairs::default()));
        }
    }
    // The receiver is gone if the learner has already quit.
    let _ = diary.send(Ok(opened.store));
}

/// Memory backed by a database that may still be opening.
struct Diary {
    opened: Receiver<Result<Store, String>>,
    store: Option<Result<Store, String>>,
}

impl Memory for Diary {
    fn record(&mut self, attempt: &Attempt) -> Result<(), Error> {
        self.store()?.record(attempt)
    }

    fn take_back(&mut self, attempt: &Attempt, at: Timestamp) -> Result<(), Error> {
        self.store()?.take_back(attempt, at)
    }

    fn keep_draft(&mut self, draft: &KeptDraft) -> Result<(), Error> {
        self.store()?.keep_draft(draft)
    }
}

impl Diary {
    /// Waits for the database to open.
    fn store(&mut self) -> Result<&mut Store, Error> {
        let opened = &self.opened;
        let never = || Err("the progress file was not opened".to_owned());
        let store = self.store.get_or_insert_with(|| opened.recv().unwrap_or_else(|_| never()));
        store.as_mut().map_err(|why| Error::machinery(why.clone()))
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::{Level, Missing, Part};

    struct Looked(Option<Level>);

    impl Inspect for Looked {
        fn inspect(&self) -> Result<(Level, Vec<Missing>), Error> {
            let missing = Missing { part: Part::Seccomp, reason: "the kernel has none".into() };
            let level = self.0.ok_or_else(|| Error::machinery("the runner does not start: no template"))?;
            Ok((level, vec![missing]))
        }
    }

    #[test]
    fn the_quiz_is_told_how_strong_the_sandbox_is() {
        let why = "the sandbox is only at level limits_only and lacks seccomp (the kernel has none)".to_owned();
        assert_eq!(
            sandbox(&Looked(Some(Level::LimitsOnly))),
            Action::Sandbox(Sandbox::Known { level: Level::LimitsOnly, why })
        );
        let failed = Action::Sandbox(Sandbox::Failed("the runner does not start: no template".to_owned()));
        assert_eq!(sandbox(&Looked(None)), failed);
    }
}
