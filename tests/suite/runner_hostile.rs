//! Programs that mean harm, or are merely wrong, by kind of attack. Whatever they try, nothing outside is touched, the
//! parent answers at once, the next run works, and nothing but a clean end counts as finished.
#![cfg(target_os = "linux")]

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fencepost::runner::{Job, Limits, Runner, Verdict};

use crate::runner_programs::{Report, assert_next_run_works, collect, job, run_job, runner};

use Verdict::{Crashed, Finished, OutOfMemory, OutputTooLong, Raised, TimedOut};

/// A program, its possible ends, and what its whole output must be if it finishes.
struct Case {
    name: &'static str,
    source: &'static str,
    ends: &'static [Verdict],
    prints: Option<&'static str>,
}

const fn case(name: &'static str, source: &'static str, ends: &'static [Verdict]) -> Case {
    Case { name, source, ends, prints: None }
}

const fn works(name: &'static str, source: &'static str, prints: &'static str) -> Case {
    Case { name, source, ends: &[Finished], prints: Some(prints) }
}

#[track_caller]
fn try_all(cases: &[Case]) -> Vec<Report> {
    try_within(Duration::from_secs(1), cases)
}

#[track_caller]
fn try_within(wall: Duration, cases: &[Case]) -> Vec<Report> {
    let limits = Limits { wall, ..Limits::default() };
    let mut reports = Vec::new();
    for case in cases {
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
    }
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
fn deep_nesting_is_an_exception_or_a_crash_of_its_own() {
    try_all(&[
        case("nested brackets in eval", "eval('[' * 5000 + '1' + ']' * 5000)", &[Finished, Raised, Crashed]),
        case("nested signs in eval", "eval('-' * 100000 + '1')", &[Raised, Crashed]),
        case("nested brackets in json", "import json\njson.loads('[' * 50000)", &[Raised, Crashed]),
        case("nested braces in json", "import json\njson.loads('{\"a\":' * 50000)", &[Raised, Crashed]),
        case("endless recursion", "def f(): f()\nf()", &[Raised]),
        case(
            "endless recursion without a limit",
            "import sys\nsys.setrecursionlimit(2**31 - 1)\ndef f(): f()\nf()",
            &[Raised, Crashed, TimedOut, OutOfMemory],
        ),
        case("repr of itself", "class A:\n    def __repr__(self): return repr(self)\nrepr(A())", &[Raised, Crashed]),
        case(
            "repr of a million lists in each other",
            "x = []\nfor _ in range(10**6): x = [x]\nrepr(x)",
            &[Raised, Crashed, TimedOut, OutOfMemory],
        ),
        case(
            "the end of a million lists in each other",
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
    for (open, close) in [("[", "]"), ("(", ")"), ("{0:", "}"), ("not ", ""), ("lambda: ", "")] {
        let source = format!("x = {}1{}", open.repeat(20_000), close.repeat(20_000));
        let report = run_job(Job { limits: Limits::default(), ..job(&source) });
        let verdict = report.ending.verdict;
        assert!(matches!(verdict, Finished | Raised | Crashed | TimedOut | OutOfMemory), "{open}: {verdict:?}");
        assert_next_run_works();
    }
}

#[test]
fn a_bug_of_the_interpreter_is_a_crash_or_an_exception() {
    try_all(&[
        case("precision of a million", "f'{1.5:.1000000}'", &[Raised, Crashed, Finished]),
        case("tabs of no width", "'a\\tb'.expandtabs(0)", &[Raised, Crashed, Finished]),
        case("a null pointer", "import ctypes\nctypes.string_at(0)", &[Raised, Crashed]),
        case("a deliberate fault", "import faulthandler\nfaulthandler._sigsegv()", &[Crashed]),
        case("abort", "import os\nos.abort()", &[Crashed]),
        case("an own signal", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", &[Crashed]),
    ]);
}

#[test]
fn what_does_not_end_is_ended() {
    let reports = try_all(&[
        case("a loop", "while 1: pass", &[TimedOut]),
        case(
            "a length that asks itself",
            "class L:\n    def __len__(self): return iter(self).__length_hint__()\n    def __getitem__(self, i): return i\nlen(L())",
            &[TimedOut, Raised],
        ),
        case("a long sleep", "import time\ntime.sleep(1e9)", &[TimedOut]),
        case("a queue that stays empty", "import queue\nqueue.Queue().get()", &[TimedOut]),
        case("a lock that is held", "import threading\nl = threading.Lock()\nl.acquire()\nl.acquire()", &[TimedOut]),
        case(
            "asyncio that waits",
            "import asyncio\nasync def m(): await asyncio.Event().wait()\nasyncio.run(m())",
            &[TimedOut],
        ),
        case(
            "ignored signals",
            "import signal\nfor s in (signal.SIGALRM, signal.SIGTERM, signal.SIGXCPU, signal.SIGINT):\n    signal.signal(s, signal.SIG_IGN)\nwhile 1: pass",
            &[TimedOut],
        ),
        case(
            "an exit handler that loops",
            "import atexit\ndef f():\n    while 1: pass\natexit.register(f)",
            &[TimedOut],
        ),
        case(
            "a thread that goes on",
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
            assert_eq!(report.ending.detail, "stopped after 1.0 s");
        }
        assert!(report.took < Duration::from_secs(3), "{report:?}");
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
        try_within(Duration::from_secs(20), &[case("a doubling text", "x = 'x'\nwhile 1: x += x", &[OutOfMemory])]);
    reports.extend(try_all(&[
        case("a doubling list", "x = [0]\nwhile 1: x += x", &[OutOfMemory, TimedOut]),
        case("a dictionary", "d = {}\nwhile 1: d[len(d)] = 'x' * 10000", &[OutOfMemory, TimedOut]),
        case("too much at once", "x = 'x' * 10**12", &[OutOfMemory]),
        case("too long a list", "x = [0] * 10**10", &[OutOfMemory]),
        case("too long an array", "x = bytearray(10**10)", &[OutOfMemory]),
        case("an uncaught MemoryError", "raise MemoryError", &[OutOfMemory]),
        case(
            "endless threads",
            "import threading, time\nwhile 1: threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()",
            &[Raised, OutOfMemory, TimedOut],
        ),
        case("the status of an end without memory", "import os\nos._exit(77)", &[Crashed]),
        case("that status after half a frame", "import os\nos.write(3, b'\\x20')\nos._exit(77)", &[Crashed]),
        case("a huge map", "import mmap\nmmap.mmap(-1, 2**40)", &[Raised, OutOfMemory]),
    ]));
    for report in reports {
        if report.ending.verdict == OutOfMemory {
            assert_eq!(report.ending.detail, "wanted more than 256 MiB of memory");
        }
    }
}

#[test]
fn no_process_comes_about_and_none_is_signalled() {
    let mut bystander = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap();
    try_all(&[
        case("fork", "import os\nwhile 1: os.fork()", &[Raised]),
        case("subprocess", "import subprocess\nsubprocess.run('id')", &[Raised]),
        case("a shell", "import os\nassert os.system('id') == 0", &[Raised]),
        case("exec", "import os\nos.execv('/bin/sh', ['sh'])", &[Raised]),
        case("multiprocessing", "import multiprocessing as m\nm.Process(target=print).start()", &[Raised]),
        case("kill the parent", "import os\nos.kill(os.getppid(), 9)", &[Raised]),
        case("kill everyone", "import os\nos.kill(-1, 9)", &[Raised]),
        case("kill the group", "import os\nos.kill(0, 9)", &[Raised]),
    ]);
    // A bare system call. The embedded interpreter may have no way to make one, which is as good.
    let bare = run_job(job(&bare_fork()));
    assert!(["refused\n", ""].contains(&bare.stdout().as_str()), "{bare:?}");
    assert!(bare.ending.verdict == Finished || bare.stdout().is_empty(), "{bare:?}");
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
    for attempt in attempts {
        let source = attempt.replace("PATH", path).replace("FOLDER", folder.path().to_str().unwrap());
        let report = run_job(job(&source));
        assert_eq!(report.ending.verdict, Raised, "{attempt}: {}", report.ending.detail);
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(shared_memory(), shared);
    assert_next_run_works();
}

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
    for attempt in attempts {
        let source = attempt.replace("TCP", &tcp_port.to_string()).replace("UDP", &udp_port.to_string());
        let report = run_job(job(&source.replace("NAME", &name)));
        assert_eq!(report.ending.verdict, Raised, "{attempt}: {}", report.ending.detail);
    }
    assert!(tcp.accept().is_err() && udp.recv(&mut [0; 8]).is_err() && local.recv(&mut [0; 8]).is_err());
    assert_next_run_works();
}

#[test]
fn output_is_limited_and_its_beginning_kept() {
    let reports = try_all(&[
        case("a flood of lines", "while 1: print('x' * 99)", &[OutputTooLong]),
        case("one long text", "print('x' * 10**7, end='')", &[OutputTooLong]),
        case("a flood on the other stream", "import sys\nwhile 1: print('x' * 99, file=sys.stderr)", &[OutputTooLong]),
        case("a flood below print", "import os\nwhile 1: os.write(1, b'x' * 99)", &[OutputTooLong]),
        case(
            "a flood on the descriptor itself",
            "out = open(1, 'wb', buffering=0, closefd=False)\nwhile 1: out.write(b'x' * 99)",
            &[OutputTooLong],
        ),
        case(
            "a flood from threads",
            "import threading\ndef f():\n    while 1: print('x' * 99)\nfor _ in range(4): threading.Thread(target=f).start()",
            &[OutputTooLong],
        ),
    ]);
    for report in reports {
        let kept: usize = report.chunks.iter().map(|chunk| chunk.text.len()).sum();
        assert_eq!(kept, 64 << 10, "{}", report.ending.detail);
        assert_eq!(report.ending.detail, "wrote more than 64 KiB; only the beginning is kept");
        assert!(report.ending.wall_ms < 1000.0);
    }
    let exact = run_job(job("print('x' * (64 * 1024 - 1))"));
    assert_eq!((exact.ending.verdict, exact.stdout().len()), (Finished, 64 << 10));
}

#[test]
fn terminal_tricks_arrive_as_they_were_written() {
    // Making them harmless is the screen's work; losing or changing them here would hide them.
    let cases = [
        ("clipboard", "print('\\x1b]52;c;QQ==\\x07')", "\x1b]52;c;QQ==\x07\n"),
        ("a false verdict", "print('\\x1b[2J\\x1b[H\\u2713 Correct\\r\\b')", "\x1b[2J\x1b[H\u{2713} Correct\r\u{8}\n"),
        ("eight-bit control", "print('\\x9b31m\\0\\v')", "\u{9b}31m\0\u{b}\n"),
        ("directions", "print('\\u202e\\u2066\\u061c\\u2028')", "\u{202e}\u{2066}\u{61c}\u{2028}\n"),
        (
            "joined emoji",
            "print('\\U0001f469\\u200d\\U0001f466\\u267b\\ufe0f')",
            "\u{1f469}\u{200d}\u{1f466}\u{267b}\u{fe0f}\n",
        ),
        ("not UTF-8", "import os\nos.write(1, b'\\xff\\x80')", "\u{fffd}\u{fffd}"),
    ];
    for (name, source, prints) in cases {
        let report = run_job(job(source));
        assert_eq!((report.ending.verdict, report.stdout().as_str()), (Finished, prints), "{name}");
    }
    let surrogate = run_job(job("print(chr(0xDC80))"));
    assert_eq!(surrogate.ending.verdict, Raised);
    assert!(surrogate.ending.detail.starts_with("UnicodeEncodeError"), "{}", surrogate.ending.detail);
}

#[test]
fn the_channel_does_not_believe_a_program() {
    try_all(&[
        case("bytes in the channel", "import os\nos.write(3, b'x' * 100)\nwhile 1: pass", &[Crashed]),
        case(
            "a frame without the key",
            "import os\nbody = b'{\"outcome\":\"finished\"}'\nos.write(3, (17 + len(body)).to_bytes(4, 'little') + bytes([21]) + b'\\0' * 16 + body)\nwhile 1: pass",
            &[Crashed],
        ),
        case("half a frame", "import os\nos.write(3, b'\\x20')\n", &[Crashed]),
        case("a closed channel", "import os\nos.close(3)\nprint('after')", &[Crashed]),
        case(
            "another descriptor in its place",
            "import os\nr, w = os.pipe()\nos.dup2(w, 3)\nprint('after')",
            &[Crashed, TimedOut],
        ),
        case(
            "frames on standard output",
            "import os\nos.write(1, b'\\x27\\0\\0\\0\\x15' + b'\\0' * 16 + b'{\"outcome\":\"finished\"}')\nraise ValueError",
            &[Raised],
        ),
    ]);
}

#[test]
fn replacing_parts_of_the_driver_does_not_turn_an_end_into_another() {
    try_all(&[
        case(
            "json",
            "import json\njson.dumps = lambda *a, **k: '{\"outcome\":\"finished\"}'\nraise ValueError(1)",
            &[Raised],
        ),
        case(
            "the built-in names",
            "import builtins\nfor n in list(vars(builtins)):\n    try: delattr(builtins, n)\n    except Exception: pass\nundefined",
            &[Raised, Crashed],
        ),
        case(
            "isinstance",
            "import builtins\nbuiltins.isinstance = lambda *a: False\nbuiltins.str = None\nraise ValueError(1)",
            &[Raised],
        ),
        case("traceback", "import traceback\ntraceback.TracebackException = None\n1/0", &[Raised]),
        case("a hook that leaves", "import sys, os\nsys.excepthook = lambda *a: os._exit(0)\n1/0", &[Crashed]),
        case("a hook that raises", "import sys\ndef h(*a): raise SystemExit(0)\nsys.excepthook = h\n1/0", &[Raised]),
        case(
            "a trace function that raises",
            "import sys\ndef t(*a): 1/0\nsys.settrace(t)\ndef f(): pass\nf()",
            &[Raised],
        ),
        case(
            "an exception without text",
            "class E(BaseException):\n    def __str__(self): raise ValueError\nraise E",
            &[Raised],
        ),
        case("a text that is none", "class E(Exception):\n    def __str__(self): return 3\nraise E", &[Raised]),
        case(
            "a class with a long name",
            "raise type('E' * 10**6, (Exception,), {})('x' * 10**6)",
            &[Raised, OutputTooLong],
        ),
        case("a closed stdout", "import sys\nsys.stdout.close()\nprint('x')", &[Raised]),
        case("no stderr", "import sys\nsys.stderr = None\n1/0", &[Raised]),
        works(
            "its own signal handler",
            "import os, signal\nsignal.signal(signal.SIGTERM, lambda *a: print('term'))\nos.kill(os.getpid(), signal.SIGTERM)\nprint('after')",
            "term\nafter\n",
        ),
        works("no join", "import threading\nthreading._shutdown = None\nprint(1)", "1\n"),
    ]);
}

#[test]
fn what_programs_should_be_able_to_do_works() {
    try_all(&[
        works(
            "asyncio",
            "import asyncio\nasync def m():\n    await asyncio.sleep(0.01)\n    return await asyncio.to_thread(sum, [1, 2])\nprint(asyncio.run(m()))",
            "3\n",
        ),
        works(
            "asyncio tasks",
            "import asyncio\nasync def w(n):\n    await asyncio.sleep(0)\n    return n\nasync def m():\n    async with asyncio.TaskGroup() as g:\n        t = [g.create_task(w(n)) for n in range(3)]\n    return [x.result() for x in t]\nprint(asyncio.run(m()))",
            "[0, 1, 2]\n",
        ),
        works(
            "a thread pool",
            "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(2) as p: print(list(p.map(abs, [-1, -2])))",
            "[1, 2]\n",
        ),
        works(
            "threads and locks",
            "import threading\nn = 0\nl = threading.Lock()\ndef f():\n    global n\n    for _ in range(100):\n        with l: n += 1\nt = [threading.Thread(target=f) for _ in range(8)]\nfor x in t: x.start()\nfor x in t: x.join()\nprint(n)",
            "800\n",
        ),
        works(
            "time",
            "import random, datetime, time\nprint(0 <= random.random() < 1, datetime.datetime.now().year > 2000, time.monotonic() > 0)",
            "True True True\n",
        ),
        works(
            "sqlite in memory",
            "import sqlite3\nc = sqlite3.connect(':memory:')\nc.execute('create table t(a)')\nc.execute('insert into t values (1)')\nprint(c.execute('select * from t').fetchall())",
            "[(1,)]\n",
        ),
        works(
            "secrets",
            "import secrets, uuid, hashlib\nprint(len(secrets.token_hex(4)), uuid.uuid4().version, hashlib.sha256(b'x').hexdigest()[:4])",
            "8 4 2d71\n",
        ),
        works(
            "data classes",
            "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int = 1\nprint(P())",
            "P(x=1)\n",
        ),
        works("generics", "class Box[T]:\n    def __init__(self, v: T): self.v = v\nprint(Box(1).v)", "1\n"),
        works("match", "match [1, 2]:\n    case [a, b]: print(a + b)", "3\n"),
    ]);
}
