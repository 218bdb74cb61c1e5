//! What an entry of a repair really changes.
//!
//! Owns the difference between an entry that is there and one that does something: a text that is the same but for blanks
//! and comments repairs nothing.

use crate::content::python::Reader;
use crate::content::question::{Question, Repair, lines};

/// Whether `repair` changes what its line means in the program of `question`.
pub(super) fn changes(question: &Question, repair: &Repair) -> bool {
    plainly_changes(question, repair) || is_another(question, |it| it.line == repair.line)
}

/// Whether the repair of `question` changes something on an accepted line.
pub(super) fn changes_an_answer(question: &Question) -> bool {
    let mut entries = question.spot.repairs.iter().filter(|repair| question.accepts(repair.line)).peekable();
    // All at once: a question may have hundreds, and the program is read anew each time.
    entries.peek().is_some()
        && (entries.any(|repair| plainly_changes(question, repair))
            || is_another(question, |repair| question.accepts(repair.line)))
}

/// Whether that can be told without the parser. Questions are read before the first screen, so that it is asked only where it
/// could say no.
fn plainly_changes(question: &Question, repair: &Repair) -> bool {
    let Some(line) = lines(&question.spot.code).get(repair.line.index()).copied() else { return true };
    let with = repair.with.as_str();
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    bare(line) != bare(with) && !line.contains('#') && !with.contains('#')
}

/// Whether the program with these entries of the repair is another.
fn is_another(question: &Question, wanted: impl Fn(&Repair) -> bool) -> bool {
    let same = || {
        let mut reader = Reader::new()?;
        let changed = question.repaired_with(wanted);
        Some(reader.read(&question.spot.code)?.is_as(&reader.read(&changed)?))
    };
    !same().unwrap_or(false)
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
            assert_eq!(changes_an_answer(&question), changed, "{with}");
        }
    }
}
