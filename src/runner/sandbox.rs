//! Locks a process down: resource limits, Landlock, seccomp, and the test that they hold.
//!
//! Only this module and `template` contain unsafe code.

#![expect(unsafe_code, reason = "rlimits, prctl and raw system calls have no safe form")]

pub(super) mod allocator;
#[cfg(target_os = "linux")]
mod capabilities;
mod limits;
#[cfg_attr(
    not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))),
    path = "sandbox/no_seccomp.rs"
)]
mod seccomp;
mod self_test;

use std::io;

pub(super) use self::limits::close_from;
use self::limits::{check, in_words, limit, limit_address_space, limit_pair, shared_limits, space_to_limit};
use super::{Level, Missing, Part};

/// Bytes of stack for the interpreter, which stays on the main thread. Its own guard reads this limit when it starts.
const STACK_BYTES: u64 = 64 << 20;

/// The same for CPython, which gives every thread as much address space, and guards its stack by counting calls.
const CPYTHON_STACK_BYTES: u64 = 8 << 20;
/// Address space of a CPython before it runs a program: the interpreter, its libraries, its driver.
const CPYTHON_OWN_BYTES: u64 = 96 << 20;

/// The parts of the sandbox that a process tries to put in force. Parts are switched off where somebody asks for it, to see
/// what the tutor does without them.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    without: Vec<Part>,
}

impl Plan {
    /// Everything but these.
    pub(super) fn without(parts: Vec<Part>) -> Self {
        Self { without: parts }
    }

    fn tries(&self, part: Part) -> Result<(), String> {
        if self.without.contains(&part) { Err("switched off".to_owned()) } else { Ok(()) }
    }
}

/// What is in force.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct State {
    pub(super) missing: Vec<Missing>,
}

impl State {
    fn note(&mut self, part: Part, result: Result<(), String>) {
        if let Err(reason) = result {
            self.missing.push(Missing { part, reason });
        }
    }

    /// The same for a template that may not know its own size, which its children then will not know either.
    #[must_use]
    pub(super) fn with_size(&self, address_space: Option<u64>) -> Self {
        let mut state = self.clone();
        if state.has(Part::Limits) {
            state.note(Part::Limits, space_to_limit(address_space).map(|_| ()));
        }
        state
    }

    pub(super) fn has(&self, part: Part) -> bool {
        self.missing.iter().all(|missing| missing.part != part)
    }

    /// The level that the parts in force amount to. Landlock without seccomp leaves sockets and signals open on many
    /// kernels, so it does not count; and without limits, a program can exhaust the machine, whatever else is closed.
    pub(super) fn level(&self) -> Level {
        match (self.has(Part::Limits), self.has(Part::Seccomp), self.has(Part::Landlock)) {
            (true, true, true) => Level::Full,
            (true, true, false) => Level::NoLandlock,
            (true, false, _) => Level::LimitsOnly,
            (false, ..) => Level::None,
        }
    }

    /// The same for a program on CPython, which must be able to read its own files: there only Landlock keeps it from
    /// those of the user.
    pub(super) fn cpython_level(&self) -> Level {
        match self.level() {
            Level::NoLandlock => Level::LimitsOnly,
            level => level,
        }
    }
}

/// System call filters, compiled once for all processes.
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
    limit(libc::RLIMIT_STACK as _, STACK_BYTES)?;
    Ok(())
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
pub(super) fn lock_template(plan: &Plan) -> (State, Filters) {
    let mut state = State::default();
    state.note(Part::Limits, plan.tries(Part::Limits).and_then(|()| shared_limits().map_err(in_words)));
    state.note(Part::Landlock, plan.tries(Part::Landlock).and_then(|()| landlock(&[])));
    state.note(Part::Seccomp, plan.tries(Part::Seccomp).and_then(|()| seccomp::template().apply()));
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
    if state.has(Part::Limits) {
        let limits = || {
            let space = limit_address_space(address_space);
            limit_pair(libc::RLIMIT_CPU as _, cpu, cpu.saturating_add(1)).map_err(in_words)?;
            space
        };
        state.note(Part::Limits, limits());
    }
    if state.has(Part::Seccomp) {
        state.note(Part::Seccomp, filters.child.for_process(std::process::id()).apply());
    }
    self_test::run(&state)?;
    Ok(state)
}

/// Locks down the process that starts children on a real CPython: limits only, because rights that are given up here
/// are not to be had in its children, and they need other ones.
pub(super) fn lock_launcher(plan: &Plan) -> (State, Filters) {
    let mut state = State::default();
    state.note(Part::Limits, plan.tries(Part::Limits).and_then(|()| shared_limits().map_err(in_words)));
    state.note(Part::Landlock, plan.tries(Part::Landlock));
    state.note(Part::Seccomp, plan.tries(Part::Seccomp));
    (state, Filters::new())
}

/// Locks down a process that is about to become a CPython which needs to read `readable`. Returns what is in force and
/// the filter that its driver is to put in force before the program begins.
pub(super) fn lock_cpython(
    launcher: &State,
    filters: &Filters,
    readable: &[std::path::PathBuf],
    memory: Option<u64>,
    cpu: u64,
) -> (State, Vec<u8>) {
    let mut state = State { missing: launcher.missing.clone() };
    if state.has(Part::Limits) {
        let limits = || {
            limit(libc::RLIMIT_STACK as _, CPYTHON_STACK_BYTES).map_err(in_words)?;
            let space = limit_address_space(memory.map(|bytes| bytes.saturating_add(CPYTHON_OWN_BYTES)));
            limit_pair(libc::RLIMIT_CPU as _, cpu, cpu.saturating_add(1)).map_err(in_words)?;
            space
        };
        state.note(Part::Limits, limits());
    }
    if state.has(Part::Landlock) {
        state.note(Part::Landlock, landlock(readable));
    }
    let mut last_filter = Vec::new();
    if state.has(Part::Seccomp) {
        let pid = std::process::id();
        let locked = filters.cpython.for_process(pid).bytes().and_then(|bytes| {
            filters.cpython_start.for_process(pid).apply()?;
            last_filter = bytes;
            Ok(())
        });
        state.note(Part::Seccomp, locked);
    }
    (state, last_filter)
}

/// Handles every right that this version knows, and allows none but to read below `readable`.
#[cfg(target_os = "linux")]
fn landlock(readable: &[std::path::PathBuf]) -> Result<(), String> {
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
fn landlock(_readable: &[std::path::PathBuf]) -> Result<(), String> {
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::limits::SIZE_UNKNOWN;
    use super::*;

    #[test]
    fn a_size_that_is_not_known_is_no_limit_on_memory() {
        let missing = State::default().with_size(None);
        assert_eq!(missing.missing, [Missing { part: Part::Limits, reason: SIZE_UNKNOWN.to_owned() }]);
        assert_eq!((missing.level(), missing.cpython_level()), (Level::None, Level::None));
        assert_eq!(State::default().with_size(Some(1 << 30)).level(), Level::Full);
        assert_eq!(space_to_limit(Some(7)), Ok(Some(7)));
        // Limits that are missing already are not listed a second time.
        assert_eq!(missing.with_size(None), missing);
        assert_eq!(limit_address_space(None), Err(SIZE_UNKNOWN.to_owned()));
    }
}
