//! What tells where to look or what to change without naming the line: the way there, the part that it is in, an operator.
//!
//! Owns which texts are asked for which of these. Hints may name the part, since the last one nearly shows.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use super::said::{self, Side};
use super::{in_line, names_an_accepted_line, smells, tell};
use crate::content::diagnostic::{Severity, codes};
use crate::content::findings::Findings;
use crate::content::locate::Step;
use crate::content::python::Program;
use crate::content::question::{LineNo, Question, lines};
use crate::content::texts;

/// Notes what leads to an accepted line of `question` or to its repair.
pub(in crate::content) fn told(findings: &mut Findings<'_>, question: &Question, program: &Program<'_>) {
    ways(findings, question, program);
    let names = parts(question, program);
    let operators = operators(question);
    for text in texts::of(question).iter().filter(|text| text.before && text.prose) {
        if matches!(text.path.as_slice(), [Step::Key("spot"), Step::Key("hints"), ..]) {
            continue;
        }
        if let Some(words) = said::within(text.words, &names) {
            let span = findings.word(&text.path, words);
            let message = format!("`{}` tells which part of the program to look at", words.replace('`', ""));
            say_what_is_seen(findings, span, message);
        }
        let operator = smells::operators::named(text.words, &operators);
        match (text.path.as_slice(), operator) {
            ([Step::Key("check"), ..], Some(operator)) => {
                let span = findings.word(&text.path, operator);
                tell(findings, span, "an operator that the repair changes stands here");
            }
            ([Step::Key("title")] | [Step::Key("spot"), Step::Key("prompt")], Some(operator)) => {
                let span = findings.word(&text.path, operator);
                say_what_is_seen(findings, span, "an operator that the repair changes stands here".to_owned());
            }
            _ => {}
        }
    }
}

fn say_what_is_seen(findings: &mut Findings<'_>, span: Range<usize>, message: String) {
    let help = "say what goes wrong, seen from outside, and leave the place to the learner".to_owned();
    findings.push(Severity::Warning, codes::HINTS_AT_ANSWER, span, message, help);
}

/// Notes near misses and comments from which so many lines lead to an accepted one.
fn ways(findings: &mut Findings<'_>, question: &Question, program: &Program<'_>) {
    for (at, near) in question.spot.near.iter().enumerate() {
        let path = [Step::Key("spot"), Step::Key("near"), Step::At(at), Step::Key("feedback")];
        for words in leading(question, near.line, &near.feedback) {
            names_an_accepted_line(findings, words, |findings| findings.word(&path, words));
        }
    }
    for comment in program.comments() {
        for words in leading(question, comment.line, comment.text) {
            names_an_accepted_line(findings, words, |findings| in_line(findings, comment.line, words));
        }
    }
}

/// The words in `text`, which stands at `line`, that lead to an accepted line, each once.
fn leading<'t>(question: &Question, line: LineNo, text: &'t str) -> Vec<&'t str> {
    let program = lines(&question.spot.code);
    // Whoever counts lines may leave out the blank ones.
    let is_written = |at: &usize| program.get(*at).is_some_and(|line| !line.trim().is_empty());
    let accepts = |at: usize| question.accepts(LineNo::from_index(at));
    let reaches = |side, count: u32| {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let Some(before) = count.checked_sub(1) else { return false };
        let at = line.index();
        match side {
            Side::Above => {
                let written = (0..at.min(program.len())).rev().filter(is_written).nth(before);
                [at.checked_sub(count), written].into_iter().flatten().any(accepts)
            }
            Side::Below => {
                let written = (at + 1..program.len()).filter(is_written).nth(before);
                let plain = at.checked_add(count).filter(|at| *at < program.len());
                [plain, written].into_iter().flatten().any(accepts)
            }
        }
    };
    let mut seen = HashSet::new();
    let all = said::apart(text).into_iter().filter(|apart| seen.insert(apart.words));
    let leads = all.filter(|apart| {
        let sides = [Side::Above, Side::Below].into_iter().filter(|side| apart.side.is_none_or(|it| it == *side));
        let counts = *apart.count.start()..=(*apart.count.end()).min(u32::try_from(program.len()).unwrap_or(u32::MAX));
        sides.into_iter().any(|side| counts.clone().any(|count| reaches(side, count)))
    });
    leads.map(|apart| apart.words).collect()
}

/// The names of the classes and functions that the accepted lines are in, the longest first.
fn parts(question: &Question, program: &Program<'_>) -> Vec<String> {
    let mut all = Vec::new();
    for line in question.accepted().collect::<BTreeSet<_>>() {
        let around = program.around(line);
        all.extend((0..around.len()).filter_map(|from| Some(around.get(from..)?.join("."))));
        all.extend(around.into_iter().map(str::to_owned));
    }
    all.sort_by_key(|name| std::cmp::Reverse(name.len()));
    all.dedup();
    all
}

/// The operators that the repair brings or takes away. Those of a line that it moves are in both.
fn operators(question: &Question) -> Vec<&'static str> {
    let program = lines(&question.spot.code);
    let repairs = &question.spot.repairs;
    let before: Vec<&str> = repairs.iter().filter_map(|it| program.get(it.line.index()).copied()).collect();
    let after: Vec<&str> = repairs.iter().map(|it| it.with.as_str()).collect();
    smells::operators::changed(&before.join("\n"), &after.join("\n"))
}

#[cfg(test)]
mod tests {
    use crate::content::leak::tests::{findings, line_of};

    const TITLE: &str = "The sum that forgets its last number";
    const PROMPT: &str = "Which line loses a number?";
    const NEAR: &str = "Nought is where a sum begins.";
    const CHECK: &str = "every number counts";
    const HINT: &str = "Where does a range end?";
    const RESULT: &str = "    result = 0";

    /// The small question, repaired by another comparison, with `to` for `from`.
    fn told(from: &str, to: &str) -> Vec<(usize, String, String)> {
        let code = ("    for i in range(len(numbers) - 1):\n", "    while result >= len(numbers):\n");
        let answer = ("\"for i in range(len(numbers) - 1):\"", "\"while result >= len(numbers):\"");
        let repair = ("    for i in range(len(numbers)):\n", "    while result > len(numbers):\n");
        findings(&[code, answer, repair, (from, to)])
    }

    #[test]
    fn what_leads_to_the_line_or_to_the_repair_is_told() {
        let part = |words: &str| format!("`{words}` tells which part of the program to look at");
        let line = |words: &str| format!("`{words}` names an accepted line");
        let operator = "an operator that the repair changes stands here";
        let check = format!("{operator}, and learners see the checks before they have repaired the program");
        for (from, to, words, message) in [
            (TITLE, "The off-by-one bug in total", "off-by-one bug in total", part("off-by-one bug in total")),
            (PROMPT, "Which line in `total` is it?", "line in `total", part("line in total")),
            (PROMPT, "Where is it that `>` is right?", ">", operator.to_owned()),
            (CHECK, "total compares with > and not >=", ">", check),
            (NEAR, "Close! It is one line further down.", "one line further down", line("one line further down")),
            (NEAR, "It is a line away.", "a line away", line("a line away")),
            (RESULT, "    result = 0  # a line further down", "a line further down", line("a line further down")),
        ] {
            assert_eq!(told(from, to), [(line_of(from), words.to_owned(), message)], "{to}");
        }
    }

    #[test]
    fn what_leads_elsewhere_is_left_alone() {
        for (from, to) in [
            (TITLE, "The bug in the sum"),
            (HINT, "Which line in `total` is it?"),
            (NEAR, "It is not here but three lines further down."),
            (NEAR, "It is not a line further up."),
            (CHECK, "the total is > 0"),
            (CHECK, "no bug in total"),
            (RESULT, "    result = 0  # two lines further down"),
        ] {
            assert_eq!(told(from, to), [], "{to}");
        }
    }
}
