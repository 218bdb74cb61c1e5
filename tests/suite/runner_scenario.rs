//! Scenarios: the steps that a program lives through, and what is watched.

use fencepost::runner::{Evaluated, Job, Limits, Mode, Row, Scenario, Verdict};

use crate::cases::each;
use crate::runner_programs::{Report, job, run_job};

fn live(source: &str, setup: &str, watch: &[&str], steps: &[Option<&str>]) -> Report {
    let scenario = Scenario {
        setup: setup.to_owned(),
        watch: watch.iter().map(|&text| text.to_owned()).collect(),
        steps: steps.iter().map(|step| step.map(str::to_owned)).collect(),
    };
    let limits = Limits { wall: std::time::Duration::from_secs(1), ..Limits::default() };
    run_job(Job { mode: Mode::Scenario(scenario), limits, ..job(source) })
}

/// A row as a line: the result, then what is watched, with "!" before an exception.
fn lines(rows: &[Row]) -> Vec<String> {
    let words = |one: &Evaluated| format!("{}{}", if one.raised { "!" } else { "" }, one.text);
    let line = |row: &Row| {
        let result = row.result.as_ref().map_or_else(|| "-".to_owned(), words);
        let watched: Vec<String> = row.watched.iter().map(words).collect();
        format!("{} {result} | {}", row.step, watched.join(" | "))
    };
    rows.iter().map(line).collect()
}

const STORE: &str = "\
class Store:
    def __init__(self):
        self.token = 0
        self.value = None

    def write(self, token, value):
        if token < self.token:
            raise ValueError(f'token {token} is old')
        self.token, self.value = token, value
        return True

store = Store()
print('ready')
";

#[test]
fn steps_are_evaluated_in_order_in_the_program() {
    let mut report = live(
        STORE,
        "log = []",
        &["store.value", "store", "len(log)"],
        &[
            None,
            Some("store.write(34, 'new')"),
            Some("store.write(33, 'old')"),
            Some("log.append(1); log.append(2)"),
            Some("for n in range(3):\n    log.append(n)\nprint('looped')"),
            Some("nothing.like.this"),
            Some("'a' + "),
            Some("raise SystemExit(0)"),
        ],
    );
    // The interpreter words this one as it likes.
    if let Some(result) = report.rows[6].result.as_mut() {
        result.text.truncate("SyntaxError".len());
    }
    assert_eq!(
        lines(&report.rows),
        [
            "0 - | None | Store(token=0, value=None) | 0",
            "1 True | 'new' | Store(token=34, value='new') | 0",
            "2 !ValueError: token 33 is old | 'new' | Store(token=34, value='new') | 0",
            "3 - | 'new' | Store(token=34, value='new') | 2",
            "4 - | 'new' | Store(token=34, value='new') | 5",
            "5 !NameError: name 'nothing' is not defined | 'new' | Store(token=34, value='new') | 5",
            "6 !SyntaxError | 'new' | Store(token=34, value='new') | 5",
            "7 !SystemExit: 0 | 'new' | Store(token=34, value='new') | 5",
        ]
    );
    assert_eq!(report.ending.verdict, Verdict::Finished);
    assert_eq!(report.stdout(), "ready\nlooped\n");
}

#[test]
fn a_scenario_ends_where_its_program_or_a_step_does() {
    type Case<'a> = (&'a str, &'a str, &'a [Option<&'a str>], Verdict, &'a str, usize);
    let cases: [Case<'_>; 5] = [
        ("1/0", "", &[Some("1")], Verdict::Raised, "ZeroDivisionError: division by zero (line 1)", 0),
        (
            "x = 1",
            "x.nothing",
            &[Some("1")],
            Verdict::Raised,
            "AttributeError: 'int' object has no attribute 'nothing'",
            0,
        ),
        (
            "x = 1",
            "",
            &[Some("x"), Some("while True: pass"), Some("x")],
            Verdict::TimedOut,
            "stopped after 1.0 s by the clock",
            1,
        ),
        (
            "import os",
            "",
            &[Some("1"), Some("os._exit(0)")],
            Verdict::Crashed,
            "left at once with status 0, as `os._exit` does, before its end",
            1,
        ),
        (
            "x = 1",
            "",
            &[Some("x"), Some("print('x' * 100000)")],
            Verdict::OutputTooLong,
            "wrote more than 64 KiB; only the beginning is kept",
            1,
        ),
    ];
    each(cases, |(source, setup, steps, verdict, detail, rows)| {
        let report = live(source, setup, &["1 + 1"], steps);
        assert_eq!((report.ending.verdict, report.ending.detail.as_str()), (verdict, detail));
        assert_eq!(report.rows.len(), rows, "{source}");
    });
}

#[test]
fn values_are_put_in_words_without_the_programs_help() {
    let source = "\
import collections, enum, dataclasses, datetime, decimal, asyncio, functools, queue, types

class Loops:
    def __repr__(self):
        while True: pass
class Raises:
    def __repr__(self): raise ValueError
class Prints:
    def __repr__(self):
        print('printed')
        return 'x'
class Long:
    def __repr__(self): return 'x' * 10**6
    def __str__(self): return 'x' * 10**6
class Liar:
    @property
    def __class__(self):
        while True: pass
    def __getattribute__(self, name):
        while True: pass
class Listed(list):
    def __iter__(self):
        while True: pass
    def __len__(self): raise ValueError
class Meta(type):
    def __repr__(cls):
        while True: pass
class OfMeta(metaclass=Meta): pass
class Colour(enum.Enum):
    RED = 1
class Level(enum.IntEnum):
    LOW = 1
@dataclasses.dataclass
class Point:
    x: int
    y: object = None
class Slots:
    __slots__ = ('a', 'b')
    def __init__(self): self.a = 1
class Number(int): pass
class Zone(datetime.tzinfo):
    def __repr__(self):
        while True: pass
    def utcoffset(self, when): return None
class Elsewhere:
    __module__ = 'elsewhere'
    def __repr__(self):
        while True: pass
class Called:
    def __call__(self, *args): pass
    def __getattr__(self, name):
        while True: pass
Pair = collections.namedtuple('Pair', 'left right')
me = []
me.append(me)
deep = 1
for _ in range(10**4): deep = [deep]
async def co(): pass
";
    let cases = [
        ("1", "1"),
        ("'a\\nb'", "'a\\nb'"),
        ("(1,)", "(1,)"),
        ("[1, 'x', None, True, 1.5]", "[1, 'x', None, True, 1.5]"),
        ("{'k': {1}}", "{'k': {1}}"),
        ("set()", "set()"),
        ("frozenset([1])", "frozenset({1})"),
        ("Loops()", "Loops()"),
        ("[Raises()]", "[Raises()]"),
        ("{'p': Prints()}", "{'p': Prints()}"),
        ("Long()", "Long()"),
        ("Liar()", "Liar()"),
        ("Listed([1, 2])", "Listed([1, 2])"),
        ("OfMeta", "<class OfMeta>"),
        ("OfMeta()", "OfMeta()"),
        ("Colour.RED", "Colour.RED"),
        ("[Level.LOW]", "[Level.LOW]"),
        ("Point(1)", "Point(x=1, y=None)"),
        (
            "Point(1, Point(2, Point(3, Point(4, Point(5)))))",
            "Point(x=1, y=Point(x=2, y=Point(x=3, y=Point(x=4, y=...))))",
        ),
        ("Slots()", "Slots(a=1)"),
        ("Number(3)", "3"),
        ("Pair(1, 2)", "Pair(left=1, right=2)"),
        ("collections.deque([1, 2])", "deque([1, 2])"),
        ("collections.defaultdict(list, {1: [2]})", "defaultdict({1: [2]})"),
        ("collections.Counter('aab')", "Counter({'a': 2, 'b': 1})"),
        ("me", "[...]"),
        ("deep", "[[[[...]]]]"),
        ("ValueError('bad', 2)", "ValueError('bad', 2)"),
        ("decimal.Decimal('1.50')", "Decimal('1.50')"),
        ("datetime.timedelta(seconds=90)", "datetime.timedelta(seconds=90)"),
        ("len", "<builtin_function_or_method len>"),
        ("co", "<function co>"),
        ("datetime.date(2026, 11, 29)", "datetime.date(2026, 11, 29)"),
        ("datetime.datetime(2026, 11, 29, 8, 30)", "datetime.datetime(2026, 11, 29, 8, 30)"),
        ("datetime.datetime(2026, 11, 29, tzinfo=Zone())", "<datetime>"),
        ("Elsewhere()", "<Elsewhere>"),
        ("types.SimpleNamespace(a=Loops())", "<SimpleNamespace>"),
        ("functools.partial(Called(), Loops())", "<partial>"),
        ("{1: Loops()}.values()", "dict_values([Loops()])"),
        ("types.MappingProxyType({1: Loops()})", "<mappingproxy>"),
        ("collections.UserDict({1: Loops()})", "<UserDict>"),
        ("collections.UserList([Loops()])", "<UserList>"),
        ("collections.ChainMap({1: Loops()})", "<ChainMap>"),
        ("slice(1, Prints(), None)", "slice(1, Prints(), None)"),
        ("range(3)", "range(0, 3)"),
        ("range(3, 0, -1)", "range(3, 0, -1)"),
        ("types.MethodType(Called(), 1)", "<method ?>"),
        ("[].append", "<builtin_function_or_method append>"),
        ("Called().__call__", "<method __call__>"),
        ("10**5000", "<int of 16610 bits>"),
        ("setattr(decimal.Decimal, '__repr__', Loops.__repr__) or decimal.Decimal(1)", "<Decimal>"),
        ("list(range(60))[:3]", "[0, 1, 2]"),
        ("collections", "<module>"),
    ];
    let steps: Vec<Option<&str>> = cases.iter().map(|&(step, _)| Some(step)).collect();
    let report = live(source, "", &[], &steps);
    assert_eq!(report.ending.verdict, Verdict::Finished, "{}", report.stderr());
    for ((step, wanted), row) in cases.iter().zip(&report.rows) {
        assert_eq!(row.result, Some(Evaluated { text: (*wanted).to_owned(), raised: false }), "{step}");
    }
    assert_eq!(report.rows.len(), cases.len());
    assert_eq!(report.stdout(), "");
}

#[test]
fn long_values_are_cut() {
    let watch = vec!["'x' * 10**4"; 30];
    let report = live("", "", &watch, &[Some("'y' * 10**4"), Some("'\\x00' * 5000")]);
    assert_eq!(report.ending.verdict, Verdict::Finished, "{}", report.ending.detail);
    assert_eq!(report.rows.len(), 2);
    for one in report.rows.iter().flat_map(|row| row.result.iter().chain(&row.watched)) {
        assert!(one.text.len() <= 2000 && one.text.ends_with("..."), "{} characters", one.text.len());
    }
    let alone = live("", "", &[], &[Some("'y' * 10**6")]);
    assert_eq!(alone.rows[0].result.as_ref().map(|one| one.text.len()), Some(2000));
}
