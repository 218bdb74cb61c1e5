"""Runs one program and says how it went. The same file serves the embedded interpreter and a real CPython.

`run(order, send)` is all that the Rust side knows: `order` is JSON, `send(stream, data)` writes to the parent, and the
result is JSON again, the body of the last frame. A program shares this interpreter, so nothing here is a secret from
it; what must hold against a program holds outside of this process.
"""

import atexit
import builtins
import io
import json
import linecache
import sys
import threading
import traceback
import types

PROGRAM = "program.py"
CHECK = "check"
OWN_FILES = (PROGRAM, CHECK)

STDOUT = 1
STDERR = 2

# Longest text of a message, in characters. The parent cuts again.
MESSAGE = 2000


class Output(io.RawIOBase):
    """A program's stdout or stderr: each write goes to the parent at once."""

    def __init__(self, stream, send):
        self._stream = stream
        self._send = send

    def writable(self):
        return True

    def fileno(self):
        return self._stream

    def isatty(self):
        return False

    def write(self, data):
        data = bytes(data)
        if data:
            self._send(self._stream, data)
        return len(data)


def text_stream(stream, send):
    name = "<stdout>" if stream == STDOUT else "<stderr>"
    errors = "strict" if stream == STDOUT else "backslashreplace"
    output = Output(stream, send)
    output.name = name
    output.mode = "wb"
    text = io.TextIOWrapper(output, encoding="utf-8", errors=errors, newline="\n", write_through=True)
    text.mode = "w"
    return text


def set_streams(send):
    sys.stdout = sys.__stdout__ = text_stream(STDOUT, send)
    sys.stderr = sys.__stderr__ = text_stream(STDERR, send)
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    order_raw_writes(send)


def order_raw_writes(send):
    """Sends `os.write` to descriptors 1 and 2 the same way as `print`, so that the order is kept.

    What goes to the descriptors by other ways arrives too, but beside the rest.
    """
    import os

    def write(fd, data, /, *, _write=os.write):
        if type(fd) is int and fd in (STDOUT, STDERR):
            data = bytes(data)
            if data:
                send(fd, data)
            return len(data)
        return _write(fd, data)

    os.write = write


class Program:
    """The program under test and the module that it lives in."""

    def __init__(self, source):
        self.source = source
        self.module = types.ModuleType("__main__")
        self.names = self.module.__dict__
        self.names["__builtins__"] = builtins
        self.names["__file__"] = PROGRAM
        remember_lines(PROGRAM, source)

    def run(self):
        sys.modules["__main__"] = self.module
        sys.argv = [PROGRAM]
        exec(compile(self.source, PROGRAM, "exec", dont_inherit=True), self.names)


def remember_lines(name, source):
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)


def reseed():
    """Children are copies of one process: without this, all of them would draw the same numbers."""
    random = sys.modules.get("random")
    if random is not None:
        random.seed()


def run(order, send):
    order = json.loads(order)
    set_streams(send)
    set_hooks()
    reseed()
    program = Program(order["source"])
    if order["mode"] == "check":
        final = run_check(program, order["code"])
    else:
        final = run_program(program)
    return json.dumps(final)


def run_program(program):
    final = outcome(program.run)
    leave = outcome(leave_like_python)
    if final["outcome"] == "finished" and leave["outcome"] != "raised":
        final = leave
    return final


def leave_like_python():
    """What the interpreter does at its end: wait for threads, call exit handlers."""
    threading._shutdown()
    atexit._run_exitfuncs()


def outcome(work):
    """Calls `work` and says how it ended, after the report that Python would print."""
    try:
        work()
        return {"outcome": "finished"}
    except SystemExit as error:
        status = exit_status(error)
        return {"outcome": "exit", "status": status} if status else {"outcome": "finished"}
    except BaseException as error:
        return raised(error)


def exit_status(error):
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return int(error.code)
    print(error.code, file=sys.stderr)
    return 1


def raised(error):
    kind = type(error)
    try:
        sys.excepthook(kind, error, error.__traceback__)
    except BaseException:
        # A hook of the program's own may do anything.
        report(kind, error, error.__traceback__)
    if isinstance(error, MemoryError):
        return {"outcome": "memory"}
    return {
        "outcome": "raised",
        "exception": kind.__name__[:MESSAGE],
        "message": text_of(error),
        "line": line_of(error),
    }


def text_of(error):
    try:
        text = str(error)
        if isinstance(error, SyntaxError) and error.msg is not None:
            text = str(error.msg)
        return sendable(text)
    except BaseException:
        return "<its text could not be made>"


def sendable(text):
    return text[:MESSAGE].encode("utf-8", "replace").decode("utf-8")


def line_of(error):
    """The last line of the program that an exception went through."""
    if isinstance(error, SyntaxError) and error.filename == PROGRAM:
        return error.lineno
    line = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == PROGRAM:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def set_hooks():
    sys.excepthook = report
    threading.excepthook = report_thread


def report(kind, error, trace):
    """Prints an exception as Python does, with the frames of the program's own files only."""
    told = traceback.TracebackException(kind, error, trace, compact=True)
    keep_own_frames(told, set())
    print("".join(told.format()), end="", file=sys.stderr)


def report_thread(args):
    if args.exc_type is SystemExit:
        return
    name = args.thread.name if args.thread is not None else "?"
    print(f"Exception in thread {name}:", file=sys.stderr)
    report(args.exc_type, args.exc_value, args.exc_traceback)


def keep_own_frames(told, seen):
    if told is None or id(told) in seen:
        return
    seen.add(id(told))
    if told.stack is not None:
        own = [frame for frame in told.stack if frame.filename in OWN_FILES]
        told.stack = traceback.StackSummary.from_list(own)
    keep_own_frames(told.__cause__, seen)
    keep_own_frames(told.__context__, seen)
    for inner in told.exceptions or ():
        keep_own_frames(inner, seen)


def run_check(program, code):
    """Runs the program, then the check in its namespace."""
    try:
        program.run()
    except SystemExit:
        return checked("error", "the program left before its check")
    except BaseException as error:
        return checked("error", "the program ended before its check: " + headline(error))
    remember_lines(CHECK, code)
    try:
        exec(compile(code, CHECK, "exec", dont_inherit=True), program.names)
    except AssertionError as error:
        return checked("failed", text_of(error) or source_line(error))
    except SystemExit:
        return checked("error", "the check left with SystemExit")
    except BaseException as error:
        return checked("error", headline(error))
    return checked("passed", "")


def checked(result, message):
    return {"outcome": "checked", "result": result, "message": message}


def headline(error):
    text = text_of(error)
    name = type(error).__name__
    line = line_of(error)
    where = f" (line {line})" if line is not None else ""
    return sendable((f"{name}: {text}" if text else name) + where)


def source_line(error):
    """The line of the assertion itself, for a check that gives no message."""
    trace = error.__traceback__
    text = ""
    while trace is not None:
        text = linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno).strip() or text
        trace = trace.tb_next
    return sendable(text)
