//! Programs that must work in the sandbox. Each needs system calls that the filter allows.
#![cfg(target_os = "linux")]

use std::time::Duration;

use crate::runner_hostile::{try_all, try_within, works};

/// Each of these needs calls that the filter lists for nothing else: without them, its name is printed.
#[test]
fn functions_of_os_signal_select_and_socket_for_open_descriptors_work() {
    let source = r#"
import os, select, signal, socket, threading, time, resource
r, w = os.pipe()
a, b = socket.socketpair()

def polled():
    poll = select.poll()
    poll.register(w)
    assert poll.poll(1)

def waited():
    epoll = select.epoll()
    epoll.register(w)
    assert epoll.poll(0.01)
    epoll.close()

def alarmed():
    rung = []
    signal.signal(signal.SIGALRM, lambda *args: rung.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    assert len(signal.getitimer(signal.ITIMER_REAL)) == 2
    signal.pause()
    assert rung == [1] and signal.alarm(0) == 0

def masked():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    signal.signal(signal.SIGUSR2, lambda *args: None)
    signal.raise_signal(signal.SIGUSR2)

def grown():
    numbers, text = [], bytearray()
    for n in range(200_000): numbers.append(n)
    for n in range(20): text += b"x" * 500_000

def threads():
    done = []
    started = [threading.Thread(target=done.append, args=(n,)) for n in range(8)]
    for thread in started: thread.start()
    for thread in started: thread.join()
    time.sleep(0.001)
    assert len(done) == 8

needs = {
    "dup": lambda: os.close(os.dup(r)),
    "dup2": lambda: os.close(os.dup2(r, 40)),
    "fstat": lambda: os.fstat(r),
    "flags": lambda: (os.get_inheritable(r), os.set_blocking(r, False), os.set_inheritable(r, False)),
    "read": lambda: (os.write(w, b"x"), os.read(r, 1)),
    "select": lambda: select.select([r], [w], [], 0.01),
    "poll": polled,
    "epoll": waited,
    "messages": lambda: (a.sendmsg([b"x"]), b.recvmsg(1), a.send(b"x"), b.recv(1)),
    "options": lambda: a.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR),
    "names": lambda: (a.getsockname(), a.getpeername()),
    "timeout": lambda: (a.settimeout(0.1), a.setblocking(True)),
    "shutdown": lambda: a.shutdown(socket.SHUT_RDWR),
    "clocks": lambda: (time.clock_getres(time.CLOCK_MONOTONIC), time.process_time(), time.thread_time(), time.localtime()),
    "alarm": alarmed,
    "mask": masked,
    "itself": lambda: (os.getpid(), os.getppid(), os.getuid(), os.geteuid(), os.getgid(), os.getegid(), os.uname(), os.times()),
    "usage": lambda: (resource.getrusage(resource.RUSAGE_SELF), resource.getrlimit(resource.RLIMIT_AS)),
    "folder": lambda: os.getcwd(),
    "machine": lambda: (os.sysconf("SC_PHYS_PAGES"), os.cpu_count()),
    "random": lambda: os.urandom(8),
    "memory": grown,
    "threads": threads,
}
missing = []
for name, need in needs.items():
    try: need()
    except BaseException as error: missing.append((name, repr(error)))
print(missing)
"#;
    try_within(Duration::from_secs(20), &[works("what is open", source, "[]\n")]);
}

#[test]
fn programs_can_do_what_they_should_be_able_to() {
    try_all(&[
        works(
            "A19 asyncio",
            "import asyncio\nasync def m():\n    await asyncio.sleep(0.01)\n    return await asyncio.to_thread(sum, [1, 2])\nprint(asyncio.run(m()))",
            "3\n",
        ),
        works(
            "asyncio tasks",
            "import asyncio\nasync def w(n):\n    await asyncio.sleep(0)\n    return n\nasync def m():\n    async with asyncio.TaskGroup() as g:\n        t = [g.create_task(w(n)) for n in range(3)]\n    return [x.result() for x in t]\nprint(asyncio.run(m()))",
            "[0, 1, 2]\n",
        ),
        works(
            "A19 a thread pool",
            "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(2) as p: print(list(p.map(abs, [-1, -2])))",
            "[1, 2]\n",
        ),
        works(
            "threads and locks",
            "import threading\nn = 0\nl = threading.Lock()\ndef f():\n    global n\n    for _ in range(100):\n        with l: n += 1\nt = [threading.Thread(target=f) for _ in range(8)]\nfor x in t: x.start()\nfor x in t: x.join()\nprint(n)",
            "800\n",
        ),
        works(
            "A19 time",
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
