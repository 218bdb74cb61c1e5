"""Runs one program and says how it went. The same file serves the embedded interpreter and a real CPython.

Last part of the driver, after the files in `driver/`, whose names it uses.

The Rust side calls `run(order, send)`: `order` is what is to be done, `send(stream, data)` writes to the parent, and the
result is JSON, the body of the last frame. For a check on the embedded interpreter it calls `begin_check` instead, and
runs both itself. A program shares this interpreter, so nothing here is a secret from it, and nothing here decides how a
check ended there.

Modules that take longer to load than a small program takes to run are not imported here: the first program after a start
should not wait for what it does not use.
"""

import atexit
import builtins
import linecache
import sys
import types

ROW = 4

# Beyond this, Python itself leaves with 255.
MAX_STATUS = 2**63 - 1

try:
    from _json import encode_basestring as quoted
except ImportError:
    from json.encoder import encode_basestring as quoted

# What stands in JSON for characters that may not stand there themselves.
ESCAPES = {character: f"\\u{character:04x}" for character in range(32)}
ESCAPES.update({ord('"'): '\\"', ord("\\"): "\\\\"})

# A program may replace any of these in their modules. Here they stay what they were.
setprofile = sys.setprofile


class Program:
    """The program under test and the module that it lives in."""

    def __init__(self, source, code=None):
        self.source = source
        self.code = code
        self.module = types.ModuleType("__main__")
        self.names = self.module.__dict__
        self.names["__builtins__"] = builtins
        self.names["__file__"] = PROGRAM
        remember_lines(PROGRAM, source)

    def enter(self):
        sys.modules["__main__"] = self.module
        sys.argv = [PROGRAM]

    def run(self):
        self.enter()
        code = self.code or compile(self.source, PROGRAM, "exec", dont_inherit=True)
        exec(code, self.names)


def remember_lines(name, source):
    # Python ends a line at a line feed only; `splitlines` would end it at others too.
    lines = [line + "\n" for line in source.split("\n")]
    linecache.cache[name] = (len(source), None, lines, name)


def reseed():
    """Children are copies of one process: without this, all of them would draw the same numbers."""
    random = sys.modules.get("random")
    if random is not None:
        random.seed()


def begin(source, send, code=None):
    """Gets ready for a program, which may have been compiled."""
    set_streams(send)
    set_hooks()
    reseed()
    return Program(source, code)


def begin_check(source, send):
    """Gets ready for a program with a check, both of which Rust runs. Returns the program's module."""
    program = begin(source, send)
    program.enter()
    return program.module


def end_executors():
    """Ends threads that wait for work, as the interpreter does at its end. Their executors can start new ones."""
    module = threading or sys.modules.get("threading")
    if module is None:
        return
    pools = sys.modules.get("concurrent.futures.thread")
    kept = []
    if pools is not None:
        import gc

        # An executor that the program has shut down stays so.
        kept = [it for it in gc.get_objects() if isinstance(it, pools.ThreadPoolExecutor) and not it._shutdown]
    for call in reversed(module._threading_atexits):
        call()
    if pools is not None:
        pools._shutdown = False
    for executor in kept:
        executor._shutdown = False
        executor._threads.clear()
        executor._idle_semaphore = module.Semaphore(0)
        executor._work_queue = type(executor._work_queue)()


def run(order, send, code=None):
    program = begin(order["source"], send, code)
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
    """JSON for what the driver itself makes. `json.dumps` could be replaced by a program, and RustPython's writes some
    control characters as JSON does not know them.
    """
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value) if value.isprintable() else '"' + value.translate(ESCAPES) + '"'
    if isinstance(value, dict):
        return "{" + ",".join([to_json(key) + ":" + to_json(item) for key, item in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ",".join([to_json(item) for item in value]) + "]"
    return int.__repr__(value)


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
    module = threading or sys.modules.get("threading")
    if module is not None:
        module._shutdown()
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
