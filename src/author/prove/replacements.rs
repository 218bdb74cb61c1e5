//! Edits within a line: another comparison, `and` for `or`, a number more or less, a word left out, another name.

use std::collections::BTreeSet;
use std::ops::Range;

use tree_sitter::Node;

use super::edits::{Edit, named};
use crate::author::python::Program;

const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];
const OPPOSITES: [(&str, &str); 4] = [("in", "not in"), ("not in", "in"), ("is", "is not"), ("is not", "is")];

/// Every edit of `code` within a line; those of names come last.
pub(super) fn replacements(program: &Program<'_>, code: &str) -> Vec<Edit> {
    let mut all = Vec::new();
    let mut of_names = Vec::new();
    let names = Names::of(program);
    for node in program.nodes().into_iter().filter(|it| !is_type(*it)) {
        let row = node.start_position().row;
        let mut replace = |range: Range<usize>, with: &str| all.extend(edit(code, row, range, with));
        let text = program.text(node);
        match node.kind() {
            "integer" => {
                for with in numbers(text).into_iter().flatten() {
                    replace(node.byte_range(), &with);
                }
            }
            "float" => {
                if let Ok(number) = text.replace('_', "").parse::<f64>() {
                    replace(node.byte_range(), &(number + 1.0).to_string());
                    replace(node.byte_range(), &(number - 1.0).to_string());
                }
            }
            "not_operator" => {
                if let Some(argument) = node.child_by_field_name("argument") {
                    replace(node.start_byte()..argument.start_byte(), "");
                }
            }
            "await" => {
                if let Some(awaited) = node.named_child(0) {
                    replace(node.start_byte()..awaited.start_byte(), "");
                }
            }
            "and" => replace(node.byte_range(), "or"),
            "or" => replace(node.byte_range(), "and"),
            kind if node.parent().is_some_and(|it| it.kind() == "comparison_operator") && !node.is_named() => {
                for with in COMPARISONS.iter().filter(|it| COMPARISONS.contains(&kind) && **it != kind) {
                    replace(node.byte_range(), with);
                }
                for (_, with) in OPPOSITES.iter().filter(|(it, _)| *it == kind) {
                    replace(node.byte_range(), with);
                }
            }
            "identifier" => {
                for with in names.others(program, node) {
                    of_names.extend(edit(code, row, node.byte_range(), with));
                }
            }
            _ => {}
        }
    }
    all.append(&mut of_names);
    all
}

/// The edit that replaces these bytes of line `row`.
fn edit(code: &str, row: usize, range: Range<usize>, with: &str) -> Option<Edit> {
    let source = [code.get(..range.start)?, with, code.get(range.end..)?].concat();
    let line = source.split('\n').nth(row)?.trim();
    let how = format!("with {} changed to `{line}`", named(&(row..=row)));
    Some(Edit { rows: row..=row, how, source })
}

/// One less and one more than an integer, written alike.
fn numbers(text: &str) -> [Option<String>; 2] {
    let text = text.replace('_', "").to_ascii_lowercase();
    let number = match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    let written =
        |number: i64| if text.starts_with("0x") && number >= 0 { format!("{number:#x}") } else { number.to_string() };
    [-1, 1].map(|by| number.as_ref().ok()?.checked_add(by).map(written))
}

/// True within a type, which nothing but mypy reads.
fn is_type(node: Node<'_>) -> bool {
    std::iter::successors(Some(node), Node::parent).any(|it| it.kind() == "type")
}

/// The names that a program gives, by kind: those of one kind can stand for each other.
#[derive(Default)]
struct Names<'a> {
    /// For each function, by its place: its parameters and variables.
    local: Vec<(Range<usize>, BTreeSet<&'a str>)>,
    /// Variables, functions and classes of the module. A variable can stand for one of a function too.
    variables: BTreeSet<&'a str>,
    functions: BTreeSet<&'a str>,
    classes: BTreeSet<&'a str>,
    /// Attributes and methods of any class.
    fields: BTreeSet<&'a str>,
    methods: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    fn of(program: &Program<'a>) -> Self {
        let mut all = Self::default();
        for node in program.nodes() {
            let text = program.text(node);
            match node.kind() {
                "function_definition" => all.local.push((node.byte_range(), BTreeSet::new())),
                "attribute" if is_target(node) && program.text(node).starts_with("self.") => {
                    all.fields.extend(node.child_by_field_name("attribute").map(|it| program.text(it)));
                }
                "identifier" if is_field(node, "name") && !text.starts_with("__") => {
                    let definition = node.parent().filter(|it| it.kind().ends_with("_definition"));
                    let outside = definition.and_then(scope).map(|it| it.kind());
                    match (definition.map(|it| it.kind()), outside) {
                        (Some("class_definition"), None) => all.classes.insert(text),
                        (Some("function_definition"), None) => all.functions.insert(text),
                        (Some("function_definition"), Some("class_definition")) => all.methods.insert(text),
                        _ => false,
                    };
                }
                _ => {}
            }
            let gives = node.kind() == "identifier" && (is_target(node) || is_parameter(node));
            if !gives || matches!(text, "self" | "cls" | "_") {
                continue;
            }
            match scope(node) {
                None => all.variables.insert(text),
                Some(class) if class.kind() == "class_definition" => all.fields.insert(text),
                Some(function) => {
                    let names = all.local.iter_mut().find(|(range, _)| *range == function.byte_range());
                    names.is_some_and(|(_, names)| names.insert(text))
                }
            };
        }
        all
    }

    /// The other names of the kind of the one that `node` uses.
    fn others(&self, program: &Program<'a>, node: Node<'_>) -> Vec<&'a str> {
        let name = program.text(node);
        let of_a_value = node.parent().is_some_and(|it| it.kind() == "attribute") && is_field(node, "attribute");
        let kinds = if of_a_value {
            vec![vec![&self.fields], vec![&self.methods]]
        } else if is_target(node) || !is_use(node) {
            Vec::new()
        } else {
            let around = self.local.iter().filter(|(range, _)| range.contains(&node.start_byte()));
            let variables = around.map(|(_, names)| names).chain([&self.variables]).collect();
            vec![variables, vec![&self.functions], vec![&self.classes]]
        };
        let kind = kinds.into_iter().find(|it| it.iter().any(|names| names.contains(name)));
        let kind: BTreeSet<&str> = kind.into_iter().flatten().flatten().copied().collect();
        kind.into_iter().filter(|it| *it != name).collect()
    }
}

/// The innermost function or class around a part.
fn scope(node: Node<'_>) -> Option<Node<'_>> {
    let mut around = std::iter::successors(node.parent(), Node::parent);
    around.find(|it| matches!(it.kind(), "function_definition" | "class_definition"))
}

fn is_field(node: Node<'_>, field: &str) -> bool {
    node.parent().and_then(|it| it.child_by_field_name(field)) == Some(node)
}

/// True for a name or an attribute that gets a value.
fn is_target(node: Node<'_>) -> bool {
    let is_pattern = |it: &Node<'_>| matches!(it.kind(), "pattern_list" | "tuple_pattern" | "list_pattern");
    let whole = std::iter::successors(Some(node), |it| it.parent().filter(is_pattern)).last().unwrap_or(node);
    match whole.parent().map(|it| it.kind()) {
        Some("assignment" | "augmented_assignment" | "for_statement") => is_field(whole, "left"),
        Some("named_expression") => is_field(whole, "name"),
        Some("as_pattern_target") => true,
        _ => false,
    }
}

fn is_parameter(node: Node<'_>) -> bool {
    match node.parent().map(|it| it.kind()) {
        Some("parameters" | "typed_parameter") => true,
        Some("default_parameter" | "typed_default_parameter") => is_field(node, "name"),
        _ => false,
    }
}

/// True unless the name only belongs to a definition, an import, a variable of a comprehension or an argument of a call.
fn is_use(node: Node<'_>) -> bool {
    let names_something = |it: &Node<'_>| {
        let kind = it.kind();
        let is_variable = || kind == "for_in_clause" && is_within(*it, "left", node);
        kind.contains("import")
            || matches!(kind, "parameters" | "lambda_parameters" | "global_statement")
            || is_variable()
    };
    let mut around = std::iter::successors(node.parent(), Node::parent).take_while(|it| it.kind() != "block");
    !is_field(node, "name") && !around.any(|it| names_something(&it))
}

fn is_within(node: Node<'_>, field: &str, part: Node<'_>) -> bool {
    node.child_by_field_name(field).is_some_and(|it| it.byte_range().contains(&part.start_byte()))
}
