//! A report as JUnit XML: a suite for each question, a case for each part of it.
//!
//! Owns the XML and what becomes of characters that XML 1.0 cannot hold. The dialect is the one that the Jenkins plugin
//! and the GitHub and GitLab readers share: `testsuites`, `testsuite`, `testcase` with `failure` or `skipped`,
//! `properties`, `system-out` and `system-err`.

use std::fmt::Write as _;

use serde_json::Value;

use crate::script::ascii;
use crate::script::parts::{Part, Status, of_the_quiz, parts};
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
        suite(&mut out, report, &graded.question.to_string(), parts);
    }
    // The element above has no properties in every reader's eyes, so that a suite without a case has them.
    if suites.is_empty() {
        suite(&mut out, report, NAME, &[]);
    }
    out.push_str("</testsuites>\n");
    out
}

fn suite(out: &mut String, report: &Report, name: &str, parts: &[Part]) {
    let _ = write!(out, "  <testsuite name=\"{}\"", attribute(name));
    counts(out, &parts.iter().collect::<Vec<_>>());
    out.push_str(">\n    <properties>\n");
    for (name, value) in of_the_quiz(report) {
        property(out, "      ", &name, &value);
    }
    out.push_str("    </properties>\n");
    for part in parts {
        case(out, name, part);
    }
    out.push_str("  </testsuite>\n");
}

fn counts(out: &mut String, parts: &[&Part]) {
    let with = |status| parts.iter().filter(|part| part.status == status).count();
    // The sum of nothing is -0.0.
    let time = parts.iter().fold(0.0, |sum, part| sum + part.wall_ms);
    let _ = write!(
        out,
        " tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3}\"",
        parts.len(),
        with(Status::Failed),
        with(Status::NotCounted),
        time / 1000.0
    );
}

fn case(out: &mut String, question: &str, part: &Part) {
    let (name, class) = (part.name, attribute(question));
    let _ = writeln!(out, "    <testcase name=\"{name}\" classname=\"{class}\" time=\"{:.3}\">", part.wall_ms / 1000.0);
    out.push_str("      <properties>\n");
    for (name, value) in &part.facts {
        // The output has elements of its own.
        if !["stdout", "stderr"].contains(&name.as_str()) {
            property(out, "        ", name, value);
        }
    }
    out.push_str("      </properties>\n");
    let summary = part.sentence.lines().next().unwrap_or_default();
    match part.status {
        Status::Passed => {}
        Status::Failed => {
            let _ = writeln!(
                out,
                "      <failure message=\"{}\" type=\"{}\">{}</failure>",
                attribute(summary),
                part.result,
                content(&explanation(part))
            );
        }
        Status::NotCounted => {
            let message = attribute(&format!("not counted: {summary}"));
            let _ = writeln!(out, "      <skipped message=\"{message}\"/>");
        }
    }
    if let Some((stdout, stderr)) = &part.written {
        let _ = writeln!(out, "      <system-out>{}</system-out>", content(stdout));
        let _ = writeln!(out, "      <system-err>{}</system-err>", content(stderr));
    }
    out.push_str("    </testcase>\n");
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

fn property(out: &mut String, indent: &str, name: &str, value: &Value) {
    // Nothing said is an empty value: readers show it as one.
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        // What XML cannot hold, JSON can say otherwise.
        other => ascii::visible(&other.to_string()).replace('\u{fffe}', "\\ufffe").replace('\u{ffff}', "\\uffff"),
    };
    let _ = writeln!(out, "{indent}<property name=\"{name}\" value=\"{}\"/>", attribute(&text));
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
