//! The quiz line by line, for screen readers, dumb terminals and pipes.
//!
//! Lines come in, sentences go out, and between them is the same `update` as in the screens. Nothing here moves a cursor,
//! needs a colour, or says something with a picture.
//!
//! - [`command`] reads a line, and [`response`] is what it leads to
//! - [`available`] says why a command does not work now, and [`help`] which ones do
//! - [`session`] turns commands into actions; [`motions`] does so in the stage Run, [`predicting`] for a prediction
//! - [`words`] describes places
//! - [`reading`] reads out questions and lines of programs
//! - [`programs`] describes runs and checks
//! - [`timeline`] describes the scenario
//! - [`steps`] describes a program step by step
//! - [`changes`] reports what has happened since

pub mod available;
pub mod changes;
pub mod command;
pub mod help;
pub mod motions;
pub mod predicting;
pub mod programs;
pub mod reading;
pub mod response;
pub mod session;
pub mod steps;
pub mod timeline;
pub mod words;

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::effects::{Background, Effects, Memory, Request, draft_file, ending};
use crate::error::{Error, Exit};
use crate::plain::response::Response;
use crate::plain::session::Session;
use crate::quiz::{Action, Quiz};
use crate::runner::Runner;
use crate::script::lines::{self, Input};
use crate::text;

/// Time that the end of a session gives to saving the last answers.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs the learner's own editor on a file and waits for its end. The error is a sentence.
pub type Edit<'a> = &'a dyn Fn(&Path) -> Result<(), String>;

/// The world as a session needs it.
pub struct World<'a> {
    /// Runs programs.
    pub runner: Arc<dyn Runner>,
    /// Keeps answers.
    pub memory: Box<dyn Memory>,
    /// The folder of repairs that an editor has open.
    pub drafts: &'a Path,
    /// The learner's editor.
    pub edit: Edit<'a>,
    /// Done in another thread while the learner reads; it reports what it finds.
    pub background: Background,
    /// True if a prompt comes before each line that is read.
    pub prompt: bool,
    /// Columns of the terminal that is written to; nothing where it is none.
    pub width: Option<usize>,
}

enum Event {
    Typed(io::Result<Input>),
    Happened(Action),
}

/// Plays until the learner leaves or `from` ends.
///
/// # Errors
///
/// Nothing at all could be read, nothing could be written, or answers could not be saved.
pub fn run(
    quiz: Quiz,
    world: World<'_>,
    mut from: impl BufRead + Send + 'static,
    out: &mut impl Write,
) -> Result<Exit, Error> {
    let (events, inbox) = mpsc::channel();
    let happened = events.clone();
    let effects = Effects::new(world.runner, world.memory, move |action| {
        // Nobody listens any more once the session is over.
        let _ = happened.send(Event::Happened(action));
    })?;
    let reported = events.clone();
    let background = world.background;
    let start = |name: &str, work: Box<dyn FnOnce() + Send>| {
        let started = thread::Builder::new().name(name.to_owned()).spawn(work);
        started.map_err(|error| Error::machinery("a thread could not be started").because(error))
    };
    start(
        "background",
        Box::new(move || {
            background(&|action| {
                let _ = reported.send(Event::Happened(action));
            });
        }),
    )?;
    // It reads one line, then waits until it is asked for the next: so that nothing reads from the terminal while an
    // editor has it.
    let (next, asked) = mpsc::channel::<()>();
    start(
        "lines",
        Box::new(move || {
            for () in asked {
                if events.send(Event::Typed(lines::next(&mut from))).is_err() {
                    break;
                }
            }
        }),
    )?;
    let listener = Listener { next, asked: false, typed: None, prompt: world.prompt, prompted: false };
    let session = Session::new(quiz);
    let (drafts, edit, width) = (world.drafts, world.edit, world.width);
    let mut play = Play { session, effects, out, drafts, edit, width, listener };
    let played = play.play(&inbox);
    let saved = play.effects.finish(PATIENCE);
    ending::ending(played, saved)
}

/// State of the line that comes next.
struct Listener {
    /// Asks for it.
    next: mpsc::Sender<()>,
    /// True if it was asked for and has not come.
    asked: bool,
    /// The line, once it has come, until it is looked at.
    typed: Option<io::Result<Input>>,
    /// True if a prompt comes before it.
    prompt: bool,
    /// True if the prompt was written last.
    prompted: bool,
}

impl Listener {
    fn ask(&mut self) {
        if !self.asked {
            self.asked = true;
            // Where the thread has ended, it has said so.
            let _ = self.next.send(());
        }
    }

    fn came(&mut self, typed: io::Result<Input>) {
        self.asked = false;
        self.prompted = false;
        self.typed = Some(typed);
    }
}

/// A session with what performs its effects.
struct Play<'a, W> {
    session: Session,
    effects: Effects,
    out: &'a mut W,
    drafts: &'a Path,
    edit: Edit<'a>,
    width: Option<usize>,
    listener: Listener,
}

impl<W: Write> Play<'_, W> {
    fn play(&mut self, inbox: &mpsc::Receiver<Event>) -> Result<Exit, Error> {
        let mut said = self.session.greeting();
        let mut anything = false;
        loop {
            if !self.say(&said)? {
                return Ok(Exit::Done);
            }
            said.clear();
            // A line is not asked for before what the last one asked for is done, so that a pipe plays as a person does.
            if self.session.is_settled() {
                match self.listener.typed.take() {
                    // On a terminal, Ctrl-D is a way to leave like any other.
                    Some(Ok(Input::End)) if anything || self.listener.prompt => {
                        // The shell's own prompt begins a new line.
                        if self.listener.prompt {
                            self.write("\n")?;
                        }
                        return Ok(Exit::Done);
                    }
                    Some(Ok(Input::End)) => {
                        return Err(Error::usage("there is nothing to read from on standard input")
                            .hint("`fencepost list`, `show`, `run` and `quiz` work without it"));
                    }
                    Some(Ok(input)) => {
                        anything = true;
                        match self.answer(&input)? {
                            Some(words) => said = words,
                            None => return Ok(Exit::Done),
                        }
                        continue;
                    }
                    Some(Err(error)) => {
                        return Err(Error::usage("cannot read from standard input").because(error));
                    }
                    None if !self.prompt()? => return Ok(Exit::Done),
                    None => self.listener.ask(),
                }
            }
            match self.next(inbox) {
                Some(Event::Typed(line)) => self.listener.came(line),
                Some(Event::Happened(action)) => said = self.act(vec![action])?,
                None => said = self.act(Vec::new())?,
            }
        }
    }

    /// The next event; `None` if the quiz needs the time.
    fn next(&self, inbox: &mpsc::Receiver<Event>) -> Option<Event> {
        match self.session.quiz().wake() {
            None => inbox.recv().ok(),
            Some(at) => inbox.recv_timeout(Duration::from_millis(at.since(self.effects.now()).0)).ok(),
        }
    }

    /// Does what a line asks for; `None` if the learner leaves.
    fn answer(&mut self, input: &Input) -> Result<Option<String>, Error> {
        let mut said = self.act(Vec::new())?;
        match self.session.line(input) {
            Response::Leave => return Ok(None),
            Response::Words(words) | Response::Refused(words) => said.push_str(&words),
            Response::Do { actions, then } => {
                said.push_str(&self.act(actions)?);
                said.push_str(&then(self.session.quiz()));
            }
        }
        Ok(Some(said))
    }

    /// Changes the quiz, does what it asks for, and returns what there is to say about it.
    fn act(&mut self, actions: Vec<Action>) -> Result<String, Error> {
        let mut said = String::new();
        let mut waiting: VecDeque<Action> = actions.into();
        waiting.push_front(Action::Time(self.effects.now()));
        while let Some(action) = waiting.pop_front() {
            let (effects, words) = self.session.act(action);
            said.push_str(&words);
            for effect in effects {
                match self.effects.perform(effect) {
                    Some(Request::Editor { question, text }) => {
                        // What was said so far is said before the editor has the terminal.
                        if self.say(&said)? {
                            said.clear();
                        }
                        waiting.push_back(draft_file::edit(self.drafts, question, &text, self.edit, |file| {
                            self.effects.read_back(file)
                        }));
                    }
                    // The end of the time is said in words.
                    Some(Request::Bell | Request::Quit) | None => {}
                }
            }
        }
        Ok(said)
    }

    /// Writes `words`, made safe. False where the reader has gone.
    fn say(&mut self, words: &str) -> Result<bool, Error> {
        if words.is_empty() {
            return Ok(true);
        }
        // What happens while the learner is asked begins a line of its own, and the prompt follows again.
        let after = if std::mem::take(&mut self.listener.prompted) { "\n" } else { "" };
        let safe = text::block(words);
        let fitting = self.width.map_or(safe.clone(), |width| fitted(&safe, width).into());
        self.write(&format!("{after}{fitting}"))
    }

    fn prompt(&mut self) -> Result<bool, Error> {
        let listener = &mut self.listener;
        if !listener.prompt || listener.prompted || !self.session.takes_prompt() {
            return Ok(true);
        }
        listener.prompted = true;
        let prompt = words::prompt(self.session.quiz());
        self.write(&text::line(&prompt))
    }

    fn write(&mut self, safe: &str) -> Result<bool, Error> {
        match self.out.write_all(safe.as_bytes()).and_then(|()| self.out.flush()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
            Err(error) => Err(Error::output(error)),
        }
    }
}

/// `safe` with every line that the terminal would break anywhere broken between words. What goes on in another row is
/// indented, so that nothing a program wrote looks like the tutor's word there.
fn fitted(safe: &str, width: usize) -> String {
    let mut out = String::with_capacity(safe.len());
    for line in safe.split_inclusive('\n') {
        let body = line.strip_suffix('\n').unwrap_or(line);
        if text::width(body) <= width {
            out.push_str(line);
            continue;
        }
        let rows = text::wrap(body, width.saturating_sub(2));
        let rows: Vec<&str> = rows.into_iter().filter_map(|row| body.get(row)).collect();
        out.push_str(&rows.join("\n  "));
        out.push_str(line.get(body.len()..).unwrap_or_default());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_terminal_breaks_no_word() {
        let said = "Line 6 of 14, indent 8: if token > self.newest_token:\n\n> short\nno end of line yet";
        let expected = "Line 6 of 14,\n  indent 8: if token\n  >\n  self.newest_token:\n\n> short\n\
                        no end of line yet";
        assert_eq!(fitted(said, 20), expected);
        assert_eq!(fitted(said, 80), said);
        assert_eq!(fitted("", 80), "");
    }
}
