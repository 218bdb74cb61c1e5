//! Questions, packs and answers that are nearly TOML: whatever is wrong with them, reading them ends, and each problem has a
//! place in its file.

use std::path::Path;
use std::sync::Arc;

use fencepost::content::diagnostic::{Diagnostic, SourceFile};
use fencepost::content::{parse, render};
use fencepost::runner::Verdict;

use super::{Plan, Random};
use crate::command::{PACK, SMALL};

/// Signs that open, close or end something in TOML, or are mistaken for one that does.
const TOKENS: &[&str] = &[
    "'''",
    "\"\"\"",
    "'",
    "\"",
    "\\",
    "\\u",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "=",
    "==",
    ":",
    ",",
    "#",
    "\n",
    "\r\n",
    "\0",
    "\u{a0}",
    "“",
    "é",
    "0",
    "08",
    "-",
    "+",
    "2026-13-30",
    "true",
    "True",
    "<<<<<<< HEAD\n",
    "=======\n",
    ">>>>>>> main\n",
    "[spot]\n",
    "[[check]]\n",
    "code = '''\n",
    "a = [\n",
    ".",
    "    ",
    "x",
];

fn edited(random: &mut Random, text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..1 + random.below(4) {
        let range = random.range(characters.len());
        let new = if random.once_in(3) { "" } else { random.pick(TOKENS) };
        let range = if random.once_in(2) { range.start..range.start } else { range };
        characters.splice(range, new.chars());
    }
    characters.into_iter().collect()
}

#[track_caller]
fn assert_placed(file: &Arc<SourceFile>, problems: &[Diagnostic], told: &str) {
    assert!(problems.len() <= 101, "{} problems: {told}", problems.len());
    for problem in problems {
        assert!(
            file.text.get(problem.span.clone()).is_some(),
            "{:?} of {} bytes: {told}",
            problem.span,
            file.text.len()
        );
    }
    let _ = render::diagnostics(problems, str::to_owned, false, 100);
}

#[test]
fn nothing_that_is_nearly_toml_stops_the_reader() {
    let answers = "format = 1\n\n[[answer]]\nquestion = \"fixture/small\"\nline = 3\nfix = '''\nprint(1)\n'''\n";
    let texts = [SMALL, SMALL, PACK, answers];
    let mut plan = Plan::from_environment();
    while let Some((run, mut random)) = plan.next() {
        let seed = random.pick(&texts);
        let text = edited(&mut random, seed);
        let told = format!("seed {}, run {run}:\n{text}", plan.seed);
        let file = Arc::new(SourceFile { path: Path::new("x.toml").to_owned(), text });
        let (question, problems) = parse::question(&file);
        assert!(question.is_some() || !problems.is_empty(), "{told}");
        assert_placed(&file, &problems, &told);
        let (pack, problems) = parse::pack(&file);
        assert_eq!(pack.is_some(), problems.is_empty(), "{told}");
        assert_placed(&file, &problems, &told);
        plan.count(Verdict::Finished);
    }
    plan.report("questions");
}
