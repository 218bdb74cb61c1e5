//! Finds texts that give the accepted line away before a learner answers.
//!
//! The text of an accepted line is an error wherever learners can read it before they answer. Its number, and words that name
//! a fault, are warnings: a word may be innocent. Only id, title, tags and the names around the answer are searched for such words.

use std::collections::{HashMap, HashSet};
use std::ops::{Range, RangeInclusive};

use unicode_segmentation::UnicodeSegmentation;

use crate::author::python::{Comment, Program, Reader};
use crate::author::quotations::{self, Code, Searched};
use crate::author::texts;
use crate::content::changes::without_comment;
use crate::content::diagnostic::{Severity, codes};
use crate::content::locate::Step;
use crate::content::problems::Problems;
use crate::content::question::{Answer, LineNo, Question, lines};

/// Words that name a fault. Several words with hyphens between them count together.
const FAULT_WORDS: &str = "\
    bad broken buggy bug erroneous fault faulty flawed forgotten forgot ignores ignored ignoring incorrect instead-of insecure \
    leaky leaks missing mistake off-by-one omits omitted outlives racy skipped skips stale swallowed swallows \
    unchecked unescaped unguarded unlocked unsafe unvalidated vulnerable without wrong wrongly";

/// Reports everything in `question` that gives its accepted lines away.
pub(super) fn check(problems: &Problems, question: &Question, reader: &mut Reader) {
    let accepted = accepted_lines(question);
    let repairs = quotations::repairs(question);
    for text in texts::of(question).iter().filter(|text| text.before) {
        let searched = Searched::markdown(text.words);
        for repair in repairs.iter().filter(|repair| text.prose && searched.holds(&repair.code)) {
            let span = problems.word(&text.path, &repair.written);
            let message = format!("the text of the repair of line {} appears here", repair.line);
            hint(problems, span, message, "describe the effect, not the repair");
        }
        for line in accepted.iter().filter(|line| searched.holds(&line.code)) {
            // A near miss may quote its own line, even if the accepted line has the same text.
            let near = near_line(question, &text.path);
            if near.is_none_or(|near| !line.twins.contains(&near)) {
                let span = problems.word(&text.path, line.answer.code.trim());
                gives_away(problems, line, line.twins.first(), span, "here", "describe the effect, not the line");
            }
        }
        for words in accepted_numbers(question, text.words) {
            let span = problems.word(&text.path, words);
            names_the_line(problems, words, span);
        }
    }
    fault_words(problems, question);
    if let Some(program) = reader.read(&question.spot.code) {
        texts_of_program(problems, question, &accepted, &program);
        names(problems, question, &program);
    }
    for (at, check) in question.checks.iter().enumerate() {
        let Some(program) = reader.read(&check.code) else { continue };
        let path = [Step::Key("check"), Step::At(at), Step::Key("code")];
        for (line, message) in program.messages() {
            let searched = Searched::plain(message);
            let span = problems.line(&path, line);
            for line in accepted.iter().filter(|line| searched.holds(&line.code)) {
                let help = "describe what a correct program does; learners see this message while they repair";
                gives_away(problems, line, line.twins.first(), span.clone(), "in this message", help);
            }
            for words in accepted_numbers(question, message) {
                names_the_line(problems, words, problems.narrow(span.clone(), words));
            }
        }
    }
}

/// Reports the accepted lines that comments and texts of the program quote or number.
fn texts_of_program(problems: &Problems, question: &Question, accepted: &[Accepted<'_>], program: &Program<'_>) {
    let strings = program.strings().into_iter();
    let comments = program.comments().into_iter().map(|it| (it, "in a comment"));
    let strings = strings.map(|it| (it.comment, if it.alone { "in a comment" } else { "in a string of the program" }));
    for (Comment { line: first, text, .. }, place) in comments.chain(strings) {
        let searched = Searched::plain(text);
        let own = first.index()..first.index() + text.lines().count();
        for line in accepted.iter().filter(|line| searched.holds(&line.code)) {
            let (below, words) = row_of(text, |row| Searched::plain(row).holds(&line.code));
            let span = in_program(problems, first, below, words);
            let twin = line.twins.iter().find(|line| !own.contains(&line.index()));
            gives_away(problems, line, twin, span, place, "remove or reword it");
        }
        for words in accepted_numbers(question, text) {
            let below = row_of(text, |row| row.contains(words)).0;
            names_the_line(problems, words, in_program(problems, first, below, words));
        }
    }
}

/// Reports fault words in id, title and tags, which learners see before the program.
fn fault_words(problems: &Problems, question: &Question) {
    let mut texts = vec![("the id", vec![Step::Key("id")], &question.id)];
    texts.push(("the title", vec![Step::Key("title")], &question.title));
    let tags = question.tags.iter().enumerate();
    texts.extend(tags.map(|(at, tag)| ("the tag", vec![Step::Key("tags"), Step::At(at)], tag)));
    for (place, path, text) in texts {
        if let Some(word) = fault_word(text) {
            let span = problems.word(&path, &word);
            let message = format!("{place} says `{word}`, which hints at the fault");
            hint(problems, span, message, "name the subject or the story, not the fault");
        }
    }
}

/// Reports fault words in the names on an accepted line, and in the name of the function around it.
fn names(problems: &Problems, question: &Question, program: &Program<'_>) {
    let functions = question.accepted().filter_map(|line| program.function_around(line));
    let on_lines = program.identifiers().into_iter().filter(|(line, _)| question.accepts(*line));
    let mut seen = HashSet::new();
    for (line, name) in on_lines.chain(functions).filter(|(_, name)| seen.insert(*name)) {
        if let Some(word) = fault_word(name) {
            let span = in_program(problems, line, 0, name);
            let message = format!("the name `{name}` hints at the fault");
            hint(problems, span, message, &format!("name it after what it does, without `{word}`"));
        }
    }
}

/// Reports the text of an accepted line at `place`; only as a hint if `twin`, which is not accepted, has the same text.
fn gives_away(
    problems: &Problems,
    line: &Accepted<'_>,
    twin: Option<&LineNo>,
    span: Range<usize>,
    place: &str,
    help: &str,
) {
    let number = line.answer.line;
    match twin {
        Some(twin) => {
            hint(
                problems,
                span,
                format!("the text of the accepted line {number}, and of line {twin}, appears {place}"),
                help,
            );
        }
        None => {
            let message = format!("the text of the accepted line {number} appears {place}");
            problems.push(Severity::Error, codes::GIVEN_AWAY, span, message, help.to_owned());
        }
    }
}

fn names_the_line(problems: &Problems, words: &str, span: Range<usize>) {
    hint(
        problems,
        span,
        format!("`{words}` gives away an accepted line"),
        "describe what the program does there, or remove the number",
    );
}

fn hint(problems: &Problems, span: Range<usize>, message: String, help: &str) {
    problems.push(Severity::Warning, codes::HINTS_AT_ANSWER, span, message, help.to_owned());
}

/// The line of the near miss that `path` leads into.
fn near_line(question: &Question, path: &[Step]) -> Option<LineNo> {
    let [Step::Key("spot"), Step::Key("near"), Step::At(at), ..] = path else { return None };
    question.spot.near.get(*at).map(|near| near.line)
}

/// The bytes of `word` on the line of the buggy program that is `below` lines after `line`.
fn in_program(problems: &Problems, line: LineNo, below: usize, word: &str) -> Range<usize> {
    let line = LineNo::from_index(line.index() + below);
    problems.narrow(problems.line(&[Step::Key("spot"), Step::Key("code")], line), word.trim())
}

/// The first row of `text` that `wanted` accepts, and its index; the first row if it takes several.
fn row_of(text: &str, wanted: impl Fn(&str) -> bool) -> (usize, &str) {
    let found = text.lines().enumerate().find(|(_, row)| wanted(row));
    found.unwrap_or((0, text.lines().next().unwrap_or_default()))
}

/// The first fault word in a name or a text.
fn fault_word(text: &str) -> Option<String> {
    let words = words(text);
    let fault = |fault: &&str| {
        let parts: Vec<&str> = fault.split('-').collect();
        words.windows(parts.len()).any(|window| window == parts)
    };
    FAULT_WORDS.split_whitespace().find(fault).map(|word| {
        let written = [word.to_owned(), word.replace('-', " "), word.replace('-', "_")];
        let lower = text.to_lowercase();
        written.into_iter().find(|it| lower.contains(it)).unwrap_or_default()
    })
}

/// The words of a name or a text in lowercase: `unsafe_put2`, `UnsafePut` and "unsafe put" have the same two.
fn words(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut small_before = false;
    for c in text.chars() {
        if !c.is_alphabetic() || (c.is_uppercase() && small_before) {
            all.push(String::new());
        }
        if c.is_alphabetic()
            && let Some(last) = all.last_mut()
        {
            last.extend(c.to_lowercase());
        }
        small_before = c.is_lowercase();
    }
    all.retain(|word| !word.is_empty());
    all
}

/// The words in `text` that number an accepted line, each once: "line 8", "lines 6 to 9", "lines 3, 8 and 9", "L8".
fn accepted_numbers<'t>(question: &Question, text: &'t str) -> Vec<&'t str> {
    let tokens: Vec<(usize, &str)> =
        text.split_word_bound_indices().filter(|(_, word)| !word.trim().is_empty()).collect();
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for (index, (start, word)) in tokens.iter().enumerate() {
        let mut end = start + word.len();
        let mut numbers = Vec::new();
        if let Some(number) = word.strip_prefix('L').and_then(|digits| digits.parse::<u32>().ok()) {
            numbers.push(number..=number);
        } else if ["line", "lines"].iter().any(|it| word.eq_ignore_ascii_case(it)) {
            let mut is_range = false;
            for (at, word) in tokens.iter().skip(index + 1) {
                if let Ok(number) = word.parse::<u32>() {
                    let first =
                        numbers.last().filter(|_| is_range).map_or(number, |range: &RangeInclusive<u32>| *range.end());
                    numbers.push(first..=number);
                    (is_range, end) = (false, at + word.len());
                } else if matches!(*word, "to" | "through" | "-" | "\u{2013}") {
                    is_range = true;
                } else if !matches!(*word, "," | "and" | "or" | "`" | "#") {
                    break;
                }
            }
        }
        let words = text.get(*start..end).unwrap_or_default();
        let is_accepted = question.accepted().any(|line| numbers.iter().any(|range| range.contains(&line.get())));
        if is_accepted && seen.insert(words) {
            found.push(words);
        }
    }
    found
}

/// An accepted line that is long enough to be recognised in a text.
struct Accepted<'q> {
    answer: &'q Answer,
    /// Lines with the same text that are not accepted.
    twins: Vec<LineNo>,
    code: Code,
}

fn accepted_lines<'q>(question: &'q Question) -> Vec<Accepted<'q>> {
    let squeezed = |line: &str| without_comment(line).split_whitespace().collect::<String>();
    let mut others: HashMap<String, Vec<LineNo>> = HashMap::new();
    for (at, line) in lines(&question.spot.code).into_iter().enumerate() {
        if !question.accepts(LineNo::from_index(at)) {
            others.entry(squeezed(line)).or_default().push(LineNo::from_index(at));
        }
    }
    let line = |answer: &'q Answer| {
        let code = Code::of(without_comment(&answer.code))?;
        let twins = others.get(&squeezed(&answer.code)).cloned().unwrap_or_default();
        Some(Accepted { answer, twins, code })
    };
    question.spot.answers.iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::content::{parse, read};

    /// The problems on the small question with texts of it replaced: the words at each, and the message.
    #[track_caller]
    fn found(edits: &[(&str, &str)]) -> Vec<(String, String)> {
        let mut text = include_str!("../../tests/fixtures/small.toml").to_owned();
        for (from, to) in edits {
            assert!(text.contains(from), "{from}");
            text = text.replacen(from, to, 1);
        }
        let file = read::source(Path::new("small.toml"), &text);
        let question = parse::question(&file).0.unwrap();
        let problems = Problems::new(file.clone());
        check(&problems, &question, &mut Reader::new().unwrap());
        let words = |span: Range<usize>| file.text[span].to_owned();
        problems.finish().into_iter().map(|it| (words(it.span), format!("{:?}: {}", it.severity, it.message))).collect()
    }

    const HINT: &str = "Which numbers does the loop see?";
    const LINE: &str = "for i in range(len(numbers) - 1):";

    #[test]
    fn the_text_of_the_line_is_an_error_wherever_learners_read_it() {
        assert_eq!(found(&[]), []);
        let error = |place: &str| format!("Error: the text of the accepted line 3 appears {place}");
        for (from, to, place) in [
            (HINT, "See `for i in range(len(numbers) - 1)`", "here"),
            (HINT, "See for i in *range*( len(numbers)-1 )", "here"),
            ("Nought is where", "for i in range(len(numbers) - 1): Nought is where", "here"),
            ("    return result", "    # for i in range(len(numbers) - 1)\n    return result", "in a comment"),
            ("    return result", "    'for i in range(len(numbers) - 1)'\n    return result", "in a comment"),
            ("print(total([1, 2, 3]))", "print('for i in range(len(numbers) - 1)')", "in a string of the program"),
            ("{n} ones add up", "for i in range(len(numbers) - 1) {n} ones add up", "in this message"),
        ] {
            let messages: Vec<String> = found(&[(from, to)]).into_iter().map(|it| it.1).collect();
            assert_eq!(messages, [error(place)], "{to}");
        }
    }

    /// With the accepted line replaced by `code`, which of `texts` gives it away as a hint.
    #[track_caller]
    fn given_away(code: &str, texts: &[&str]) -> Vec<bool> {
        let count = |text: &&str| found(&[(LINE, code), (LINE, code), (HINT, text)]).len() == 1;
        texts.iter().map(count).collect()
    }

    #[test]
    fn a_line_of_words_counts_only_where_it_is_set_apart() {
        let texts = ["to `return done` there", "It is this one: return done.", "Return done."];
        assert_eq!(given_away("return done", &texts), [true; 3]);
        let texts = ["To return done jobs is right.", "It must return done", "Return done, and stop."];
        assert_eq!(given_away("return done", &texts), [false; 3]);
        assert_eq!(given_away("return", &["`return`"]), [false], "one word");
        assert_eq!(given_away("x = 1", &["`x = 1`"]), [false], "too short");
    }

    #[test]
    fn another_line_with_the_same_text_makes_it_a_hint() {
        let program = ("    return result", "    for i in range(len(numbers) - 1):\n        return result");
        let twin = "Warning: the text of the accepted line 3, and of line 5, appears here";
        let said = found(&[program, (HINT, "`for i in range(len(numbers) - 1)`")]);
        assert_eq!(said.iter().map(|it| it.1.as_str()).collect::<Vec<_>>(), [twin]);
        let near = (
            "line = 2\nfeedback = \"Nought",
            "line = 5\nfeedback = \"`for i in range(len(numbers) - 1)` is fine. Nought",
        );
        assert_eq!(found(&[program, near]), []);
    }

    #[test]
    fn the_number_of_the_line_and_fault_words_are_warnings() {
        let line = |words: &str| (words.to_owned(), format!("Warning: `{words}` gives away an accepted line"));
        for words in ["line 3", "Lines 2 to 4", "lines 2-4", "lines 1, 3 and 5", "L3"] {
            assert_eq!(found(&[(HINT, &format!("See {words}."))]), [line(words)], "{words}");
        }
        for words in ["line 2", "lines 4 to 6", "3 lines", "line 30", "lines 1 and 5", "line. 3 of them", "XL3"] {
            assert_eq!(found(&[(HINT, &format!("See {words}."))]), [], "{words}");
        }
        for (from, to, word, message) in [
            ("id = \"small\"", "id = \"small-bug\"", "bug", "the id says `bug`, which hints at the fault"),
            (
                "last number\"",
                "off-by-one number\"",
                "off-by-one",
                "the title says `off-by-one`, which hints at the fault",
            ),
            (
                "last number\"",
                "sum instead of\"",
                "instead of",
                "the title says `instead of`, which hints at the fault",
            ),
            ("\"loops\"", "\"missing\"", "missing", "the tag says `missing`, which hints at the fault"),
        ] {
            assert_eq!(found(&[(from, to)]), [(word.to_owned(), format!("Warning: {message}"))], "{to}");
        }
        for (from, to) in [(HINT, "Is a number missing?"), ("result = 0", "wrong = 0"), ("\"loops\"", "\"badge\"")] {
            assert_eq!(found(&[(from, to)]), [], "{to}");
        }
        let name = |name: &str| format!("Warning: the name `{name}` hints at the fault");
        assert_eq!(found(&[("def total", "def unsafeTotal")]), [("unsafeTotal".to_owned(), name("unsafeTotal"))]);
        let on_line = "for bad_i in range(len(numbers) - 1):";
        assert_eq!(found(&[(LINE, on_line), (LINE, on_line)]), [("bad_i".to_owned(), name("bad_i"))]);
    }
}
