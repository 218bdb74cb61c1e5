"""Gives a check the built-in names and the modules that it imports as they were before the program ran.

Sixth part of the driver. A program could otherwise pass by changing what its checks are made of: `itertools.permutations`
that yields nothing, an `__import__` of its own. Only the names themselves are put back; what goes deeper, such as a class
that is equal to everything, stays the program's.
"""

import builtins
import sys

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
