//! Attacks on the sandbox itself, with raw system calls where the engine has a way to make them. Each was seen to work before
//! it was closed.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::time::Duration;

use fencepost::runner::{Job, Limits, Sandboxed, Verdict};

use crate::runner_cpython::cpython;
use crate::runner_programs::{Report, job, run_on, runner};

use Verdict::{Crashed, Finished, OutputTooLong, Raised, TimedOut};

/// The engines that are there.
fn engines() -> impl Iterator<Item = &'static Sandboxed> {
    [runner()].into_iter().chain(cpython())
}

/// A program that reads back what it wrote, in the moment before the parent reads it, would have the parent wait for more.
#[test]
fn what_a_program_wrote_cannot_be_taken_back() {
    let Some(cpython) = cpython() else { return };
    for descriptor in [1, 2, 3] {
        let source = format!(
            "import os\nback = os.open('/proc/self/fd/{descriptor}', os.O_RDONLY)\n\
             out = open({descriptor}, 'wb', buffering=0, closefd=False)\n\
             while True: out.write(b'x' * 16), os.read(back, 16)"
        );
        let report = run_on(cpython, job(&source));
        assert_eq!(report.ending.verdict, Raised, "{report:?}");
        assert!(report.ending.detail.starts_with("OSError: [Errno 6]"), "{report:?}");
    }
}

/// Memory is given back after the last word of a program, and that takes a while where there is much.
#[test]
fn a_job_is_over_when_its_process_is_gone() {
    let ends = [
        ("", Finished),
        ("import threading\nthreading.Thread(target=lambda: [0 for _ in iter(int, 1)], daemon=True).start()", Finished),
        ("1 / 0", Raised),
        ("import os\nos._exit(0)", Crashed),
        ("while True: pass", TimedOut),
        ("while True: print('x' * 1000)", OutputTooLong),
        ("import os\nos.close(3)\nwhile True: pass", Crashed),
    ];
    for engine in engines() {
        for (end, verdict) in ends {
            // The processor may be busy with other tests, but what does not end should not take long.
            let wall = Duration::from_secs(if verdict == TimedOut { 1 } else { 10 });
            let source = format!("import os\nprint(os.getpid())\nmemory = 'x' * (150 << 20)\n{end}");
            let report = run_on(engine, Job { limits: Limits { wall, ..Limits::default() }, ..job(&source) });
            let pid = report.stdout().lines().next().unwrap_or_default().to_owned();
            assert!(!pid.is_empty() && !Path::new("/proc").join(&pid).exists(), "{end}: {report:?}");
            assert_eq!(report.ending.verdict, verdict, "{end}: {report:?}");
        }
    }
}

/// Makes threads that do nothing and need no stack, with these flags, until there are so many or none can be made.
fn bare_threads(flags: i32, count: usize) -> String {
    format!(
        "\
import ctypes, time
libc = ctypes.CDLL(None, use_errno=True)
libc.clone.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int] + [ctypes.c_void_p] * 4
memory = ctypes.create_string_buffer(1 << 16)
stack = (ctypes.addressof(memory) + (1 << 15)) & ~63
own = stack + (1 << 14)
# Where a thread finds itself.
for at in (0, 16): ctypes.c_void_p.from_address(own + at).value = own
pause = ctypes.cast(libc.pause, ctypes.c_void_p)
made = 0
while made < {count} and libc.clone(pause, stack, {flags}, None, own + 4096, own, own + 4096) != -1: made += 1
print(made, ctypes.get_errno())
time.sleep(1e6 if made > 1 else 0)
"
    )
}

const THREAD: i32 = 0x003d_0f00;

#[test]
fn the_number_of_threads_is_limited() {
    let Some(cpython) = cpython() else { return };
    let report: Report = run_on(cpython, job(&bare_threads(THREAD, 12_000)));
    let detail = "had more than 512 threads at once, so it was ended";
    assert_eq!((report.ending.verdict, report.ending.detail.as_str()), (Crashed, detail), "{report:?}");
    let honest = "import threading\nt = [threading.Thread(target=print, args=(n,)) for n in range(30)]\n\
                  for x in t: x.start()\nfor x in t: x.join()";
    assert_eq!(run_on(cpython, job(honest)).ending.verdict, Finished);
}

/// What a program does to an open file, others see that have the same one.
#[test]
fn a_program_leaves_no_marks_for_the_next() {
    let marks = "import fcntl, os\nfor fd in range(4): fcntl.fcntl(fd, fcntl.F_SETFL, os.O_NONBLOCK | os.O_APPEND)";
    let looks =
        "import fcntl, os\nprint([fcntl.fcntl(fd, fcntl.F_GETFL) & (os.O_NONBLOCK | os.O_APPEND) for fd in range(4)])";
    for engine in engines() {
        for _ in 0..4 {
            let (marked, looked) = (run_on(engine, job(marks)), run_on(engine, job(looks)));
            assert_eq!((marked.ending.verdict, looked.stdout().as_str()), (Finished, "[0, 0, 0, 0]\n"), "{marked:?}");
        }
    }
}
