//! The words, numbers and signs of a sentence, and where they stand.

use std::ops::Range;

#[derive(Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) place: Range<usize>,
    /// Whether nothing stands between it and the token before.
    pub(super) glued: bool,
}

#[derive(Debug, PartialEq)]
pub(super) enum Kind {
    /// In small letters.
    Word(String),
    Number(u32),
    /// "14th"
    Ordinal(u32),
    Sign(char),
}

/// The words, numbers and signs of `text`. The marks of Markdown are none.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut all: Vec<Token> = Vec::new();
    let mut rest = text;
    let mut glued = false;
    while let Some(first) = rest.chars().next() {
        let start = text.len() - rest.len();
        if first.is_whitespace() || "*`_\\~'\"".contains(first) {
            glued &= !first.is_whitespace();
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
            continue;
        }
        let (kind, length) = if first.is_ascii_digit() {
            number(rest)
        } else if first.is_alphabetic() {
            let length = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
            (Kind::Word(rest.get(..length).unwrap_or_default().to_lowercase()), length)
        } else {
            (Kind::Sign(first), first.len_utf8())
        };
        all.push(Token { kind, place: start..start + length, glued });
        glued = true;
        rest = rest.get(length..).unwrap_or_default();
    }
    all
}

/// The number at the beginning of `rest`, and its length. One with a fraction or a unit counts no lines.
fn number(rest: &str) -> (Kind, usize) {
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (number, behind) = rest.split_at_checked(digits).unwrap_or((rest, ""));
    let letters = behind.find(|c: char| !c.is_alphanumeric()).unwrap_or(behind.len());
    let suffix = behind.get(..letters).unwrap_or_default().to_lowercase();
    let fraction = behind.strip_prefix('.').is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()));
    match (number.parse(), suffix.as_str()) {
        (Ok(number), "") if !fraction => (Kind::Number(number), digits),
        (Ok(number), "st" | "nd" | "rd" | "th") => (Kind::Ordinal(number), digits + letters),
        _ if fraction => {
            let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            (Kind::Sign('0'), length)
        }
        _ => (Kind::Sign('0'), digits + letters),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_signs() {
        let word = |text: &str| Kind::Word(text.to_owned());
        let kinds = |text: &str| tokens(text).into_iter().map(|token| token.kind).collect::<Vec<_>>();
        assert_eq!(
            kinds("Line **14**, the 3rd"),
            [word("line"), Kind::Number(14), Kind::Sign(','), word("the"), Kind::Ordinal(3)]
        );
        assert_eq!(kinds("3.14 is 10ms"), [Kind::Sign('0'), word("is"), Kind::Sign('0')]);
        assert_eq!(kinds("99999999999"), [Kind::Sign('0')]);
        let glued: Vec<bool> = tokens("L14 is `#3`").iter().map(|token| token.glued).collect();
        assert_eq!(glued, [false, true, false, false, true]);
        assert_eq!(tokens("é 14").last().map(|token| token.place.clone()), Some(3..5));
    }
}
