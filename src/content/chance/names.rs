//! What the names of a program stand for, as far as one can tell without running it.
//!
//! Owns scopes, bindings and aliases. A name may have many values; the last one that is given before the use is taken.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tree_sitter::Node;

use super::known::is_known;
use crate::content::python::Program;

/// Steps that all questions about a program may take: nobody writes more, and a program may be made to need more.
const MOST_STEPS: usize = 50_000;

/// How deep a question looks into a part: nobody writes more, and a program may be made to be deep.
pub(super) const DEEPEST: usize = 12;

/// How long a chain of aliases may be.
const MOST_ALIASES: usize = 8;

/// A value or a type that a name is given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding<'p> {
    pub(super) value: Option<Node<'p>>,
    pub(super) annotation: Option<Node<'p>>,
    at: usize,
}

/// What the names of a program stand for.
pub(super) struct Names<'p> {
    pub(super) program: &'p Program<'p>,
    pub(super) nodes: &'p [Node<'p>],
    imports: HashMap<&'p str, String>,
    /// Modules all of whose names are imported.
    stars: Vec<&'p str>,
    /// The bytes of functions and classes, and whether it is a class; the whole program is the first.
    scopes: Vec<(Range<usize>, bool)>,
    /// By name and by the place of the scope, each in the order of the program.
    variables: HashMap<(&'p str, usize), Vec<Binding<'p>>>,
    fields: HashMap<&'p str, Vec<Binding<'p>>>,
    functions: HashMap<&'p str, Vec<Node<'p>>>,
    /// What each function returns, by the place of its scope.
    returned: HashMap<usize, Vec<Node<'p>>>,
    /// Names that are sorted in place.
    pub(super) sorted: HashSet<&'p str>,
    steps: Cell<usize>,
}

impl<'p> Names<'p> {
    pub(super) fn new(program: &'p Program<'p>, nodes: &'p [Node<'p>]) -> Self {
        let is_scope = |kind: &str| matches!(kind, "function_definition" | "class_definition" | "lambda");
        let scopes = nodes.iter().filter(|node| is_scope(node.kind()));
        let scopes = scopes.map(|node| (node.byte_range(), node.kind() == "class_definition"));
        let mut names = Self {
            program,
            nodes,
            imports: program.imports(),
            stars: Vec::new(),
            scopes: std::iter::once((0..usize::MAX, false)).chain(scopes).collect(),
            variables: HashMap::new(),
            fields: HashMap::new(),
            functions: HashMap::new(),
            returned: HashMap::new(),
            sorted: HashSet::new(),
            steps: Cell::new(MOST_STEPS),
        };
        for node in nodes {
            names.note(*node);
        }
        names
    }

    fn note(&mut self, node: Node<'p>) {
        let field = |name| node.child_by_field_name(name);
        match node.kind() {
            "import_from_statement" => {
                let mut cursor = node.walk();
                let star = node.children(&mut cursor).any(|child| child.kind() == "wildcard_import");
                self.stars.extend(field("module_name").filter(|_| star).map(|module| self.program.text(module)));
            }
            "assignment" => {
                if let Some(left) = field("left") {
                    self.bind_all(left, field("right"), field("type"));
                }
            }
            "named_expression" | "default_parameter" | "typed_default_parameter" => {
                if let Some(name) = field("name") {
                    self.bind(name, field("value"), field("type"));
                }
            }
            "typed_parameter" => {
                if let Some(name) = node.named_child(0) {
                    self.bind(name, None, field("type"));
                }
            }
            "parameters" | "lambda_parameters" => {
                for name in children(node).into_iter().filter(|child| child.kind() == "identifier") {
                    self.bind(name, None, None);
                }
            }
            "for_statement" | "for_in_clause" => {
                if let Some(left) = field("left") {
                    self.bind_all(left, None, None);
                }
            }
            "function_definition" => {
                if let Some(name) = field("name") {
                    self.functions.entry(self.program.text(name)).or_default().push(node);
                }
            }
            "return_statement" => {
                let scope = self.scope(node.start_byte(), false);
                self.returned.entry(scope).or_default().extend(node.named_child(0));
            }
            "call" => {
                let method = field("function").filter(|function| function.kind() == "attribute");
                let Some(method) = method else { return };
                let parts = (method.child_by_field_name("object"), method.child_by_field_name("attribute"));
                if let (Some(object), Some(method)) = parts
                    && self.program.text(method) == "sort"
                {
                    self.sorted.insert(self.last_name(object));
                }
            }
            _ => {}
        }
    }

    /// Binds each of several names to its own value, where those are written out.
    fn bind_all(&mut self, left: Node<'p>, right: Option<Node<'p>>, annotation: Option<Node<'p>>) {
        if !is_pattern(left) {
            self.bind(left, right, annotation);
            return;
        }
        let names = children(left);
        let values = right.filter(|it| matches!(it.kind(), "expression_list" | "tuple" | "list")).map(children);
        let values = values.filter(|values| values.len() == names.len());
        for (at, name) in names.into_iter().enumerate() {
            self.bind(name, values.as_ref().and_then(|values| values.get(at)).copied(), None);
        }
    }

    fn bind(&mut self, name: Node<'p>, value: Option<Node<'p>>, annotation: Option<Node<'p>>) {
        let at = name.start_byte();
        let scope = self.scope(at, true);
        let in_class = self.scopes.get(scope).is_some_and(|(_, class)| *class);
        let binding = Binding { value, annotation, at };
        match name.kind() {
            "identifier" if in_class => self.fields.entry(self.program.text(name)).or_default().push(binding),
            "identifier" => self.variables.entry((self.program.text(name), scope)).or_default().push(binding),
            "attribute" => self.fields.entry(self.last_name(name)).or_default().push(binding),
            _ => {}
        }
    }

    /// The innermost scope around a byte. Classes count where `classes` says so.
    fn scope(&self, at: usize, classes: bool) -> usize {
        let around = |(range, class): &(Range<usize>, bool)| range.contains(&at) && (classes || !class);
        self.scopes.iter().rposition(around).unwrap_or(0)
    }

    /// What follows the last dot.
    pub(super) fn last_name(&self, node: Node<'_>) -> &'p str {
        self.program.text(node.child_by_field_name("attribute").unwrap_or(node))
    }

    /// What a name or an attribute may stand for where it is used. A name of another scope may be given its value at any time.
    pub(super) fn bindings(&self, node: Node<'_>) -> Vec<Binding<'p>> {
        if !self.step() {
            return Vec::new();
        }
        if node.kind() == "attribute" {
            return self.fields.get(self.last_name(node)).cloned().unwrap_or_default();
        }
        let (name, at) = (self.program.text(node), node.start_byte());
        let mut innermost = true;
        for (scope, (range, class)) in self.scopes.iter().enumerate().rev() {
            if *class || !range.contains(&at) {
                continue;
            }
            if let Some(all) = self.variables.get(&(name, scope)) {
                let before = all.get(..all.partition_point(|binding| binding.at < at)).unwrap_or_default();
                let given = before.iter().rfind(|binding| binding.value.is_none_or(|it| it.end_byte() <= at));
                return if innermost { given.or(all.last()).copied().into_iter().collect() } else { all.clone() };
            }
            innermost = false;
        }
        Vec::new()
    }

    /// The functions and methods of this name.
    pub(super) fn functions(&self, name: &str) -> &[Node<'p>] {
        self.functions.get(name).map_or(&[], Vec::as_slice)
    }

    /// What a function returns.
    pub(super) fn returned(&self, function: Node<'_>) -> &[Node<'p>] {
        let range = function.byte_range();
        let scope = self.scopes.iter().position(|(scope, _)| *scope == range);
        scope.and_then(|scope| self.returned.get(&scope)).map_or(&[], Vec::as_slice)
    }

    /// What a name stands for, by the name of its module: `time.sleep`, or `hash` for what is built in.
    pub(super) fn resolve(&self, node: Node<'_>) -> Option<String> {
        self.resolve_in(node, MOST_ALIASES)
    }

    fn resolve_in(&self, node: Node<'_>, aliases: usize) -> Option<String> {
        let aliases = aliases.checked_sub(1)?;
        let mut head = node;
        while head.kind() == "attribute" {
            head = head.child_by_field_name("object")?;
        }
        let name = self.program.text(head);
        let written = self.program.text(node);
        let rest = written.get(name.len()..)?.trim();
        if head.kind() != "identifier" {
            return self.found_by_its_name(head, aliases).map(|found| found + rest);
        }
        if let Some(module) = self.imports.get(name) {
            return Some(format!("{module}{rest}"));
        }
        if self.functions.contains_key(name) {
            return None;
        }
        match self.bindings(head).first() {
            Some(Binding { value: Some(value), .. }) => self.resolve_in(*value, aliases).map(|meant| meant + rest),
            Some(_) => None,
            None => {
                let star = self.stars.iter().map(|module| format!("{module}.{written}"));
                Some(star.into_iter().find(|it| is_known(it)).unwrap_or_else(|| written.to_owned()))
            }
        }
    }

    /// A module or a part of one that is asked for by its name: `__import__("time")`, `sys.modules["time"]`.
    fn found_by_its_name(&self, node: Node<'_>, aliases: usize) -> Option<String> {
        let literal = |node: Node<'_>| {
            let content = node.named_child(1).filter(|_| node.kind() == "string" && node.named_child_count() == 3)?;
            Some(self.program.text(content).to_owned())
        };
        if node.kind() == "subscript" {
            let modules = self.resolve_in(node.child_by_field_name("value")?, aliases)?;
            return literal(node.child_by_field_name("subscript")?).filter(|_| modules == "sys.modules");
        }
        let function = node.child_by_field_name("function").filter(|_| node.kind() == "call")?;
        let arguments = arguments(node);
        match (self.resolve_in(function, aliases)?.as_str(), arguments.as_slice()) {
            // Of `a.b` it gives `a`.
            ("__import__", [name, ..]) => Some(literal(*name)?.split('.').next()?.to_owned()),
            ("importlib.import_module", [name, ..]) => literal(*name),
            ("getattr", [object, name, ..]) => {
                Some(format!("{}.{}", self.resolve_in(*object, aliases)?, literal(*name)?))
            }
            _ => None,
        }
    }

    /// The class of an object, or the function that gave it, by the name of its module: `threading.Event`.
    pub(super) fn maker(&self, node: Node<'_>) -> Option<String> {
        self.maker_in(node, DEEPEST)
    }

    fn maker_in(&self, node: Node<'_>, depth: usize) -> Option<String> {
        let depth = depth.checked_sub(1).filter(|_| self.step())?;
        match node.kind() {
            "call" => self.called(node),
            "parenthesized_expression" | "await" => self.maker_in(node.named_child(0)?, depth),
            "identifier" | "attribute" => self.bindings(node).into_iter().find_map(|binding| {
                let annotated = binding.annotation.and_then(|it| self.annotated(it));
                annotated.or_else(|| self.maker_in(binding.value?, depth))
            }),
            _ => None,
        }
    }

    /// The class that an annotation names first, by the name of its module.
    fn annotated(&self, annotation: Node<'_>) -> Option<String> {
        let mut node = annotation;
        for _ in 0..DEEPEST {
            if matches!(node.kind(), "identifier" | "attribute") {
                return self.resolve(node);
            }
            node = node.named_child(0)?;
        }
        None
    }

    /// Whether this is the name of something that the program imports.
    pub(super) fn is_imported(&self, node: Node<'_>) -> bool {
        self.imports.contains_key(self.program.text(node))
    }

    /// Whether the program imports this module or a part of it.
    pub(super) fn uses_module(&self, module: &str) -> bool {
        let is = |name: &str| name.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.imports.values().any(|name| is(name)) || self.stars.iter().any(|name| is(name))
    }

    /// What is called.
    pub(super) fn called(&self, call: Node<'_>) -> Option<String> {
        self.resolve(call.child_by_field_name("function")?)
    }

    /// Whether there is a step left for questions about the program.
    pub(super) fn step(&self) -> bool {
        let left = self.steps.get().checked_sub(1);
        self.steps.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// Whether several names stand here.
pub(super) fn is_pattern(node: Node<'_>) -> bool {
    matches!(node.kind(), "pattern_list" | "tuple_pattern" | "list_pattern")
}

/// The parts inside, without comments.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|node| node.kind() != "comment").collect()
}

/// The arguments of a call, of those with a name the values.
pub(super) fn arguments(call: Node<'_>) -> Vec<Node<'_>> {
    let Some(list) = call.child_by_field_name("arguments") else { return Vec::new() };
    if list.kind() == "generator_expression" {
        return vec![list];
    }
    let mut all = children(list);
    for node in &mut all {
        if node.kind() == "keyword_argument" {
            *node = node.child_by_field_name("value").unwrap_or(*node);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use crate::content::chance::uses;
    use crate::content::python::Reader;

    #[test]
    fn what_is_asked_for_by_its_name_is_known() {
        let mut reader = Reader::new().unwrap();
        for (source, wanted) in [
            ("x = __import__('time').time()", "1: `__import__('time').time` reads a clock"),
            ("t = __import__('time')\nx = t.time()", "2: `t.time` reads a clock"),
            (
                "import importlib\nx = importlib.import_module('random').random()",
                "2: `importlib.import_module('random').random` has no seed",
            ),
            ("from importlib import import_module as load\nt = load('time')\nt.sleep(1)", "3: `t.sleep` really waits"),
            ("import sys\nx = sys.modules['time'].time()", "2: `sys.modules['time'].time` reads a clock"),
            ("import time\nx = getattr(time, 'time')()", "2: `getattr(time, 'time')` reads a clock"),
        ] {
            let found = uses(&reader.read(source).unwrap());
            let found: Vec<String> = found.into_iter().map(|it| format!("{}: {}", it.line, it.what)).collect();
            assert_eq!(found, [wanted], "{source}");
        }
    }
}
