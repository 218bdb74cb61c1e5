//! Uses of chance, clocks and everything else that differs from run to run.
//!
//! Owns the list of them. It looks at names and calls, so that it can be wrong: that is why it warns only, and why every
//! program is run more than once besides.

mod known;
mod names;
mod order;
mod sql;
mod waits;

use tree_sitter::Node;

use crate::content::python::{Program, line_of};
use crate::content::question::LineNo;
use known::{CHANCE, CLOCKS, NUMBERS, UUIDS, is_shared};
use names::{Binding, DEEPEST, Names, arguments, children};
use order::{Order, is_print};
use waits::Waits;

/// A use, and what to do instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Use {
    pub(super) line: LineNo,
    /// What was written: "`time.sleep` really waits".
    pub(super) what: String,
    pub(super) instead: &'static str,
}

const PASS_TIME: &str = "pass the time as a number, such as `now=10`, and let the scenario say what passes";
const NAME: &str = "pass it as an argument that is fixed, such as `owner=7`";
const COUNT: &str = "write a fixed one, such as `uuid.UUID(int=1)`, or count with `itertools.count`";
const TOKEN: &str = "pass a fixed one, such as `token=\"t1\"`";
const SEED: &str = "use a `random.Random` with a fixed seed";
const STABLE: &str = "use `zlib.crc32` or `hashlib` for a stable number";
const NUMBER: &str = "number the objects, or compare with `is`";
const SORT: &str = "print `sorted(...)` of it";
const SORT_FIRST: &str = "take `min(...)` or `max(...)`, or sort it first";

/// The uses in `program`, in its order.
pub(super) fn uses(program: &Program<'_>) -> Vec<Use> {
    let nodes = program.nodes();
    let names = Names::new(program, &nodes);
    let order = Order::new(&names);
    let waits = Waits::new(&names);
    let uses = Uses { program, names: &names, order: &order, waits: &waits, seeded: is_seeded(&names) };
    let mut all: Vec<Use> = nodes.iter().flat_map(|node| uses.of(*node)).collect();
    all.extend(sql::uses(&names));
    let looped = order.printed_in_loops().into_iter().map(|call| Use {
        line: line_of(call),
        what: "this prints in the order of a set, which differs from run to run".to_owned(),
        instead: "loop over `sorted(...)` of it",
    });
    all.extend(looped);
    all.sort_by_key(|it| it.line);
    all.dedup();
    all
}

fn is_seeded(names: &Names<'_>) -> bool {
    let calls = names.nodes.iter().filter(|node| node.kind() == "call");
    let mut seeds = calls.filter(|call| names.called(**call).as_deref() == Some("random.seed"));
    seeds.any(|call| has_seed(*call))
}

/// Whether a generator is given a seed. `None` stands for chance.
fn has_seed(call: Node<'_>) -> bool {
    arguments(call).first().is_some_and(|it| it.kind() != "none")
}

struct Uses<'p> {
    program: &'p Program<'p>,
    names: &'p Names<'p>,
    order: &'p Order<'p>,
    waits: &'p Waits<'p>,
    /// Whether the generator that all share has a seed.
    seeded: bool,
}

impl<'p> Uses<'p> {
    fn of(&self, node: Node<'p>) -> Vec<Use> {
        let found = |(what, instead)| Use { line: line_of(node), what, instead };
        let mut all: Vec<Use> = Vec::new();
        match node.kind() {
            "call" => all.extend(self.call(node).map(found)),
            // What is handed on is called by somebody else: `key=hash`, `clock=time.time`.
            "argument_list" => all.extend(children(node).into_iter().filter_map(|it| self.handed_on(it)).map(found)),
            "keyword_argument" | "default_parameter" | "typed_default_parameter" | "pair" => {
                let value = node.child_by_field_name("value");
                all.extend(value.and_then(|it| self.handed_on(it)).map(found));
            }
            _ => {}
        }
        if self.order.picks(node) {
            let written = self.program.text(node).split_whitespace().collect::<Vec<_>>().join(" ");
            let short: String = written.chars().take(40).collect();
            let dots = if short == written { "" } else { "..." };
            let what = format!("`{short}{dots}` takes what comes first in a set, which differs from run to run");
            all.push(found((what, SORT_FIRST)));
        }
        all
    }

    fn call(&self, call: Node<'p>) -> Option<(String, &'static str)> {
        let function = call.child_by_field_name("function")?;
        let written = self.program.text(function);
        if self.names.last_name(function) == "__hash__" {
            let object = function.child_by_field_name("object")?;
            return (!self.is_number(object, DEEPEST)).then(|| hash("hash"));
        }
        if let Some(found) = self.waits.of(call) {
            return Some(found);
        }
        if self.reads_a_loop(function) {
            return Some(clock(written));
        }
        let called = self.names.called(call)?;
        match called.as_str() {
            "random.Random" if !has_seed(call) => Some((format!("`{written}` has no seed"), SEED)),
            "random.Random" => None,
            // It is asked for by dictionaries and sets. Whoever prints it calls `hash` there.
            "hash" if self.program.around(line_of(call)).contains(&"__hash__") => None,
            "hash" if arguments(call).iter().all(|it| self.is_number(*it, DEEPEST)) => None,
            // It is told when the time is given.
            "time.gmtime" | "time.localtime" | "time.ctime" | "time.asctime" if !arguments(call).is_empty() => None,
            "time.strftime" if arguments(call).len() > 1 => None,
            "sched.scheduler" => arguments(call).is_empty().then(|| clock(written)),
            _ if is_print(Some(&called)) => arguments(call)
                .iter()
                .any(|it| self.order.shows(*it))
                .then(|| ("a set is printed, whose order differs from run to run".to_owned(), SORT)),
            name => self.known(name, written),
        }
    }

    /// What is said of a name that is called, or handed to what will call it.
    fn known(&self, name: &str, written: &str) -> Option<(String, &'static str)> {
        match name {
            "hash" => Some(hash(written)),
            "id" => Some((format!("`{written}` differs from run to run"), NUMBER)),
            _ if CLOCKS.contains(&name) => Some(clock(written)),
            _ if NUMBERS.contains(&name) => Some((format!("`{written}` differs from run to run"), NAME)),
            _ if UUIDS.contains(&name) => Some((format!("`{written}` is chance"), COUNT)),
            _ if name.starts_with("secrets.token_") => Some((format!("`{written}` is chance"), TOKEN)),
            _ if CHANCE.contains(&name) || name.starts_with("secrets.") => {
                Some((format!("`{written}` is chance"), SEED))
            }
            _ if is_shared(name) && !self.seeded => Some((format!("`{written}` has no seed"), SEED)),
            _ => None,
        }
    }

    fn handed_on(&self, node: Node<'_>) -> Option<(String, &'static str)> {
        if !matches!(node.kind(), "identifier" | "attribute") {
            return None;
        }
        if self.reads_a_loop(node) {
            return Some(clock(self.program.text(node)));
        }
        self.known(&self.names.resolve(node)?, self.program.text(node))
    }

    /// Whether this is the clock of an event loop.
    fn reads_a_loop(&self, function: Node<'_>) -> bool {
        let object = function.child_by_field_name("object").filter(|_| self.names.last_name(function) == "time");
        object.is_some_and(|it| self.waits.is_loop(it, "time"))
    }

    /// Whether this is a number, whose hash is the same everywhere.
    fn is_number(&self, node: Node<'_>, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1).filter(|_| self.names.step()) else { return false };
        let all = |node| children(node).into_iter().all(|it| self.is_number(it, depth));
        match node.kind() {
            "integer" | "float" | "true" | "false" => true,
            "unary_operator" | "binary_operator" | "parenthesized_expression" | "tuple" => all(node),
            "identifier" => {
                let bindings = self.names.bindings(node);
                let number = |binding: &Binding<'_>| match binding {
                    Binding { annotation: Some(annotation), .. } => {
                        matches!(self.program.text(*annotation), "int" | "float" | "bool")
                    }
                    Binding { value, .. } => value.is_some_and(|it| self.is_number(it, depth)),
                };
                !bindings.is_empty() && bindings.iter().all(number)
            }
            "call" => {
                matches!(self.names.called(node).as_deref(), Some("len" | "int" | "float" | "ord" | "round" | "abs"))
            }
            _ => false,
        }
    }
}

fn clock(written: &str) -> (String, &'static str) {
    (format!("`{written}` reads a clock"), PASS_TIME)
}

fn hash(written: &str) -> (String, &'static str) {
    (format!("`{written}` of a text differs from run to run"), STABLE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::python::Reader;

    /// What is told of a program: the line, and what is there.
    pub(super) fn found(source: &str) -> Vec<String> {
        let mut reader = Reader::new().unwrap();
        uses(&reader.read(source).unwrap()).into_iter().map(|it| format!("{}: {}", it.line, it.what)).collect()
    }

    #[test]
    fn what_differs_from_run_to_run_is_found() {
        for (source, wanted) in [
            (
                "import time as t\nt.sleep(1)\nprint(t.time())",
                &["2: `t.sleep` really waits", "3: `t.time` reads a clock"][..],
            ),
            ("from datetime import datetime\nx = datetime.now()", &["2: `datetime.now` reads a clock"]),
            ("import datetime as d\nprint(d.datetime.now(d.UTC))", &["2: `d.datetime.now` reads a clock"]),
            (
                "import random\nx = random.random()\ny = random.Random()",
                &["2: `random.random` has no seed", "3: `random.Random` has no seed"],
            ),
            (
                "import random as r\nr.seed(None)\nr.Random(None)\nx = r.randint(1, 2)",
                &["3: `r.Random` has no seed", "4: `r.randint` has no seed"],
            ),
            ("from random import choice as pick\nx = pick('ab')", &["2: `pick` has no seed"]),
            ("from random import *\nx = choice('ab')\nprint(x)", &["2: `choice` has no seed"]),
            ("from time import *\nprint(time())", &["2: `time` reads a clock"]),
            ("import random\nrng = random\nx = rng.random()", &["3: `rng.random` has no seed"]),
            ("import asyncio\nasync def f():\n    await asyncio.sleep(0.1)", &["3: `asyncio.sleep` really waits"]),
            (
                "import os, uuid, secrets\na = os.urandom(3)\nb = uuid.uuid4()\nc = secrets.token_hex()\nd = os.getpid()",
                &[
                    "2: `os.urandom` is chance",
                    "3: `uuid.uuid4` is chance",
                    "4: `secrets.token_hex` is chance",
                    "5: `os.getpid` differs from run to run",
                ],
            ),
            ("import time\ndef get(key, clock=time.time): pass", &["2: `time.time` reads a clock"]),
            ("from uuid import uuid4\nfield(default_factory=uuid4)", &["2: `uuid4` is chance"]),
            ("import time\nnow = time.time\nprint(now())", &["3: `now` reads a clock"]),
            (
                "x = hash('a') % 3\ny = id(x)",
                &["1: `hash` of a text differs from run to run", "2: `id` differs from run to run"],
            ),
            ("h = hash\nprint(h('a'))", &["2: `h` of a text differs from run to run"]),
            ("def f(key: str) -> int:\n    return hash(key)", &["2: `hash` of a text differs from run to run"]),
            (
                "x = sorted('ab', key=hash)\ny = list(map(id, x))",
                &["1: `hash` of a text differs from run to run", "2: `id` differs from run to run"],
            ),
            ("x = 'a'.__hash__()", &["1: `hash` of a text differs from run to run"]),
            (
                "import asyncio\nasync def f():\n    loop = asyncio.get_running_loop()\n    return loop.time()",
                &["4: `loop.time` reads a clock"],
            ),
            (
                "import asyncio\nf(clock=asyncio.get_event_loop().time)",
                &["2: `asyncio.get_event_loop().time` reads a clock"],
            ),
            ("import sched\ns = sched.scheduler()", &["2: `sched.scheduler` reads a clock"]),
        ] {
            assert_eq!(found(source), wanted, "{source}");
        }
    }

    #[test]
    fn each_kind_of_chance_has_its_remedy() {
        let mut reader = Reader::new().unwrap();
        for (source, instead) in [
            ("import os\nos.urandom(3)", SEED),
            ("import random\nrandom.random()", SEED),
            ("import secrets\nsecrets.choice('ab')", SEED),
            ("import secrets\nsecrets.token_hex()", TOKEN),
            ("import uuid\nuuid.uuid4()", COUNT),
            ("import os\nos.getpid()", NAME),
            ("import threading\nthreading.get_ident()", NAME),
        ] {
            let found = uses(&reader.read(source).unwrap());
            assert_eq!(found.iter().map(|it| it.instead).collect::<Vec<_>>(), [instead], "{source}");
        }
    }

    #[test]
    fn what_is_printed_in_the_order_of_a_set_is_found() {
        for printed in [
            "{'a', 'b'}",
            "f'{seen}'",
            "'x', list(seen)",
            "', '.join(seen)",
            "{n for n in 'ab'}",
            "*seen",
            "frozenset('ab')",
            "seen | other",
            "seen & {'a'}",
            "seen - other",
            "seen ^ other",
            "seen.union(other)",
            "set.union(seen, other)",
            "seen.copy()",
            "str(seen)",
            "repr(seen)",
            "str(seen).upper()",
            "'%s' % seen",
            "'seen: ' + str(seen)",
            "'{}'.format(seen)",
            "f'{seen!r:>20}'",
            "[seen]",
            "{'seen': seen}",
            "[x for x in seen]",
            "*(x for x in seen)",
            "', '.join(x.upper() for x in seen)",
            "{x: 1 for x in seen}",
            "[*seen]",
            "list(seen)[:2]",
            "list(enumerate(seen))",
            "seen if seen else []",
            "seen or 'none'",
            "{'a': 1}.keys() | {'b': 2}.keys()",
            "given()",
            "annotated()",
            "listed()",
            "said()",
            "store.names()",
            "store.seen",
            "kinds['a']",
            "kinds.get('a')",
            "kinds",
            "groups",
            "make('ab')",
            "typed",
            "order",
            "dict.fromkeys(seen)",
            "sep=str(seen)",
        ] {
            let before = "from collections import defaultdict
seen = set('ab')
other = {'c'}
def given():
    return {'a'} | other
def annotated() -> set[str]: ...
def listed():
    return list(seen)
def said() -> str:
    return f'{seen}'
class Store:
    def __init__(self): self.seen = set()
    def names(self) -> 'frozenset[str]': ...
store = Store()
kinds = defaultdict(set)
groups: dict[str, set[str]] = {}
make = set
typed: set[str] | None = None
order = [x for x in seen]
";
            let line = before.lines().count() + 1;
            let set = "a set is printed, whose order differs from run to run";
            assert_eq!(found(&format!("{before}print({printed})")), [format!("{line}: {set}")], "{printed}");
        }
    }

    #[test]
    fn loops_over_sets_and_what_takes_the_first_are_found() {
        let looped = "this prints in the order of a set, which differs from run to run";
        let printed = "a set is printed, whose order differs from run to run";
        for (source, wanted) in [
            ("s = {'a'}\nfor x in s: print(x)", vec![format!("2: {looped}")]),
            (
                "def f(s: set[str]):\n    for x in s:\n        y = x + '!'\n        print(y)",
                vec![format!("4: {looped}")],
            ),
            ("for n, x in enumerate({'a'}):\n    print(n, x)", vec![format!("2: {looped}")]),
            ("out = []\nfor x in {'a'}:\n    out.append(x)\nprint(out)", vec![format!("4: {printed}")]),
            ("out = ''\nfor x in {'a'}:\n    out += f'{x} '\nprint(out)", vec![format!("4: {printed}")]),
            ("import sys\nsys.stdout.write(str({'a'}))", vec![format!("2: {printed}")]),
            ("say = print\nsay({'a'})", vec![format!("2: {printed}")]),
        ] {
            assert_eq!(found(source), wanted, "{source}");
        }
        for taken in ["s.pop()", "next(iter(s))", "list(s)[0]", "tuple(s)[-1]", "list(s).pop()", "[x for x in s][0]"] {
            let what = format!("2: `{taken}` takes what comes first in a set, which differs from run to run");
            assert_eq!(found(&format!("s = set('ab')\nx = {taken}")), [what], "{taken}");
        }
        let what = "2: `a, b = s` takes what comes first in a set, which differs from run to run";
        assert_eq!(found("s = set('ab')\na, b = s"), [what]);
    }

    #[test]
    fn what_is_the_same_each_time_is_left_alone() {
        for source in [
            "import random\nrandom.seed(3)\nx = random.random()",
            "import random\ny = random.Random(7).random()\nrng = random.Random(1)\nprint(rng.choice('ab'))",
            "from random import Random as R\nrng = R(x=3)\nprint(rng.random())",
            "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    await asyncio.sleep(delay=0)",
            "def hash(x): return 1\nhash('a')",
            "def f(hash, id): return hash('a') + id('b')",
            "class Key:\n    def __hash__(self) -> int:\n        return hash(self.name)",
            "x = hash(3)\ny = hash(-3.5)\nz = hash((1, 2))\nn = 4\nw = hash(n)\ndef f(k: int): return hash(k)",
            "class Row:\n    def id(self): return 3\nrow = Row()\nprint(row.id(), row.time())",
            "seen = {'a', 'b'}\nprint(sorted(seen), len(seen), 'a' in seen, seen == {'b', 'a'}, min(seen), max(seen))",
            "seen = {1, 2}\nprint(sum(seen), any(x for x in seen), all(seen), sorted(x + 1 for x in seen)[0], bool(seen))",
            "seen = {'a': 1}\nprint(seen, list(seen), list(seen)[0], seen.pop('a'), next(iter(seen)))",
            "seen = set('ab')\nseen = sorted(seen)\nprint(seen, seen[0])",
            "order = list({'a'})\norder.sort()\nprint(order, order[0])",
            "def f():\n    x = {'a'}\n    return len(x)\ndef g():\n    x = ['a']\n    print(x)",
            "def f(x: list[str]):\n    print(x)\nx = {'a'}",
            "total = 0\nfor x in {1, 2}:\n    total += x\nprint(total)",
            "for x in sorted({1, 2}): print(x)",
            "for x in {1, 2}:\n    print('again')",
            "(only,) = {1}\na, b = [1, 2]\nprint(only, 5 - 3, 5 | 3)",
            "import time\nprint(time.gmtime(0), time.strftime('%Y', time.gmtime(0)))",
            "ids = [1]\nprint(ids)",
            "# time.sleep(1)\nx = 'hash(1)'",
            "x = __import__('json').dumps(1)\ny = __import__(name).time()\nz = getattr(a, 'time')()",
            "import sched\ns = sched.scheduler(lambda: 3, print)",
        ] {
            assert_eq!(found(source), <[String; 0]>::default(), "{source}");
        }
    }

    #[test]
    fn programs_that_are_made_to_be_hard_are_read_in_no_time() {
        let mut reader = Reader::new().unwrap();
        for source in [
            format!("x = {{1}}\n{}print(x)\n", "x = [x, x, x]\n".repeat(400)),
            format!("{}{{1}}{}", "print(".repeat(5_000), ")".repeat(5_000)),
            format!("def f():\n    return f() + f()\n{}", "print(f())\n".repeat(400)),
            format!("{}print(a)\n", "a = b\nb = a\n".repeat(300)),
            format!("x = {}1\nprint(x)", "{1} | ".repeat(5_000)),
            "for x in {1}:\n print(x)\n".repeat(2_000),
            format!("hash({}1)", "1+".repeat(30_000)),
            format!("hash({}1{})", "(".repeat(20_000), ")".repeat(20_000)),
            format!("import time\ndef f(n):\n{}", " time.sleep(n); f(n)\n".repeat(2_000)),
            format!("import time\n{}", "def f(n):\n time.sleep(n); f(n)\n".repeat(1_500)),
            format!("import time\ndef f(n):\n {}0{}", "time.sleep(n, ".repeat(4_000), ")".repeat(4_000)),
            format!("{}x{}", "getattr(".repeat(5_000), ", 'a')".repeat(5_000)),
            format!("import sqlite3\nx = {}1", "'select random()' + ".repeat(2_000)),
            format!("import sqlite3\nx = 'select {}'", "date(".repeat(8_000)),
        ] {
            uses(&reader.read(&source).unwrap());
        }
    }
}
