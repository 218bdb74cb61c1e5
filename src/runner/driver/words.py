"""Turns values into words without running any code of the program.

First part of the driver. A program's `__repr__` may loop, raise, print or return a megabyte, so it is never called:
objects of the program's own classes are shown by their attributes.
"""

import itertools
import sys
import types
from _collections import deque

# Longest words for one value, and for all values of one message, in characters.
WORDS = 2000
ALL_WORDS = 8000
NAME = 200
ITEMS = 50
DEPTH = 4

MAIN = "__main__"
mro_of = type.__dict__["__mro__"].__get__
class_dict_of = type.__dict__["__dict__"].__get__
class_name_of = type.__dict__["__name__"].__get__
PLAIN = (int, float, complex, bool, bytes, type(None), type(...), type(NotImplemented), bytearray)
NAMED = (types.FunctionType, types.BuiltinFunctionType, types.GeneratorType, types.CoroutineType)
VIEWS = (type({}.keys()), type({}.values()), type({}.items()))
MODULES = sys.modules
# Types of the standard library that write themselves, from nothing but numbers and text of their own. Everything else
# there may hold something of the program's, whose code would then run: such a value is only named.
LEAVES = (
    ("datetime", "date"),
    ("datetime", "datetime"),
    ("datetime", "time"),
    ("datetime", "timedelta"),
    ("decimal", "Decimal"),
    ("fractions", "Fraction"),
    ("array", "array"),
)


def sendable(text, limit=WORDS):
    """`text`, cut, and without halves of characters, which UTF-8 cannot carry."""
    return text[:limit].encode("utf-8", "replace").decode("utf-8")


def describe(value):
    """`value` in words, at most `WORDS` characters."""
    try:
        words = in_words(value, 0, {})
    except BaseException:
        words = "<" + name_of(type(value)) + ">"
    if len(words) > WORDS:
        words = words[: WORDS - 3] + "..."
    return sendable(words)


def name_of(kind):
    try:
        return class_name_of(kind)[:NAME]
    except BaseException:
        return "object"


def in_words(value, depth, above):
    kind = type(value)
    if kind is str:
        return str.__repr__(value) if len(value) <= WORDS else str.__repr__(value[:WORDS]) + "..."
    if kind in PLAIN:
        return plain(value, kind)
    family = mro_of(kind)
    if type in family:
        return f"<class {name_of(value)}>"
    if kind in NAMED:
        return f"<{name_of(kind)} {value.__name__[:NAME]}>"
    if kind is types.MethodType:
        # Its name is that of what it calls, which may be any object.
        called = value.__func__
        return f"<method {called.__name__[:NAME] if type(called) is types.FunctionType else '?'}>"
    if kind is types.ModuleType:
        return "<module>"
    # The values above this one, by identity: something that holds itself is not followed again.
    if id(value) in above or depth >= DEPTH:
        return "..."
    above = {**above, id(value): None}
    if kind is slice or kind is range:
        ends = [in_words(item, depth + 1, above) for item in (value.start, value.stop, value.step)]
        if kind is range and ends[2] == "1":
            del ends[2]
        return f"{name_of(kind)}({', '.join(ends)})"
    if BaseException in family:
        inner = [in_words(item, depth + 1, above) for item in BaseException.args.__get__(value)[:ITEMS]]
        return f"{name_of(kind)}({', '.join(inner)})"
    shown = container(value, kind, family, depth, above)
    if shown is not None:
        return shown
    attributes = attributes_of(value, family)
    if is_own(family):
        if "_name_" in attributes and type(attributes["_name_"]) is str:
            return f"{name_of(kind)}.{attributes['_name_'][:NAME]}"
        inner = [
            f"{name}={in_words(item, depth + 1, above)}"
            for name, item in itertools.islice(attributes.items(), ITEMS)
            if type(name) is str
        ]
        return f"{name_of(kind)}({', '.join(inner)})"
    if is_leaf(value, kind, attributes):
        return kind.__repr__(value)
    return f"<{name_of(kind)}>"


def is_leaf(value, kind, attributes):
    """Whether a value is of one of `LEAVES`, as the library made it, and holds nothing but numbers and text."""
    for module, name in LEAVES:
        module = dict.get(MODULES, module)
        if type(module) is types.ModuleType and module.__dict__.get(name) is kind:
            break
    else:
        return False
    # Where the library is written in Python, a program can replace its methods and what its objects hold.
    for member in class_dict_of(kind).values():
        if type(member) is types.FunctionType and member.__globals__.get("__name__") == MAIN:
            return False
    plain_items = [type(item) in (int, str, bool, type(None)) or is_fixed_zone(item) for item in attributes.values()]
    if not all(plain_items):
        return False
    # A time zone may be of the program's own class.
    return name not in ("datetime", "time") or value.tzinfo is None or is_fixed_zone(value.tzinfo)


def is_fixed_zone(zone):
    """Whether a time zone is one of the library's own, with an offset and at most a name."""
    module = dict.get(MODULES, "datetime")
    return type(module) is types.ModuleType and module.__dict__.get("timezone") is type(zone)


def plain(value, kind):
    if kind in (bytes, bytearray) and len(value) > WORDS:
        return kind.__repr__(value[:WORDS]) + "..."
    if kind is int and value.bit_length() > 4096:
        return f"<int of {value.bit_length()} bits>"
    return kind.__repr__(value)


def container(value, kind, family, depth, above):
    """A list, tuple, set, dictionary or queue, or a subclass of one; else `None`."""

    def listed(items):
        shown = [in_words(item, depth + 1, above) for item in itertools.islice(items, ITEMS + 1)]
        if len(shown) > ITEMS:
            shown[ITEMS:] = ["..."]
        return ", ".join(shown)

    def named(words, plain_kind):
        return words if kind is plain_kind else f"{name_of(kind)}({words})"

    if list in family:
        return named(f"[{listed(list.__iter__(value))}]", list)
    if tuple in family:
        fields = class_dict_of(kind).get("_fields")
        if type(fields) is tuple and len(fields) == tuple.__len__(value):
            pairs = zip(fields, tuple.__iter__(value))
            return f"{name_of(kind)}({', '.join([f'{name}={in_words(item, depth + 1, above)}' for name, item in pairs])})"
        comma = "," if tuple.__len__(value) == 1 else ""
        return named(f"({listed(tuple.__iter__(value))}{comma})", tuple)
    for base in (set, frozenset):
        if base in family:
            words = listed(base.__iter__(value))
            if base is set:
                return named(f"{{{words}}}" if words else "set()", set)
            return f"{name_of(kind)}({{{words}}})" if words else f"{name_of(kind)}()"
    if dict in family:
        pairs = itertools.islice(dict.items(value), ITEMS + 1)
        shown = [f"{in_words(key, depth + 1, above)}: {in_words(item, depth + 1, above)}" for key, item in pairs]
        if len(shown) > ITEMS:
            shown[ITEMS:] = ["..."]
        return named("{" + ", ".join(shown) + "}", dict)
    if kind in VIEWS:
        return f"{name_of(kind)}([{listed(kind.__iter__(value))}])"
    if deque in family:
        most = deque.maxlen.__get__(value)
        bound = "" if most is None else f", maxlen={most}"
        return f"{name_of(kind)}([{listed(deque.__iter__(value))}]{bound})"
    for base in (int, float, str, bytes):
        # An enumeration or a number with a name, which `is_own` shows by it; or a plain one of another class.
        if base in family and "_name_" not in attributes_of(value, family):
            return base.__repr__(value)[:WORDS]
    return None


def is_own(family):
    """Whether a class of the program, or of a check, is among these."""
    return any([class_dict_of(kind).get("__module__") == MAIN for kind in family])


def attributes_of(value, family):
    """The attributes that an object holds itself. Properties are not asked."""
    found = {}
    for kind in family:
        names = class_dict_of(kind)
        descriptor = names.get("__dict__")
        if descriptor is not None:
            if type(descriptor) is types.GetSetDescriptorType:
                held = descriptor.__get__(value)
                if type(held) is dict:
                    found.update(held)
            break
    for kind in family:
        for name, descriptor in class_dict_of(kind).items():
            if type(descriptor) is types.MemberDescriptorType and not name.startswith("__"):
                try:
                    found.setdefault(name, descriptor.__get__(value))
                except AttributeError:
                    pass
    return found
