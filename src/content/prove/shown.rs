//! What programs wrote and checks said, as the notes of a problem show it: short, and with its line ends told.

use crate::runner::{CheckOutcome, CheckResult};

/// Lines and characters of an output that a problem shows.
const SHOWN_LINES: usize = 5;
const SHOWN_CHARACTERS: usize = 200;

/// What a check that did not pass said.
pub(super) fn said(check: &CheckResult) -> String {
    let word = match check.result {
        CheckOutcome::Passed => "passed",
        CheckOutcome::Failed => "failed",
        CheckOutcome::Error => "error",
        CheckOutcome::TimedOut => "timed out",
    };
    let message = cut(&check.message);
    if message.is_empty() { word.to_owned() } else { format!("{word}: {message}") }
}

/// An output as a note shows it: on lines of its own where it has several.
pub(super) fn quoted(output: &str) -> String {
    match output {
        "" => "nothing".to_owned(),
        "\n" => "an empty line".to_owned(),
        _ => {
            let shown = cut(output);
            let end = if output.ends_with('\n') { "" } else { " (without a newline at its end)" };
            if shown.contains('\n') { format!("these lines{end}\n{shown}") } else { format!("`{shown}`{end}") }
        }
    }
}

/// The beginning of a text, no more than fits a problem.
pub(super) fn cut(text: &str) -> String {
    let mut out = Vec::new();
    let all: Vec<&str> = text.trim_end_matches('\n').split('\n').collect();
    for line in all.iter().take(SHOWN_LINES) {
        let short: String = line.chars().take(SHOWN_CHARACTERS).collect();
        let more = if short.len() < line.len() { " ..." } else { "" };
        out.push(short + more);
    }
    if all.len() > SHOWN_LINES {
        out.push(format!("... and {} more lines", all.len() - SHOWN_LINES));
    }
    out.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_shown_short() {
        assert_eq!(quoted(""), "nothing");
        assert_eq!(quoted("x\n"), "`x`");
        assert_eq!(quoted("x"), "`x` (without a newline at its end)");
        assert_eq!(quoted("a\nb\n"), "these lines\na\nb");
        assert_eq!(cut(&"é".repeat(300)), format!("{} ...", "é".repeat(200)));
        assert_eq!(cut("1\n2\n3\n4\n5\n6\n7\n"), "1\n2\n3\n4\n5\n... and 2 more lines");
    }
}
