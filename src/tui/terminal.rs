//! Sets and restores the terminal's modes, whatever happens: raw mode, alternate screen, paste, mouse, panic hook.
//!
//! Leaving is harmless when it is done twice, so that every way out may do it.

use std::any::Any;
use std::io::{self, Write};
use std::panic::{self, PanicHookInfo};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;
#[cfg(unix)]
use std::time::Duration;

use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use ratatui::crossterm::style::{Attribute, SetAttribute};
use ratatui::crossterm::terminal::{self, EnterAlternateScreen, LeaveAlternateScreen};
use ratatui::crossterm::{execute, queue};

use crate::tui::input::Event;
use crate::tui::{external_editor, job};

/// Requests of the event loop to a terminal, beside drawing.
pub trait Tty {
    /// Asks for mouse events, or stops asking.
    fn mouse(&mut self, on: bool) -> io::Result<()>;

    /// Rings the bell.
    fn bell(&mut self) -> io::Result<()>;

    /// True if something could continue this process after a stop.
    fn can_be_continued(&self) -> bool;

    /// Gives the terminal back, stops this process until it is continued, and takes the terminal again.
    fn suspend(&mut self, mouse: bool) -> io::Result<()>;

    /// Gives the terminal to the learner's own editor with this file, and takes it again.
    ///
    /// # Errors
    ///
    /// There is no editor, or it failed; the sentence says why.
    fn edit(&mut self, path: &Path, mouse: bool) -> Result<(), String>;

    /// Takes the terminal again after something else may have changed its modes.
    fn retake(&mut self, mouse: bool) -> io::Result<()>;

    /// True if the terminal is gone: its window is closed, the line is cut.
    fn is_gone(&self) -> bool;
}

/// The terminal that this process was started in.
#[derive(Debug)]
pub struct Real {
    /// Gets a message for each SIGCONT.
    continued: Receiver<()>,
}

impl Real {
    /// The terminal of a process that gets a message through `continued` for each SIGCONT.
    pub fn new(continued: Receiver<()>) -> Self {
        Self { continued }
    }
}

/// True while the terminal is in our modes.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Takes the terminal.
pub fn enter(mouse: bool) -> io::Result<()> {
    TAKEN.store(true, Ordering::SeqCst);
    terminal::enable_raw_mode()?;
    let mut out = io::stdout().lock();
    queue!(out, EnterAlternateScreen, EnableBracketedPaste, Hide)?;
    write_mouse(&mut out, mouse)?;
    out.flush()
}

/// Gives the terminal back as it was. Errors are of no use here: where the terminal is gone, there is nothing to restore.
pub fn leave() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    // First the mode, then the screen: what is typed as soon as the shell is in sight is meant for the shell.
    let _ = terminal::disable_raw_mode();
    let mut out = io::stdout().lock();
    let _ = write_mouse(&mut out, false);
    let _ = execute!(out, SetAttribute(Attribute::Reset), DisableBracketedPaste, LeaveAlternateScreen, Show);
}

/// Asks for presses and the wheel, not for every move of the mouse.
fn write_mouse(out: &mut impl Write, on: bool) -> io::Result<()> {
    if cfg!(windows) {
        use ratatui::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
        return if on { execute!(out, EnableMouseCapture) } else { execute!(out, DisableMouseCapture) };
    }
    out.write_all(if on { b"\x1b[?1000h\x1b[?1006h" } else { b"\x1b[?1006l\x1b[?1000l" })
}

impl Real {
    /// Waits until every signal has been looked at that came before: a Ctrl-C that was meant for an editor must not be taken
    /// for one that is meant for us, because the thread that catches signals is late. A signal to ourselves comes behind
    /// those; a second one, because the thread may have been in the middle of looking when the first came.
    #[cfg(unix)]
    fn settle(&self) {
        use nix::sys::signal::{Signal, kill};
        use nix::unistd::getpid;
        for _ in 0..2 {
            // Then that thread waits for the end, and for nothing else.
            if external_editor::away::is_ending() {
                return;
            }
            while self.continued.try_recv().is_ok() {}
            if kill(getpid(), Signal::SIGCONT).is_err() || self.continued.recv_timeout(PATIENCE).is_err() {
                break;
            }
        }
    }

    #[cfg(not(unix))]
    fn settle(&self) {}
}

/// Time that the thread which catches signals has to confirm that it has seen them.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_millis(300);

impl Tty for Real {
    fn mouse(&mut self, on: bool) -> io::Result<()> {
        let mut out = io::stdout().lock();
        write_mouse(&mut out, on)?;
        out.flush()
    }

    fn bell(&mut self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(b"\x07")?;
        out.flush()
    }

    fn can_be_continued(&self) -> bool {
        job::can_be_continued()
    }

    fn suspend(&mut self, mouse: bool) -> io::Result<()> {
        leave();
        while self.continued.try_recv().is_ok() {}
        job::stop()?;
        // The signal stops every thread, but not at once: without waiting for its end, this thread could take the
        // terminal back before it is stopped.
        let _ = self.continued.recv();
        enter(mouse)
    }

    fn edit(&mut self, path: &Path, mouse: bool) -> Result<(), String> {
        let command = external_editor::editor(|name| std::env::var(name).ok()).ok_or(external_editor::NO_EDITOR)?;
        leave();
        let modes = Modes::now();
        let ended = external_editor::run(&command, path, || self.settle());
        // An editor that was killed leaves its own modes behind, and they must not become those that the shell gets back.
        modes.set();
        let taken = self.retake(mouse).map_err(|error| format!("the terminal cannot be taken again: {error}"));
        ended.and(taken)
    }

    fn retake(&mut self, mouse: bool) -> io::Result<()> {
        enter(mouse)?;
        make_raw()
    }

    fn is_gone(&self) -> bool {
        hung_up()
    }
}

/// True if the other end of standard input is closed. `poll` always reports that, so no flags are asked for.
#[cfg(unix)]
fn hung_up() -> bool {
    use std::os::fd::AsFd;

    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    let input = io::stdin();
    let mut watched = [PollFd::new(input.as_fd(), PollFlags::empty())];
    let gone = PollFlags::POLLHUP | PollFlags::POLLERR | PollFlags::POLLNVAL;
    poll(&mut watched, PollTimeout::ZERO).is_ok()
        && watched.iter().filter_map(PollFd::revents).any(|flags| flags.intersects(gone))
}

#[cfg(not(unix))]
fn hung_up() -> bool {
    false
}

/// Sets raw mode even where [`enter`] believes it to be set. Never by way of the other mode: keys that are typed then
/// would wait for the end of their line.
#[cfg(unix)]
fn make_raw() -> io::Result<()> {
    use nix::sys::termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr};
    let input = io::stdin();
    let mut modes = tcgetattr(&input)?;
    cfmakeraw(&mut modes);
    tcsetattr(&input, SetArg::TCSANOW, &modes).map_err(io::Error::from)
}

#[cfg(not(unix))]
fn make_raw() -> io::Result<()> {
    Ok(())
}

/// The modes of the terminal, to be set again; none where they cannot be asked for.
#[cfg(unix)]
struct Modes(Option<nix::sys::termios::Termios>);

#[cfg(unix)]
impl Modes {
    fn now() -> Self {
        Self(nix::sys::termios::tcgetattr(io::stdin()).ok())
    }

    fn set(&self) {
        use nix::sys::termios::{SetArg, tcsetattr};
        if let Some(modes) = &self.0 {
            // Where the terminal is gone there is nothing to set.
            let _ = tcsetattr(io::stdin(), SetArg::TCSANOW, modes);
        }
    }
}

#[cfg(not(unix))]
struct Modes;

#[cfg(not(unix))]
impl Modes {
    fn now() -> Self {
        Self
    }

    fn set(&self) {}
}

/// The first panic's message, kept until the terminal is restored.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Send + Sync>;

/// While this lives, a panic of any thread restores the terminal and is kept instead of printed over the screen.
pub struct PanicGuard {
    previous: Option<Hook>,
}

impl PanicGuard {
    /// Puts the hook in. A panic of another thread than this one is also sent to `events`, so that the loop ends.
    pub fn new(events: Sender<Event>) -> Self {
        let previous = panic::take_hook();
        let ours = thread::current().id();
        panic::set_hook(Box::new(move |info| {
            let mut first = PANIC.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert_with(|| describe(info));
            drop(first);
            if thread::current().id() == ours {
                leave();
            } else {
                // The loop restores the terminal, since it may be drawing just now.
                let _ = events.send(Event::Panicked);
            }
        }));
        Self { previous: Some(previous) }
    }

    /// The message of the first panic.
    pub fn message() -> Option<String> {
        PANIC.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Drop for PanicGuard {
    fn drop(&mut self) {
        if let Some(previous) = self.previous.take()
            && !thread::panicking()
        {
            panic::set_hook(previous);
        }
    }
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let what = payload(info.payload());
    let place = info.location().map_or_else(String::new, |place| format!(" at {place}"));
    let thread = thread::current();
    let thread = match thread.name() {
        None | Some("main") => String::new(),
        Some(name) => format!(" in the thread `{name}`"),
    };
    format!("{what}{place}{thread}")
}

fn payload(payload: &dyn Any) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("panic without a message")
}
