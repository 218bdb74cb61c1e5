//! A report as JUnit XML: a suite for each question, a case for each part of it.
//!
//! Owns the XML and what becomes of characters that XML 1.0 cannot hold. The dialect is the one that the schema of the
//! Jenkins xUnit plugin (`junit-10.xsd`) allows, and that the GitHub and GitLab readers know: `testsuites`, `testsuite` with
//! `properties`, `testcase` with `failure` or `skipped`, `system-out` and `system-err`.

use std::fmt::Write as _;

use serde_json::Value;

use crate::script::ascii;
use crate::script::parts::{Fact, Part, Status, of_the_question, of_the_quiz, parts, within};
use crate::script::report::{Graded, Report};
use crate::text::{self, is_unseen};

/// What the whole is called.
const NAME: &str = "fencepost quiz";

/// The whole document.
pub fn document(report: &Report) -> String {
    let suites: Vec<(&Graded, Vec<Part>)> =
        report.questions.iter().map(|graded| (graded, parts(graded, report))).collect();
    let mut out = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{NAME}\"");
    counts(&mut out, &suites.iter().flat_map(|(_, parts)| parts).collect::<Vec<_>>());
    out.push_str(">\n");
    for (graded, parts) in &suites {
        suite(&mut out, report, Some(graded), parts);
    }
    // The element above can have no properties, so that a suite without a case has them.
    if suites.is_empty() {
        suite(&mut out, report, None, &[]);
    }
    out.push_str("</testsuites>\n");
    out
}

fn suite(out: &mut String, report: &Report, graded: Option<&Graded>, parts: &[Part]) {
    let name = graded.map_or_else(|| NAME.to_owned(), |graded| graded.question.to_string());
    let _ = write!(out, "  <testsuite name=\"{}\"", attribute(&name));
    counts(out, &parts.iter().collect::<Vec<_>>());
    let skipped = parts.iter().filter(|part| part.status == Status::NotCounted).count();
    let _ = write!(out, " skipped=\"{skipped}\">\n    <properties>\n");
    let question = graded.map(of_the_question).unwrap_or_default();
    // A case can have no properties, so that those of all its cases are the suite's.
    let all = [of_the_quiz(report), within("question", question)].into_iter().chain(parts.iter().map(of_a_case));
    for (name, value) in all.flatten() {
        property(out, &name, &value);
    }
    out.push_str("    </properties>\n");
    for part in parts {
        case(out, &name, part);
    }
    out.push_str("  </testsuite>\n");
}

/// The facts of a part, but for its output, which has elements of its own.
fn of_a_case(part: &Part) -> Vec<Fact> {
    let facts = part.facts.iter().filter(|(name, _)| !["stdout", "stderr"].contains(&name.as_str()));
    within(part.name, facts.cloned().collect())
}

/// The attributes that suites and the whole share.
fn counts(out: &mut String, parts: &[&Part]) {
    let failures = parts.iter().filter(|part| part.status == Status::Failed).count();
    let _ = write!(out, " tests=\"{}\" failures=\"{failures}\" errors=\"0\"", parts.len());
    // The sum of nothing is -0.0.
    time(out, parts.iter().try_fold(0.0, |sum, part| Some(sum + part.wall_ms?)));
}

fn time(out: &mut String, wall_ms: Option<f64>) {
    if let Some(wall_ms) = wall_ms {
        let _ = write!(out, " time=\"{:.3}\"", wall_ms / 1000.0);
    }
}

fn case(out: &mut String, question: &str, part: &Part) {
    // Jenkins takes what stands before the last dot for a package and groups by it.
    let class = attribute(&question.replace('/', "."));
    let _ = write!(out, "    <testcase name=\"{}\" classname=\"{class}\"", part.name);
    time(out, part.wall_ms);
    let mut inside = String::new();
    let summary = part.sentence.lines().next().unwrap_or_default();
    match part.status {
        Status::Passed => {}
        Status::Failed => {
            let _ = writeln!(
                inside,
                "      <failure message=\"{}\" type=\"{}\">{}</failure>",
                attribute(summary),
                part.result,
                content(&explanation(part))
            );
        }
        Status::NotCounted => {
            let message = attribute(&format!("not counted: {summary}"));
            let _ = writeln!(inside, "      <skipped message=\"{message}\"/>");
        }
    }
    if let Some((stdout, stderr)) = &part.written {
        let _ = writeln!(inside, "      <system-out>{}</system-out>", content(stdout));
        let _ = writeln!(inside, "      <system-err>{}</system-err>", content(stderr));
    }
    if inside.is_empty() {
        out.push_str("/>\n");
    } else {
        let _ = write!(out, ">\n{inside}    </testcase>\n");
    }
}

/// What a reader of a failure sees: the outcome, why, and what the program wrote.
fn explanation(part: &Part) -> String {
    let mut words = part.sentence.clone();
    let why = part.facts.iter().find(|(name, _)| name == "why").and_then(|(_, why)| why.as_str());
    if let Some(why) = why {
        let _ = write!(words, "\n{why}");
    }
    if let Some((stdout, stderr)) = &part.written {
        for (name, text) in [("stdout", stdout), ("stderr", stderr)] {
            for line in text::raw_lines(text) {
                let _ = write!(words, "\n{name} | {line}");
            }
        }
    }
    words
}

fn property(out: &mut String, name: &str, value: &Value) {
    // Nothing said is an empty value: readers show it as one.
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        // What XML cannot hold, JSON can say otherwise.
        other => ascii::visible(&other.to_string()).replace('\u{fffe}', "\\ufffe").replace('\u{ffff}', "\\uffff"),
    };
    let _ = writeln!(out, "      <property name=\"{name}\" value=\"{}\"/>", attribute(&text));
}

/// Text for an attribute. What XML 1.0 forbids is shown as everywhere else, since no reference may name it. What a
/// terminal would obey, what nobody sees, and line breaks, which a reader would make blanks of, are references, so that
/// they come back as they were.
fn attribute(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if is_forbidden(c) => out.push_str(&shown(c)),
            c if c.is_control() || is_unseen(c) => {
                let _ = write!(out, "&#x{:X};", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// Text for an element, as a section without markup: not every reader resolves references there. What a terminal would
/// obey is shown as everywhere else; the property `output` has it as it was.
fn content(text: &str) -> String {
    let mut out = String::from("<![CDATA[");
    for c in text.replace("]]>", "]]]]><![CDATA[>").chars() {
        if matches!(c, '\n' | '\t') || !(is_forbidden(c) || c.is_control() || is_unseen(c)) {
            out.push(c);
        } else {
            out.push_str(&shown(c));
        }
    }
    out.push_str("]]>");
    out
}

/// What XML 1.0 cannot hold: <https://www.w3.org/TR/xml/#charsets>.
fn is_forbidden(c: char) -> bool {
    matches!(c, '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

fn shown(c: char) -> String {
    match c {
        '\u{fffe}' | '\u{ffff}' => format!("<U+{:X}>", u32::from(c)).replace('<', "(").replace('>', ")"),
        c => text::line(c.encode_utf8(&mut [0; 4])).replace('<', "(").replace('>', ")"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_breaks_out_of_its_place() {
        assert_eq!(attribute("a\"<&>\n\tb\r\u{202e}"), "a&quot;&lt;&amp;&gt;&#xA;&#x9;b&#xD;&#x202E;");
        assert_eq!(attribute("\u{1b}\u{0}\u{ffff}"), "␛␀(U+FFFF)");
        assert_eq!(content("a]]>b<&\n\t"), "<![CDATA[a]]]]><![CDATA[>b<&\n\t]]>");
        assert_eq!(content("\u{1b}[2J \r\u{202e}\u{9b}"), "<![CDATA[␛[2J ␍(U+202E)(U+009B)]]>");
    }
}
