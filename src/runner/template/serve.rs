//! The template's loop: read orders, fork, kill, reap, and warm up while there is nothing else to do.

#![expect(unsafe_code, reason = "fork, and descriptors that arrive as numbers")]

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, IoSliceMut, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::time::Duration;

use nix::cmsg_space;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg};

use super::child::{self, Ends};
use crate::runner::cpython::Interpreter;
use crate::runner::protocol::{self, Decoder, Exited, Hello, Key, Kind, Slot, Spawn, Unmade};
use crate::runner::python::{self, Python};
use crate::runner::sandbox::{self, Filters, State};
use crate::runner::{Level, Part};

/// Total processor time of children before the template loads all common modules. From then on, loading them once is cheaper
/// than letting each child load its own.
const COLD_TIME: Duration = Duration::from_millis(50);

/// Exit statuses of the template itself, for whoever started it by hand.
const CANNOT_START: u8 = 4;
const BAD_ORDER: u8 = 2;

const CONTROL: RawFd = 0;
const NO_KEY: Key = [0; 16];

/// Runs the template to its end.
pub(super) fn main(arguments: &[OsString]) -> ExitCode {
    match run(arguments) {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: the process that runs programs cannot start: {error}");
            ExitCode::from(CANNOT_START)
        }
    }
}

fn run(arguments: &[OsString]) -> io::Result<ExitCode> {
    let (parent, without) = read_arguments(arguments);
    sandbox::begin_template(parent)?;
    sandbox::close_from(3);
    clear_environment();
    std::env::set_current_dir("/")?;
    let statm = File::open("/proc/self/statm").ok();
    let (wake, waker) = UnixStream::pair()?;
    wake.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(signal_hook::consts::SIGCHLD, waker)?;
    if let Some(interpreter) = Interpreter::from_arguments(arguments) {
        let (state, filters) = sandbox::lock_launcher(&without);
        let engine = Engine::CPython(&interpreter);
        return Template::new(engine, (state, filters), statm, wake).serve();
    }
    let served = python::enter(|python| {
        let (state, filters) = sandbox::lock_template(&without);
        let engine = Engine::Embedded(python);
        Template::new(engine, (state, filters), statm, wake).serve()
    });
    served.map_err(io::Error::other)?
}

/// The parent's id and the parts of the sandbox to leave out. Whoever can start this process could as well start any
/// other, so a wrong argument is not worth a message.
fn read_arguments(arguments: &[OsString]) -> (Option<u32>, Vec<Part>) {
    let parent = arguments.first().and_then(|argument| argument.to_str()?.parse().ok());
    let without = |argument: &OsString| {
        let name = argument.to_str()?.strip_prefix("without-")?;
        Part::ALL.into_iter().find(|part| part.word() == name)
    };
    (parent, arguments.iter().filter_map(without).collect())
}

/// Clears the environment, so that no program sees the user's.
fn clear_environment() {
    let names: Vec<_> = std::env::vars_os().map(|(name, _)| name).collect();
    // SAFETY: this process has one thread.
    unsafe {
        for name in names {
            std::env::remove_var(name);
        }
        std::env::set_var("TZ", "UTC");
        std::env::set_var("LANG", "C.UTF-8");
    }
}

/// Interpreters that run programs.
#[derive(Clone, Copy)]
pub(super) enum Engine<'a> {
    /// The interpreter in this process, which children inherit.
    Embedded(&'a Python<'a>),
    /// A program that children become.
    CPython(&'a Interpreter),
}

impl Engine<'_> {
    /// Describes this process to the parent.
    pub(super) fn hello(self, state: &State, refused: Option<String>) -> Hello {
        let mut engine = match self {
            Self::Embedded(_) => python::engine(state.level()),
            Self::CPython(found) => found.engine(state.cpython_level()),
        };
        if refused.is_some() {
            engine.sandbox = Level::None;
        }
        Hello { pid: std::process::id(), engine, missing: state.missing.clone(), refused }
    }
}

struct Template<'a> {
    engine: Engine<'a>,
    state: State,
    filters: Filters,
    /// The size of this process, as the kernel counts it. Opened before that was forbidden.
    statm: Option<File>,
    /// Becomes readable when a child is gone.
    wake: UnixStream,
    children: Vec<(u64, libc::pid_t)>,
    /// Modules that are still to be loaded.
    to_load: &'static [&'static str],
    /// True if all is loaded.
    warm: bool,
    /// Processor time of the children that have ended before that.
    cold_time: Duration,
}

impl<'a> Template<'a> {
    fn new(engine: Engine<'a>, (state, filters): (State, Filters), statm: Option<File>, wake: UnixStream) -> Self {
        let to_load = match engine {
            Engine::Embedded(_) => python::WARM_MODULES,
            Engine::CPython(_) => &[],
        };
        Self {
            engine,
            state,
            filters,
            statm,
            wake,
            children: Vec::new(),
            to_load,
            warm: false,
            cold_time: Duration::ZERO,
        }
    }

    fn serve(mut self) -> io::Result<ExitCode> {
        // SAFETY: descriptor 0 is open for as long as the process lives, and nothing else reads it.
        let control = unsafe { BorrowedFd::borrow_raw(CONTROL) };
        // Owned a second time, so that it can be written with `Write`.
        let mut answers = File::from(control.try_clone_to_owned()?);
        let state = match self.engine {
            Engine::Embedded(_) => self.state.with_size(self.address_space()),
            Engine::CPython(_) => self.state.clone(),
        };
        let ready = self.engine.hello(&state, None);
        if answers.write_all(&protocol::encode_json(Kind::Ready, &NO_KEY, &ready)).is_err() {
            return by_hand(control);
        }
        let mut orders = Orders { decoder: Decoder::new(None, protocol::MAX_FROM_CHILD), descriptors: Vec::new() };
        loop {
            // The first programs run on what there is. To load more would take the processor from them.
            let warms = !self.warm && self.children.is_empty();
            let (asked, reaped) = {
                let mut waiting =
                    [PollFd::new(control, PollFlags::POLLIN), PollFd::new(self.wake.as_fd(), PollFlags::POLLIN)];
                let patience = if warms { PollTimeout::ZERO } else { PollTimeout::NONE };
                match poll(&mut waiting, patience) {
                    Ok(_) | Err(nix::errno::Errno::EINTR) => {}
                    Err(error) => return Err(error.into()),
                }
                let [control, wake] = waiting;
                (control.any() == Some(true), wake.any() == Some(true))
            };
            if reaped {
                self.reap(&mut answers)?;
            }
            if asked {
                match orders.read(control)? {
                    Arrived::End => return Ok(ExitCode::SUCCESS),
                    Arrived::NotASocket => return by_hand(control),
                    Arrived::Some => {}
                }
                while let Some(frame) = match orders.decoder.next() {
                    Ok(frame) => frame,
                    Err(_) => return Ok(ExitCode::from(BAD_ORDER)),
                } {
                    match frame.kind {
                        Kind::Spawn => {
                            let (Ok(spawn), Some(ends)) = (frame.body(), orders.take_ends()) else {
                                return Ok(ExitCode::from(BAD_ORDER));
                            };
                            while !self.warm && self.cold_time > COLD_TIME {
                                self.warm_up(&mut answers)?;
                            }
                            self.spawn(spawn, frame.key, ends, &mut answers)?;
                        }
                        Kind::Kill => {
                            let Ok(Slot { slot }) = frame.body() else { return Ok(ExitCode::from(BAD_ORDER)) };
                            self.kill(slot);
                        }
                        _ => return Ok(ExitCode::from(BAD_ORDER)),
                    }
                }
            } else if warms {
                self.warm_up(&mut answers)?;
            }
        }
    }

    /// Does the next step of the warm-up, which saves work in each child.
    fn warm_up(&mut self, answers: &mut File) -> io::Result<()> {
        if let Engine::Embedded(python) = self.engine {
            if let Some((module, rest)) = self.to_load.split_first() {
                self.to_load = rest;
                python.warm(module);
                return Ok(());
            }
            python.settle();
        }
        sandbox::allocator::lay_out_for_children();
        self.warm = true;
        answers.write_all(&protocol::encode(Kind::Warm, &NO_KEY, b""))
    }

    fn spawn(&mut self, spawn: Spawn, key: Key, ends: Ends, answers: &mut File) -> io::Result<()> {
        let address_space = match self.engine {
            Engine::Embedded(_) => self.address_space().map(|now| now.saturating_add(spawn.memory)),
            Engine::CPython(_) => Some(spawn.memory),
        };
        let me = std::process::id();
        // SAFETY: the process has one thread, so the copy is whole: no lock is held by a thread that is not there.
        match unsafe { libc::fork() } {
            -1 => {
                let unmade = Unmade { slot: spawn.slot, reason: io::Error::last_os_error().to_string() };
                answers.write_all(&protocol::encode_json(Kind::Unmade, &NO_KEY, &unmade))
            }
            0 => child::main(child::Start {
                engine: self.engine,
                template: me,
                state: &self.state,
                filters: &self.filters,
                address_space,
                cpu: spawn.cpu,
                purpose: spawn.purpose,
                key,
                ends,
            }),
            pid => {
                self.children.push((spawn.slot, pid));
                Ok(())
            }
        }
    }

    /// Bytes of address space in use, before the child adds its own.
    fn address_space(&self) -> Option<u64> {
        let mut text = [0; 64];
        let length = self.statm.as_ref()?.read_at(&mut text, 0).ok()?;
        let pages: u64 = std::str::from_utf8(text.get(..length)?).ok()?.split(' ').next()?.parse().ok()?;
        // SAFETY: a plain number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        pages.checked_mul(u64::try_from(page).ok()?)
    }

    /// Ends a child and its process group. Reaped children are not listed, so no id is stale.
    fn kill(&self, slot: u64) {
        for &(_, pid) in self.children.iter().filter(|(child, _)| *child == slot) {
            // SAFETY: plain numbers. The child's group may not exist yet, when it has just been forked.
            unsafe {
                libc::kill(-pid, libc::SIGKILL);
                libc::kill(pid, libc::SIGKILL);
            }
        }
    }

    /// Reports ended children to the parent.
    fn reap(&mut self, answers: &mut File) -> io::Result<()> {
        let mut seen = [0; 64];
        while matches!((&self.wake).read(&mut seen), Ok(length) if length > 0) {}
        loop {
            let mut status = 0;
            // SAFETY: a structure of numbers, for which 0 is a value.
            let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
            // SAFETY: both are valid places for the answer.
            let pid = unsafe { libc::wait4(-1, &raw mut status, libc::WNOHANG, &raw mut usage) };
            if pid <= 0 {
                return Ok(());
            }
            if !self.warm {
                self.cold_time += duration(usage.ru_utime) + duration(usage.ru_stime);
            }
            let Some(at) = self.children.iter().position(|&(_, child)| child == pid) else { continue };
            let (slot, _) = self.children.swap_remove(at);
            let gone = Exited {
                slot,
                code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
                signal: libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)),
            };
            answers.write_all(&protocol::encode_json(Kind::Exited, &NO_KEY, &gone))?;
        }
    }
}

fn duration(time: libc::timeval) -> Duration {
    Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or(0))
        + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or(0))
}

enum Arrived {
    Some,
    End,
    NotASocket,
}

/// Input of the control socket: frames, with descriptors beside them.
struct Orders {
    decoder: Decoder,
    descriptors: Vec<OwnedFd>,
}

impl Orders {
    fn read(&mut self, control: BorrowedFd<'_>) -> io::Result<Arrived> {
        let mut bytes = [0; 4096];
        let mut space = cmsg_space!([RawFd; Ends::COUNT]);
        let received = {
            let mut pieces = [IoSliceMut::new(&mut bytes)];
            match recvmsg::<()>(control.as_raw_fd(), &mut pieces, Some(&mut space), MsgFlags::empty()) {
                Ok(message) => {
                    for part in message.cmsgs().map_err(io::Error::from)? {
                        if let ControlMessageOwned::ScmRights(numbers) = part {
                            // SAFETY: the kernel has just made these descriptors for this process.
                            self.descriptors.extend(numbers.into_iter().map(|n| unsafe { OwnedFd::from_raw_fd(n) }));
                        }
                    }
                    message.bytes
                }
                Err(nix::errno::Errno::EINTR) => return Ok(Arrived::Some),
                Err(nix::errno::Errno::ENOTSOCK) => return Ok(Arrived::NotASocket),
                Err(nix::errno::Errno::ECONNRESET) => return Ok(Arrived::End),
                Err(error) => return Err(error.into()),
            }
        };
        if received == 0 {
            return Ok(Arrived::End);
        }
        self.decoder.feed(bytes.get(..received).unwrap_or_default());
        Ok(Arrived::Some)
    }

    /// The descriptors of the next child, which arrive with its order.
    fn take_ends(&mut self) -> Option<Ends> {
        if self.descriptors.len() < Ends::COUNT {
            return None;
        }
        let mut next = self.descriptors.drain(..Ends::COUNT);
        Some(Ends([next.next()?, next.next()?, next.next()?, next.next()?]))
    }
}

/// Waits for the end of the input: this process was started by hand.
fn by_hand(input: BorrowedFd<'_>) -> io::Result<ExitCode> {
    let mut input = File::from(input.try_clone_to_owned()?);
    let mut ignored = [0; 4096];
    loop {
        match input.read(&mut ignored) {
            Ok(0) => return Ok(ExitCode::SUCCESS),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // Closed from the start, or a folder: the same as empty.
            Err(_) => return Ok(ExitCode::SUCCESS),
        }
    }
}
