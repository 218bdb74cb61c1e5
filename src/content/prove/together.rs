//! Several programs in one process, one after the other, where none of them can notice the others.
//!
//! A process costs several times what a small program does, and a proof runs some fifteen programs. Each gets a module of its
//! own here. What is left to share are the built-in types, which no program can change, and what they import: so only
//! programs are taken that import modules which keep nothing between two calls, and that name nothing by which one could
//! leave something behind. Owns that judgement, made on the text, and how such programs are run; what comes of it is for
//! others to judge.

use std::collections::HashMap;

use tree_sitter::Node;

use crate::content::python::{Program, Reader};
use crate::runner::{Mode, Scenario};

/// Modules whose functions and types keep nothing between two calls that a program could see, if it keeps from what is below.
const STATELESS: [&str; 29] = [
    "__future__",
    "abc",
    "asyncio",
    "base64",
    "bisect",
    "collections",
    "collections.abc",
    "copy",
    "dataclasses",
    "datetime",
    "enum",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "hmac",
    "itertools",
    "json",
    "math",
    "operator",
    "pathlib",
    "posixpath",
    "sqlite3",
    "statistics",
    "string",
    "struct",
    "textwrap",
    "typing",
    "zlib",
];

/// Names that lead out of a program's own module, or to a value that changes between two runs: built-in ones, those of an
/// event loop or a thread that stays, and those of a database that others can open as well or that is told of types.
const LEADS_OUT: [&str; 26] = [
    "breakpoint",
    "compile",
    "delattr",
    "eval",
    "exec",
    "exit",
    "get_event_loop",
    "get_event_loop_policy",
    "globals",
    "hash",
    "id",
    "input",
    "locals",
    "open",
    "quit",
    "register",
    "register_adapter",
    "register_converter",
    "run_in_executor",
    "set_event_loop",
    "set_event_loop_policy",
    "setattr",
    "start_server",
    "to_thread",
    "uri",
    "vars",
];

/// Names with two underscores that stay inside. A finalizer is not among them: it could write while the next program runs.
const OWN: [&str; 30] = [
    "__init__",
    "__post_init__",
    "__repr__",
    "__str__",
    "__bool__",
    "__call__",
    "__contains__",
    "__enter__",
    "__exit__",
    "__eq__",
    "__ne__",
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
    "__add__",
    "__sub__",
    "__mul__",
    "__len__",
    "__iter__",
    "__next__",
    "__getitem__",
    "__setitem__",
    "__delitem__",
    "__getattr__",
    "__slots__",
    "__match_args__",
    "__name__",
    "__future__",
    "__missing__",
];

const SETUP: &str = "\
import sys
import types


def alone(source, check):
    module = types.ModuleType('__main__')
    module.__file__ = 'program.py'
    sys.modules['__main__'] = module
    exec(compile(source, 'program.py', 'exec', dont_inherit=True), module.__dict__)
    exec(compile(check, 'check.py', 'exec', dont_inherit=True), module.__dict__)
";

/// Whether these programs, with or without some of their lines, may run in one process.
pub(super) fn may_share<'a>(sources: impl IntoIterator<Item = &'a str>) -> bool {
    let Some(mut reader) = Reader::new() else { return false };
    sources.into_iter().all(|source| reader.read(source).is_some_and(|program| keeps_to_itself(&program)))
}

/// What runs each program with its check after it: one row each, which says whether either raised. A program that ends the
/// process leaves no row, nor do those behind it.
pub(super) fn mode(runs: &[(&str, &str)]) -> Mode {
    let step = |(source, check): &(&str, &str)| Some(format!("alone({}, {})", literal(source), literal(check)));
    Mode::Scenario(Scenario { setup: SETUP.to_owned(), watch: Vec::new(), steps: runs.iter().map(step).collect() })
}

/// A text as Python has it: what JSON writes between quotes means the same there.
pub(super) fn literal(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}

/// Whether nothing in a program reaches what others would find changed. What is imported is called, named as a type or
/// inherited from, and nothing else: given to something, it could be changed there under another name.
fn keeps_to_itself(program: &Program<'_>) -> bool {
    let imports = program.imports();
    let nodes = program.nodes();
    let around = Around::of(&nodes);
    // A database that is named by an address may be one that others see as well.
    if nodes.first().is_some_and(|all| program.text(*all).contains("file:")) {
        return false;
    }
    nodes.into_iter().all(|node| match node.kind() {
        // What looks like the name of a type may be a call of `type`.
        "ERROR" | "type_alias_statement" => false,
        "import_from_statement" => {
            node.child_by_field_name("module_name").is_some_and(|module| STATELESS.contains(&program.text(module)))
        }
        "import_statement" => {
            let mut cursor = node.walk();
            node.children_by_field_name("name", &mut cursor).all(|name| {
                let module = name.child_by_field_name("name").unwrap_or(name);
                STATELESS.contains(&program.text(module))
            })
        }
        "identifier" => {
            let name = program.text(node);
            if name == "type" {
                return only_asks_for_a_name(program, &around, node);
            }
            let stays = !LEADS_OUT.contains(&name) && (!name.starts_with("__") || OWN.contains(&name));
            stays && imports.get(name).is_none_or(|path| is_used_in_its_place(program, &around, node, path))
        }
        _ => true,
    })
}

/// What is around each part of a program. The parser itself would look for it from the outside in each time, which takes
/// the longer the deeper a part is.
struct Around<'tree>(HashMap<usize, Node<'tree>>);

impl<'tree> Around<'tree> {
    fn of(nodes: &[Node<'tree>]) -> Self {
        let mut all = HashMap::new();
        for node in nodes {
            let mut cursor = node.walk();
            all.extend(node.children(&mut cursor).map(|part| (part.id(), *node)));
        }
        Self(all)
    }

    fn part(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        self.0.get(&node.id()).copied()
    }
}

/// Whether `type` is called for a class that is only asked for its name.
fn only_asks_for_a_name<'tree>(program: &Program<'_>, around: &Around<'tree>, node: Node<'tree>) -> bool {
    let call = around.part(node).filter(|call| call.kind() == "call");
    let asked = call.and_then(|call| around.part(call));
    let name = asked.and_then(|asked| asked.child_by_field_name("attribute"));
    name.is_some_and(|name| program.text(name) == "__name__")
}

/// Whether a name that was imported as `path` is called, or stands for a type, a base or an exception.
fn is_used_in_its_place<'tree>(program: &Program<'_>, around: &Around<'tree>, name: Node<'tree>, path: &str) -> bool {
    let Some(mut outer) = around.part(name) else { return false };
    if matches!(outer.kind(), "dotted_name" | "aliased_import" | "keyword_argument") {
        // Its import, and an argument that happens to be called so.
        return outer.kind() != "keyword_argument" || outer.child_by_field_name("name") == Some(name);
    }
    if outer.kind() == "attribute" && outer.child_by_field_name("attribute") == Some(name) {
        return true;
    }
    let mut node = name;
    let mut path = path.to_owned();
    // Nothing that is of use here goes deeper.
    for _ in 0..3 {
        let Some(attribute) = (outer.kind() == "attribute").then(|| outer.child_by_field_name("attribute")).flatten()
        else {
            break;
        };
        path = format!("{path}.{}", program.text(attribute));
        node = outer;
        let Some(parent) = around.part(node) else { return false };
        outer = parent;
    }
    is_no_module(&path) && is_in_place(around, node, &path)
}

/// Whether a path leads to something in a module and not on into another one, which it may have imported itself.
fn is_no_module(path: &str) -> bool {
    let module =
        STATELESS.iter().filter(|module| path.strip_prefix(**module).is_some_and(|rest| rest.starts_with('.')));
    let Some(module) = module.max_by_key(|module| module.len()) else { return false };
    let inner: Vec<&str> = path.get(module.len() + 1..).unwrap_or_default().split('.').collect();
    let is_class = |name: &str| name.starts_with(char::is_uppercase) || *module == "datetime";
    match inner[..] {
        [name] => !name.starts_with('_'),
        [class, method] => is_class(class) && !method.starts_with('_'),
        _ => false,
    }
}

/// Whether `node`, which leads to something imported, is where that may stand.
fn is_in_place<'tree>(around: &Around<'tree>, node: Node<'tree>, path: &str) -> bool {
    let is = |outer: Node<'tree>, field: &str, node: Node<'tree>| outer.child_by_field_name(field) == Some(node);
    if let Some(outer) = around.part(node)
        && ["math.", "string."].iter().any(|module| path.starts_with(module))
    {
        // These are values that nothing can change, so they may go anywhere.
        return match outer.kind() {
            "assignment" => is(outer, "right", node),
            kind => !TARGETS.contains(&kind),
        };
    }
    let mut node = node;
    for _ in 0..6 {
        let Some(outer) = around.part(node) else { return false };
        match outer.kind() {
            "call" => return is(outer, "function", node),
            "type" | "decorator" | "except_clause" => return true,
            "argument_list" => return around.part(outer).is_some_and(|class| class.kind() == "class_definition"),
            // A type with its own types in it, which may have a name.
            "subscript" if path.starts_with("typing.") || path.starts_with("collections.abc.") => return true,
            "subscript" | "generic_type" | "type_parameter" | "binary_operator" | "union_type" | "member_type"
            | "as_pattern" | "tuple" | "list" => node = outer,
            _ => return false,
        }
    }
    false
}

/// Parts in which something is given a value, or taken away.
const TARGETS: [&str; 12] = [
    "as_pattern_target",
    "attribute",
    "augmented_assignment",
    "delete_statement",
    "for_in_clause",
    "for_statement",
    "list_pattern",
    "list_splat_pattern",
    "parenthesized_expression",
    "pattern_list",
    "subscript",
    "tuple_pattern",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_programs_that_keep_to_themselves_share() {
        for source in [
            "",
            "x = 1\nprint(x)\n",
            "from __future__ import annotations\nimport json\n",
            "from collections import deque\nimport itertools as it\nclass A:\n    def __init__(self) -> None:\n        self.x = 1\n",
            "import collections.abc\nfrom typing import *\n",
            "import sqlite3\ndb = sqlite3.connect(':memory:')\ndb.isolation_level = None\n",
            "import asyncio\nasync def main() -> None:\n    await asyncio.sleep(0)\nasyncio.run(main())\n",
            "import asyncio\nq = asyncio.Queue[int](1)\ntry:\n    f()\nexcept (asyncio.CancelledError, OSError) as e:\n    raise\n",
            "from collections.abc import Callable\nf: dict[str, list[Callable[[int], str] | None]] = {}\nHandler = Callable[[], int]\n",
            "from dataclasses import dataclass, field\n@dataclass(frozen=True)\nclass A:\n    x: list[int] = field(default_factory=list)\n",
            "from typing import NamedTuple\nclass A(NamedTuple):\n    json: int\nprint(A(json=1).json, type(A).__name__)\n",
            "from datetime import datetime\nimport math\nx = datetime.fromisoformat('2026-01-01')\ny = math.inf\n",
            "line = ledger = 3\nledgers = {}\nledgers['a'] = 1\n",
        ] {
            assert!(may_share([source]), "{source}");
        }
        for source in [
            "import sys\n",
            "import json, sys\n",
            "import random as json\n",
            "from random import choice\n",
            "import sqlite3\nsqlite3.connect('file:x?cache=shared', uri=True)\n",
            "import sqlite3\nsqlite3.register_adapter(int, str)\n",
            "import asyncio\nasyncio.set_event_loop(asyncio.new_event_loop())\n",
            "from . import json\n",
            "from sys import *\n",
            "def f():\n    import os.path\n",
            "print(__builtins__)\n",
            "().__class__.__subclasses__()\n",
            "__import__('os')\n",
            "class A:\n    def __del__(self): pass\n",
            "import json\njson.loads = None\n",
            "import json\njson.decoder.x: int = 1\n",
            "import json as j\nj.x += 1\n",
            "import json\ndel json.loads\n",
            "from datetime import datetime\nfor datetime.x in [1]: pass\n",
            "import json\na, (b, json.loads) = 1, (2, 3)\n",
            "import json\nwith f() as json.loads: pass\n",
            "import json\n[0 for json.loads in 'a']\n",
            "import json\nj = json\nj.loads = 1\n",
            "import json\njson.x['a'] = 1\n",
            "import json\nd = json.decoder\nd.x = 1\n",
            "import json\ndef f(m):\n    m.loads = None\nf(json)\n",
            "import json\n(json).loads = 1\n",
            "import json\njson.encoder.ESCAPE_DCT.update(a=1)\n",
            "import dataclasses\ndataclasses.sys.setrecursionlimit(50)\n",
            "from dataclasses import sys\nsys.setrecursionlimit(50)\n",
            "from json import JSONDecoder\nf(JSONDecoder)\n",
            "from pathlib import Path\ntype(Path()).x = 1\n",
            "import json\nx = [json]\n",
            "import math\nmath.pi = 3\n",
            "import sqlite3\nsqlite3.connect('file:x', 5, 0, None, True, None, 100, True)\n",
            "from typing import NamedTuple\nsetattr(NamedTuple, 'x', 1)\n",
            "from collections.abc import Sized\nSized.register(int)\n",
            "eval('1')\n",
            "print(hash('x'))\n",
            "def (\n",
        ] {
            assert!(!may_share([source]), "{source}");
        }
        assert!(!may_share(["x = 1\n", "import sys\n"]), "one is enough");
    }

    #[test]
    fn programs_that_are_made_to_be_deep_are_read_in_no_time() {
        let (open, close) = ("(".repeat(20_000), ")".repeat(20_000));
        let chain = ".a".repeat(30_000);
        for source in [
            format!("import json\njson{chain}\n"),
            format!("import json\njson{chain} = 1\n"),
            format!("import json\n{open}json.a{close} = 1\n"),
            format!("import json\n{open}{}{close}\n", "json.a(json.b), ".repeat(1_000)),
        ] {
            assert!(!may_share([&*source]));
        }
    }

    #[test]
    fn programs_are_written_so_that_python_reads_what_they_were() {
        let Mode::Scenario(scenario) = mode(&[("print('ä\\n\"')\n", "assert 1\n")]) else { panic!("a scenario") };
        assert_eq!(scenario.steps, [Some(r#"alone("print('ä\\n\"')\n", "assert 1\n")"#.to_owned())]);
    }
}
