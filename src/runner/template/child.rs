//! Single-use process for one program: takes its descriptors, locks itself down, says hello, runs, and reports its end.

#![expect(unsafe_code, reason = "it takes descriptors by number and ends without clean-up")]

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, PoisonError};

use super::serve::Engine;
use crate::runner::cpython::{self, Interpreter};
use crate::runner::protocol::{self, Decoder, Key, Kind, Order, Purpose};
use crate::runner::sandbox::{self, Filters, State};

/// The child's end of the channel to the parent.
const CHANNEL: RawFd = 3;

/// The status of a child whose interpreter or driver failed. It helps to explain the end and proves nothing.
pub(in crate::runner) const LOST: i32 = 70;

/// The descriptors that the parent made for a child, in their places: standard input, output and error, and the channel.
/// All are made for this child alone. What several children shared, one could leave marks on for the next.
pub(super) struct Ends(pub(super) [OwnedFd; Ends::COUNT]);

impl Ends {
    pub(super) const COUNT: usize = 4;
}

/// All that a child needs.
pub(super) struct Start<'a> {
    pub(super) engine: Engine<'a>,
    /// The process that forked this one.
    pub(super) template: u32,
    pub(super) state: &'a State,
    pub(super) filters: &'a Filters,
    pub(super) address_space: Option<u64>,
    pub(super) cpu: u64,
    pub(super) purpose: Purpose,
    pub(super) key: Key,
    pub(super) ends: Ends,
}

/// The way to the parent. Frames are whole even when several threads of a program write at once.
pub(in crate::runner) struct Channel {
    key: Key,
    file: Mutex<File>,
    /// Which file the descriptor was when the program had not begun.
    was: (u64, u64),
}

fn identity(file: &File) -> io::Result<(u64, u64)> {
    let metadata = file.metadata()?;
    Ok((metadata.dev(), metadata.ino()))
}

impl Channel {
    fn new(key: Key, file: File) -> io::Result<Self> {
        Ok(Self { key, was: identity(&file)?, file: Mutex::new(file) })
    }

    /// Sends a frame. A long piece of output goes out as several.
    pub(in crate::runner) fn send(&self, kind: Kind, body: &[u8]) -> io::Result<()> {
        let limit = protocol::body_limit(protocol::MAX_FROM_CHILD);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // A program that has put another file in its place could read the key there.
        if identity(&file).ok() != Some(self.was) {
            end(LOST);
        }
        if body.len() > limit && matches!(kind, Kind::Stdout | Kind::Stderr) {
            for piece in body.chunks(limit) {
                file.write_all(&protocol::encode(kind, &self.key, piece))?;
            }
            return Ok(());
        }
        file.write_all(&protocol::encode(kind, &self.key, body))
    }
}

/// Runs in the child from the fork to the end.
pub(super) fn main(start: Start<'_>) -> ! {
    let status = match run(start) {
        Ok(()) => 0,
        Err(_) => LOST,
    };
    end(status)
}

/// Ends this process at once: no destructors, no exit handlers, which belong to the template.
fn end(status: i32) -> ! {
    // SAFETY: these take plain numbers. The descriptors are closed first, so that the parent takes the rest from them while
    // this process gives back its memory, which takes a while.
    unsafe {
        libc::close(1);
        libc::close(2);
        libc::close(CHANNEL);
        libc::_exit(status)
    }
}

fn run(start: Start<'_>) -> io::Result<()> {
    let Start { engine, template, state, filters, address_space, cpu, purpose, key, ends } = start;
    // SAFETY: no memory effects; a forked process is never a group leader.
    unsafe { libc::setsid() };
    sandbox::die_with_parent(Some(template))?;
    take_descriptors(ends)?;
    // The template's handler would write into a pipe that is closed now. Rust's own, which look for the end of the stack,
    // would take a signal that a program sends itself for nothing.
    for signal in [libc::SIGCHLD, libc::SIGSEGV, libc::SIGBUS] {
        // SAFETY: installs no handler.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // A bug of the interpreter is an end like any other, without a report that means nothing to a learner.
    std::panic::set_hook(Box::new(|_| end(LOST)));
    let python = match engine {
        Engine::Embedded(python) => python,
        Engine::CPython(interpreter) => return become_cpython(interpreter, state, filters, (address_space, cpu), &key),
    };
    sandbox::allocator::end_when_memory_is_used_up(CHANNEL, &key);
    let locked = sandbox::lock_child(state, filters, address_space, cpu);
    if purpose == Purpose::Spare && locked.is_ok() {
        python.rehearse();
    }

    // SAFETY: descriptor 3 was put there above and has no other owner.
    let mut channel = unsafe { File::from_raw_fd(CHANNEL) };
    let (hello, ready) = match &locked {
        Ok(state) => (engine.hello(state, None), true),
        Err(reason) => (engine.hello(&State::default(), Some(reason.clone())), false),
    };
    channel.write_all(&protocol::encode_json(Kind::Hello, &key, &hello))?;
    if !ready {
        return Ok(());
    }
    let order = read_order(&mut channel, key)?;
    python.run(order, Channel::new(key, channel)?)
}

/// Locks down and becomes a CPython, whose driver says hello. Comes back only when that fails, and has said so then.
fn become_cpython(
    interpreter: &Interpreter,
    state: &State,
    filters: &Filters,
    (memory, cpu): (Option<u64>, u64),
    key: &Key,
) -> io::Result<()> {
    // A pipe may have room for no more than a page, when the user has many of them; and nobody reads it yet.
    let (from, to) = UnixStream::pair()?;
    to.set_nonblocking(true)?;
    // SAFETY: plain numbers; the copy has no owner and stays open in the program that this process becomes.
    if unsafe { libc::dup2(from.as_raw_fd(), cpython::HANDOVER) } < 0 {
        return Err(io::Error::last_os_error());
    }
    for descriptor in [0, 1, 2, CHANNEL, cpython::HANDOVER] {
        // SAFETY: plain numbers.
        unsafe { libc::fcntl(descriptor, libc::F_SETFD, 0) };
    }
    let (state, filter) = sandbox::lock_cpython(state, filters, interpreter.readable(), memory, cpu);
    let hello = Engine::CPython(interpreter).hello(&state, None);
    let became = cpython::handover(&to, key, &filter, &hello).map(|()| {
        drop(to);
        interpreter.exec()
    });
    let reason = match became {
        Ok(error) => format!("`{}` cannot be started in the sandbox: {error}", interpreter.executable.display()),
        Err(error) => format!("what `{}` needs cannot be handed over: {error}", interpreter.executable.display()),
    };
    let hello = Engine::CPython(interpreter).hello(&State::default(), Some(reason));
    // SAFETY: descriptor 3 was put there before and has no other owner.
    let mut channel = unsafe { File::from_raw_fd(CHANNEL) };
    channel.write_all(&protocol::encode_json(Kind::Hello, key, &hello))
}

/// Puts the child's descriptors at 0 to 3 and closes all others, among them the template's.
fn take_descriptors(ends: Ends) -> io::Result<()> {
    // First out of the way of their future places, then into them.
    let mut above = Vec::new();
    for descriptor in ends.0.iter().map(AsRawFd::as_raw_fd) {
        // SAFETY: plain numbers; the new descriptor has no owner.
        let moved = unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 10) };
        if moved < 0 {
            return Err(io::Error::last_os_error());
        }
        above.push(moved);
    }
    for (place, descriptor) in above.into_iter().enumerate() {
        let place = RawFd::try_from(place).map_err(io::Error::other)?;
        // SAFETY: plain numbers. What was at the place belongs to the template's copy of this process' memory, which
        // is never used again: this function's caller ends without destructors.
        if unsafe { libc::dup2(descriptor, place) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    // The owners of the originals must not close them again later, when the numbers mean something else.
    std::mem::forget(ends);
    sandbox::close_from(4);
    Ok(())
}

/// Reads the one order that a child gets, and not a byte more.
fn read_order(channel: &mut File, key: Key) -> io::Result<Order> {
    let mut decoder = Decoder::new(Some(key), protocol::MAX_FROM_PARENT);
    // On the stack: a large block from the heap would have the allocator tidy up pages that are shared until then.
    let mut bytes = [0; 4 << 10];
    loop {
        if let Some(frame) = decoder.next().map_err(|broken| io::Error::other(broken.to_string()))? {
            return serde_json::from_slice(&frame.body).map_err(io::Error::other);
        }
        let room = decoder.wanted().min(bytes.len());
        let length = channel.read(bytes.get_mut(..room).unwrap_or_default())?;
        if length == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        decoder.feed(bytes.get(..length).unwrap_or_default());
    }
}
