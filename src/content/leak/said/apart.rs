//! How a line is said by the lines between: "four lines further down", "two lines above".

use std::ops::RangeInclusive;

use super::tokens::tokens;
use super::{Reader, Side};
use crate::content::leak::is_one_of;

/// Words behind a number of lines that say which way to count. Behind the first of each, it may be that of another line.
const UP: &str = "up earlier higher back";
const DOWN: &str = "down later lower further farther on";
const ABOVE: &str = "above before over";
const BELOW: &str = "below after under beneath";
const MORE: &str = "more further farther other";

/// Behind "above" and "below" these begin what the lines are counted from, which is not the line that is spoken of.
const FROM: &str = "the a an each every its their that line lines one";

/// How many lines to go, and which way; either way where that is not said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::content::leak) struct Apart<'t> {
    pub(in crate::content::leak) words: &'t str,
    pub(in crate::content::leak) count: RangeInclusive<u32>,
    pub(in crate::content::leak) side: Option<Side>,
}

/// Every place in `text` that says a line by its distance from the one that is spoken of.
pub(in crate::content::leak) fn apart(text: &str) -> Vec<Apart<'_>> {
    let tokens = tokens(text);
    let reader = Reader { tokens: &tokens, last: 0 };
    let mut all = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let found = reader.distance(at);
        let Some((count, side, next)) = found else {
            at += 1;
            continue;
        };
        let start = tokens.get(at).map_or(0, |token| token.place.start);
        let end = next.checked_sub(1).and_then(|last| tokens.get(last)).map_or(start, |token| token.place.end);
        all.push(Apart { words: text.get(start..end).unwrap_or_default(), count, side });
        at = next.max(at + 1);
    }
    all
}

impl Reader<'_> {
    /// "four lines further down", "down by two lines", and the token behind it.
    fn distance(&self, at: usize) -> Option<(RangeInclusive<u32>, Option<Side>, usize)> {
        if self.word(at + 1) == "by"
            && let Some(side) = side(self.word(at))
        {
            let (count, next) = self.count(at + 2)?;
            let next = self.lines(next)?;
            return Some((count, Some(side), next));
        }
        let (count, behind) = self.count(at)?;
        let lines = self.lines(behind)?;
        let mut next = lines;
        let more = is_one_of(MORE, self.word(next));
        if more && side(self.word(next + 1)).is_some() {
            next += 1;
        }
        let word = self.word(next);
        if matches!(word, "away" | "off" | "apart")
            || (word == "from" && matches!(self.word(next + 1), "here" | "this"))
        {
            return Some((count, None, next + 1 + usize::from(word == "from")));
        }
        let side = side(word)?;
        // "One line above" is the line above, of which others tell.
        let beside =
            next == behind + 1 && self.word(behind) == "line" && matches!(word, "above" | "below" | "before" | "after");
        let from_another = (is_one_of(ABOVE, word) || is_one_of(BELOW, word)) && is_one_of(FROM, self.word(next + 1));
        (!beside && !from_another).then_some((count, Some(side), next + 1))
    }

    /// A number of lines, "a couple of" them, or "two or three".
    fn count(&self, at: usize) -> Option<(RangeInclusive<u32>, usize)> {
        if self.word(at) == "a" {
            return match (self.word(at + 1), self.word(at + 2)) {
                ("couple", "of") => Some((2..=2, at + 3)),
                ("line", _) => Some((1..=1, at + 1)),
                _ => None,
            };
        }
        let (first, next) = self.cardinal(at)?;
        let hyphen = self.sign(next).is_some_and(|it| matches!(it, '-' | '–'));
        if (matches!(self.word(next), "or" | "to") || hyphen)
            && let Some((last, next)) = self.cardinal(next + 1)
        {
            return Some((first.min(last)..=first.max(last), next));
        }
        Some((first..=first, next))
    }

    /// Behind "lines", before which "more" may stand.
    fn lines(&self, at: usize) -> Option<usize> {
        let at = at + usize::from(is_one_of(MORE, self.word(at)));
        matches!(self.word(at), "line" | "lines").then_some(at + 1)
    }
}

fn side(word: &str) -> Option<Side> {
    let is = |words: &str| is_one_of(words, word);
    match () {
        () if is(UP) || is(ABOVE) => Some(Side::Above),
        () if is(DOWN) || is(BELOW) => Some(Side::Below),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_said_in_many_ways() {
        let (above, below) = (Some(Side::Above), Some(Side::Below));
        for (text, words, count, side) in [
            ("Close! It is four lines further down.", "four lines further down", 4..=4, below),
            ("It is 4 lines down", "4 lines down", 4..=4, below),
            ("Look two lines further.", "two lines further", 2..=2, below),
            ("two further lines down", "two further lines down", 2..=2, below),
            ("two more lines down", "two more lines down", 2..=2, below),
            ("*two* lines below", "two* lines below", 2..=2, below),
            ("two lines below, it is lost", "two lines below", 2..=2, below),
            ("two lines later it is", "two lines later", 2..=2, below),
            ("two lines after this", "two lines after", 2..=2, below),
            ("two lines on", "two lines on", 2..=2, below),
            ("three lines earlier", "three lines earlier", 3..=3, above),
            ("three lines above it", "three lines above", 3..=3, above),
            ("three lines up", "three lines up", 3..=3, above),
            ("three lines back", "three lines back", 3..=3, above),
            ("a couple of lines up", "a couple of lines up", 2..=2, above),
            ("two or three lines up", "two or three lines up", 2..=3, above),
            ("2-3 lines up", "2-3 lines up", 2..=3, above),
            ("one line further down", "one line further down", 1..=1, below),
            ("a line further up", "a line further up", 1..=1, above),
            ("down by two lines", "down by two lines", 2..=2, below),
            ("it is two lines away", "two lines away", 2..=2, None),
            ("two lines from here", "two lines from here", 2..=2, None),
        ] {
            assert_eq!(apart(text), [Apart { words, count, side }], "{text}");
        }
    }

    #[test]
    fn other_numbers_of_lines_are_no_distance() {
        for text in [
            "",
            "two lines",
            "the next two lines",
            "two lines above the return",
            "one line above",
            "one line after",
            "the line below",
            "two steps further down",
            "further down",
            "14 lines of code",
            "two lines from the file",
            "a line",
            "two or",
            "down by two",
        ] {
            assert_eq!(apart(text), [], "{text}");
        }
        assert_eq!(apart(&"two or ".repeat(50_000)), []);
        assert_eq!(apart(&"down by a couple of ".repeat(50_000)), []);
    }
}
