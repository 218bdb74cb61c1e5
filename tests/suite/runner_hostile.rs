//! Programs that mean harm, or are merely wrong, by kind of attack. Whatever they try, nothing outside is touched, the
//! parent answers at once, the next run works, and nothing but a clean end counts as finished.
//!
//! A1 to A18 are cases of the project's list of hostile inputs; the others are of their kinds. A19, of what has to work, is
//! in `runner_allowed.rs`, A20 and A21 are in `runner_cpython.rs`, output is in `runner_output.rs`.
#![cfg(target_os = "linux")]

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fencepost::runner::{CheckOutcome, Job, Limits, Mode, Runner, Verdict};

use crate::cases::each;
use crate::runner_programs::{Report, assert_next_run_works, check, collect, job, run_job, runner};

use Verdict::{Crashed, Finished, OutOfMemory, Raised, TimedOut};

/// A program, its possible ends, and what its whole output must be if it finishes.
#[derive(Debug)]
pub(crate) struct Case {
    name: &'static str,
    source: &'static str,
    ends: &'static [Verdict],
    prints: Option<&'static str>,
}

pub(crate) const fn case(name: &'static str, source: &'static str, ends: &'static [Verdict]) -> Case {
    Case { name, source, ends, prints: None }
}

pub(crate) const fn works(name: &'static str, source: &'static str, prints: &'static str) -> Case {
    Case { name, source, ends: &[Finished], prints: Some(prints) }
}

#[track_caller]
pub(crate) fn try_all(cases: &[Case]) -> Vec<Report> {
    try_within(Duration::from_secs(1), cases)
}

#[track_caller]
pub(crate) fn try_within(wall: Duration, cases: &[Case]) -> Vec<Report> {
    let limits = Limits { wall, ..Limits::default() };
    let mut reports = Vec::new();
    each(cases, |case| {
        let name = case.name;
        let started = Instant::now();
        let handle = runner().start(Job { limits, ..job(case.source) });
        let report = collect(&handle, started);
        let verdict = report.ending.verdict;
        assert!(case.ends.contains(&verdict), "{name}: {verdict:?}, {}\n{}", report.ending.detail, report.stderr());
        assert!(!report.ending.detail.is_empty(), "{name}");
        if let Some(prints) = case.prints {
            assert_eq!(report.stdout(), prints, "{name}\n{}", report.stderr());
        }
        assert_next_run_works();
        reports.push(report);
    });
    reports
}

/// A program that forks without the help of any library, and says in each process that comes of it whether it could.
pub(crate) fn bare_fork() -> String {
    format!(
        "import ctypes\nmade = ctypes.CDLL(None).syscall({}, {}, 0, 0, 0, 0)\nprint('refused' if made == -1 else 'forked')",
        libc::SYS_clone,
        libc::SIGCHLD
    )
}

/// Says what a bare system call came to: the embedded interpreter may have no way to make one, which is as good.
fn is_refused(source: &str) {
    let report = run_job(job(source));
    assert!(["refused\n", ""].contains(&report.stdout().as_str()), "{report:?}");
    assert!(report.ending.verdict == Finished || report.stdout().is_empty(), "{report:?}");
}

#[test]
fn starting_a_job_does_not_wait_for_it() {
    let limits = Limits { wall: Limits::MAX_WALL, ..Limits::default() };
    let started = Instant::now();
    let handle = runner().start(Job { limits, ..job("while True: pass") });
    // Had it waited, there would be nothing left to stop.
    handle.stop();
    assert_eq!(collect(&handle, started).ending.verdict, Verdict::Stopped);
}

#[test]
fn a_stop_takes_effect_within_a_second() {
    let limits = Limits { wall: Limits::MAX_WALL, ..Limits::default() };
    each(
        [
            "print('runs')\nwhile True: pass",
            "print('runs')\nimport time\ntime.sleep(1e9)",
            "print('runs')\nimport signal\nfor s in range(1, 32):\n    try: signal.signal(s, signal.SIG_IGN)\n    except Exception: pass\nwhile True: pass",
            "print('runs', flush=True)\nimport threading\nfor _ in range(8): threading.Thread(target=lambda: [0 for _ in iter(int, 1)]).start()",
        ],
        |source| {
            let handle = runner().start(Job { limits, ..job(source) });
            assert!(handle.next().is_some(), "it runs");
            let asked = Instant::now();
            handle.stop();
            let report = collect(&handle, asked);
            assert_eq!(report.ending.verdict, Verdict::Stopped);
            assert!(report.took < Duration::from_secs(1), "{:?}", report.took);
        },
    );
    assert_next_run_works();
}

#[test]
fn deep_nesting_is_an_exception_or_a_crash_of_its_own() {
    try_all(&[
        case("A1 nested brackets in eval", "eval('[' * 5000 + '1' + ']' * 5000)", &[Finished, Raised, Crashed]),
        case("A1 nested signs in eval", "eval('-' * 100000 + '1')", &[Raised, Crashed]),
        case("A2 nested brackets in json", "import json\njson.loads('[' * 50000)", &[Raised, Crashed]),
        case("A2 nested braces in json", "import json\njson.loads('{\"a\":' * 50000)", &[Raised, Crashed]),
        case("A5 endless recursion", "def f(): f()\nf()", &[Raised]),
        case(
            "A5 endless recursion without a limit",
            "import sys\nsys.setrecursionlimit(2**31 - 1)\ndef f(): f()\nf()",
            &[Raised, Crashed, TimedOut, OutOfMemory],
        ),
        case("repr of itself", "class A:\n    def __repr__(self): return repr(self)\nrepr(A())", &[Raised, Crashed]),
        case(
            "A6 repr of a million lists in each other",
            "x = []\nfor _ in range(10**6): x = [x]\nrepr(x)",
            &[Raised, Crashed, TimedOut, OutOfMemory],
        ),
        case(
            "A6 the end of a million lists in each other",
            "x = []\nfor _ in range(10**6): x = [x]\ndel x",
            &[Finished, Raised, Crashed, TimedOut, OutOfMemory],
        ),
        case(
            "a hash of nested tuples",
            "x = ()\nfor _ in range(10**5): x = (x,)\nhash(x)",
            &[Finished, Raised, Crashed, TimedOut],
        ),
    ]);
}

#[test]
fn nested_source_is_an_exception_or_a_crash_of_its_own() {
    each([("[", "]"), ("(", ")"), ("{0:", "}"), ("not ", ""), ("lambda: ", "")], |(open, close)| {
        let source = format!("x = {}1{}", open.repeat(20_000), close.repeat(20_000));
        let report = run_job(Job { limits: Limits::default(), ..job(&source) });
        let verdict = report.ending.verdict;
        assert!(matches!(verdict, Finished | Raised | Crashed | TimedOut | OutOfMemory), "{open}: {verdict:?}");
        assert_next_run_works();
    });
}

#[test]
fn a_bug_of_the_interpreter_is_a_crash_or_an_exception() {
    try_all(&[
        case("A4 precision of a million", "f'{1.5:.1000000}'", &[Raised, Crashed, Finished]),
        case("A4 tabs of no width", "'a\\tb'.expandtabs(0)", &[Raised, Crashed, Finished]),
        case("A16 a null pointer", "import ctypes\nctypes.string_at(0)", &[Raised, Crashed]),
        case(
            "A16 a call of native code",
            "import _ctypes\nclass F(_ctypes.CFuncPtr):\n    _flags_ = 1\n    _restype_ = None\nF(4096)()",
            &[Raised],
        ),
        case("a deliberate fault", "import faulthandler\nfaulthandler._sigsegv()", &[Crashed]),
        case("A18 an end below Python", "import os\nos._exit(0)", &[Crashed]),
        case("A18 an exit status", "raise SystemExit(3)", &[Raised]),
        case("abort", "import os\nos.abort()", &[Crashed]),
        case("an own signal", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", &[Crashed]),
    ]);
}

#[test]
fn a_program_that_does_not_end_is_ended() {
    let reports = try_all(&[
        case("A7 a loop", "while 1: pass", &[TimedOut]),
        case(
            "A3 a length that asks itself",
            "class L:\n    def __len__(self): return iter(self).__length_hint__()\n    def __getitem__(self, i): return i\nlen(L())",
            &[TimedOut, Raised],
        ),
        case("A8 a long sleep", "import time\ntime.sleep(1e9)", &[TimedOut]),
        case("A8 a queue that stays empty", "import queue\nqueue.Queue().get()", &[TimedOut]),
        case("a lock that is held", "import threading\nl = threading.Lock()\nl.acquire()\nl.acquire()", &[TimedOut]),
        case(
            "asyncio that waits",
            "import asyncio\nasync def m(): await asyncio.Event().wait()\nasyncio.run(m())",
            &[TimedOut],
        ),
        case(
            "A9 ignored signals",
            "import signal\nfor s in (signal.SIGALRM, signal.SIGTERM, signal.SIGXCPU, signal.SIGINT):\n    signal.signal(s, signal.SIG_IGN)\nwhile 1: pass",
            &[TimedOut],
        ),
        case(
            "A18 an exit handler that loops",
            "import atexit\ndef f():\n    while 1: pass\natexit.register(f)",
            &[TimedOut],
        ),
        case(
            "A18 a thread that goes on",
            "import threading\ndef f():\n    while 1: pass\nthreading.Thread(target=f).start()",
            &[TimedOut],
        ),
        case(
            "an exception with an endless text",
            "class E(Exception):\n    def __str__(self):\n        while 1: pass\nraise E",
            &[TimedOut],
        ),
        case(
            "a number with a hundred million digits",
            "x = 10 ** (10**8)\ny = x * x\nwhile 1: pass",
            &[TimedOut, OutOfMemory],
        ),
        case("a pattern that backtracks", "import re\nre.match('(a+)+$', 'a' * 40 + 'b')", &[TimedOut]),
        case(
            "everything swallowed",
            "while 1:\n    try:\n        while 1: pass\n    except BaseException: pass",
            &[TimedOut],
        ),
    ]);
    for report in reports {
        if report.ending.verdict == TimedOut {
            assert_eq!(report.ending.detail, "stopped after 1.0 s by the clock");
        }
    }
}

#[test]
fn a_daemon_thread_does_not_keep_a_program_alive() {
    try_all(&[works(
        "a thread that goes on",
        "import threading\ndef f():\n    while 1: pass\nthreading.Thread(target=f, daemon=True).start()\nprint('done')",
        "done\n",
    )]);
}

#[test]
fn memory_is_limited() {
    // Filling memory takes its time where other tests run beside this one.
    let mut reports =
        try_within(Duration::from_secs(20), &[case("A10 a doubling text", "x = 'x'\nwhile 1: x += x", &[OutOfMemory])]);
    reports.extend(try_all(&[
        case("A10 a doubling list", "x = [0]\nwhile 1: x += x", &[OutOfMemory, TimedOut]),
        case("a dictionary", "d = {}\nwhile 1: d[len(d)] = 'x' * 10000", &[OutOfMemory, TimedOut]),
        case("too much at once", "x = 'x' * 10**12", &[OutOfMemory]),
        case("too long a list", "x = [0] * 10**10", &[OutOfMemory]),
        case("too long an array", "x = bytearray(10**10)", &[OutOfMemory]),
        case("an uncaught MemoryError", "raise MemoryError", &[OutOfMemory]),
        case(
            "A11 endless threads",
            "import threading, time\nwhile 1: threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()",
            &[Raised, OutOfMemory, TimedOut],
        ),
        case("the status of an end without memory", "import os\nos._exit(77)", &[Crashed]),
        case("that status after half a frame", "import os\nos.write(3, b'\\x20')\nos._exit(77)", &[Crashed]),
        case("A17 a huge map", "import mmap\nmmap.mmap(-1, 2**40)", &[Raised, OutOfMemory]),
    ]));
    for report in reports {
        if report.ending.verdict == OutOfMemory {
            assert!(report.ending.detail.contains("256 MiB of memory"), "{}", report.ending.detail);
        }
    }
}

#[test]
fn no_process_comes_about_and_none_is_signalled() {
    let mut bystander = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap();
    try_all(&[
        case("A12 fork", "import os\nwhile 1: os.fork()", &[Raised]),
        case("A12 subprocess", "import subprocess\nsubprocess.run('id')", &[Raised]),
        case("a shell", "import os\nassert os.system('id') == 0", &[Raised]),
        case("exec", "import os\nos.execv('/bin/sh', ['sh'])", &[Raised]),
        case("multiprocessing", "import multiprocessing as m\nm.Process(target=print).start()", &[Raised]),
        case("A13 kill the parent", "import os\nos.kill(os.getppid(), 9)", &[Raised]),
        case("A13 kill everyone", "import os\nos.kill(-1, 9)", &[Raised]),
        case("kill the group", "import os\nos.kill(0, 9)", &[Raised]),
    ]);
    is_refused(&bare_fork());
    assert!(bystander.try_wait().unwrap().is_none(), "another process of the user lives on");
    bystander.kill().unwrap();
    bystander.wait().unwrap();
}

fn shared_memory() -> Vec<std::ffi::OsString> {
    let mut names: Vec<_> = fs::read_dir("/dev/shm")
        .map_or_else(|_| Vec::new(), |entries| entries.flatten().map(|e| e.file_name()).collect());
    names.sort();
    names
}

/// A14 and A17.
#[test]
fn no_file_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("progress.db");
    fs::write(&file, "precious").unwrap();
    let shared = shared_memory();
    let path = file.to_str().unwrap();
    let attempts = [
        "open('PATH')",
        "open('PATH', 'w')",
        "open('PATH', 'r+b').truncate()",
        "open('FOLDER/new', 'x')",
        "open('/etc/passwd')",
        "open('/proc/self/environ')",
        "open('/proc/self/mem', 'r+b')",
        "open('/dev/tty')",
        "import os; os.open('PATH', os.O_WRONLY)",
        "import os; os.listdir('FOLDER')",
        "import os; os.stat('PATH')",
        "import os; os.chdir('FOLDER')",
        "import os; os.unlink('PATH')",
        "import os; os.rename('PATH', 'FOLDER/x')",
        "import os; os.mkdir('FOLDER/x')",
        "import os; os.rmdir('FOLDER')",
        "import os; os.symlink('PATH', 'FOLDER/x')",
        "import os; os.link('PATH', 'FOLDER/x')",
        "import os; os.chmod('PATH', 0o777)",
        "import os; os.utime('PATH')",
        "import os; os.mkfifo('FOLDER/x')",
        "import os; os.truncate('PATH', 0)",
        "import shutil; shutil.rmtree('FOLDER')",
        "import pathlib; pathlib.Path('PATH').write_text('x')",
        "import sqlite3; sqlite3.connect('PATH').execute('create table t(a)')",
        "import sqlite3; sqlite3.connect(':memory:').execute(\"attach 'PATH' as x\")",
        "import tempfile; tempfile.TemporaryFile()",
        "import os; os.memfd_create('x')",
        "from multiprocessing import shared_memory as s; s.SharedMemory('fencepost', create=True, size=100)",
        "import _posixshmem; _posixshmem.shm_open('/fencepost', 66, 384)",
        "import os; os.dup2(os.open('/', os.O_RDONLY), 9)",
    ];
    each(attempts, |attempt| {
        let source = attempt.replace("PATH", path).replace("FOLDER", folder.path().to_str().unwrap());
        let report = run_job(job(&source));
        assert_eq!(report.ending.verdict, Raised, "{attempt}: {}", report.ending.detail);
    });
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(shared_memory(), shared);
    assert_next_run_works();
}

/// A15.
#[test]
fn nobody_is_reached_over_a_socket() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    tcp.set_nonblocking(true).unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_nonblocking(true).unwrap();
    let name = format!("fencepost-test-{}", std::process::id());
    let local = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    local.set_nonblocking(true).unwrap();
    let attempts = [
        "import socket; socket.create_connection(('127.0.0.1', TCP))",
        "import socket; socket.socket().connect(('127.0.0.1', TCP))",
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', UDP))",
        "import socket; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', '\\0NAME')",
        "import socket; a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); a.sendto(b'x', '\\0NAME')",
        "import socket; a, b = socket.socketpair(); a.connect('\\0NAME')",
        "import socket; a, b = socket.socketpair(); a.sendto(b'x', '\\0NAME')",
        "import socket; a, b = socket.socketpair(); a.bind('\\0other')",
        "import socket; socket.create_server(('127.0.0.1', 0))",
        "import socket; socket.getaddrinfo('localhost', 80)",
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1:TCP')",
    ];
    let (tcp_port, udp_port) = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
    each(attempts, |attempt| {
        let source = attempt.replace("TCP", &tcp_port.to_string()).replace("UDP", &udp_port.to_string());
        let report = run_job(job(&source.replace("NAME", &name)));
        assert_eq!(report.ending.verdict, Raised, "{attempt}: {}", report.ending.detail);
    });
    // A16: the same without the library.
    is_refused(&format!(
        "import ctypes\nmade = ctypes.CDLL(None).syscall({}, {}, {}, 0)\nprint('refused' if made == -1 else 'made')",
        libc::SYS_socket,
        libc::AF_INET,
        libc::SOCK_STREAM
    ));
    assert!(tcp.accept().is_err() && udp.recv(&mut [0; 8]).is_err() && local.recv(&mut [0; 8]).is_err());
    assert_next_run_works();
}

/// So that a machine without libffi can build and start the program, and no program finds native code to call.
#[test]
fn the_program_does_without_libffi() {
    let program = fs::read(env!("CARGO_BIN_EXE_fencepost")).unwrap();
    let name = b"libffi.so";
    assert!(!program.windows(name.len()).any(|part| part == name), "libffi would be loaded");
}

/// A program that swaps the channel for a pipe of its own would learn the key from the next frame.
#[test]
fn no_check_is_passed_by_a_program_that_swaps_the_channel() {
    let source = r#"
import os
mine, theirs = os.pipe()
channel = os.dup(3)
os.dup2(theirs, 3)
print('x')
key = os.read(mine, 64)[5:21]
os.dup2(channel, 3)
body = b'{"outcome":"checked","result":"passed","message":""}'
os.write(3, (17 + len(body)).to_bytes(4, 'little') + bytes([21]) + key + body)
os._exit(0)
"#;
    let report = run_job(Job { mode: Mode::Check(vec![check("never", "assert False")]), ..job(source) });
    assert_ne!(report.ending.verdict, Finished, "{report:?}");
    assert!(report.checks.iter().all(|check| check.result != CheckOutcome::Passed), "{report:?}");
    assert_next_run_works();
}

#[test]
fn a_signal_that_a_program_sends_itself_ends_it() {
    each([libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT, libc::SIGFPE], |number| {
        let report = run_job(job(&format!("import signal\nsignal.raise_signal({number})\nprint('alive')")));
        assert_eq!((report.ending.verdict, report.stdout().as_str()), (Crashed, ""), "{number}: {report:?}");
    });
}
