//! What gives the line away before a learner has looked for it.
//!
//! Owns the sixth proof. The text of an accepted line in what learners read first is an error. What merely smells of the
//! answer is a warning, since a word may be innocent; so is what gives the repair away, in the checks that learners see while
//! they look for one.

mod quoted;
mod said;
mod smells;
mod told;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::content::diagnostic::{Severity, codes};
use crate::content::findings::Findings;
use crate::content::locate::Step;
use crate::content::python::{Comment, Program, Reader};
use crate::content::question::{Answer, LineNo, Question, lines};
use crate::content::texts;
use quoted::{Line, Quoted};
use said::{Said, Side};
pub(super) use told::told;

const CODE: [Step; 2] = [Step::Key("spot"), Step::Key("code")];

/// Notes what gives the line of `question` away in its prose.
pub(super) fn prose(findings: &mut Findings<'_>, question: &Question) {
    let answers = answers(question);
    for text in texts::of(question).iter().filter(|text| text.before) {
        let quoted = Quoted::prose(text.words);
        for (accepted, _) in answers.iter().filter(|(_, line)| quoted.holds(line)) {
            // A near miss may say its own text, which happens to be that of the accepted line.
            if near_line(question, &text.path).is_some_and(|line| accepted.twins.contains(&line)) {
                continue;
            }
            let span = findings.word(&text.path, accepted.answer.code.trim());
            let help = "say what goes wrong, seen from outside, and leave the line to the learner".to_owned();
            gives_away(findings, accepted, |_| true, span, "here", help);
        }
        for said in said_lines(question, text.words) {
            names_an_accepted_line(findings, said.words, |findings| findings.word(&text.path, said.words));
        }
    }
    neighbours(findings, question);
}

/// An accepted line, and the lines that have the same text and are not accepted.
struct Accepted<'q> {
    answer: &'q Answer,
    twins: Vec<LineNo>,
}

/// Notes that the text of an accepted line stands at `place`. That is no more than a hint where it is the text of a twin as
/// well, as far as that is one.
fn gives_away(
    findings: &mut Findings<'_>,
    accepted: &Accepted<'_>,
    is_twin: impl Fn(&LineNo) -> bool,
    span: Range<usize>,
    place: &str,
    help: String,
) {
    let line = accepted.answer.line;
    match accepted.twins.iter().copied().find(is_twin) {
        Some(twin) => {
            let message = format!("the text of the accepted line {line}, and of line {twin}, stands {place}");
            findings.push(Severity::Warning, codes::HINTS_AT_ANSWER, span, message, help);
        }
        None => {
            let message = format!("the text of the accepted line {line} stands {place}");
            findings.push(Severity::Error, codes::GIVEN_AWAY, span, message, help);
        }
    }
}

/// The line of the near miss that `path` leads into.
fn near_line(question: &Question, path: &[Step]) -> Option<LineNo> {
    let [Step::Key("spot"), Step::Key("near"), Step::At(at), ..] = path else { return None };
    question.spot.near.get(*at).map(|near| near.line)
}

/// Notes near misses that name an accepted line as their neighbour.
fn neighbours(findings: &mut Findings<'_>, question: &Question) {
    let program = lines(&question.spot.code);
    let is_written = |line: &LineNo| program.get(line.index()).is_some_and(|text| !text.trim().is_empty());
    for (at, near) in question.spot.near.iter().enumerate() {
        let path = [Step::Key("spot"), Step::Key("near"), Step::At(at), Step::Key("feedback")];
        let mut seen = HashSet::new();
        for (said, side) in said::beside(&near.feedback).into_iter().filter(|(words, _)| seen.insert(*words)) {
            let mut above = (0..near.line.index()).rev().map(LineNo::from_index);
            let mut below = (near.line.index() + 1..program.len()).map(LineNo::from_index);
            let meant = match side {
                Side::Above => above.find(is_written),
                Side::Below => below.find(is_written),
            };
            if meant.is_some_and(|line| question.accepts(line)) {
                names_an_accepted_line(findings, said, |findings| findings.word(&path, said));
            }
        }
    }
}

/// Notes what gives the line of `question` away in its buggy program.
pub(super) fn program(findings: &mut Findings<'_>, question: &Question, program: &Program<'_>) {
    let answers = answers(question);
    let mut comments = program.comments();
    one_comment(findings, question, &comments);
    // A text that stands by itself is a comment to whoever reads the program.
    comments.extend(program.strings().into_iter().filter(|text| text.alone).map(|text| text.comment));
    for comment in &comments {
        if quotes_the_answer(findings, &answers, comment, "in a comment", "remove the comment") {
            continue;
        }
        for (at, text) in comment.text.lines().enumerate() {
            if let Some(message) = smells::in_comment(text) {
                let span = in_line(findings, below(comment.line, at), text.trim());
                let help = "let comments describe the world, such as `the TTL is 10 s`, and not the fault".to_owned();
                findings.push(Severity::Warning, codes::HINTS_AT_ANSWER, span, message, help);
            }
        }
        speaks_of_the_answer(findings, question, comment);
    }
    // Learners see what a program prints, too.
    for text in program.strings().into_iter().filter(|text| !text.alone).map(|text| text.comment) {
        let (place, help) = ("in a text of the program", "let the text say something else");
        if !quotes_the_answer(findings, &answers, &text, place, help) {
            speaks_of_the_answer(findings, question, &text);
        }
    }
    let made: HashSet<&str> = program.made().into_iter().collect();
    for (line, name) in program.names() {
        if smells::in_name(name, made.contains(name)) {
            let span = in_line(findings, line, name);
            let message = format!("the name `{name}` tells where to look");
            let help = "name it after what it does, as if nothing were wrong with it".to_owned();
            findings.push(Severity::Warning, codes::HINTS_AT_ANSWER, span, message, help);
        }
    }
}

fn quotes_the_answer(
    findings: &mut Findings<'_>,
    answers: &[(Accepted<'_>, Line)],
    text: &Comment<'_>,
    place: &str,
    help: &str,
) -> bool {
    let Some((accepted, line)) = first_in(answers, &Quoted::plain(text.text)) else { return false };
    let (at, words) = line_that_holds(text.text, line);
    let span = in_line(findings, below(text.line, at), words);
    // A line of this text is no twin.
    let own = text.line..below(text.line, text.text.lines().count());
    gives_away(findings, accepted, |line| !own.contains(line), span, place, help.to_owned());
    true
}

/// Notes what in `text` names an accepted line.
fn speaks_of_the_answer(findings: &mut Findings<'_>, question: &Question, text: &Comment<'_>) {
    for said in said_lines(question, text.text) {
        let line = below(text.line, said.line_of(text.text));
        names_an_accepted_line(findings, said.words, |findings| in_line(findings, line, said.words));
    }
}

/// Notes an accepted line that stands out because it alone has a comment.
fn one_comment(findings: &mut Findings<'_>, question: &Question, comments: &[Comment<'_>]) {
    let trailing: Vec<&Comment<'_>> = comments.iter().filter(|comment| comment.trailing).collect();
    if let [only] = trailing.as_slice()
        && question.accepts(only.line)
    {
        let span = in_line(findings, only.line, only.text);
        let message = "the only line with a comment is the accepted one".to_owned();
        let help = "comment other lines as well, or put the comment above the block".to_owned();
        findings.push(Severity::Warning, codes::HINTS_AT_ANSWER, span, message, help);
    }
}

/// A text may name lines so often that looking for each place would take a while; only those that are listed have one.
fn names_an_accepted_line(findings: &mut Findings<'_>, said: &str, place: impl FnOnce(&Findings<'_>) -> Range<usize>) {
    let span = if findings.has_room(Severity::Warning) { place(findings) } else { 0..0 };
    let message = says_a_line(said);
    let help = "speak of what the program does there, or leave it out".to_owned();
    findings.push(Severity::Warning, codes::HINTS_AT_ANSWER, span, message, help);
}

fn says_a_line(said: &str) -> String {
    let on_one_line: Vec<&str> = said.split_whitespace().collect();
    format!("`{}` names an accepted line", on_one_line.join(" "))
}

/// Notes what the checks tell of the repair: their names, and what their asserts say when they fail.
pub(super) fn checks(findings: &mut Findings<'_>, question: &Question, reader: &mut Reader) {
    let (answers, repair) = (answers(question), repair_lines(question));
    for (at, check) in question.checks.iter().enumerate() {
        let path = |key| [Step::Key("check"), Step::At(at), Step::Key(key)];
        // Of the line itself, the name is prose like any other.
        let name = Quoted::prose(&check.name);
        if let Some((words, _)) = first_in(&repair, &name) {
            let span = findings.word(&path("name"), words);
            tell(findings, span, "a line of the repair stands here");
        }
        let Some(program) = reader.read(&check.code) else { continue };
        for (line, message) in program.messages() {
            if let Some((told, at, words)) = tells_the_repair(question, &answers, &repair, message) {
                let line = findings.line(&path("code"), below(line, at));
                let span = findings.narrow(line, words);
                tell(findings, span, &told);
            }
        }
    }
}

fn tell(findings: &mut Findings<'_>, span: Range<usize>, told: &str) {
    let help = "say what a right program does, seen from outside, and leave the repair to the learner".to_owned();
    let message = format!("{told}, and learners see the checks before they have repaired the program");
    findings.push(Severity::Warning, codes::HINTS_AT_ANSWER, span, message, help);
}

/// What of the repair the message of an assert tells, in which of its lines, and the words that do.
fn tells_the_repair<'q>(
    question: &Question,
    answers: &[(Accepted<'q>, Line)],
    repair: &[(&'q str, Line)],
    message: &'q str,
) -> Option<(String, usize, &'q str)> {
    let quoted = Quoted::plain(message);
    if let Some((Accepted { answer, .. }, line)) = first_in(answers, &quoted) {
        let told = format!("the text of the accepted line {} stands here", answer.line);
        return Some((told, line_that_holds(message, line).0, answer.code.trim()));
    }
    if let Some((words, line)) = first_in(repair, &quoted) {
        return Some(("a line of the repair stands here".to_owned(), line_that_holds(message, line).0, *words));
    }
    let said = said_lines(question, message).into_iter().next()?;
    Some((says_a_line(said.words), said.line_of(message), said.words))
}

/// The first of `lines` that stands in `text`.
fn first_in<'l, T>(lines: &'l [(T, Line)], text: &Quoted) -> Option<&'l (T, Line)> {
    lines.iter().find(|(_, line)| text.holds(line))
}

/// Which line of `text` holds `line`, counted from 0, and that line; the first one where it takes several.
fn line_that_holds<'t>(text: &'t str, line: &Line) -> (usize, &'t str) {
    let mut all = text.lines().map(str::trim).enumerate();
    let first = all.clone().next().unwrap_or_default();
    all.find(|(_, it)| Quoted::plain(it).holds(line)).unwrap_or(first)
}

/// The accepted lines that are long enough to be recognised.
fn answers(question: &Question) -> Vec<(Accepted<'_>, Line)> {
    let code = |line: &str| squeeze(quoted::without_comment(line));
    let mut others: HashMap<String, Vec<LineNo>> = HashMap::new();
    for (at, line) in lines(&question.spot.code).into_iter().enumerate() {
        let at = LineNo::from_index(at);
        if !question.accepts(at) {
            others.entry(code(line)).or_default().push(at);
        }
    }
    let accepted = |answer| Accepted { answer, twins: others.get(&code(&answer.code)).cloned().unwrap_or_default() };
    question.spot.answers.iter().filter_map(|answer| Some((accepted(answer), Line::new(&answer.code)?))).collect()
}

/// The lines of the repair, without those that are in the program already: a repair that inserts has some.
fn repair_lines(question: &Question) -> Vec<(&str, Line)> {
    let program: HashSet<String> = lines(&question.spot.code).into_iter().map(squeeze).collect();
    let repairs = question.spot.repairs.iter().flat_map(|repair| lines(&repair.with));
    let new = repairs.filter(|line| !program.contains(&squeeze(line))).map(str::trim);
    new.filter_map(|line| Some((line, Line::new(line)?))).collect()
}

/// The words in `text` that name an accepted line by its number, each once.
fn said_lines<'t>(question: &Question, text: &'t str) -> Vec<Said<'t>> {
    let said = said::lines(text, question.line_count()).into_iter();
    let said = said.filter(|said| question.accepted().any(|line| said.names(line)));
    let mut seen = HashSet::new();
    said.filter(|said| seen.insert(said.words)).collect()
}

/// The line that is so many below `line`.
fn below(line: LineNo, count: usize) -> LineNo {
    LineNo::from_index(line.index() + count)
}

fn in_line(findings: &Findings<'_>, line: LineNo, word: &str) -> Range<usize> {
    let span = findings.line(&CODE, line);
    findings.narrow(span, word)
}

/// `text` without its blanks.
fn squeeze(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Whether `word` is among `words`, which have blanks between them.
fn is_one_of(words: &str, word: &str) -> bool {
    words.split(' ').any(|it| it == word)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::content::problems::MOST_PROBLEMS;
    use crate::content::{parse, read};

    const SMALL: &str = include_str!("../../tests/fixtures/small.toml");

    /// What the sixth proof says of the small question with some texts replaced: the line of each finding in the file, the
    /// words at it, and the message.
    #[track_caller]
    pub(super) fn findings(edits: &[(&str, &str)]) -> Vec<(usize, String, String)> {
        let mut text = SMALL.to_owned();
        for (from, to) in edits {
            assert!(text.contains(from), "{from}");
            text = text.replacen(from, to, 1);
        }
        let file = read::source(Path::new("small.toml"), &text);
        let question = parse::question(&file).0.unwrap();
        let mut findings = Findings::new(&file);
        let mut reader = Reader::new().unwrap();
        prose(&mut findings, &question);
        let buggy = reader.read(&question.spot.code).unwrap();
        program(&mut findings, &question, &buggy);
        told(&mut findings, &question, &buggy);
        checks(&mut findings, &question, &mut reader);
        let told = |problem: crate::content::diagnostic::Diagnostic| {
            let line = file.text[..problem.span.start].matches('\n').count() + 1;
            (line, file.text[problem.span].to_owned(), problem.message)
        };
        findings.finish().into_iter().map(told).collect()
    }

    pub(super) fn line_of(words: &str) -> usize {
        SMALL.lines().position(|line| line.contains(words)).unwrap() + 1
    }

    #[test]
    fn what_a_near_miss_says_twice_is_told_once() {
        let near = "Nought is where a sum begins.";
        let found = findings(&[(near, "See the line below. The line below! And the next line.")]);
        let told = |words: &str| (line_of(near), words.to_owned(), format!("`{words}` names an accepted line"));
        assert_eq!(found, [told("line below"), told("next line")]);
    }

    #[test]
    fn what_a_text_of_several_lines_says_is_shown_in_its_line() {
        let first = "    result = 0\n";
        let names = |words: &str| format!("`{words}` names an accepted line");
        let quotes = |line: u32, place: &str| format!("the text of the accepted line {line} stands in {place}");
        let code = "for i in range(len(numbers) - 1):";
        let answer = |line: u32| format!("line = {line}\ncode = ");
        for (text, line, shown, message) in [
            ("    \"\"\"Add.\n\n    See line 7.\n    \"\"\"\n", 7, "line 7", names("line 7")),
            ("    \"\"\"Add.\n\n    It adds as does line\n    7.\"\"\"\n", 7, "It adds as does line", names("line 7")),
            ("    x = \"\"\"\n    See line 5.\"\"\"\n", 5, "line 5", names("line 5")),
            (&format!("    \"\"\"Add.\n\n    {code}\n    \"\"\"\n"), 7, code, quotes(7, "a comment")),
            (&format!("    x = \"\"\"\n    {code}\n    \"\"\"\n"), 6, code, quotes(6, "a text of the program")),
        ] {
            let edited = format!("{text}{first}");
            let found = findings(&[(first, &edited), ("line = 3\ncode = ", &answer(line))]);
            let at = text.lines().position(|line| line.contains(shown)).unwrap();
            assert_eq!(found, [(line_of(first.trim()) + at, shown.to_owned(), message)], "{text}");
        }
    }

    #[test]
    fn what_a_message_of_several_lines_says_is_shown_in_its_line() {
        let code = "for n in range(6):\n    assert total([1] * n) == n, f\"{n} ones add up to {total([1] * n)}\"\n";
        for (said, told) in [
            ("look at line 3", "`line 3` names an accepted line"),
            ("for i in range(len(numbers) - 1):", "the text of the accepted line 3 stands here"),
            ("for i in range(len(numbers)):", "a line of the repair stands here"),
        ] {
            let found = findings(&[(code, &format!("assert total([1]) == 1, \"\"\"\n  no:\n  {said}\n\"\"\"\n"))]);
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0].0, line_of("for n in range(6):") + 2, "{found:?}");
            assert!(said.contains(&found[0].1) && found[0].2.starts_with(told), "{found:?}");
        }
    }

    #[test]
    fn many_answers_are_looked_for_in_many_texts() {
        let lines: Vec<String> = (0..400).map(|n| format!("number_{n} = {}", "plus_".repeat(20))).collect();
        let answers =
            |(index, line): (usize, &String)| format!("[[spot.answer]]\nline = {}\ncode = \"{line}\"\n", index + 1);
        let answers: String = lines.iter().enumerate().map(answers).collect();
        let checks = "assert it, \"number\";".repeat(3_000);
        let near: String = (0..5_000).map(|n| format!("See lines 1 and {n}. ")).collect();
        let found = findings(&[
            ("def total(numbers: list[int]) -> int:\n", &(lines.join("\n") + "\n")),
            ("[[spot.near]]", &(answers + "[[spot.near]]")),
            ("for n in range(6):\n", &(checks + "\nfor n in range(6):\n")),
            ("Nought is where a sum begins.", &near),
        ]);
        assert_eq!(found.len(), MOST_PROBLEMS + 1);
    }

    #[test]
    fn a_text_that_several_lines_have_gives_less_away() {
        let (lines, prompt) = ("    return result\n", "The total is too small.");
        let twice = "    if not numbers:\n        return result\n    return result\n";
        let said = "It is `return result`.";
        let told = |line: usize, found: &[(usize, String, String)]| {
            let found: Vec<&str> = found.iter().map(|it| it.2.as_str()).collect();
            assert_eq!(found.len(), 1, "{line}: {found:?}");
            found[0].to_owned()
        };
        let answer = ("line = 3\ncode = \"for i in range(len(numbers) - 1):\"", "line = 6\ncode = \"return result\"");
        let other = "the text of the accepted line 6, and of line 7, stands here";
        assert_eq!(told(1, &findings(&[(lines, twice), answer, (prompt, said)])), other);
        let alone = ("line = 3\ncode = \"for i in range(len(numbers) - 1):\"", "line = 5\ncode = \"return result\"");
        assert_eq!(told(2, &findings(&[alone, (prompt, said)])), "the text of the accepted line 5 stands here");
        let near = "Nought is where a sum begins.";
        let of_near = |line: &str| {
            let at = format!("line = {line}\nfeedback");
            findings(&[(lines, twice), answer, ("line = 2\nfeedback", &at), (near, said)])
        };
        assert_eq!(of_near("7"), [], "a near miss of the other line says its text");
        assert_eq!(told(3, &of_near("2")), other);
        let comment = findings(&[(lines, &format!("{twice}    # return result\n")), answer]);
        assert_eq!(told(4, &comment), "the text of the accepted line 6, and of line 7, stands in a comment");
    }
}
