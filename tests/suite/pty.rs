//! A program in a pseudo-terminal of its own: keys in, screens out.
//!
//! Waits for what a screen shows and never for a length of time. `FENCEPOST_TEST_PATIENCE` is how many seconds a screen
//! may take; slow machines may need more than the default.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};

/// A program to start in a pseudo-terminal.
#[must_use]
pub(crate) struct Start {
    command: CommandBuilder,
}

impl Start {
    /// `program` without arguments, in an environment that depends on nothing.
    pub(crate) fn new(program: &std::path::Path) -> Self {
        let mut command = CommandBuilder::new(program);
        command.env_clear();
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.env("PATH", "/usr/bin:/bin");
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        Self { command }
    }

    pub(crate) fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.command.args(args);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Makes the pseudo-terminal the one that the system sends signals for, or not.
    pub(crate) fn controlling(mut self, controlling: bool) -> Self {
        self.command.set_controlling_tty(controlling);
        self
    }

    /// Starts it in a terminal of 80 by 24.
    pub(crate) fn pty(self) -> Pty {
        let pair = native_pty_system().openpty(size(80, 24)).unwrap();
        let mut child = pair.slave.spawn_command(self.command).unwrap();
        let pid = child.process_id().unwrap();
        // The end of a process can be waited for without a limit only, so a thread does, and its word with a limit.
        let (exited, exit) = mpsc::channel();
        thread::spawn(move || {
            let status = child.wait().unwrap();
            // Nobody wants to know once the test is over.
            let _ = exited.send(status.exit_code());
        });
        drop(pair.slave);
        let shown = Arc::new((Mutex::new(Shown::default()), Condvar::new()));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let writer = pair.master.take_writer().unwrap();
        let screen = Arc::clone(&shown);
        let reading = thread::spawn(move || {
            let mut buffer = [0; 8192];
            loop {
                let count = reader.read(&mut buffer).unwrap_or(0);
                let (shown, changed) = &*screen;
                let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
                if count == 0 || shown.closing {
                    shown.over = true;
                } else {
                    shown.parser.process(&buffer[..count]);
                }
                changed.notify_all();
                if shown.over {
                    break;
                }
            }
        });
        Pty { master: Some(pair.master), writer: Some(writer), pid, exit, shown, reading: Some(reading), over: None }
    }
}

/// The words on the screen, one blank between them.
fn words(shown: &Shown) -> String {
    shown.parser.screen().contents().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

struct Shown {
    parser: vt100::Parser<Bells>,
    over: bool,
    closing: bool,
}

#[derive(Default)]
struct Bells(usize);

impl vt100::Callbacks for Bells {
    fn audible_bell(&mut self, _: &mut vt100::Screen) {
        self.0 += 1;
    }
}

impl Default for Shown {
    fn default() -> Self {
        Self { parser: vt100::Parser::new_with_callbacks(24, 80, 0, Bells::default()), over: false, closing: false }
    }
}

/// A program that runs in a pseudo-terminal. Dropping it kills the program.
pub(crate) struct Pty {
    master: Option<Box<dyn MasterPty + Send>>,
    writer: Option<Box<dyn Write + Send>>,
    pid: u32,
    /// Tells the exit code, once.
    exit: Receiver<u32>,
    shown: Arc<(Mutex<Shown>, Condvar)>,
    reading: Option<thread::JoinHandle<()>>,
    over: Option<u32>,
}

/// Sends a signal to a process. Returns whether there was one.
fn send(signal: &str, pid: u32) -> bool {
    std::process::Command::new("kill").args(["-s", signal, &pid.to_string()]).status().unwrap().success()
}

fn patience() -> Duration {
    let seconds = std::env::var("FENCEPOST_TEST_PATIENCE").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(20))
}

impl Pty {
    /// Types `keys`.
    pub(crate) fn keys(&mut self, keys: &str) -> &mut Self {
        self.bytes(keys.as_bytes())
    }

    /// Types bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        let writer = self.writer.as_mut().unwrap();
        writer.write_all(bytes).unwrap();
        writer.flush().unwrap();
        self
    }

    pub(crate) fn resize(&mut self, columns: u16, rows: u16) -> &mut Self {
        self.shown.0.lock().unwrap().parser.screen_mut().set_size(rows, columns);
        self.master.as_ref().unwrap().resize(size(columns, rows)).unwrap();
        self
    }

    /// Waits until the screen shows these words, wherever their rows end.
    #[track_caller]
    pub(crate) fn until(&mut self, text: &str) -> &mut Self {
        self.wait(&format!("`{text}`"), |shown| words(shown).contains(text))
    }

    /// Waits until the screen does not show these words.
    #[track_caller]
    pub(crate) fn until_not(&mut self, text: &str) -> &mut Self {
        self.wait(&format!("no `{text}`"), |shown| !words(shown).contains(text))
    }

    #[track_caller]
    fn wait(&mut self, what: &str, holds: impl Fn(&Shown) -> bool) -> &mut Self {
        let until = Instant::now() + patience();
        let (shown, changed) = &*self.shown;
        let mut shown = shown.lock().unwrap();
        while !holds(&shown) {
            let left = until.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero() && !shown.over,
                "waited for {what}, but the screen shows:\n{}",
                shown.parser.screen().contents()
            );
            shown = changed.wait_timeout(shown, left).unwrap().0;
        }
        drop(shown);
        self
    }

    pub(crate) fn screen(&self) -> String {
        self.shown.0.lock().unwrap().parser.screen().contents()
    }

    /// Number of times that the bell rang.
    pub(crate) fn bells(&self) -> usize {
        self.shown.0.lock().unwrap().parser.callbacks().0
    }

    /// True if the program asks for mouse events.
    pub(crate) fn wants_mouse(&self) -> bool {
        self.shown.0.lock().unwrap().parser.screen().mouse_protocol_mode() != vt100::MouseProtocolMode::None
    }

    /// Sends a signal to the program.
    pub(crate) fn signal(&mut self, name: &str) -> &mut Self {
        assert!(send(name, self.pid));
        self
    }

    /// Waits for the end, and for the last byte. Returns the exit code.
    #[track_caller]
    pub(crate) fn end(&mut self) -> u32 {
        let code = self.wait_for_exit();
        // The other end is closed with the program, so what it wrote last arrives and then the end.
        let until = Instant::now() + patience();
        let (shown, changed) = &*self.shown;
        let mut shown = shown.lock().unwrap();
        while !shown.over {
            let left = until.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "the terminal stays open behind the program");
            shown = changed.wait_timeout(shown, left).unwrap().0;
        }
        code
    }

    #[track_caller]
    fn wait_for_exit(&mut self) -> u32 {
        if let Some(code) = self.over {
            return code;
        }
        let Ok(code) = self.exit.recv_timeout(patience()) else {
            panic!("it does not end; the screen shows:\n{}", self.screen());
        };
        self.over = Some(code);
        code
    }

    /// Closes the terminal and waits for the end. `keys` make the program write something, so that the thread that reads
    /// lets go of the terminal too.
    #[track_caller]
    pub(crate) fn close(&mut self, keys: &str) -> u32 {
        self.shown.0.lock().unwrap().closing = true;
        self.keys(keys);
        self.reading.take().unwrap().join().unwrap();
        self.writer = None;
        self.master = None;
        self.wait_for_exit()
    }

    /// The terminal is as a shell wants it.
    #[track_caller]
    pub(crate) fn is_restored(&self) {
        let shown = self.shown.0.lock().unwrap();
        let screen = shown.parser.screen();
        assert!(!screen.alternate_screen(), "still on the alternate screen");
        assert!(!screen.hide_cursor(), "the cursor is hidden");
        assert!(!screen.bracketed_paste(), "still asks for bracketed pastes");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None, "still asks for the mouse");
        drop(shown);
        let modes = self.master.as_ref().and_then(|master| master.get_termios());
        if let Some(modes) = modes {
            let modes = format!("{:?}", modes.local_flags);
            assert!(modes.contains("ICANON") && modes.contains("ECHO"), "still raw: {modes}");
        }
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        if self.over.is_none() && self.exit.try_recv().is_err() {
            // It may end by itself just now.
            send("KILL", self.pid);
            let _ = self.exit.recv_timeout(patience());
        }
    }
}
