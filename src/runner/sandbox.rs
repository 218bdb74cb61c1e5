//! Locks a process down: resource limits, Landlock, seccomp, and a test that they hold.
//!
//! Knows the order in which templates and children give up rights, and the level that results. With `template.rs` and the
//! files below it, this is the only unsafe code of the program.

#![expect(unsafe_code, reason = "rlimits, prctl and raw system calls have no safe form")]

pub(super) mod allocator;
#[cfg(target_os = "linux")]
mod capabilities;
#[cfg_attr(
    not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))),
    path = "sandbox/no_seccomp.rs"
)]
mod rlimits;
mod seccomp;
mod self_test;

use std::io;
use std::path::PathBuf;

use super::{Level, Missing, Part};

/// Bytes of stack for the interpreter, which stays on the main thread. Its own guard reads this limit when it starts.
const STACK_BYTES: u64 = 64 << 20;
/// Address space of a CPython before it runs a program: the interpreter, its libraries, its driver.
const CPYTHON_OWN_BYTES: u64 = 96 << 20;
/// Bytes of stack for CPython, which gives every thread as much address space, and guards its stack by counting calls.
const CPYTHON_STACK_BYTES: u64 = 8 << 20;

/// The parts of the sandbox that are not in force in a process.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct State {
    pub(super) missing: Vec<Missing>,
}

impl State {
    /// The state before anything is put in force, without the parts that a user switched off.
    fn without(parts: &[Part]) -> Self {
        let missing = |part| Missing { part, reason: "switched off".to_owned() };
        Self { missing: Part::ALL.into_iter().filter(|part| parts.contains(part)).map(missing).collect() }
    }

    /// Puts a part in force, unless it is missing already.
    fn enforce(&mut self, part: Part, lock: impl FnOnce() -> Result<(), String>) {
        if self.has(part)
            && let Err(reason) = lock()
        {
            self.missing.push(Missing { part, reason });
        }
    }

    /// Notes that memory has no limit if a template cannot read its size, since its children cannot read theirs then.
    #[must_use]
    pub(super) fn with_size(&self, address_space: Option<u64>) -> Self {
        let mut state = self.clone();
        state.enforce(Part::Limits, || rlimits::of_address_space(address_space).map(|_| ()));
        state
    }

    fn has(&self, part: Part) -> bool {
        self.missing.iter().all(|missing| missing.part != part)
    }

    /// The level that the parts in force amount to. Landlock without seccomp leaves sockets and signals open on many
    /// kernels, so it does not count. Without limits, a program can exhaust the machine, whatever else is closed.
    pub(super) fn level(&self) -> Level {
        match (self.has(Part::Limits), self.has(Part::Seccomp), self.has(Part::Landlock)) {
            (true, true, true) => Level::Full,
            (true, true, false) => Level::NoLandlock,
            (true, false, _) => Level::LimitsOnly,
            (false, ..) => Level::None,
        }
    }

    /// The level for CPython, which must read its own files: only Landlock keeps it from those of the user.
    pub(super) fn cpython_level(&self) -> Level {
        match self.level() {
            Level::NoLandlock => Level::LimitsOnly,
            level => level,
        }
    }
}

/// The system call filters, made once and put in force in each process.
pub(super) struct Filters {
    child: seccomp::Filter,
    cpython_start: seccomp::Filter,
    cpython: seccomp::Filter,
}

impl Filters {
    fn new() -> Self {
        Self { child: seccomp::child(), cpython_start: seccomp::cpython_start(), cpython: seccomp::cpython() }
    }
}

/// Before anything else in a template: a session of its own, death with the parent, no secrets in core dumps, and the
/// limits that template and children share.
pub(super) fn begin_template(parent: Option<u32>) -> io::Result<()> {
    // SAFETY: setsid has no memory effects. It fails for a group leader, which is then alone already.
    unsafe { libc::setsid() };
    die_with_parent(parent)?;
    #[cfg(target_os = "linux")]
    {
        // SAFETY: these take plain numbers.
        unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0) };
        allocator::be_frugal();
    }
    rlimits::set(libc::RLIMIT_STACK as _, STACK_BYTES)
}

/// Asks the kernel to end this process when the thread that made it ends. `parent` is who should be there now.
pub(super) fn die_with_parent(parent: Option<u32>) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    // SAFETY: plain numbers.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0) })?;
    // The parent may have died before the call: then nobody will ever send the signal.
    match parent {
        Some(parent) if std::os::unix::process::parent_id() != parent => {
            Err(io::Error::other("the process that started this one is gone"))
        }
        _ => Ok(()),
    }
}

/// Locks a template down. The interpreter must exist by now: it reads the bounds of its stack from `/proc`.
pub(super) fn lock_template(without: &[Part]) -> (State, Filters) {
    let mut state = State::without(without);
    state.enforce(Part::Limits, rlimits::shared);
    state.enforce(Part::Landlock, || landlock(&[]));
    state.enforce(Part::Seccomp, || seccomp::template().apply());
    (state, Filters::new())
}

/// Locks a child down. `address_space` is the whole of it in bytes; `cpu` is in seconds. Returns what is in force, or
/// why no program may run.
pub(super) fn lock_child(
    template: &State,
    filters: &Filters,
    address_space: Option<u64>,
    cpu: u64,
) -> Result<State, String> {
    let mut state = template.clone();
    state.enforce(Part::Limits, || rlimits::of_program(address_space, cpu));
    state.enforce(Part::Seccomp, || filters.child.for_process(std::process::id()).apply());
    self_test::run(&state)?;
    Ok(state)
}

/// Locks down the process that starts children on a real CPython. It gets limits only: it cannot give its children rights
/// that it has given up, and they need other ones.
pub(super) fn lock_launcher(without: &[Part]) -> (State, Filters) {
    let mut state = State::without(without);
    state.enforce(Part::Limits, rlimits::shared);
    (state, Filters::new())
}

/// Locks down a process that is about to become a CPython which needs to read `readable`. Returns what is in force and
/// the filter that its driver is to put in force before the program begins.
pub(super) fn lock_cpython(
    launcher: &State,
    filters: &Filters,
    readable: &[PathBuf],
    memory: Option<u64>,
    cpu: u64,
) -> (State, Vec<u8>) {
    let mut state = launcher.clone();
    state.enforce(Part::Limits, || {
        rlimits::set(libc::RLIMIT_STACK as _, CPYTHON_STACK_BYTES).map_err(rlimits::in_words)?;
        rlimits::of_program(memory.map(|bytes| bytes.saturating_add(CPYTHON_OWN_BYTES)), cpu)
    });
    state.enforce(Part::Landlock, || landlock(readable));
    let mut last_filter = Vec::new();
    state.enforce(Part::Seccomp, || {
        let pid = std::process::id();
        let bytes = filters.cpython.for_process(pid).bytes()?;
        filters.cpython_start.for_process(pid).apply()?;
        last_filter = bytes;
        Ok(())
    });
    (state, last_filter)
}

/// Handles every right that this version knows, and allows none but to read below `readable`.
#[cfg(target_os = "linux")]
fn landlock(readable: &[PathBuf]) -> Result<(), String> {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
        path_beneath_rules,
    };

    let abi = ABI::V6;
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(abi))
        .and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(abi)))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(abi)))
        .and_then(Ruleset::create)
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(readable, AccessFs::from_read(abi))))
        .and_then(landlock::RulesetCreated::restrict_self)
        .map_err(|error| format!("the kernel refused it: {error}"))?;
    // A kernel that knows only the rights on files is enough: seccomp closes the network and signals besides.
    match status.ruleset {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        RulesetStatus::NotEnforced => Err("this kernel has no Landlock, or it is turned off".to_owned()),
    }
}

#[cfg(not(target_os = "linux"))]
fn landlock(_readable: &[PathBuf]) -> Result<(), String> {
    Err("only Linux has it".to_owned())
}

/// Stops the timers that send this process signals.
pub(super) fn stop_timers() {
    let none = libc::itimerval {
        it_interval: libc::timeval { tv_sec: 0, tv_usec: 0 },
        it_value: libc::timeval { tv_sec: 0, tv_usec: 0 },
    };
    for timer in [libc::ITIMER_REAL, libc::ITIMER_VIRTUAL, libc::ITIMER_PROF] {
        // SAFETY: `none` is read, not kept, and nothing is written.
        unsafe { libc::setitimer(timer, &raw const none, std::ptr::null_mut()) };
    }
}

/// Closes every descriptor from `first` on.
pub(super) fn close_from(first: u32) {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: plain numbers. No object of this process owns a descriptor in that range, see the callers.
        if unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0) } == 0 {
            return;
        }
    }
    // Older kernels: one by one, as far as descriptors can go.
    let last = rlimits::get(libc::RLIMIT_NOFILE as _)
        .map_or(1 << 10, |now| u32::try_from(now.rlim_cur).unwrap_or(u32::MAX).min(1 << 16));
    for descriptor in first..last {
        // SAFETY: as above.
        unsafe { libc::close(descriptor.cast_signed()) };
    }
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
