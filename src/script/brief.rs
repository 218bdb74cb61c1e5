//! Strangers' words in messages.
//!
//! Owns how much of one is said back: a name may be as long as its file.

use std::borrow::Cow;

/// Characters of a word in a message.
const LONGEST: usize = 200;

/// As much of `word` as a message needs, with an ellipsis where something is missing.
pub(super) fn brief(word: &str) -> Cow<'_, str> {
    match word.char_indices().nth(LONGEST) {
        Some((at, _)) => Cow::Owned(format!("{}…", word.split_at(at).0)),
        None => Cow::Borrowed(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_word_is_cut_between_characters() {
        assert_eq!(brief(&"ä".repeat(200)), "ä".repeat(200));
        assert_eq!(brief(&"ä".repeat(201)), format!("{}…", "ä".repeat(200)));
    }
}
