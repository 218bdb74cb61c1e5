"""A program's standard streams: what it writes goes to the parent at once, in order.

Third part of the driver.
"""

import io
import sys

STDOUT = 1
STDERR = 2

# Longest piece of text that is encoded at a time, in characters: what is written beyond the limit on output should not
# cost memory first.
PIECE = 1 << 16


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
