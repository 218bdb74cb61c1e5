//! Tries the system calls that a program may not make.

use std::io;

use super::*;

/// A call with its first arguments; the others are 0. Where the filter let it through, the kernel would refuse it for
/// another reason, or it would do nothing.
type Call = (&'static str, c_long, [c_long; 3]);

const NOWHERE: c_long = -1;

/// Files: none can be opened, made, changed, or looked at.
const FILES: &[Call] = &[
    ("openat", libc::SYS_openat, [NOWHERE, 0, 0]),
    ("openat2", libc::SYS_openat2, [NOWHERE, 0, 0]),
    ("open_by_handle_at", libc::SYS_open_by_handle_at, [NOWHERE, 0, 0]),
    ("name_to_handle_at", libc::SYS_name_to_handle_at, [NOWHERE, 0, 0]),
    ("memfd_create", libc::SYS_memfd_create, [0, 0, 0]),
    ("unlinkat", libc::SYS_unlinkat, [NOWHERE, 0, 0]),
    ("renameat2", libc::SYS_renameat2, [NOWHERE, 0, NOWHERE]),
    ("mkdirat", libc::SYS_mkdirat, [NOWHERE, 0, 0]),
    ("mknodat", libc::SYS_mknodat, [NOWHERE, 0, 0]),
    ("linkat", libc::SYS_linkat, [NOWHERE, 0, NOWHERE]),
    ("symlinkat", libc::SYS_symlinkat, [0, NOWHERE, 0]),
    ("readlinkat", libc::SYS_readlinkat, [NOWHERE, 0, 0]),
    ("faccessat", libc::SYS_faccessat, [NOWHERE, 0, 0]),
    ("newfstatat by name", libc::SYS_newfstatat, [NOWHERE, 0, 0]),
    ("statfs", libc::SYS_statfs, [0, 0, 0]),
    ("getdents64", libc::SYS_getdents64, [NOWHERE, 0, 0]),
    ("truncate", libc::SYS_truncate, [0, 0, 0]),
    ("ftruncate", libc::SYS_ftruncate, [NOWHERE, 0, 0]),
    ("fallocate", libc::SYS_fallocate, [NOWHERE, 0, 0]),
    ("fchmod", libc::SYS_fchmod, [NOWHERE, 0, 0]),
    ("fchmodat", libc::SYS_fchmodat, [NOWHERE, 0, 0]),
    ("fchownat", libc::SYS_fchownat, [NOWHERE, 0, 0]),
    ("utimensat", libc::SYS_utimensat, [NOWHERE, 0, 0]),
    ("setxattr", libc::SYS_setxattr, [0, 0, 0]),
    ("chdir", libc::SYS_chdir, [0, 0, 0]),
    ("fchdir", libc::SYS_fchdir, [NOWHERE, 0, 0]),
    ("chroot", libc::SYS_chroot, [0, 0, 0]),
    ("mount", libc::SYS_mount, [0, 0, 0]),
    ("umount2", libc::SYS_umount2, [0, 0, 0]),
    ("pivot_root", libc::SYS_pivot_root, [0, 0, 0]),
    ("inotify_init1", libc::SYS_inotify_init1, [NOWHERE, 0, 0]),
    ("fanotify_init", libc::SYS_fanotify_init, [NOWHERE, 0, 0]),
    ("sendfile", libc::SYS_sendfile, [NOWHERE, NOWHERE, 0]),
    ("splice", libc::SYS_splice, [NOWHERE, 0, NOWHERE]),
    ("copy_file_range", libc::SYS_copy_file_range, [NOWHERE, 0, NOWHERE]),
    ("fcntl, to send signals", libc::SYS_fcntl, [NOWHERE, libc::F_SETOWN as c_long, 1]),
    ("fcntl, to lease", libc::SYS_fcntl, [NOWHERE, libc::F_SETLEASE as c_long, 0]),
    ("ioctl, to type", libc::SYS_ioctl, [NOWHERE, libc::TIOCSTI as c_long, 0]),
];

/// Processes: none comes about, none is signalled, looked at or changed, this one least of all.
const PROCESSES: &[Call] = &[
    ("execve", libc::SYS_execve, [0, 0, 0]),
    ("execveat", libc::SYS_execveat, [NOWHERE, 0, 0]),
    // The kernel allows no shared handlers without shared memory.
    ("clone of a process", libc::SYS_clone, [libc::CLONE_SIGHAND as c_long, 0, 0]),
    ("clone3", libc::SYS_clone3, [0, 0, 0]),
    ("kill of everything", libc::SYS_kill, [NOWHERE, 0, 0]),
    ("kill of the first process", libc::SYS_kill, [1, 0, 0]),
    ("kill of the group", libc::SYS_kill, [0, 0, 0]),
    ("tgkill of another", libc::SYS_tgkill, [1, 1, 0]),
    ("tkill", libc::SYS_tkill, [1, 0, 0]),
    ("rt_sigqueueinfo", libc::SYS_rt_sigqueueinfo, [1, 0, 0]),
    ("rt_tgsigqueueinfo", libc::SYS_rt_tgsigqueueinfo, [1, 1, 0]),
    ("pidfd_open", libc::SYS_pidfd_open, [1, NOWHERE, 0]),
    ("pidfd_send_signal", libc::SYS_pidfd_send_signal, [NOWHERE, 0, 0]),
    ("pidfd_getfd", libc::SYS_pidfd_getfd, [NOWHERE, 0, 0]),
    ("ptrace", libc::SYS_ptrace, [NOWHERE, 0, 0]),
    ("process_vm_readv", libc::SYS_process_vm_readv, [NOWHERE, 0, 0]),
    ("process_vm_writev", libc::SYS_process_vm_writev, [NOWHERE, 0, 0]),
    ("kcmp", libc::SYS_kcmp, [NOWHERE, NOWHERE, 0]),
    ("wait4", libc::SYS_wait4, [NOWHERE, 0, NOWHERE]),
    ("setsid", libc::SYS_setsid, [0, 0, 0]),
    ("setpgid", libc::SYS_setpgid, [NOWHERE, NOWHERE, 0]),
    ("unshare", libc::SYS_unshare, [NOWHERE, 0, 0]),
    ("setns", libc::SYS_setns, [NOWHERE, 0, 0]),
    ("setresuid", libc::SYS_setresuid, [NOWHERE, NOWHERE, NOWHERE]),
    ("setresgid", libc::SYS_setresgid, [NOWHERE, NOWHERE, NOWHERE]),
    ("setgroups", libc::SYS_setgroups, [NOWHERE, 0, 0]),
    ("capset", libc::SYS_capset, [0, 0, 0]),
    ("personality", libc::SYS_personality, [0xffff_ffff, 0, 0]),
    ("setpriority", libc::SYS_setpriority, [NOWHERE, 0, 0]),
    ("sched_setaffinity", libc::SYS_sched_setaffinity, [NOWHERE, 0, 0]),
    ("sched_setscheduler", libc::SYS_sched_setscheduler, [NOWHERE, 0, 0]),
    ("prctl, to be looked at", libc::SYS_prctl, [libc::PR_SET_DUMPABLE as c_long, 7, 0]),
    ("prctl, to outlive its parent", libc::SYS_prctl, [libc::PR_SET_PDEATHSIG as c_long, NOWHERE, 0]),
    ("seccomp", libc::SYS_seccomp, [NOWHERE, 0, 0]),
    ("prlimit64 of another", libc::SYS_prlimit64, [1, 0, 0]),
    ("prlimit64 with a new limit", libc::SYS_prlimit64, [0, NOWHERE, 8]),
    ("setrlimit", libc::SYS_setrlimit, [NOWHERE, 0, 0]),
];

/// The network and other ways to talk to processes that are not its own.
const OTHERS: &[Call] = &[
    ("socket", libc::SYS_socket, [NOWHERE, 0, 0]),
    ("socketpair of datagrams", libc::SYS_socketpair, [libc::AF_UNIX as c_long, libc::SOCK_DGRAM as c_long, NOWHERE]),
    ("socketpair of another family", libc::SYS_socketpair, [libc::AF_INET as c_long, 1, NOWHERE]),
    ("a larger buffer", libc::SYS_setsockopt, [NOWHERE, libc::SOL_SOCKET as c_long, libc::SO_SNDBUF as c_long]),
    (
        "a larger buffer yet",
        libc::SYS_setsockopt,
        [NOWHERE, libc::SOL_SOCKET as c_long, libc::SO_SNDBUFFORCE as c_long],
    ),
    ("who is there", libc::SYS_getsockopt, [NOWHERE, libc::SOL_SOCKET as c_long, libc::SO_PEERCRED as c_long]),
    ("the type at another level", libc::SYS_getsockopt, [NOWHERE, libc::SOL_IP as c_long, libc::SO_TYPE as c_long]),
    ("connect", libc::SYS_connect, [NOWHERE, 0, 0]),
    ("bind", libc::SYS_bind, [NOWHERE, 0, 0]),
    ("listen", libc::SYS_listen, [NOWHERE, 0, 0]),
    ("accept4", libc::SYS_accept4, [NOWHERE, 0, 0]),
    ("shmget", libc::SYS_shmget, [0, 0, 0]),
    ("shmat", libc::SYS_shmat, [NOWHERE, 0, 0]),
    ("msgget", libc::SYS_msgget, [1, 0, 0]),
    ("semget", libc::SYS_semget, [1, 0, 0]),
    ("mq_open", libc::SYS_mq_open, [0, 0, 0]),
];

/// The kernel itself: memory that can be executed, new kinds of calls, the machine.
const KERNEL: &[Call] = &[
    ("mprotect to code", libc::SYS_mprotect, [1, 0, (libc::PROT_READ | libc::PROT_EXEC) as c_long]),
    ("pkey_mprotect", libc::SYS_pkey_mprotect, [1, 0, 0]),
    ("remap_file_pages", libc::SYS_remap_file_pages, [1, 0, 0]),
    ("mlock", libc::SYS_mlock, [0, 0, 0]),
    ("userfaultfd", libc::SYS_userfaultfd, [NOWHERE, 0, 0]),
    ("io_uring_setup", libc::SYS_io_uring_setup, [0, 0, 0]),
    ("io_uring_enter", libc::SYS_io_uring_enter, [NOWHERE, 0, 0]),
    ("bpf", libc::SYS_bpf, [NOWHERE, 0, 0]),
    ("perf_event_open", libc::SYS_perf_event_open, [0, 0, 0]),
    ("add_key", libc::SYS_add_key, [0, 0, 0]),
    ("request_key", libc::SYS_request_key, [0, 0, 0]),
    ("keyctl", libc::SYS_keyctl, [NOWHERE, 0, 0]),
    ("landlock_create_ruleset", libc::SYS_landlock_create_ruleset, [0, NOWHERE, NOWHERE]),
    ("init_module", libc::SYS_init_module, [0, 0, 0]),
    ("finit_module", libc::SYS_finit_module, [NOWHERE, 0, 0]),
    ("kexec_load", libc::SYS_kexec_load, [0, NOWHERE, 0]),
    ("reboot", libc::SYS_reboot, [0, 0, 0]),
    ("swapon", libc::SYS_swapon, [0, 0, 0]),
    ("sethostname", libc::SYS_sethostname, [0, NOWHERE, 0]),
    ("clock_settime", libc::SYS_clock_settime, [NOWHERE, 0, 0]),
    ("settimeofday", libc::SYS_settimeofday, [1, 0, 0]),
    ("adjtimex", libc::SYS_adjtimex, [0, 0, 0]),
    ("syslog", libc::SYS_syslog, [NOWHERE, 0, 0]),
    ("acct", libc::SYS_acct, [1, 0, 0]),
    ("quotactl", libc::SYS_quotactl, [NOWHERE, 0, 0]),
];

/// The same under names that only this architecture has.
#[cfg(target_arch = "x86_64")]
const HERE: &[Call] = &[
    ("open", libc::SYS_open, [0, 0, 0]),
    ("creat", libc::SYS_creat, [0, 0, 0]),
    ("unlink", libc::SYS_unlink, [0, 0, 0]),
    ("rename", libc::SYS_rename, [0, 0, 0]),
    ("mkdir", libc::SYS_mkdir, [0, 0, 0]),
    ("rmdir", libc::SYS_rmdir, [0, 0, 0]),
    ("link", libc::SYS_link, [0, 0, 0]),
    ("symlink", libc::SYS_symlink, [0, 0, 0]),
    ("readlink", libc::SYS_readlink, [0, 0, 0]),
    ("stat", libc::SYS_stat, [0, 0, 0]),
    ("access", libc::SYS_access, [0, 0, 0]),
    ("chmod", libc::SYS_chmod, [0, 0, 0]),
    ("chown", libc::SYS_chown, [0, 0, 0]),
    ("utimes", libc::SYS_utimes, [0, 0, 0]),
    ("mknod", libc::SYS_mknod, [0, 0, 0]),
    ("arch_prctl", libc::SYS_arch_prctl, [NOWHERE, 0, 0]),
    ("modify_ldt", libc::SYS_modify_ldt, [NOWHERE, 0, 0]),
    ("iopl", libc::SYS_iopl, [NOWHERE, 0, 0]),
    ("ioperm", libc::SYS_ioperm, [NOWHERE, 0, 0]),
];
#[cfg(target_arch = "aarch64")]
const HERE: &[Call] = &[];

/// Makes a call and says whether the filter answered.
fn is_refused((_, number, [first, second, third]): &Call) -> bool {
    // SAFETY: see `Call`: no argument is a place in memory that is there.
    let result = unsafe { libc::syscall(*number, *first, *second, *third, 0, 0, 0) };
    let wanted = if UNKNOWN.contains(number) { libc::ENOSYS } else { libc::EPERM };
    is_error(result, wanted)
}

fn is_error(result: c_long, wanted: i32) -> bool {
    result == -1 && io::Error::last_os_error().raw_os_error() == Some(wanted)
}

fn all() -> impl Iterator<Item = &'static Call> {
    [FILES, PROCESSES, OTHERS, KERNEL, HERE].into_iter().flatten()
}

/// Runs `work` on a thread of its own under a filter, which ends with it.
fn under<T: Send + 'static>(filter: Filter, work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::spawn(move || {
        filter.for_process(std::process::id()).apply().unwrap();
        work()
    });
    thread.join().unwrap()
}

#[test]
fn a_program_is_refused_every_dangerous_call() {
    let allowed: Vec<&str> =
        under(child(), || all().filter(|call| !is_refused(call)).map(|&(name, ..)| name).collect());
    assert_eq!(allowed, [] as [&str; 0]);
}

#[test]
fn a_real_cpython_may_look_at_files_besides() {
    let mut allowed: Vec<&str> =
        under(cpython(), || all().filter(|call| !is_refused(call)).map(|&(name, ..)| name).collect());
    allowed.sort_unstable();
    let mut looks = vec!["faccessat", "getdents64", "mprotect to code", "newfstatat by name", "openat", "readlinkat"];
    if cfg!(target_arch = "x86_64") {
        looks.extend(["access", "open", "readlink", "stat"]);
    }
    looks.sort_unstable();
    assert_eq!(allowed, looks);
    let writing = [libc::O_WRONLY, libc::O_RDWR, libc::O_CREAT, libc::O_TRUNC, libc::O_APPEND, libc::O_TMPFILE];
    for flags in writing {
        let call = ("openat for writing", libc::SYS_openat, [NOWHERE, 0, c_long::from(flags)]);
        assert!(under(cpython(), move || is_refused(&call)), "{flags:o}");
    }
}

/// Memory that the limit on address space does not count is not to be had, and code is for CPython alone.
#[test]
fn memory_is_private_and_counted() {
    // Of no length, which the kernel refuses with another error.
    let is_refused = |protection: i32, flags: i32| {
        // SAFETY: maps nothing.
        is_error(unsafe { libc::syscall(libc::SYS_mmap, 0, 0, protection, flags, -1, 0) }, libc::EPERM)
    };
    let (data, code) = (libc::PROT_READ | libc::PROT_WRITE, libc::PROT_READ | libc::PROT_EXEC);
    /// Memory that the kernel may take back, of newer kernels.
    const MAP_DROPPABLE: i32 = 8;
    // Protection, flags, whether a program is refused it, and whether one on CPython is.
    let cases = [
        (data, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, false, false),
        (data, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK | libc::MAP_NORESERVE, false, false),
        (code, libc::MAP_PRIVATE, true, false),
        (data, libc::MAP_SHARED | libc::MAP_ANONYMOUS, true, true),
        (data, libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, true, true),
        (data, libc::MAP_SHARED_VALIDATE | libc::MAP_ANONYMOUS, true, true),
        (data, libc::MAP_SHARED_VALIDATE, true, true),
        (data, MAP_DROPPABLE | libc::MAP_ANONYMOUS, true, true),
        // How the C library reads a table of its own.
        (libc::PROT_READ, libc::MAP_SHARED, true, false),
    ];
    let tried = |filter| under(filter, move || cases.map(|(protection, flags, ..)| is_refused(protection, flags)));
    assert_eq!(tried(child()), cases.map(|(_, _, refused, _)| refused));
    assert_eq!(tried(cpython()), cases.map(|(_, _, _, refused)| refused));
}

/// Makes a thread with these flags in a process that nobody misses, and says whether the filter answered.
fn is_refused_thread(flags: u64) -> bool {
    let filter = child().for_process(std::process::id());
    // SAFETY: the new process calls nothing that another thread of this one could hold a lock for. A thread that it gets
    // shares its stack, so both end it at once, in the same way.
    unsafe {
        match libc::fork() {
            0 => {
                let locked = filter.apply().is_ok();
                let refused = is_error(libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0), libc::EPERM);
                libc::_exit(i32::from(!(locked && refused)));
            }
            pid => {
                let mut status = 0;
                assert_eq!(libc::waitpid(pid, &raw mut status, 0), pid);
                libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
            }
        }
    }
}

#[test]
fn a_thread_has_the_flags_of_a_thread_and_no_others() {
    let [glibc, musl] = THREADS;
    assert_eq!((glibc, musl), (0x003d_0f00, 0x007d_0f00));
    assert!(!is_refused_thread(glibc) && !is_refused_thread(musl));
    for bit in (0..64).map(|bit| 1 << bit).filter(|bit| glibc ^ bit != musl) {
        assert!(is_refused_thread(glibc ^ bit), "{bit:x}");
    }
}

/// Forking cannot be tried with wrong arguments, so it is tried in a process that nobody misses.
#[test]
fn a_program_cannot_fork() {
    // SAFETY: the child ends at once, whatever comes of it.
    let refused = under(child(), || unsafe {
        match libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) {
            0 => libc::_exit(0),
            made => made == -1,
        }
    });
    assert!(refused);
}
