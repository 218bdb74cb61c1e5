"""A program that does what most programs do, for the interpreter to get ready on.

Fifth part of the driver.
"""

import linecache
import sys

REHEARSAL = """\
import sys
class Box:
    kind = "box"
    def __init__(self, held=()):
        self.held = list(held)
    def add(self, *more, **named):
        self.held.extend(more)
        return len(self.held)
    def __repr__(self):
        return f"Box({self.held!r:>4})"
def each(box):
    for at, item in enumerate(box.held):
        yield at, item
box = Box([1, 2])
box.add(3, 4.5, "x", None)
names = {"a": 1, "b": [2, 3]}
names["c"] = {n: n * n for n in range(9) if n % 2}
for key, value in sorted(names.items(), key=lambda pair: pair[0]):
    print(key, value, sep="=", end="\\n")
try:
    names["d"]
except (KeyError, ValueError) as error:
    print(type(error).__name__, error)
finally:
    print(f"{3.5:.2f} {box} {[*each(box)]} {max(1, 2)}".upper().split(" ", 1), True and not False)
assert len(names) == 3 and isinstance(box, Box)
"""


def rehearse(rounds):
    """Runs through what every program needs, before the real one comes. Leaves nothing that a program could see.

    Interpreters note in their code what they have seen. Notes that are made before the fork need not be made, each on a
    fresh copy of a page, in every child; and the pages that a child has copied before its program comes, it need not copy
    while somebody waits.
    """
    import os

    write, argv, main = os.write, sys.argv, sys.modules.get("__main__")
    set_streams(lambda stream, data: None)
    set_hooks()
    for _ in range(rounds):
        for source in (REHEARSAL, "def f(n):\n    return n / 0\nf(1)\n"):
            to_json(outcome(Program(source).run))
    linecache.cache.pop(PROGRAM, None)
    os.write, sys.argv = write, argv
    sys.modules["__main__"] = main
