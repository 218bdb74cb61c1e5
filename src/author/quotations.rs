//! Recognises code that a text quotes, as it is written or as it is shown.

use unicode_segmentation::UnicodeSegmentation;

use crate::content::changes::{changes, without_comment};
use crate::content::prose::{self, Kind};
use crate::content::question::{Ask, LineNo, Question, Repair, lines};

/// Letters and digits that code needs to be recognised: `x = 1` may be anywhere.
const SHORTEST: usize = 6;

/// Code that a text may quote.
pub(super) struct Code {
    tokens: String,
    /// True if it may be part of a sentence: `return done` in "to return done jobs".
    is_words: bool,
}

impl Code {
    /// `None` if it is too short to be recognised.
    pub(super) fn of(code: &str) -> Option<Self> {
        let code = code.trim().trim_end_matches(':').trim_end();
        let is_one_word = code.chars().all(char::is_alphanumeric);
        let is_long = code.chars().filter(|c| c.is_alphanumeric()).count() >= SHORTEST;
        let is_words = code.split_whitespace().all(is_plain_word);
        (!is_one_word && is_long).then(|| Self { tokens: tokens(code), is_words })
    }
}

/// What a repair writes that the buggy program does not have.
pub(super) struct New {
    pub(super) line: LineNo,
    pub(super) written: String,
    pub(super) code: Code,
}

/// The new parts of the repaired lines of `question` that are long enough to be recognised.
pub(super) fn repairs(question: &Question) -> Vec<New> {
    let old = tokens(&question.spot.code);
    let program = lines(&question.spot.code);
    let parts = |repair: &'_ Repair| {
        // In a gap nothing is replaced.
        let replaced = program.get(repair.line.index()).filter(|_| question.spot.ask == Ask::Line);
        let before = replaced.copied().unwrap_or_default();
        let new = |line: &str| {
            let written = new_part(without_comment(before), without_comment(line));
            let code = Code::of(written).filter(|code| !old.contains(&code.tokens))?;
            Some(New { line: repair.line, written: written.to_owned(), code })
        };
        repair.with.lines().filter_map(new).collect::<Vec<_>>()
    };
    let changed = question.spot.repairs.iter().filter(|repair| changes(question, repair));
    changed.flat_map(parts).collect()
}

/// The part of `line` between what it begins and ends with in common with `before`, without the keyword in front.
fn new_part<'l>(before: &str, line: &'l str) -> &'l str {
    let (old, new) = (words(before), words(line));
    let first = old.iter().zip(&new).take_while(|(old, new)| old.1 == new.1).count();
    let (old, new) = (old.get(first..).unwrap_or_default(), new.get(first..).unwrap_or_default());
    let last = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old.1 == new.1).count();
    let new = new.get(..new.len() - last).unwrap_or_default();
    let new = match new {
        [(_, "if" | "elif" | "while" | "return"), rest @ ..] => rest,
        all => all,
    };
    let (Some((start, _)), Some((end, word))) = (new.first(), new.last()) else { return "" };
    line.get(*start..end + word.len()).unwrap_or_default()
}

/// The names, numbers and signs of a line, each with its first byte.
fn words(line: &str) -> Vec<(usize, &str)> {
    line.split_word_bound_indices().filter(|(_, word)| !word.trim().is_empty()).collect()
}

/// A text that is searched for lines of code: as written, and as shown.
pub(super) struct Searched([String; 2]);

impl Searched {
    pub(super) fn markdown(text: &str) -> Self {
        let shown = prose::pieces(text).into_iter().filter(|piece| piece.kind != Kind::Address);
        Self([tokens(text), tokens(&shown.map(|piece| piece.text).collect::<String>())])
    }

    pub(super) fn plain(text: &str) -> Self {
        Self([tokens(text), String::new()])
    }

    /// True if it contains the code. Plain words count only if they are set apart from a sentence.
    pub(super) fn holds(&self, code: &Code) -> bool {
        let found =
            |form: &String| if code.is_words { is_apart(form, &code.tokens) } else { form.contains(&code.tokens) };
        self.0.iter().any(found)
    }
}

/// True if `wanted` is in `text` between quotes, in brackets, after a colon, or alone.
fn is_apart(text: &str, wanted: &str) -> bool {
    text.match_indices(wanted).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default().rsplit(' ').next();
        let behind = text.get(at + wanted.len()..).unwrap_or_default().split(' ').next();
        matches!(before, Some("" | "`" | "'" | "*" | "(" | "[" | ":"))
            && matches!(behind, Some("" | "`" | "'" | "*" | ")" | "]" | "." | ":" | ";" | "!" | "?"))
    })
}

/// True if a word of code may be part of a sentence, or a number.
fn is_plain_word(word: &str) -> bool {
    let letters = word.chars().all(char::is_alphabetic) && !word.chars().skip(1).any(char::is_uppercase);
    letters || word.chars().all(char::is_numeric)
}

/// The names, numbers and signs of `text`, in lowercase, with one space around each, so that a search finds whole ones.
fn tokens(text: &str) -> String {
    let mut all = String::new();
    let mut in_word = false;
    for c in text.chars() {
        let is_word = c.is_alphanumeric() || c == '_';
        if !c.is_whitespace() {
            if !(is_word && in_word) {
                all.push(' ');
            }
            match c {
                '"' | '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}' => all.push('\''),
                _ => all.extend(c.to_lowercase()),
            }
        }
        in_word = is_word;
    }
    all.push(' ');
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_new_part_of_a_line() {
        for (before, line, new) in [
            ("    for i in range(len(n) - 1):", "    for i in range(len(n)):", ""),
            ("    return done.rowcount >= 0", "    return done.rowcount == 1", "== 1"),
            ("    self.data[key] = value", "        if lease == self.deletes:", "lease == self.deletes:"),
            ("    self.data[key] = value", "            self.data[key] = value", ""),
            ("    put(a, b)", "    put(a, b, limit=3)", ", limit=3"),
            ("", "    return sum(numbers)", "sum(numbers)"),
            ("x", "", ""),
        ] {
            assert_eq!(new_part(before, line), new, "{line}");
        }
    }
}
