//! Checks that nothing can fail.
//!
//! Owns that judgement, made on the text of a check. Whether a check catches the bug is for a run to show.

use tree_sitter::Node;

use crate::content::diagnostic::{Severity, codes};
use crate::content::findings::Findings;
use crate::content::locate::Step;
use crate::content::python::{Program, Reader, line_of};
use crate::content::question::{LineNo, Question};

/// Notes asserts that always hold, and checks that assert nothing.
pub(super) fn checks(findings: &mut Findings<'_>, question: &Question, reader: &mut Reader) {
    for (at, check) in question.checks.iter().enumerate() {
        let path = [Step::Key("check"), Step::At(at), Step::Key("code")];
        let Some(program) = reader.read(&check.code) else { continue };
        if program.broken().is_some() {
            // A run tells that it is no Python.
            continue;
        }
        for (line, what) in always_hold(&program) {
            let span = findings.line(&path, line);
            let message = format!("this assert never fails: {what}");
            let help = "write `assert condition, \"message\"`, without parentheses around the two";
            findings.push(Severity::Warning, codes::NEVER_FAILS, span, message, help.to_owned());
        }
        if !asks_something(&program) {
            let span = findings.place(&path);
            let message = format!("the check `{}` asserts nothing", check.name);
            let help = "assert what a right program does, or remove the check".to_owned();
            findings.push(Severity::Warning, codes::NEVER_FAILS, span, message, help);
        }
    }
}

/// The asserts that hold whatever the program does, and why.
fn always_hold(program: &Program<'_>) -> Vec<(LineNo, &'static str)> {
    let holds = |node: Node<'_>| {
        let mut condition = node.named_child(0)?;
        while condition.kind() == "parenthesized_expression" {
            condition = condition.named_child(0)?;
        }
        match condition.kind() {
            "tuple" if condition.named_child_count() > 0 => Some("a tuple with something in it is true"),
            "true" => Some("`True` is true"),
            "string" if program.text(condition).len() > 2 && !program.text(condition).starts_with(['f', 'F']) => {
                Some("a text with something in it is true")
            }
            _ => None,
        }
        .map(|why| (line_of(node), why))
    };
    program.nodes().into_iter().filter(|node| node.kind() == "assert_statement").filter_map(holds).collect()
}

/// Whether something in a check could raise on purpose.
fn asks_something(program: &Program<'_>) -> bool {
    program.nodes().iter().any(|node| matches!(node.kind(), "assert_statement" | "raise_statement" | "call"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asserts_that_always_hold_are_found() {
        let mut reader = Reader::new().unwrap();
        for (code, lines) in [
            ("assert (x == 1, 'one')\n", &[1][..]),
            ("a = 1\nassert ((x, 'one'))\nassert True\nassert 'x is one'\n", &[2, 3, 4]),
            ("assert (x == 1), 'one'\nassert x == (1, 2)\nassert ()\nassert ''\nassert f'{x}'\nassert (x)\n", &[]),
        ] {
            let program = reader.read(code).unwrap();
            let found: Vec<_> = always_hold(&program).into_iter().map(|(line, _)| line.get()).collect();
            assert_eq!(found, lines, "{code}");
        }
        for (code, asks) in [("pass\n", false), ("x = y\n", false), ("f()\n", true), ("if x:\n    raise E\n", true)] {
            assert_eq!(asks_something(&reader.read(code).unwrap()), asks, "{code}");
        }
    }
}
