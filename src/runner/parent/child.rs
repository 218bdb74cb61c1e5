//! A child as the parent sees it: three descriptors, a clock, and the known facts about its end.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use super::super::protocol::{self, Broken, Decoder, Exited, Final, Frame, Hello, Key, Kind};
use super::super::{Limits, Stream};
use super::job::Running;
use super::proc;
use super::verdict::Cut;
use super::work::Work;

/// Time that a child gets to disappear once its end has begun, and its output to arrive; and to disappear once killed.
const SETTLE_PATIENCE: Duration = Duration::from_millis(200);
pub(super) const REAP_PATIENCE: Duration = Duration::from_secs(1);

/// Most threads of a program. An honest program runs out of memory long before. The kernel's own limit counts all processes
/// of a user, and none of root's.
pub(super) const MAX_THREADS: u64 = 512;
/// Interval between counts of threads. A program that ends sooner is never counted.
const COUNT_EVERY: Duration = Duration::from_millis(10);

/// Limits that the kernel enforces on a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quota {
    pub(super) memory: u64,
    pub(super) cpu: u64,
}

impl Quota {
    /// The quota for these limits. Processor time is a backstop for the case that the parent is stopped: every core
    /// may be busy for as long as the longest clock allows.
    pub(super) fn of(limits: &Limits) -> Self {
        // Asked once: each time costs reading a few files.
        static CORES: LazyLock<u64> =
            LazyLock::new(|| std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64));
        let cores = *CORES;
        Self { memory: limits.memory, cpu: (Limits::MAX_WALL.as_secs() + 1).saturating_mul(cores) }
    }
}

/// Streams from a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Channel,
    Stdout,
    Stderr,
}

/// A forked child. It is spare until it has work.
pub(super) struct Child {
    pub(super) slot: u64,
    pub(super) quota: Quota,
    key: Key,
    // Non-blocking ends of socket pairs. Pipes would not do: a program could open one again and read its own output, between
    // our poll and our read.
    channel: Option<UnixStream>,
    stdout: Option<UnixStream>,
    stderr: Option<UnixStream>,
    decoder: Decoder,
    /// The last bytes of the channel, too few for a frame.
    recent: Vec<u8>,
    /// Unsent rest of the order.
    outgoing: Vec<u8>,
    pub(super) hello: Option<Hello>,
    pub(super) exited: Option<Exited>,
    /// Since when it is to be killed.
    pub(super) doomed: Option<Instant>,
    pub(super) work: Option<Work>,
}

impl Child {
    /// Creates a child, and the descriptors for its process: standard input, output and error, and the channel.
    pub(super) fn new(slot: u64, key: Key, quota: Quota) -> io::Result<(Self, [OwnedFd; 4])> {
        let stdin = File::options().read(true).write(true).open("/dev/null")?;
        let (stdout, stdout_end) = pair()?;
        let (stderr, stderr_end) = pair()?;
        let (channel, channel_end) = pair()?;
        let child = Self {
            slot,
            quota,
            key,
            channel: Some(channel),
            stdout: Some(stdout),
            stderr: Some(stderr),
            decoder: Decoder::new(Some(key), protocol::MAX_FROM_CHILD),
            recent: Vec::new(),
            outgoing: Vec::new(),
            hello: None,
            exited: None,
            doomed: None,
            work: None,
        };
        Ok((child, [stdin.into(), stdout_end.into(), stderr_end.into(), channel_end.into()]))
    }

    /// True if it can take a job.
    pub(super) fn is_spare(&self) -> bool {
        self.work.is_none() && self.doomed.is_none() && self.exited.is_none() && self.channel.is_some()
    }

    /// The descriptors to wait for, with whether something is to be written.
    pub(super) fn sources(&self) -> impl Iterator<Item = (Source, BorrowedFd<'_>, bool)> {
        let channel = self.channel.as_ref().map(|fd| (Source::Channel, fd.as_fd(), !self.outgoing.is_empty()));
        let stdout = self.stdout.as_ref().map(|fd| (Source::Stdout, fd.as_fd(), false));
        let stderr = self.stderr.as_ref().map(|fd| (Source::Stderr, fd.as_fd(), false));
        channel.into_iter().chain(stdout).chain(stderr)
    }

    /// Gives it a stage of a job to do.
    pub(super) fn assign(&mut self, running: Box<Running>, now: Instant) {
        self.work = Some(Work::new(running, now));
        self.start(now);
    }

    /// Takes back a stage that was assigned and that the child knows nothing of.
    pub(super) fn take_unstarted(&mut self) -> Option<Box<Running>> {
        self.work.take_if(|work| work.started.is_none() && work.cut.is_none()).map(|work| work.running)
    }

    /// True if it has work that goes on. One that has said how it ended, or is killed, is about to be gone.
    pub(super) fn is_busy(&self) -> bool {
        self.work.as_ref().is_some_and(|work| work.ended.is_none())
    }

    /// True if its work has been ordered.
    pub(super) fn has_begun(&self) -> bool {
        self.work.as_ref().is_some_and(|work| work.started.is_some())
    }

    /// Sends the order as soon as there is one and the child is ready. The clock starts here.
    fn start(&mut self, now: Instant) {
        let (Some(work), Some(hello)) = (&mut self.work, &self.hello) else { return };
        if work.started.is_some() {
            return;
        }
        if let Some(reason) = &hello.refused {
            self.cut(Cut::Refused(reason.clone()), now);
            return;
        }
        work.started = Some(now);
        work.count_at = Some(now + COUNT_EVERY);
        self.outgoing = protocol::encode_json(Kind::Order, &self.key, &work.running.order());
        self.write();
    }

    /// Writes as much of the order as the channel takes.
    pub(super) fn write(&mut self) {
        let Some(channel) = &mut self.channel else { return };
        while !self.outgoing.is_empty() {
            match channel.write(&self.outgoing) {
                Ok(length) => drop(self.outgoing.drain(..length)),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // It is gone: reading will tell.
                Err(_) => self.outgoing.clear(),
            }
        }
    }

    /// Reads once from a descriptor that has something.
    pub(super) fn read(&mut self, source: Source, buffer: &mut [u8], now: Instant) {
        let Some(from) = self.stream(source) else { return };
        let length = match from.read(buffer) {
            Ok(length) => length,
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => return,
            Err(_) => 0,
        };
        if length == 0 {
            *self.stream(source) = None;
            if source == Source::Channel {
                if let Some(work) = &mut self.work {
                    work.ended.get_or_insert(now);
                }
                self.settle(now);
            }
            return;
        }
        let bytes = buffer.get(..length).unwrap_or_default();
        match source {
            Source::Channel => {
                self.listen_for_no_memory(bytes);
                self.decoder.feed(bytes);
                self.read_frames(now);
            }
            Source::Stdout => self.write_output(Stream::Stdout, bytes, now),
            Source::Stderr => self.write_output(Stream::Stderr, bytes, now),
        }
        if let Some(work) = &mut self.work {
            work.running.report_output();
        }
    }

    /// Looks for the allocator's last message anywhere in the stream. After half a frame of another thread the decoder would
    /// miss it. The key proves that it is the allocator's.
    fn listen_for_no_memory(&mut self, bytes: &[u8]) {
        let word = protocol::encode(Kind::OutOfMemory, &self.key, b"");
        self.recent.extend_from_slice(bytes);
        if let Some(work) = self.work.as_mut().filter(|work| work.last.is_none()) {
            work.out_of_memory |= self.recent.windows(word.len()).any(|part| part == word);
        }
        self.recent.drain(..self.recent.len().saturating_sub(word.len() - 1));
    }

    fn stream(&mut self, source: Source) -> &mut Option<UnixStream> {
        match source {
            Source::Channel => &mut self.channel,
            Source::Stdout => &mut self.stdout,
            Source::Stderr => &mut self.stderr,
        }
    }

    /// Starts the end. Output on its way gets a moment to arrive.
    pub(super) fn settle(&mut self, now: Instant) {
        if let Some(work) = &mut self.work {
            work.settle_by.get_or_insert(now + SETTLE_PATIENCE);
        }
    }

    fn read_frames(&mut self, now: Instant) {
        loop {
            match self.decoder.next() {
                Ok(None) => return,
                Ok(Some(frame)) => {
                    if let Err(broken) = self.take_frame(&frame, now) {
                        return self.cut(Cut::Broken(broken), now);
                    }
                }
                Err(broken) => return self.cut(Cut::Broken(broken), now),
            }
        }
    }

    fn take_frame(&mut self, frame: &Frame, now: Instant) -> Result<(), Broken> {
        match (frame.kind, &mut self.work) {
            (Kind::Hello, _) if self.hello.is_none() => {
                self.hello = Some(frame.body()?);
                self.start(now);
            }
            // Frames of threads that outlive the program are ignored.
            (_, Some(work)) if work.last.is_some() => {}
            (Kind::Step | Kind::Row, Some(work)) if work.cut.is_some() => {}
            (Kind::Stdout, Some(_)) => self.write_output(Stream::Stdout, &frame.body, now),
            (Kind::Stderr, Some(_)) => self.write_output(Stream::Stderr, &frame.body, now),
            // `listen_for_no_memory` has seen it.
            (Kind::OutOfMemory, Some(_)) => {}
            (Kind::Step, Some(work)) => work.running.step(frame.body()?, frame.body.len())?,
            (Kind::Row, Some(work)) => work.running.row(frame.body()?)?,
            (Kind::Uses, Some(work)) => work.running.uses(frame.body()?)?,
            (Kind::Final, Some(work)) if work.started.is_some() => {
                let last: Final = frame.body()?;
                if !work.running.expects(&last) {
                    return Err(Broken::Body);
                }
                work.last = Some(last);
                work.ended.get_or_insert(now);
                self.settle(now);
            }
            _ => return Err(Broken::Kind),
        }
        Ok(())
    }

    fn write_output(&mut self, stream: Stream, bytes: &[u8], now: Instant) {
        let Some(work) = &mut self.work else { return };
        if !work.running.write(stream, bytes) {
            self.cut(Cut::Output, now);
        }
    }

    /// Ends the child's work. The first reason stays.
    pub(super) fn cut(&mut self, why: Cut, now: Instant) {
        self.doomed.get_or_insert(now);
        let Some(work) = &mut self.work else { return };
        work.ended.get_or_insert(now);
        work.cut.get_or_insert(why);
        self.settle(now);
    }

    /// Ends the work of a child that was killed with its template, unless it had ended before.
    pub(super) fn lost(&mut self, reason: String, now: Instant) {
        if self.work.as_ref().is_none_or(|work| work.last.is_none()) {
            self.cut(Cut::Machinery(reason), now);
        }
    }

    /// Waits until the kernel has ended it, once it was killed.
    pub(super) fn wait_until_gone(&self, until: Instant) {
        let Some(hello) = self.hello.as_ref().filter(|_| self.exited.is_none()) else { return };
        // Its new parent process may be slow to reap it, so it may stay as a zombie.
        while proc::is_alive(hello.pid) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Returns the exit status, unless the parent ended it.
    pub(super) fn own_end(&self) -> Option<&Exited> {
        self.exited.as_ref().filter(|_| self.doomed.is_none())
    }

    /// Its process never came about.
    pub(super) fn unmade(&mut self, reason: &str, now: Instant) {
        self.is_gone(Exited { slot: self.slot, code: None, signal: None }, now);
        self.cut(Cut::Machinery(format!("no process for the program can be made: {reason}")), now);
    }

    /// Its process is gone. What it wrote is on its way, if it has not arrived.
    pub(super) fn is_gone(&mut self, exited: Exited, now: Instant) {
        self.exited = Some(exited);
        if let Some(work) = &mut self.work {
            work.ended.get_or_insert(now);
            work.settle_by = Some(now + SETTLE_PATIENCE);
        }
    }

    /// True if all that can be known of the work is known, and nothing of it is left. While its process is there, it holds
    /// memory, and might do something yet.
    pub(super) fn is_settled(&self, now: Instant) -> bool {
        let Some(work) = self.work.as_ref().filter(|_| self.exited.is_some()) else { return false };
        let closed = self.channel.is_none() && self.stdout.is_none() && self.stderr.is_none();
        closed || work.settle_by.is_some_and(|by| now >= by)
    }

    /// When to look again, if nothing arrives before.
    pub(super) fn next_look(&self) -> Option<Instant> {
        let reap = self.doomed.filter(|_| self.exited.is_none()).map(|since| since + REAP_PATIENCE);
        let Some(work) = &self.work else { return reap };
        if self.doomed.is_some() && self.exited.is_none() {
            return reap;
        }
        let count = work.count_at.filter(|_| self.exited.is_none());
        work.settle_by.or_else(|| Some(work.deadline())).into_iter().chain(count).min()
    }

    /// Ends the work if its time is up, or if it has too many threads.
    pub(super) fn look_at_clock(&mut self, now: Instant) {
        let Some(work) = self.work.as_mut().filter(|_| self.doomed.is_none() && self.exited.is_none()) else { return };
        if work.count_at.is_some_and(|at| now >= at) {
            work.count_at = Some(now + COUNT_EVERY);
            let threads = self.hello.as_ref().and_then(|hello| proc::threads(hello.pid));
            if threads.is_some_and(|count| count > MAX_THREADS) {
                return self.cut(Cut::Threads, now);
            }
        }
        match work.settle_by {
            // It has had the time to end by itself.
            Some(by) if now >= by => self.doomed = Some(now),
            None if now >= work.deadline() => {
                let late = || Cut::Machinery("the process for the program did not get ready in time".to_owned());
                let why = work.started.map_or_else(late, |_| Cut::Time);
                self.cut(why, now);
            }
            _ => {}
        }
    }

    /// True if the template failed to end it.
    pub(super) fn outlived(&self, now: Instant) -> bool {
        self.exited.is_none() && self.doomed.is_some_and(|since| now >= since + REAP_PATIENCE)
    }
}

/// A socket pair of which the parent's end never blocks.
fn pair() -> io::Result<(UnixStream, UnixStream)> {
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    Ok((ours, theirs))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn a_read_from_a_child_never_waits() {
        let (mut child, ends) = Child::new(1, [0; 16], Quota::of(&Limits::default())).unwrap();
        let (done, is_done) = mpsc::channel();
        thread::spawn(move || {
            for source in [Source::Channel, Source::Stdout, Source::Stderr] {
                child.read(source, &mut [0; 16], Instant::now());
            }
            let _ = done.send(child.sources().count());
        });
        assert_eq!(is_done.recv_timeout(Duration::from_secs(10)), Ok(3));
        drop(ends);
    }
}
