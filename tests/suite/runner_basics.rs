//! The runner's daily work: output, exceptions, exits, stops and checks.

use std::time::{Duration, Instant};

use fencepost::runner::{CheckOutcome, Job, Level, Limits, Mode, Runner, Stream, Unreached, Verdict};

use crate::cases::each;
use crate::runner_cpython::cpython;
use crate::runner_programs::{check, collect, job, run, run_job, run_on, runner};

#[test]
fn a_program_runs_to_its_end() {
    let report = run("print('hello')");
    assert_eq!(report.stdout(), "hello\n");
    assert_eq!(report.stderr(), "");
    assert_eq!(report.ending.verdict, Verdict::Finished, "{report:?}");
    assert_eq!(report.ending.detail, "ran to its end");
    assert!(report.ending.wall_ms > 0.0);
    let engine = &report.ending.engine;
    assert_eq!(
        (engine.name.as_str(), engine.version.as_str(), engine.python.as_str()),
        ("RustPython", "0.5.0", "3.14.0")
    );
    assert_eq!(engine.sandbox, Level::Full);
}

#[test]
fn output_arrives_in_order() {
    let cases = [
        (
            "both streams",
            "import sys\nfor n in range(3):\n    print(n)\n    print('err', n, file=sys.stderr)",
            "0\n!err 0\n1\n!err 1\n2\n!err 2\n",
        ),
        ("without a newline", "print('a', end='')\nprint('b', end='')", "ab"),
        (
            "below print",
            "import os\nos.write(1, b'one\\n')\nprint('two')\nos.write(2, b'three\\n')\nprint('four')",
            "one\ntwo\n!three\nfour\n",
        ),
        ("bytes", "import sys\nsys.stdout.buffer.write(b'raw\\n')\nprint('text')", "raw\ntext\n"),
        (
            "a cut character",
            "import sys\nsys.stdout.buffer.write(b'\\xe2\\x82')\nsys.stdout.buffer.write(b'\\xac\\n')",
            "\u{20ac}\n",
        ),
        ("not UTF-8", "import os\nos.write(1, b'a\\xff\\x80b\\n')", "a\u{fffd}\u{fffd}b\n"),
        ("half a character at the end", "import os\nos.write(1, b'a\\xe2\\x82')", "a\u{fffd}"),
        ("carriage returns and NUL", "print('a\\rb\\0c')", "a\rb\0c\n"),
        ("emoji", "print('\\U0001f469\\u200d\\U0001f52c')", "\u{1f469}\u{200d}\u{1f52c}\n"),
        ("exit handlers", "import atexit\natexit.register(print, 'bye')\nprint('hi')", "hi\nbye\n"),
        (
            "threads",
            "import threading\nt = threading.Thread(target=print, args=('in a thread',))\nt.start()",
            "in a thread\n",
        ),
        (
            "a redirected stream",
            "import contextlib, io\ns = io.StringIO()\nwith contextlib.redirect_stdout(s):\n    print('x')\nprint(len(s.getvalue()))",
            "2\n",
        ),
    ];
    each(cases, |(name, source, wanted)| {
        let report = run(source);
        assert_eq!(report.transcript(), wanted, "{name}");
        assert_eq!(report.ending.verdict, Verdict::Finished, "{name}");
    });
}

#[test]
fn a_descriptor_that_is_used_directly_is_captured_too() {
    let report = run("with open(1, 'wb', closefd=False) as out:\n    out.write(b'direct\\n')");
    assert_eq!((report.stdout().as_str(), report.ending.verdict), ("direct\n", Verdict::Finished), "{report:?}");
}

#[test]
fn a_program_sees_itself_as_main_and_nothing_else() {
    let source = "\
import sys, os
print(__name__, __file__, sys.argv)
import __main__
__main__.x = 1
print(x)
print(repr(sys.stdin.read()))
print(sorted(os.environ), os.getcwd())
try:
    input()
except EOFError:
    print('no input')
";
    let report = run(source);
    let wanted = "__main__ program.py ['program.py']\n1\n''\n['LANG', 'TZ'] /\nno input\n";
    assert_eq!(report.stdout(), wanted, "{}", report.stderr());
    assert_eq!(report.ending.verdict, Verdict::Finished);
}

#[test]
fn every_child_draws_its_own_random_numbers() {
    let source = "import random\nprint(random.random())";
    let first = run(source).stdout();
    let second = run(source).stdout();
    assert!(first.starts_with("0."), "{first}");
    assert_ne!(first, second);
}

#[test]
fn ends_have_their_verdicts() {
    let cases = [
        ("1/0", Verdict::Raised, "ZeroDivisionError: division by zero (line 1)"),
        ("def f():\n    raise KeyError('k')\n\nf()", Verdict::Raised, "KeyError: 'k' (line 2)"),
        ("raise ValueError", Verdict::Raised, "ValueError (line 1)"),
        ("x = (", Verdict::Raised, "SyntaxError"),
        ("raise KeyboardInterrupt", Verdict::Raised, "KeyboardInterrupt (line 1)"),
        (
            "import nothing_like_this",
            Verdict::Raised,
            "ModuleNotFoundError: No module named 'nothing_like_this' (line 1)",
        ),
        ("raise SystemExit", Verdict::Finished, "ran to its end"),
        ("import sys\nsys.exit(0)", Verdict::Finished, "ran to its end"),
        ("exit(0)", Verdict::Finished, "ran to its end"),
        ("raise SystemExit(3)", Verdict::Raised, "left with exit status 3"),
        ("raise SystemExit('no')", Verdict::Raised, "left with exit status 1"),
        ("import sys\nsys.stderr.close()\nsys.exit('bye')", Verdict::Raised, "left with exit status 1"),
        ("import sys\nsys.stderr = None\nsys.exit('bye')", Verdict::Raised, "left with exit status 1"),
        (
            "class E:\n    def __str__(self): raise SystemExit(0)\nraise SystemExit(E())",
            Verdict::Raised,
            "left with exit status 1",
        ),
        (
            "class N(int):\n    def __int__(self): raise ValueError\n    __index__ = __add__ = __int__\nraise SystemExit(N(5))",
            Verdict::Raised,
            "left with exit status 5",
        ),
        (
            "class S(SystemExit):\n    @property\n    def code(self): raise ValueError\nraise S(0)",
            Verdict::Raised,
            "left with exit status 1",
        ),
        (
            "class L:\n    @property\n    def __class__(self): raise ValueError\nraise SystemExit(L())",
            Verdict::Raised,
            "left with exit status 1",
        ),
        ("import sys\nsys.exit(True)", Verdict::Raised, "left with exit status 1"),
        ("import sys\nsys.exit(2**70)", Verdict::Raised, "left with exit status 255"),
        ("import sys\nsys.exit(-2**70)", Verdict::Raised, "left with exit status 255"),
        (
            "class E(Exception):\n    @property\n    def __class__(self): raise ValueError\nraise E('x')",
            Verdict::Raised,
            "E: x (line 4)",
        ),
        (
            "class E(Exception):\n    @property\n    def __traceback__(self): raise ValueError\nraise E('x')",
            Verdict::Raised,
            "E: x (line 4)",
        ),
        (
            "e = SyntaxError('x')\ne.filename, e.lineno = 'program.py', 2**70\nraise e",
            Verdict::Raised,
            "SyntaxError: x",
        ),
        ("import os\nos._exit(0)", Verdict::Crashed, "left at once with status 0, as `os._exit` does, before its end"),
        ("import os\nos._exit(3)", Verdict::Crashed, "left at once with status 3, as `os._exit` does, before its end"),
        ("import os\nos.abort()", Verdict::Crashed, "the interpreter was ended by signal 6 (SIGABRT: it gave up)"),
        ("raise MemoryError", Verdict::OutOfMemory, "wanted more than 256 MiB of memory"),
    ];
    each(cases, |(source, verdict, detail)| {
        let report = run(source);
        let ending = &report.ending;
        assert_eq!(ending.verdict, verdict, "{source}: {report:?}");
        assert!(ending.detail.starts_with(detail), "{source}: {}", ending.detail);
    });
}

#[test]
fn a_traceback_shows_the_program_and_nothing_of_the_driver() {
    let source = "\
import asyncio

async def work():
    return {}['missing']

async def main():
    await work()

try:
    asyncio.run(main())
except KeyError as error:
    raise RuntimeError('wrapped') from error
";
    let report = run(source);
    let wanted = "\
Traceback (most recent call last):
  File \"program.py\", line 10, in <module>
    asyncio.run(main())
    ~~~~~~~~~~~^^^^^^^^
  File \"program.py\", line 7, in main
    await work()
          ~~~~^^
  File \"program.py\", line 4, in work
    return {}['missing']
           ~~^^^^^^^^^^^
KeyError: 'missing'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File \"program.py\", line 12, in <module>
    raise RuntimeError('wrapped') from error
RuntimeError: wrapped
";
    assert_eq!(report.stderr(), wanted);
    assert_eq!(report.ending.detail, "RuntimeError: wrapped (line 12)");
}

#[test]
fn an_exception_in_a_thread_is_reported_and_does_not_end_the_program() {
    let source = "\
import threading

def work():
    1 / 0

t = threading.Thread(target=work, name='worker')
t.start()
t.join()
print('after')
";
    let report = run(source);
    assert_eq!(report.ending.verdict, Verdict::Finished);
    assert_eq!(report.stdout(), "after\n");
    let wanted = "\
Exception in thread worker:
Traceback (most recent call last):
  File \"program.py\", line 4, in work
    1 / 0
    ~~^~~
ZeroDivisionError: division by zero
";
    assert_eq!(report.stderr(), wanted);
}

#[test]
fn time_is_wall_time() {
    let limits = Limits { wall: Duration::from_millis(300), ..Limits::default() };
    let cases = [
        ("a loop", "print('before', end='')\nwhile True: pass"),
        ("a sleep", "import time\nprint('before', end='')\ntime.sleep(1e9)"),
        ("a queue that stays empty", "import queue\nprint('before', end='')\nqueue.Queue().get()"),
    ];
    each(cases, |(name, source)| {
        let report = run_job(Job { limits, ..job(source) });
        assert_eq!(report.ending.verdict, Verdict::TimedOut, "{name}");
        assert_eq!(report.ending.detail, "stopped after 0.3 s by the clock", "{name}");
        assert_eq!(report.stdout(), "before", "{name}: what was written before the end is kept");
        assert!(report.ending.wall_ms >= 300.0, "{name}");
    });
}

#[test]
fn a_job_can_be_stopped_before_and_while_it_runs() {
    let handle = runner().start(job("print('started')\nwhile True: pass"));
    let started = Instant::now();
    let first = handle.next();
    assert!(matches!(&first, Some(fencepost::runner::Event::Output(chunk)) if chunk.stream == Stream::Stdout));
    handle.stop();
    handle.stop();
    let report = collect(&handle, started);
    assert_eq!(report.ending.verdict, Verdict::Stopped);
    assert!(report.ending.detail.starts_with("stopped by you after "), "{}", report.ending.detail);

    let at_once = runner().start(job("while True: pass"));
    at_once.stop();
    assert_eq!(collect(&at_once, Instant::now()).ending.verdict, Verdict::Stopped);
}

fn checked(source: &str, checks: &[(&str, &str)]) -> crate::runner_programs::Report {
    let checks = checks.iter().map(|(name, code)| check(name, code)).collect();
    run_job(Job { mode: Mode::Check(checks), ..job(source) })
}

fn outcomes(report: &crate::runner_programs::Report) -> Vec<(&str, CheckOutcome, &str)> {
    report.checks.iter().map(|check| (check.name.as_str(), check.result, check.message.as_str())).collect()
}

#[test]
fn checks_run_in_order_each_in_a_fresh_child() {
    let source = "\
values = [1, 2]

def add(a, b):
    return a + b

print('once')
";
    let report = checked(
        source,
        &[
            ("adds", "assert add(1, 2) == 3"),
            ("spoils", "values.clear()\ndef add(a, b): return 0\nassert add(1, 2) == 0"),
            ("is not spoilt", "assert values == [1, 2] and add(1, 2) == 3"),
            ("says why", "for n in range(3):\n    assert add(n, 1) != 2, f'n = {n}'"),
            ("does not say why", "x = 1\nassert   add(1, 1) == 3"),
            ("breaks", "add(1)"),
            ("leaves", "raise SystemExit(0)"),
            ("is no Python", "assert ("),
            ("is main", "assert __name__ == '__main__'\nprint('unheard')"),
        ],
    );
    assert_eq!(report.stdout(), "once\n");
    assert_eq!(report.ending.verdict, Verdict::Finished);
    let mut found = outcomes(&report);
    let syntax = found.remove(7);
    assert_eq!(
        found,
        [
            ("adds", CheckOutcome::Passed, ""),
            ("spoils", CheckOutcome::Passed, ""),
            ("is not spoilt", CheckOutcome::Passed, ""),
            ("says why", CheckOutcome::Failed, "n = 1"),
            ("does not say why", CheckOutcome::Failed, "assert   add(1, 1) == 3"),
            ("breaks", CheckOutcome::Error, "TypeError: add() missing 1 required positional argument: 'b'"),
            ("leaves", CheckOutcome::Error, "the check left with SystemExit"),
            ("is main", CheckOutcome::Passed, ""),
        ]
    );
    assert_eq!((syntax.0, syntax.1), ("is no Python", CheckOutcome::Error));
    assert!(syntax.2.starts_with("SyntaxError"), "{}", syntax.2);
}

#[test]
fn a_check_that_does_not_come_to_an_end_is_its_own_outcome() {
    let limits = Limits { wall: Duration::from_millis(300), ..Limits::default() };
    let checks = [
        ("loops", "while True: pass"),
        ("eats", "x = b'x'\nwhile True: x += x"),
        ("floods", "while True: print('x' * 999)"),
        ("crashes", "import os\nos._exit(0)"),
        ("works", "assert True"),
    ];
    let checks = checks.iter().map(|(name, code)| check(name, code)).collect();
    // Filling memory takes longer than 0.3 s on a busy machine, so that one gets less of it.
    let limits = Limits { memory: 64 << 20, wall: Duration::from_secs(1), ..limits };
    let report = run_job(Job { mode: Mode::Check(checks), limits, ..job("print('ok')") });
    let wanted = [
        ("loops", CheckOutcome::TimedOut, "stopped after 1.0 s by the clock"),
        ("eats", CheckOutcome::Error, "wanted more than 64 MiB of memory"),
        ("floods", CheckOutcome::Error, "wrote more than 64 KiB; only the beginning is kept"),
        ("crashes", CheckOutcome::Error, "left at once with status 0, as `os._exit` does, before its end"),
        ("works", CheckOutcome::Passed, ""),
    ];
    assert_eq!(outcomes(&report), wanted);
    assert_eq!((report.ending.verdict, report.stdout().as_str()), (Verdict::Finished, "ok\n"));
}

#[test]
fn a_program_that_ends_early_never_comes_to_its_checks() {
    let cases = [
        (
            "raises",
            "1/0",
            Verdict::Raised,
            Unreached::Unfinished,
            "the program did not come to its check: ZeroDivisionError: division by zero (line 1)",
        ),
        ("leaves", "raise SystemExit(0)", Verdict::Finished, Unreached::Left, "the program left before its check"),
        (
            "raises only before a check",
            "import sys\n\n\nassert sys._getframe().f_back\n",
            Verdict::Finished,
            Unreached::Raised,
            "the program ended before its check: AssertionError (line 4)",
        ),
        (
            "crashes",
            "import os\nos._exit(0)",
            Verdict::Crashed,
            Unreached::Unfinished,
            "the program did not come to its check: left at once with status 0, as `os._exit` does, before its end",
        ),
    ];
    each(cases, |(name, source, verdict, unreached, message)| {
        let report = checked(source, &[("one", "pass"), ("two", "pass")]);
        assert!(report.checks.iter().all(|check| check.unreached == Some(unreached)), "{name}: {report:?}");
        assert_eq!(report.ending.verdict, verdict, "{name}");
        assert_eq!(
            outcomes(&report),
            [("one", CheckOutcome::Error, message), ("two", CheckOutcome::Error, message)],
            "{name}"
        );
    });
}

#[test]
fn an_exception_of_any_text_is_told() {
    for character in (0..32).chain([0x7f, 0x85, 0x9b, 0x2028, 0x202e, 0xfeff, 0xffff, 0x0010_ffff]) {
        let report = run(&format!("raise ValueError('a' + chr({character}) + 'b')"));
        assert_eq!(report.ending.verdict, Verdict::Raised, "{character}: {report:?}");
        assert!(report.ending.detail.starts_with("ValueError: a"), "{character}: {report:?}");
        let checked = run_job(Job {
            mode: Mode::Check(vec![check("says it", &format!("assert False, 'a' + chr({character}) + 'b'"))]),
            ..job("x = 1")
        });
        assert_eq!(checked.checks[0].result, CheckOutcome::Failed, "{character}: {checked:?}");
    }
}

#[test]
fn a_long_report_of_an_exception_is_cut_and_is_no_output() {
    let report = run("raise ValueError('x' * 70_000)");
    assert_eq!(report.ending.verdict, Verdict::Raised, "{}", report.ending.detail);
    assert!(report.ending.detail.ends_with("(line 1)"), "{}", report.ending.detail);
    assert!(report.stderr().contains("... the rest is too long to be shown ..."), "{}", report.stderr());
}

#[test]
fn memory_that_ran_out_is_told_in_the_programs_own_words_where_it_has_some() {
    let report = run("raise MemoryError('mine')");
    assert_eq!(report.ending.verdict, Verdict::OutOfMemory);
    assert_eq!(report.ending.detail, "MemoryError: mine (line 1); there is 256 MiB of memory");
}

#[test]
fn a_line_ends_at_a_line_feed_only() {
    each(["\u{2028}", "\u{85}", "\u{c}", "\u{b}", "\u{1c}"], |odd| {
        let report = run(&format!("a = '''{odd}\n'''\n1 / 0  # here\n"));
        assert!(report.stderr().contains("line 3, in <module>\n    1 / 0  # here\n"), "{odd:?}: {}", report.stderr());
    });
}

/// The interpreter passes exceptions on in a way that it deprecates itself: programs do not see that.
#[test]
fn only_a_programs_own_warnings_are_shown() {
    let cancelled = "import asyncio\n\
        class Wrapped:\n    def __init__(self, it): self.it = it\n    def __await__(self): return self.it.__await__()\n\
        async def numbers():\n    try:\n        yield 1\n        await asyncio.sleep(9)\n    finally:\n        print('closed')\n\
        async def work(wait):\n    try:\n        await wait()\n    except asyncio.CancelledError:\n        print('cancelled')\n        raise\n\
        async def rest():\n    async for _ in numbers():\n        pass\n\
        async def next_one():\n    it = numbers()\n    await anext(it)\n    await anext(it, None)\n\
        async def main():\n\
        \x20   for wait in (lambda: asyncio.sleep(9), asyncio.Future, lambda: Wrapped(asyncio.sleep(9)), rest, next_one,\n\
        \x20                lambda: asyncio.wait_for(asyncio.sleep(9), 9), asyncio.Event().wait):\n\
        \x20       task = asyncio.create_task(work(wait))\n        await asyncio.sleep(0)\n        await asyncio.sleep(0)\n        task.cancel()\n\
        \x20       try:\n            await task\n        except asyncio.CancelledError:\n            print('main')\n\
        asyncio.run(main())\n";
    let own = "import warnings\nwarnings.warn('old', DeprecationWarning)\nwarnings.warn('mine')\n";
    let line = "program.py:2: DeprecationWarning: old\n  warnings.warn('old', DeprecationWarning)\n\
                program.py:3: UserWarning: mine\n  warnings.warn('mine')\n";
    let thrown = "def numbers():\n    yield 1\nit = numbers()\nnext(it)\ntry:\n    it.throw(KeyError, KeyError(1), None)\nexcept KeyError:\n    print('thrown')\n";
    let warned = "program.py:6: DeprecationWarning: the (type, val, tb) signature of throw() is deprecated, use throw(val) \
                  instead\n  it.throw(KeyError, KeyError(1), None)\n";
    let one = "cancelled\nmain\n";
    let with_numbers = "closed\ncancelled\nmain\n";
    let all = format!("{one}{one}{one}{with_numbers}{with_numbers}{one}{one}");
    each([(cancelled, &*all, ""), (own, "", line)], |(source, stdout, stderr)| {
        for report in [Some(run(source)), cpython().map(|cpython| run_on(cpython, job(source)))].into_iter().flatten() {
            assert_eq!((report.stdout().as_str(), report.stderr().as_str()), (stdout, stderr), "{source}");
        }
    });
    // CPython gives this warning from 3.12 on.
    let report = run(thrown);
    assert_eq!((report.stdout().as_str(), report.stderr().as_str()), ("thrown\n", warned));
}
