//! What really waits: sleeps, timers and timeouts.
//!
//! Owns the list of them, and how long they wait as far as one can tell. No time at all is no wait; a timeout is one where it
//! is most likely to strike.

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::Node;

use super::names::{DEEPEST, Names, arguments, children};

/// What waits, where its time stands among the arguments, and what the argument is called.
type Timed<'a> = (&'a str, usize, &'a str);

/// What anybody who is ready for a timeout names.
const TIMEOUT: &str = "TimeoutError";

/// Functions that wait for as long as they are told.
const FUNCTIONS: [Timed<'static>; 5] = [
    ("time.sleep", 0, "secs"),
    ("asyncio.sleep", 0, "delay"),
    ("threading.Timer", 0, "interval"),
    ("signal.alarm", 0, "seconds"),
    ("signal.setitimer", 1, "seconds"),
];

/// Functions that wait for no longer than they are told. Their time has no place in the first one.
const TIMEOUTS: [Timed<'static>; 4] = [
    ("asyncio.wait", usize::MAX, "timeout"),
    ("concurrent.futures.wait", 1, "timeout"),
    ("select.select", 3, "timeout"),
    ("multiprocessing.connection.wait", 1, "timeout"),
];

/// Timeouts that guard what is quick, unless somebody is ready for the error that they raise.
const GUARDS: [Timed<'static>; 2] = [("asyncio.wait_for", 1, "timeout"), ("asyncio.timeout", 0, "when")];

/// Methods that wait for no longer than they are told, and the classes that have them.
const METHODS: [(Timed<'static>, &str); 7] = [
    (
        ("wait", 0, "timeout"),
        "threading.Event threading.Condition threading.Barrier multiprocessing.Event multiprocessing.Condition",
    ),
    (("wait_for", 1, "timeout"), "threading.Condition multiprocessing.Condition"),
    (
        ("acquire", 1, "timeout"),
        "threading.Lock threading.RLock threading.Semaphore threading.BoundedSemaphore threading.Condition \
         multiprocessing.Lock multiprocessing.RLock multiprocessing.Semaphore",
    ),
    (("get", 1, "timeout"), QUEUES),
    (("put", 2, "timeout"), QUEUES),
    (("select", 0, "timeout"), "selectors.DefaultSelector selectors.SelectSelector selectors.PollSelector"),
    (("poll", 0, "timeout"), "select.poll select.epoll"),
];
const QUEUES: &str = "\
    queue.Queue queue.LifoQueue queue.PriorityQueue queue.SimpleQueue multiprocessing.Queue \
    multiprocessing.JoinableQueue";

/// What gives an event loop, and what one is called as a type.
const LOOPS: [&str; 5] = [
    "asyncio.get_running_loop",
    "asyncio.get_event_loop",
    "asyncio.new_event_loop",
    "asyncio.AbstractEventLoop",
    "asyncio.BaseEventLoop",
];

const NO_SLEEP: &str = "pass the time as a number, such as `now=10`, and let the scenario say what passes";
const GIVE_WAY: &str = "give way with `await asyncio.sleep(0)`, and count steps; to wait for an end from outside, `await asyncio.Event().wait()`";
const NO_TIMER: &str = "call it where its time would come, or use `call_soon`, and count steps";
const NO_TIMEOUT: &str = "raise the timeout where it would come, or see to it that there is nothing to wait for";

/// Looks for what waits in a program.
pub(super) struct Waits<'p> {
    names: &'p Names<'p>,
    /// Whether somebody is ready for a timeout.
    catches: bool,
    /// Where nearly everything that is raised is caught.
    caught: Vec<Range<usize>>,
    functions: Vec<Node<'p>>,
    /// The calls, by the last name of what they call.
    calls: HashMap<&'p str, Vec<Node<'p>>>,
    /// The names of classes, by the first byte of each of their methods.
    classes: HashMap<usize, &'p str>,
}

impl<'p> Waits<'p> {
    pub(super) fn new(names: &'p Names<'p>) -> Self {
        let (mut catches, mut caught, mut functions) = (false, Vec::new(), Vec::new());
        let (mut calls, mut classes) = (HashMap::<_, Vec<_>>::new(), HashMap::new());
        for node in names.nodes {
            match node.kind() {
                "call" => {
                    let Some(name) = node.child_by_field_name("function").map(|it| names.last_name(it)) else {
                        continue;
                    };
                    catches |= name == "suppress" && names.program.text(*node).contains(TIMEOUT);
                    calls.entry(name).or_default().push(*node);
                }
                "try_statement" => {
                    let clauses = children(*node).into_iter().filter(|it| it.kind() == "except_clause");
                    let clauses: Vec<&str> = clauses.map(|it| caught_by(names, it)).collect();
                    catches |= clauses.iter().any(|it| it.contains(TIMEOUT));
                    let wide = |it: &&str| it.is_empty() || it.contains("Exception") || it.contains("OSError");
                    let body = node.child_by_field_name("body").filter(|_| clauses.iter().any(wide));
                    caught.extend(body.map(|it| it.byte_range()));
                }
                "function_definition" => functions.push(*node),
                "class_definition" => {
                    let parts = (node.child_by_field_name("name"), node.child_by_field_name("body"));
                    let (Some(name), Some(body)) = parts else { continue };
                    for part in children(body) {
                        let method = part.child_by_field_name("definition").unwrap_or(part);
                        classes.insert(method.start_byte(), names.program.text(name));
                    }
                }
                _ => {}
            }
        }
        Self { names, catches, caught, functions, calls, classes }
    }

    /// What a call waits for, and what to do instead.
    pub(super) fn of(&self, call: Node<'p>) -> Option<(String, &'static str)> {
        let function = call.child_by_field_name("function")?;
        let written = self.names.program.text(function);
        let waits = |timed: &Timed<'_>| time(self.names, call, *timed).is_some_and(|it| self.is_some_time(it, DEEPEST));
        let until = || Some((format!("`{written}` really waits, until its timeout at the latest"), NO_TIMEOUT));
        if let Some(called) = self.names.called(call) {
            let is = |timed: &&Timed<'_>| timed.0 == called;
            if let Some(timed) = FUNCTIONS.iter().find(is) {
                let instead = match called.as_str() {
                    "asyncio.sleep" => GIVE_WAY,
                    "time.sleep" => NO_SLEEP,
                    _ => NO_TIMER,
                };
                return waits(timed).then(|| (format!("`{written}` really waits"), instead));
            }
            if let Some(timed) = TIMEOUTS.iter().find(is) {
                return until().filter(|_| waits(timed));
            }
            if let Some(timed) = GUARDS.iter().find(is) {
                return until().filter(|_| waits(timed) && self.strikes(call));
            }
        }
        let object = function.child_by_field_name("object").filter(|it| !self.names.is_imported(*it))?;
        let method = self.names.last_name(function);
        if method == "call_later" {
            let later = self.is_loop(object, method) && waits(&("call_later", 0, "delay"));
            return later.then(|| (format!("`{written}` really waits"), NO_TIMER));
        }
        let (timed, classes) = METHODS.iter().find(|(timed, _)| timed.0 == method)?;
        let has_it = match self.names.maker(object) {
            Some(class) => classes.split(' ').any(|it| it == class),
            // Nothing else is likely to be told how long to wait.
            None => {
                let named = timed.1 == 0 || keyword(self.names, call, timed.2).is_some();
                named && self.names.functions(method).is_empty() && self.uses_threads()
            }
        };
        until().filter(|_| has_it && waits(timed))
    }

    /// Whether this is an event loop, which has this method.
    pub(super) fn is_loop(&self, object: Node<'_>, method: &str) -> bool {
        match self.names.maker(object) {
            Some(maker) => LOOPS.contains(&maker.as_str()),
            None => {
                self.names.last_name(object).trim_start_matches('_') == "loop"
                    && self.names.functions(method).is_empty()
                    && self.names.uses_module("asyncio")
            }
        }
    }

    fn uses_threads(&self) -> bool {
        ["threading", "queue", "multiprocessing", "select", "selectors"].iter().any(|it| self.names.uses_module(it))
    }

    /// Whether a timeout is most likely to strike: somebody is ready for it, or nothing ends what it guards.
    fn strikes(&self, call: Node<'_>) -> bool {
        let endless = arguments(call).first().is_some_and(|it| {
            let function = it.child_by_field_name("function").filter(|_| it.kind() == "call");
            let made = function.and_then(|it| it.child_by_field_name("object")).filter(|it| it.kind() == "call");
            let fresh = made.and_then(|it| self.names.called(it));
            matches!(fresh.as_deref(), Some("asyncio.Event" | "asyncio.Queue" | "asyncio.Condition"))
                || self.names.called(*it).as_deref() == Some("asyncio.Future")
        });
        endless || self.catches || self.caught.iter().any(|it| it.contains(&call.start_byte()))
    }

    /// Whether this may be a time above nought.
    fn is_some_time(&self, node: Node<'p>, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1).filter(|_| self.names.step()) else { return false };
        let is_some = |it: Node<'p>| self.is_some_time(it, depth);
        match node.kind() {
            "integer" | "float" => self.names.program.text(node).contains(|c| matches!(c, '1'..='9')),
            // Less than nought is as soon as possible.
            "none" | "false" | "unary_operator" => false,
            "parenthesized_expression" => children(node).into_iter().any(is_some),
            "binary_operator" => {
                let operator = node.child_by_field_name("operator").map(|it| self.names.program.text(it));
                match operator {
                    Some("*" | "/") => children(node).into_iter().all(is_some),
                    _ => children(node).into_iter().any(is_some),
                }
            }
            "conditional_expression" => {
                // The part in the middle is the condition.
                [node.named_child(0), node.named_child(2)].into_iter().flatten().any(is_some)
            }
            "identifier" | "attribute" => {
                let given = if node.kind() == "identifier" { self.given(node) } else { None };
                if let Some(given) = given {
                    return given.into_iter().any(is_some);
                }
                let bindings = self.names.bindings(node);
                bindings.is_empty() || bindings.iter().any(|binding| binding.value.is_none_or(is_some))
            }
            _ => true,
        }
    }

    /// What the calls in the program give for a parameter; `None` where this is none. Of a function that takes the place of
    /// another one no call may be seen.
    fn given(&self, name: Node<'p>) -> Option<Vec<Node<'p>>> {
        let named = self.names.program.text(name);
        let at = name.start_byte();
        let mut around = self.functions.iter().rev().filter(|it| it.byte_range().contains(&at));
        let (function, place, default) = around.find_map(|function| {
            let parameters = children(function.child_by_field_name("parameters")?);
            let bare = |it: &Node<'p>| it.child_by_field_name("name").or_else(|| it.named_child(0)).unwrap_or(*it);
            let place = parameters.iter().position(|it| self.names.program.text(bare(it)) == named)?;
            let default = parameters.get(place).and_then(|it| it.child_by_field_name("value"));
            Some((function, place, default))
        })?;
        let called = self.names.program.text(function.child_by_field_name("name")?);
        // What stands before the dot is the first argument of a method.
        let (called, place) = match self.classes.get(&function.start_byte()) {
            Some(class) if called == "__init__" => (*class, place.checked_sub(1)),
            Some(_) => (called, place.checked_sub(1)),
            None => (called, Some(place)),
        };
        let calls = self.calls.get(called).into_iter().flatten().take_while(|_| self.names.step());
        let mut given: Vec<Option<Node<'p>>> =
            calls.map(|call| place.and_then(|place| time(self.names, *call, ("", place, named))).or(default)).collect();
        if given.is_empty() {
            given.push(default);
        }
        Some(given.into_iter().flatten().collect())
    }
}

/// Whether `name` is that of a function that may wait.
pub(super) fn is_known(name: &str) -> bool {
    FUNCTIONS.iter().chain(&TIMEOUTS).chain(&GUARDS).any(|timed| timed.0 == name)
}

/// What an `except` names; nothing where it takes everything.
fn caught_by<'p>(names: &Names<'p>, clause: Node<'_>) -> &'p str {
    let first = children(clause).into_iter().next().filter(|it| it.kind() != "block");
    first.map_or("", |it| names.program.text(it))
}

/// How long a call is told to wait.
fn time<'n>(names: &Names<'_>, call: Node<'n>, (_, at, name): Timed<'_>) -> Option<Node<'n>> {
    let list = call.child_by_field_name("arguments")?;
    let given = children(list).into_iter().filter(|it| it.kind() != "keyword_argument").nth(at);
    given.or_else(|| keyword(names, call, name))
}

/// The argument of this name.
fn keyword<'n>(names: &Names<'_>, call: Node<'n>, name: &str) -> Option<Node<'n>> {
    let named = children(call.child_by_field_name("arguments")?).into_iter().find(|it| {
        it.kind() == "keyword_argument"
            && it.child_by_field_name("name").is_some_and(|it| names.program.text(it) == name)
    });
    named?.child_by_field_name("value")
}

#[cfg(test)]
mod tests {
    use crate::content::chance::tests;

    const BEFORE: &str = "import asyncio, queue, select, selectors, signal, threading, time\n";

    fn found(source: &str) -> Vec<String> {
        tests::found(&format!("{BEFORE}{source}"))
    }

    #[test]
    fn real_waits_are_found() {
        for (source, line, written) in [
            ("time.sleep(0.2)", 2, "time.sleep"),
            ("asyncio.sleep(delay=0.2)", 2, "asyncio.sleep"),
            ("asyncio.sleep(n)", 2, "asyncio.sleep"),
            ("n = 0.2\nasyncio.sleep(n)", 3, "asyncio.sleep"),
            ("n = 2\nasyncio.sleep(n * 0.1)", 3, "asyncio.sleep"),
            ("asyncio.sleep(1 if x else 0)", 2, "asyncio.sleep"),
            ("for n in (1, 2): asyncio.sleep(n)", 2, "asyncio.sleep"),
            ("async def f(n): await asyncio.sleep(n)\nf(1)", 2, "asyncio.sleep"),
            ("async def f(a, n): await asyncio.sleep(n)\nf(0, n=1)", 2, "asyncio.sleep"),
            ("async def f(n=0.1): await asyncio.sleep(n)\nf()\nf(0)", 2, "asyncio.sleep"),
            (
                "class A:\n  def __init__(self, n): self.n = n\n  async def f(self): await asyncio.sleep(self.n)\nA(1)",
                4,
                "asyncio.sleep",
            ),
            ("class A:\n  async def f(self, n: int): await asyncio.sleep(n)\nA().f(1)", 3, "asyncio.sleep"),
            ("threading.Timer(0.2, print)", 2, "threading.Timer"),
            ("signal.alarm(1)", 2, "signal.alarm"),
            ("asyncio.get_running_loop().call_later(0.2, print)", 2, "asyncio.get_running_loop().call_later"),
            ("loop = asyncio.new_event_loop()\nloop.call_later(1, print)", 3, "loop.call_later"),
            ("def f(loop: asyncio.AbstractEventLoop): loop.call_later(1, print)", 2, "loop.call_later"),
            ("def f(loop): loop.call_later(1, print)", 2, "loop.call_later"),
        ] {
            assert_eq!(found(source), [format!("{line}: `{written}` really waits")], "{source}");
        }
    }

    #[test]
    fn timeouts_that_are_likely_to_strike_are_found() {
        for (source, line, written) in [
            ("threading.Event().wait(0.2)", 2, "threading.Event().wait"),
            ("e = threading.Event()\ne.wait(timeout=0.2)", 3, "e.wait"),
            ("def f(e: 'E', c: threading.Condition): c.wait(1)", 2, "c.wait"),
            ("class A:\n    e = threading.Event()\n    def f(self): self.e.wait(1)", 4, "self.e.wait"),
            ("def f(e): e.wait(0.2)", 2, "e.wait"),
            ("q = queue.Queue()\nq.get(timeout=0.1)", 3, "q.get"),
            ("q: queue.Queue[int] = queue.Queue()\nq.get(True, 0.1)", 3, "q.get"),
            ("q = queue.Queue(1)\nq.put(1, timeout=0.1)", 3, "q.put"),
            ("def f(q): q.get(timeout=0.1)", 2, "q.get"),
            ("lock = threading.Lock()\nlock.acquire(timeout=1)", 3, "lock.acquire"),
            ("select.select([], [], [], 0.1)", 2, "select.select"),
            ("s = selectors.DefaultSelector()\ns.select(1)", 3, "s.select"),
            ("asyncio.wait([], timeout=0.2)", 2, "asyncio.wait"),
            ("try: asyncio.wait_for(f(), 0.2)\nexcept TimeoutError: pass", 2, "asyncio.wait_for"),
            ("try: asyncio.wait_for(f(), timeout=1)\nexcept (A, asyncio.TimeoutError): pass", 2, "asyncio.wait_for"),
            ("try: asyncio.wait_for(f(), timeout=1)\nexcept Exception as e: pass", 2, "asyncio.wait_for"),
            ("try: asyncio.wait_for(f(), timeout=1)\nexcept: pass", 2, "asyncio.wait_for"),
            (
                "import contextlib\nwith contextlib.suppress(TimeoutError): asyncio.wait_for(f(), 0.2)",
                3,
                "asyncio.wait_for",
            ),
            ("asyncio.wait_for(asyncio.Event().wait(), 0.2)", 2, "asyncio.wait_for"),
            ("try:\n    async with asyncio.timeout(0.2): pass\nexcept TimeoutError: pass", 3, "asyncio.timeout"),
        ] {
            let what = format!("{line}: `{written}` really waits, until its timeout at the latest");
            assert_eq!(found(source), [what], "{source}");
        }
    }

    #[test]
    fn no_time_at_all_and_what_is_no_wait_are_left_alone() {
        for source in [
            "asyncio.sleep(0)",
            "asyncio.sleep(0.0, 'x')",
            "asyncio.sleep(delay=0)",
            "time.sleep(0)",
            "n = 0\nasyncio.sleep(n)",
            "asyncio.sleep(0 * n)",
            "async def f(n): await asyncio.sleep(n)\nf(0)",
            "async def f(n=1): await asyncio.sleep(n)\nf(n=0)",
            "real = asyncio.sleep\nasync def fake(n, result=None): await real(n)\nasyncio.sleep = fake",
            "threading.Event().wait()",
            "threading.Event().wait(None)",
            "threading.Event().wait(timeout=0)",
            "asyncio.Event().wait()",
            "q = queue.Queue()\nq.get()\nq.get(False)\nq.get(timeout=None)\nq.put(3)",
            "q = asyncio.Queue()\nq.get()\nq.put(1)",
            "d = {1: 2}\nd.get(1, 5)\nd.get(1)",
            "class Line:\n    def wait(self, n): pass\ndef f(line): line.wait(3)",
            "class Lease:\n    def acquire(self, a, timeout): pass\ndef f(it): it.acquire(1, timeout=10)",
            "lock = threading.Lock()\nlock.acquire()\nlock.acquire(False)",
            "asyncio.wait([t])",
            "asyncio.wait_for(f(), 0.2)",
            "asyncio.wait_for(f(), None)",
            "asyncio.get_running_loop().call_later(0, print)",
            "asyncio.get_running_loop().call_soon(print)",
            "class Loop:\n  def call_later(self, n, f): pass\n  def time(self): return 3\n\
             def f(loop):\n  loop.call_later(3, f)\n  loop.time()",
            "select.select([], [], [], 0)",
        ] {
            assert_eq!(found(source), <[String; 0]>::default(), "{source}");
        }
    }
}
