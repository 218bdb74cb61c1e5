//! Finds names in the buggy program that only the repair uses, which tell learners where to look.

use std::collections::HashMap;

use crate::author::bindings::{self, Binding, Name};
use crate::author::python::Reader;
use crate::content::diagnostic::{Severity, codes};
use crate::content::locate::Step;
use crate::content::problems::Problems;
use crate::content::question::{LineNo, Question};

/// Reports the names that the buggy program of `question` binds without reading them, and the repaired or the fixed one reads.
pub(super) fn check(problems: &Problems, question: &Question, reader: &mut Reader) {
    let repaired = question.repaired();
    let programs = [&*question.spot.code, &repaired, &question.fixed.code].map(|code| reader.read(code));
    let [Some(buggy), Some(repaired), Some(fixed)] = programs else { return };
    let [buggy, repaired, fixed] = [&buggy, &repaired, &fixed].map(bindings::of);
    for (line, name) in unread(&buggy) {
        let is_read = |names: &HashMap<Name<'_>, Binding>| names.get(&name).is_some_and(|it| it.is_read);
        let user = match () {
            () if is_read(&repaired) => "only the repair does",
            () if is_read(&fixed) => "only the fixed one does",
            () => continue,
        };
        let span = problems.narrow(problems.line(&[Step::Key("spot"), Step::Key("code")], line), name.text);
        let message = format!("the buggy program never uses the {} `{}`; {user}", name.kind.word(), name.text);
        let help = "learners look for unused names first: use it in the buggy program too, or let the repair bring it";
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
