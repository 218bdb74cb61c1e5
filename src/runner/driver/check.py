"""Runs a check on a real CPython. On the embedded interpreter this is done in Rust: see `python/check.rs`.

Sixth part of the driver, on CPython only. Before a check, what the program changed in the built-in names and in the modules that
the check imports is undone, as far as the names themselves go. The driver shares the process with the program here, so a
determined program can still lie.
"""

import _thread
import builtins
import sys
import time

count_threads = _thread._count
sleep = time.sleep

BUILTINS = dict(builtins.__dict__)


class Pristine:
    """What `code` begins with. The modules that it imports are loaded here, before the program could change them."""

    def __init__(self, code):
        self.modules = {}
        for name in imported(code):
            try:
                __import__(name)
            except BaseException:
                # The check finds out for itself.
                continue
            while name:
                module = MODULES.get(name)
                if module is not None:
                    self.modules[name] = (module, dict(module.__dict__))
                name = name.rpartition(".")[0]

    def restore(self):
        builtins.__dict__.update(BUILTINS)
        sys.modules = MODULES
        for name, (module, names) in self.modules.items():
            MODULES[name] = module
            module.__dict__.update(names)


def imported(code):
    """The modules that `code` may import, as far as its words say; some more do no harm."""
    found = []
    for statement in code.replace(";", "\n").replace(":", "\n").split("\n"):
        words = statement.replace(",", " ").split()
        if words[:1] == ["from"]:
            found.extend(words[1:2])
        elif words[:1] == ["import"]:
            found.extend(word for at, word in enumerate(words) if at > 0 and "as" not in words[at - 1 : at + 1])
    return found


def end_threads():
    """Waits until no thread but this one is left, however long that takes: the parent looks at the clock."""
    if count_threads() > 0:
        end_executors()
    while count_threads() > 0:
        sleep(0.001)


def run_check(program, code):
    """Runs the program, then the check in its namespace."""
    pristine = Pristine(code)
    try:
        undisturbed(program.run)
    except BaseException as error:
        if is_a(error, SystemExit):
            return unreached("left", "the program left before its check")
        return unreached("raised", "the program ended before its check: " + headline(error))
    end_threads()
    pristine.restore()
    remember_lines(CHECK, code)
    try:
        undisturbed(lambda: exec(compile(code, CHECK, "exec", dont_inherit=True), program.names))
    except BaseException as error:
        if is_a(error, AssertionError):
            return checked("failed", failure(error))
        if is_a(error, SystemExit):
            return checked("error", "the check left with SystemExit")
        return checked("error", headline(error))
    return checked("passed", "")


def checked(result, message):
    return {"outcome": "checked", "result": result, "message": message}


def unreached(because, message):
    return {"outcome": "unreached", "because": because, "message": message}
