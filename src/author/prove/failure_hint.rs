//! Explains why a program did not finish: the line, if known, and the help.

use crate::author::python::Reader;
use crate::content::lookalike::{self, LookAlike};
use crate::content::question::{LineNo, lines};
use crate::content::suggestion::closest;
use crate::runner::Verdict;

/// The reason why a program did not finish.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cause {
    /// The line of the program.
    pub(super) line: Option<LineNo>,
    /// The word in the line that is wrong.
    pub(super) word: Option<String>,
    /// The help; `None` if the exception may be the purpose of the program.
    pub(super) help: Option<String>,
}

/// Finds the cause in the verdict, its detail and the program.
pub(super) fn cause(verdict: Verdict, detail: &str, source: &str) -> Cause {
    let help = match verdict {
        Verdict::Raised => return raised(detail, source),
        Verdict::TimedOut => {
            "make it finish in time: look for an endless loop or wait, or a lock that is never released"
        }
        Verdict::OutOfMemory => "use less memory: look for a list or a string that grows without end",
        Verdict::OutputTooLong => "print one or two lines that show the difference; a loop may print without end",
        Verdict::Crashed => "remove calls that end or crash the interpreter, such as `os._exit` or `ctypes`",
        _ => return Cause { line: None, word: None, help: None },
    };
    Cause { line: None, word: None, help: Some(help.to_owned()) }
}

fn raised(detail: &str, source: &str) -> Cause {
    let (kind, said) = detail.split_once(": ").unwrap_or((detail, ""));
    let said = said.rsplit_once(" (line ").map_or(said, |(said, _)| said);
    let line = line_of(detail);
    let mut word = None;
    let help = match kind {
        "SyntaxError" | "IndentationError" | "TabError" => return invalid(kind, line, source),
        "NameError" | "UnboundLocalError" => {
            let name = between_quotes(said);
            word = name.map(str::to_owned);
            name.filter(|_| kind == "NameError").map(|name| unknown(name, source))
        }
        "ModuleNotFoundError" => {
            word = between_quotes(said).map(str::to_owned);
            let name = word.as_deref().unwrap_or("it");
            Some(format!("remove `{name}`: programs have only Python's standard library"))
        }
        "ImportError" => Some("import only names that every Python in the question's range has".to_owned()),
        "EOFError" => Some("write the value into the program: standard input is empty".to_owned()),
        "PermissionError" | "FileNotFoundError" | "BlockingIOError" => Some(
            "do not use files, the network or other programs: use `io.StringIO`, a list, or SQLite in memory"
                .to_owned(),
        ),
        "RecursionError" => Some("end the recursion: look for a function that calls itself without a stop".to_owned()),
        _ => None,
    };
    Cause { line, word, help }
}

/// The line of "SyntaxError: invalid syntax (line 4)".
fn line_of(detail: &str) -> Option<LineNo> {
    let (_, number) = detail.strip_suffix(')')?.rsplit_once("(line ")?;
    LineNo::new(number.parse().ok()?)
}

/// The name in "name 'x' is not defined".
fn between_quotes(said: &str) -> Option<&str> {
    said.split('\'').nth(1).filter(|name| !name.is_empty())
}

fn invalid(kind: &str, line: Option<LineNo>, source: &str) -> Cause {
    let program = || Reader::new()?.read(source)?.broken();
    let line = line.or_else(program);
    if let Some((line, found)) = look_alike(source, line) {
        return Cause { line: Some(line), word: Some(found.character.to_string()), help: Some(found.help()) };
    }
    let help = match kind {
        "TabError" => "indent with spaces only: tabs and spaces are mixed",
        "IndentationError" => "indent the line like its block: four spaces for each level",
        _ => "fix the syntax: a colon, a quote or a bracket may be missing here or on the line before",
    };
    Cause { line, word: None, help: Some(help.to_owned()) }
}

/// A character that Python does not know, first of all in the invalid line.
fn look_alike(source: &str, line: Option<LineNo>) -> Option<(LineNo, LookAlike)> {
    let all = lines(source);
    let found = |line: LineNo| lookalike::first(all.get(line.index())?).map(|it| (line, it));
    let everywhere = || (0..all.len()).find_map(|index| found(LineNo::from_index(index)));
    line.and_then(found).or_else(everywhere)
}

/// The help for a name that is not defined.
fn unknown(name: &str, source: &str) -> String {
    if let Some(letter) = lookalike::letter(name) {
        return letter.help();
    }
    let mut reader = Reader::new();
    let program = reader.as_mut().and_then(|reader| reader.read(source));
    let names: Vec<&str> =
        program.iter().flat_map(|it| it.names()).map(|(_, known)| known).filter(|known| *known != name).collect();
    match closest(name, &names).first() {
        Some(close) => format!("did you mean `{close}`? `{name}` is neither defined nor imported"),
        None => format!("define `{name}`, or import it"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "class Queue:\n    room = 2\n\nprint(Qeue().room)\n";

    #[track_caller]
    fn check(verdict: Verdict, detail: &str, source: &str, wanted: (Option<u32>, Option<&str>, &str)) {
        let Cause { line, word, help } = cause(verdict, detail, source);
        assert_eq!((line.map(LineNo::get), word.as_deref(), help.as_deref().unwrap_or("-")), wanted, "{detail}");
    }

    #[test]
    fn each_cause_has_its_place_and_its_remedy() {
        let raised = |detail, line, word, help| check(Verdict::Raised, detail, SOURCE, (line, word, help));
        raised(
            "NameError: name 'Qeue' is not defined (line 4)",
            Some(4),
            Some("Qeue"),
            "did you mean `Queue`? `Qeue` is neither defined nor imported",
        );
        raised("NameError: name 'math' is not defined", None, Some("math"), "define `math`, or import it");
        raised(
            "ModuleNotFoundError: No module named 'numpy' (line 1)",
            Some(1),
            Some("numpy"),
            "remove `numpy`: programs have only Python's standard library",
        );
        raised(
            "EOFError: EOF when reading a line (line 2)",
            Some(2),
            None,
            "write the value into the program: standard input is empty",
        );
        raised(
            "PermissionError: [Errno 1] Operation not permitted: 'x.txt' (line 4)",
            Some(4),
            None,
            "do not use files, the network or other programs: use `io.StringIO`, a list, or SQLite in memory",
        );
        raised("IndexError: list index out of range (line 2)", Some(2), None, "-");
        raised("KeyError: 'a (line 9)' (line 2)", Some(2), None, "-");
        raised("Odd", None, None, "-");
        raised(
            "TabError: inconsistent use (line 2)",
            Some(2),
            None,
            "indent with spaces only: tabs and spaces are mixed",
        );
        for verdict in [Verdict::TimedOut, Verdict::OutOfMemory, Verdict::OutputTooLong, Verdict::Crashed] {
            let Cause { line, word, help } = cause(verdict, "stopped (line 3)", SOURCE);
            assert_eq!((line, word), (None, None));
            assert!(help.is_some(), "{verdict:?}");
        }
    }

    #[test]
    fn a_character_that_python_does_not_know_is_named_in_its_place() {
        let syntax = "SyntaxError: invalid syntax (line 2)";
        let blank = "U+00A0 is a no-break space: write a plain space";
        check(Verdict::Raised, syntax, "a = 'é–'\nb\u{a0}= 1\n", (Some(2), Some("\u{a0}"), blank));
        // If the reported line is a later one, the whole program is searched.
        check(Verdict::Raised, syntax, "b =\u{a0}1\nc = 2\n", (Some(1), Some("\u{a0}"), blank));
        let quote = "`“` is U+201C, a typographic quote: write `\"`";
        check(Verdict::Raised, "SyntaxError: invalid", "print(“a”)\n", (Some(1), Some("“"), quote));
        let colon = "fix the syntax: a colon, a quote or a bracket may be missing here or on the line before";
        check(Verdict::Raised, "SyntaxError: invalid", "a = 1\nb = ((\n", (Some(2), None, colon));
        check(Verdict::Raised, syntax, "a = '–'  # é –\nif a\n", (Some(2), None, colon));
        let cyrillic = "`а` is U+0430, a Cyrillic letter: write the Latin letter";
        let detail = "NameError: name '\u{430}b' is not defined (line 1)";
        check(Verdict::Raised, detail, "print(\u{430}b)\n", (Some(1), Some("\u{430}b"), cyrillic));
    }
}
