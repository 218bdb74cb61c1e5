//! The third and fourth proofs of a question about a gap: the missing lines work in the accepted gaps, and in no other.
//!
//! Each program is the buggy one with the missing lines in one gap, indented as a block may be there.

use std::collections::HashSet;

use super::jobs::{job, wait};
use super::verifier::Verifier;
use crate::content::diagnostic::{Severity, codes};
use crate::content::locate::Step;
use crate::content::question::{LineNo, Question, is_code, lines};
use crate::error::Error;
use crate::runner::{CheckCode, Limits, Mode, Runner};

/// The buggy program with the missing lines after a line.
#[derive(Debug, PartialEq, Eq)]
struct Insertion {
    after: LineNo,
    source: String,
}

/// Runs the buggy program with the missing lines in every gap but the one of the repair, which was proved before. Returns the
/// number of programs.
pub(super) fn prove(
    verifier: &mut Verifier<'_>,
    runner: &dyn Runner,
    checks: &[CheckCode],
    limits: Limits,
) -> Result<usize, Error> {
    let question = verifier.question;
    // Without an insertion, there is a problem that was reported when the question was read.
    let Some(repair) = question.spot.repairs.first().filter(|it| question.accepts(it.line)) else { return Ok(0) };
    let added: Vec<&str> = lines(&repair.with).into_iter().skip(1).collect();
    let mut programs = insertions(question, &added);
    programs.retain(|it| it.after != repair.line);
    let count = programs.len();
    let start = |it: Insertion| {
        // An accepted line must not be doubted because the machine is busy.
        let limits = if question.accepts(it.after) { Limits::default() } else { limits };
        (it.after, runner.start(job(&it.source, Mode::Check(checks.to_vec()), limits)))
    };
    let mut passing = HashSet::from([repair.line]);
    for (after, handle) in programs.into_iter().map(start).collect::<Vec<_>>() {
        if wait(&handle)?.passed() && passing.insert(after) && !question.accepts(after) {
            verifier.other_gap(after);
        }
    }
    for (at, line) in question.accepted().enumerate() {
        if !passing.contains(&line) {
            verifier.unproved_gap(at, line);
        }
    }
    Ok(count)
}

/// The buggy program with `added` after each of its lines, in every indentation that a line there can have.
fn insertions(question: &Question, added: &[&str]) -> Vec<Insertion> {
    let program = lines(&question.spot.code);
    let mut programs = Vec::new();
    for (index, _) in program.iter().enumerate().filter(|(_, line)| is_code(line)) {
        for indent in indents(&program, index) {
            let mut source = String::with_capacity(question.spot.code.len() + 80);
            for (at, line) in program.iter().enumerate() {
                source = source + line + "\n";
                if at == index {
                    source.push_str(&indented(added, indent));
                }
            }
            programs.push(Insertion { after: LineNo::from_index(index), source });
        }
    }
    programs
}

/// The indentations that a line after the one at `index` can have: that of the block which it opens, or else of the blocks
/// which it is in, as far as they go on or end here.
fn indents<'p>(program: &[&'p str], index: usize) -> Vec<&'p str> {
    let next = program.iter().skip(index + 1).find(|line| is_code(line)).map_or("", |line| indent(line));
    let mut found: Vec<&str> = Vec::new();
    // Upwards from the line itself: each line that stands further left has the block around it.
    for line in program.iter().take(index + 1).rev().filter(|line| is_code(line)) {
        if found.last().is_none_or(|inner| indent(line).len() < inner.len()) {
            found.push(indent(line));
        }
    }
    if found.first().is_some_and(|own| next.len() > own.len()) {
        return vec![next];
    }
    found.retain(|indent| indent.len() >= next.len());
    found
}

/// The blanks at the start of a line.
fn indent(line: &str) -> &str {
    line.get(..line.len() - line.trim_start().len()).unwrap_or_default()
}

/// Lines as a block with another indentation.
fn indented(block: &[&str], to: &str) -> String {
    let from = block.iter().find(|line| is_code(line)).map_or("", |line| indent(line));
    let line = |line: &&str| format!("{to}{}\n", line.strip_prefix(from).unwrap_or(line.trim_start()));
    block.iter().map(line).collect()
}

impl Verifier<'_> {
    /// Reports that the missing lines also work after a line that is not accepted.
    fn other_gap(&mut self, line: LineNo) {
        let span = self.problems.line(&[Step::Key("spot"), Step::Key("code")], line);
        let message = format!("every check passes with the missing lines after line {line}");
        let ran = format!("the buggy program with the missing lines after line {line}, and its checks");
        let help = format!("accept line {line} as well, or add a check that this program fails");
        let shown = ("a check fails", "every check passes");
        self.push(Severity::Error, codes::OTHER_ANSWER, span, message, (&ran, shown, shown), &help);
    }

    /// Reports that the missing lines do not work after an accepted line.
    fn unproved_gap(&mut self, at: usize, line: LineNo) {
        let path = [Step::Key("spot"), Step::Key("answer"), Step::At(at), Step::Key("line")];
        let span = self.problems.place(&path);
        let message = format!("nothing proves that a step is missing after line {line}");
        let ran = format!("the buggy program with the missing lines after line {line}, and its checks");
        let shown = ("every check passes", "a check fails");
        let help = "remove the answer; if a learner could defend it, keep it and ignore this warning";
        self.push(Severity::Warning, codes::UNPROVED_ANSWER, span, message, (&ran, shown, shown), help);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_fits_into_every_block_that_ends_there() {
        let program = ["def a():", "    for b in c:", "        if b:", "            d()", "", "    e()", "# f", "g()"];
        for (index, found) in [
            (0, vec!["    "]),
            (1, vec!["        "]),
            (2, vec!["            "]),
            (3, vec!["            ", "        ", "    "]),
            (5, vec!["    ", ""]),
            (7, vec![""]),
        ] {
            assert_eq!(indents(&program, index), found, "{index}");
        }
    }

    #[test]
    fn a_block_keeps_its_shape() {
        assert_eq!(indented(&["    if a:", "        b()", "", "    # c"], "  "), "  if a:\n      b()\n  \n  # c\n");
        assert_eq!(indented(&["a()"], "    "), "    a()\n");
    }
}
