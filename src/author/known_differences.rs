//! Warns of what RustPython 0.5.0 is known to do in another way than CPython, in a program that no CPython ran.

use std::sync::Arc;

use tree_sitter::Node;

use crate::author::python::{Program, Reader, line_of};
use crate::content::diagnostic::{Diagnostic, Severity, SourceFile, codes};
use crate::content::locate::Step;
use crate::content::problems::Problems;
use crate::content::question::{LineNo, Question};

/// The warnings for both programs, each difference once a program.
pub(crate) fn warnings(question: &Question, file: &Arc<SourceFile>) -> Vec<Diagnostic> {
    let problems = Problems::new(file.clone());
    let Some(mut reader) = Reader::new() else { return Vec::new() };
    for (table, code) in [("spot", &question.spot.code), ("fixed", &question.fixed.code)] {
        let Some(program) = reader.read(code) else { continue };
        let mut seen = Vec::new();
        for (line, what) in differences(&program) {
            if !seen.contains(&what) {
                seen.push(what);
                let span = problems.line(&[Step::Key(table), Step::Key("code")], line);
                let message = format!("the built-in interpreter and CPython differ in {what}");
                let help = "add `--python auto`, which shows whether this program prints the same on both";
                problems.push(Severity::Warning, codes::KNOWN_DIFFERENCE, span, message, help);
            }
        }
    }
    problems.finish()
}

/// The lines that may behave in another way, and why.
fn differences(program: &Program<'_>) -> Vec<(LineNo, &'static str)> {
    let nodes = program.nodes();
    let kinds = |wanted: &[&str]| nodes.iter().any(|it| wanted.contains(&it.kind()));
    let has_fractions = kinds(&["float", "/"]);
    // A fraction elsewhere is seldom one of those that are added.
    let is_held = |it: &Node<'_>| it.parent().is_some_and(|it| ["list", "tuple", "set", "pair"].contains(&it.kind()));
    let holds_fractions = nodes.iter().any(|it| it.kind() == "float" && is_held(it));
    let strange_digit = |text: &str| text.chars().any(|it| it.is_numeric() && !it.is_ascii());
    let has_strange_digits = nodes.iter().any(|it| it.kind() == "string" && strange_digit(program.text(*it)));
    let difference = |node: &Node<'_>| {
        let text = program.text(*node);
        let called =
            node.parent().is_some_and(|it| it.kind() == "call" && it.child_by_field_name("function") == Some(*node));
        let what = match (node.kind(), text) {
            ("identifier", "round") if called && has_fractions => "`round` of halves",
            ("identifier", "sum") if called && holds_fractions => "`sum` of fractions",
            ("identifier", "int") if called && has_strange_digits => "digits that are not ASCII",
            ("string", _) if has_strange_digits && text.contains(r"\d") => "digits that are not ASCII",
            ("identifier", "autocommit") => "the `autocommit` of `sqlite3`",
            ("identifier", "__del__") => "when `__del__` runs at the end",
            ("except_clause", _) if is_bare(*node) && comes_before_another(*node) => {
                "an `except:` before other clauses"
            }
            _ => return None,
        };
        Some((line_of(*node), what))
    };
    nodes.iter().filter_map(difference).collect()
}

fn is_bare(clause: Node<'_>) -> bool {
    let mut cursor = clause.walk();
    clause.named_children(&mut cursor).all(|it| matches!(it.kind(), "block" | "comment"))
}

/// True if another `except` comes after the clause.
fn comes_before_another(clause: Node<'_>) -> bool {
    std::iter::successors(clause.next_named_sibling(), Node::next_named_sibling).any(|it| it.kind() == "except_clause")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_differences_are_found() {
        let mut reader = Reader::new().unwrap();
        for (code, wanted) in [
            ("print(round(2.675, 2))", &[(1, "`round` of halves")][..]),
            ("print(round(x / 2))", &[(1, "`round` of halves")]),
            ("x = [0.1]\nprint(sum(x))", &[(2, "`sum` of fractions")]),
            ("int('٣')", &[(1, "digits that are not ASCII")]),
            ("re.sub(r'\\d', '', '٣')", &[(1, "digits that are not ASCII")]),
            ("sqlite3.connect(':memory:', autocommit=True)", &[(1, "the `autocommit` of `sqlite3`")]),
            ("class A:\n    def __del__(self): pass", &[(2, "when `__del__` runs at the end")]),
            ("try:\n    a\nexcept:\n    b\nexcept E:\n    c", &[(3, "an `except:` before other clauses")]),
            ("sleep(0.1)\nsum([1, 2])", &[]),
            ("round(3)\nsum([1, 2])\nint('3')\nre.sub(r'\\d', '', '3')\nx = round", &[]),
            ("try:\n    a\nexcept E:\n    b\nexcept:\n    c", &[]),
        ] {
            let program = reader.read(code).unwrap();
            let found: Vec<_> = differences(&program).into_iter().map(|(line, what)| (line.get(), what)).collect();
            assert_eq!(found, wanted, "{code}");
        }
    }
}
