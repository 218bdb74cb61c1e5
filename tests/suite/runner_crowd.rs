//! Two hundred hostile fixes that are handed in at once: every verdict is right, and nothing is left behind.
#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use fencepost::runner::{CheckOutcome, Job, Limits, Mode, Runner, Sandboxed, Verdict};

use crate::cases::{PATIENCE, wait_until};
use crate::runner_programs::{check, collect, named_executable};

use CheckOutcome::{Error, Failed, Passed};
use Verdict::{Crashed, Finished, OutOfMemory, OutputTooLong, Raised, TimedOut};

const JOBS: usize = 200;

/// A kind of hostile fix: its code, its end if that runs as the fix is loaded, and the result of a check that runs it.
struct Kind {
    name: &'static str,
    body: &'static str,
    ends: &'static [Verdict],
    check: CheckOutcome,
}

const fn kind(name: &'static str, body: &'static str, ends: &'static [Verdict], check: CheckOutcome) -> Kind {
    Kind { name, body, ends, check }
}

const OUT_OF_TIME: &[Verdict] = &[TimedOut];

/// Each body is lines that are indented by nothing, since it is put into a function as well.
const KINDS: &[Kind] = &[
    kind("the right answer", "return_42 = 42", &[Finished], Passed),
    kind("a wrong answer", "return_42 = 41", &[Finished], Failed),
    kind("a loop", "while True: pass", OUT_OF_TIME, CheckOutcome::TimedOut),
    kind("a sleep", "import time\ntime.sleep(1e9)", OUT_OF_TIME, CheckOutcome::TimedOut),
    kind("a queue that stays empty", "import queue\nqueue.Queue().get()", OUT_OF_TIME, CheckOutcome::TimedOut),
    kind("a pattern", "import re\nre.match('(a+)+$', 'a' * 40 + 'b')", OUT_OF_TIME, CheckOutcome::TimedOut),
    kind(
        "swallowed exceptions",
        "while True:\n    try: 1 / 0\n    except BaseException: pass",
        OUT_OF_TIME,
        CheckOutcome::TimedOut,
    ),
    kind(
        "ignored signals",
        "import signal\nfor number in (2, 14, 15, 24): signal.signal(number, signal.SIG_IGN)\nwhile True: pass",
        OUT_OF_TIME,
        CheckOutcome::TimedOut,
    ),
    kind(
        "a full socket",
        "import socket\na, b = socket.socketpair()\nwhile True: a.send(b'x' * 65536)",
        OUT_OF_TIME,
        CheckOutcome::TimedOut,
    ),
    kind("reading its own output", "import os\nos.read(1, 1)", OUT_OF_TIME, CheckOutcome::TimedOut),
    kind("a doubling text", "text = 'x' * 1024\nwhile True: text += text", &[OutOfMemory], Error),
    kind("too much at once", "text = 'x' * 10**12", &[OutOfMemory], Error),
    kind("many lists", "lists = []\nwhile True: lists.append([0] * 100_000)", &[OutOfMemory], Error),
    kind("a huge map", "import mmap\nmmap.mmap(-1, 2**40)", &[Raised, OutOfMemory], Error),
    kind(
        "endless threads",
        "import threading, time\n\
         while True: threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()",
        &[Raised, OutOfMemory],
        Error,
    ),
    kind("a flood", "while True: print('x' * 99)", &[OutputTooLong], Error),
    kind("a flood below print", "import os\nwhile True: os.write(2, b'x' * 99)", &[OutputTooLong], Error),
    kind(
        "a flood on the descriptor",
        "out = open(1, 'wb', buffering=0, closefd=False)\nwhile True: out.write(b'x' * 99)",
        &[OutputTooLong],
        Error,
    ),
    kind("an end below Python", "import os\nos._exit(0)", &[Crashed], Error),
    kind("abort", "import os\nos.abort()", &[Crashed], Error),
    kind("a signal to itself", "import os\nos.kill(os.getpid(), 9)", &[Crashed], Error),
    kind("a fault", "import faulthandler\nfaulthandler._sigsegv()", &[Crashed], Error),
    kind("noise in the channel", "import os\nos.write(3, b'x' * 100)\nwhile True: pass", &[Crashed], Error),
    kind(
        "a frame without the key",
        "import os\nbody = b'{\"outcome\":\"finished\"}'\n\
         os.write(3, (17 + len(body)).to_bytes(4, 'little') + bytes([21]) + bytes(16) + body)\nwhile True: pass",
        &[Crashed],
        Error,
    ),
    kind("a closed channel", "import os\nos.close(3)\nprint('after')", &[Crashed], Error),
    kind("recursion", "def f(): f()\nf()", &[Raised], Error),
    kind("an exit status", "raise SystemExit(3)", &[Raised], Error),
    kind("fork", "import os\nwhile True: os.fork()", &[Raised], Error),
    kind("a process", "import subprocess\nsubprocess.run('id')", &[Raised], Error),
    kind("an end to its parent", "import os\nos.kill(os.getppid(), 9)", &[Raised], Error),
    kind("an end to everyone", "import os\nos.kill(-1, 9)", &[Raised], Error),
    kind("a file", "open('/etc/passwd')", &[Raised], Error),
    kind("a new file", "open('/tmp/fencepost-crowd', 'w')", &[Raised], Error),
    kind("a connection", "import socket\nsocket.create_connection(('127.0.0.1', 9))", &[Raised], Error),
    kind("raw memory", "import _ctypes", &[Raised], Error),
    kind("made code", "code = (lambda: 0).__code__\ncode.replace(co_code=code.co_code)", &[Raised], Error),
    kind("every descriptor", "import os\npipes = []\nwhile True: pipes.append(os.pipe())", &[Raised], Error),
    kind(
        "descriptors on their way",
        "import array, socket\na, b = socket.socketpair()\na.setblocking(False)\n\
         while True: a.sendmsg([b'x'], [(1, 1, array.array('i', [a.fileno()] * 100).tobytes())])",
        &[Raised],
        Error,
    ),
    kind(
        "large buffers",
        "import socket\na, b = socket.socketpair()\na.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)",
        &[Raised],
        Error,
    ),
    kind(
        "marks on its descriptors",
        "import os\nfor fd in range(3): os.set_blocking(fd, False)\nraise ValueError",
        &[Raised],
        Error,
    ),
];

/// A fix, whether it is hostile at once or when a check calls it, and how it has to end.
fn fix(at: usize) -> (Job, &'static Kind, bool) {
    let kind = &KINDS[at % KINDS.len()];
    let at_once = (at / KINDS.len()).is_multiple_of(2);
    let source = if at_once {
        format!("{}\ndef answer(): return return_42\n", kind.body)
    } else {
        let mut source = "def answer():\n".to_owned();
        kind.body.lines().for_each(|line| writeln!(source, "    {line}").unwrap());
        source + "    return return_42\n"
    };
    // Whatever ends by itself gets the time for it, on a machine that has much else to do.
    let wall = if kind.ends == OUT_OF_TIME { Duration::from_millis(300) } else { Limits::MAX_WALL };
    let mode = Mode::Check(vec![check("answers", "assert answer() == 42")]);
    (Job { source, mode, limits: Limits { wall, ..Limits::default() } }, kind, at_once)
}

/// The most that there was at one time.
#[derive(Clone, Copy, Debug, Default)]
struct Peak {
    processes: usize,
    threads: usize,
    descriptors: usize,
    kib: u64,
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Counts the processes that were started from `path`, and the descriptors of this one.
fn look(path: &Path) -> Peak {
    let path = path.as_os_str().as_encoded_bytes();
    let mut now = Peak { descriptors: descriptors(), ..Peak::default() };
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        if fs::read(entry.path().join("cmdline")).is_ok_and(|line| line.starts_with(path)) {
            now.processes += 1;
            now.threads += fs::read_dir(entry.path().join("task")).map_or(0, Iterator::count);
            // Its share of what it holds, which only root may ask of a process that hides its memory.
            let share = fs::read_to_string(entry.path().join("smaps_rollup")).unwrap_or_default();
            let field = share.lines().find_map(|line| line.strip_prefix("Pss:")).unwrap_or_default();
            now.kib += field.trim().trim_end_matches(" kB").parse().unwrap_or(0);
        }
    }
    now
}

/// Not a test of its own: a process with nothing else in it.
#[test]
#[ignore = "a helper of the next test"]
fn a_parent_of_a_crowd() {
    let folder = tempfile::tempdir().unwrap();
    let path = named_executable(folder.path());
    let before = descriptors();
    let runner = Sandboxed::new(path.clone());
    let (done, is_done) = mpsc::channel::<()>();
    let watched = path.clone();
    let watcher = thread::spawn(move || {
        let mut peak = Peak::default();
        while is_done.recv_timeout(Duration::from_millis(10)) == Err(RecvTimeoutError::Timeout) {
            let now = look(&watched);
            peak.processes = peak.processes.max(now.processes);
            peak.threads = peak.threads.max(now.threads);
            peak.descriptors = peak.descriptors.max(now.descriptors);
            peak.kib = peak.kib.max(now.kib);
        }
        peak
    });
    let started = Instant::now();
    let all: Vec<_> = (0..JOBS).map(fix).map(|(job, kind, at_once)| (runner.start(job), kind, at_once)).collect();
    let mut wrong = Vec::new();
    for (handle, kind, at_once) in &all {
        let report = collect(handle, started);
        let (ends, check) = match at_once {
            true if kind.ends == [Finished] => (kind.ends, kind.check),
            true if kind.ends == OUT_OF_TIME => (kind.ends, CheckOutcome::TimedOut),
            true => (kind.ends, Error),
            false => (&[Finished][..], kind.check),
        };
        let checks: Vec<_> = report.checks.iter().map(|check| check.result).collect();
        if !ends.contains(&report.ending.verdict) || checks != [check] {
            wrong.push(format!("{}, at once {at_once}: {report:?}", kind.name));
        }
    }
    let took = started.elapsed();
    drop(done);
    let peak = watcher.join().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    drop(all);
    drop(runner);
    wait_until("no process and no descriptor left", PATIENCE, || look(&path).processes == 0 && descriptors() <= before);
    println!(
        "\n{JOBS} hostile fixes of {} kinds in {:.1} s: every verdict right, nothing left behind; at most {} processes, \
         {} threads, {} descriptors of the parent, {} MiB",
        KINDS.len(),
        took.as_secs_f64(),
        peak.processes,
        peak.threads,
        peak.descriptors,
        peak.kib >> 10
    );
}

#[test]
fn two_hundred_hostile_fixes_are_graded_at_once_and_leave_nothing() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "runner_crowd::a_parent_of_a_crowd", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    println!("{}", told.lines().find(|line| line.contains("nothing left behind")).unwrap());
}
