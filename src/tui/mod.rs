//! The terminal front end: keys in, frames out.
//!
//! The event loop waits in one place, for one channel, so that an idle screen uses no CPU and writes no byte. It is generic
//! over the backend, and tests drive it without a terminal.

pub mod decode;
pub mod editor;
pub mod editor_keys;
mod ending;
pub(crate) mod external_editor;
pub mod highlight;
pub mod input;
mod job;
pub mod keys;
pub mod terminal;
pub mod theme;
pub mod ui;
pub mod view;

use std::fmt::Display;
use std::io::{self, BufWriter};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::crossterm::event::Event as TerminalEvent;

use crate::content::question::QuestionName;
use crate::effects::{Background, Effects, Memory, Request, draft_file};
use crate::error::{Error, Exit};
use crate::quiz::{Action, Quiz, update};
use crate::runner::{Event as Reported, Runner};
use crate::settings::Settings;
use crate::tui::highlight::Worker;
use crate::tui::input::{Event, Reader};
use crate::tui::terminal::{PanicGuard, Real, Tty};
use crate::tui::theme::Theme;
use crate::tui::ui::{Response, Ui};

/// Time that a normal end gives to saving answers.
const PATIENCE: Duration = Duration::from_secs(10);

/// Time that an end by signal gives to saving answers.
const SHORT_PATIENCE: Duration = Duration::from_millis(600);

/// News from other threads that are taken in before the next frame is drawn.
const BATCH: usize = 256;

/// Plays `quiz` in the terminal until the learner leaves. Returns how it ended: done, or by a signal. `drafts` is the folder
/// of files that go to the learner's own editor.
///
/// # Errors
///
/// The terminal cannot be used, answers could not be saved, or a mistake in this program.
pub fn run(
    quiz: Quiz,
    settings: Settings,
    runner: Arc<dyn Runner>,
    memory: Box<dyn Memory>,
    drafts: &Path,
    background: Background,
) -> Result<Exit, Error> {
    let ascii = theme::needs_ascii(|name| std::env::var(name).ok());
    let quiz = if settings.predict { quiz.asking_for_predictions() } else { quiz };
    let ui = Ui::new(quiz, Theme::new(settings.theme, ascii), settings.mouse);
    // The theme decides about colour, not the library that writes it.
    ratatui::crossterm::style::force_color_output(true);
    let (events, inbox) = mpsc::channel();
    let over = Arc::new(AtomicBool::new(false));
    let continued =
        input::catch_signals(events.clone(), Arc::clone(&over)).map_err(failed("signals cannot be caught"))?;
    let deliver = events.clone();
    let effects = Effects::new(runner, memory, move |action| {
        // When the loop has ended, nobody needs to know.
        let _ = deliver.send(Event::Action(action));
    })?;
    let guard = PanicGuard::new(events.clone());
    let played = catch_unwind(AssertUnwindSafe(|| {
        terminal::enter(settings.mouse).map_err(failed("the terminal cannot be used"))?;
        let backend = CrosstermBackend::new(BufWriter::with_capacity(64 << 10, io::stdout()));
        let terminal = Terminal::new(backend).map_err(failed("the terminal cannot be used"))?;
        let (tty, drafts) = (Real::new(continued), drafts.to_owned());
        let front = Front { terminal, tty, ui, effects: &effects, bell: settings.bell, drafts, worker: None };
        // A dropped `Terminal` shows the cursor, which `leave` does anyway, and panics where the terminal is gone.
        let mut front = ManuallyDrop::new(front);
        front.draw()?;
        // Whatever can wait is started after the first frame.
        let reader = Reader::start(events.clone()).map_err(failed("keys cannot be read"))?;
        let reported = events.clone();
        let report = move |action| {
            // When the loop has ended, nobody needs to know.
            let _ = reported.send(Event::Action(action));
        };
        let background = move || background(&report);
        std::thread::Builder::new()
            .name("background".to_owned())
            .spawn(background)
            .map_err(failed("a thread cannot be started"))?;
        let highlighted = events.clone();
        front.worker = Some(Worker::start(move |result| {
            let _ = highlighted.send(Event::Highlighted(result));
        }));
        front.play(&inbox, || reader.ask())
    }));
    terminal::leave();
    drop(guard);
    let patience = if matches!(played, Ok(Ok(Exit::Done))) { PATIENCE } else { SHORT_PATIENCE };
    let saved = effects.finish(patience);
    over.store(true, Ordering::SeqCst);
    ending::ending(played.ok(), PanicGuard::message(), saved)
}

/// Wraps an error of the system.
fn failed<E: std::error::Error + Send + Sync + 'static>(message: &'static str) -> impl Fn(E) -> Error {
    move |source| Error::machinery(message).because(source)
}

/// The event loop and everything that it needs.
pub struct Front<'a, B: Backend, T: Tty> {
    /// The target of frames.
    pub terminal: Terminal<B>,
    /// The terminal's modes.
    pub tty: T,
    /// The state.
    pub ui: Ui,
    /// Performs what the quiz asks for.
    pub effects: &'a Effects,
    /// True if the bell may ring.
    pub bell: bool,
    /// The folder of files that go to the learner's own editor.
    pub drafts: PathBuf,
    /// Highlights programs, once it is started.
    pub worker: Option<Worker>,
}

/// The consequence of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Nothing to draw.
    Idle,
    /// The frame is out of date.
    Draw,
    /// The window has a new size. Often more follow at once.
    Resized,
    /// The loop is over.
    End(Exit),
}

impl<B: Backend, T: Tty> Front<'_, B, T>
where
    B::Error: Display + Send + Sync + 'static,
{
    /// Draws a frame.
    pub fn draw(&mut self) -> Result<(), Error> {
        let ui = &self.ui;
        let mut drawn = None;
        let frame = self.terminal.draw(|frame| {
            let area = frame.area();
            let seen = view::draw(ui, area, frame.buffer_mut());
            if let Some(cursor) = seen.cursor {
                frame.set_cursor_position(cursor);
            }
            drawn = Some(seen);
        });
        frame.map_err(|error| Error::machinery(format!("the terminal cannot be written to: {error}")))?;
        if let Some(drawn) = drawn {
            self.ui.scroll.offset = drawn.offset;
            self.ui.drawn = drawn;
        }
        Ok(())
    }

    /// Handles events until the learner leaves. `ask` is called when the next event of the terminal may be read.
    pub fn play(&mut self, inbox: &Receiver<Event>, ask: impl Fn()) -> Result<Exit, Error> {
        loop {
            self.want_highlights();
            let Some(mut event) = self.wait(inbox) else { return Ok(Exit::Done) };
            let mut next = Next::Idle;
            for handled in 1.. {
                let from_terminal = matches!(event, Event::Terminal(_));
                // What a key or a click means depends on what is in sight.
                if from_terminal && next != Next::Idle {
                    if let Err(error) = self.show(next) {
                        return self.terminal_failed(inbox, error);
                    }
                    next = Next::Idle;
                }
                let one = match self.handle(event) {
                    Ok(one) => one,
                    Err(error) => return self.terminal_failed(inbox, error),
                };
                if let Next::End(exit) = one {
                    return Ok(exit);
                }
                if from_terminal {
                    ask();
                }
                if one != Next::Idle && next != Next::Resized {
                    next = one;
                }
                // What is still in the inbox has its turn after the frame.
                if handled == BATCH {
                    break;
                }
                // A window that is dragged changes its size all the time; the last size is the one to draw.
                let more = if next == Next::Resized {
                    inbox.recv_timeout(Duration::from_millis(12)).ok()
                } else {
                    inbox.try_recv().ok()
                };
                match more {
                    Some(more) => event = more,
                    None => break,
                }
            }
            if let Err(error) = self.show(next) {
                return self.terminal_failed(inbox, error);
            }
        }
    }

    /// Draws what `next` asks for.
    fn show(&mut self, next: Next) -> Result<(), Error> {
        match next {
            Next::Idle => Ok(()),
            // Terminals lose what a smaller size has no room for, also when the old size is back in a moment.
            Next::Resized => self.clear().and_then(|()| self.draw()),
            Next::Draw | Next::End(_) => self.draw(),
        }
    }

    /// A terminal that cannot be used any more is often one that is gone, and then the signal is on its way.
    fn terminal_failed(&self, inbox: &Receiver<Event>, error: Error) -> Result<Exit, Error> {
        while let Ok(event) = inbox.recv_timeout(Duration::from_millis(100)) {
            match event {
                Event::End(signal) => return Ok(Exit::Signal(signal)),
                Event::Gone => return Ok(GONE),
                _ => {}
            }
        }
        if self.tty.is_gone() { Ok(GONE) } else { Err(error) }
    }

    /// The next event; that the quiz wants to know the time counts as one. `None` when nobody can send any more.
    fn wait(&self, inbox: &Receiver<Event>) -> Option<Event> {
        let Some(wake) = self.ui.quiz.wake() else { return inbox.recv().ok() };
        let pause = Duration::from_millis(wake.since(self.effects.now()).0);
        match inbox.recv_timeout(pause) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => Some(Event::Action(Action::Time(self.effects.now()))),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    fn handle(&mut self, event: Event) -> Result<Next, Error> {
        let response = match event {
            Event::Terminal(TerminalEvent::Key(key)) => self.ui.key(&key),
            Event::Terminal(TerminalEvent::Mouse(mouse)) => self.ui.click(&mouse),
            Event::Resized | Event::Terminal(TerminalEvent::Resize(..)) => return Ok(Next::Resized),
            Event::Terminal(TerminalEvent::Paste(pasted)) => self.ui.paste(&pasted),
            Event::Terminal(_) => Response::Nothing,
            Event::Action(action) => Response::Do(action),
            Event::Highlighted(result) => {
                self.ui.highlights.add(result);
                Response::Draw
            }
            Event::End(signal) => return Ok(Next::End(Exit::Signal(signal))),
            Event::Gone => return Ok(Next::End(GONE)),
            Event::Panicked => return Ok(Next::End(Exit::Machinery)),
            Event::Stop => Response::Suspend,
            Event::Continued => {
                let mouse = self.ui.mouse;
                self.tty.retake(mouse).map_err(failed("the terminal cannot be used"))?;
                Response::Redraw
            }
        };
        self.grant(response)
    }

    fn grant(&mut self, response: Response) -> Result<Next, Error> {
        match response {
            Response::Nothing => return Ok(Next::Idle),
            Response::Draw => {}
            Response::Do(action) => return self.act(action),
            Response::Mouse(on) => self.tty.mouse(on).map_err(failed("the mouse cannot be turned on or off"))?,
            Response::Redraw => self.clear()?,
            Response::Suspend if !self.tty.can_be_continued() => {
                self.ui.notice = Some("Ctrl-Z does nothing here: no shell waits that could come back to fencepost.");
            }
            Response::Suspend => {
                let mouse = self.ui.mouse;
                self.tty.suspend(mouse).map_err(failed("the terminal cannot be used"))?;
                self.clear()?;
            }
            Response::Interrupt => return Ok(Next::End(Exit::Signal(2))),
        }
        Ok(Next::Draw)
    }

    /// Forgets what the terminal shows, so that the next frame draws everything. `Terminal::clear` would ask the terminal
    /// where its cursor is, and the answer would end up with the thread that reads keys.
    fn clear(&mut self) -> Result<(), Error> {
        let size = self.terminal.size();
        let cleared = size.and_then(|size| self.terminal.resize(size.into()));
        cleared.map_err(|error| Error::machinery(format!("the terminal cannot be written to: {error}")))
    }

    /// Gives the quiz the time and an action, and does what it asks for.
    fn act(&mut self, action: Action) -> Result<Next, Error> {
        // Steps come by the thousand and change nothing that is in sight. What follows them draws: their limit, the end.
        let is_step = matches!(action, Action::Ran(_, Reported::Step(_)));
        let mut effects = update(&mut self.ui.quiz, Action::Time(self.effects.now()));
        effects.extend(update(&mut self.ui.quiz, action));
        self.ui.settle();
        let mut next = if is_step { Next::Idle } else { Next::Draw };
        for effect in effects {
            match self.effects.perform(effect) {
                Some(Request::Bell) if self.bell => {
                    // A terminal that cannot ring is no reason to stop.
                    let _ = self.tty.bell();
                }
                Some(Request::Bell) | None => {}
                Some(Request::Editor { question, text }) => {
                    let done = self.edit_outside(question, &text);
                    self.clear()?;
                    next = self.act(done)?;
                }
                Some(Request::Quit) => next = Next::End(Exit::Done),
            }
        }
        Ok(next)
    }

    /// Gives a repair to the learner's own editor and waits for its end. Programs that run go on meanwhile; what they
    /// report waits.
    fn edit_outside(&mut self, question: QuestionName, text: &str) -> Action {
        let (mouse, effects) = (self.ui.mouse, self.effects);
        draft_file::edit(
            &self.drafts,
            question,
            text,
            |path| self.tty.edit(path, mouse),
            |file| effects.read_back(file),
        )
    }

    fn want_highlights(&mut self) {
        let Some(worker) = &self.worker else { return };
        for program in self.ui.programs() {
            self.ui.highlights.want(&program, worker);
        }
        if let Some(draft) = self.ui.draft() {
            self.ui.highlights.want_draft(&draft, worker);
        }
    }
}

/// The exit of a program whose terminal is gone: as if SIGHUP had come.
const GONE: Exit = Exit::Signal(1);
