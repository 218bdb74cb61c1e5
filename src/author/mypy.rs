//! Turns the output of `mypy --strict` into problems of a question. The caller runs mypy.

use std::sync::Arc;

use crate::author::python::Reader;
use crate::content::diagnostic::{Diagnostic, Severity, SourceFile, codes};
use crate::content::locate::Step;
use crate::content::problems::Problems;
use crate::content::question::LineNo;
use crate::quiz::describe;
use crate::quiz::state::Program;

/// One error of mypy in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The name of the program's file.
    pub file: String,
    /// The line in it.
    pub line: LineNo,
    /// The message.
    pub message: String,
    /// Notes that follow it.
    pub notes: Vec<String>,
}

/// Reads the output of mypy: `file.py:3:5: error: words  [code]`, and `note:` lines that belong to the error before them.
pub fn remarks(output: &str) -> Vec<Remark> {
    let mut all: Vec<Remark> = Vec::new();
    for text in output.lines() {
        let Some((file, rest)) = text.split_once(".py:") else { continue };
        let (numbers, error, note) = match (rest.split_once(": error: "), rest.split_once(": note: ")) {
            (Some((numbers, words)), _) => (numbers, Some(words), None),
            (None, Some((numbers, words))) => (numbers, None, Some(words)),
            (None, None) => continue,
        };
        let line = numbers.split(':').next().and_then(|line| line.parse().ok()).and_then(LineNo::new);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        if let (Some(error), Some(line)) = (error, line) {
            all.push(Remark { file: format!("{file}.py"), line, message: words(error), notes: Vec::new() });
        } else if let (Some(note), Some(last)) = (note, all.last_mut()) {
            last.notes.push(words(note));
        }
    }
    all
}

/// The comments of a program that turn mypy off, as remarks on `file`.
pub fn suppressions(file: &str, code: &str) -> Vec<Remark> {
    let Some(mut reader) = Reader::new() else { return Vec::new() };
    let comments = reader.read(code).map_or_else(Vec::new, |program| program.comments());
    let keeps = |text: &str| {
        let words: String = text.trim_start_matches('#').chars().filter(|c| !c.is_whitespace()).collect();
        words.starts_with("mypy:") || words.contains("type:ignore")
    };
    let remark = |line, text| Remark {
        file: file.to_owned(),
        line,
        message: format!("`{text}` turns mypy off"),
        notes: Vec::new(),
    };
    comments.iter().filter(|it| keeps(it.text)).map(|it| remark(it.line, it.text)).collect()
}

/// Turns a remark on a program of the question in `file` into a problem. `checker` is mypy with its version.
pub fn problem(file: &Arc<SourceFile>, program: Program, remark: &Remark, checker: &str) -> Diagnostic {
    let places = Problems::new(file.clone());
    let table = match program {
        Program::Buggy => "spot",
        Program::Fixed => "fixed",
    };
    let span = places.line(&[Step::Key(table), Step::Key("code")], remark.line);
    let message = format!("`mypy --strict` rejects the {} program: {}", describe::program(program), remark.message);
    let help = "add the annotation; if mypy reports the bug itself, choose another bug".to_owned();
    let mut notes = vec![format!("ran: {checker} --strict on the {} program", describe::program(program))];
    notes.extend(remark.notes.clone());
    Diagnostic { notes, ..Diagnostic::new(Severity::Error, codes::MYPY, file, span, message, help) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_cannot_turn_the_checker_off() {
        let code = "# mypy: ignore-errors\nx: int = 'a'  # type: ignore[assignment]\ny = '# mypy: no'  # a type\n";
        let lines: Vec<u32> = suppressions("q0_buggy.py", code).iter().map(|it| it.line.get()).collect();
        assert_eq!(lines, [1, 2]);
    }

    #[test]
    fn lines_of_mypy_become_remarks() {
        let output = "q0_buggy.py:3:5: error: Function is missing a return type annotation  [no-untyped-def]\n\
                      q0_buggy.py:3:5: note: Use \"-> None\" if function does not return a value\n\
                      q1_fixed.py:12: error: Name \"x\" is not defined  [name-defined]\nFound 2 errors\n";
        let found = remarks(output);
        let seen: Vec<_> = found.iter().map(|it| (it.file.as_str(), it.line.get(), it.notes.len())).collect();
        assert_eq!(seen, [("q0_buggy.py", 3, 1), ("q1_fixed.py", 12, 0)]);
        assert_eq!(found[0].message, "Function is missing a return type annotation [no-untyped-def]");
        assert_eq!(remarks("nonsense\n:::\n.py:0: error: x\n"), []);
    }
}
