//! Reads a roster: the learners of a class, one a line.
//!
//! Blank lines, and lines that begin with `#`, are ignored. A name is that of a file of answers, without its ending.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::content::diagnostic::{Diagnostic, SourceFile, codes};
use crate::content::problems::Problems;
use crate::script::answers::ENDINGS;
use crate::text::brief;

/// The learners of a class, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roster {
    /// The line of each, from 1.
    lines: BTreeMap<String, usize>,
}

impl Roster {
    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.lines.keys().map(String::as_str)
    }

    /// True if `name` is on the roster.
    pub fn has(&self, name: &str) -> bool {
        self.lines.contains_key(name)
    }
}

/// Reads the roster in `file`.
///
/// # Errors
///
/// Every problem of the file, in its order.
pub fn parse(file: &Arc<SourceFile>) -> Result<Roster, Vec<Diagnostic>> {
    let problems = Problems::new(file.clone());
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    let mut at = 0;
    for (index, raw) in file.text.split_inclusive('\n').enumerate() {
        let name = raw.trim();
        let start = at + (raw.len() - raw.trim_start().len());
        let span = start..start + name.len();
        at += raw.len();
        if name.is_empty() || name.starts_with('#') {
            continue;
        }
        let shown = brief(name);
        if let Some(bad) = name.chars().find(|c| c.is_control()) {
            let message = format!("this name has the control character U+{:04X}", u32::from(bad));
            problems.error(
                codes::CONTROL_CHARACTER,
                span,
                message,
                "",
                "write one name on each line, and nothing else",
            );
        } else if name.contains('/') {
            let message = format!("`{shown}` cannot be the name of a file");
            let help = "write the name of the learner's file, without its folder and its ending";
            problems.error(codes::BAD_VALUE, span, message, "", help);
        } else if let Some(stem) = without_ending(name) {
            let message = format!("`{shown}` has the ending of a file");
            problems.error(codes::BAD_VALUE, span, message, "", format!("write `{}`", brief(stem)));
        } else if let Some(first) = lines.get(name) {
            let message = format!("`{shown}` is already on line {first}");
            problems.error(codes::DUPLICATE_LEARNER, span, message, "", "keep one of them");
        } else {
            lines.insert(name.to_owned(), index + 1);
        }
    }
    if lines.is_empty() && problems.count() == 0 {
        let end = file.text.len();
        problems.error(codes::EMPTY, end..end, "the roster has no names", "", "write one learner on each line");
    }
    let problems = problems.finish();
    if problems.is_empty() { Ok(Roster { lines }) } else { Err(problems) }
}

/// `name` without the ending of a file of answers, where it has one.
fn without_ending(name: &str) -> Option<&str> {
    let (stem, ending) = name.rsplit_once('.')?;
    ENDINGS.contains(&ending.to_lowercase().as_str()).then_some(stem).filter(|stem| !stem.is_empty())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::content::read;

    fn parsed(text: &str) -> Result<Vec<String>, Vec<String>> {
        match parse(&read::source(Path::new("roster.txt"), text)) {
            Ok(roster) => Ok(roster.names().map(str::to_owned).collect()),
            Err(problems) => Err(problems
                .iter()
                .map(|problem| {
                    let (line, column) = problem.position();
                    format!("{}, {line}:{column}: {}; {}", problem.code.0, problem.message, problem.help)
                })
                .collect()),
        }
    }

    #[test]
    fn names_are_read_one_a_line() {
        let text = "\u{feff}# the class of 2026\r\n\r\nbob\r\n  ada lovelace \n\t# gone: eve\nzoë";
        assert_eq!(parsed(text), Ok(["ada lovelace", "bob", "zoë"].map(str::to_owned).to_vec()));
    }

    #[test]
    fn every_mistake_has_its_place_and_its_remedy() {
        let listed = parsed("ada\n bob.toml\nclass/eve\nada\ncid\tCid\n").unwrap_err();
        assert_eq!(
            listed,
            [
                "bad_value, 2:2: `bob.toml` has the ending of a file; write `bob`",
                "bad_value, 3:1: `class/eve` cannot be the name of a file; write the name of the learner's file, without \
                 its folder and its ending",
                "duplicate_learner, 4:1: `ada` is already on line 1; keep one of them",
                "control_character, 5:1: this name has the control character U+0009; write one name on each line, and \
                 nothing else",
            ]
        );
        for text in ["", "# nobody\n\n"] {
            let listed = parsed(text).unwrap_err();
            assert!(listed.len() == 1 && listed[0].contains("the roster has no names; write one"), "{listed:?}");
        }
    }
}
