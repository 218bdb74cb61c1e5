"""Reports the steps of a program: which line, which function, which names have changed.

Second part of the driver. Only frames of the program's own file are watched; the standard library runs at full speed.
"""

import linecache
import sys

settrace = sys.settrace

STEP = 3
# Names that are looked at in one function.
LOOKED_AT = 100


class Tracer:
    def __init__(self, file, steps, size, send):
        import threading

        self.threading = threading
        self.ident = threading.get_ident
        self.file = file
        self.left = steps + 1
        self.room = size
        self.send = send
        self.lock = threading.Lock()
        # Of each frame that is alive: the frame itself, so that its id is not used twice, what was last shown of it,
        # and the last event in it.
        self.shown = {}
        self.main = self.ident()
        # RustPython calls trace functions at a return without the value. There it comes by another way.
        self.returned = {}
        self.monitors = sys.implementation.name == "rustpython"

    def start(self):
        if self.monitors:
            monitoring = sys.monitoring
            monitoring.use_tool_id(monitoring.DEBUGGER_ID, "trace")
            events = monitoring.events
            for event in (events.PY_RETURN, events.PY_YIELD):
                monitoring.register_callback(monitoring.DEBUGGER_ID, event, self.keep_returned)
            monitoring.set_events(monitoring.DEBUGGER_ID, events.PY_RETURN | events.PY_YIELD)
        self.threading.settrace(self.watch)
        settrace(self.watch)

    def keep_returned(self, code, offset, value):
        if code.co_filename != self.file or self.left <= 0:
            return sys.monitoring.DISABLE
        self.returned[self.ident()] = value

    def watch(self, frame, event, value):
        """The function that Python calls: `sys.settrace` takes it."""
        # Python calls `__annotate__` for the annotations of a class; nobody wrote that function.
        if frame.f_code.co_filename != self.file or frame.f_code.co_name == "__annotate__":
            return None
        with self.lock:
            if self.left <= 0:
                return None
            self.report(frame, event, value)
            if event == "call" and self.monitors and self.begins_at_once(frame):
                self.report(frame, "line", None)
        return self.watch

    def begins_at_once(self, frame):
        """Whether RustPython will keep quiet about the first line: it does where a module begins on line 1."""
        first = linecache.getline(self.file, 1).strip()
        return frame.f_code.co_name == "<module>" and first and not first.startswith("#")

    def report(self, frame, event, value):
        words = ""
        thread = self.ident()
        if event == "return":
            # A function that an exception leaves returns nothing. Python says that it returns `None`.
            if self.monitors:
                value = self.returned.pop(thread, None)
            if self.shown.get(id(frame), ("", "", ""))[2] != "exception":
                words = describe(value)
        elif event == "exception":
            kind, error = value[0], value[1]
            words = describe(error) if isinstance(error, BaseException) else name_of(kind)
        elif event not in ("call", "line"):
            return
        self.left -= 1
        changed, gone = self.changed(frame, event)
        step = to_json(
            {
                "kind": event,
                "line": frame.f_lineno or 1,
                "function": sendable(frame.f_code.co_name, NAME),
                "depth": self.depth(frame),
                "thread": "" if thread == self.main else sendable(self.thread_name(thread), NAME),
                "changed": changed,
                "gone": gone,
                "value": words,
            }
        ).encode()
        if event == "return":
            self.shown.pop(id(frame), None)
        self.room -= len(step)
        if self.room < 0:
            # The parent sees this one too and says that the trace is full.
            self.left = 0
        self.send(STEP, step)

    def depth(self, frame):
        depth = 0
        frame = frame.f_back
        while frame is not None and depth < 100_000:
            if frame.f_code.co_filename == self.file:
                depth += 1
            frame = frame.f_back
        return depth

    def thread_name(self, ident):
        for thread in self.threading.enumerate():
            if thread.ident == ident:
                name = thread.name
                return name if type(name) is str else "?"
        return "?"

    def changed(self, frame, event):
        before = self.shown.get(id(frame), (None, {}, ""))[1]
        now = {}
        # RustPython's `f_locals` of a module takes names away that an annotation needs.
        module = frame.f_code.co_name == "<module>"
        names = frame.f_globals if module else frame.f_locals
        for name, value in list(dict(names).items())[:LOOKED_AT]:
            if type(name) is str and not name.startswith(("__", ".")) and type(value) not in UNINTERESTING:
                look_at(name[:NAME], value, now)
        changed = []
        # What has no room in this step is sent with the next one.
        shown = {name: before[name] for name in now if name in before}
        room = ALL_WORDS - WORDS
        for name, words in now.items():
            if before.get(name) != words and room > 0:
                room -= len(words) + len(name)
                changed.append({"name": sendable(name, 2 * NAME), "value": words})
                shown[name] = words
        self.shown[id(frame)] = (frame, shown, event)
        gone = [sendable(name, 2 * NAME) for name in before if name not in now]
        return changed, gone


UNINTERESTING = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)


def look_at(name, value, now):
    """Adds what is to be shown of one name: the value, or for the program's own objects each attribute."""
    family = mro_of(type(value))
    if type in family:
        return
    attributes = {}
    if is_own(family) and BaseException not in family:
        try:
            attributes = attributes_of(value, family)
        except BaseException:
            attributes = {}
    if not attributes or "_name_" in attributes:
        now[name] = describe(value)
        return
    now[name] = "<" + name_of(type(value)) + ">"
    for attribute, inner in list(attributes.items())[:ITEMS]:
        if type(attribute) is str:
            now[name + "." + attribute[:NAME]] = describe(inner)
