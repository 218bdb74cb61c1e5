//! Rules of style: the size of programs and answers, names, prompts and dates.
//!
//! A question that breaks one still works, so most of them only warn.

use std::collections::HashSet;
use std::sync::Arc;

use crate::author::python::{Program, Reader};
use crate::author::texts;
use crate::content::diagnostic::{Diagnostic, Severity, SourceFile, codes};
use crate::content::load;
use crate::content::locate::Step;
use crate::content::lookalike;
use crate::content::problems::Problems;
use crate::content::question::{DEFAULT_SECONDS, Date, LineNo, Pack, Question, lines};
use crate::text::counted;

/// Columns and lines of a program: an 80-column screen keeps nine for marks, line numbers and the scroll bar, and 24 lines
/// keep two for the frame.
const COLUMNS: usize = 71;
const BUGGY_LINES: usize = 22;
const FIXED_LINES: usize = 26;

/// Words in a minute of quick speech.
const WORDS_A_MINUTE: usize = 155;

/// Reports programs that do not fit a screen.
pub(super) fn size(problems: &Problems, question: &Question) {
    for (table, code, most) in
        [("spot", &question.spot.code, BUGGY_LINES), ("fixed", &question.fixed.code, FIXED_LINES)]
    {
        let path = [Step::Key(table), Step::Key("code")];
        let program = lines(code);
        for (index, text) in program.iter().enumerate() {
            let width = text.chars().count();
            if width > COLUMNS {
                let line = LineNo::from_index(index);
                let span = problems.line(&path, line);
                let message = format!("line {line} has {width} columns, but only {COLUMNS} fit on the screen");
                problems.push(Severity::Warning, codes::TOO_WIDE, span, message, "split the line".to_owned());
            }
        }
        if program.len() > most {
            let span = problems.line(&path, LineNo::from_index(most));
            let message = format!("the program has {} lines, but only {most} fit on the screen", program.len());
            let help = "remove what the question does not need".to_owned();
            problems.push(Severity::Warning, codes::TOO_LONG, span, message, help);
        }
    }
}

/// Reports classes and functions that checks could not find in the fixed program.
pub(super) fn names(problems: &Problems, buggy: &Program<'_>, fixed: &Program<'_>) {
    // Assigned, imported, or defined in a branch.
    let theirs = fixed.bound();
    for (_, name) in buggy.definitions() {
        if !theirs.contains(&name) {
            let span = problems.place(&[Step::Key("fixed"), Step::Key("code")]);
            let message = format!("the fixed program does not define `{name}`, which the buggy one does");
            let help = format!("define `{name}`, so that checks and scenario work in both");
            problems.push(Severity::Error, codes::MISSING_NAME, span, message, help);
        }
    }
}

/// Reports checks with the same name, which reports could not tell apart.
pub(super) fn check_names(problems: &Problems, question: &Question) {
    let mut seen = HashSet::new();
    for (at, check) in question.checks.iter().enumerate() {
        let words: Vec<String> = check.name.split_whitespace().map(str::to_lowercase).collect();
        if !seen.insert(words.join(" ")) {
            let span = problems.place(&[Step::Key("check"), Step::At(at), Step::Key("name")]);
            let message = format!("another check is also called `{}`", check.name.trim());
            let help = "give each check its own name, so that reports can tell them apart".to_owned();
            problems.push(Severity::Error, codes::DUPLICATE_CHECK, span, message, help);
        }
    }
}

/// Reports line breaks in texts that are shown in one line: headings, chips, lanes, points, names.
pub(super) fn line_breaks(problems: &Problems, question: &Question) {
    let keys = ["title", "topic", "requires", "tags", "kind", "name", "at", "who", "points"];
    for text in texts::of(question) {
        let key = text.path.iter().rev().find_map(|step| if let Step::Key(key) = step { Some(*key) } else { None });
        if let Some(key) = key.filter(|key| keys.contains(key)) {
            line_break(problems, key, text.words, &text.path);
        }
    }
}

/// Reports line breaks in the heading and the names of a pack.
pub(super) fn line_breaks_of_pack(file: &Arc<SourceFile>, pack: &Pack) -> Vec<Diagnostic> {
    let problems = Problems::new(file.clone());
    line_break(&problems, "title", &pack.title, &[Step::Key("title")]);
    line_break(&problems, "licence", &pack.licence, &[Step::Key("licence")]);
    for (at, author) in pack.authors.iter().enumerate() {
        line_break(&problems, "authors", author, &[Step::Key("authors"), Step::At(at)]);
    }
    for (at, learning) in pack.paths.iter().enumerate() {
        let path = [Step::Key("path"), Step::At(at), Step::Key("title")];
        line_break(&problems, "title", &learning.title, &path);
    }
    problems.finish()
}

fn line_break(problems: &Problems, key: &str, text: &str, path: &[Step]) {
    if text.contains('\n') {
        let message = format!("`{key}` has a line break");
        let help = "write it in one line".to_owned();
        problems.push(Severity::Error, codes::BAD_VALUE, problems.place(path), message, help);
    }
}

/// Reports a prompt that asks nothing.
pub(super) fn prompt(problems: &Problems, question: &Question) {
    if !question.spot.prompt.contains('?') {
        let span = problems.place(&[Step::Key("spot"), Step::Key("prompt")]);
        let message = "the prompt asks no question".to_owned();
        let help = "end it with one, such as `Which line lets that happen?`".to_owned();
        problems.push(Severity::Warning, codes::ASKS_NOTHING, span, message, help);
    }
}

/// Reports a spoken answer that takes longer than its time.
pub(super) fn answer(problems: &Problems, question: &Question) {
    let words = question.say.answer.split_whitespace().count();
    let seconds = question.say.seconds.max(DEFAULT_SECONDS);
    let most = usize::try_from(seconds).unwrap_or(usize::MAX).saturating_mul(WORDS_A_MINUTE) / 60;
    if words > most {
        let span = problems.place(&[Step::Key("say"), Step::Key("answer")]);
        let message = format!("the answer has {words} words, too many for {seconds} seconds");
        let help = "keep to what the points need: people say about two words a second".to_owned();
        problems.push(Severity::Warning, codes::LONG_ANSWER, span, message, help);
    }
}

/// Reports names in code that mix Latin letters with others that look like them.
pub(super) fn scripts(problems: &Problems, question: &Question, reader: &mut Reader) {
    let code = |table, code| (vec![Step::Key(table), Step::Key("code")], code);
    let mut parts = vec![code("spot", &question.spot.code), code("fixed", &question.fixed.code)];
    let check = |(at, code)| (vec![Step::Key("check"), Step::At(at), Step::Key("code")], code);
    parts.extend(question.checks.iter().map(|check| &check.code).enumerate().map(check));
    let setup = question.scenario.iter().map(|scenario| &scenario.setup);
    parts.extend(setup.map(|setup| (vec![Step::Key("scenario"), Step::Key("setup")], setup)));
    for (path, code) in parts {
        for (line, name) in reader.read(code).iter().flat_map(Program::names) {
            if let Some(letter) = lookalike::mixed(name) {
                let span = problems.narrow(problems.line(&path, line), name);
                let message = format!("the name `{name}` mixes letters of two scripts");
                problems.push(Severity::Error, codes::MIXED_SCRIPTS, span, message, letter.help());
            }
        }
    }
}

/// Reports dates after `today`, except tomorrow: it may have begun where the author is.
pub(super) fn days(problems: &Problems, question: &Question, today: Date) {
    // A clock that is behind the newest built-in question is wrong.
    let today = load::newest_day().map_or(today, |newest| today.max(newest));
    let mut days = Vec::new();
    if let Some(review) = &question.review {
        let help = "write the day on which the question was reviewed";
        days.push((review.on, vec![Step::Key("review"), Step::Key("on")], help));
    }
    if let Some(verified) = &question.verified {
        let help = "`fencepost author check --stamp` writes a new one";
        days.push((verified.on, vec![Step::Key("verified"), Step::Key("on")], help));
    }
    for (at, fact) in question.learn.facts.iter().enumerate() {
        let path = vec![Step::Key("learn"), Step::Key("fact"), Step::At(at), Step::Key("checked")];
        days.push((fact.checked, path, "write the day on which the fact was looked up"));
    }
    for (day, path, help) in days.into_iter().filter(|(day, ..)| day.days_since(today) > 1) {
        let span = problems.place(&path);
        let message = format!("{day} is in the future");
        problems.push(Severity::Warning, codes::FUTURE_DATE, span, message, help.to_owned());
    }
}

/// Reports facts that were looked up more than `days` ago.
pub(super) fn facts(problems: &Problems, question: &Question, today: Date, days: u32) {
    for (index, fact) in question.learn.facts.iter().enumerate() {
        let age = today.days_since(fact.checked);
        if age > i64::from(days) {
            let span = problems.place(&[Step::Key("learn"), Step::Key("fact"), Step::At(index), Step::Key("checked")]);
            let age = counted(usize::try_from(age).unwrap_or(usize::MAX), "day");
            let message = format!("this fact was looked up {age} ago");
            let help = "look it up again, correct it if needed, and set `checked` to today";
            problems.push(Severity::Warning, codes::STALE_FACT, span, message, help);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::content::{parse, read};

    /// The messages of the rules of texts on the small question with a text of it replaced.
    #[track_caller]
    fn found(from: &str, to: &str) -> Vec<String> {
        let text = include_str!("../../tests/fixtures/small.toml");
        assert!(text.contains(from), "{from}");
        let file = read::source(Path::new("small.toml"), &text.replacen(from, to, 1));
        let question = parse::question(&file).0.unwrap();
        let problems = Problems::new(file);
        line_breaks(&problems, &question);
        prompt(&problems, &question);
        answer(&problems, &question);
        scripts(&problems, &question, &mut Reader::new().unwrap());
        problems.finish().into_iter().map(|it| it.message).collect()
    }

    const ANSWER: &str = "Because the ends are easy to miss. Loop over the values, or sum them.";

    #[test]
    fn texts_that_break_a_rule_and_texts_that_do_not() {
        let long = |words: usize| vec!["so"; words].join(" ");
        for (from, to, message) in [
            ("Which line loses a number?", "Find the line.", Some("the prompt asks no question")),
            ("Which line loses a number?", "Why? The line decides.", None),
            ("topic = \"Python\"", "topic = \"Python\\n\"", Some("`topic` has a line break")),
            ("\"loops\"", "\"loops\\nranges\"", Some("`tags` has a line break")),
            ("\"Ends are excluded\"", "\"Ends are\\nexcluded\"", Some("`points` has a line break")),
            ("every number counts", "every number\\ncounts", Some("`name` has a line break")),
            ("Nought is where", "Nought is\\nwhere", None),
            ("is all there is.", "is all\\nthere is.", None),
            (ANSWER, &long(90), None),
            (ANSWER, &long(91), Some("the answer has 91 words, too many for 35 seconds")),
            ("seconds = 2\nanswer = \"Because", &format!("seconds = 60\nanswer = \"{}", long(100)), None),
            ("for n in", "for n\u{435}xt in", Some("the name `n\u{435}xt` mixes letters of two scripts")),
            ("for n in", "for \u{3b4}n in", None),
            ("{n} ones add up", "n\u{435}xt ones add up", None),
        ] {
            assert_eq!(found(from, to), message.into_iter().collect::<Vec<_>>(), "{to}");
        }
    }

    #[test]
    fn a_pack_has_names_of_one_line() {
        let pack = "format = 1\ntitle = \"A\\nB\"\nsummary = \"a\\nb\"\nauthors = [\"A\", \"B\\n\"]\nlicence = \"MIT\"\nreport = \"me\"\n[[path]]\ntitle = \"A\\n\"\nsummary = \"b\"\nquestions = [\"c\"]\n";
        let file = read::source(Path::new("pack.toml"), pack);
        let problems = line_breaks_of_pack(&file, &parse::pack(&file).0.unwrap());
        let messages: Vec<_> = problems.iter().map(|it| (it.position(), it.message.as_str())).collect();
        let title = "`title` has a line break";
        assert_eq!(messages, [((2, 9), title), ((4, 17), "`authors` has a line break"), ((8, 9), title)]);
    }
}
