//! Locks a process down: resource limits, Landlock, seccomp, and the test that they hold.
//!
//! Owns the order in which a template and a child give up rights, and the level that results. Must not know what runs
//! inside. With `template.rs` and the files below it, this is the only unsafe code of the program.

#![expect(unsafe_code, reason = "rlimits, prctl and raw system calls have no safe form")]

pub(super) mod allocator;
#[cfg(target_os = "linux")]
mod capabilities;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod seccomp;

use std::io;

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

/// Why memory has no limit where the kernel does not say how much a process has.
const SIZE_UNKNOWN: &str = "memory has no limit, because `/proc/self/statm` cannot be read";

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
}

impl State {
    /// The same for a program on CPython, which must be able to read its own files: there only Landlock keeps it from
    /// those of the user.
    pub(super) fn cpython_level(&self) -> Level {
        match self.level() {
            Level::NoLandlock => Level::LimitsOnly,
            level => level,
        }
    }
}

/// The system call filters, made once and put in force in each process.
pub(super) struct Filters {
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    child: seccomp::Filter,
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    cpython_start: seccomp::Filter,
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    cpython: seccomp::Filter,
}

impl Filters {
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn new() -> Self {
        Self { child: seccomp::child(), cpython_start: seccomp::cpython_start(), cpython: seccomp::cpython() }
    }

    #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
    fn new() -> Self {
        Self {}
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
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        state.note(Part::Seccomp, plan.tries(Part::Seccomp).and_then(|()| seccomp::template().apply()));
        (state, Filters::new())
    }
    #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
    {
        state.note(Part::Seccomp, Err("this program knows no filter for this system".to_owned()));
        (state, Filters::new())
    }
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
        #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
        state.note(Part::Seccomp, filters.child.for_process(std::process::id()).apply());
        #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
        let _ = filters;
    }
    self_test(&state)?;
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
        #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
        {
            let pid = std::process::id();
            let locked = filters.cpython.for_process(pid).bytes().and_then(|bytes| {
                filters.cpython_start.for_process(pid).apply()?;
                last_filter = bytes;
                Ok(())
            });
            state.note(Part::Seccomp, locked);
        }
        #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
        {
            let _ = filters;
            state.note(Part::Seccomp, Err("this program knows no filter for this system".to_owned()));
        }
    }
    (state, last_filter)
}

/// Limits the address space of this process, which is the limit on memory.
fn limit_address_space(bytes: Option<u64>) -> Result<(), String> {
    match space_to_limit(bytes)? {
        Some(bytes) => limit(libc::RLIMIT_AS as _, bytes).map_err(in_words),
        None => Ok(()),
    }
}

/// The limit to set, if this system has one; else why memory stays without a limit.
fn space_to_limit(bytes: Option<u64>) -> Result<Option<u64>, String> {
    match bytes {
        // macOS accepts no limit on address space.
        _ if !cfg!(target_os = "linux") => Ok(None),
        Some(bytes) => Ok(Some(bytes)),
        None => Err(SIZE_UNKNOWN.to_owned()),
    }
}

fn shared_limits() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    capabilities::drop_all()?;
    // SAFETY: installs no handler. A write beyond a limit then fails instead of ending the process.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    limit(libc::RLIMIT_CORE as _, 0)?;
    limit(libc::RLIMIT_FSIZE as _, 0)?;
    limit(libc::RLIMIT_NOFILE as _, 64)?;
    #[cfg(target_os = "linux")]
    {
        limit(libc::RLIMIT_MEMLOCK as _, 0)?;
        limit(libc::RLIMIT_MSGQUEUE as _, 0)?;
    }
    Ok(())
}

#[cfg(target_os = "linux")]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(target_os = "linux"))]
type Resource = libc::c_int;

fn limit(resource: Resource, value: u64) -> io::Result<()> {
    limit_pair(resource, value, value)
}

/// Sets a limit, or leaves what is stricter already.
fn limit_pair(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `now` is a valid place for the answer.
    check(unsafe { libc::getrlimit(resource, &raw mut now) })?;
    let hard = hard.min(now.rlim_max);
    let wanted = libc::rlimit { rlim_cur: soft.min(hard), rlim_max: hard };
    // SAFETY: `wanted` is read, not kept.
    check(unsafe { libc::setrlimit(resource, &raw const wanted) })
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

/// Tries what must not work. Says what did.
fn self_test(state: &State) -> Result<(), String> {
    if state.has(Part::Landlock) || state.has(Part::Seccomp) {
        // SAFETY: the path is a C string; the descriptor is closed at once.
        let opened = unsafe { libc::open(c"/".as_ptr(), libc::O_RDONLY) };
        if opened >= 0 {
            // SAFETY: the descriptor was opened above.
            unsafe { libc::close(opened) };
            return Err("the sandbox did not hold: a folder could be opened".to_owned());
        }
    }
    #[cfg(target_os = "linux")]
    if state.has(Part::Seccomp) {
        for family in [libc::AF_INET, libc::AF_UNIX] {
            // SAFETY: plain numbers; the descriptor is closed at once.
            let socket = unsafe { libc::socket(family, libc::SOCK_STREAM, 0) };
            if socket >= 0 {
                // SAFETY: the descriptor was opened above.
                unsafe { libc::close(socket) };
                return Err("the sandbox did not hold: a socket could be opened".to_owned());
            }
        }
        // The filter must answer before the kernel looks at the arguments, which are wrong on purpose.
        // SAFETY: the kernel reads no memory for a length of 0.
        let connected = unsafe { libc::connect(-1, std::ptr::null(), 0) };
        if connected == 0 || io::Error::last_os_error().raw_os_error() != Some(libc::EPERM) {
            return Err("the sandbox did not hold: a connection could be tried".to_owned());
        }
        // Not `fork` of the C library, which runs handlers: nothing but the bare call, and a bare end if it works.
        // SAFETY: a child, if one comes about, shares nothing and ends at once.
        match unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) } {
            // SAFETY: ends the process without running anything.
            0 => unsafe { libc::_exit(0) },
            -1 => {}
            _ => return Err("the sandbox did not hold: a process could be forked".to_owned()),
        }
    }
    Ok(())
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
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `now` is a valid place for the answer.
    let last = match check(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE as _, &raw mut now) }) {
        Ok(()) => u32::try_from(now.rlim_cur).unwrap_or(u32::MAX).min(1 << 16),
        Err(_) => 1 << 10,
    };
    for descriptor in first..last {
        // SAFETY: as above.
        unsafe { libc::close(descriptor.cast_signed()) };
    }
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn in_words(error: io::Error) -> String {
    format!("the system refused them: {error}")
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
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
