//! Lists the names that a program binds, and whether it reads them again.
//!
//! Attributes are known by name only, whatever the object. A name counts as read if any code in its scope reads it.

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::Node;

use crate::author::python::{Program, line_of};
use crate::content::question::LineNo;

/// The kind of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Import,
    Parameter,
    Variable,
    /// An attribute: a field of an object or a class.
    Field,
    Function,
    Method,
    Class,
}

impl Kind {
    /// The word for it in messages.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::Parameter => "parameter",
            Self::Variable => "variable",
            Self::Field => "field",
            Self::Function => "function",
            Self::Method => "method",
            Self::Class => "class",
        }
    }
}

/// A name that means the same in two versions of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Name<'a> {
    pub(super) kind: Kind,
    /// The function that a parameter or a variable belongs to; empty outside functions and for other kinds.
    function: &'a str,
    pub(super) text: &'a str,
}

/// A name that a program binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Binding {
    /// The line that binds it first.
    pub(super) line: LineNo,
    /// True if the program reads it.
    pub(super) is_read: bool,
}

/// The use of an identifier.
enum Use {
    Binds(Kind),
    ReadsName,
    ReadsAttribute,
    /// The name of a keyword argument, of a `global` statement, or of a variable inside an expression.
    Other,
}

/// The names that `program` binds.
pub(super) fn of<'a>(program: &Program<'a>) -> HashMap<Name<'a>, Binding> {
    let scopes = Scopes::of(program);
    let parents = Parents(program.parents());
    let mut reads: HashMap<&str, Vec<Node<'_>>> = HashMap::new();
    let mut attributes = HashMap::<&str, Vec<Node<'_>>>::new();
    let mut bound = Vec::new();
    for node in program.nodes().into_iter().filter(|node| node.kind() == "identifier") {
        let text = program.text(node);
        match parents.used(node) {
            Use::Binds(kind) => bound.push((node, text, kind)),
            Use::ReadsName => reads.entry(text).or_default().push(node),
            Use::ReadsAttribute => attributes.entry(text).or_default().push(node),
            Use::Other => {}
        }
    }
    let mut all = HashMap::<Name<'a>, Binding>::new();
    for (node, text, kind) in bound {
        let own = parents.of(node).filter(|it| is_scope(*it));
        let scope = own.map_or_else(|| scopes.around(node), |it| scopes.around(it));
        let in_class = scope.is_some_and(|it| it.kind() == "class_definition");
        let kind = match kind {
            Kind::Variable if in_class => Kind::Field,
            Kind::Function if in_class => Kind::Method,
            kind => kind,
        };
        let is_local = matches!(kind, Kind::Parameter | Kind::Variable);
        let function = scope.filter(|_| is_local).and_then(|it| program.name(it)).unwrap_or_default();
        let area = scope.filter(|_| is_local || kind == Kind::Function).map_or(0..usize::MAX, |it| it.byte_range());
        let within = |part: &Range<usize>, it: &&Node<'_>| part.contains(&it.start_byte());
        // A function that only calls itself is not used.
        let outside = |it: &&Node<'_>| !own.is_some_and(|own| within(&own.byte_range(), it));
        let any = |nodes: &HashMap<&str, Vec<Node<'_>>>, wanted: &dyn Fn(&&Node<'_>) -> bool| {
            nodes.get(text).is_some_and(|nodes| nodes.iter().any(|it| wanted(&it)))
        };
        let is_read = match kind {
            Kind::Field | Kind::Method => {
                let in_body = |it: &&Node<'_>| scopes.around(**it) == scope && in_class;
                any(&attributes, &outside) || any(&reads, &in_body)
            }
            _ => any(&reads, &|it| within(&area, it) && outside(it)),
        };
        let name = Name { kind, function, text };
        let binding = all.entry(name).or_insert(Binding { line: line_of(node), is_read: false });
        binding.is_read |= is_read;
    }
    all
}

/// The functions and classes of a program.
struct Scopes<'t>(Vec<Node<'t>>);

impl<'t> Scopes<'t> {
    fn of(program: &'t Program<'_>) -> Self {
        Self(program.nodes().into_iter().filter(|node| is_scope(*node)).collect())
    }

    /// The innermost function or class around a part, without the part itself.
    fn around(&self, part: Node<'_>) -> Option<Node<'t>> {
        let is_around = |it: &&Node<'t>| it.byte_range().contains(&part.start_byte()) && it.id() != part.id();
        self.0.iter().rev().find(is_around).copied()
    }
}

fn is_scope(node: Node<'_>) -> bool {
    matches!(node.kind(), "function_definition" | "class_definition")
}

/// The part around each part.
struct Parents<'t>(HashMap<usize, Node<'t>>);

impl<'t> Parents<'t> {
    fn of(&self, part: Node<'_>) -> Option<Node<'t>> {
        self.0.get(&part.id()).copied()
    }

    /// The use of an identifier, from the parts around it.
    fn used(&self, identifier: Node<'_>) -> Use {
        let Some(parent) = self.of(identifier) else { return Use::ReadsName };
        let is = |field: &str| parent.child_by_field_name(field) == Some(identifier);
        match parent.kind() {
            "function_definition" if is("name") => Use::Binds(Kind::Function),
            "class_definition" if is("name") => Use::Binds(Kind::Class),
            "keyword_argument" if is("name") => Use::Other,
            "global_statement" | "nonlocal_statement" => Use::Other,
            "aliased_import" | "dotted_name" => self.imported(identifier),
            "lambda_parameters" => Use::Other,
            "parameters" => Use::Binds(Kind::Parameter),
            "typed_parameter" if !is("type") => Use::Binds(Kind::Parameter),
            "default_parameter" | "typed_default_parameter" if is("name") => match self.of(parent) {
                Some(list) if list.kind() == "lambda_parameters" => Use::Other,
                _ => Use::Binds(Kind::Parameter),
            },
            "list_splat_pattern" | "dictionary_splat_pattern" if self.of(parent).is_some_and(is_parameters) => {
                Use::Binds(Kind::Parameter)
            }
            "named_expression" if is("name") => Use::Binds(Kind::Variable),
            "attribute" if is("attribute") => match self.target(parent) {
                Some(_) => Use::Binds(Kind::Field),
                None => Use::ReadsAttribute,
            },
            "attribute" => Use::ReadsName,
            _ => match self.target(identifier) {
                Some("for_in_clause") => Use::Other,
                Some(_) => Use::Binds(Kind::Variable),
                None => Use::ReadsName,
            },
        }
    }

    /// The kind of statement whose target `part` is: `a` in `a, b = c` and in `for a in b`.
    fn target(&self, part: Node<'_>) -> Option<&'static str> {
        let mut inner = part;
        loop {
            let outer = self.of(inner)?;
            match outer.kind() {
                "pattern_list" | "tuple_pattern" | "list_pattern" | "list_splat_pattern" => inner = outer,
                "as_pattern_target" => return Some(outer.kind()),
                "assignment" | "augmented_assignment" | "for_statement" | "for_in_clause" => {
                    return (outer.child_by_field_name("left") == Some(inner)).then(|| outer.kind());
                }
                _ => return None,
            }
        }
    }

    /// `time` in `import time`, `Random` in `from random import Random`, `t` in `import time as t`.
    fn imported(&self, identifier: Node<'_>) -> Use {
        let Some(name) = self.of(identifier) else { return Use::Other };
        let is_first = name.named_child(0) == Some(identifier);
        match self.of(name) {
            _ if name.kind() == "aliased_import" => Use::Binds(Kind::Import),
            Some(statement) if statement.child_by_field_name("module_name") == Some(name) => Use::Other,
            Some(statement) if statement.kind().starts_with("import") && is_first => Use::Binds(Kind::Import),
            Some(statement) if statement.kind() == "aliased_import" || statement.kind().starts_with("import") => {
                Use::Other
            }
            // In a pattern of `match`.
            _ => Use::ReadsName,
        }
    }
}

fn is_parameters(node: Node<'_>) -> bool {
    matches!(node.kind(), "parameters" | "typed_parameter")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::author::python::Reader;

    /// The names that a program binds in the order of their lines, those that it reads without a mark.
    fn names(source: &str) -> Vec<String> {
        let mut reader = Reader::new().unwrap();
        let program = reader.read(source).unwrap();
        let shown = |(name, it): (&Name<'_>, &Binding)| {
            let mark = if it.is_read { "" } else { "unread " };
            let place = if name.function.is_empty() { String::new() } else { format!(" of {}", name.function) };
            (it.line.get(), format!("{mark}{} {}{place}", name.kind.word(), name.text))
        };
        let mut all: Vec<_> = of(&program).iter().map(shown).collect();
        all.sort();
        all.into_iter().map(|(line, text)| format!("{line}: {text}")).collect()
    }

    #[test]
    fn names_that_a_program_binds_and_reads() {
        for (source, wanted) in [
            (
                "import a, b.c as d\nfrom e.f import g, h as i\nd(g)\n",
                &["1: import d", "1: unread import a", "2: import g", "2: unread import i"][..],
            ),
            ("import a.b\na.b.c()\n", &["1: import a"]),
            (
                "x: int = 1\ny, (z, *w) = x, z\ny += 1\n",
                &["1: variable x", "2: unread variable w", "2: unread variable y", "2: variable z"],
            ),
            ("def f(a, b: int, c=1, *d, e: str = 'x'):\n    return a + e\n", F),
            ("class A:\n    x: int\n    y = 1\n    z = y\n\n    def get(self):\n        return self.x\n", A),
            (
                "class A:\n    def __init__(self):\n        self.n = 0\n        self.m = 0\n        self.m += 1\n\n\nprint(A().n)\n",
                &[
                    "1: class A",
                    "2: parameter self of __init__",
                    "2: unread method __init__",
                    "3: field n",
                    "4: unread field m",
                ],
            ),
            (
                "a = 1\n\n\ndef f(a):\n    b = 2\n\n\nf(a=3)\n",
                &["1: unread variable a", "4: function f", "4: unread parameter a of f", "5: unread variable b of f"],
            ),
            ("for i, j in x:\n    print(f'{i}')\n", &["1: unread variable j", "1: variable i"]),
            ("print([k for k in x], lambda q: 1)\nwith a as b:\n    pass\n", &["2: unread variable b"]),
            ("def f():\n    f()\n", &["1: unread function f"]),
            (
                "def f():\n    n = 0\n\n    def g():\n        nonlocal n\n        return n\n\n    return g\n",
                &["1: unread function f", "2: variable n of f", "4: function g"],
            ),
            ("match a:\n    case b.c:\n        print(d)\n", &[]),
            (
                "def f(x: T) -> 'x':\n    pass\n\n\nT = int\n",
                &["1: unread function f", "1: unread parameter x of f", "5: variable T"],
            ),
        ] {
            assert_eq!(names(source), wanted, "{source}");
        }
        for broken in ["", "def (((", "import", "for in", "class", "x.", "\u{0}"] {
            names(broken);
        }
    }

    const F: &[&str] = &[
        "1: parameter a of f",
        "1: parameter e of f",
        "1: unread function f",
        "1: unread parameter b of f",
        "1: unread parameter c of f",
        "1: unread parameter d of f",
    ];

    const A: &[&str] = &[
        "1: unread class A",
        "2: field x",
        "3: field y",
        "4: unread field z",
        "6: parameter self of get",
        "6: unread method get",
    ];
}
