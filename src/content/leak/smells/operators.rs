//! Operators that the repair changes, where a text names one.
//!
//! A formula, such as "total >= 0", may be what a check asks; an operator by itself, as in "compares with >=", is the repair.

use std::collections::BTreeSet;

const OPERATORS: [&str; 13] = ["<", ">", "<=", ">=", "==", "!=", "//", "**", ":=", "+=", "-=", "*=", "<<"];

/// Words behind an operator that show that nothing is compared.
const BEHIND: &str = "\
    and or not but instead rather where when than is was should must may can in for as at here operator sign";

/// The operators that stand in one of two pieces of code only.
pub(in crate::content::leak) fn changed(before: &str, after: &str) -> Vec<&'static str> {
    let (before, after) = (in_code(before), in_code(after));
    before.symmetric_difference(&after).copied().collect()
}

/// The operator among `changed` that `text` names by itself.
pub(in crate::content::leak) fn named<'t>(text: &'t str, changed: &[&str]) -> Option<&'t str> {
    runs(text).into_iter().filter(|run| changed.contains(&run.text)).find(|run| is_named(text, run)).map(|run| run.text)
}

struct Run<'t> {
    at: usize,
    text: &'t str,
}

/// The runs of signs that operators are made of.
fn runs(text: &str) -> Vec<Run<'_>> {
    let is_sign = |c: char| "<>=!+-*/:%&|^~".contains(c);
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find(is_sign)).map(|start| at + start) {
        let rest = text.get(start..).unwrap_or_default();
        let length = rest.find(|c| !is_sign(c)).unwrap_or(rest.len());
        all.push(Run { at: start, text: rest.get(..length).unwrap_or_default() });
        at = start + length;
    }
    all
}

fn in_code(code: &str) -> BTreeSet<&'static str> {
    let mut quote = None;
    let bare: String = code
        .chars()
        .map(|c| match quote {
            Some(open) => {
                quote = Some(open).filter(|_| c != open);
                ' '
            }
            None => {
                quote = Some(c).filter(|c| "'\"".contains(*c));
                c
            }
        })
        .collect();
    runs(&bare).into_iter().filter_map(|run| OPERATORS.into_iter().find(|it| *it == run.text)).collect()
}

/// Whether an operator stands by itself, and not between what it compares.
fn is_named(text: &str, run: &Run<'_>) -> bool {
    let before = text.get(..run.at).and_then(|before| before.chars().next_back());
    let rest = text.get(run.at + run.text.len()..).unwrap_or_default();
    let behind = rest.chars().next();
    let is_set = |c: Option<char>| c.is_some_and(|c| "`'\"\u{2018}\u{2019}\u{201c}\u{201d}".contains(c));
    if is_set(before) && is_set(behind) {
        return true;
    }
    let apart = before.is_none_or(|c| c.is_whitespace() || c == '(');
    let ends = behind.is_none_or(|c| c.is_whitespace() || ".,;:!?)".contains(c));
    let word: String = rest.trim_start().chars().take_while(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    apart && ends && (word.is_empty() || super::is_one_of(BEHIND, &word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_of_one_piece_only_are_changed() {
        for (before, after, wanted) in [
            ("if len(jobs) > room:", "if len(jobs) >= room:", &[">", ">="][..]),
            ("a = b", "a == b", &["=="]),
            ("n / 2 > 3", "n // 2 > 3", &["//"]),
            ("x = 1", "x += 1", &["+="]),
            ("return a < b", "return a < c", &[]),
            ("print('a > b')", "print('a')", &[]),
            ("def f() -> int:", "", &[]),
        ] {
            assert_eq!(changed(before, after), wanted, "{before}");
        }
    }

    #[test]
    fn an_operator_by_itself_is_named_and_a_formula_names_none() {
        let changed = [">", ">="];
        for (text, operator) in [
            ("add compares with >= and not >", ">="),
            ("uses >= instead of >", ">="),
            ("compares with >=", ">="),
            ("does not use >.", ">"),
            ("Which line uses `>` where `>=` is right?", ">"),
            ("it should be '>='", ">="),
            ("the (>=) operator", ">="),
        ] {
            assert_eq!(named(text, &changed), Some(operator), "{text}");
        }
        for text in [
            "total >= 0",
            "the balance is >= 0",
            "`total >= 0` at all times",
            "a > b",
            "left -> right",
            "queue => worker",
            "uses == instead",
            "uses <=",
            "Python >=3.10",
            "",
        ] {
            assert_eq!(named(text, &changed), None, "{text}");
        }
        assert_eq!(named(&"> a ".repeat(50_000), &changed), None);
        assert_eq!(named(&">".repeat(50_000), &changed), None);
    }
}
