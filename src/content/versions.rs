//! Ranges of Python versions, as `python` in a question gives them: comparisons with commas between, all of which hold.
//!
//! Follows PEP 440 for numbers without letters: missing numbers are 0, `~=3.12` means `>=3.12` and `3.*`.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::content::diagnostic::{Diagnostic, Severity, SourceFile, codes};
use crate::content::locate::Step;
use crate::content::problems::Problems;
use crate::content::question::Question;
use crate::text::listed;

const OPERATORS: [&str; 7] = [">=", "<=", "==", "!=", "~=", ">", "<"];

/// [`is_range`] as a pattern for the schema; except for `~= 3`, which that refuses.
pub(super) const RANGE: &str = r"^\s*(>=|<=|==|!=|~=|>|<)\s*[0-9]{1,4}(\.[0-9]{1,4}){0,2}\s*(,\s*(>=|<=|==|!=|~=|>|<)\s*[0-9]{1,4}(\.[0-9]{1,4}){0,2}\s*)*$";

/// [`is_version`] with three numbers, for one version or several; and with two.
pub(super) const PYTHON: &str = r"^[0-9]{1,9}(\.[0-9]{1,9}){2,}((rc|a|b)[0-9]{1,9})?(\.(dev|post)[0-9]{1,9})?(\+[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?(, [0-9]{1,9}(\.[0-9]{1,9}){2,}((rc|a|b)[0-9]{1,9})?(\.(dev|post)[0-9]{1,9})?(\+[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?)*$";
pub(super) const TOOL: &str =
    r"^[0-9]{1,9}(\.[0-9]{1,9})+((rc|a|b)[0-9]{1,9})?(\.(dev|post)[0-9]{1,9})?(\+[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?$";

/// True if `range` is a version range.
pub fn is_range(range: &str) -> bool {
    range.split(',').all(|part| comparison(part).is_some())
}

/// True if `text` is a version with at least this many numbers, such as "3.14.0rc1" or "1.18.0+dev.3f2a".
pub fn is_version(text: &str, numbers: usize) -> bool {
    let is_number = |part: &str| matches!(part.len(), 1..=9) && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_local = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let (public, local) = text.split_once('+').map_or((text, None), |(public, local)| (public, Some(local)));
    let mut parts: Vec<&str> = public.split('.').collect();
    parts.pop_if(|last| ["dev", "post"].iter().any(|word| last.strip_prefix(word).is_some_and(is_number)));
    let (last, before) = match parts.split_last() {
        Some((last, before)) => (*last, before),
        None => return false,
    };
    let early = ["rc", "a", "b"].iter().find_map(|word| last.split_once(word));
    parts.len() >= numbers
        && before.iter().all(|part| is_number(part))
        && early.map_or_else(|| is_number(last), |(number, early)| is_number(number) && is_number(early))
        && local.is_none_or(|local| local.split('.').all(is_local))
}

/// True if `version`, such as "3.13.0" or "3.14.0rc1", is in `range`. Invalid comparisons are ignored.
pub fn allows(range: &str, version: &str) -> bool {
    let mut numbers = [0; 3];
    for (number, text) in numbers.iter_mut().zip(version.split('.')) {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        *number = digits.parse().unwrap_or(0);
    }
    holds(range.split(',').filter_map(comparison), numbers)
}

fn holds(comparisons: impl IntoIterator<Item = Comparison>, version: [u32; 3]) -> bool {
    comparisons.into_iter().all(|(operator, wanted, given)| {
        let order = version.cmp(&wanted);
        match operator {
            ">=" => order != Ordering::Less,
            "<=" => order != Ordering::Greater,
            ">" => order == Ordering::Greater,
            "<" => order == Ordering::Less,
            "!=" => order != Ordering::Equal,
            "~=" => order != Ordering::Less && version.iter().zip(&wanted).take(given - 1).all(|(a, b)| a == b),
            _ => order == Ordering::Equal,
        }
    })
}

/// The oldest version of Python 3 that `range` allows: its minor number.
pub fn oldest_minor(range: &str) -> Option<u32> {
    let comparisons: Vec<_> = range.split(',').filter_map(comparison).collect();
    (0..100).find(|minor| (0..50).any(|patch| holds(comparisons.iter().copied(), [3, *minor, patch])))
}

/// Reports that `question`, read from `file`, needs another CPython than those that were found.
pub fn out_of_range(question: &Question, file: &Arc<SourceFile>, found: &[&str]) -> Diagnostic {
    let span = Problems::new(file.clone()).place(&[Step::Key("python")]);
    let found = if found.is_empty() { "none".to_owned() } else { listed(found, "and") };
    let message = format!("not proved on CPython: the question needs `{}`; found {found}", question.python);
    let help = "name a CPython in that range with `--python PATH`, or widen the range".to_owned();
    Diagnostic::new(Severity::Error, codes::PYTHON_RANGE, file, span, message, help)
}

/// Its operator, the version, and how many numbers that was given with.
type Comparison = (&'static str, [u32; 3], usize);

/// One comparison.
fn comparison(text: &str) -> Option<Comparison> {
    let text = text.trim();
    let operator = OPERATORS.into_iter().find(|operator| text.starts_with(operator))?;
    let mut numbers = [0; 3];
    let mut given = 0;
    for part in text.strip_prefix(operator)?.trim().split('.') {
        let digits = !part.is_empty() && part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
        *numbers.get_mut(given).filter(|_| digits)? = part.parse().ok()?;
        given += 1;
    }
    // "~= 3" would allow every version there is, which PEP 440 refuses.
    (operator != "~=" || given > 1).then_some((operator, numbers, given))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_and_compared_number_by_number() {
        for (range, inside, outside) in [
            (">=3.13", &["3.13.0", "3.14.0rc1", "4.0.0"][..], &["3.9.18", "3.12.9"][..]),
            (">=3.11,<3.14", &["3.11.0", "3.13.9"], &["3.10.0", "3.14.0"]),
            ("~=3.12", &["3.12.0", "3.20.1"], &["3.11.9", "4.0.0"]),
            ("~=3.12.4", &["3.12.4", "3.12.9"], &["3.12.3", "3.13.0"]),
            ("== 3.13.1", &["3.13.1"], &["3.13.2"]),
            ("!=3.13.1", &["3.13.2"], &["3.13.1"]),
            (">3.10, <=3.12.1", &["3.10.1", "3.12.1"], &["3.10.0", "3.12.2"]),
        ] {
            assert!(is_range(range), "{range}");
            assert!(inside.iter().all(|version| allows(range, version)), "{range}");
            assert!(outside.iter().all(|version| !allows(range, version)), "{range}");
        }
        for wrong in ["", "3.13", ">=", ">=3.x", ">=3.1.2.3", ">=3.13,", "~=3", "=>3.1", ">=3.99999"] {
            assert!(!is_range(wrong), "{wrong}");
        }
        for version in ["3.13.0", "3.14.0rc1", "3.15.0a7", "3.10.13"] {
            assert!(is_version(version, 3), "{version}");
        }
        for version in ["1.18", "2.4.1", "1.18.0+dev.3f2a", "1.0.dev3", "1.0.post1"] {
            assert!(is_version(version, 2), "{version}");
        }
        for wrong in [
            "",
            "3",
            "3.13",
            "3.13.",
            ".3.13",
            "3..13",
            "three",
            "3.13.x",
            "3.13.0 ",
            "v3.13.0",
            ">=3.13.0",
            "3.13.0rc",
            "3.13.0c1",
            "3.13.0+",
            "3.13.0-1",
            "3.13.1234567890",
        ] {
            assert!(!is_version(wrong, 3), "{wrong}");
        }
        assert_eq!(oldest_minor(">=3.13"), Some(13));
        assert_eq!(oldest_minor(">3.10,!=3.11"), Some(10), "3.10.1 is newer than 3.10");
        for nowhere in ["<3", ">=9", ">=3.12,<3.12", "==3.13.1,!=3.13.1", "<3.12,>3.12", "~=4.1"] {
            assert_eq!(oldest_minor(nowhere), None, "{nowhere}");
        }
    }
}
