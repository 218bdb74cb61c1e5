//! Finds words that are most likely misspelled.
//!
//! Uses a list of known misspellings, that of the `typos` project, so that technical terms are not reported.

use unicode_segmentation::UnicodeSegmentation;

use crate::author::texts;
use crate::content::diagnostic::{Severity, codes};
use crate::content::problems::Problems;
use crate::content::prose::{self, Kind};
use crate::content::question::Question;
use crate::text::listed;

/// Lines of a misspelling, a space and its corrections, sorted by the bytes of the misspelling.
static MISSPELLINGS: &str = include_str!(concat!(env!("OUT_DIR"), "/misspellings.txt"));

/// Reports the misspelled words of `question` that are not among `known`.
pub(super) fn check(problems: &Problems, question: &Question, known: &[String]) {
    for text in texts::of(question).into_iter().filter(|text| text.prose) {
        for word in words(text.words) {
            let Some(corrections) = corrections(&word) else { continue };
            if known.iter().any(|known| known.eq_ignore_ascii_case(&word)) {
                continue;
            }
            let choices = corrections.iter().map(|right| format!("`{right}`"));
            let help = format!("write {}, or add it to `words` in `pack.toml`", listed(choices, "or"));
            let span = problems.word(&text.path, &word);
            problems.push(Severity::Warning, codes::SPELLING, span, format!("`{word}` looks misspelled"), help);
        }
    }
}

/// The plain words of prose: no code, no addresses, nothing with digits or capitals inside.
fn words(markdown: &str) -> Vec<String> {
    let plain = prose::pieces(markdown).into_iter().filter(|piece| matches!(piece.kind, Kind::Text | Kind::Emphasis));
    let text: String = plain.flat_map(|piece| [piece.text, " ".to_owned()]).collect();
    let is_name = |token: &str| token.contains(|c: char| "/_@=(\\.".contains(c));
    let tokens = text.split_whitespace().map(|token| token.trim_matches(|c: char| !c.is_alphanumeric()));
    let tokens = tokens.filter(|token| !is_name(token));
    let words = tokens.flat_map(|token| token.unicode_words().map(str::to_owned).collect::<Vec<_>>());
    words.filter(|word| word.chars().skip(1).all(|c| c.is_ascii_lowercase())).collect()
}

/// The corrections of `word`; `None` if it is not a known mistake.
fn corrections(word: &str) -> Option<Vec<&'static str>> {
    let word = word.to_ascii_lowercase();
    let list = MISSPELLINGS.as_bytes();
    // Lines before `low` sort before the word, lines from `high` on after it.
    let (mut low, mut high) = (0, list.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let start = list.get(low..middle)?.iter().rposition(|&byte| byte == b'\n').map_or(low, |at| low + at + 1);
        let end = list.get(middle..high)?.iter().position(|&byte| byte == b'\n').map_or(high, |at| middle + at);
        let (wrong, right) = MISSPELLINGS.get(start..end)?.split_once(' ')?;
        match wrong.cmp(&word) {
            std::cmp::Ordering::Equal => return Some(right.split(',').collect()),
            std::cmp::Ordering::Less => low = end + 1,
            std::cmp::Ordering::Greater => high = start,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_misspelling_is_found() {
        let mut count = 0;
        for line in MISSPELLINGS.lines() {
            let (wrong, right) = line.split_once(' ').unwrap();
            assert_eq!(corrections(wrong), Some(right.split(',').collect()), "{wrong}");
            count += 1;
        }
        assert!(count > 50_000, "{count}");
        assert_eq!(corrections("recieve"), Some(vec!["receive"]));
        assert_eq!(corrections("Teh").as_deref(), Some(&["the"][..]));
        for right in ["receive", "the", "", "zzzz", "a", "0", "mutex", "idempotent"] {
            assert_eq!(corrections(right), None, "{right}");
        }
    }

    #[test]
    fn only_plain_words_are_checked() {
        let text =
            "Teh `recieve` call, see [teh docs](https://example.org/recieve). (wich) e.g. x_teh, a/teh, teh2, tEh!";
        assert_eq!(words(text), ["Teh", "call", "see", "teh", "docs", "wich"]);
    }
}
