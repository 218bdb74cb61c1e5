//! Attacks on the sandbox itself, with raw system calls where the engine has a way to make them. Each was seen to work before
//! it was closed.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::time::Duration;

use fencepost::runner::{Job, Limits, Part, Sandboxed, Verdict};

use crate::cases::each;
use crate::runner_cpython::{cpython, interpreter};
use crate::runner_hostile::{case, try_all, works};
use crate::runner_programs::{Report, executable, job, run, run_on, runner};

use Verdict::{Crashed, Finished, OutputTooLong, Raised, TimedOut};

/// The engines that are there.
fn engines() -> impl Iterator<Item = &'static Sandboxed> {
    [runner()].into_iter().chain(cpython())
}

/// Output of `source` on each engine that is there.
#[track_caller]
fn assert_prints(source: &str, prints: &str) {
    for engine in engines() {
        let report = run_on(engine, job(source));
        assert_eq!(report.stdout(), prints, "{}: {report:?}", report.ending.engine.name);
        assert_eq!(report.ending.verdict, Finished, "{report:?}");
    }
}

/// A program that reads back what it wrote, in the moment before the parent reads it, would have the parent wait for more.
#[test]
fn written_output_cannot_be_taken_back() {
    let Some(cpython) = cpython() else { return };
    each([1, 2, 3], |descriptor| {
        let source = format!(
            "import os\nback = os.open('/proc/self/fd/{descriptor}', os.O_RDONLY)\n\
             out = open({descriptor}, 'wb', buffering=0, closefd=False)\n\
             while True: out.write(b'x' * 16), os.read(back, 16)"
        );
        let report = run_on(cpython, job(&source));
        assert_eq!(report.ending.verdict, Raised, "{report:?}");
        assert!(report.ending.detail.starts_with("OSError: [Errno 6]"), "{report:?}");
    });
}

/// Pages of a shared mapping stay when it shrinks, and no limit counts them then.
#[test]
fn memory_that_is_not_counted_is_not_to_be_had() {
    let Some(cpython) = cpython() else { return };
    let shared = run_on(cpython, job("import mmap\nmmap.mmap(-1, 1 << 20)"));
    assert_eq!(shared.ending.detail, "PermissionError: [Errno 1] Operation not permitted (line 2)");
    let private = "import mmap\nm = mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n\
                   m[:5] = b'hello'\nprint(m[:5])";
    assert_eq!(run_on(cpython, job(private)).stdout(), "b'hello'\n");
    // The embedded interpreter never makes a shared one.
    assert_eq!(run("import mmap\nm = mmap.mmap(-1, 1 << 20)\nm[:5] = b'hello'\nprint(m[:5])").stdout(), "b'hello'\n");
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

#[test]
fn no_native_module_gives_access_to_memory() {
    let modules = ["_ctypes", "_multiprocessing", "_posixshmem", "_remote_debugging"];
    each(modules.into_iter().chain(["ctypes", "ctypes.util", "multiprocessing.shared_memory"]), |module| {
        for source in ["import NAME", "import importlib\nimportlib.import_module('NAME')"] {
            let report = run(&source.replace("NAME", module));
            assert!(report.ending.detail.starts_with("ModuleNotFoundError: "), "{module}: {report:?}");
        }
    });
    let source = "\
import _imp, importlib.machinery as machinery, sys
for name in NAMES:
    spec = machinery.ModuleSpec(name, machinery.BuiltinImporter, origin='built-in')
    found = [finder.find_spec(name) for finder in sys.meta_path]
    print(name in sys.modules, name in sys.builtin_module_names, _imp.is_builtin(name), _imp.create_builtin(spec), found)
print([kind for kind in object.__subclasses__() if 'ctypes' in kind.__module__])
";
    let nothing = "False False False None [None, None, None]\n".repeat(modules.len());
    assert_eq!(run(&source.replace("NAMES", &format!("{modules:?}"))).stdout(), format!("{nothing}[]\n"));
}

/// Code that the compiler did not make can take a number for an object, and with that for an address.
#[test]
fn no_code_is_made_from_parts() {
    let begin = "import _imp, copy, marshal, sys, types\ndef f(): return 1\ncode = f.__code__\n";
    let refused = "NotImplementedError: code is made by the compiler only, not from parts (line 4)";
    each(
        [
            "types.CodeType(0, 0, 0, 0, 0, 0, b'', (), (), (), '', '', '', 1, b'', b'')",
            "types.CodeType.__new__(types.CodeType)",
            "code.replace(co_code=code.co_code)",
            "code.replace(co_consts=())",
            "code.replace(co_name='g', co_stacksize=0)",
            "code.replace(co_flags=code.co_flags | 4)",
            "code.__replace__(co_varnames=())",
            "copy.replace(code, co_nlocals=9)",
            "types.CodeType.replace(code, co_code=b'')",
            "f.__code__ = code.replace(co_linetable=b'', co_exceptiontable=b'')",
        ],
        |attempt| {
            assert_eq!(run(&format!("{begin}{attempt}")).ending.detail, refused, "{attempt}");
        },
    );
    each(
        [
            "marshal.loads(marshal.dumps(code))",
            "marshal.load(None)",
            "del sys.modules['marshal']; import marshal; marshal.loads(b'')",
            "_imp.create_builtin(types.SimpleNamespace(name='marshal')).loads(b'')",
            "_imp.get_frozen_object('f', marshal.dumps(code))",
            "del sys.modules['_imp']; import _imp; _imp.get_frozen_object('f', b'')",
            "object.__new__(types.CodeType)",
        ],
        |attempt| {
            let report = run(&format!("{begin}{attempt}"));
            assert_eq!(report.ending.verdict, Raised, "{attempt}: {report:?}");
            let error = report.ending.detail.split(':').next().unwrap();
            assert!(["AttributeError", "TypeError"].contains(&error), "{attempt}: {report:?}");
        },
    );
    let allowed = "\
import types, asyncio
@types.coroutine
def pause(): yield
named = pause.__code__.replace(co_name='g', co_qualname='g', co_filename='there')
print(named.co_name, named.co_filename, named.co_flags == pause.__code__.co_flags)
async def main():
    await pause()
    await asyncio.sleep(0)
asyncio.run(main())
";
    assert_eq!(run(allowed).stdout(), "g there True\n");
}

#[test]
fn modules_built_on_such_modules_work_as_far_as_they_can() {
    try_all(&[
        works(
            "subprocess",
            "import subprocess, _posixsubprocess\ntry: subprocess.run('id')\nexcept PermissionError as error: print(error)\n\
             try: _posixsubprocess.fork_exec()\nexcept PermissionError as error: print(error)",
            "[Errno 1] no process can be started in the sandbox\n[Errno 1] no process can be started in the sandbox\n",
        ),
        works("marshal", "import marshal\nprint(marshal.dumps(1)[1:])", "b'\\x01\\x00\\x00\\x00'\n"),
        case("semaphores", "import multiprocessing\nmultiprocessing.Queue()", &[Raised]),
    ]);
}

/// Root has capabilities, and with them the kernel lets it past its limits.
#[test]
fn a_program_has_no_capabilities() {
    let source = "print([line.split()[1] for line in open('/proc/self/status') if line.startswith('Cap')])";
    let parts = vec![Part::Landlock, Part::Seccomp];
    let embedded = Sandboxed::without(executable(), parts.clone());
    let real = interpreter().map(|found| Sandboxed::without(executable(), parts).with_python(found));
    // What bounds it can be emptied by root only, and means nothing to others.
    let root = std::fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0);
    for engine in [Some(embedded), real].into_iter().flatten() {
        let stdout = run_on(&engine, job(source)).stdout();
        let sets: Vec<&str> = stdout.split(['\'', '[', ']', ',', ' ', '\n']).filter(|set| !set.is_empty()).collect();
        assert_eq!(sets.len(), 5, "{stdout}");
        for (at, set) in sets.into_iter().enumerate() {
            // Inheritable, permitted, effective, bounding, ambient.
            assert!(set.bytes().all(|digit| digit == b'0') || at == 3 && !root, "{stdout}");
        }
    }
}

/// Descriptors in a message that nobody has read are no descriptors of the process, and hold the buffers of what they are.
#[test]
fn descriptors_on_their_way_are_limited() {
    let source = "\
import array, socket
a, b = socket.socketpair()
a.setblocking(False)
sent = 0
try:
    while sent < 5000:
        a.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [a.fileno()] * 100).tobytes())])
        sent += 100
except OSError as error:
    print(error.errno, sent <= 400)
";
    assert_prints(source, &format!("{} True\n", libc::ETOOMANYREFS));
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
fn a_thread_is_a_thread_of_its_process_and_no_more() {
    let Some(cpython) = cpython() else { return };
    let one = |flags| {
        let report = run_on(cpython, job(&bare_threads(flags, 1)));
        assert_eq!(report.ending.verdict, Finished, "{report:?}");
        report.stdout()
    };
    assert_eq!(one(THREAD), "1 0\n");
    let others = [
        // Descriptors, and a folder, of its own.
        THREAD & !libc::CLONE_FILES,
        THREAD & !libc::CLONE_FS,
        // Namespaces.
        THREAD | libc::CLONE_NEWNET,
        THREAD | libc::CLONE_NEWUTS,
        THREAD | libc::CLONE_NEWIPC,
        THREAD | libc::CLONE_NEWCGROUP,
        // Without a parent that hears of its end, or with one that watches it.
        THREAD | libc::CLONE_PTRACE,
        THREAD | libc::CLONE_IO,
    ];
    each(others, |flags| {
        assert_eq!(one(flags), format!("0 {}\n", libc::EPERM), "{flags:x}");
    });
}

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

/// A program that changes an open file changes it for others that have the same one.
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

#[test]
fn a_socket_has_the_options_that_it_came_with() {
    let source = "\
import socket
a, b = socket.socketpair()
def refused(work):
    try: work()
    except PermissionError: return True
names = 'SO_SNDBUF SO_RCVBUF SO_SNDTIMEO SO_PASSCRED SO_LINGER SO_KEEPALIVE'.split()
numbers = [getattr(socket, name) for name in names] + [32, 33]
print(all(refused(lambda: a.setsockopt(socket.SOL_SOCKET, number, 1 << 30)) for number in numbers))
print(all(refused(lambda: a.getsockopt(socket.SOL_SOCKET, number)) for number in [17, 28, 59, 77]))
print([a.getsockopt(socket.SOL_SOCKET, n) for n in (socket.SO_TYPE, socket.SO_ERROR)], socket.socket(fileno=b.detach()).type == 1)
";
    assert_prints(source, "True\nTrue\n[1, 0] True\n");
    let streams = "\
import asyncio, socket
async def main():
    a, b = socket.socketpair()
    _, to = await asyncio.open_connection(sock=a)
    back, _ = await asyncio.open_connection(sock=b)
    to.write(b'one ')
    to.writelines([b'two ', b'three'])
    to.write_eof()
    print(await back.read())
asyncio.run(main())
";
    assert_prints(streams, "b'one two three'\n");
}
