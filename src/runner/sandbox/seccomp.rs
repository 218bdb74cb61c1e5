//! System call filters for children, templates and real CPythons, which need more calls while they start.
//!
//! A call that is not listed fails with EPERM, which a program sees as `PermissionError`. A few new calls fail with
//! ENOSYS instead, so that the C library falls back to older ones, whose arguments a filter can see. The lists were
//! found with `strace -f` on x86_64 with glibc: see [`PLAIN`]. What another architecture lacks is left out of its table.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Width, SeccompCmpOp as Is, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};

#[cfg(target_arch = "x86_64")]
const ARCH: TargetArch = TargetArch::x86_64;
#[cfg(target_arch = "aarch64")]
const ARCH: TargetArch = TargetArch::aarch64;

/// Placeholder in a filter for the id of its process, above every possible id.
const OWN_PID: u32 = 0x7fff_f0f0;

/// The flags with which glibc makes a thread, and musl, which adds one that means nothing any more. With others a thread
/// could have descriptors of its own, 64 for each, or namespaces.
const THREADS: [u64; 2] = {
    let glibc = libc::CLONE_VM
        | libc::CLONE_FS
        | libc::CLONE_FILES
        | libc::CLONE_SIGHAND
        | libc::CLONE_THREAD
        | libc::CLONE_SYSVSEM
        | libc::CLONE_SETTLS
        | libc::CLONE_PARENT_SETTID
        | libc::CLONE_CHILD_CLEARTID;
    [glibc as u64, (glibc | libc::CLONE_DETACHED) as u64]
};

/// Bits of a mapping's kind: private, shared, or one of the newer kinds.
const MAP_KIND: u64 = 0xf;

/// The mapping is private. Pages of a shared one without a file stay when it shrinks, and no limit counts them then.
const PRIVATE: (u8, Is, u64) = (3, Is::MaskedEq(MAP_KIND), libc::MAP_PRIVATE as u64);

/// Socket options that may be read: `socket.socket(fileno=...)` reads type and protocol, and asyncio reads the error. None of its options can be set: larger buffers would be memory beyond the limit.
const SOCKET_QUESTIONS: [libc::c_int; 3] = [libc::SO_TYPE, libc::SO_PROTOCOL, libc::SO_ERROR];

/// The calls that come with any arguments, and do no harm with any. Each was seen in a run of the shipped questions, of a
/// program with asyncio, threads and sqlite3, or of one that asks for everything here that `os`, `signal`, `select` and
/// `socket` offer; or it says why it is there.
const PLAIN: &[c_long] = &[
    // Descriptors that exist already. None can be opened but pipes and socket pairs.
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_close,
    libc::SYS_lseek,
    libc::SYS_dup,
    libc::SYS_pipe2,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_pselect6,
    libc::SYS_sendto,
    libc::SYS_recvfrom,
    libc::SYS_sendmsg,
    libc::SYS_recvmsg,
    libc::SYS_shutdown,
    libc::SYS_getsockname,
    libc::SYS_getpeername,
    // What older C libraries and musl call instead of `newfstatat` below.
    libc::SYS_fstat,
    // Memory.
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_brk,
    // Threads.
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_gettid,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // Time. Most machines tell it without a call; where the clock cannot be read from memory, it takes one.
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_clock_nanosleep,
    // How musl sleeps.
    libc::SYS_nanosleep,
    libc::SYS_getitimer,
    libc::SYS_setitimer,
    libc::SYS_getrandom,
    // Signals, which go nowhere but to this process.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    // The kernel's own, when a process that slept was stopped and goes on.
    libc::SYS_restart_syscall,
    // What a process may know about itself.
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_uname,
    libc::SYS_sysinfo,
    libc::SYS_getrusage,
    libc::SYS_times,
    libc::SYS_getcwd,
];

/// The same, under names that only this architecture has.
#[cfg(target_arch = "x86_64")]
const PLAIN_HERE: &[c_long] = &[
    libc::SYS_dup2,
    libc::SYS_poll,
    // musl's `select`.
    libc::SYS_select,
    libc::SYS_alarm,
    libc::SYS_pause,
    // As `gettimeofday` above.
    libc::SYS_time,
];
/// This one has no `dup2`, `poll` and `pause`: the C library calls these instead.
#[cfg(target_arch = "aarch64")]
const PLAIN_HERE: &[c_long] = &[libc::SYS_dup3, libc::SYS_ppoll];

/// Further calls of a template. It runs no program: it forks children that lock themselves down further.
const TEMPLATE: &[c_long] = &[
    libc::SYS_clone,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_kill,
    libc::SYS_tgkill,
    libc::SYS_prctl,
    libc::SYS_seccomp,
    libc::SYS_prlimit64,
    libc::SYS_setsid,
    libc::SYS_close_range,
    libc::SYS_mprotect,
    libc::SYS_mmap,
    libc::SYS_pread64,
];

/// Further calls of a real CPython, to load modules from its own folders. Landlock says which those
/// are; the rules below see to it that nothing is opened for writing.
const CPYTHON: &[c_long] = &[
    // Functions of `os` and `signal` that the embedded interpreter does not have, for descriptors that are open already and
    // for this process only.
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_dup3,
    libc::SYS_eventfd2,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigtimedwait,
    // Modules.
    libc::SYS_newfstatat,
    libc::SYS_faccessat,
    libc::SYS_readlinkat,
    libc::SYS_getdents64,
    libc::SYS_pread64,
    // Extension modules are code.
    libc::SYS_mprotect,
];
#[cfg(target_arch = "x86_64")]
const CPYTHON_HERE: &[c_long] =
    &[libc::SYS_epoll_wait, libc::SYS_stat, libc::SYS_lstat, libc::SYS_access, libc::SYS_readlink];
#[cfg(target_arch = "aarch64")]
const CPYTHON_HERE: &[c_long] = &[];

/// Calls of a CPython until its driver has locked it down for good.
const CPYTHON_START: &[c_long] = &[libc::SYS_execve, libc::SYS_set_tid_address, libc::SYS_prctl, libc::SYS_seccomp];
#[cfg(target_arch = "x86_64")]
const CPYTHON_START_HERE: &[c_long] = &[libc::SYS_arch_prctl];
#[cfg(target_arch = "aarch64")]
const CPYTHON_START_HERE: &[c_long] = &[];

/// New calls that fail as on an older kernel.
const UNKNOWN: &[c_long] =
    &[libc::SYS_clone3, libc::SYS_statx, libc::SYS_openat2, libc::SYS_faccessat2, libc::SYS_epoll_pwait2];

/// A filter, ready but for the id of the process.
pub(super) struct Filter(Result<BpfProgram, String>);

impl Filter {
    /// Returns the filter for the process `pid`.
    pub(super) fn for_process(&self, pid: u32) -> Self {
        let mut filter = self.0.clone();
        if let Ok(program) = &mut filter {
            for instruction in program.iter_mut().filter(|instruction| instruction.k == OWN_PID) {
                instruction.k = pid;
            }
        }
        Self(filter)
    }

    /// Returns the filter in the kernel's format, for a process that applies it itself.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, String> {
        let program = self.0.as_ref().map_err(Clone::clone)?;
        let instruction = |it: &sock_filter| {
            let [code_low, code_high] = it.code.to_ne_bytes();
            let [a, b, c, d] = it.k.to_ne_bytes();
            [code_low, code_high, it.jt, it.jf, a, b, c, d]
        };
        Ok(program.iter().flat_map(instruction).collect())
    }

    /// Applies the filter to this thread and those it starts, for good.
    pub(super) fn apply(&self) -> Result<(), String> {
        let program = self.0.as_ref().map_err(Clone::clone)?;
        seccompiler::apply_filter(program).map_err(|error| format!("the kernel refused it: {error}"))
    }
}

/// Filter for a program.
pub(super) fn child() -> Filter {
    compile(child_rules())
}

/// Filter for a template.
pub(super) fn template() -> Filter {
    let rules = child_rules().map(|mut rules| {
        rules.extend(TEMPLATE.iter().map(|&call| (call, Vec::new())));
        rules
    });
    compile(rules)
}

/// Filter for a real CPython that starts.
pub(super) fn cpython_start() -> Filter {
    let rules = cpython_rules().map(|mut rules| {
        rules.extend(CPYTHON_START.iter().chain(CPYTHON_START_HERE).map(|&call| (call, Vec::new())));
        rules
    });
    compile(rules)
}

/// Filter for a program on a real CPython.
pub(super) fn cpython() -> Filter {
    compile(cpython_rules())
}

fn cpython_rules() -> Made<Rules> {
    let mut rules = child_rules()?;
    rules.extend(CPYTHON.iter().chain(CPYTHON_HERE).map(|&call| (call, Vec::new())));
    let writes =
        (libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC | libc::O_APPEND | libc::O_TMPFILE & !libc::O_DIRECTORY)
            as u64;
    // Extension modules are code, so there is no condition on that. A file may be shared: it can be read only, and so holds
    // no memory of the program's.
    let shared_file = when(&[(3, Is::MaskedEq(MAP_KIND | libc::MAP_ANONYMOUS as u64), libc::MAP_SHARED as u64)])?;
    rules.insert(libc::SYS_mmap, vec![when(&[PRIVATE])?, shared_file]);
    // How it makes a socket wait, or not.
    rules.insert(libc::SYS_ioctl, vec![when(&[(1, Is::Eq, libc::FIONBIO)])?]);
    rules.insert(libc::SYS_openat, vec![when(&[(2, Is::MaskedEq(writes), 0)])?]);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_open, vec![when(&[(1, Is::MaskedEq(writes), 0)])?]);
    Ok(rules)
}

type Rules = BTreeMap<c_long, Vec<SeccompRule>>;
type Made<T> = Result<T, seccompiler::BackendError>;

fn child_rules() -> Made<Rules> {
    let mut rules: Rules = PLAIN.iter().chain(PLAIN_HERE).map(|&call| (call, Vec::new())).collect();
    // Pages that can be executed are not made any more. A program has no code of its own to bring.
    let no_exec = (2, Is::MaskedEq(libc::PROT_EXEC as u64), 0);
    rules.insert(libc::SYS_mmap, vec![when(&[no_exec.clone(), PRIVATE])?]);
    rules.insert(libc::SYS_mprotect, vec![when(&[no_exec])?]);
    // Threads, but no processes. The kernel reads all 64 bits here.
    let thread = |flags| SeccompRule::new(vec![SeccompCondition::new(0, Width::Qword, Is::Eq, flags)?]);
    rules.insert(libc::SYS_clone, THREADS.into_iter().map(thread).collect::<Made<_>>()?);
    let question = |option| when(&[(1, Is::Eq, libc::SOL_SOCKET as u64), (2, Is::Eq, option as u64)]);
    rules.insert(libc::SYS_getsockopt, SOCKET_QUESTIONS.into_iter().map(question).collect::<Made<_>>()?);
    // A stream pair, as asyncio wants one to wake itself. Datagrams could be sent to other processes' sockets.
    let stream = libc::SOCK_STREAM as u64;
    rules.insert(
        libc::SYS_socketpair,
        vec![when(&[(0, Is::Eq, libc::AF_UNIX as u64), (1, Is::MaskedEq(0xf), stream)])?],
    );
    // Not F_SETOWN, which has the kernel send signals to others.
    let commands = [libc::F_GETFD, libc::F_SETFD, libc::F_GETFL, libc::F_SETFL, libc::F_DUPFD_CLOEXEC];
    rules.insert(libc::SYS_fcntl, commands.iter().map(|&c| when(&[(1, Is::Eq, c as u64)])).collect::<Made<_>>()?);
    // Signals to itself, such as SIGTERM in a program about clean shutdown, and SIGABRT at the end of a bad one.
    rules.insert(libc::SYS_kill, vec![when(&[(0, Is::Eq, u64::from(OWN_PID))])?]);
    rules.insert(libc::SYS_tgkill, vec![when(&[(0, Is::Eq, u64::from(OWN_PID))])?]);
    // Reading its own limits, not setting any.
    rules.insert(libc::SYS_prlimit64, vec![read_limits()?]);
    rules.insert(libc::SYS_prctl, vec![when(&[(0, Is::Eq, libc::PR_SET_NAME as u64)])?]);
    // How newer C libraries look at an open descriptor.
    rules.insert(libc::SYS_newfstatat, vec![when(&[(3, Is::Eq, libc::AT_EMPTY_PATH as u64)])?]);
    Ok(rules)
}

/// A rule: every argument (by position) is as said. The kernel reads 32 bits of most arguments, so that is compared.
fn when(conditions: &[(u8, Is, u64)]) -> Made<SeccompRule> {
    let condition =
        |(argument, is, value): &(u8, Is, u64)| SeccompCondition::new(*argument, Width::Dword, is.clone(), *value);
    SeccompRule::new(conditions.iter().map(condition).collect::<Made<Vec<_>>>()?)
}

/// `prlimit64` on the process itself, without a pointer to new limits.
fn read_limits() -> Made<SeccompRule> {
    let own = SeccompCondition::new(0, Width::Dword, Is::Eq, 0)?;
    let no_new = SeccompCondition::new(2, Width::Qword, Is::Eq, 0)?;
    SeccompRule::new(vec![own, no_new])
}

fn compile(rules: Made<Rules>) -> Filter {
    let build = || -> Made<BpfProgram> {
        let refused = SeccompAction::Errno(libc::EPERM as u32);
        let filter = SeccompFilter::new(rules?, refused, SeccompAction::Allow, ARCH)?;
        let allowlist: BpfProgram = filter.try_into()?;
        // The compiler knows two answers per filter, and three are needed: so the third is put in front. It may come
        // before the check of the architecture, since it allows nothing.
        let mut program = unknown_calls();
        program.extend(allowlist);
        Ok(program)
    };
    Filter(build().map_err(|error| format!("the filter could not be made: {error}")))
}

/// Instructions that answer ENOSYS for [`UNKNOWN`] and go on for every other call.
fn unknown_calls() -> BpfProgram {
    const LOAD_CALL: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS, at offset 0: the number of the call
    const JUMP_IF_EQUAL: u16 = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
    const RETURN: u16 = 0x06; // BPF_RET | BPF_K
    const ERRNO: u32 = 0x0005_0000; // SECCOMP_RET_ERRNO
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    let mut program = vec![step(LOAD_CALL, 0, 0, 0)];
    for &call in UNKNOWN {
        program.push(step(JUMP_IF_EQUAL, 0, 1, call as u32));
        program.push(step(RETURN, 0, 0, ERRNO | libc::ENOSYS as u32));
    }
    program
}
