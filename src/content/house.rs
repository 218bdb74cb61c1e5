//! The rules of the house: what a screen has room for, what a pack of checks can rely on, what days there may be.
//!
//! Owns rules that a question can break and still work, which is why most of them warn only.

use std::collections::HashSet;

use crate::content::diagnostic::{Severity, codes};
use crate::content::findings::Findings;
use crate::content::locate::Step;
use crate::content::python::{Program, Reader};
use crate::content::question::{Date, LineNo, Question, lines};
use crate::content::{chance, load};
use crate::text::counted;

/// Columns and lines of a program: an 80-column screen keeps room for line numbers, and 24 lines for the frame.
const COLUMNS: usize = 76;
const BUGGY_LINES: usize = 22;
const FIXED_LINES: usize = 26;

/// Notes programs that do not fit a screen.
pub(super) fn size(findings: &mut Findings<'_>, question: &Question) {
    for (table, code, most) in
        [("spot", &question.spot.code, BUGGY_LINES), ("fixed", &question.fixed.code, FIXED_LINES)]
    {
        let path = [Step::Key(table), Step::Key("code")];
        let program = lines(code);
        for (index, text) in program.iter().enumerate() {
            let width = text.chars().count();
            if width > COLUMNS {
                let line = LineNo::from_index(index);
                let span = findings.line(&path, line);
                let message =
                    format!("line {line} has {width} columns, of which {COLUMNS} fit beside the line numbers");
                findings.push(Severity::Warning, codes::TOO_WIDE, span, message, "break the line".to_owned());
            }
        }
        if program.len() > most {
            let span = findings.line(&path, LineNo::from_index(most));
            let message = format!("the program has {} lines, of which {most} fit the screen", program.len());
            let help = "leave out what the question does not need".to_owned();
            findings.push(Severity::Warning, codes::TOO_LONG, span, message, help);
        }
    }
}

/// Bytes of programs that are read at most to look for chance behind them. Nobody writes as many; where a file is made to have
/// more, checks are read by themselves.
const MOST_READ: usize = 128 << 10;

/// Notes classes and functions that checks could not find in the fixed program.
pub(super) fn names(findings: &mut Findings<'_>, buggy: &Program<'_>, fixed: &Program<'_>) {
    // However it comes by a name: assigned, imported, or defined in a branch.
    let theirs = fixed.bound();
    for (_, name) in buggy.definitions() {
        if !theirs.contains(&name) {
            let span = findings.place(&[Step::Key("fixed"), Step::Key("code")]);
            let message = format!("the fixed program does not define `{name}`, which the buggy one does");
            let help = format!("define `{name}`, so that checks and scenario work in both");
            findings.push(Severity::Error, codes::MISSING_NAME, span, message, help);
        }
    }
}

/// Notes what differs from run to run in the program of `table`.
pub(super) fn chance(findings: &mut Findings<'_>, table: &'static str, program: &Program<'_>) {
    for found in chance::uses(program) {
        let span = findings.line(&[Step::Key(table), Step::Key("code")], found.line);
        findings.push(Severity::Warning, codes::NOT_DETERMINISTIC, span, found.what, found.instead.to_owned());
    }
}

/// Notes what differs from run to run in the checks and the scenario, which run after the program and in its names.
pub(super) fn chance_behind(findings: &mut Findings<'_>, question: &Question, reader: &mut Reader) {
    let mut left = MOST_READ;
    for (at, check) in question.checks.iter().enumerate() {
        let part = (vec![Step::Key("check"), Step::At(at), Step::Key("code")], check.code.clone());
        chance_in(findings, question, reader, &mut left, &[part]);
    }
    if let Some(scenario) = &question.scenario {
        let key = Step::Key("scenario");
        let mut parts = vec![(vec![key, Step::Key("setup")], scenario.setup.clone())];
        for (at, step) in scenario.steps.iter().enumerate() {
            let path = vec![key, Step::Key("step"), Step::At(at), Step::Key("run")];
            parts.extend(step.run.as_ref().map(|run| (path, shown(run))));
        }
        for (at, watched) in scenario.watch.iter().enumerate() {
            parts.push((vec![key, Step::Key("watch"), Step::At(at)], shown(watched)));
        }
        chance_in(findings, question, reader, &mut left, &parts);
    }
}

/// An expression whose value is shown to learners, as a program would.
fn shown(expression: &str) -> String {
    format!("print({expression}\n)")
}

/// Notes what differs from run to run in `parts`, each with the way to it, which run one after the other.
fn chance_in(
    findings: &mut Findings<'_>,
    question: &Question,
    reader: &mut Reader,
    left: &mut usize,
    parts: &[(Vec<Step>, String)],
) {
    let program = question.spot.code.as_str();
    let rest = left.checked_sub(program.len());
    *left = rest.unwrap_or(0);
    let before = rest.map_or("", |_| program);
    let texts: Vec<&str> = std::iter::once(before).chain(parts.iter().map(|(_, text)| text.as_str())).collect();
    let source = texts.join("\n");
    let Some(program) = reader.read(&source) else { return };
    let mut ends = 0;
    let mut starts = Vec::new();
    for text in texts {
        starts.push(ends);
        ends += text.matches('\n').count() + 1;
    }
    for found in chance::uses(&program) {
        // What stands in the program was told of there, and the program is the first.
        let Some(part) = starts.partition_point(|start| *start <= found.line.index()).checked_sub(2) else { continue };
        let (Some(start), Some((path, _))) = (starts.get(part + 1), parts.get(part)) else { continue };
        let span = findings.line(path, LineNo::from_index(found.line.index() - start));
        findings.push(Severity::Warning, codes::NOT_DETERMINISTIC, span, found.what, found.instead.to_owned());
    }
}

/// Notes checks that are called what another is called: whoever reads a report could not tell them apart.
pub(super) fn check_names(findings: &mut Findings<'_>, question: &Question) {
    let mut seen = HashSet::new();
    for (at, check) in question.checks.iter().enumerate() {
        let words: Vec<String> = check.name.split_whitespace().map(str::to_lowercase).collect();
        if !seen.insert(words.join(" ")) {
            let span = findings.place(&[Step::Key("check"), Step::At(at), Step::Key("name")]);
            let message = format!("another check is called `{}` as well", check.name.trim());
            let help = "name each check after what it alone asks: reports tell them apart by their names".to_owned();
            findings.push(Severity::Error, codes::DUPLICATE_CHECK, span, message, help);
        }
    }
}

/// Notes days that are still to come on `today`. Tomorrow is not among them: it may have begun where the author is.
pub(super) fn days(findings: &mut Findings<'_>, question: &Question, today: Date) {
    // Where the clock says that this program was not written yet, the clock is wrong.
    let today = load::newest_day().map_or(today, |newest| today.max(newest));
    let mut days = Vec::new();
    if let Some(review) = &question.review {
        let help = "write the day on which the question was reviewed";
        days.push((review.on, vec![Step::Key("review"), Step::Key("on")], help));
    }
    if let Some(verified) = &question.verified {
        let help = "`fencepost author check --stamp` writes it anew";
        days.push((verified.on, vec![Step::Key("verified"), Step::Key("on")], help));
    }
    for (at, fact) in question.learn.facts.iter().enumerate() {
        let path = vec![Step::Key("learn"), Step::Key("fact"), Step::At(at), Step::Key("checked")];
        days.push((fact.checked, path, "write the day on which the fact was looked up"));
    }
    for (day, path, help) in days.into_iter().filter(|(day, ..)| day.days_since(today) > 1) {
        let span = findings.place(&path);
        let message = format!("{day} has not come yet");
        findings.push(Severity::Warning, codes::FUTURE_DATE, span, message, help.to_owned());
    }
}

/// Notes facts that were looked up more than `days` before `today`.
pub(super) fn facts(findings: &mut Findings<'_>, question: &Question, today: Date, days: u32) {
    for (index, fact) in question.learn.facts.iter().enumerate() {
        let age = today.days_since(fact.checked);
        if age > i64::from(days) {
            let span = findings.place(&[Step::Key("learn"), Step::Key("fact"), Step::At(index), Step::Key("checked")]);
            let age = counted(usize::try_from(age).unwrap_or(usize::MAX), "day");
            let message = format!("this fact was looked up {age} ago");
            let help = "look it up again, correct it, and write today's date".to_owned();
            findings.push(Severity::Warning, codes::STALE_FACT, span, message, help);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::content::{parse, read};

    const SMALL: &str = include_str!("../../tests/fixtures/small.toml");

    /// What is told of chance in the checks and the scenario of `text`: where, the words there, and the message.
    fn chance_in(text: &str) -> Vec<(usize, String, String)> {
        let file = read::source(Path::new("small.toml"), text);
        let question = parse::question(&file).0.unwrap();
        let mut findings = Findings::new(&file);
        chance_behind(&mut findings, &question, &mut Reader::new().unwrap());
        let told = |problem: crate::content::diagnostic::Diagnostic| {
            let line = file.text[..problem.span.start].matches('\n').count() + 1;
            (line, file.text[problem.span].to_owned(), problem.message)
        };
        findings.finish().into_iter().map(told).collect()
    }

    /// The small question with a program that imports, a second check and a scenario.
    fn with(check: &str, setup: &str, run: &str, watch: &str) -> String {
        let check = format!("[[check]]\nname = \"more\"\ncode = '''\n{check}\n'''\n");
        let step = format!("[[scenario.step]]\nat = \"1\"\nwho = \"a\"\ndoes = \"adds\"\nrun = '{run}'\n");
        let scenario = format!("[scenario]\nsetup = '''\n{setup}\n'''\nwatch = ['{watch}']\n{step}");
        let program = "code = '''\nimport random as r\nimport time\nx = time.time()\n";
        SMALL.replacen("code = '''\n", program, 1).replacen("[say]", &format!("{check}{scenario}[say]"), 1)
    }

    #[test]
    fn chance_in_checks_and_scenarios_is_told_in_its_place() {
        let text =
            with("assert 1\nassert r.random() < 2", "a = {1}\nt = time.time()", "r.choice([a])", "total([1]), a");
        let line_of = |words: &str| text.lines().position(|line| line.contains(words)).unwrap() + 1;
        let told = |words: &str, at: &str, message: &str| (line_of(words), at.to_owned(), message.to_owned());
        let set = "a set is printed, whose order differs from run to run";
        assert_eq!(
            chance_in(&text),
            [
                told("assert r.random", "assert r.random() < 2", "`r.random` has no seed"),
                told("t = time", "t = time.time()", "`time.time` reads a clock"),
                told("run = ", "'r.choice([a])'", "`r.choice` has no seed"),
                told("watch = ", "'total([1]), a'", set),
            ]
        );
    }

    #[test]
    fn what_is_no_chance_in_checks_and_scenarios_is_left_alone() {
        assert_eq!(chance_in(SMALL), []);
        let text = with("r.seed(3)\nassert r.random() < 2", "a = {1}", "sorted(a)", "len(a) # a");
        assert_eq!(chance_in(&text), []);
        // Names of one check are none in the next one.
        let first = "[[check]]\nname = \"first\"\ncode = \"\"\"\ntotal = time.time\n\"\"\"\n[[check]]\nname = \"more\"";
        let text = with("assert total([1]) == 0", "", "1", "2").replacen("[[check]]\nname = \"more\"", first, 1);
        assert_eq!(chance_in(&text), []);
    }

    #[test]
    fn a_file_of_many_checks_behind_a_long_program_is_read_in_no_time() {
        let check = "[[check]]\nname = \"more\"\ncode = \"time.time()\"\n";
        let long = SMALL.replacen("code = '''\n", &format!("code = '''\nimport time\n{}", "x = 1\n".repeat(10_000)), 1);
        let text = long.replacen("[say]", &format!("{}[say]", check.repeat(500)), 1);
        assert!(chance_in(&text).len() > 100);
    }
}
