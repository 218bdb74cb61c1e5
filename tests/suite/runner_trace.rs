//! Traces: every step of a program, what changed, and what happens when there are too many.

use std::time::Duration;

use fencepost::runner::{Job, Limits, Mode, Step, StepKind, TraceLimit, Verdict};

use crate::cases::each;
use crate::runner_programs::{Report, job, run_job};

fn trace(source: &str) -> Report {
    trace_within(source, Limits { wall: Duration::from_secs(5), ..Limits::default() })
}

fn trace_within(source: &str, limits: Limits) -> Report {
    run_job(Job { mode: Mode::Trace, limits, ..job(source) })
}

/// A step as a line: depth as dots, kind, function, line, changes, value.
fn line(step: &Step) -> String {
    let kind = match step.kind {
        StepKind::Call => "call",
        StepKind::Line => "line",
        StepKind::Return => "return",
        StepKind::Exception => "exception",
    };
    let mut text = format!("{}{kind} {}:{}", ".".repeat(step.depth as usize), step.function, step.line);
    for variable in &step.changed {
        text += &format!(" {}={}", variable.name, variable.value);
    }
    if !step.value.is_empty() {
        text += &format!(" -> {}", step.value);
    }
    text
}

fn lines(report: &Report) -> Vec<String> {
    report.steps.iter().map(line).collect()
}

#[test]
fn every_step_is_told_with_what_changed() {
    let source = "\
class Store:
    def __init__(self):
        self.token = 0

    def write(self, token):
        self.token = token
        return token > 1

def fails(n):
    return 1 // n

store = Store()
ok = store.write(34)
try:
    fails(0)
except ZeroDivisionError:
    ok = None
print(ok)
";
    let report = trace(source);
    assert_eq!((report.ending.verdict, report.stdout().as_str()), (Verdict::Finished, "None\n"), "{report:?}");
    let mut found = lines(&report);
    assert_eq!(found[..2], ["call <module>:1", "line <module>:1"]);
    // Engines differ in how they step through the body of a class.
    let function = found.iter().position(|line| line == "line <module>:9").expect("the line of `fails`");
    found.drain(..function);
    let wanted = [
        "line <module>:9",
        "line <module>:12",
        ".call __init__:2 self=Store()",
        ".line __init__:3",
        ".return __init__:3 self=<Store> self.token=0 -> None",
        "line <module>:13 store=<Store> store.token=0",
        ".call write:5 self=<Store> self.token=0 token=34",
        ".line write:6",
        ".line write:7 self.token=34",
        ".return write:7 -> True",
        "line <module>:14 store.token=34 ok=True",
        "line <module>:15",
        ".call fails:9 n=0",
        ".line fails:10",
        ".exception fails:10 -> ZeroDivisionError('division by zero')",
        ".return fails:10",
        "exception <module>:15 -> ZeroDivisionError('division by zero')",
        "line <module>:16",
        "line <module>:17",
        "line <module>:18 ok=None",
        "return <module>:18 -> None",
    ];
    assert_eq!(found, wanted);
}

#[test]
fn names_that_go_are_told() {
    let source = "\
class A:
    def __init__(self):
        self.x = 1
def f(n):
    a = A()
    a = None
    try:
        1 / n
    except ZeroDivisionError as e:
        n = 1
    del a
    return n
f(0)
";
    let report = trace(source);
    let at =
        |line: u32| report.steps.iter().find(|step| step.function == "f" && step.line == line && !step.gone.is_empty());
    assert_eq!(at(7).unwrap().gone, ["a.x"], "{:?}", lines(&report));
    assert_eq!(at(11).unwrap().gone, ["e"]);
    assert_eq!(at(12).unwrap().gone, ["a"]);
}

#[test]
fn every_built_in_program_prints_the_same_when_it_is_traced() {
    let catalog = fencepost::content::load::load(&[]).unwrap();
    each(&catalog.questions, |entry| {
        let question = &entry.question;
        for (source, prints) in
            [(&question.spot.code, &question.spot.prints), (&question.fixed.code, &question.fixed.prints)]
        {
            let report = trace(source);
            let told = (report.ending.verdict, report.stdout(), report.trace_full);
            assert_eq!(told, (Verdict::Finished, prints.clone(), None), "{}: {}", entry.name, report.ending.detail);
        }
    });
}

#[test]
fn output_and_steps_arrive_in_order() {
    use fencepost::runner::{Event, Runner};
    let handle = crate::runner_programs::runner().start(Job { mode: Mode::Trace, ..job("print('a')\nprint('b')") });
    let mut told = String::new();
    while let Some(event) = handle.next() {
        match event {
            Event::Output(chunk) => told += chunk.text.trim(),
            Event::Step(step) if step.kind == StepKind::Line => told += &format!("[{}]", step.line),
            _ => {}
        }
    }
    assert_eq!(told, "[1]a[2]b");
}

#[test]
fn a_trace_that_is_too_long_ends_and_its_program_goes_on() {
    let limits = Limits { wall: Duration::from_secs(5), ..Limits::default() };
    let loops = "for n in range(5000):\n    x = n\nprint(x)";
    let wide = "x = ['y' * 1900] * 1\nfor n in range(1500):\n    x = [str(n) + 'y' * 1900]\nprint(n)";
    let cases = [
        ("steps", loops, limits, TraceLimit::Steps, 2000..=2000, "4999\n"),
        ("few steps", loops, Limits { steps: 10, ..limits }, TraceLimit::Steps, 10..=10, "4999\n"),
        ("bytes", wide, limits, TraceLimit::Bytes, 400..=1200, "1499\n"),
    ];
    each(cases, |(name, source, limits, full, steps, prints)| {
        let report = trace_within(source, limits);
        assert_eq!(report.trace_full, Some(full), "{name}");
        assert!(steps.contains(&report.steps.len()), "{name}: {}", report.steps.len());
        assert_eq!((report.ending.verdict, report.stdout().as_str()), (Verdict::Finished, prints), "{name}");
    });
}

#[test]
fn steps_before_an_early_end_are_kept() {
    let limits = Limits { wall: Duration::from_millis(500), steps: 50, ..Limits::default() };
    let cases = [
        ("x = 1\nwhile True:\n    x += 1", Verdict::TimedOut, Some(TraceLimit::Steps)),
        ("x = 1\nimport time\ntime.sleep(100)", Verdict::TimedOut, None),
        ("x = 1\nimport os\nos._exit(0)", Verdict::Crashed, None),
        ("x = 1\n1/0", Verdict::Raised, None),
        ("x = 1\nprint('x' * 100000)", Verdict::OutputTooLong, None),
        ("x = 1\nraise SystemExit(0)", Verdict::Finished, None),
    ];
    each(cases, |(source, verdict, full)| {
        let report = trace_within(source, limits);
        assert_eq!(report.ending.verdict, verdict, "{source}: {}", report.ending.detail);
        assert!(report.steps.len() >= 3, "{source}");
        assert_eq!(report.trace_full, full, "{source}");
    });
}

#[test]
fn hostile_values_do_not_spoil_a_trace() {
    let source = "\
class Loops:
    def __repr__(self):
        while True: pass
    def __eq__(self, other):
        while True: pass
    def __hash__(self):
        while True: pass
class Raises:
    def __getattribute__(self, name): raise ValueError
class Prints:
    def __repr__(self):
        print('printed')
        return 'x' * 10**6
a = Loops()
b = Raises()
c = Prints()
d = [a, b, c, 'x' * 10**6]
done = True
";
    let report = trace(source);
    assert_eq!((report.ending.verdict, report.stdout().as_str()), (Verdict::Finished, ""));
    let last = report.steps.last().unwrap();
    assert_eq!((last.kind, last.changed[0].name.as_str()), (StepKind::Return, "done"));
    assert!(report.steps.iter().all(|step| step.changed.iter().all(|variable| variable.value.chars().count() <= 2000)));
}

#[test]
fn threads_and_coroutines_are_traced_by_name() {
    let source = "\
import threading, asyncio
def work(n):
    return n + 1
t = threading.Thread(target=work, args=(1,), name='worker')
t.start()
t.join()
async def co(n):
    return n
asyncio.run(co(5))
";
    let report = trace(source);
    assert_eq!(report.ending.verdict, Verdict::Finished, "{}", report.stderr());
    let told = lines(&report);
    let work: Vec<&Step> = report.steps.iter().filter(|step| step.function == "work").collect();
    assert!(!work.is_empty() && work.iter().all(|step| step.thread == "worker"), "{told:?}");
    let co: Vec<&Step> = report.steps.iter().filter(|step| step.function == "co").collect();
    assert!(!co.is_empty() && co.iter().all(|step| step.thread.is_empty()), "{told:?}");
}

#[test]
fn a_program_that_sets_its_own_trace_function_ends_ours() {
    let report = trace("import sys\nsys.settrace(None)\nx = 1\nprint(x)");
    assert_eq!((report.ending.verdict, report.stdout().as_str()), (Verdict::Finished, "1\n"));
}

#[test]
fn values_of_the_library_say_what_they_hold() {
    let source = "\
from array import array
from collections import deque
from datetime import datetime, timezone
from fractions import Fraction
a = Fraction(1, 3)
b = array('i', [1, 2])
c = deque([1, 2], maxlen=3)
d = {'a': 1}.keys()
e = datetime(2026, 1, 2, tzinfo=timezone.utc)
";
    let report = run_job(Job { mode: Mode::Trace, ..job(source) });
    let steps = report.steps.iter().flat_map(|step| &step.changed);
    let values: Vec<String> =
        steps.filter(|it| it.name.len() == 1).map(|it| format!("{} = {}", it.name, it.value)).collect();
    assert_eq!(
        values,
        [
            "a = Fraction(1, 3)",
            "b = array('i', [1, 2])",
            "c = deque([1, 2], maxlen=3)",
            "d = dict_keys(['a'])",
            "e = datetime.datetime(2026, 1, 2, 0, 0, tzinfo=datetime.timezone.utc)",
        ]
    );
}

#[test]
fn a_generator_returns_what_it_yields() {
    let source = "def g():\n    yield 1\n    yield 2\n\nprint(list(g()))\n";
    let report = run_job(Job { mode: Mode::Trace, ..job(source) });
    let returned: Vec<&str> = report
        .steps
        .iter()
        .filter(|step| step.kind == StepKind::Return && step.function == "g")
        .map(|step| step.value.as_str())
        .collect();
    assert_eq!(returned, ["1", "2", "None"]);
}

#[test]
fn changes_without_room_in_one_step_come_with_the_next() {
    let source = "\
def fill():
    a = b = c = d = e = f = 'old'
    a, b, c, d, e, f = 'a' * 1900, 'b' * 1900, 'c' * 1900, 'd' * 1900, 'e' * 1900, 'f' * 1900
    done = 1
    done = 2
    return done

fill()
";
    let report = trace(source);
    assert_eq!(report.ending.verdict, Verdict::Finished, "{report:?}");
    let at = |line: u32| {
        let mut steps = report.steps.iter().filter(|step| step.kind == StepKind::Line && step.function == "fill");
        let step = steps.find(|step| step.line == line).expect("the line runs");
        let long = step.changed.iter().filter(|variable| variable.value.len() > 1900);
        long.map(|variable| variable.name.as_str()).collect::<String>()
    };
    let (first, then) = (at(4), at(5));
    assert!(!first.is_empty() && first.len() < 6, "{first} {then}");
    assert_eq!(first + &then, "abcdef");
}
