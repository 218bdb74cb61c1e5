//! Where the order of a set shows, which differs from run to run.
//!
//! Owns what is a set, what follows its order, and what ends that: `sorted`, `len`, `in`, `sum`, `min` and `max` do.

use std::collections::HashSet;
use std::ops::Range;

use tree_sitter::Node;

use super::names::{Binding, DEEPEST, Names, arguments, children, is_pattern};

/// Types of sets, as annotations name them.
const TYPES: [&str; 6] = ["set", "frozenset", "Set", "FrozenSet", "AbstractSet", "MutableSet"];

/// Methods of sets that give a set.
const METHODS: [&str; 5] = ["union", "intersection", "difference", "symmetric_difference", "copy"];

/// Calls that keep the order of what they are given.
const KEEP: [&str; 14] = [
    "list",
    "tuple",
    "iter",
    "enumerate",
    "map",
    "filter",
    "reversed",
    "zip",
    "dict",
    "dict.fromkeys",
    "collections.deque",
    "itertools.chain",
    "itertools.chain.from_iterable",
    "itertools.islice",
];

/// Calls whose text shows what they are given.
const SHOW: [&str; 7] = ["str", "repr", "ascii", "format", "json.dumps", "pprint.pformat", "copy.deepcopy"];

/// Methods of texts and lists that keep what they work on in sight.
const STILL: [&str; 18] = [
    "strip",
    "lstrip",
    "rstrip",
    "upper",
    "lower",
    "title",
    "replace",
    "split",
    "ljust",
    "rjust",
    "center",
    "encode",
    "items",
    "keys",
    "values",
    "copy",
    "removeprefix",
    "removesuffix",
];

/// Looks for the order of sets in a program.
pub(super) struct Order<'p> {
    names: &'p Names<'p>,
    /// Names that are filled in the order of a set.
    filled: HashSet<&'p str>,
}

impl<'p> Order<'p> {
    pub(super) fn new(names: &'p Names<'p>) -> Self {
        let mut order = Self { names, filled: HashSet::new() };
        let loops: Vec<Node<'p>> = names.nodes.iter().filter(|node| order.is_loop(**node)).copied().collect();
        order.filled = loops.iter().flat_map(|node| order.filled_in(*node)).collect();
        order
    }

    /// Calls that print an element of a set, once for each.
    pub(super) fn printed_in_loops(&self) -> Vec<Node<'p>> {
        let loops = self.names.nodes.iter().filter(|node| self.is_loop(**node));
        loops.flat_map(|node| self.printed_in(*node)).collect()
    }

    /// Whether this is a loop over a set, or over what has its order.
    fn is_loop(&self, node: Node<'_>) -> bool {
        node.kind() == "for_statement" && node.child_by_field_name("right").is_some_and(|it| self.follows(it))
    }

    /// The parts of the body of a loop.
    fn inside(&self, node: Node<'_>) -> impl Iterator<Item = Node<'p>> {
        self.within(node.child_by_field_name("body").map_or(0..0, |body| body.byte_range()))
    }

    fn within(&self, place: Range<usize>) -> impl Iterator<Item = Node<'p>> {
        let first = self.names.nodes.partition_point(|it| it.start_byte() < place.start);
        let rest = self.names.nodes.get(first..).unwrap_or_default();
        rest.iter().take_while(move |it| it.start_byte() < place.end).copied()
    }

    fn printed_in(&self, node: Node<'_>) -> Vec<Node<'p>> {
        // What is made of the element in the loop is printed in its order, too.
        let mut made: Vec<&str> = Vec::new();
        let targets = std::iter::once(node).chain(self.inside(node).filter(|it| it.kind() == "assignment"));
        for left in targets.filter_map(|it| it.child_by_field_name("left")) {
            let parts = if is_pattern(left) { children(left) } else { vec![left] };
            made.extend(parts.into_iter().map(|part| self.names.program.text(part)));
        }
        let calls: Vec<Node<'p>> =
            self.inside(node).filter(|it| it.kind() == "call" && is_print(self.names.called(*it).as_deref())).collect();
        let shows = |call: &Node<'p>| {
            let mut named = self.within(call.byte_range()).filter(|it| it.kind() == "identifier");
            named.any(|it| made.contains(&self.names.program.text(it)))
        };
        calls.into_iter().filter(shows).collect()
    }

    fn filled_in(&self, node: Node<'_>) -> Vec<&'p str> {
        let filled = |node: Node<'p>| match node.kind() {
            "call" => {
                let method = node.child_by_field_name("function").filter(|it| it.kind() == "attribute")?;
                let adds = matches!(self.names.last_name(method), "append" | "extend" | "insert" | "setdefault");
                method.child_by_field_name("object").filter(|_| adds)
            }
            "augmented_assignment" => {
                let right = node.child_by_field_name("right")?;
                let joins = matches!(right.kind(), "string" | "list" | "tuple" | "concatenated_string");
                node.child_by_field_name("left").filter(|_| joins)
            }
            "assignment" => {
                let left = node.child_by_field_name("left").filter(|it| it.kind() == "subscript")?;
                left.child_by_field_name("value")
            }
            _ => None,
        };
        let named = self.inside(node).filter_map(filled);
        named.filter(|it| matches!(it.kind(), "identifier" | "attribute")).map(|it| self.names.last_name(it)).collect()
    }

    /// What takes one element of a set, whichever comes first: `s.pop()`, `next(iter(s))`, `list(s)[0]`, `a, b = s`.
    pub(super) fn picks(&self, node: Node<'_>) -> bool {
        let field = |name| node.child_by_field_name(name);
        match node.kind() {
            "call" if self.names.called(node).as_deref() == Some("next") => {
                arguments(node).first().is_some_and(|it| self.follows(*it))
            }
            "call" => {
                let method = field("function").filter(|it| it.kind() == "attribute");
                let method = method.filter(|it| self.names.last_name(*it) == "pop" && arguments(node).is_empty());
                method.and_then(|it| it.child_by_field_name("object")).is_some_and(|it| self.follows(it))
            }
            "subscript" if is_slice(node) => false,
            "subscript" => field("value").is_some_and(|it| self.has_order(it, DEEPEST)),
            "assignment" => {
                let several = field("left").is_some_and(|it| is_pattern(it) && it.named_child_count() > 1);
                several && field("right").is_some_and(|it| self.follows(it))
            }
            _ => false,
        }
    }

    /// Whether printing this shows the order of a set.
    pub(super) fn shows(&self, node: Node<'_>) -> bool {
        self.shows_in(node, DEEPEST)
    }

    fn shows_in(&self, node: Node<'_>, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1).filter(|_| self.names.step()) else { return false };
        let shows = |it: Node<'_>| self.shows_in(it, depth);
        if self.is_set(node, depth) || self.has_order(node, depth) {
            return true;
        }
        match node.kind() {
            "identifier" | "attribute" => {
                let sorted = self.names.sorted.contains(self.names.last_name(node));
                self.holds_sets(node, depth) || (!sorted && self.values(node).iter().any(|value| shows(*value)))
            }
            "call" => match self.names.called(node).as_deref() {
                Some(name) if SHOW.contains(&name) || KEEP.contains(&name) => arguments(node).into_iter().any(shows),
                _ => {
                    let function = node.child_by_field_name("function");
                    let Some(method) = function.filter(|it| it.kind() == "attribute") else {
                        return self.returned(node).iter().any(|it| shows(*it));
                    };
                    match self.names.last_name(method) {
                        "join" | "format" => {
                            arguments(node).into_iter().any(|it| self.follows_in(it, depth) || shows(it))
                        }
                        name if STILL.contains(&name) => method.child_by_field_name("object").is_some_and(shows),
                        _ => self.returned(node).iter().any(|it| shows(*it)),
                    }
                }
            },
            "binary_operator" => {
                let operator = node.child_by_field_name("operator").map(|it| self.names.program.text(it));
                matches!(operator, Some("+" | "%" | "*")) && children(node).into_iter().any(shows)
            }
            "list_comprehension" | "generator_expression" | "dictionary_comprehension" => {
                node.child_by_field_name("body").is_some_and(shows)
            }
            "string"
            | "concatenated_string"
            | "interpolation"
            | "list"
            | "tuple"
            | "dictionary"
            | "pair"
            | "list_splat"
            | "dictionary_splat"
            | "parenthesized_expression"
            | "named_expression"
            | "await"
            | "conditional_expression"
            | "boolean_operator"
            | "expression_list" => children(node).into_iter().any(shows),
            _ => false,
        }
    }

    /// Whether going through this goes in the order of a set.
    fn follows(&self, node: Node<'_>) -> bool {
        self.follows_in(node, DEEPEST)
    }

    fn follows_in(&self, node: Node<'_>, depth: usize) -> bool {
        self.is_set(node, depth) || self.has_order(node, depth)
    }

    /// Whether this is no set, and has the order of one.
    fn has_order(&self, node: Node<'_>, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1).filter(|_| self.names.step()) else { return false };
        let follows = |it: Node<'_>| self.follows_in(it, depth);
        let has_order = |it: Node<'_>| self.has_order(it, depth);
        match node.kind() {
            "identifier" | "attribute" => {
                let name = self.names.last_name(node);
                !self.names.sorted.contains(name)
                    && (self.filled.contains(name) || self.values(node).iter().any(|value| has_order(*value)))
            }
            "call" => match self.names.called(node).as_deref() {
                Some(name) if KEEP.contains(&name) => arguments(node).into_iter().any(follows),
                Some("str" | "sorted" | "len") => false,
                _ => {
                    let method = node.child_by_field_name("function").filter(|it| it.kind() == "attribute");
                    let still = method.filter(|it| STILL.contains(&self.names.last_name(*it)));
                    match still.and_then(|it| it.child_by_field_name("object")) {
                        Some(object) => has_order(object),
                        None => self.returned(node).iter().any(|it| has_order(*it)),
                    }
                }
            },
            "list_comprehension" | "generator_expression" | "dictionary_comprehension" => {
                let clauses = children(node).into_iter().filter(|it| it.kind() == "for_in_clause");
                clauses.filter_map(|it| it.child_by_field_name("right")).any(follows)
            }
            "list" | "tuple" | "expression_list" => {
                let splats = children(node).into_iter().filter(|it| it.kind() == "list_splat");
                splats.filter_map(|it| it.named_child(0)).any(follows)
            }
            "list_splat" => children(node).into_iter().any(follows),
            "binary_operator" => {
                let operator = node.child_by_field_name("operator").map(|it| self.names.program.text(it));
                operator == Some("+") && children(node).into_iter().any(has_order)
            }
            "subscript" => is_slice(node) && node.child_by_field_name("value").is_some_and(has_order),
            "parenthesized_expression"
            | "named_expression"
            | "await"
            | "conditional_expression"
            | "boolean_operator" => children(node).into_iter().any(has_order),
            _ => false,
        }
    }

    /// Whether this is a set.
    fn is_set(&self, node: Node<'_>, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1).filter(|_| self.names.step()) else { return false };
        let is_set = |it: Node<'_>| self.is_set(it, depth);
        let field = |name| node.child_by_field_name(name);
        match node.kind() {
            "set" | "set_comprehension" => true,
            "identifier" | "attribute" => self.names.bindings(node).iter().any(|binding| match binding {
                Binding { annotation: Some(annotation), .. } => names_a_set(self.names.program.text(*annotation)),
                Binding { value, .. } => value.is_some_and(is_set),
            }),
            "call" => self.gives_a_set(node, depth),
            "binary_operator" => {
                let operator = field("operator").map(|it| self.names.program.text(it));
                let view = |it: Node<'_>| {
                    let method = it.child_by_field_name("function").filter(|it| it.kind() == "attribute");
                    method.is_some_and(|it| matches!(self.names.last_name(it), "keys" | "items"))
                };
                matches!(operator, Some("|" | "&" | "-" | "^"))
                    && children(node).into_iter().any(|it| is_set(it) || view(it))
            }
            "subscript" => field("value").is_some_and(|it| self.holds_sets(it, depth)),
            "assignment" | "named_expression" => field("right").or(field("value")).is_some_and(is_set),
            "parenthesized_expression" | "await" | "boolean_operator" => children(node).into_iter().any(is_set),
            "conditional_expression" => {
                // The part in the middle is the condition.
                [node.named_child(0), node.named_child(2)].into_iter().flatten().any(is_set)
            }
            _ => false,
        }
    }

    fn gives_a_set(&self, call: Node<'_>, depth: usize) -> bool {
        match self.names.called(call).as_deref() {
            Some("set" | "frozenset") => return true,
            Some("copy.copy" | "copy.deepcopy") => return arguments(call).iter().any(|it| self.is_set(*it, depth)),
            Some(name) if METHODS.iter().any(|method| name.strip_prefix("set.") == Some(method)) => return true,
            _ => {}
        }
        let Some(function) = call.child_by_field_name("function") else { return false };
        if let Some(object) = function.child_by_field_name("object") {
            let method = self.names.last_name(function);
            if METHODS.contains(&method) && self.is_set(object, depth) {
                return true;
            }
            if matches!(method, "get" | "setdefault" | "pop") && self.holds_sets(object, depth) {
                return true;
            }
        }
        let functions = self.names.functions(self.names.last_name(function));
        functions.iter().any(|function| match function.child_by_field_name("return_type") {
            Some(annotation) => names_a_set(self.names.program.text(annotation)),
            None => self.names.returned(*function).iter().any(|it| self.is_set(*it, depth)),
        })
    }

    /// Whether this is a dictionary or a list of sets.
    fn holds_sets(&self, node: Node<'_>, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1).filter(|_| self.names.step()) else { return false };
        let value_is_set = |it: Node<'_>| self.is_set(it.child_by_field_name("value").unwrap_or(it), depth);
        match node.kind() {
            "identifier" | "attribute" => self.names.bindings(node).iter().any(|binding| match binding {
                Binding { annotation: Some(annotation), .. } => inner_type(self.names.program.text(*annotation)),
                Binding { value, .. } => value.is_some_and(|it| self.holds_sets(it, depth)),
            }),
            "call" if self.names.called(node).as_deref() == Some("collections.defaultdict") => {
                let made = arguments(node).first().and_then(|it| self.names.resolve(*it));
                matches!(made.as_deref(), Some("set" | "frozenset"))
            }
            "dictionary" | "list" | "tuple" => children(node).into_iter().any(value_is_set),
            "dictionary_comprehension" | "list_comprehension" => {
                node.child_by_field_name("body").is_some_and(value_is_set)
            }
            _ => false,
        }
    }

    fn values(&self, node: Node<'_>) -> Vec<Node<'p>> {
        self.names.bindings(node).iter().filter_map(|binding| binding.value).collect()
    }

    /// What a call of a function of the program may give, unless its type says that it is no set.
    fn returned(&self, call: Node<'_>) -> Vec<Node<'p>> {
        let Some(function) = call.child_by_field_name("function") else { return Vec::new() };
        let functions = self.names.functions(self.names.last_name(function)).iter();
        functions.flat_map(|function| self.names.returned(*function)).copied().collect()
    }
}

fn is_slice(subscript: Node<'_>) -> bool {
    subscript.child_by_field_name("subscript").is_some_and(|it| it.kind() == "slice")
}

/// Whether this call writes to the standard output.
pub(super) fn is_print(called: Option<&str>) -> bool {
    matches!(called, Some("print" | "sys.stdout.write" | "sys.stdout.writelines" | "pprint.pprint" | "pprint.pp"))
}

/// Whether an annotation is the type of a set, or may be.
fn names_a_set(annotation: &str) -> bool {
    let bare = annotation.trim().trim_matches(['"', '\'']);
    let bare = bare.strip_prefix("Optional[").and_then(|it| it.strip_suffix(']')).unwrap_or(bare);
    parts(bare, '|').into_iter().any(|part| {
        let name = part.split('[').next().unwrap_or_default().trim();
        TYPES.contains(&name.rsplit('.').next().unwrap_or_default())
    })
}

/// Whether an annotation is that of a container whose values are sets: `dict[str, set[str]]`.
fn inner_type(annotation: &str) -> bool {
    let inner = annotation.trim().trim_matches(['"', '\'']).split_once('[').and_then(|(_, it)| it.strip_suffix(']'));
    inner.is_some_and(|inner| parts(inner, ',').last().is_some_and(|last| names_a_set(last)))
}

/// The parts of a type, between separators that stand in no bracket.
fn parts(text: &str, separator: char) -> Vec<&str> {
    let mut depth = 0_usize;
    let outside = |c: char| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == separator && depth == 0
    };
    text.split(outside).collect()
}
