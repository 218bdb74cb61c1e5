//! Several programs in one process, one after the other, where none of them can notice the others.
//!
//! A process costs several times what a small program does, and a proof runs some fifteen programs. Each gets a module of its
//! own here. What is left to share are the built-in types, which no program can change, and what they import: so only
//! programs are taken that import modules which keep nothing between two calls, and that name nothing by which one could
//! leave something behind. Owns that judgement, made on the text, and how such programs are run; what comes of it is for
//! others to judge.

use std::collections::{HashMap, HashSet};

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

fn keeps_to_itself(program: &Program<'_>) -> bool {
    let imports = program.imports();
    let nodes = program.nodes();
    let targets = targets(&nodes);
    nodes.into_iter().all(|node| match node.kind() {
        "ERROR" => false,
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
        // By another name, it would be lost from sight.
        "assignment" => {
            let mut cursor = node.walk();
            let mut names = node.children(&mut cursor).filter(|part| part.kind() == "identifier");
            !names.any(|name| imports.contains_key(program.text(name)))
        }
        "identifier" => {
            let name = program.text(node);
            !LEADS_OUT.contains(&name) && (!name.starts_with("__") || OWN.contains(&name))
        }
        "attribute" => !is_imported(&imports, program, node) || !targets.contains(&node.id()),
        _ => true,
    })
}

/// Whether an attribute is one of something imported.
fn is_imported(imports: &HashMap<&str, String>, program: &Program<'_>, attribute: Node<'_>) -> bool {
    let head = program.text(attribute).split(['.', '[', '(']).next().unwrap_or_default();
    imports.contains_key(head.trim())
}

/// The parts that are given a value, or taken away, and those inside them. Found from the outside in: to ask each part for
/// what is around it takes the more time the deeper it is.
fn targets(nodes: &[Node<'_>]) -> HashSet<usize> {
    let mut targets = HashSet::new();
    for node in nodes {
        match node.kind() {
            "assignment" | "augmented_assignment" | "for_statement" | "for_in_clause" => {
                targets.extend(node.child_by_field_name("left").map(|left| left.id()));
            }
            "delete_statement" | "as_pattern_target" => targets.extend(parts(*node)),
            "attribute"
            | "subscript"
            | "pattern_list"
            | "tuple_pattern"
            | "list_pattern"
            | "list_splat_pattern"
            | "expression_list"
            | "tuple"
            | "list"
            | "parenthesized_expression"
                if targets.contains(&node.id()) =>
            {
                targets.extend(parts(*node));
            }
            _ => {}
        }
    }
    targets
}

fn parts(node: Node<'_>) -> Vec<usize> {
    let mut cursor = node.walk();
    node.children(&mut cursor).map(|part| part.id()).collect()
}

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
        for (end, shares) in [("", true), (" = 1", false)] {
            assert_eq!(may_share([&*format!("import json\njson{}{end}\n", ".a".repeat(30_000))]), shares, "{end}");
            let (open, close) = ("(".repeat(20_000), ")".repeat(20_000));
            assert_eq!(may_share([&*format!("import json\n{open}json.a{close}{end}\n")]), shares, "{end}");
        }
    }

    #[test]
    fn programs_are_written_so_that_python_reads_what_they_were() {
        let Mode::Scenario(scenario) = mode(&[("print('ä\\n\"')\n", "assert 1\n")]) else { panic!("a scenario") };
        assert_eq!(scenario.steps, [Some(r#"alone("print('ä\\n\"')\n", "assert 1\n")"#.to_owned())]);
    }
}
