//! Recognises conditions that always hold, whatever the program does.

use std::collections::HashSet;

use tree_sitter::Node;

use crate::author::python::Program;

pub(super) const TUPLE: &str = "a non-empty tuple is always true";
pub(super) const FUNCTION: &str = "a function is always true";

/// Recognises conditions that always hold.
pub(super) struct Always<'c, 'a> {
    /// Functions and classes.
    pub(super) functions: HashSet<&'a str>,
    pub(super) code: &'c Program<'a>,
}

impl Always<'_, '_> {
    /// The reason why a condition always holds.
    pub(super) fn reason(&self, condition: Node<'_>) -> Option<&'static str> {
        self.holds(condition, DEEPEST)
    }

    /// The reason, looking into `depth` parts of parts.
    fn holds(&self, condition: Node<'_>, depth: usize) -> Option<&'static str> {
        let depth = depth.checked_sub(1)?;
        let text = |node| self.code.text(node);
        let sides = || Some((condition.child_by_field_name("left")?, condition.child_by_field_name("right")?));
        match condition.kind() {
            "parenthesized_expression" => self.holds(condition.named_child(0)?, depth),
            "tuple" => (condition.named_child_count() > 0).then_some(TUPLE),
            "true" => Some("`True` is always true"),
            "integer" | "float" => text(condition).parse::<f64>().is_ok_and(|it| it != 0.0).then_some(NUMBER),
            "string" => {
                let mut cursor = condition.walk();
                let has_text = condition.named_children(&mut cursor).any(|it| it.kind() == "string_content");
                has_text.then_some("a non-empty string is always true")
            }
            "lambda" | "generator_expression" => Some("it is an object, which is always true"),
            "identifier" => self.functions.contains(text(condition)).then_some(FUNCTION),
            "boolean_operator" => {
                let (left, right) = sides()?;
                if text(condition.child_by_field_name("operator")?) == "and" {
                    return self.holds(left, depth).and(self.holds(right, depth));
                }
                let is_negated = |it: Node<'_>, other: Node<'_>| {
                    let argument = it.child_by_field_name("argument");
                    argument.is_some_and(|it| self.code.same(it, other))
                };
                let both = is_negated(left, right) || is_negated(right, left);
                self.holds(left, depth)
                    .or(self.holds(right, depth))
                    .or(both.then_some("one of the two sides is always true"))
            }
            "comparison_operator" => self.compares_with_itself(condition),
            _ => None,
        }
    }

    fn compares_with_itself(&self, node: Node<'_>) -> Option<&'static str> {
        let (2, left, right) = (node.named_child_count(), node.named_child(0)?, node.named_child(1)?) else {
            return None;
        };
        let between = left.end_byte() - node.start_byte()..right.start_byte() - node.start_byte();
        let sign = self.code.text(node).get(between)?.trim();
        let is_len = self.code.text(left).starts_with("len(");
        match sign {
            "==" | "is" | "<=" | ">=" if self.code.same(left, right) => Some("it compares a value with itself"),
            ">=" if is_len && self.code.text(right) == "0" => Some("a length is never negative"),
            "in" if matches!(right.kind(), "tuple" | "list" | "set") => {
                let mut cursor = right.walk();
                let holds_it = right.named_children(&mut cursor).any(|it| self.code.same(left, it));
                holds_it.then_some("the value is in its own list")
            }
            _ => None,
        }
    }
}

/// Maximum depth at which a condition is searched.
const DEEPEST: usize = 20;

pub(super) const NUMBER: &str = "a number other than 0 is always true";
