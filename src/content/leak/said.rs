//! How the number of a line is said: "line 14", "L14", "the fourteenth line", "lines 13 to 15".
//!
//! Owns the words for it. A number that most likely counts something else, such as "process #14" or "line 3 of the output",
//! is none; so it can be wrong, and what follows from it is a warning.

mod apart;
mod beside;
mod elsewhere;
mod tokens;
mod within;

use std::ops::RangeInclusive;

use super::is_one_of;
use crate::content::question::LineNo;
pub(super) use apart::apart;
pub(super) use beside::{Side, beside};
use tokens::{Kind, Token, tokens};
pub(super) use within::within;

/// Words that say which lines of a program are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said<'t> {
    pub(super) words: &'t str,
    /// Where they begin in the text.
    start: usize,
    lines: Vec<RangeInclusive<u32>>,
}

impl Said<'_> {
    /// Which line of `text`, from which it was read, it begins on, counted from 0.
    pub(super) fn line_of(&self, text: &str) -> usize {
        text.get(..self.start).map_or(0, |before| before.matches('\n').count())
    }

    pub(super) fn names(&self, line: LineNo) -> bool {
        self.lines.iter().any(|lines| lines.contains(&line.get()))
    }
}

/// Every place in `text` that names lines of a program that has `count` of them.
pub(super) fn lines(text: &str, count: usize) -> Vec<Said<'_>> {
    let tokens = tokens(text);
    let last = u32::try_from(count).unwrap_or(u32::MAX);
    let reader = Reader { tokens: &tokens, last };
    let mut all = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some((lines, next)) = reader.mention(at) else {
            at += 1;
            continue;
        };
        let start = tokens.get(at).map_or(0, |token| token.place.start);
        let end = next.checked_sub(1).and_then(|last| tokens.get(last)).map_or(start, |token| token.place.end);
        if !lines.is_empty() && !reader.counts_something_else(at, next) {
            all.push(Said { words: text.get(start..end).unwrap_or_default(), start, lines });
        }
        at = next.max(at + 1);
    }
    all
}

/// L1 to L7 are also caches, layers and norms.
const LEVELS: &str = "\
    cache caches balancer balancers load proxy proxies layer norm switch router penalty data instruction miss \
    misses hit hits";

/// A bare "#14" is a line after one of these; after a noun, it is the number of that.
const PLACES: &str = "at in on see look watch check near around under reread";

/// What may stand between "fourteenth" and "line".
const KINDS: &str = "code program source numbered python written whole full listed";

const CARDINALS: &str = "\
    nought one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
    seventeen eighteen nineteen";
const ORDINALS: &str = "\
    zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth \
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth";
const TENS: [(&str, &str); 8] = [
    ("twenty", "twentieth"),
    ("thirty", "thirtieth"),
    ("forty", "fortieth"),
    ("fifty", "fiftieth"),
    ("sixty", "sixtieth"),
    ("seventy", "seventieth"),
    ("eighty", "eightieth"),
    ("ninety", "ninetieth"),
];

/// Words behind "line one" that make it a manner of speaking: "they wait in line one by one".
const NOT_ONE: &str = "by after another at";

struct Reader<'t> {
    tokens: &'t [Token],
    last: u32,
}

/// Which lines are named, and the token behind the words that name them. No line is where numbers were read to the end and
/// turned out to count something else: whoever began again behind the first of them would read the rest once more.
type Mention = (Vec<RangeInclusive<u32>>, usize);

impl Reader<'_> {
    fn word(&self, at: usize) -> &str {
        match self.tokens.get(at).map(|token| &token.kind) {
            Some(Kind::Word(word)) => word,
            _ => "",
        }
    }

    fn sign(&self, at: usize) -> Option<char> {
        match self.tokens.get(at)?.kind {
            Kind::Sign(sign) => Some(sign),
            _ => None,
        }
    }

    fn glued(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.glued)
    }

    fn mention(&self, at: usize) -> Option<Mention> {
        match self.word(at) {
            "line" | "lines" | "lineno" | "ln" => self.list(self.number_sign(at + 1), at),
            "l" => self.letter(at),
            "py" if self.sign(at + 1) == Some(':') && self.glued(at + 2) => {
                let (line, ..) = self.cardinal(at + 2)?;
                Some((vec![line..=line], at + 3))
            }
            "last" | "final" => {
                let next = self.kind_of_line(at + 1)?;
                (self.word(next - 1) == "line").then(|| (vec![self.last..=self.last], next))
            }
            _ if self.sign(at) == Some('#') => self.hash(at),
            _ => self.ordinals(at),
        }
    }

    /// Behind "no.", "number", "#" and the like, which may stand before a number.
    fn number_sign(&self, mut at: usize) -> usize {
        if self.sign(at) == Some('(') && self.word(at + 1) == "s" && self.sign(at + 2) == Some(')') {
            at += 3;
        }
        if matches!(self.word(at), "no" | "nr" | "num" | "nos" | "number" | "numbers") {
            at += 1;
            at += usize::from(self.sign(at) == Some('.'));
        }
        let sign = |at| matches!(self.sign(at), Some('#' | '№' | ':' | '=' | '(')) || self.is_hyphen(at);
        while sign(at) {
            at += 1;
        }
        at
    }

    /// A hyphen with nothing beside it, as in "line-14"; else it may be a minus or a dash.
    fn is_hyphen(&self, at: usize) -> bool {
        self.sign(at) == Some('-') && self.glued(at) && self.glued(at + 1)
    }

    /// "L14", "L13-L15"
    fn letter(&self, at: usize) -> Option<Mention> {
        let first = at + 1 + usize::from(self.sign(at + 1) == Some('#') || self.is_hyphen(at + 1));
        let is_number = matches!(self.tokens.get(first)?.kind, Kind::Number(_));
        if !is_number || !self.glued(first) {
            return None;
        }
        let (lines, next) = self.list(first, at)?;
        let level = is_one_of(LEVELS, self.word(next)) || (self.sign(next) == Some('/') && self.word(next + 1) == "l");
        Some((if level { Vec::new() } else { lines }, next))
    }

    /// A bare "#14"
    fn hash(&self, at: usize) -> Option<Mention> {
        let before = at.checked_sub(1);
        let place = before.is_none_or(|before| {
            is_one_of(PLACES, self.word(before)) || matches!(self.sign(before), Some('.' | '!' | '?' | ':'))
        });
        if !place || !self.glued(at + 1) {
            return None;
        }
        match self.tokens.get(at + 1)?.kind {
            Kind::Number(line) => Some((vec![line..=line], at + 2)),
            _ => None,
        }
    }

    /// "14th line", "thirteenth and fourteenth lines"
    fn ordinals(&self, at: usize) -> Option<Mention> {
        let (first, true, mut next) = self.spelled(at)? else { return None };
        let between = (1..=2).filter_map(|back| at.checked_sub(back)).any(|before| self.word(before) == "between");
        let mut lines = vec![first..=first];
        while let Some((range, behind)) = self.separator(next, true) {
            let range = range || (between && self.word(behind - 1) == "and");
            let behind = behind + usize::from(self.word(behind) == "the");
            let Some((line, true, end)) = self.spelled(behind) else { break };
            push(&mut lines, line, range);
            next = end;
        }
        Some(self.kind_of_line(next).map_or((Vec::new(), next), |behind| (lines, behind)))
    }

    /// Behind "line", before which its kind may be said; `None` where there is none.
    fn kind_of_line(&self, at: usize) -> Option<usize> {
        let at = at + usize::from(self.is_hyphen(at));
        let at = at + usize::from(is_one_of(KINDS, self.word(at)));
        matches!(self.word(at), "line" | "lines").then_some(at + 1)
    }

    /// Numbers from `at` on, behind the word at `word`: "3", "13-15", "3, 5 and 14".
    fn list(&self, at: usize, word: usize) -> Option<Mention> {
        let (first, mut next) = self.cardinal(at)?;
        if self.word(at) == "one" && is_one_of(NOT_ONE, self.word(next)) {
            return None;
        }
        let between = word.checked_sub(1).is_some_and(|before| self.word(before) == "between");
        let mut lines = vec![first..=first];
        while let Some((range, behind)) = self.separator(next, self.word(word) != "line") {
            let mut number = behind;
            if matches!(self.word(number), "line" | "lines" | "l") {
                number = self.number_sign(number + 1);
            }
            number += usize::from(self.sign(number) == Some('#'));
            let Some((line, end)) = self.cardinal(number) else { break };
            push(&mut lines, line, range || (between && self.word(behind - 1) == "and"));
            next = end;
        }
        Some((lines, next))
    }

    /// Whether what separates two numbers makes a range of them, and what stands behind. A comma separates only where
    /// there are `several`.
    fn separator(&self, at: usize, several: bool) -> Option<(bool, usize)> {
        match (self.word(at), self.sign(at)) {
            ("to" | "through" | "thru" | "until" | "till", _) => Some((true, at + 1)),
            ("up", _) if self.word(at + 1) == "to" => Some((true, at + 2)),
            (_, Some('-' | '–' | '—' | '…')) => Some((true, at + 1)),
            (_, Some('.')) if self.sign(at + 1) == Some('.') => Some((true, at + 2)),
            ("and" | "or", _) | (_, Some('&' | '/')) => Some((false, at + 1)),
            (_, Some(',')) if several => {
                let more = matches!(self.word(at + 1), "and" | "or") || self.sign(at + 1) == Some('&');
                Some((false, at + 1 + usize::from(more)))
            }
            _ => None,
        }
    }

    fn cardinal(&self, at: usize) -> Option<(u32, usize)> {
        self.spelled(at).filter(|(_, ordinal, _)| !ordinal).map(|(number, _, next)| (number, next))
    }

    /// A number in digits or words, whether it is an ordinal, and what stands behind.
    fn spelled(&self, at: usize) -> Option<(u32, bool, usize)> {
        match self.tokens.get(at)?.kind {
            Kind::Number(number) => return Some((number, false, at + 1)),
            Kind::Ordinal(number) => return Some((number, true, at + 1)),
            Kind::Word(_) | Kind::Sign(_) => {}
        }
        let small = self.below_hundred(at);
        let (hundreds, next) = match small {
            Some((number @ 1..=9, false, next)) => (number, next),
            None if self.word(at) == "a" => (1, at + 1),
            None => (1, at),
            _ => return small,
        };
        match self.word(next) {
            "hundredth" => Some((hundreds * 100, true, next + 1)),
            "hundred" => {
                let rest = next + 1 + usize::from(self.word(next + 1) == "and");
                let (more, ordinal, next) = self.below_hundred(rest).unwrap_or((0, false, next + 1));
                Some((hundreds * 100 + more, ordinal, next))
            }
            _ => small,
        }
    }

    fn below_hundred(&self, at: usize) -> Option<(u32, bool, usize)> {
        let find = |words: &str, word: &str| (0_u32..).zip(words.split(' ')).find(|(_, it)| *it == word).map(|it| it.0);
        let word = self.word(at);
        if let Some(number) = find(CARDINALS, word) {
            return Some((number, false, at + 1));
        }
        if let Some(number) = find(ORDINALS, word) {
            return Some((number, true, at + 1));
        }
        let (ten, (_, ordinal)) = (2_u32..).zip(TENS).find(|(_, (ten, tenth))| word == *ten || word == *tenth)?;
        if word == ordinal {
            return Some((ten * 10, true, at + 1));
        }
        let unit = at + 1 + usize::from(self.sign(at + 1) == Some('-'));
        match (find(CARDINALS, self.word(unit)), find(ORDINALS, self.word(unit))) {
            (Some(number @ 1..=9), _) => Some((ten * 10 + number, false, unit + 1)),
            (_, Some(number @ 1..=9)) => Some((ten * 10 + number, true, unit + 1)),
            _ => Some((ten * 10, false, at + 1)),
        }
    }
}

/// Adds `line` to `lines`, or makes a range of the last one and it.
fn push(lines: &mut Vec<RangeInclusive<u32>>, line: u32, range: bool) {
    match lines.last_mut() {
        // Whoever counts backwards means the same lines.
        Some(last) if range => *last = line.min(*last.start())..=line.max(*last.start()),
        _ => lines.push(line..=line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<(u32, String)> {
        let all = lines(text, 30);
        let named = |line: u32| {
            let line_no = LineNo::new(line).unwrap();
            all.iter().find(|said| said.names(line_no)).map(|said| (line, said.words.to_owned()))
        };
        (1..=500).filter_map(named).collect()
    }

    #[test]
    fn lines_are_named_in_many_ways() {
        for (text, line, words) in [
            ("Look at line 14.", 14, "line 14"),
            ("LINE 14 it is", 14, "LINE 14"),
            ("line **14**", 14, "line **14"),
            ("line `14`", 14, "line `14"),
            ("line #14", 14, "line #14"),
            ("line: 14", 14, "line: 14"),
            ("line no. 14", 14, "line no. 14"),
            ("line No 14", 14, "line No 14"),
            ("line nr. 14", 14, "line nr. 14"),
            ("line number 14", 14, "line number 14"),
            ("the line-14 check", 14, "line-14"),
            ("see L14", 14, "L14"),
            ("see L#14", 14, "L#14"),
            ("at #14", 14, "#14"),
            ("#14 decides", 14, "#14"),
            ("Look closely: #14", 14, "#14"),
            ("price.py:14 stores it", 14, "py:14"),
            ("the 14th line", 14, "14th line"),
            ("the 1st line", 1, "1st line"),
            ("the fourteenth line", 14, "fourteenth line"),
            ("the 14th code line", 14, "14th code line"),
            ("line fourteen", 14, "line fourteen"),
            ("line twenty-one", 21, "line twenty-one"),
            ("line twenty one", 21, "line twenty one"),
            ("line thirty", 30, "line thirty"),
            ("the twenty-first line", 21, "twenty-first line"),
            ("the thirtieth line", 30, "thirtieth line"),
            ("line one hundred and twenty-three", 123, "line one hundred and twenty-three"),
            ("line a hundred", 100, "line a hundred"),
            ("line five hundred", 500, "line five hundred"),
            ("the two hundred and first line", 201, "two hundred and first line"),
            ("the hundredth line", 100, "hundredth line"),
            ("the last line", 30, "last line"),
        ] {
            assert_eq!(named(text), [(line, words.to_owned())], "{text}");
        }
    }

    #[test]
    fn lists_and_ranges_name_each_of_their_lines() {
        for (text, lines) in [
            ("lines 13-15", &[13, 14, 15][..]),
            ("lines 13–15", &[13, 14, 15]),
            ("lines 13 to 15", &[13, 14, 15]),
            ("lines 15 to 13", &[13, 14, 15]),
            ("L15-L13", &[13, 14, 15]),
            ("lines 13 through 15", &[13, 14, 15]),
            ("from line 13 to line 15", &[13, 14, 15]),
            ("between lines 13 and 15", &[13, 14, 15]),
            ("lines thirteen to fifteen", &[13, 14, 15]),
            ("L13-L15", &[13, 14, 15]),
            ("L13-15", &[13, 14, 15]),
            ("lines 13..15", &[13, 14, 15]),
            ("lines 3, 5 and 14", &[3, 5, 14]),
            ("lines 3, 5, and 14", &[3, 5, 14]),
            ("lines 3/14", &[3, 14]),
            ("lines #3 and #14", &[3, 14]),
            ("lines 3, & 14", &[3, 14]),
            ("line(s) 3 and 14", &[3, 14]),
            ("between the 13th and the 15th line", &[13, 14, 15]),
            ("line 3 or 14", &[3, 14]),
            ("line 3, 14 times", &[3]),
            ("the third and the fourteenth line", &[3, 14]),
            ("the 13th to 15th lines", &[13, 14, 15]),
        ] {
            assert_eq!(named(text).into_iter().map(|(line, _)| line).collect::<Vec<_>>(), lines, "{text}");
        }
    }

    #[test]
    fn texts_that_are_made_to_be_hard_are_read_in_no_time() {
        for (hard, count) in [("1st, ", 0), ("first and ", 0), ("L1-", 0), ("line 1, ", 200_000), ("lines #(", 0)] {
            assert_eq!(lines(&(hard.repeat(200_000) + "L1 cache"), 30).len(), count, "{hard}");
        }
    }

    #[test]
    fn what_counts_something_else_names_no_line() {
        for text in [
            "process #14 waits for #15",
            "ticket #14",
            "14 lines of code",
            "line 3 of the output",
            "the second line in the log",
            "log line 3 is missing",
            "a second line of defence",
            "an L1 cache and an L2 cache",
            "an L7 load balancer",
            "they wait in line one by one",
            "Python 3.14 draws a line",
            "version line 3.14",
            "it is online 14 days",
            "on the line 14ms later",
            "Which line? 14 people asked.",
            "the fourteenth reader",
            "list14, l14x and &#14;",
            "the first printed line",
            "the last page",
            "",
            "#",
            "line",
            "lines 99999999999999999999 to",
        ] {
            assert_eq!(named(text), [], "{text}");
        }
    }
}
