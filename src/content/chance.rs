//! Uses of chance, clocks and everything else that differs from run to run.
//!
//! Owns the list of them. It looks at names and calls, so that it can be wrong: that is why it warns only, and why every
//! program is run more than once besides.

use std::collections::HashMap;

use tree_sitter::Node;

use crate::content::python::{Program, line_of};
use crate::content::question::LineNo;

/// A use, and what to do instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Use {
    pub(super) line: LineNo,
    /// What was written: "`time.sleep` really waits".
    pub(super) what: String,
    pub(super) instead: &'static str,
}

const CLOCKS: [&str; 13] = [
    "time.time",
    "time.time_ns",
    "time.monotonic",
    "time.monotonic_ns",
    "time.perf_counter",
    "time.perf_counter_ns",
    "time.process_time",
    "time.localtime",
    "time.ctime",
    "datetime.datetime.now",
    "datetime.datetime.utcnow",
    "datetime.datetime.today",
    "datetime.date.today",
];
const CHANCE: [&str; 6] =
    ["os.urandom", "uuid.uuid1", "uuid.uuid4", "random.SystemRandom", "secrets.randbelow", "secrets.choice"];

const PASS_TIME: &str = "pass the time as a number, such as `now=10`, and let the scenario say what passes";
const SEED: &str = "use a `random.Random` with a fixed seed";
const STABLE: &str = "use `zlib.crc32` or `hashlib` for a stable number";
const SORT: &str = "print `sorted(...)` of it";

/// The uses in `program`.
pub(super) fn uses(program: &Program<'_>) -> Vec<Use> {
    let names = Names { program, imports: program.imports(), assigned: program.assigned() };
    let nodes = program.nodes();
    let calls: Vec<Node<'_>> = nodes.into_iter().filter(|node| node.kind() == "call").collect();
    let seeded = calls.iter().any(|call| names.called(*call).as_deref() == Some("random.seed") && has_arguments(*call));
    let mut all = Vec::new();
    for call in calls {
        let Some(called) = names.called(call) else { continue };
        let written = call.child_by_field_name("function").map(|it| program.text(it)).unwrap_or_default();
        let found = match called.as_str() {
            "time.sleep" => Some((format!("`{written}` really waits"), PASS_TIME)),
            "asyncio.sleep" if !sleeps_no_time(program, call) => {
                Some((format!("`{written}` really waits"), "give way with `await asyncio.sleep(0)`, and count steps"))
            }
            name if CLOCKS.contains(&name) => Some((format!("`{written}` reads a clock"), PASS_TIME)),
            name if CHANCE.contains(&name) || name.starts_with("secrets.") => {
                Some((format!("`{written}` is chance"), SEED))
            }
            "random.Random" if !has_arguments(call) => Some((format!("`{written}()` has no seed"), SEED)),
            "random.Random" | "random.seed" => None,
            name if name.starts_with("random.") && !seeded => Some((format!("`{written}` has no seed"), SEED)),
            "hash" => Some(("`hash` of a text differs from run to run".to_owned(), STABLE)),
            "id" => Some(("`id` differs from run to run".to_owned(), "number the objects, or compare with `is`")),
            "print" if arguments(call).iter().any(|it| names.is_set(*it, 4)) => {
                Some(("a set is printed, whose order differs from run to run".to_owned(), SORT))
            }
            _ => None,
        };
        all.extend(found.map(|(what, instead)| Use { line: line_of(call), what, instead }));
    }
    all
}

struct Names<'p> {
    program: &'p Program<'p>,
    imports: HashMap<&'p str, String>,
    assigned: HashMap<&'p str, Vec<Node<'p>>>,
}

impl Names<'_> {
    /// What is called, by the name of its module: `time.sleep`, or `hash` for what is built in.
    fn called(&self, call: Node<'_>) -> Option<String> {
        let function = call.child_by_field_name("function")?;
        if !matches!(function.kind(), "identifier" | "attribute") {
            return None;
        }
        let text = self.program.text(function);
        let (head, rest) = text.split_once('.').map_or((text, None), |(head, rest)| (head, Some(rest)));
        match (self.imports.get(head), rest) {
            (Some(module), Some(rest)) => Some(format!("{module}.{rest}")),
            (Some(name), None) => Some(name.clone()),
            (None, None) if !self.assigned.contains_key(head) => Some(head.to_owned()),
            _ => None,
        }
    }

    /// Whether `node` is a set, or shows one in the order that it happens to have. Names are followed `depth` times.
    fn is_set(&self, node: Node<'_>, depth: usize) -> bool {
        match node.kind() {
            "set" | "set_comprehension" => true,
            "identifier" if depth > 0 => {
                let values = self.assigned.get(self.program.text(node));
                values.is_some_and(|values| values.iter().any(|value| self.is_set(*value, depth - 1)))
            }
            "call" => match self.called(node).as_deref() {
                Some("set" | "frozenset") => true,
                Some("str" | "repr" | "list" | "tuple") => arguments(node).iter().any(|it| self.is_set(*it, depth)),
                _ => {
                    let function = node.child_by_field_name("function");
                    let method = function.and_then(|it| it.child_by_field_name("attribute"));
                    method.is_some_and(|it| self.program.text(it) == "join")
                        && arguments(node).iter().any(|it| self.is_set(*it, depth))
                }
            },
            "string" | "interpolation" | "parenthesized_expression" | "list_splat" => {
                let mut cursor = node.walk();
                node.named_children(&mut cursor).any(|child| self.is_set(child, depth))
            }
            _ => false,
        }
    }
}

fn arguments(call: Node<'_>) -> Vec<Node<'_>> {
    let Some(list) = call.child_by_field_name("arguments") else { return Vec::new() };
    let mut cursor = list.walk();
    list.named_children(&mut cursor).filter(|node| node.kind() != "comment").collect()
}

fn has_arguments(call: Node<'_>) -> bool {
    !arguments(call).is_empty()
}

/// Whether an `asyncio.sleep` only gives way.
fn sleeps_no_time(program: &Program<'_>, call: Node<'_>) -> bool {
    arguments(call).first().is_some_and(|it| matches!(program.text(*it), "0" | "0.0"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::python::Reader;

    fn found(source: &str) -> Vec<String> {
        let mut reader = Reader::new().unwrap();
        uses(&reader.read(source).unwrap()).into_iter().map(|it| format!("{}: {}", it.line, it.what)).collect()
    }

    #[test]
    fn what_differs_from_run_to_run_is_found() {
        assert_eq!(
            found("import time as t\nt.sleep(1)\nprint(t.time())"),
            ["2: `t.sleep` really waits", "3: `t.time` reads a clock"]
        );
        assert_eq!(found("from datetime import datetime\nx = datetime.now()"), ["2: `datetime.now` reads a clock"]);
        assert_eq!(
            found("import random\nx = random.random()\ny = random.Random()"),
            ["2: `random.random` has no seed", "3: `random.Random()` has no seed"]
        );
        assert_eq!(
            found("import asyncio\nasync def f():\n    await asyncio.sleep(0.1)"),
            ["3: `asyncio.sleep` really waits"]
        );
        assert_eq!(
            found("x = hash('a') % 3\ny = id(x)"),
            ["1: `hash` of a text differs from run to run", "2: `id` differs from run to run"]
        );
        let set = "a set is printed, whose order differs from run to run";
        for printed in ["{'a', 'b'}", "f'{seen}'", "'x', list(seen)", "', '.join(seen)", "{n for n in 'ab'}", "*seen"] {
            assert_eq!(found(&format!("seen = set('ab')\nprint({printed})")), [format!("2: {set}")], "{printed}");
        }
    }

    #[test]
    fn what_is_the_same_each_time_is_left_alone() {
        for source in [
            "import random\nrandom.seed(3)\nx = random.random()\ny = random.Random(7).random()",
            "import asyncio\nasync def f():\n    await asyncio.sleep(0)",
            "def hash(x): return 1\nhash('a')",
            "class Row:\n    def id(self): return 3\nrow = Row()\nprint(row.id(), row.time())",
            "seen = {'a', 'b'}\nprint(sorted(seen), len(seen), 'a' in seen, seen == {'b', 'a'})",
            "seen = {'a': 1}\nprint(seen)",
            "# time.sleep(1)\nx = 'hash(1)'",
        ] {
            assert_eq!(found(source), <[String; 0]>::default(), "{source}");
        }
    }
}
