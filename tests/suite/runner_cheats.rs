//! Programs that try to pass their checks without a repair. Each cheat runs twice: as a program that is only checked, so
//! that what decides must withstand it alone, and as a repair that someone handed in, which is looked at before it runs.

use fencepost::runner::{CheckOutcome, Job, Mode, Verdict};

use crate::cases::each;
use crate::runner_programs::{Report, check, job, run_job};

/// The program that the cheats add their lines to.
const BUGGY: &str = "def value():\n    return 0\n";

/// A check that uses built-in names, functions, classes, methods and coroutines of modules.
const CODE: &str = "import asyncio, contextlib, itertools, json, json.decoder\n\
    from collections import Counter\n\
    got = []\n\
    async def ask():\n\
    \x20   await asyncio.sleep(0)\n\
    \x20   got.append(value())\n\
    \x20   assert got == [1], 'still wrong'\n\
    assert json.loads('[1, 2]') == [1, 2] and json.decoder.JSONDecoder().decode('3') == 3\n\
    assert len(list(itertools.permutations([1, 2]))) == 2 and Counter('aa').most_common() == [('a', 2)]\n\
    with contextlib.suppress(KeyError):\n\
    \x20   asyncio.run(ask())\n\
    assert got and all([isinstance(it, int) and it == 1 for it in got]), 'still wrong'\n";

/// The end of a cheat that is only checked.
#[derive(Clone, Copy)]
enum Ends {
    /// The check sees that nothing is repaired.
    Fails,
    /// The check does not work on it.
    Errs,
    /// The check does not come to its end.
    TimesOut,
    /// It was seen to tamper, in these words.
    Tampers(&'static str),
    /// The program itself does not finish.
    As(Verdict),
}

use Ends::{As, Errs, Fails, Tampers, TimesOut};

/// The end of a cheat that is handed in.
#[derive(Clone, Copy)]
enum Seen {
    /// As it does where it is only checked.
    Not,
    /// It does not run, because it uses these names.
    By(&'static str),
    /// It was seen to tamper, in these words; alone, it is its own question.
    Caught(&'static str),
}

use Seen::{By, Caught, Not};

const REACHES: &str = ", which can reach into the interpreter that checks it";

/// Cheats that change what a check is made of, before it.
const BEFORE: &[(&str, &str, Ends, Seen)] = &[
    (
        "the driver's own function, by a hook",
        "import sys\nsys.excepthook.__globals__['checked'] = lambda r, m: {'outcome': 'checked', 'result': 'passed', 'message': ''}",
        Fails,
        By("`__globals__`"),
    ),
    (
        "the same without the word",
        "import sys\nname = '__glo'\nname += 'bals__'\nfor key in list(getattr(sys.excepthook, name)):\n    if key in ('failure', 'headline', 'end_executors'):\n        getattr(sys.excepthook, name)[key] = lambda *a: 'fine'",
        Fails,
        By("`__globals__`"),
    ),
    (
        "the driver's streams",
        "import sys\ntype(sys.stdout).write.__globals__['to_json'] = lambda it: '{\"outcome\":\"checked\",\"result\":\"passed\",\"message\":\"\"}'",
        As(Verdict::Crashed),
        By("`__globals__`"),
    ),
    (
        "the frames above",
        "import sys\nframe = sys._getframe()\nwhile frame.f_back: frame = frame.f_back\nframe.f_globals['checked'] = lambda *a: None",
        Fails,
        By("`_getframe`, `f_back` and `f_globals`"),
    ),
    (
        "the frames of an exception",
        "try: 1 / 0\nexcept ZeroDivisionError as error:\n    frame = error.__traceback__.tb_frame\n    while frame.f_back: frame = frame.f_back\n    frame.f_globals['all'] = lambda it: True",
        Fails,
        By("`f_back`, `f_globals` and `tb_frame`"),
    ),
    (
        "all objects",
        "import gc\nfor it in gc.get_objects():\n    if type(it) is dict and 'failure' in it and 'headline' in it: it['failure'] = lambda e: ''",
        Fails,
        By("`gc`"),
    ),
    (
        "a built-in name",
        "import builtins\nbuiltins.all = builtins.isinstance = lambda *it: True",
        Fails,
        By("`builtins`"),
    ),
    ("built-in names by their table", "__builtins__.__dict__.update(all=lambda it: True)", Fails, By("`__builtins__`")),
    (
        "other built-in names for the check",
        "table = dict(__builtins__.__dict__)\ntable['all'] = lambda it: True\n__builtins__ = table",
        Fails,
        By("`__builtins__`"),
    ),
    (
        "the built-in import",
        "import builtins\nreal = builtins.__import__\ndef fake(name, *rest):\n    raise SystemExit\nbuiltins.__import__ = fake",
        Fails,
        By("`__import__` and `builtins`"),
    ),
    (
        "what an assertion raises",
        "import builtins\nclass Quiet(BaseException): pass\nbuiltins.AssertionError = AssertionError = Quiet",
        Fails,
        By("`builtins`"),
    ),
    ("a name that hides a built-in one", "all = lambda it: True\nlen = lambda it: 2", Fails, Not),
    (
        "a function of a module",
        "import json\njson.loads = lambda text: [1, 2]\nimport asyncio\nasyncio.run = lambda it: it.close()",
        Fails,
        Not,
    ),
    (
        "a module",
        "import sys, types\nfake = types.ModuleType('asyncio')\nfake.run = lambda it: it.close()\nsys.modules['asyncio'] = fake",
        Fails,
        Not,
    ),
    ("all modules", "import sys\nsys.modules = {}", Fails, Not),
    (
        "a submodule",
        "import asyncio.runners, json.decoder\nasyncio.runners.Runner = None\njson.decoder.JSONDecoder = dict",
        Fails,
        Not,
    ),
    ("a method of a class", "import asyncio\nasyncio.Runner.run = lambda self, it, **more: it.close()", Fails, Not),
    (
        "a method with an attribute set by name",
        "import asyncio\nsetattr(asyncio.runners.Runner, 'run', lambda self, it, **more: it.close())",
        Fails,
        Not,
    ),
    (
        "a method of a manager",
        "import contextlib\ncontextlib.suppress.__exit__ = lambda self, *error: True",
        Fails,
        Not,
    ),
    (
        "the code of a function",
        "import asyncio\ndef fake(main, *, debug=None, loop_factory=None): main.close()\nasyncio.run.__code__ = fake.__code__",
        Fails,
        By("`__code__`"),
    ),
    (
        "the code of a function, without the word",
        "import asyncio\ndef fake(main, *, debug=None, loop_factory=None): main.close()\nword = '__co'\nword += 'de__'\nsetattr(asyncio.run, word, getattr(fake, word))",
        Fails,
        By("`__code__`"),
    ),
    (
        "the defaults of a function",
        "import json\njson.loads.__kwdefaults__['cls'] = None\njson.loads.__kwdefaults__.update(object_hook=print)",
        Fails,
        By("`__kwdefaults__`"),
    ),
    ("an object of a module", "import json\njson._default_decoder.decode = lambda text: [1, 2]", Fails, Not),
    (
        "the class of a module",
        "import json, types\nclass Fake(types.ModuleType):\n    def __getattribute__(self, name): return lambda *a: [1, 2]\ntry: json.__class__ = Fake\nexcept TypeError: pass",
        Tampers("changed the interpreter that checks it"),
        Not,
    ),
    (
        "the metaclass of a class",
        "import asyncio\nclass Meta(type):\n    def __call__(self, *a, **k): raise KeyError\ntry: asyncio.Runner.__class__ = Meta\nexcept TypeError: pass",
        Fails,
        Not,
    ),
    (
        "the bases of a class",
        "import collections\nclass Fake(dict):\n    def most_common(self): return [('a', 2)]\ntry: collections.Counter.__bases__ = (Fake,)\nexcept TypeError: pass",
        Tampers("changed the interpreter that checks it"),
        Not,
    ),
    (
        "a finalizer that changes things again",
        "import asyncio\nclass Again:\n    def __del__(self): asyncio.run = lambda it: it.close()\nasyncio.again = Again()",
        Fails,
        Not,
    ),
    (
        "a finalizer that never rests",
        "import asyncio\nclass Again:\n    def __del__(self): asyncio.again = Again()\nasyncio.again = Again()",
        Tampers("changed the interpreter that checks it"),
        Not,
    ),
    (
        "how modules are found",
        "import sys\nclass Finder:\n    def find_spec(self, *rest): raise SystemExit\nsys.meta_path.insert(0, Finder())\nfor name in ('asyncio', 'json'): sys.modules.pop(name, None)",
        Fails,
        Not,
    ),
    (
        "a trace function",
        "import sys\ndef watch(frame, event, value):\n    if frame.f_code.co_filename == 'check': frame.f_lineno = 99\n    return watch\nsys.settrace(watch)",
        Fails,
        By("`f_code`, `f_lineno` and `settrace`"),
    ),
    (
        "a profile function",
        "import sys\ndef watch(frame, event, value):\n    if frame.f_code.co_filename == 'check': raise SystemExit\nsys.setprofile(watch)",
        Fails,
        By("`f_code` and `setprofile`"),
    ),
    (
        "a monitoring tool",
        "import sys\nm = sys.monitoring\nm.use_tool_id(4, 'x')\ndef stop(*it): raise SystemExit\nm.register_callback(4, m.events.PY_START, stop)\nm.set_events(4, m.events.PY_START)",
        As(Verdict::Crashed),
        Not,
    ),
    (
        "a timer",
        "import signal\ndef ring(number, frame):\n    import builtins; builtins.all = lambda it: True\nsignal.signal(signal.SIGALRM, ring)\nsignal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)",
        Fails,
        By("`builtins`"),
    ),
    ("a deep stack", "import sys\nsys.setrecursionlimit(20)", Fails, Not),
    (
        "a thread that goes on",
        "import threading, time\ndef again():\n    while True:\n        globals()['value'] = lambda: 1\n        time.sleep(0.001)\nthreading.Thread(target=again, daemon=True).start()",
        TimesOut,
        Not,
    ),
    (
        "a bare thread",
        "import _thread, time\ndef again():\n    import asyncio\n    while True: asyncio.run = None; time.sleep(0.001)\n_thread.start_new_thread(again, ())",
        TimesOut,
        Not,
    ),
    (
        "its own last word",
        "import os\nos.write(3, b'\\x20\\x00\\x00\\x00\\x15' + b'k' * 16 + b'{\"outcome\":\"finished\"}')",
        As(Verdict::Crashed),
        Not,
    ),
    ("a silent end", "import os\nos._exit(0)", As(Verdict::Crashed), Not),
    ("a polite end", "raise SystemExit(0)", Errs, Not),
    ("text that is run", "exec('imp' + 'ort builtins; builtins.all = lambda it: True')", Fails, By("`exec`")),
    (
        "names that answer to others",
        "class Key(str):\n    __hash__ = str.__hash__\n    def __eq__(self, other): return str(self) == other\nglobals()[Key('got')] = [1]",
        Tampers("changed the interpreter that checks it"),
        Not,
    ),
    (
        "a file of its own",
        "def go(): pass\nword = ''.join(['__co', 'de__'])\nsetattr(go, word, getattr(go, word).replace(co_filename='x.py'))",
        Fails,
        By("`__code__`"),
    ),
    ("memory", "try:\n    import _ctypes\nexcept ImportError: pass", Fails, By("`_ctypes`")),
];

/// Cheats that act while the check runs, from a function that it calls: `value`.
const MEANWHILE: &[(&str, &str, Ends, Seen)] = &[
    (
        "a built-in name",
        "def value():\n    import builtins\n    builtins.all = lambda it: True\n    raise KeyError",
        Tampers("replaced `builtins.all` while a check ran"),
        By("`builtins`"),
    ),
    (
        "a built-in name, without the word",
        "import sys\ndef value():\n    setattr(sys.modules['buil' + 'tins'], 'len', lambda it: 1)\n    raise KeyError",
        Tampers("replaced `builtins.len` while a check ran"),
        Not,
    ),
    (
        "built-in names by their table",
        "def value():\n    globals()['__built' + 'ins__'.lower()] = {}\n    return 0",
        Tampers("changed the interpreter that checks it"),
        Not,
    ),
    (
        "a name that hides a built-in one",
        "def value():\n    global all\n    all = lambda it: True\n    raise KeyError",
        Fails,
        Not,
    ),
    (
        "a method of a class",
        "import contextlib\ndef value():\n    contextlib.suppress.__exit__ = lambda self, *error: True\n    return 0",
        Tampers("replaced `suppress.__exit__` while a check ran"),
        Not,
    ),
    (
        "a built-in name, hidden for a moment",
        "def fake(*it):\n    globals().pop('all', None)\n    return True\ndef value():\n    globals()['all'] = fake\n    raise KeyError",
        Fails,
        Not,
    ),
    (
        "the text of the check",
        "import linecache\ndef value():\n    return 1 if linecache.getlines('check') else 0",
        Fails,
        Not,
    ),
    (
        "a module of a module",
        "import json\ndef value():\n    vars(json)['decoder'] = None\n    return 0",
        Tampers("replaced `json.decoder` while a check ran"),
        Not,
    ),
    (
        "a function of a module, put back at once",
        "import itertools\nkept = itertools.count\ndef value():\n    itertools.count = None\n    itertools.count = kept\n    return 0",
        Fails,
        Caught("replaced `itertools.count` while a check ran"),
    ),
    (
        "a class of a module, put back at once",
        "import contextlib\ndef value():\n    contextlib.suppress.mark = 1\n    delattr(contextlib.suppress, 'mark')\n    return 0",
        Fails,
        Caught("replaced `suppress.mark` while a check ran"),
    ),
    (
        "the line of the check",
        "import sys\ndef value():\n    frame = sys._getframe(1)\n    frame.f_lineno = frame.f_lineno + 1\n    return 0",
        Errs,
        By("`_getframe` and `f_lineno`"),
    ),
    ("a silent end", "import os\ndef value(): os._exit(0)", Errs, Not),
    ("a polite end", "def value(): raise SystemExit(0)", Errs, Not),
];

/// The end of a report, or an error if it passed.
fn ended(report: &Report) -> Result<String, String> {
    let tampers = |words: &str| format!("tampered: {words}");
    Ok(match (report.ending.verdict, report.checks.as_slice()) {
        (Verdict::Finished, [check]) => match check.result {
            CheckOutcome::Passed => return Err("it passed".to_owned()),
            CheckOutcome::Failed => format!("fails: {}", check.message),
            CheckOutcome::Error => "errs".to_owned(),
            CheckOutcome::TimedOut => "times out".to_owned(),
        },
        (Verdict::Tampered, [check]) if check.result == CheckOutcome::Error => tampers(&report.ending.detail),
        (verdict, _) => verdict.word().to_owned(),
    })
}

fn wanted(ends: Ends) -> String {
    match ends {
        Fails => "fails: still wrong".to_owned(),
        Errs => "errs".to_owned(),
        TimesOut => "times out".to_owned(),
        Tampers(words) => format!("tampered: {words}"),
        As(verdict) => verdict.word().to_owned(),
    }
}

fn assert_no_cheat_passes(cheats: &[(&str, &str, Ends, Seen)]) {
    let checks = || vec![check("is repaired", CODE)];
    let mut wrong = Vec::new();
    for (name, lines, ends, seen) in cheats {
        let source = format!("{BUGGY}{lines}\n");
        let graded = Mode::Grade { checks: checks(), question: BUGGY.to_owned() };
        let handed_in = match seen {
            Not => wanted(*ends),
            By(names) => format!("tampered: uses {names}{REACHES}"),
            Caught(words) => wanted(Tampers(words)),
        };
        for (mode, wanted) in [(Mode::Check(checks()), wanted(*ends)), (graded, handed_in)] {
            let report = run_job(Job { mode, ..job(&source) });
            let ended = ended(&report);
            if ended.as_ref() != Ok(&wanted) {
                wrong.push(format!("{name}: {ended:?} instead of {wanted:?}\n{report:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_program_changes_its_checks_before_they_run() {
    assert_no_cheat_passes(BEFORE);
}

#[test]
fn no_program_changes_its_check_while_it_runs() {
    assert_no_cheat_passes(MEANWHILE);
}

/// A check's variables are its own: a repair that was handed in cannot change them.
#[test]
fn no_program_changes_the_variables_of_its_check() {
    let key = "class Key(str):\n    __hash__ = str.__hash__\n    def __eq__(self, other): return str(self) == other\n";
    each(
        [
            ("def value():\n    globals()['got'] = [1]\n    return 0\n".to_owned(), "fails: still wrong"),
            ("got = 1\ndef value():\n    global got\n    got = [1]\n    return 0\n".to_owned(), "fails: still wrong"),
            (
                format!("{key}def value():\n    globals()[Key('got')] = [1]\n    return 0\n"),
                "tampered: changed the interpreter that checks it",
            ),
            (
                "import sys\ndef value():\n    frame = getattr(sys, ''.join(['_get', 'frame']))(1)\n    \
                getattr(frame, ''.join(['f_gl', 'obals']))['got'] = [1]\n    return 0\n"
                    .to_owned(),
                "tampered: uses `f_globals`, which can reach into the interpreter that checks it",
            ),
        ],
        |(lines, ended_with)| {
            let mode = Mode::Grade { checks: vec![check("is repaired", CODE)], question: BUGGY.to_owned() };
            let report = run_job(Job { mode, ..job(&lines) });
            assert_eq!(ended(&report), Ok(ended_with.to_owned()), "{lines}: {report:?}");
        },
    );
}

/// A check may use what its question's program imports. A cheat may import something else under that name.
#[test]
fn no_program_changes_what_its_check_takes_from_it() {
    let question = "import asyncio\nfrom json import loads as read\ndef value():\n    return 0\n";
    let code = "async def ask():\n    assert value() == 1, 'still wrong'\nasyncio.run(ask())\nassert read('1') == 1\n";
    each(
        [
            "",
            "asyncio.run = lambda it: it.close()\n",
            "class asyncio:\n    def run(it): it.close()\n",
            "read = lambda text: 1\n",
            "import sys as asyncio\n",
        ],
        |lines| {
            let source = format!("{question}{lines}");
            let checks = vec![check("is repaired", code)];
            let report = run_job(Job { mode: Mode::Grade { checks, question: question.to_owned() }, ..job(&source) });
            assert_eq!(ended(&report), Ok("fails: still wrong".to_owned()), "{lines}: {report:?}");
        },
    );
    let repaired = question.replace("return 0", "return 1");
    let checks = vec![check("is repaired", code)];
    let report = run_job(Job { mode: Mode::Grade { checks, question: question.to_owned() }, ..job(&repaired) });
    assert_eq!(report.checks[0].result, CheckOutcome::Passed, "{report:?}");
}

#[test]
fn an_honest_repair_passes() {
    let source = "import asyncio, threading\nfrom concurrent.futures import ThreadPoolExecutor\n\
        def value():\n    return 1\n\
        pool = ThreadPoolExecutor(2)\nlist(pool.map(print, [1, 2]))\n\
        thread = threading.Thread(target=print)\nthread.start()\n\
        asyncio.run(asyncio.sleep(0))\n";
    let mode = Mode::Grade { checks: vec![check("is repaired", CODE)], question: BUGGY.to_owned() };
    let report = run_job(Job { mode, ..job(source) });
    assert_eq!(
        (report.ending.verdict, report.checks[0].result),
        (Verdict::Finished, CheckOutcome::Passed),
        "{report:?}"
    );
    assert_eq!(report.ending.overloads, [] as [&str; 0]);
}

#[test]
fn a_repair_may_use_what_its_question_uses() {
    let question = "import gc, sys\nall = sum\ndef value():\n    return eval('0')\n";
    let source = "import gc, sys\nall = sum\ndef value():\n    return eval('1')\n";
    let check = check("is repaired", "assert value() == 1 and all([1, 2]) == 3");
    let mode = Mode::Grade { checks: vec![check], question: question.to_owned() };
    let report = run_job(Job { mode, ..job(source) });
    assert_eq!(
        (report.ending.verdict, report.checks[0].result),
        (Verdict::Finished, CheckOutcome::Passed),
        "{report:?}"
    );
}

#[test]
fn a_value_that_is_equal_to_everything_passes_and_is_reported() {
    let source = "class Any(int):\n    def __eq__(self, other): return True\ndef value():\n    return Any()\n";
    let mode = Mode::Grade { checks: vec![check("is repaired", CODE)], question: BUGGY.to_owned() };
    let report = run_job(Job { mode, ..job(source) });
    assert_eq!(
        (report.ending.verdict, report.checks[0].result),
        (Verdict::Finished, CheckOutcome::Passed),
        "{report:?}"
    );
    assert_eq!(report.ending.overloads, ["__eq__"]);
}

#[test]
fn methods_under_names_that_are_put_together_are_reported() {
    let source = "name = '__'\nname += 'eq__'\n\
        Any = type('Any', (int,), {name: lambda self, other: True, 'size': 1})\ndef value():\n    return Any()\n";
    let mode = Mode::Grade { checks: vec![check("is repaired", CODE)], question: BUGGY.to_owned() };
    let report = run_job(Job { mode, ..job(source) });
    assert_eq!(report.ending.overloads, ["__eq__"], "{report:?}");
    let mode = Mode::Grade { checks: vec![], question: BUGGY.to_owned() };
    let report = run_job(Job { mode, ..job("from unittest.mock import ANY\n") });
    assert_eq!(report.ending.overloads, ["unittest"], "{report:?}");
    // A class that is made only while a check runs, with a method that is no function.
    let source = "class Yes:\n    def __call__(self, *it): return True\ndef value():\n    \
        return type('Any', (int,), {''.join(['__', 'eq__']): Yes()})()\n";
    let mode = Mode::Grade { checks: vec![check("is repaired", CODE)], question: BUGGY.to_owned() };
    let report = run_job(Job { mode, ..job(source) });
    assert_eq!(report.ending.overloads, ["__eq__"], "{report:?}");
}

/// Words that stand in text for people, attributes of one's own, and functions that only have such a name.
#[test]
fn honest_names_are_no_tampering() {
    let source = "\"\"\"No settrace and no __eq__ here.\"\"\"\nfrom re import compile\nlist = [1]\n\
        class Meter:\n    def __init__(self): self.monitoring = self.currentframe = True\n\
        def value():\n    return len(compile('a').findall('a'))\n";
    let check = check("is repaired", "assert value() == 1 and list('a') == ['a']");
    let mode = Mode::Grade { checks: vec![check], question: BUGGY.to_owned() };
    let report = run_job(Job { mode, ..job(source) });
    assert_eq!(
        (report.ending.verdict, report.checks[0].result),
        (Verdict::Finished, CheckOutcome::Passed),
        "{report:?}"
    );
    assert_eq!(report.ending.overloads, [] as [&str; 0]);
}

/// Its threads end before the check, and it starts new ones when the check wants them.
#[test]
fn an_executor_that_is_left_open_works_in_a_check() {
    let source = "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1)\n\
        pool.submit(print, 1).result()\ndef value():\n    return pool.submit(int, '1').result()\n";
    let mode = Mode::Grade { checks: vec![check("is repaired", CODE)], question: BUGGY.to_owned() };
    let report = run_job(Job { mode, ..job(source) });
    assert_eq!(
        (report.ending.verdict, report.checks[0].result),
        (Verdict::Finished, CheckOutcome::Passed),
        "{report:?}"
    );
}

/// A check may put something in place of a function of a module, as tests do.
#[test]
fn a_check_may_replace_functions() {
    let source = "import time\ndef value():\n    return time.time()\n";
    let code = "import time\ntime.time = lambda: 7\nassert value() == 7\n";
    let report = run_job(Job { mode: Mode::Check(vec![check("replaces", code)]), ..job(source) });
    assert_eq!(report.checks[0].result, CheckOutcome::Passed, "{report:?}");
}
