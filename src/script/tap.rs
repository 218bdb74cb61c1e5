//! A report in the Test Anything Protocol, version 14 (<https://testanything.org/tap-version-14-specification.html>): a
//! test point for each part of a question, with its facts in a YAML block.
//!
//! Every value of a YAML block is JSON on one line, which YAML 1.2 reads: see `ascii::for_yaml`.

use std::fmt::Write as _;

use crate::script::ascii;
use crate::script::parts::{Fact, Part, Status, of_the_question, of_the_quiz, parts};
use crate::script::report::{FORMAT, Report};

/// Writes the whole document.
pub fn document(report: &Report) -> String {
    let mut points = String::new();
    let mut count = 0;
    for graded in &report.questions {
        let mut question = of_the_question(graded);
        for part in parts(graded, report) {
            count += 1;
            // Facts of the whole question are in the block of its first part.
            point(&mut points, count, &graded.question.to_string(), &part, std::mem::take(&mut question));
        }
    }
    let (total, terms) = (&report.total, &report.terms);
    let skip = terms.why_empty.as_ref().map_or_else(String::new, |why| format!(" # SKIP {why}"));
    let mut out = format!("TAP version 14\n1..{count}{skip}\n# fencepost quiz, format {FORMAT}\n{points}");
    for (name, value) in of_the_quiz(report) {
        let _ = writeln!(out, "# {name}: {}", ascii::for_yaml(&value.to_string()));
    }
    let verdict = if total.passed { "passed" } else { "not passed" };
    let _ = writeln!(
        out,
        "# score {} of {} ({} %), pass mark {} %: {verdict}",
        total.score, total.of, total.percent, terms.pass_mark
    );
    out
}

fn point(out: &mut String, number: usize, question: &str, part: &Part, more: Vec<Fact>) {
    let ok = if part.status == Status::Passed { "ok" } else { "not ok" };
    let directive = if part.status == Status::NotCounted { " # TODO not counted" } else { "" };
    let _ = writeln!(out, "{ok} {number} - {} {}{directive}", description(question), part.name);
    out.push_str("  ---\n");
    for (name, value) in part.facts.iter().chain(&more) {
        let _ = writeln!(out, "  {name}: {}", ascii::for_yaml(&value.to_string()));
    }
    out.push_str("  ...\n");
}

/// Text for the description of a test point, where `#` would begin a directive.
fn description(text: &str) -> String {
    text.replace('\\', "\\\\").replace('#', "\\#")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_begins_a_directive() {
        assert_eq!(description("p/q # TODO \\"), "p/q \\# TODO \\\\");
    }
}
