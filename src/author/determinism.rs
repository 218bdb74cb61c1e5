//! Reports code that may differ from run to run in programs, checks and scenarios.
//!
//! Sources that always differ are warnings; those that may differ, such as threads, are notes. Only reruns prove anything.

use std::collections::{HashMap, HashSet};

use tree_sitter::Node;

use crate::author::python::{Program, Reader, line_of};
use crate::content::diagnostic::Severity::{self, Note, Warning};
use crate::content::diagnostic::codes;
use crate::content::locate::Step::{At, Key};
use crate::content::problems::Problems;
use crate::content::question::{LineNo, Question};

/// The severity of a source, the problem, and the help.
type Advice = (Severity, &'static str, &'static str);

const CLOCK: Advice = (Warning, "reads a clock", "pass the time as a number, such as `now=10`");
const UNSEEDED: Advice = (Warning, "has no seed", "use a `random.Random` with a fixed seed");
const SLEEP: Advice =
    (Note, "waits in real time", "pass the time as a number, or switch tasks with `await asyncio.sleep(0)`");
const SET: Advice = (Note, "a set is printed, and its order differs from run to run", "print `sorted(...)` of it");
const ROWS: Advice = (Note, "this query has no ORDER BY: rows may come in any order", "add `order by`");

/// Names of the standard library and their advice.
const SOURCES: [(&str, Advice); 7] = [
    (
        "time.time time.time_ns time.monotonic time.monotonic_ns time.perf_counter time.perf_counter_ns time.process_time \
         datetime.datetime.now datetime.datetime.utcnow datetime.datetime.today datetime.date.today timeit.default_timer",
        CLOCK,
    ),
    ("uuid.uuid1 uuid.uuid4", (Warning, "is random", "write a fixed one, such as `uuid.UUID(int=1)`")),
    ("os.urandom os.getrandom random.SystemRandom", (Warning, "is random", UNSEEDED.2)),
    (
        "os.environ os.getenv os.getpid os.getppid os.getcwd os.uname platform.node socket.gethostname getpass.getuser \
         threading.get_ident threading.get_native_id",
        (Warning, "depends on the machine and the process", "pass a fixed value as an argument"),
    ),
    ("id", (Warning, "differs from run to run", "number the objects, or compare with `is`")),
    ("hash", (Warning, "of a text differs from run to run", "use `zlib.crc32` or `hashlib`")),
    (
        "threading.Thread threading.Timer asyncio.to_thread multiprocessing.Process multiprocessing.Pool \
         concurrent.futures.ThreadPoolExecutor concurrent.futures.ProcessPoolExecutor",
        (Note, "runs concurrently, in any order", "use generators that `yield` where a switch may happen"),
    ),
];

/// Words of queries whose rows have an order, or that return one row.
const ORDERED: [&str; 7] = ["order by", " where ", "count(", "sum(", "min(", "max(", "limit 1"];

/// Calls whose result keeps the order of a set.
const PASS_ON: [&str; 7] = ["str", "repr", "list", "tuple", "enumerate", "join", "format"];

/// Maximum depth at which a printed value is searched for a set.
const DEEPEST: usize = 6;

/// Reports every source in the programs, the checks and the scenario of `question`.
pub(super) fn check(problems: &Problems, question: &Question, reader: &mut Reader) {
    let Some(buggy) = reader.read(&question.spot.code) else { return };
    let known = Names::of(&buggy, None);
    let programs = [("spot", &question.spot.code), ("fixed", &question.fixed.code)];
    let mut parts = programs.map(|(table, code)| (vec![Key(table), Key("code")], code, None)).to_vec();
    let checks = question.checks.iter().enumerate();
    parts.extend(checks.map(|(at, check)| (vec![Key("check"), At(at), Key("code")], &check.code, Some(&known))));
    if let Some(scenario) = &question.scenario {
        parts.push((vec![Key("scenario"), Key("setup")], &scenario.setup, Some(&known)));
        let steps = scenario.steps.iter().enumerate().filter_map(|(at, step)| Some((at, step.run.as_ref()?)));
        let key = |at| vec![Key("scenario"), Key("step"), At(at), Key("run")];
        parts.extend(steps.map(|(at, run)| (key(at), run, Some(&known))));
        let watched = |(at, it)| (vec![Key("scenario"), Key("watch"), At(at)], it, Some(&known));
        parts.extend(scenario.watch.iter().enumerate().map(watched));
    }
    for (path, code, outer) in parts {
        let Some(program) = reader.read(code) else { continue };
        let mut found = sources(&program, &Names::of(&program, outer));
        found.dedup();
        for (line, message, (severity, _, help)) in found {
            let span = problems.line(&path, line);
            problems.push(severity, codes::NOT_DETERMINISTIC, span, message, help.to_owned());
        }
    }
}

/// The names that a program imports and binds, and those of the program that ran before it.
struct Names<'a> {
    imports: HashMap<&'a str, String>,
    bound: HashSet<&'a str>,
    /// Variables and fields that hold sets.
    sets: HashSet<&'a str>,
    /// True if the shared generator of `random` has a seed.
    seeded: bool,
    outer: Option<&'a Names<'a>>,
}

impl<'a> Names<'a> {
    fn of(program: &Program<'a>, outer: Option<&'a Names<'a>>) -> Self {
        let (imports, bound) = (program.imports(), program.bound().into_iter().collect());
        let mut names = Self { imports, bound, sets: HashSet::new(), seeded: false, outer };
        for node in program.nodes() {
            match node.kind() {
                "call" => names.seeded |= names.called(program, node) == "random.seed" && has_seed(program, node),
                "assignment" => {
                    let value = node.child_by_field_name("right");
                    if let Some(left) = node.child_by_field_name("left")
                        && value.is_some_and(|value| names.is_set(program, value))
                    {
                        names.sets.insert(program.text(left));
                    }
                }
                _ => {}
            }
        }
        names
    }

    /// The meaning of a name: `time.time` for `t.time` after `import time as t`. Empty for a name that the program binds itself.
    fn full(&self, written: &str) -> String {
        let (head, rest) = written.split_at(written.find('.').unwrap_or(written.len()));
        match self.imports.get(head) {
            Some(path) => format!("{path}{rest}"),
            None if self.bound.contains(head) => String::new(),
            None => self
                .outer
                .map_or_else(|| if rest.is_empty() { head.to_owned() } else { String::new() }, |it| it.full(written)),
        }
    }

    fn called(&self, program: &Program<'_>, call: Node<'_>) -> String {
        call.child_by_field_name("function").map_or_else(String::new, |it| self.full(program.text(it)))
    }

    fn is_set(&self, program: &Program<'_>, node: Node<'_>) -> bool {
        match node.kind() {
            "set" | "set_comprehension" => true,
            "call" => matches!(&*self.called(program, node), "set" | "frozenset"),
            "identifier" | "attribute" => {
                self.sets.contains(program.text(node)) || self.outer.is_some_and(|it| it.is_set(program, node))
            }
            _ => false,
        }
    }

    /// True if a printed value shows a set in its order.
    fn shows_set(&self, program: &Program<'_>, node: Node<'_>, depth: usize) -> bool {
        let passes_on = || match node.kind() {
            "call" => {
                let function = program.text(node.child_by_field_name("function").unwrap_or(node));
                PASS_ON.contains(&function.rsplit('.').next().unwrap_or(function))
            }
            kind => kind != "attribute" && kind != "subscript" && kind != "comparison_operator",
        };
        let mut cursor = node.walk();
        let mut parts = node.named_children(&mut cursor);
        self.is_set(program, node)
            || depth > 0 && passes_on() && parts.any(|part| self.shows_set(program, part, depth - 1))
    }
}

/// The sources in a program, in its order: line, message and advice.
fn sources<'a>(program: &Program<'a>, names: &Names<'a>) -> Vec<(LineNo, String, Advice)> {
    let nodes = program.nodes();
    let is_hash = |node: &&Node<'_>| {
        let name = node.child_by_field_name("name").map(|it| program.text(it));
        node.kind() == "function_definition" && name == Some("__hash__")
    };
    let hashes: Vec<_> = nodes.iter().filter(is_hash).map(Node::byte_range).collect();
    let mut found = Vec::new();
    // Names before this byte belong to a name, an import or a call that was looked at as a whole.
    let mut seen_until = 0;
    // Queries before this byte ask for one row.
    let mut one_row_until = 0;
    for node in nodes {
        let (text, line) = (program.text(node), line_of(node));
        let mut add = |what: String, advice: Advice| found.push((line, what, advice));
        match node.kind() {
            "import_statement" | "import_from_statement" => seen_until = node.end_byte(),
            "keyword_argument" => seen_until = node.child_by_field_name("name").map_or(0, |name| name.end_byte()),
            "call" => {
                let Some(function) = node.child_by_field_name("function") else { continue };
                let name = names.called(program, node);
                one_row_until =
                    if program.text(function).ends_with(".fetchone") { node.end_byte() } else { one_row_until };
                let first = arguments(node).first().map_or("", |it| program.text(*it));
                match &*name {
                    "random.Random" if !has_seed(program, node) => {
                        add(format!("`{}` {}", program.text(function), UNSEEDED.1), UNSEEDED);
                    }
                    "print" if arguments(node).iter().any(|it| names.shows_set(program, *it, DEEPEST)) => {
                        add(SET.1.to_owned(), SET);
                    }
                    // Python calls `__hash__` for its dictionaries; what it returns is not shown.
                    "hash"
                        if first.parse::<f64>().is_ok()
                            || hashes.iter().any(|range| range.contains(&node.start_byte())) => {}
                    "time.localtime" | "time.gmtime" | "time.ctime" | "time.asctime" | "time.strftime"
                        if arguments(node).len() == usize::from(name.ends_with("strftime")) =>
                    {
                        add(format!("`{}` {}", program.text(function), CLOCK.1), CLOCK);
                    }
                    "asyncio.sleep" | "time.sleep" if first != "0" => {
                        add(format!("`{}` {}", program.text(function), SLEEP.1), SLEEP)
                    }
                    _ => continue,
                }
                seen_until = function.end_byte();
            }
            "for_statement"
                if text.contains("print(")
                    && node.child_by_field_name("right").is_some_and(|it| names.is_set(program, it)) =>
            {
                add(SET.1.to_owned(), SET);
            }
            "identifier" | "attribute" if node.start_byte() >= seen_until && is_path(text) => {
                seen_until = node.end_byte();
                advice(&names.full(text), names).into_iter().for_each(|it| add(format!("`{text}` {}", it.1), it));
            }
            "string" | "concatenated_string" if node.start_byte() >= seen_until => {
                seen_until = if node.kind() == "string" { seen_until } else { node.end_byte() };
                let sql = text.to_lowercase();
                if sql.contains("current_timestamp") || sql.contains("('now'") {
                    add("this SQL reads a clock".to_owned(), CLOCK);
                }
                let has_rows = sql.contains("select ") && node.start_byte() >= one_row_until;
                if has_rows && sql.contains(" from ") && !ORDERED.iter().any(|word| sql.contains(word)) {
                    add(ROWS.1.to_owned(), ROWS);
                }
            }
            _ => {}
        }
    }
    found
}

fn is_path(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
}

fn advice(name: &str, names: &Names<'_>) -> Option<Advice> {
    let seeded = names.seeded || names.outer.is_some_and(|it| it.seeded);
    let is_function =
        |rest: &str| rest.starts_with(char::is_lowercase) && !matches!(rest, "seed" | "getstate" | "setstate");
    if name.strip_prefix("random.").is_some_and(is_function) {
        return (!seeded).then_some(UNSEEDED);
    }
    if name.starts_with("secrets.") && name != "secrets.compare_digest" {
        return Some((Warning, "is random", UNSEEDED.2));
    }
    SOURCES.iter().find(|(all, _)| all.split_whitespace().any(|it| it == name)).map(|(_, advice)| *advice)
}

fn has_seed(program: &Program<'_>, call: Node<'_>) -> bool {
    arguments(call).first().is_some_and(|it| program.text(*it) != "None")
}

fn arguments<'t>(call: Node<'t>) -> Vec<Node<'t>> {
    let Some(list) = call.child_by_field_name("arguments") else { return Vec::new() };
    let mut cursor = list.walk();
    list.named_children(&mut cursor).filter(|it| it.kind() != "comment").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sources in a program that runs after `before`, as lines of "line: message", notes in brackets.
    fn found(before: &str, source: &str) -> Vec<String> {
        let mut reader = Reader::new().unwrap();
        let (before, program) = (reader.read(before).unwrap(), reader.read(source).unwrap());
        let outer = Names::of(&before, None);
        let said = |(line, message, (severity, ..)): (LineNo, String, Advice)| match severity {
            Note => format!("{line}: ({message})"),
            _ => format!("{line}: {message}"),
        };
        sources(&program, &Names::of(&program, Some(&outer))).into_iter().map(said).collect()
    }

    #[test]
    fn sources_that_always_differ_are_warnings() {
        for (source, wanted) in [
            ("import time as t\nprint(t.time())", &["2: `t.time` reads a clock"][..]),
            ("import time\ny = time.strftime('%Y')", &["2: `time.strftime` reads a clock"]),
            ("import time\ny = time.localtime()", &["2: `time.localtime` reads a clock"]),
            ("from datetime import datetime\nx = datetime.now()", &["2: `datetime.now` reads a clock"]),
            ("import time\ndef get(key, clock=time.time): pass", &["2: `time.time` reads a clock"]),
            (
                "import random\nx = random.random()\ny = random.Random()",
                &["2: `random.random` has no seed", "3: `random.Random` has no seed"],
            ),
            (
                "import random\nrandom.seed(None)\nrandom.Random(None)\nx = random.randint(1, 2)",
                &["3: `random.Random` has no seed", "4: `random.randint` has no seed"],
            ),
            ("from uuid import uuid4\nfield(default_factory=uuid4)", &["2: `uuid4` is random"]),
            (
                "import os, secrets\na = os.urandom(3)\nb = secrets.token_hex()\nc = os.environ['A']",
                &[
                    "2: `os.urandom` is random",
                    "3: `secrets.token_hex` is random",
                    "4: `os.environ` depends on the machine and the process",
                ],
            ),
            (
                "x = hash('a') % 3\ny = id(x)",
                &["1: `hash` of a text differs from run to run", "2: `id` differs from run to run"],
            ),
            ("x = sorted('ab', key=hash)", &["1: `hash` of a text differs from run to run"]),
            ("db.execute(\"select datetime('now')\")", &["1: this SQL reads a clock"]),
        ] {
            assert_eq!(found("", source), wanted, "{source}");
        }
        assert_eq!(found("import time as t", "assert t.time() > 0"), ["1: `t.time` reads a clock"], "imported before");
    }

    #[test]
    fn what_may_differ_is_a_note() {
        let set = "(a set is printed, and its order differs from run to run)";
        for (source, line, wanted) in [
            ("import time\ntime.sleep(1)", 2, "(`time.sleep` waits in real time)"),
            ("import asyncio\nasync def f():\n    await asyncio.sleep(0.1)", 3, "(`asyncio.sleep` waits in real time)"),
            ("from threading import Thread\nThread(target=f)", 2, "(`Thread` runs concurrently, in any order)"),
            ("db.execute('select id from t')", 1, "(this query has no ORDER BY: rows may come in any order)"),
            ("print({'a', 'b'})", 1, set),
            ("s = {'a', 'b'}\nfor x in s:\n    print(x)", 2, set),
            ("seen = set('ab')\nprint(f'{seen}')", 2, set),
            ("self.seen: set[str] = set()\nprint('x', ', '.join(self.seen))", 2, set),
        ] {
            assert_eq!(found("", source), [format!("{line}: {wanted}")], "{source}");
        }
    }

    #[test]
    fn what_is_the_same_in_every_run_is_left_alone() {
        for source in [
            "import time",
            "import time\ny = time.strftime('%Y', time.gmtime(0))\nfor x in sorted({'a'}):\n    print(x)",
            "import random as r\nr.seed(7)\nx = r.random()\ny = r.Random(3)\ndef f(rng: r.Random): pass",
            "import asyncio\nasync def f():\n    await asyncio.sleep(0)",
            "class A:\n    def __hash__(self):\n        return hash((self.a, self.b))\nhash(3)",
            "def f(id: int, time: T):\n    return g(id, hash=1), time.time(), a.id",
            "print(sorted({'a'}), len({1}), 'a' in {'a'}, [x for x in d])",
            "db.execute('select id from t order by id')\ndb.execute('select n from t where id = 1')\ndb.execute('select n from t').fetchone()[0]\nasyncio.sleep = f",
        ] {
            assert_eq!(found("", source), <[&str; 0]>::default(), "{source}");
        }
        assert_eq!(found("import random\nrandom.seed(1)", "import random\nrandom.random()"), <[&str; 0]>::default());
    }

    #[test]
    fn programs_that_are_deep_or_long_are_read_in_no_time() {
        let (open, close) = ("(".repeat(20_000), ")".repeat(20_000));
        assert_eq!(found("", &format!("x = {open}1{close}")), <[&str; 0]>::default());
        assert_eq!(found("", &format!("import time\n{}", "time.time()\n".repeat(5_000))).len(), 5_000);
    }
}
