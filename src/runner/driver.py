"""Runs one program and says how it went. The same file serves the embedded interpreter and a real CPython.

Last part of the driver, after `driver/words.py` and `driver/trace.py`, whose names it uses.

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
SETUP = "setup"
STEP_FILE = "step"
OWN_FILES = (PROGRAM, CHECK, SETUP, STEP_FILE)

STDOUT = 1
STDERR = 2
ROW = 4

# Longest piece of text that is encoded at a time, in characters: what is written beyond the limit on output should not
# cost memory first.
PIECE = 1 << 16

# The largest line that a message has room for.
MAX_LINE = 2**32 - 1

# Beyond this, Python itself leaves with 255.
MAX_STATUS = 2**63 - 1

# A program may replace any of these in their modules. Here they stay what they were.
setprofile = sys.setprofile
TracebackException = traceback.TracebackException
StackSummary = traceback.StackSummary
quoted = json.encoder.encode_basestring


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
        data = memoryview(data)
        if data.nbytes:
            self._send(self._stream, data)
        return data.nbytes


class Text(io.TextIOWrapper):
    """The text layer over an `Output`."""

    def write(self, text):
        if type(text) is str and len(text) > PIECE:
            return sum(super(Text, self).write(text[at : at + PIECE]) for at in range(0, len(text), PIECE))
        return super().write(text)


def text_stream(stream, send):
    name = "<stdout>" if stream == STDOUT else "<stderr>"
    errors = "strict" if stream == STDOUT else "backslashreplace"
    output = Output(stream, send)
    output.name = name
    output.mode = "wb"
    text = Text(output, encoding="utf-8", errors=errors, newline="\n", write_through=True)
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
            data = memoryview(data)
            if data.nbytes:
                send(fd, data)
            return data.nbytes
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
    mode = order["mode"]
    if mode == "check":
        final = run_check(program, order["code"])
    elif mode == "trace":
        final = run_program(traced(program, order, send))
    elif mode == "scenario":
        final = run_program(lambda: run_scenario(program, order, send))
    else:
        final = run_program(program.run)
    return to_json(final)


def to_json(value):
    """JSON for what the driver itself makes. `json.dumps` could be replaced by a program."""
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        return "{" + ",".join([to_json(key) + ":" + to_json(item) for key, item in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ",".join([to_json(item) for item in value]) + "]"
    return int.__repr__(value)


def rehearse():
    """Runs once through what every program needs, before the first one comes.

    Interpreters note in their code what they have seen. Notes that are made before the fork need not be made, each on a
    fresh copy of a page, in every child.
    """
    import os

    write, argv, main = os.write, sys.argv, sys.modules.get("__main__")
    json.loads('{"mode": "run", "source": "print(1)"}')
    set_streams(lambda stream, data: None)
    set_hooks()
    for _ in range(3):
        for source in ("import sys\nfor n in [1, 2]:\n    print(n, 'x', end='')\n", "def f(n):\n    return n / 0\nf(1)\n"):
            to_json(outcome(Program(source).run))
    os.write, sys.argv = write, argv
    sys.modules["__main__"] = main


def run_program(work):
    final = outcome(work)
    leave = outcome(leave_like_python)
    if final["outcome"] == "finished" and leave["outcome"] != "raised":
        final = leave
    return final


def traced(program, order, send):
    tracer = Tracer(PROGRAM, order["steps"], order["bytes"], send)

    def work():
        tracer.start()
        program.run()

    return work


def run_scenario(program, order, send):
    """Runs the program, then each step in its namespace, and says what the watched expressions are after each."""
    program.run()
    remember_lines(SETUP, order["setup"])
    exec(compile(order["setup"], SETUP, "exec", dont_inherit=True), program.names)
    for number, step in enumerate(order["steps"]):
        result = evaluated(step, program.names, statements=True) if step is not None else None
        watched = [evaluated(expression, program.names) for expression in order["watch"]]
        share = ALL_WORDS // (len(watched) + 1)
        for one in [result, *watched]:
            if one is not None and len(one["text"]) > share:
                one["text"] = one["text"][: max(share - 3, 0)] + "..."
        send(ROW, to_json({"step": number, "result": result, "watched": watched}).encode())


def evaluated(text, names, statements=False):
    """The value of an expression, or the exception; `None` after statements that raised none."""
    try:
        text = text.strip()
        try:
            code = compile(text, STEP_FILE, "eval", dont_inherit=True)
        except SyntaxError:
            if not statements:
                raise
            exec(compile(text, STEP_FILE, "exec", dont_inherit=True), names)
            return None
        return {"text": describe(eval(code, names)), "raised": False}
    except BaseException as error:
        kind = sendable(name_of(type(error)), NAME)
        text = text_of(error)
        return {"text": sendable(f"{kind}: {text}" if text else kind), "raised": True}


def leave_like_python():
    """What the interpreter does at its end: wait for threads, call exit handlers."""
    threading._shutdown()
    atexit._run_exitfuncs()


def outcome(work):
    """Calls `work` and says how it ended, after the report that Python would print."""
    try:
        undisturbed(work)
        return {"outcome": "finished"}
    except BaseException as error:
        if not is_a(error, SystemExit):
            return raised(error)
        status = exit_status(error)
        return {"outcome": "exit", "status": status} if status else {"outcome": "finished"}


def is_a(error, kind):
    """Whether an exception is of this kind, without asking itself: its class may answer with code of the program's, which
    `isinstance` calls, and so does an `except` of a narrower kind on some interpreters.
    """
    return kind in mro_of(type(error))


def undisturbed(work):
    """Calls `work`. What it set to watch the program does not watch the driver."""
    try:
        work()
    finally:
        settrace(None)
        setprofile(None)


def exit_status(error):
    """The status that a `SystemExit` stands for. What it carries is the program's own and may do anything when asked."""
    try:
        code = error.code
        if code is None:
            return 0
        if int in mro_of(type(code)):
            status = int.__add__(code, 0)
            return status if -MAX_STATUS <= status <= MAX_STATUS else 255
        print(code, file=sys.stderr)
    except BaseException:
        pass
    return 1


def raised(error):
    kind = type(error)
    trace = traceback_of(error)
    try:
        sys.excepthook(kind, error, trace)
    except BaseException:
        # A hook of the program's own may do anything, and so may what it has put in place of `sys.stderr`.
        try:
            report(kind, error, trace)
        except BaseException:
            pass
    if is_a(error, MemoryError):
        return {"outcome": "memory"}
    return {
        "outcome": "raised",
        "exception": sendable(name_of(kind), NAME),
        "message": text_of(error),
        "line": line_of(error),
    }


def text_of(error):
    try:
        text = str(error)
        if is_a(error, SyntaxError) and error.msg is not None:
            text = str(error.msg)
        return sendable(text.strip())
    except BaseException:
        return "<its text could not be made>"


def traceback_of(error):
    """Where an exception came through. Its class may hide the attribute behind one of its own."""
    return BaseException.__traceback__.__get__(error)


def line_of(error):
    """The last line of the program that an exception went through."""
    if is_a(error, SyntaxError):
        try:
            name, line = error.filename, error.lineno
            if type(name) is str and name == PROGRAM:
                return line if type(line) is int and 0 < line <= MAX_LINE else None
        except BaseException:
            return None
    line = None
    trace = traceback_of(error)
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
    told = TracebackException(kind, error, trace, compact=True)
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
        told.stack = StackSummary.from_list(own)
    keep_own_frames(told.__cause__, seen)
    keep_own_frames(told.__context__, seen)
    for inner in told.exceptions or ():
        keep_own_frames(inner, seen)


def run_check(program, code):
    """Runs the program, then the check in its namespace."""
    try:
        undisturbed(program.run)
    except BaseException as error:
        if is_a(error, SystemExit):
            return checked("error", "the program left before its check")
        return checked("error", "the program ended before its check: " + headline(error))
    remember_lines(CHECK, code)
    try:
        undisturbed(lambda: exec(compile(code, CHECK, "exec", dont_inherit=True), program.names))
    except BaseException as error:
        if is_a(error, AssertionError):
            return checked("failed", text_of(error) or source_line(error))
        if is_a(error, SystemExit):
            return checked("error", "the check left with SystemExit")
        return checked("error", headline(error))
    return checked("passed", "")


def checked(result, message):
    return {"outcome": "checked", "result": result, "message": message}


def headline(error):
    text = text_of(error)
    name = sendable(name_of(type(error)), NAME)
    line = line_of(error)
    where = f" (line {line})" if line is not None else ""
    return sendable((f"{name}: {text}" if text else name) + where)


def source_line(error):
    """The line of the assertion itself, for a check that gives no message."""
    trace = traceback_of(error)
    text = ""
    while trace is not None:
        text = linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno).strip() or text
        trace = trace.tb_next
    return sendable(text)
