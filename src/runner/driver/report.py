"""What is said of an exception: the report that Python would print, and the words of a result.

Fourth part of the driver. Only the frames of a program's own files are shown, and nothing of the driver.
"""

import _thread
import linecache
import sys

PROGRAM = "program.py"
CHECK = "check"
SETUP = "setup"
STEP_FILE = "step"
OWN_FILES = (PROGRAM, CHECK, SETUP, STEP_FILE)

# The largest line that a message has room for.
MAX_LINE = 2**32 - 1

# The longest report of an exception, in characters: it is no output of the program, and must not use up its room.
REPORT = 8000

# From modules that may not be loaded yet: see `keep_modules`.
threading = TracebackException = StackSummary = None


def set_hooks():
    sys.excepthook = report
    # Where `threading` takes its own from when it is loaded.
    _thread._excepthook = report_thread
    module = threading or sys.modules.get("threading")
    if module is not None:
        module.excepthook = report_thread


def keep_modules():
    """Loads the modules that the driver wants for some programs only, and keeps them out of a program's reach."""
    global threading
    import threading

    load_traceback()


def load_traceback():
    global TracebackException, StackSummary
    if TracebackException is None:
        from traceback import StackSummary, TracebackException


def report(kind, error, trace):
    """Prints an exception as Python does, with the frames of the program's own files only."""
    load_traceback()
    told = TracebackException(kind, error, trace, compact=True)
    keep_own_frames(told, set())
    text = "".join(told.format())
    if len(text) > REPORT:
        text = text[: REPORT // 2] + "\n... the rest is too long to be shown ...\n" + text[-REPORT // 2 :]
    print(text, end="", file=sys.stderr)


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
    told = {"message": text_of(error), "line": line_of(error)}
    if is_a(error, MemoryError):
        return {"outcome": "memory", **told}
    return {"outcome": "raised", "exception": sendable(name_of(kind), NAME), **told}


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


def is_a(error, kind):
    """Whether an exception is of this kind, without asking itself: its class may answer with code of the program's, which
    `isinstance` calls, and so does an `except` of a narrower kind on some interpreters.
    """
    return kind in mro_of(type(error))


def failure(error):
    """Why an assertion failed: its message, or the line itself."""
    return text_of(error) or source_line(error)


def source_line(error):
    """The line of the assertion itself, for a check that gives no message."""
    trace = traceback_of(error)
    text = ""
    while trace is not None:
        text = linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno).strip() or text
        trace = trace.tb_next
    return sendable(text)


def headline(error):
    text = text_of(error)
    name = sendable(name_of(type(error)), NAME)
    line = line_of(error)
    where = f" (line {line})" if line is not None else ""
    return sendable((f"{name}: {text}" if text else name) + where)
