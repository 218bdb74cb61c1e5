//! Output that is too long, means harm to a terminal, or pretends to be the runner's word. B22 to B30 are cases of the
//! project's list of hostile inputs, as in `runner_hostile.rs`; B31 is in `cli.rs`.
#![cfg(target_os = "linux")]

use std::time::Duration;

use fencepost::runner::{Job, Limits, Verdict};

use crate::cases::each;
use crate::runner_hostile::{case, try_all, try_within, works};
use crate::runner_programs::{job, run_job};

use Verdict::{Crashed, Finished, OutputTooLong, Raised, TimedOut};

#[test]
fn output_is_limited_and_its_beginning_kept() {
    let reports = try_all(&[
        case("B22 a flood of lines", "while 1: print('x' * 99)", &[OutputTooLong]),
        case("one long text", "print('x' * 10**7, end='')", &[OutputTooLong]),
        case("a flood on the other stream", "import sys\nwhile 1: print('x' * 99, file=sys.stderr)", &[OutputTooLong]),
        case("a flood below print", "import os\nwhile 1: os.write(1, b'x' * 99)", &[OutputTooLong]),
        case(
            "a flood on the descriptor itself",
            "out = open(1, 'wb', buffering=0, closefd=False)\nwhile 1: out.write(b'x' * 99)",
            &[OutputTooLong],
        ),
        case(
            "a flood from threads",
            "import threading\ndef f():\n    while 1: print('x' * 99)\nfor _ in range(4): threading.Thread(target=f).start()",
            &[OutputTooLong],
        ),
    ]);
    // The interpreter needs its time to make that much, before any of it is written.
    let long = [case("B23 a text of a hundred million", "print('x' * 10**8, end='')", &[OutputTooLong])];
    each(reports.into_iter().chain(try_within(Limits::MAX_WALL, &long)), |report| {
        let kept: usize = report.chunks.iter().map(|chunk| chunk.text.len()).sum();
        assert_eq!(kept, 64 << 10, "{}", report.ending.detail);
        assert_eq!(report.ending.detail, "wrote more than 64 KiB; only the beginning is kept");
    });
    // B30: what was written before the end is kept, in order, whatever layer held it.
    let source = "import sys\nprint('one', end='')\nprint('two', end='', file=sys.stderr)\nsys.stdout.write('three')\nwhile 1: pass";
    let limits = Limits { wall: Duration::from_secs(1), ..Limits::default() };
    let killed = run_job(Job { limits, ..job(source) });
    assert_eq!((killed.ending.verdict, killed.transcript().as_str()), (TimedOut, "one!twothree"));
    let exact = run_job(job("print('x' * (64 * 1024 - 1))"));
    assert_eq!((exact.ending.verdict, exact.stdout().len()), (Finished, 64 << 10));
}

#[test]
fn terminal_tricks_arrive_as_they_were_written() {
    // Making them harmless is the screen's work; losing or changing them here would hide them.
    let cases = [
        ("B24 clipboard", "print('\\x1b]52;c;QQ==\\x07')", "\x1b]52;c;QQ==\x07\n"),
        (
            "B25 a false verdict",
            "print('\\x1b[2J\\x1b[H\\u2713 Correct\\r\\b')",
            "\x1b[2J\x1b[H\u{2713} Correct\r\u{8}\n",
        ),
        ("B26 eight-bit control", "print('\\x9b31m\\0\\v')", "\u{9b}31m\0\u{b}\n"),
        ("B27 directions", "print('\\u202e\\u2066\\u061c\\u2028')", "\u{202e}\u{2066}\u{61c}\u{2028}\n"),
        (
            "B28 joined emoji",
            "print('\\U0001f469\\u200d\\U0001f466\\u267b\\ufe0f')",
            "\u{1f469}\u{200d}\u{1f466}\u{267b}\u{fe0f}\n",
        ),
        ("B29 not UTF-8", "import os\nos.write(1, b'\\xff\\x80')", "\u{fffd}\u{fffd}"),
    ];
    each(cases, |(name, source, prints)| {
        let report = run_job(job(source));
        assert_eq!((report.ending.verdict, report.stdout().as_str()), (Finished, prints), "{name}");
    });
    // Half a character is no text at all.
    let surrogate = run_job(job("print(chr(0xDC80))"));
    assert_eq!(surrogate.ending.verdict, Raised);
    assert!(surrogate.ending.detail.starts_with("UnicodeEncodeError"), "{}", surrogate.ending.detail);
}

#[test]
fn the_channel_does_not_believe_a_program() {
    try_all(&[
        case("bytes in the channel", "import os\nos.write(3, b'x' * 100)\nwhile 1: pass", &[Crashed]),
        case(
            "a frame without the key",
            "import os\nbody = b'{\"outcome\":\"finished\"}'\nos.write(3, (17 + len(body)).to_bytes(4, 'little') + bytes([21]) + b'\\0' * 16 + body)\nwhile 1: pass",
            &[Crashed],
        ),
        case("half a frame", "import os\nos.write(3, b'\\x20')\n", &[Crashed]),
        case("a closed channel", "import os\nos.close(3)\nprint('after')", &[Crashed]),
        case(
            "another descriptor in its place",
            "import os\nr, w = os.pipe()\nos.dup2(w, 3)\nprint('after')",
            &[Crashed, TimedOut],
        ),
        case(
            "frames on standard output",
            "import os\nos.write(1, b'\\x27\\0\\0\\0\\x15' + b'\\0' * 16 + b'{\"outcome\":\"finished\"}')\nraise ValueError",
            &[Raised],
        ),
    ]);
}

#[test]
fn replacing_parts_of_the_driver_does_not_turn_an_end_into_another() {
    try_all(&[
        case(
            "json",
            "import json\njson.dumps = lambda *a, **k: '{\"outcome\":\"finished\"}'\nraise ValueError(1)",
            &[Raised],
        ),
        case(
            "the built-in names",
            "import builtins\nfor n in list(vars(builtins)):\n    try: delattr(builtins, n)\n    except Exception: pass\nundefined",
            &[Raised, Crashed],
        ),
        case(
            "isinstance",
            "import builtins\nbuiltins.isinstance = lambda *a: False\nbuiltins.str = None\nraise ValueError(1)",
            &[Raised],
        ),
        case("traceback", "import traceback\ntraceback.TracebackException = None\n1/0", &[Raised]),
        case("a hook that leaves", "import sys, os\nsys.excepthook = lambda *a: os._exit(0)\n1/0", &[Crashed]),
        case("a hook that raises", "import sys\ndef h(*a): raise SystemExit(0)\nsys.excepthook = h\n1/0", &[Raised]),
        case(
            "a trace function that raises",
            "import sys\ndef t(*a): 1/0\nsys.settrace(t)\ndef f(): pass\nf()",
            &[Raised],
        ),
        case(
            "an exception without text",
            "class E(BaseException):\n    def __str__(self): raise ValueError\nraise E",
            &[Raised],
        ),
        case("a text that is none", "class E(Exception):\n    def __str__(self): return 3\nraise E", &[Raised]),
        case(
            "a class with a long name",
            "raise type('E' * 10**6, (Exception,), {})('x' * 10**6)",
            &[Raised, OutputTooLong],
        ),
        case("a closed stdout", "import sys\nsys.stdout.close()\nprint('x')", &[Raised]),
        case("no stderr", "import sys\nsys.stderr = None\n1/0", &[Raised]),
        works(
            "its own signal handler",
            "import os, signal\nsignal.signal(signal.SIGTERM, lambda *a: print('term'))\nos.kill(os.getpid(), signal.SIGTERM)\nprint('after')",
            "term\nafter\n",
        ),
        works("no join", "import threading\nthreading._shutdown = None\nprint(1)", "1\n"),
    ]);
}
