//! What an entry of a repair really changes.
//!
//! Owns the difference between an entry that is there and one that does something: a text that is the same but for blanks
//! and comments repairs nothing.

use crate::content::python::Reader;
use crate::content::question::{LineNo, Question, Repair, lines};

/// Whether `repair` changes what its line means in the program of `question`.
pub(super) fn changes(question: &Question, repair: &Repair) -> bool {
    let Some(line) = lines(&question.spot.code).get(repair.line.index()).copied() else { return true };
    let with = repair.with.as_str();
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    // Questions are read before the first screen, so that the parser is asked only where it could say no.
    if bare(line) != bare(with) && !line.contains('#') && !with.contains('#') {
        return true;
    }
    let changed = question.repaired_with(|it| it.line == repair.line);
    let same = || {
        let mut reader = Reader::new()?;
        Some(reader.read(&question.spot.code)?.is_as(&reader.read(&changed)?))
    };
    !same().unwrap_or(false)
}

/// Whether some entry of the repair changes the line.
pub(super) fn is_changed(question: &Question, line: LineNo) -> bool {
    question.spot.repairs.iter().any(|repair| repair.line == line && changes(question, repair))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::content::{parse, read};

    #[test]
    fn blanks_and_comments_are_no_change() {
        let text = include_str!("../../tests/fixtures/small.toml");
        let file = read::source(Path::new("small.toml"), text);
        let mut question = parse::question(&file).0.unwrap();
        for (with, changed) in [
            ("    for i in range(len(numbers)):\n", true),
            ("    for i in range(len(numbers) - 1):\n", false),
            ("    for  i in range( len(numbers)-1 ):", false),
            ("    for i in range(len(numbers) - 1):  # one less\n\n    # and so on\n", false),
            ("    size = 1\n    for i in range(len(numbers) - 1):\n", true),
            ("    # for i in range(len(numbers) - 1):\n", true),
            ("for i in range(len(numbers) - 1):\n", true),
            ("", true),
        ] {
            with.clone_into(&mut question.spot.repairs[0].with);
            assert_eq!(changes(&question, &question.spot.repairs[0]), changed, "{with}");
        }
    }
}
