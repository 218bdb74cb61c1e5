//! Small edits of a program, one at a time: what could pass for a repair of it.
//!
//! Statements that move are here; `replacements.rs` has the edits within a line.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use tree_sitter::Node;

use super::replacements::replacements;
use crate::author::python::{Program, Reader};
use crate::content::question::{LineNo, lines};

/// Most edits of a program. The last ones, one name for another, are left out.
const MOST: usize = 400;

/// Most neighbouring statements that are indented together.
const TOGETHER: usize = 3;

/// A program with a small edit.
#[derive(Debug)]
pub(super) struct Edit {
    /// The lines of the program that it touches, as indices.
    pub(super) rows: RangeInclusive<usize>,
    /// The edit in words that follow "the program": "with line 3 before line 2".
    pub(super) how: String,
    /// The edited program.
    pub(super) source: String,
}

/// Every small edit of `code`, as far as it is valid Python.
pub(super) fn edits(code: &str) -> Vec<Edit> {
    let Some(mut reader) = Reader::new() else { return Vec::new() };
    let Some(program) = reader.read(code).filter(|it| it.broken().is_none()) else { return Vec::new() };
    let mut all = Moves { lines: lines(code), edits: Vec::new() };
    for node in program.nodes().into_iter().filter(|it| matches!(it.kind(), "block" | "module")) {
        all.of_block(&program, node);
    }
    let mut edits = all.edits;
    edits.extend(replacements(&program, code));
    let mut seen = HashSet::from([code.to_owned()]);
    edits.retain(|edit| seen.insert(edit.source.clone()));
    edits.truncate(MOST);
    edits
}

/// "line 3", "lines 3 to 5".
pub(super) fn named(rows: &RangeInclusive<usize>) -> String {
    let [first, last] = [rows.start(), rows.end()].map(|row| LineNo::from_index(*row));
    if first == last { format!("line {first}") } else { format!("lines {first} to {last}") }
}

/// Collects the edits that move statements.
struct Moves<'a> {
    lines: Vec<&'a str>,
    edits: Vec<Edit>,
}

impl Moves<'_> {
    fn of_block(&mut self, program: &Program<'_>, block: Node<'_>) {
        let mut cursor = block.walk();
        let statements: Vec<Node<'_>> = block.named_children(&mut cursor).filter(|it| it.kind() != "comment").collect();
        let shares_a_line = |pair: &[Node<'_>]| matches!(pair, [a, b] if rows(*a).end() >= rows(*b).start());
        if statements.windows(2).any(shares_a_line) {
            return;
        }
        for pair in statements.windows(2) {
            if let [a, b] = pair
                && ![*a, *b].into_iter().any(|it| is_fixed(program, it))
            {
                self.swapped(&rows(*a), &rows(*b));
            }
        }
        for (at, before) in statements.iter().enumerate().filter(|(_, it)| has_open_block(**it)) {
            let next = statements.get(at + 1..).unwrap_or_default();
            let next: Vec<_> = next.iter().take_while(|it| !is_fixed(program, **it)).take(TOGETHER).collect();
            if let (Some(first), Some(depth)) = (next.first(), depth_inside(*before)) {
                let by = depth.saturating_sub(first.start_position().column);
                for last in &next {
                    self.indented(*rows(**first).start()..=*rows(**last).end(), by);
                }
            }
        }
        let inside = block.parent().filter(|it| !matches!(it.kind(), "function_definition" | "class_definition"));
        if let (Some(around), Some(last)) = (inside, statements.last()) {
            let header = self.lines.get(around.start_position().row).map_or(0, |line| indent(line));
            for first in statements.iter().skip(1) {
                let by = first.start_position().column.saturating_sub(header);
                self.outdented(*rows(*first).start()..=*rows(*last).end(), by);
            }
        }
    }

    fn swapped(&mut self, a: &RangeInclusive<usize>, b: &RangeInclusive<usize>) {
        let (above, below) = (self.text(a.clone()), self.text(b.clone()));
        let between = self.text(a.end() + 1..=b.start().saturating_sub(1));
        let how = format!("with {} before {}", named(b), named(a));
        self.push(*a.start()..=*b.end(), how, &(below + &between + &above));
    }

    fn indented(&mut self, rows: RangeInclusive<usize>, by: usize) {
        let blanks = " ".repeat(by);
        let text = self.each_line(&rows, |line| blanks.clone() + line);
        self.push(rows.clone(), format!("with {} indented by {by} more", named(&rows)), &text);
    }

    fn outdented(&mut self, rows: RangeInclusive<usize>, by: usize) {
        let text = self.each_line(&rows, |line| line.get(by.min(indent(line))..).unwrap_or_default().to_owned());
        self.push(rows.clone(), format!("with {} indented by {by} less", named(&rows)), &text);
    }

    fn each_line(&self, rows: &RangeInclusive<usize>, change: impl Fn(&str) -> String) -> String {
        let lines = self.lines.get(rows.clone()).unwrap_or_default();
        lines.iter().map(|line| if line.is_empty() { "\n".to_owned() } else { change(line) + "\n" }).collect()
    }

    fn text(&self, rows: RangeInclusive<usize>) -> String {
        self.each_line(&rows, str::to_owned)
    }

    /// Adds the edit that replaces `rows` with `text`.
    fn push(&mut self, rows: RangeInclusive<usize>, how: String, text: &str) {
        let before: String = self.lines.iter().take(*rows.start()).map(|line| format!("{line}\n")).collect();
        let after: String = self.lines.iter().skip(rows.end() + 1).map(|line| format!("{line}\n")).collect();
        self.edits.push(Edit { rows, how, source: before + text + &after });
    }
}

/// The lines of a statement, as indices.
fn rows(node: Node<'_>) -> RangeInclusive<usize> {
    node.start_position().row..=node.end_position().row
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// True for statements whose place does not matter: definitions, imports, docstrings, declarations and `pass`.
fn is_fixed(program: &Program<'_>, node: Node<'_>) -> bool {
    let is_text = |node: Node<'_>| program.text(node).starts_with(['"', '\'']);
    match node.kind() {
        "expression_statement" => is_text(node),
        "function_definition" | "class_definition" | "decorated_definition" | "pass_statement" => true,
        kind => ["import", "global", "nonlocal"].iter().any(|it| kind.contains(it)),
    }
}

/// True for statements with a block that the next statement could belong to.
fn has_open_block(node: Node<'_>) -> bool {
    ["if_statement", "for_statement", "while_statement", "with_statement", "try_statement"].contains(&node.kind())
}

/// The column of the last block of a statement, if it has lines of its own.
fn depth_inside(statement: Node<'_>) -> Option<usize> {
    let last_part = last(statement)?;
    let block = if last_part.kind() == "block" { last_part } else { last(last_part)? };
    let [header, first] = [block.parent()?, block].map(|it| it.start_position());
    (block.kind() == "block" && first.row > header.row).then_some(first.column)
}

fn last(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|it| it.kind() != "comment").last()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The edits in words; an edit within a line as `line number: its new text`.
    fn found(code: &str) -> Vec<String> {
        let short = |edit: Edit| match edit.how.split_once(" changed to `") {
            Some((place, text)) => {
                format!("{}: {}", place.trim_start_matches("with line "), text.trim_end_matches('`'))
            }
            None => edit.how.trim_start_matches("with ").to_owned(),
        };
        edits(code).into_iter().map(short).collect()
    }

    #[test]
    fn statements_move() {
        for (code, wanted) in [
            ("a\nb\n\nc\n", &["line 2 before line 1", "line 4 before line 2"][..]),
            (
                "if x:\n    b\nc\nd\ne\nf\n",
                &[
                    "line 3 before lines 1 to 2",
                    "line 4 before line 3",
                    "line 5 before line 4",
                    "line 6 before line 5",
                    "line 3 indented by 4 more",
                    "lines 3 to 4 indented by 4 more",
                    "lines 3 to 5 indented by 4 more",
                ],
            ),
            (
                "for _ in x:\n    b\n    c\n    d\n",
                &[
                    "line 3 before line 2",
                    "line 4 before line 3",
                    "lines 3 to 4 indented by 4 less",
                    "line 4 indented by 4 less",
                ],
            ),
            ("if x:\n    b\nelse:\n    c\nd\n", &["line 5 before lines 1 to 4", "line 5 indented by 4 more"]),
            ("import a\n\"b\"\ndef c():\n    pass\nclass D:\n    pass\nx\n", &[]),
            ("def f():\n    try: a\n    except E: b\n    c\n", &["line 4 before lines 2 to 3"]),
            ("a; b\nif x: c\nelse: d\n", &[]),
            ("if (\n", &[]),
        ] {
            assert_eq!(found(code), wanted, "{code}");
        }
        let sources = |code| edits(code).into_iter().map(|it| it.source).collect::<Vec<_>>();
        assert_eq!(sources("if x:\n    b\n\n# c\nd\n"), ["d\n\n# c\nif x:\n    b\n", "if x:\n    b\n\n# c\n    d\n"]);
        assert_eq!(sources("if x:\n    b\n    c\n")[1], "if x:\n    b\nc\n");
    }

    #[test]
    fn words_are_replaced() {
        for (code, wanted) in [
            ("x(1, 1_000)", &["x(0, 1_000)", "x(2, 1_000)", "x(1, 999)", "x(1, 1001)"][..]),
            ("x(0x1F)", &["x(0x1e)", "x(0x20)"]),
            ("x(0.5)", &["x(1.5)", "x(-0.5)"]),
            ("x <= y", &["x < y", "x > y", "x >= y", "x == y", "x != y"]),
            ("x not in y", &["x in y"]),
            ("x is y", &["x is not y"]),
            ("x and y or z", &["x or y or z", "x and y and z"]),
            ("not x", &["x"]),
            ("await x()", &["x()"]),
            ("f'{x and 1:>2}'", &["f'{x or 1:>2}'", "f'{x and 0:>2}'", "f'{x and 2:>2}'"]),
            ("x: Literal[1]", &[]),
        ] {
            let wanted: Vec<_> = wanted.iter().map(|it| format!("1: {it}")).collect();
            assert_eq!(found(code), wanted, "{code}");
        }
    }

    /// A name stands for one of its kind: a variable, a function, a class, an attribute, a method.
    #[test]
    fn names_are_replaced() {
        for (code, wanted) in [
            ("def f(a: int, b=c) -> int:\n    return g(a, b=b)\n", &["2: return g(b, b=b)", "2: return g(a, b=a)"][..]),
            ("x, y = z\nx.y = x[y]\n", &["line 2 before line 1", "2: y.y = x[y]", "2: x.y = y[y]", "2: x.y = x[x]"]),
            (
                "def f(a):\n    return lambda a: (x, [a for a in b])\nx = z\n",
                &["2: return lambda a: (a, [a for a in b])", "2: return lambda a: (x, [x for a in b])"],
            ),
            (
                "class A:\n    p: int\n    def m(self, _):\n        self.q = self.n()\n    def n(self):\n        global k\n        \
                 return A(p=self.p)\nclass B: pass\n",
                &["4: self.p = self.n()", "4: self.q = self.m()", "7: return B(p=self.p)", "7: return A(p=self.q)"],
            ),
            (
                "from a import b\nc = b\nfor d in c:\n    print(d, f'{c}')\n",
                &["lines 3 to 4 before line 2", "3: for d in d:", "4: print(c, f'{c}')", "4: print(d, f'{d}')"],
            ),
        ] {
            assert_eq!(found(code), wanted, "{code}");
        }
    }

    #[test]
    fn a_long_program_gets_a_bounded_number_of_edits() {
        let program: String = (0..900).map(|n| format!("x{n} = y\n")).collect();
        assert_eq!(edits(&program).len(), MOST);
    }
}
