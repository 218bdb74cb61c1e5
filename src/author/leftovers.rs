//! Finds names in the buggy program that only the repair uses, which tell learners where to look, and unused imports.

use std::collections::HashMap;

use crate::author::bindings::{self, Binding, Kind, Name};
use crate::author::python::Reader;
use crate::content::diagnostic::{Severity, codes};
use crate::content::locate::Step;
use crate::content::problems::Problems;
use crate::content::question::{LineNo, Question};

/// Reports the names that the buggy program of `question` binds without reading them, and the repaired or the fixed one reads. An
/// import that no program reads is reported too.
pub(super) fn check(problems: &Problems, question: &Question, reader: &mut Reader) {
    let repaired = question.repaired();
    let programs = [&*question.spot.code, &repaired, &question.fixed.code].map(|code| reader.read(code));
    let [Some(buggy), Some(repaired), Some(fixed)] = programs else { return };
    let [buggy, repaired, fixed] = [&buggy, &repaired, &fixed].map(bindings::of);
    for (line, name) in unread(&buggy) {
        let is_read = |names: &HashMap<Name<'_>, Binding>| names.get(&name).is_some_and(|it| it.is_read);
        let user = match () {
            () if is_read(&repaired) => "; only the repair does",
            () if is_read(&fixed) => "; only the fixed one does",
            () if name.kind == Kind::Import => "",
            () => continue,
        };
        let span = problems.narrow(problems.line(&[Step::Key("spot"), Step::Key("code")], line), name.text);
        let message = format!("the buggy program never uses the {} `{}`{user}", name.kind.word(), name.text);
        let help = "learners look for unused names first: use it in the buggy program too, or remove it";
        problems.push(Severity::Warning, codes::LEFTOVER, span, message, help.to_owned());
    }
}

/// The names that a program binds and does not read, in its order.
fn unread<'a>(names: &HashMap<Name<'a>, Binding>) -> Vec<(LineNo, Name<'a>)> {
    let unread = names.iter().filter(|(_, binding)| !binding.is_read);
    let mut unread: Vec<_> = unread.map(|(name, binding)| (binding.line, *name)).collect();
    unread.sort_by_key(|(line, name)| (*line, name.text));
    unread
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::content::{parse, read};

    /// The messages on a question with these programs.
    fn found(buggy: &str, fixed: &str, repair: (u32, &str)) -> Vec<String> {
        let file = read::source(Path::new("small.toml"), include_str!("../../tests/fixtures/small.toml"));
        let mut question = parse::question(&file).0.unwrap();
        (question.spot.code, question.fixed.code) = (buggy.to_owned(), fixed.to_owned());
        question.spot.repairs[0].line = LineNo::new(repair.0).unwrap();
        repair.1.clone_into(&mut question.spot.repairs[0].with);
        let problems = Problems::new(file);
        check(&problems, &question, &mut Reader::new().unwrap());
        let start = "the buggy program never uses the ";
        problems.finish().into_iter().map(|it| it.message.strip_prefix(start).unwrap().to_owned()).collect()
    }

    #[test]
    fn names_that_only_a_correct_program_uses() {
        let buggy = "import zlib\n\n\ndef fill(key, lease):\n    store[key] = 1\n";
        let with_lease = "    if lease:\n        store[key] = 1\n";
        let lease = "parameter `lease`; only the repair does";
        assert_eq!(found(buggy, buggy, (5, with_lease)), ["import `zlib`", lease]);
        let fixed = "import zlib\n\n\ndef fill(key, lease):\n    store[zlib.crc32(key)] = lease\n";
        assert_eq!(found(buggy, fixed, (5, with_lease)), ["import `zlib`; only the fixed one does", lease]);
        let used = "import zlib\n\n\ndef fill(key, lease):\n    store[zlib.crc32(key)] = lease\n";
        assert_eq!(found(used, fixed, (5, with_lease)), <[String; 0]>::default());
        // No program reads it, or the repair brings it.
        let unused = "def fill(key, lease):\n    spare = 1\n    store[key] = 1\n";
        let brings = "    key, lease = read(key)\n    store[key] = 1\n";
        assert_eq!(found(unused, unused, (3, brings)), <[String; 0]>::default());
        assert_eq!(found("from __future__ import annotations\n", "", (1, "")), <[String; 0]>::default());
    }
}
