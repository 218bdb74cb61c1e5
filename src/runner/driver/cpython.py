"""What a real CPython needs to be a runner: the channel, the last filter, the test that it holds.

Appended to the driver when it runs on CPython. The embedded interpreter has these in Rust.
"""

import json
import os
import threading

CHANNEL = 3
HELLO = 16
FINAL = 21
KINDS = {STDOUT: 18, STDERR: 19, STEP: 22, ROW: 23}
BODY = (64 << 10) - 17


class Channel:
    def __init__(self, key):
        self.key = key
        self.lock = threading.Lock()
        self.write = os.write
        self.read = os.read
        self.stat = os.fstat
        self.end = os._exit
        self.was = self.identity()

    def identity(self):
        found = self.stat(CHANNEL)
        return (found.st_dev, found.st_ino)

    def send(self, kind, body):
        frame = (17 + len(body)).to_bytes(4, "little") + bytes([kind]) + self.key + body
        with self.lock:
            # A program that has put another file in its place could read the key there.
            if self.identity() != self.was:
                self.end(LOST)
            while frame:
                frame = frame[self.write(CHANNEL, frame) :]

    def report(self, kind, data):
        data = bytes(data)
        for at in range(0, len(data), BODY):
            self.send(KINDS[kind], data[at : at + BODY])

    def read_exactly(self, size):
        data = b""
        while len(data) < size:
            piece = self.read(CHANNEL, size - len(data))
            if not piece:
                os._exit(LOST)
            data += piece
        return data

    def read_order(self):
        size = int.from_bytes(self.read_exactly(4), "little")
        return self.read_exactly(size)[17:].decode()


LOST = 70


def main(key, last_filter, hello):
    channel = Channel(key)
    hello = json.loads(hello)
    missing = hello["missing"]
    hide_memory()
    if last_filter:
        try:
            put_in_force(last_filter)
        except Exception as error:
            missing.append({"part": "seccomp", "reason": f"the last filter could not be put in force: {error}"})
    parts = [one["part"] for one in missing]
    # Without Landlock, a program could read every file that its user can: the filter allows to open for reading.
    hello["engine"]["sandbox"] = "full" if not parts else "none" if "limits" in parts else "limits_only"
    hello["refused"] = what_works(parts)
    channel.send(HELLO, to_json(hello).encode())
    if hello["refused"] is not None:
        os._exit(0)
    try:
        final = run(json.loads(channel.read_order()), channel.report)
        channel.send(FINAL, final.encode())
    finally:
        os._exit(0)


def hide_memory():
    """Keeps other processes of the user out of this one's memory: the mark was lost when it became an interpreter.

    Where that fails, nothing of the sandbox is missing: the key in this memory is worth something to a program only, and
    that has it before its eyes.
    """
    try:
        import ctypes

        # PR_SET_DUMPABLE.
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
    except Exception:
        pass


def put_in_force(program):
    import ctypes

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]

    libc = ctypes.CDLL(None, use_errno=True)
    loaded = Program(len(program) // 8, program)
    # PR_SET_NO_NEW_PRIVS, then PR_SET_SECCOMP with SECCOMP_MODE_FILTER.
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, ctypes.byref(loaded), 0, 0) != 0:
        raise OSError(os.strerror(ctypes.get_errno()))


def what_works(missing):
    """What must not work and does, or `None`."""

    def works(attempt):
        try:
            attempt()
        except OSError:
            return False
        return True

    def fork():
        if os.fork() == 0:
            os._exit(0)

    def connect():
        import _socket

        _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM).close()

    attempts = []
    if "landlock" not in missing:
        attempts.append(("a folder could be opened", lambda: os.close(os.open("/", os.O_RDONLY))))
    if "seccomp" not in missing:
        attempts.append(("a file could be opened for writing", lambda: os.close(os.open("/dev/null", os.O_WRONLY))))
        attempts.append(("a socket could be opened", connect))
        attempts.append(("a process could be forked", fork))
    for words, attempt in attempts:
        if works(attempt):
            return "the sandbox did not hold: " + words
    return None
