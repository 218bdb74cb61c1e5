//! A template process as the parent sees it.

use std::io::{self, IoSlice, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child as Process, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};

use super::super::cpython::Interpreter;
use super::super::protocol::{self, Decoder, Frame, Hello, Key, Kind, Purpose, Slot, Spawn};
use super::super::{starting, template};
use super::Start;
use super::child::{Child, Quota};

/// Time that a template gets to be ready.
const START_PATIENCE: Duration = Duration::from_secs(20);
/// Bytes kept of its last error messages.
const LAST_WORDS: usize = 4 << 10;
const NO_KEY: Key = [0; 16];
/// Has glibc ask for large pages, which a fork and an end of a child need not count one by one: an end takes half as long.
const LARGE_PAGES: (&str, &str) = ("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");

/// A running template with its children.
pub(super) struct Template {
    process: Process,
    control: UnixStream,
    decoder: Decoder,
    errors: Option<UnixStream>,
    last_words: Vec<u8>,
    started: Instant,
    /// Its description of itself, once it is ready.
    pub(super) hello: Option<Hello>,
    /// True if it makes children that wait: it has loaded what programs like to import, and none has failed to come about.
    pub(super) keeps_spares: bool,
    pub(super) children: Vec<Child>,
}

impl Template {
    pub(super) fn start(start: &Start) -> io::Result<Self> {
        // Neither end of the parent's blocks, whatever becomes of the template.
        let (control, control_end) = UnixStream::pair()?;
        let (errors, errors_end) = UnixStream::pair()?;
        control.set_nonblocking(true)?;
        errors.set_nonblocking(true)?;
        let mut command = Command::new(&start.executable);
        command
            .arg(template::ARGUMENT)
            .arg(std::process::id().to_string())
            .args(start.without.iter().map(|part| format!("without-{}", part.word())))
            .args(start.python.iter().flat_map(Interpreter::arguments))
            .env_clear()
            .env("TZ", "UTC")
            .env("LANG", "C.UTF-8")
            .envs(start.python.is_none().then_some(LARGE_PAGES))
            .stdin(OwnedFd::from(control_end))
            .stdout(Stdio::null())
            .stderr(OwnedFd::from(errors_end));
        Ok(Self {
            process: starting::start(&mut command)?,
            errors: Some(errors),
            control,
            decoder: Decoder::new(None, protocol::MAX_FROM_CHILD),
            last_words: Vec::new(),
            started: Instant::now(),
            hello: None,
            keeps_spares: false,
            children: Vec::new(),
        })
    }

    pub(super) fn control(&self) -> BorrowedFd<'_> {
        self.control.as_fd()
    }

    pub(super) fn errors(&self) -> Option<BorrowedFd<'_>> {
        self.errors.as_ref().map(AsFd::as_fd)
    }

    /// Returns the deadline for its hello.
    pub(super) fn ready_by(&self) -> Option<Instant> {
        self.hello.is_none().then(|| self.started + START_PATIENCE)
    }

    /// Asks for a child. It is listed at once and says hello later.
    pub(super) fn spawn(&mut self, slot: u64, quota: Quota, purpose: Purpose) -> io::Result<()> {
        let mut key: Key = [0; 16];
        getrandom::fill(&mut key).map_err(io::Error::other)?;
        let (child, theirs) = Child::new(slot, key, quota)?;
        let order = Spawn { slot, memory: quota.memory, cpu: quota.cpu, purpose };
        let frame = protocol::encode_json(Kind::Spawn, &key, &order);
        let numbers = theirs.each_ref().map(AsRawFd::as_raw_fd);
        let rights = [ControlMessage::ScmRights(&numbers)];
        // The frame is far shorter than the socket's buffer, so it goes out whole or not at all.
        sendmsg::<()>(self.control.as_raw_fd(), &[IoSlice::new(&frame)], &rights, MsgFlags::MSG_NOSIGNAL, None)?;
        self.children.push(child);
        Ok(())
    }

    /// Tells the template to end a child. Only the template knows if the process still exists.
    pub(super) fn kill(&mut self, slot: u64) {
        // If the template is gone, so are its children.
        let _ = self.control.write_all(&protocol::encode_json(Kind::Kill, &NO_KEY, &Slot { slot }));
    }

    /// Reads what has arrived. `Err` when the template is gone or broken.
    pub(super) fn read(&mut self) -> Result<Vec<Frame>, String> {
        let mut bytes = [0; 4096];
        match self.control.read(&mut bytes) {
            Ok(0) => return Err("it ended".to_owned()),
            Ok(length) => self.decoder.feed(bytes.get(..length).unwrap_or_default()),
            Err(error) if is_nothing(&error) => {}
            // It ended before it had read all that was sent to it.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Err("it ended".to_owned()),
            Err(error) => return Err(error.to_string()),
        }
        let mut frames = Vec::new();
        while let Some(frame) = self.decoder.next().map_err(|broken| format!("it sent {broken}"))? {
            frames.push(frame);
        }
        Ok(frames)
    }

    /// Reads its standard error, which stays empty unless it fails.
    pub(super) fn read_errors(&mut self) {
        let mut bytes = [0; 1024];
        let Some(errors) = &mut self.errors else { return };
        match errors.read(&mut bytes) {
            Ok(length) if length > 0 => {
                let room = LAST_WORDS.saturating_sub(self.last_words.len());
                self.last_words.extend(bytes.iter().take(length.min(room)));
            }
            Err(error) if is_nothing(&error) => {}
            _ => self.errors = None,
        }
    }

    /// Ends the template and its children. Returns its last words, or its exit status.
    pub(super) fn end(mut self) -> String {
        let _ = self.process.kill();
        let ended = self.process.wait();
        // Its children may still hold the other end: so only what is there already.
        for _ in 0..4 {
            self.read_errors();
        }
        let words = String::from_utf8_lossy(&self.last_words).trim().to_owned();
        match ended {
            _ if !words.is_empty() => words,
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        }
    }
}

/// True if there is nothing to read yet.
fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn a_template_that_neither_reads_nor_writes_holds_nobody_up() {
        let (done, is_done) = mpsc::channel();
        thread::spawn(move || {
            // Reads nothing, and writes to its standard output only.
            let start = Start { executable: "yes".into(), without: Vec::new(), python: None };
            let mut template = Template::start(&start).unwrap();
            let read = template.read();
            template.read_errors();
            (0..10_000).for_each(|slot| template.kill(slot));
            let _ = done.send((read, template.errors.is_some(), template.end()));
        });
        let (read, listens, end) = is_done.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!((read, listens, end.as_str()), (Ok(Vec::new()), true, "signal: 9 (SIGKILL)"));
    }
}
