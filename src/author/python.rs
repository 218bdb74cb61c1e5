//! Parses Python for the author rules. Accepts any text; in a program that is not valid Python it finds less.

use std::collections::{HashMap, HashSet};

use tree_sitter::{Node, Parser, Tree};

use crate::content::question::LineNo;

/// A program and its parts.
pub(super) struct Program<'a> {
    source: &'a str,
    tree: Tree,
}

/// A comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Comment<'a> {
    pub(super) line: LineNo,
    /// Its text without the `#` and the spaces around it.
    pub(super) text: &'a str,
    /// True if code comes before it.
    pub(super) trailing: bool,
}

/// A string of the program, without its quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Text<'a> {
    /// Its line and its text.
    pub(super) comment: Comment<'a>,
    /// True if it is a statement by itself, as a docstring is.
    pub(super) alone: bool,
}

/// Reads Python.
pub(super) struct Reader(Parser);

impl Reader {
    /// `None` if the grammar does not fit the parser, which the tests would show.
    pub(super) fn new() -> Option<Self> {
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_python::LANGUAGE.into()).ok()?;
        Some(Self(parser))
    }

    /// The parts of `source`.
    pub(super) fn read<'a>(&mut self, source: &'a str) -> Option<Program<'a>> {
        let tree = self.0.parse(source, None)?;
        Some(Program { source, tree })
    }
}

impl<'a> Program<'a> {
    /// The text of a part.
    pub(super) fn text(&self, node: Node<'_>) -> &'a str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    /// The whole program.
    #[cfg(test)]
    pub(super) fn whole(&self) -> &'a str {
        self.source
    }

    /// The name of a function or class.
    pub(super) fn name(&self, definition: Node<'_>) -> Option<&'a str> {
        definition.child_by_field_name("name").map(|name| self.text(name))
    }

    /// The name that a call calls: `put` in `cache.put(1)`.
    pub(super) fn called(&self, call: Node<'_>) -> Option<&'a str> {
        let function = call.child_by_field_name("function").filter(|_| call.kind() == "call")?;
        Some(self.text(function.child_by_field_name("attribute").unwrap_or(function)))
    }

    /// True for an `async def`.
    pub(super) fn is_async(&self, function: Node<'_>) -> bool {
        function.child(0).is_some_and(|first| first.kind() == "async")
    }

    /// True if two parts are the same text and call nothing, so that they have the same value.
    pub(super) fn same(&self, one: Node<'_>, other: Node<'_>) -> bool {
        self.text(one) == self.text(other) && !self.text(one).contains(['(', '{', '['])
    }

    /// The part around each part, by its id. Asking a part itself takes longer the deeper it is.
    pub(super) fn parents(&self) -> HashMap<usize, Node<'_>> {
        let mut all = HashMap::new();
        let mut cursor = self.tree.walk();
        for node in self.nodes() {
            all.extend(node.children(&mut cursor).map(|child| (child.id(), node)));
        }
        all
    }

    /// Every part, in the order of the program; a part comes before those inside it.
    pub(super) fn nodes(&self) -> Vec<Node<'_>> {
        let mut all = Vec::new();
        let mut cursor = self.tree.walk();
        loop {
            all.push(cursor.node());
            if cursor.goto_first_child() || cursor.goto_next_sibling() {
                continue;
            }
            loop {
                if !cursor.goto_parent() {
                    return all;
                }
                if cursor.goto_next_sibling() {
                    break;
                }
            }
        }
    }

    /// The first line that is not valid Python, as far as the parser knows.
    pub(super) fn broken(&self) -> Option<LineNo> {
        self.nodes().into_iter().find(|node| node.is_error() || node.is_missing()).map(line_of)
    }

    /// The lines that are all of their block: without one, the program would be invalid.
    pub(super) fn lone_lines(&self) -> HashSet<LineNo> {
        let lone = |block: Node<'_>| {
            let mut cursor = block.walk();
            let mut statements = block.named_children(&mut cursor).filter(|it| it.kind() != "comment");
            let first = statements.next()?;
            let last = statements.last().unwrap_or(first);
            let before = self.source.get(..first.start_byte()).unwrap_or_default();
            // A block on the line of its header goes with the header.
            let begins = before.rsplit('\n').next().unwrap_or_default().trim().is_empty();
            (begins && first.start_position().row == last.end_position().row).then(|| line_of(first))
        };
        self.nodes().into_iter().filter(|node| node.kind() == "block").filter_map(lone).collect()
    }

    /// The comments.
    pub(super) fn comments(&self) -> Vec<Comment<'a>> {
        let comments = self.nodes().into_iter().filter(|node| node.kind() == "comment");
        let comment = |node: Node<'_>| {
            let before = self.source.get(..node.start_byte()).unwrap_or_default();
            let trailing = !before.rsplit('\n').next().unwrap_or_default().trim().is_empty();
            Comment { line: line_of(node), text: self.text(node).trim_start_matches('#').trim(), trailing }
        };
        comments.map(comment).collect()
    }

    /// The strings.
    pub(super) fn strings(&self) -> Vec<Text<'a>> {
        let mut all = Vec::new();
        let mut alone = 0..0;
        for node in self.nodes() {
            match node.kind() {
                "expression_statement" if node.named_child_count() == 1 => {
                    let only = node.named_child(0).filter(|it| matches!(it.kind(), "string" | "concatenated_string"));
                    alone = only.map_or(alone, |it| it.byte_range());
                }
                "string" => {
                    let mut cursor = node.walk();
                    let quotes: Vec<Node<'_>> = node
                        .children(&mut cursor)
                        .filter(|it| matches!(it.kind(), "string_start" | "string_end"))
                        .collect();
                    let [open, close] = quotes[..] else { continue };
                    let text = self.source.get(open.end_byte()..close.start_byte()).unwrap_or_default();
                    let comment = Comment { line: line_of(node), text, trailing: false };
                    all.push(Text { comment, alone: alone.contains(&node.start_byte()) });
                }
                _ => {}
            }
        }
        all
    }

    /// The messages of asserts as they are written, each with its line.
    pub(super) fn messages(&self) -> Vec<(LineNo, &'a str)> {
        let asserts = self.nodes().into_iter().filter(|node| node.kind() == "assert_statement");
        let message = |node: Node<'_>| {
            let message = node.named_child(1).filter(|node| node.kind() != "comment")?;
            Some((line_of(message), self.text(message)))
        };
        asserts.filter_map(message).collect()
    }

    /// Every use of a name in the program, with its line.
    pub(super) fn identifiers(&self) -> Vec<(LineNo, &'a str)> {
        let names = self.nodes().into_iter().filter(|node| node.kind() == "identifier");
        names.map(|node| (line_of(node), self.text(node))).collect()
    }

    /// The names in the program, each with the line of its first use.
    pub(super) fn names(&self) -> Vec<(LineNo, &'a str)> {
        let mut seen = HashSet::new();
        self.identifiers().into_iter().filter(|(_, name)| seen.insert(*name)).collect()
    }

    /// The names that the program binds, anywhere in it.
    pub(super) fn bound(&self) -> Vec<&'a str> {
        let names = self.bound_nodes().into_iter().map(|node| self.text(node));
        self.imports().into_keys().chain(names).collect()
    }

    /// The names that the program binds, without imported ones.
    fn bound_nodes(&self) -> Vec<Node<'_>> {
        let mut all = Vec::new();
        let mut targets = 0..0;
        for node in self.nodes() {
            let named = match node.kind() {
                "function_definition" | "class_definition" => node.child_by_field_name("name"),
                "assignment" | "for_statement" | "for_in_clause" => node.child_by_field_name("left"),
                "named_expression" => node.child_by_field_name("name"),
                "parameters" | "lambda_parameters" | "as_pattern_target" => Some(node),
                "identifier" if targets.contains(&node.start_byte()) => {
                    all.push(node);
                    None
                }
                _ => None,
            };
            targets = named.map_or(targets, |it| it.byte_range());
        }
        all
    }

    /// The names that the program binds outside functions and classes, without imported ones.
    pub(super) fn bound_at_top(&self) -> Vec<&'a str> {
        let is_inner = |node: &Node<'_>| matches!(node.kind(), "function_definition" | "class_definition" | "lambda");
        let nodes = self.nodes();
        let inner: Vec<_> = nodes.iter().filter(|node| is_inner(node)).collect();
        let at_top = |name: &Node<'_>| {
            let is_around = |it: &&Node<'_>| it.byte_range().contains(&name.start_byte());
            let is_its_name = |it: &Node<'_>| it.child_by_field_name("name") == Some(*name);
            inner.iter().filter(|it| is_around(it)).all(|it| is_its_name(it))
        };
        let imports = self.imports();
        self.bound_nodes()
            .into_iter()
            .filter(at_top)
            .map(|node| self.text(node))
            .filter(|name| !imports.contains_key(name))
            .collect()
    }

    /// The classes and functions that are defined at the top and that others may use.
    pub(super) fn definitions(&self) -> Vec<(LineNo, &'a str)> {
        let root = self.tree.root_node();
        let mut cursor = root.walk();
        let mut found = Vec::new();
        for node in root.children(&mut cursor) {
            let node = node.child_by_field_name("definition").unwrap_or(node);
            if !matches!(node.kind(), "function_definition" | "class_definition") {
                continue;
            }
            if let Some(name) = node.child_by_field_name("name").filter(|name| !self.text(*name).starts_with('_')) {
                found.push((line_of(name), self.text(name)));
            }
        }
        found
    }

    /// The innermost function around a line, if any: its line and its name.
    pub(super) fn function_around(&self, line: LineNo) -> Option<(LineNo, &'a str)> {
        let is_around = |node: &Node<'_>| {
            let lines = node.start_position().row..=node.end_position().row;
            node.kind() == "function_definition" && lines.contains(&line.index())
        };
        let name = self.nodes().into_iter().rfind(is_around)?.child_by_field_name("name")?;
        Some((line_of(name), self.text(name)))
    }

    /// The imported names and what they mean: `t` is `time` after `import time as t`.
    pub(super) fn imports(&self) -> HashMap<&'a str, String> {
        let mut all = HashMap::new();
        for node in self.nodes() {
            let from = match node.kind() {
                "import_statement" => String::new(),
                "import_from_statement" => match node.child_by_field_name("module_name") {
                    Some(module) => format!("{}.", self.text(module)),
                    None => continue,
                },
                _ => continue,
            };
            let mut cursor = node.walk();
            for name in node.children_by_field_name("name", &mut cursor) {
                if name.kind() == "aliased_import" {
                    let parts = (name.child_by_field_name("name"), name.child_by_field_name("alias"));
                    if let (Some(name), Some(alias)) = parts {
                        all.insert(self.text(alias), format!("{from}{}", self.text(name)));
                    }
                } else if from.is_empty() {
                    // `import a.b` makes the name `a`.
                    let head = self.text(name).split('.').next().unwrap_or_default();
                    all.insert(head, head.to_owned());
                } else {
                    all.insert(self.text(name), format!("{from}{}", self.text(name)));
                }
            }
        }
        all
    }
}

/// The line that a part begins on.
pub(super) fn line_of(node: Node<'_>) -> LineNo {
    LineNo::from_index(node.start_position().row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_not_valid_python() {
        let mut reader = Reader::new().unwrap();
        for (source, line) in [("a = 1\n", None), ("a = 1\nb = ((\n", Some(2)), ("a = 1\n\nif a\n    b\n", Some(3))] {
            assert_eq!(reader.read(source).unwrap().broken().map(LineNo::get), line, "{source}");
        }
    }

    #[test]
    fn lines_that_are_all_of_their_block() {
        let mut reader = Reader::new().unwrap();
        for (source, wanted) in [
            ("def f():\n    return 1\n", &[2][..]),
            ("def f():\n    # why\n    return 1  # so\n    # end\n", &[3]),
            ("def f():\n    x = 1\n    return 1\n", &[]),
            ("def f():\n    x = 1; y = 2\n", &[2]),
            ("def f():\n    '''x'''\n", &[2]),
            ("def f():\n    g(\n        1)\n", &[]),
            ("if a: b\nelse: c\n", &[]),
            ("for a in b:\n    if a: b\n", &[2]),
            ("for a in b:\n    if a:\n        break\n    else:\n        c\n", &[3, 5]),
            ("try:\n    a\nexcept E:\n    b\nelse:\n    c\nfinally:\n    d\n", &[2, 4, 6, 8]),
            ("if a:\n    b\nelif c:\n    d\n", &[2, 4]),
            ("while a:\n    b\nelse:\n    c\n", &[2, 4]),
            ("with a:\n    b\n", &[2]),
            ("class A:\n    x: int\n", &[2]),
            ("class A:\n    @p\n    def f(self): return 1\n", &[]),
            ("class A:\n    def f(self): return 1\n", &[2]),
            ("match a:\n    case 1:\n        b\n    case _:\n        c\n", &[3, 5]),
            ("if a:\n    b\n\n\nc\n", &[2]),
        ] {
            let program = reader.read(source).unwrap();
            let mut lines: Vec<_> = program.lone_lines().into_iter().map(LineNo::get).collect();
            lines.sort_unstable();
            assert_eq!(lines, wanted, "{source}");
        }
    }

    #[test]
    fn messages_of_asserts() {
        let source =
            "assert a  # no\nassert b == 1, f'b is {b}'\nif c:\n    assert (\n        d\n    ), 'd'\nassert (1, 2)\n";
        let mut reader = Reader::new().unwrap();
        let program = reader.read(source).unwrap();
        let messages: Vec<_> = program.messages().iter().map(|(line, text)| (line.get(), *text)).collect();
        assert_eq!(messages, [(2, "f'b is {b}'"), (6, "'d'")]);
    }

    #[test]
    fn parts_of_a_program() {
        let source = "import time as t, os.path\nfrom random import Random, seed as s\n\n# first\n@deco\nclass A:\n    \
                      x = '# no comment'  # second\n\n\ndef _hidden(): pass\ndef shown(): pass\nrate = t.time()\n";
        let mut reader = Reader::new().unwrap();
        let program = reader.read(source).unwrap();
        let comments: Vec<_> = program.comments().iter().map(|it| (it.line.get(), it.text, it.trailing)).collect();
        assert_eq!(comments, [(4, "first", false), (7, "second", true)]);
        let around = |line: u32| program.function_around(LineNo::new(line).unwrap()).map(|(_, name)| name);
        assert_eq!([around(7), around(10), around(12)], [None, Some("_hidden"), None]);
        let definitions: Vec<_> = program.definitions().iter().map(|(_, name)| *name).collect();
        assert_eq!(definitions, ["A", "shown"]);
        let mut bound = program.bound();
        bound.sort_unstable();
        assert_eq!(bound, ["A", "Random", "_hidden", "os", "rate", "s", "shown", "t", "x"]);
        let imports = program.imports();
        let found = ["t", "os", "Random", "s"].map(|name| imports.get(name).map(String::as_str));
        assert_eq!(found, [Some("time"), Some("os"), Some("random.Random"), Some("random.seed")]);
        assert_eq!(imports.len(), 4);
        for broken in ["", "def (((", "'''open", "\0\u{202e}é漢"] {
            assert!(reader.read(broken).unwrap().nodes().len() < 20);
        }
    }
}
