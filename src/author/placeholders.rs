//! Finds texts that an author has not replaced yet: those of a new question, and marks such as `TODO`.

use crate::author::python::Reader;
use crate::author::{template, texts};
use crate::content::diagnostic::{Severity, codes};
use crate::content::locate::Step;
use crate::content::problems::Problems;
use crate::content::question::Question;
use crate::text::counted;

/// Fewest words of a text that is recognised as the template's. "toy" may be anyone's.
const FEWEST_WORDS: usize = 4;

/// Words that stand for a text to come.
const MARKS: [&str; 3] = ["TODO", "FIXME", "TBD"];

/// Reports placeholders in `question`.
pub(super) fn check(problems: &Problems, question: &Question, reader: &mut Reader) {
    of_template(problems, question);
    for text in texts::of(question).iter().filter(|text| text.prose) {
        if let Some(mark) = mark(text.words) {
            report(problems, problems.word(&text.path, mark), mark);
        }
    }
    if let Some(review) = question.review.as_ref().filter(|review| review.by.trim() == "your name") {
        report(problems, problems.place(&[Step::Key("review"), Step::Key("by")]), review.by.trim());
    }
    let programs = [("spot", &question.spot.code), ("fixed", &question.fixed.code)];
    let programs = programs.map(|(table, code)| (vec![Step::Key(table), Step::Key("code")], code));
    let check = |(at, code)| (vec![Step::Key("check"), Step::At(at), Step::Key("code")], code);
    let checks = question.checks.iter().map(|it| &it.code).enumerate().map(check);
    for (path, code) in programs.into_iter().chain(checks) {
        let Some(program) = reader.read(code) else { continue };
        for comment in program.comments() {
            if let Some(mark) = mark(comment.text) {
                report(problems, problems.narrow(problems.line(&path, comment.line), mark), mark);
            }
        }
    }
}

fn report(problems: &Problems, span: std::ops::Range<usize>, written: &str) {
    let message = format!("`{written}` is a placeholder");
    problems.push(Severity::Warning, codes::PLACEHOLDER, span, message, "write the text, or remove it".to_owned());
}

/// Reports the texts of the template beside a program that is the author's own.
fn of_template(problems: &Problems, question: &Question) {
    if template::has(&question.spot.code) {
        return;
    }
    let texts = texts::of(question);
    let is_theirs = |words: &str| words.split_whitespace().count() >= FEWEST_WORDS && template::has(words);
    let mut left = texts.iter().filter(|text| is_theirs(text.words));
    let Some(first) = left.next() else { return };
    let message = match left.count() {
        0 => "this text is still that of the template".to_owned(),
        more => format!("this text and {} below are still those of the template", counted(more, "other text")),
    };
    let help = "the program is your own: write texts for it, or remove them";
    problems.push(Severity::Warning, codes::PLACEHOLDER, problems.place(&first.path), message, help.to_owned());
}

/// The placeholder in a text.
fn mark(text: &str) -> Option<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut words = text.split(|c: char| !is_word(c));
    let lorem = || text.get(..11).filter(|start| start.eq_ignore_ascii_case("lorem ipsum"));
    let dots = || Some(text.trim()).filter(|text| matches!(*text, "..." | "\u{2026}"));
    words.find(|word| MARKS.contains(word)).or_else(lorem).or_else(dots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_a_text_to_come() {
        for (text, found) in [
            ("TODO: say why", Some("TODO")),
            ("It fails (FIXME).", Some("FIXME")),
            ("TBD", Some("TBD")),
            ("Lorem ipsum dolor", Some("Lorem ipsum")),
            (" ... ", Some("...")),
            ("\u{2026}", Some("\u{2026}")),
            ("A todo list, a TO-DO list", None),
            ("`TODO_LIST` has two jobs", None),
            ("It waits... and goes on", None),
            ("", None),
            ("\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}", None),
        ] {
            assert_eq!(mark(text), found, "{text}");
        }
    }
}
