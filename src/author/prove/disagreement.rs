//! Explains an output that is right on one interpreter and wrong on the other.

use std::sync::Arc;

use super::excerpt::quoted;
use crate::content::diagnostic::{Diagnostic, SourceFile, codes};
use crate::content::locate::Step;
use crate::content::problems::Problems;
use crate::runner::Engine;

const HELP: &str = "write the program so that both print the same; the guide lists known differences";

/// Says so in the messages if `problems`, found on the built-in interpreter first of all, and `more`, found on `engine`,
/// disagree about what a program prints.
pub(super) fn explain(problems: &mut [Diagnostic], more: &mut [Diagnostic], file: &Arc<SourceFile>, engine: &Engine) {
    if engine.name != "CPython" {
        // The first proof.
        return;
    }
    let places = Problems::new(file.clone());
    let cpython = format!("{} {}", engine.name, engine.version);
    for table in ["spot", "fixed"] {
        let [code, prints] = ["code", "prints"].map(|key| places.place(&[Step::Key(table), Step::Key(key)]));
        // A program that does not finish, or prints something else each time, agrees with nothing.
        let is_doubtful = |it: &Diagnostic| {
            [codes::NOT_FINISHED, codes::NOT_REPEATABLE].contains(&it.code)
                && it.span.start >= code.start
                && it.span.end <= code.end
        };
        if problems.iter().chain(more.iter()).any(is_doubtful) {
            continue;
        }
        let differs = |it: &&mut Diagnostic| it.code == codes::PRINTS && it.span == prints;
        match (problems.iter_mut().find(differs), more.iter_mut().find(differs)) {
            (Some(known), None) if known.help != HELP => {
                known.message = format!(
                    "{cpython} prints what the question says; the built-in interpreter prints {}, and learners would see that",
                    seen(known)
                );
                HELP.clone_into(&mut known.help);
            }
            (None, Some(new)) => {
                new.message =
                    format!("the built-in interpreter prints what the question says; {cpython} prints {}", seen(new));
                HELP.clone_into(&mut new.help);
            }
            _ => {}
        }
    }
}

/// The output that was seen, if it is one line.
fn seen(problem: &Diagnostic) -> String {
    let output = problem.results.as_ref().map_or("", |[_, seen]| seen);
    let shown = quoted(output);
    if shown.contains('\n') { "something else".to_owned() } else { shown }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::content::diagnostic::Severity;
    use crate::content::read;
    use crate::runner::Level;

    #[test]
    fn each_interpreter_can_be_the_one_that_differs() {
        let file = read::source(Path::new("small.toml"), include_str!("../../../tests/fixtures/small.toml"));
        let engine = |name: &str| Engine {
            name: name.into(),
            version: "3.13.0".into(),
            python: "3.13.0".into(),
            sandbox: Level::Full,
        };
        let problem = |table, key, code, output: &str| {
            let span = Problems::new(file.clone()).place(&[Step::Key(table), Step::Key(key)]);
            let results = Some(["3\n".to_owned(), output.to_owned()]);
            Diagnostic { results, ..Diagnostic::new(Severity::Error, code, &file, span, "as before", "") }
        };
        let prints = |output| problem("spot", "prints", codes::PRINTS, output);
        let message = |known: Option<Diagnostic>, new: Option<Diagnostic>| {
            let [mut known, mut new] = [known, new].map(|it| it.into_iter().collect::<Vec<_>>());
            explain(&mut known, &mut new, &file, &engine("CPython"));
            known.into_iter().chain(new).map(|it| it.message).collect::<Vec<_>>()
        };
        let mut first = vec![prints("2\n")];
        explain(&mut [], &mut first, &file, &engine("RustPython"));
        assert_eq!(first[0].message, "as before");
        let learners = "CPython 3.13.0 prints what the question says; the built-in interpreter prints `2.68`, and learners would see that";
        assert_eq!(message(Some(prints("2.68\n")), None), [learners]);
        let cpython = "the built-in interpreter prints what the question says; CPython 3.13.0 prints something else";
        assert_eq!(message(None, Some(prints("1\n2\n"))), [cpython]);
        assert_eq!(message(Some(prints("2\n")), Some(prints("2\n"))), ["as before"; 2]);
        let raises = problem("spot", "code", codes::NOT_FINISHED, "");
        assert_eq!(message(Some(prints("2\n")), Some(raises)), ["as before"; 2]);
        let other = problem("fixed", "code", codes::NOT_FINISHED, "");
        assert_eq!(message(Some(prints("2.68\n")), Some(other)), [learners, "as before"]);
    }
}
