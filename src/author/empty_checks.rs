//! Finds checks that prove nothing: their asserts never run, never fail, or ask nothing of the program.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tree_sitter::Node;

use crate::author::python::{Program, Reader, line_of};
use crate::author::tautologies::{Always, FUNCTION, TUPLE};
use crate::content::diagnostic::{Severity, codes};
use crate::content::locate::Step;
use crate::content::problems::Problems;
use crate::content::question::{LineNo, Question};

/// Exceptions whose handlers also catch a failed assert.
const CATCH_ALL: [&str; 3] = ["Exception", "BaseException", "AssertionError"];

/// Names with which a check may reach the program by other means than its names.
const INDIRECT: [&str; 7] = ["eval", "exec", "globals", "inspect", "sys", "vars", "__main__"];

/// Reports asserts that cannot fail, and checks that assert nothing or use nothing of the program.
pub(super) fn check(problems: &Problems, question: &Question, reader: &mut Reader) {
    let Some(buggy) = reader.read(&question.spot.code) else { return };
    for (at, check) in question.checks.iter().enumerate() {
        let path = [Step::Key("check"), Step::At(at), Step::Key("code")];
        let Some(code) = reader.read(&check.code) else { continue };
        if code.broken().is_some() {
            // A run reports it.
            continue;
        }
        let found = idle_asserts(&code, &buggy);
        let asserts_nothing = found.is_empty() && !can_raise(&code, &buggy);
        let warn = |span, message, help: &str| {
            problems.push(Severity::Warning, codes::NEVER_FAILS, span, message, help.to_owned());
        };
        for (line, message, help) in found {
            warn(problems.line(&path, line), message, help);
        }
        let whole = problems.place(&path);
        if asserts_nothing {
            let help = "assert what a correct program does, or remove the check";
            warn(whole, format!("the check `{}` asserts nothing", check.name), help);
        } else if !uses_program(&code, &buggy) {
            let help = "call what the program defines, and assert what it returns or changes";
            warn(whole, format!("the check `{}` uses nothing that the program defines", check.name), help);
        }
    }
}

/// A problem of an assert: its line, the message, and the help.
type Found = (LineNo, String, &'static str);

/// The asserts that cannot fail, and the calls that start nothing.
fn idle_asserts(code: &Program<'_>, buggy: &Program<'_>) -> Vec<Found> {
    let (idle, caught, coroutines) = (idle_parts(code, buggy), swallowed(code), coroutines(buggy));
    let always = Always { functions: functions(code).chain(functions(buggy)).collect(), code };
    let mut reported = HashSet::new();
    let mut found = Vec::new();
    for node in code.nodes() {
        let line = line_of(node);
        if let Some(call) = lost_coroutine(code, &coroutines, node) {
            let help = "run it with `asyncio.run(...)`, or write `await` before it";
            found.push((line, format!("`{call}(...)` makes a coroutine that is never awaited"), help));
        }
        if node.kind() != "assert_statement" {
            continue;
        }
        if let Some((part, why)) = idle.iter().find(|(part, _)| part.contains(&node.start_byte())) {
            if reported.insert(part.start) {
                found.push((line, format!("this assert never runs: {why}"), "make it run, or remove it"));
            }
        } else if let Some((_, handler)) = caught.iter().find(|(part, _)| part.contains(&node.start_byte())) {
            let help = "move the assert behind the `try`, and catch only what the program raises";
            found.push((line, format!("this assert never fails: `{handler}` catches it"), help));
        } else if let Some(why) = node.named_child(0).and_then(|it| always.reason(it)) {
            let help = match why {
                TUPLE => "write `assert condition, \"message\"`, without parentheses around the two",
                FUNCTION => "call it",
                _ => "compare with a value that you know",
            };
            found.push((line, format!("this assert never fails: {why}"), help));
        }
    }
    found
}

/// True if something in a check can raise, so that the check fails.
fn can_raise(code: &Program<'_>, buggy: &Program<'_>) -> bool {
    let (idle, caught) = (idle_parts(code, buggy), swallowed(code));
    let is_in = |part: &Range<usize>, node: &Node<'_>| part.contains(&node.start_byte());
    let counts = |node: &Node<'_>| {
        !idle.iter().any(|(part, _)| is_in(part, node)) && !caught.iter().any(|(part, _)| is_in(part, node))
    };
    let raises = |node: &Node<'_>| matches!(node.kind(), "assert_statement" | "raise_statement" | "call");
    code.nodes().into_iter().filter(raises).any(|node| counts(&node))
}

/// True if a check uses a name that the program binds at its top, or may reach the program by other means.
fn uses_program(code: &Program<'_>, buggy: &Program<'_>) -> bool {
    let own: HashSet<&str> = code.definitions().into_iter().map(|(_, name)| name).collect();
    let theirs: HashSet<&str> = buggy.bound_at_top().into_iter().filter(|name| !own.contains(name)).collect();
    code.names().iter().any(|(_, name)| theirs.contains(name) || INDIRECT.contains(name))
}

/// The names of functions and classes without a decorator, which could make something else of them.
fn functions<'a>(program: &Program<'a>) -> impl Iterator<Item = &'a str> {
    let plain = |node: &Node<'_>| is_definition(*node) && node.parent().is_some_and(|it| it.kind() == "module");
    let names = program.nodes().into_iter().filter(plain).filter_map(|node| program.name(node)).collect::<Vec<_>>();
    names.into_iter()
}

fn is_definition(node: Node<'_>) -> bool {
    matches!(node.kind(), "function_definition" | "class_definition")
}

/// The bytes of a check that never run, each with the reason.
fn idle_parts(code: &Program<'_>, buggy: &Program<'_>) -> Vec<(Range<usize>, String)> {
    let mut idle = Vec::new();
    for node in code.nodes() {
        let part = match node.kind() {
            "for_statement" => node.child_by_field_name("right").filter(|it| is_nothing(code, *it)),
            "while_statement" | "if_statement" => {
                node.child_by_field_name("condition").filter(|it| matches!(code.text(*it), "False" | "0" | "None"))
            }
            _ => continue,
        };
        let body = node.child_by_field_name("body").or_else(|| node.child_by_field_name("consequence"));
        if let (Some(part), Some(body)) = (part, body) {
            let why = match node.kind() {
                "for_statement" => format!("`{}` is empty", code.text(part)),
                _ => format!("`{}` is always false", code.text(part)),
            };
            idle.push((body.byte_range(), why));
        }
    }
    let programs: HashSet<&str> = buggy.names().into_iter().map(|(_, name)| name).collect();
    let nodes = code.nodes();
    let mut uses: HashMap<&str, Vec<Node<'_>>> = HashMap::new();
    for node in nodes.iter().filter(|node| node.kind() == "identifier") {
        uses.entry(code.text(*node)).or_default().push(*node);
    }
    let mut definitions: Vec<_> = nodes.iter().filter(|node| is_definition(**node)).collect();
    loop {
        let known = idle.len();
        definitions.retain(|node| {
            let why = unused(code, **node, &programs, &uses, &idle);
            let is_used = why.is_none();
            idle.extend(why.map(|why| (node.byte_range(), why)));
            is_used
        });
        if idle.len() == known {
            return idle;
        }
    }
}

/// True for a value with no items.
fn is_nothing(code: &Program<'_>, node: Node<'_>) -> bool {
    let text: String = code.text(node).split_whitespace().collect();
    let numbers = text.strip_prefix("range(").and_then(|it| it.strip_suffix(')'));
    matches!(&*text, "[]" | "()" | "{}" | "\"\"" | "''" | "list()" | "tuple()" | "dict()" | "set()" | "frozenset()")
        || numbers.and_then(|it| it.parse::<i64>().ok()).is_some_and(|count| count <= 0)
        || numbers.and_then(|it| it.split_once(',')).is_some_and(|(first, end)| !first.is_empty() && first == end)
}

/// The reason why a function or class of a check is never used, without what is in `idle` parts. A name of the program may be
/// replaced by the check, and methods belong to their class.
fn unused(
    code: &Program<'_>,
    node: Node<'_>,
    programs: &HashSet<&str>,
    uses: &HashMap<&str, Vec<Node<'_>>>,
    idle: &[(Range<usize>, String)],
) -> Option<String> {
    let within = |part: &Range<usize>, it: &Node<'_>| part.contains(&it.start_byte());
    let name = code.name(node)?;
    let is_method = node.parent().and_then(|it| it.parent()).is_some_and(|it| it.kind() == "class_definition");
    let is_decorated = node.parent().is_some_and(|it| it.kind() == "decorated_definition");
    if is_method || is_decorated || programs.contains(name) || idle.iter().any(|(part, _)| within(part, &node)) {
        return None;
    }
    let own = node.byte_range();
    let runs = |it: &Node<'_>| !within(&own, it) && !idle.iter().any(|(part, _)| within(part, it));
    let uses: Vec<Node<'_>> = uses.get(name)?.iter().filter(|it| runs(it)).copied().collect();
    let is_lost = |it: &Node<'_>| it.parent().is_some_and(|call| call.kind() == "call" && is_statement(call));
    match uses.as_slice() {
        [] if node.kind() == "class_definition" => Some(format!("the class `{name}` is never used")),
        [] => Some(format!("`{name}` is never called")),
        _ if code.is_async(node) && uses.iter().all(is_lost) => Some(format!("`{name}` is never awaited")),
        _ => None,
    }
}

fn is_statement(call: Node<'_>) -> bool {
    call.parent().is_some_and(|it| it.kind() == "expression_statement")
}

/// The names of functions and methods that make coroutines, wherever the program defines them.
fn coroutines<'a>(program: &Program<'a>) -> HashSet<&'a str> {
    let nodes = program.nodes();
    let functions = || nodes.iter().filter(|node| node.kind() == "function_definition");
    let plain: HashSet<&str> =
        functions().filter(|node| !program.is_async(**node)).filter_map(|node| program.name(*node)).collect();
    functions().filter_map(|node| program.name(*node)).filter(|name| !plain.contains(name)).collect()
}

/// The name that `call` calls, if it is a statement that makes one of the program's `coroutines` and drops it.
fn lost_coroutine<'a>(code: &Program<'a>, coroutines: &HashSet<&str>, call: Node<'_>) -> Option<&'a str> {
    let name = code.called(call).filter(|name| coroutines.contains(name))?;
    (is_statement(call) && !functions(code).any(|own| own == name)).then_some(name)
}

/// The bytes of a check whose failed asserts a handler catches and forgets, each with the handler as it is written.
fn swallowed<'a>(code: &Program<'a>) -> Vec<(Range<usize>, &'a str)> {
    let handler = |outer: Node<'_>| match outer.kind() {
        "try_statement" => {
            let mut cursor = outer.walk();
            let mut handlers = outer.named_children(&mut cursor).filter(|it| it.kind() == "except_clause");
            let handler = handlers.find(|it| catches_all(code, *it)).filter(|it| is_quiet(code, *it))?;
            code.text(handler).split(':').next()
        }
        "with_statement" => {
            let head = code.text(outer).split('\n').next()?;
            let suppresses = CATCH_ALL.iter().any(|it| head.contains(&format!("suppress({it})")));
            head.strip_suffix(':').filter(|_| suppresses)
        }
        _ => None,
    };
    let part = |node: Node<'_>| Some((node.child_by_field_name("body")?.byte_range(), handler(node)?));
    code.nodes().into_iter().filter_map(part).collect()
}

/// True if a handler catches a failed assert.
fn catches_all(code: &Program<'_>, handler: Node<'_>) -> bool {
    let Some(mut caught) = handler.named_child(0) else { return false };
    if caught.kind() == "as_pattern" {
        caught = caught.named_child(0).unwrap_or(caught);
    }
    let is_one = |it: &str| CATCH_ALL.contains(&it.trim());
    caught.kind() == "block" || code.text(caught).trim_matches(['(', ')']).split(',').any(is_one)
}

/// True if a handler neither fails nor remembers anything.
fn is_quiet(code: &Program<'_>, handler: Node<'_>) -> bool {
    let mut cursor = handler.walk();
    let block = handler.named_children(&mut cursor).find(|it| it.kind() == "block");
    let Some(block) = block else { return false };
    let mut cursor = block.walk();
    block.named_children(&mut cursor).all(|it| match it.kind() {
        "pass_statement" | "continue_statement" | "break_statement" | "comment" => true,
        "expression_statement" => {
            let text = code.text(it);
            text == "..." || text.starts_with("print(") || text.starts_with(['"', '\''])
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::author::tautologies::NUMBER;

    const PROGRAM: &str = "import asyncio\n\n\ndef total(n: int) -> int:\n    rest = n\n    return rest\n\n\nasync def \
                           work() -> None:\n    pass\n\n\nclass Queue:\n    async def drain(self) -> None:\n        pass\n\n\n\
                           queue = Queue()\nprint(total(1))\n";

    /// The lines and messages of asserts that cannot fail.
    fn found(code: &str) -> Vec<(u32, String)> {
        let (mut reader, mut other) = (Reader::new().unwrap(), Reader::new().unwrap());
        let (code, buggy) = (reader.read(code).unwrap(), other.read(PROGRAM).unwrap());
        idle_asserts(&code, &buggy).into_iter().map(|(line, message, _)| (line.get(), message)).collect()
    }

    #[test]
    fn asserts_that_never_run_are_found() {
        for (code, line, why) in [
            ("for x in []:\n    assert total(x)\n    assert x\n", 2, "`[]` is empty"),
            ("for x in ():\n    if x:\n        assert total(x)\n", 3, "`()` is empty"),
            ("for x in range(0):\n    assert total(x)\n", 2, "`range(0)` is empty"),
            ("for x in range(3, 3):\n    assert total(x)\n", 2, "`range(3, 3)` is empty"),
            ("while False:\n    assert total(1)\n", 2, "`False` is always false"),
            ("if 0:\n    assert total(1)\n", 2, "`0` is always false"),
            ("def holds():\n    assert total(1)\n", 2, "`holds` is never called"),
            ("def a():\n    assert total(1)\n\n\ndef b():\n    a()\n", 2, "`a` is never called"),
            ("class T:\n    def test(self):\n        assert total(1)\n", 3, "the class `T` is never used"),
            ("async def holds():\n    assert total(1)\n\n\nholds()\n", 2, "`holds` is never awaited"),
        ] {
            assert_eq!(found(code), [(line, format!("this assert never runs: {why}"))], "{code}");
        }
        for code in [
            "for x in [1]:\n    assert total(x)\n",
            "for x in range(n):\n    assert total(x)\n",
            "for x in range(1, 3):\n    assert total(x)\n",
            "while True:\n    assert total(1)\n    break\n",
            "if total(0):\n    pass\nelse:\n    assert total(1)\n",
            "def holds():\n    assert total(1)\n\n\nholds()\n",
            "def holds():\n    assert total(1)\n\n\nfor it in (holds,):\n    it()\n",
            "def total(n):\n    assert n\n\n\nqueue.drain\n",
            "@run\ndef holds():\n    assert total(1)\n",
            "class T:\n    def test(self):\n        assert total(1)\n\n\nT().test()\n",
            "async def a():\n    assert total(1)\n\n\nasync def b():\n    await a()\n\n\nasyncio.run(b())\n",
        ] {
            assert_eq!(found(code), [], "{code}");
        }
    }

    #[test]
    fn coroutines_that_start_nothing_are_found() {
        let message = |name| format!("`{name}(...)` makes a coroutine that is never awaited");
        assert_eq!(found("work()\nassert queue\n"), [(1, message("work"))]);
        assert_eq!(found("queue.drain()\n"), [(1, message("drain"))]);
        assert_eq!(found("asyncio.run(work())\ntask = work()\nloop.run(queue.drain())\ntotal(1)\n"), []);
        assert_eq!(found("def work():\n    pass\n\n\nwork()\n"), [], "the check's own");
    }

    #[test]
    fn asserts_that_a_handler_catches_are_found() {
        for (code, handler) in [
            ("try:\n    assert total(1)\nexcept Exception:\n    pass\n", "except Exception"),
            ("try:\n    assert total(1)\nexcept:\n    print('no')\n", "except"),
            ("try:\n    assert total(1)\nexcept (ValueError, AssertionError) as e:\n    ...\n", ERRORS),
            ("with suppress(Exception):\n    assert total(1)\n", "with suppress(Exception)"),
        ] {
            let message = format!("this assert never fails: `{handler}` catches it");
            assert_eq!(found(code), [(2, message)], "{code}");
        }
        for code in [
            "try:\n    total(1)\nexcept Exception:\n    pass\nassert total(2)\n",
            "try:\n    total(1)\nexcept Exception:\n    pass\nelse:\n    assert total(2)\n",
            "try:\n    total(1)\nexcept Exception:\n    assert total(2)\n",
            "try:\n    assert total(1)\nexcept ValueError:\n    pass\n",
            "try:\n    assert total(1)\nexcept AssertionError:\n    raise\nexcept Exception:\n    pass\n",
            "try:\n    assert total(1)\nexcept Exception:\n    failed = True\n",
            "try:\n    assert total(1)\nfinally:\n    queue.clear()\n",
        ] {
            assert_eq!(found(code), [], "{code}");
        }
    }

    const ERRORS: &str = "except (ValueError, AssertionError) as e";

    #[test]
    fn asserts_that_always_hold_are_found() {
        for (condition, why) in [
            ("(x == 1, 'one')", TUPLE),
            ("((x, 'one'))", TUPLE),
            ("True", "`True` is always true"),
            ("'x is one'", "a non-empty string is always true"),
            ("1", NUMBER),
            ("total(1) or True", "`True` is always true"),
            ("True or total(1) == 1", "`True` is always true"),
            ("total", FUNCTION),
            ("lambda: total(1)", "it is an object, which is always true"),
            ("(total(n) == n for n in (1, 2))", "it is an object, which is always true"),
            ("x or not x", "one of the two sides is always true"),
            ("x == x", "it compares a value with itself"),
            ("queue.jobs is queue.jobs", "it compares a value with itself"),
            ("x in (x, 2)", "the value is in its own list"),
            ("len(queue.jobs) >= 0", "a length is never negative"),
        ] {
            let message = format!("this assert never fails: {why}");
            assert_eq!(found(&format!("assert {condition}\n")), [(1, message)], "{condition}");
        }
        for condition in [
            "(x == 1), 'one'",
            "x == (1, 2)",
            "()",
            "''",
            "b''",
            "f'{x}'",
            "0",
            "(x)",
            "total(1) and True",
            "total(1)",
            "total(1) == total(1)",
            "total(1) or not total(2)",
            "x != x",
            "x == x == y",
            "x in (y, 2)",
            "x in x",
            "len(x) >= 1",
        ] {
            assert_eq!(found(&format!("assert {condition}\n")), [], "{condition}");
        }
    }

    #[test]
    fn checks_without_a_question_to_the_program() {
        let (mut reader, mut other) = (Reader::new().unwrap(), Reader::new().unwrap());
        let buggy = other.read(PROGRAM).unwrap();
        for (code, asks, uses) in [
            ("pass\n", false, false),
            ("x = y\n", false, false),
            ("one = total\n", false, true),
            ("total(1)\n", true, true),
            ("if queue:\n    raise E\n", true, true),
            ("try:\n    total(1)\nexcept Exception:\n    pass\n", false, true),
            ("def f():\n    total(1)\n", false, true),
            ("rest = 3\nassert rest == 3\n", true, false),
            ("import asyncio\nasyncio.run(f())\n", true, false),
            ("def total(n):\n    return n\n\n\nassert total(1) == 1\n", true, false),
            ("assert globals()['total'](1)\n", true, true),
        ] {
            let code = reader.read(code).unwrap();
            assert_eq!((can_raise(&code, &buggy), uses_program(&code, &buggy)), (asks, uses), "{}", code.whole());
        }
    }
}
