//! The one channel of events that the loop waits for, and the threads that feed it: keys, and signals.
//!
//! A terminal that is gone is an event too.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use ratatui::crossterm::event::{Event as TerminalEvent, KeyEventKind, MouseEventKind};

use crate::quiz::Action;
#[cfg(unix)]
use crate::tui::decode::Decoder;
#[cfg(unix)]
use crate::tui::external_editor;
use crate::tui::highlight::Highlighted;

/// Something that the event loop reacts to.
#[derive(Debug)]
pub enum Event {
    /// A key, a click or a paste.
    Terminal(TerminalEvent),
    /// The window has a new size.
    Resized,
    /// Something for the quiz: a run reported, an answer was saved.
    Action(Action),
    /// A program was highlighted.
    Highlighted(Highlighted),
    /// A signal that asks this program to end, by its number.
    End(u8),
    /// SIGTSTP.
    Stop,
    /// SIGCONT.
    Continued,
    /// The terminal is gone.
    Gone,
    /// A thread panicked.
    Panicked,
}

/// The thread that reads keys. It reads one event, then waits until it is asked for the next: so that nothing reads
/// from the terminal while another program has it.
#[derive(Debug)]
pub struct Reader {
    next: Sender<()>,
}

impl Reader {
    /// Starts the thread and asks for the first event.
    pub fn start(events: Sender<Event>) -> io::Result<Self> {
        let (next, asked) = mpsc::channel::<()>();
        let mut source = Source::new()?;
        thread::Builder::new().name("keys".to_owned()).spawn(move || {
            for () in asked {
                let event = next_event(&mut source);
                let gone = matches!(event, Event::Gone);
                if events.send(event).is_err() || gone {
                    break;
                }
            }
        })?;
        let reader = Self { next };
        reader.ask();
        Ok(reader)
    }

    /// Asks for the next event.
    pub fn ask(&self) {
        // Where the thread has ended, it has said so.
        let _ = self.next.send(());
    }
}

/// The next event that means something. Releases of keys do not: some terminals report them, and every key would count twice.
fn next_event(source: &mut Source) -> Event {
    loop {
        match source.read() {
            Ok(event) if means_something(&event) => return Event::Terminal(event),
            Ok(_) => {}
            Err(_) => return Event::Gone,
        }
    }
}

fn means_something(event: &TerminalEvent) -> bool {
    match event {
        TerminalEvent::Key(key) => key.kind != KeyEventKind::Release,
        TerminalEvent::Mouse(mouse) => !matches!(mouse.kind, MouseEventKind::Moved | MouseEventKind::Up(_)),
        TerminalEvent::FocusGained | TerminalEvent::FocusLost => false,
        TerminalEvent::Paste(_) | TerminalEvent::Resize(..) => true,
    }
}

/// Time that the bytes after an escape may take. Over slow lines a sequence can arrive in two pieces.
#[cfg(unix)]
const REST: u8 = 40;

/// Milliseconds of silence after which a paste counts as over.
#[cfg(unix)]
const PASTE_REST: u16 = 1000;

/// The source of keys.
#[cfg(unix)]
struct Source {
    /// Standard input without a buffer in between, so that waiting and reading are about the same bytes.
    input: std::fs::File,
    decoder: Decoder,
}

#[cfg(unix)]
impl Source {
    fn new() -> io::Result<Self> {
        use std::os::fd::AsFd;
        let input = io::stdin().as_fd().try_clone_to_owned()?;
        Ok(Self { input: input.into(), decoder: Decoder::default() })
    }

    /// Waits for an event. An error means that the terminal is gone.
    fn read(&mut self) -> io::Result<TerminalEvent> {
        use std::io::Read;
        loop {
            if let Some(event) = self.decoder.pop() {
                return Ok(event);
            }
            if !self.wait()? {
                self.decoder.give_up();
                continue;
            }
            let mut bytes = [0; 4096];
            match self.input.read(&mut bytes) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.decoder.push(bytes.get(..count).unwrap_or(&[])),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// True if there are bytes; `false` if the rest of a half sequence does not come.
    fn wait(&self) -> io::Result<bool> {
        use std::os::fd::AsFd;

        use nix::errno::Errno;
        use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

        let pause = match (self.decoder.is_waiting(), self.decoder.is_pasting()) {
            (false, _) => PollTimeout::NONE,
            (true, false) => PollTimeout::from(REST),
            (true, true) => PollTimeout::from(PASTE_REST),
        };
        loop {
            let mut watched = [PollFd::new(self.input.as_fd(), PollFlags::POLLIN)];
            match poll(&mut watched, pause) {
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
                // Reading tells bytes from an end or an error.
                Ok(count) => return Ok(count > 0),
            }
        }
    }
}

/// The source of keys.
#[cfg(not(unix))]
struct Source;

#[cfg(not(unix))]
impl Source {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    fn read(&mut self) -> io::Result<TerminalEvent> {
        ratatui::crossterm::event::read()
    }
}

/// Time that the event loop has to end before the signal takes its default action.
const GRACE: Duration = Duration::from_millis(950);

/// Starts the thread that catches signals. Once a signal asks this program to end and the loop does not within
/// [`GRACE`], because a write to the terminal hangs, the program ends all the same. `over` says that it did. What is
/// returned tells each SIGCONT, for whoever waits for it.
#[cfg(unix)]
pub fn catch_signals(events: Sender<Event>, over: Arc<AtomicBool>) -> io::Result<Receiver<()>> {
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
    let mut signals =
        signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH])?;
    let (continued, continues) = mpsc::channel();
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            if external_editor::away::takes(signal) {
                if signal == SIGCONT {
                    // Nobody waits for it once the loop is over.
                    let _ = continued.send(());
                }
                continue;
            }
            let event = match signal {
                SIGTSTP => Event::Stop,
                SIGWINCH => Event::Resized,
                SIGCONT => {
                    // Nobody waits for it once the loop is over.
                    let _ = continued.send(());
                    Event::Continued
                }
                other => Event::End(u8::try_from(other).unwrap_or(0)),
            };
            let end = matches!(event, Event::End(_));
            let unheard = events.send(event).is_err();
            if end && !over.load(Ordering::SeqCst) {
                if !unheard {
                    thread::sleep(GRACE);
                }
                if !over.load(Ordering::SeqCst) {
                    let _ = ratatui::crossterm::terminal::disable_raw_mode();
                    let _ = signal_hook::low_level::emulate_default_handler(signal);
                }
            }
        }
    })?;
    Ok(continues)
}

/// Other systems send no signals.
#[cfg(not(unix))]
pub fn catch_signals(_: Sender<Event>, _: Arc<AtomicBool>) -> io::Result<Receiver<()>> {
    Ok(mpsc::channel().1)
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;

    #[test]
    fn a_key_counts_when_it_goes_down() {
        let key = |kind| TerminalEvent::Key(KeyEvent::new_with_kind(KeyCode::Char('q'), KeyModifiers::NONE, kind));
        assert!(means_something(&key(KeyEventKind::Press)));
        assert!(means_something(&key(KeyEventKind::Repeat)));
        assert!(!means_something(&key(KeyEventKind::Release)));
    }
}
