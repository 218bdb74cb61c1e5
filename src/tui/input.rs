//! The one channel of events that the loop waits for, and the threads that feed it.
//!
//! Owns reading keys, catching signals, and noticing that the terminal is gone.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use ratatui::crossterm::event::{self, Event as TerminalEvent, KeyEventKind, MouseEventKind};

use crate::quiz::Action;
use crate::tui::highlight::Highlighted;

/// Something that the event loop reacts to.
#[derive(Debug)]
pub enum Event {
    /// A key, a click, a paste or a new size.
    Terminal(TerminalEvent),
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
        thread::Builder::new().name("keys".to_owned()).spawn(move || {
            for () in asked {
                let event = read().map_or(Event::Gone, Event::Terminal);
                if events.send(event).is_err() {
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

/// The next event that means something. Releases of keys do not, or every key would count twice where they are told.
fn read() -> io::Result<TerminalEvent> {
    loop {
        let event = event::read()?;
        if means_something(&event) {
            return Ok(event);
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

/// How long a loop that was asked to end may take before the signal does what it does by default.
const GRACE: Duration = Duration::from_millis(950);

/// Starts the thread that catches signals. Once a signal asks this program to end and the loop does not within
/// [`GRACE`], because a write to the terminal hangs, the program ends all the same. `over` says that it did. What is
/// returned tells each SIGCONT, for whoever waits for it.
#[cfg(unix)]
pub fn catch_signals(events: Sender<Event>, over: Arc<AtomicBool>) -> io::Result<Receiver<()>> {
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT])?;
    let (continued, told) = mpsc::channel();
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            let event = match signal {
                SIGTSTP => Event::Stop,
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
    Ok(told)
}

/// Other systems send no signals.
#[cfg(not(unix))]
pub fn catch_signals(_: Sender<Event>, _: Arc<AtomicBool>) -> io::Result<Receiver<()>> {
    Ok(mpsc::channel().1)
}

/// Starts the thread that notices that the terminal is gone. The thread that reads keys would never: it takes the end of
/// the terminal for a moment without keys, and asks again and again.
#[cfg(unix)]
pub fn watch_terminal(events: Sender<Event>) -> io::Result<()> {
    use std::os::fd::AsFd;

    use nix::errno::Errno;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    thread::Builder::new().name("terminal".to_owned()).spawn(move || {
        let input = io::stdin();
        loop {
            // Nothing is asked for; that the other end is gone is always told.
            let mut watched = [PollFd::new(input.as_fd(), PollFlags::empty())];
            match poll(&mut watched, PollTimeout::NONE) {
                Err(Errno::EINTR) | Ok(0) => {}
                Err(_) => break,
                Ok(_) => {
                    let gone = PollFlags::POLLHUP | PollFlags::POLLERR | PollFlags::POLLNVAL;
                    if watched.iter().filter_map(PollFd::revents).any(|flags| flags.intersects(gone)) {
                        // When nobody listens any more, the program is ending anyway.
                        let _ = events.send(Event::Gone);
                    }
                    break;
                }
            }
        }
    })?;
    Ok(())
}

/// Other systems end a program whose window is closed.
#[cfg(not(unix))]
pub fn watch_terminal(_: Sender<Event>) -> io::Result<()> {
    Ok(())
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
