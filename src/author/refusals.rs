//! Finds programs that a correct repair would end too early.
//!
//! A check may call the program in `try`, so that a repair can refuse by raising. Then the program's own last lines must
//! catch that too: a program that ends with an exception has no checks run on it.

use std::collections::HashSet;
use std::ops::Range;

use tree_sitter::Node;

use crate::author::python::{Program, Reader, line_of};
use crate::content::diagnostic::{Severity, codes};
use crate::content::locate::Step;
use crate::content::problems::Problems;
use crate::content::question::{LineNo, Question};

/// Reports the last call of the program outside `try` to a function that the checks of `question` call inside one, if no such
/// call is in a `try`.
pub(super) fn check(problems: &Problems, question: &Question, reader: &mut Reader) {
    let Some(buggy) = reader.read(&question.spot.code) else { return };
    let theirs = functions(&buggy);
    let mut caught = HashSet::new();
    for check in &question.checks {
        if let Some(code) = reader.read(&check.code) {
            caught.extend(caught_calls(&code).into_iter().filter(|name| theirs.contains(name)).map(str::to_owned));
        }
    }
    if let Some((line, name)) = bare_call(&buggy, &caught) {
        let span = problems.narrow(problems.line(&[Step::Key("spot"), Step::Key("code")], line), name);
        let message = format!("the checks let `{name}` raise, but here an exception would end the program");
        let help =
            "a repair that refuses by raising would never reach its checks: call it in `try` and print the refusal";
        problems.push(Severity::Warning, codes::UNGUARDED, span, message, help.to_owned());
    }
}

/// The names of the functions and methods of a program.
fn functions<'a>(program: &Program<'a>) -> HashSet<&'a str> {
    let all = program.nodes().into_iter().filter(|node| node.kind() == "function_definition");
    all.filter_map(|node| program.name(node)).filter(|name| !name.starts_with("__")).collect()
}

/// The names that a check calls in a `try` whose handlers let it go on, also through functions of its own.
fn caught_calls<'a>(code: &Program<'a>) -> HashSet<&'a str> {
    let nodes = code.nodes();
    let functions: Vec<_> = nodes.iter().filter(|it| it.kind() == "function_definition").collect();
    let mut inside: Vec<Node<'_>> = nodes.iter().filter(|it| tolerates(code, **it)).copied().collect();
    let mut found = HashSet::new();
    while let Some(part) = inside.pop() {
        let calls = nodes.iter().filter(|it| part.byte_range().contains(&it.start_byte()));
        for name in calls.filter_map(|it| code.called(*it)) {
            if found.insert(name) {
                inside.extend(functions.iter().filter(|it| code.name(***it) == Some(name)).map(|it| **it));
            }
        }
    }
    found
}

fn is_function(program: &Program<'_>, node: Node<'_>, name: &str) -> bool {
    node.kind() == "function_definition" && program.name(node) == Some(name)
}

/// True for the body of a `try` that goes on after an exception.
fn tolerates(code: &Program<'_>, body: Node<'_>) -> bool {
    if body.kind() != "block" {
        return false;
    }
    let Some(outer) = body.parent().filter(|it| it.kind() == "try_statement") else { return false };
    if outer.child_by_field_name("body") != Some(body) {
        return false;
    }
    let mut cursor = outer.walk();
    let mut handlers = outer.named_children(&mut cursor).filter(|it| it.kind() == "except_clause").peekable();
    let fails = |handler: Node<'_>| {
        let text = code.text(handler);
        ["raise", "assert False", "assert 0"].iter().any(|it| text.contains(it))
    };
    handlers.peek().is_some() && !handlers.any(fails)
}

/// The last call of a function in `caught` that the program makes when it runs, if all such calls are outside `try`.
fn bare_call<'a>(program: &Program<'a>, caught: &HashSet<String>) -> Option<(LineNo, &'a str)> {
    let nodes = program.nodes();
    let is_inner = |it: &&Node<'_>| matches!(it.kind(), "function_definition" | "class_definition" | "lambda");
    let inner: Vec<_> = nodes.iter().filter(is_inner).collect();
    let guards = guards(program);
    let at_top = |call: &&Node<'_>| !inner.iter().any(|it| it.byte_range().contains(&call.start_byte()));
    let mut calls: Vec<(Node<'_>, usize)> = nodes.iter().filter(at_top).map(|call| (*call, 0)).collect();
    let mut last = None;
    let mut entered = HashSet::new();
    let mut at = 0;
    while let Some((call, start)) = calls.get(at).copied() {
        at += 1;
        let Some(name) = program.called(call) else { continue };
        // A `try` around the function does not guard what is called later.
        if guards.iter().any(|it| it.start >= start && it.contains(&call.start_byte())) {
            if caught.contains(name) {
                return None;
            }
        } else if caught.contains(name) {
            last = last.max(Some((line_of(call), name)));
        } else if entered.insert(name) {
            // What raises in a function ends the program too.
            for body in inner.iter().filter(|it| is_function(program, ***it, name)).map(|it| it.byte_range()) {
                let within = nodes.iter().filter(|it| body.contains(&it.start_byte()));
                calls.extend(within.map(|it| (*it, body.start)));
            }
        }
    }
    last
}

/// The bytes whose exceptions a handler could catch.
fn guards(program: &Program<'_>) -> Vec<Range<usize>> {
    let guards = program.nodes().into_iter().filter(|it| match it.kind() {
        "try_statement" => true,
        "with_statement" => program.text(*it).split('\n').next().is_some_and(|head| head.contains("suppress(")),
        _ => false,
    });
    guards.filter_map(|it| it.child_by_field_name("body")).map(|body| body.byte_range()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_a_check_lets_raise() {
        let mut reader = Reader::new().unwrap();
        for (code, names) in [
            ("try:\n    store.put(1)\nexcept Exception:\n    pass\n", &["put"][..]),
            ("try:\n    a = put(1)\nexcept ValueError:\n    a = False\nassert not a\n", &["put"]),
            ("def one():\n    put(1)\n\n\ntry:\n    one()\nexcept Exception:\n    pass\n", &["one", "put"]),
            ("put(1)\ntry:\n    pass\nexcept Exception:\n    put(2)\n", &[]),
            ("try:\n    put(1)\nfinally:\n    close()\n", &[]),
            ("try:\n    put(1)\nexcept Exception as e:\n    raise AssertionError('it raised') from e\n", &[]),
            ("try:\n    put(1)\nexcept Exception:\n    assert False, 'it raised'\n", &[]),
        ] {
            let program = reader.read(code).unwrap();
            let mut found: Vec<&str> = caught_calls(&program).into_iter().collect();
            found.sort_unstable();
            assert_eq!(found, names, "{code}");
        }
    }

    #[test]
    fn calls_whose_exception_ends_the_program() {
        let put = "def put(n):\n    return n\n\n\n";
        let mut reader = Reader::new().unwrap();
        for (rest, line) in [
            ("put(1)\nput(2)\n", Some(6)),
            ("for n in (1, 2):\n    print(put(n))\n", Some(6)),
            ("def main():\n    put(1)\n\n\nmain()\n", Some(6)),
            ("async def main():\n    put(1)\n\n\nasyncio.run(main())\n", Some(6)),
            ("put(1)\ntry:\n    put(2)\nexcept ValueError as e:\n    print(e)\n", None),
            ("def main():\n    try:\n        put(1)\n    except E:\n        pass\n\n\nmain()\n", None),
            ("def never_called():\n    put(1)\n", None),
            ("with lock:\n    put(1)\n", Some(6)),
            ("with suppress(ValueError):\n    put(1)\n", None),
            ("get(1)\nprint(put)\n", None),
        ] {
            let source = format!("{put}{rest}");
            let program = reader.read(&source).unwrap();
            let found = bare_call(&program, &HashSet::from(["put".to_owned()]));
            assert_eq!(found.map(|(line, _)| line.get()), line, "{rest}");
        }
    }
}
