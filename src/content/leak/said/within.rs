//! How the part of a program is said that the fault is in: "the bug in Queue.add", "`add` is broken".

use super::Reader;
use super::tokens::{Token, tokens};
use crate::content::leak::{is_one_of, smells};

/// Words between the fault and "in": "the bug that hides in".
const BETWEEN: usize = 3;

/// These speak of a fault where they stand before "in": "what is missing in".
const FAULTS: &str = "missing forgotten race deadlock";

const IN: &str = "in of at inside within";
const NOT: &str = "no not without never nothing neither nor none";
const KINDS: &str = "the a this that your our function method class";

/// Where `text` says that the fault is in a part that has one of these names, in its own words.
pub(in crate::content::leak) fn within<'t>(text: &'t str, names: &[String]) -> Option<&'t str> {
    let tokens = tokens(text);
    let reader = Reader { tokens: &tokens, last: 0 };
    let part = |at: usize| names.iter().find_map(|name| named(text, &tokens, at, name));
    let words = |from: usize, to: usize| text.get(tokens.get(from)?.place.start..to);
    (0..tokens.len()).find_map(|at| {
        if let Some(next) = reader.fault(at) {
            let negated = (1..=2).filter_map(|back| at.checked_sub(back)).any(|at| is_one_of(NOT, reader.word(at)));
            return reader.part_behind(next, BETWEEN, part).filter(|_| !negated).and_then(|end| words(at, end));
        }
        if matches!(reader.word(at), "line" | "lines") {
            return reader.part_behind(at + 1, 0, part).and_then(|end| words(at, end));
        }
        // "`add` is broken", "add has a bug"
        let end = part(at)?;
        let is_behind = |token: &Token| token.place.start >= end;
        let verb = at + tokens.get(at..)?.iter().position(is_behind)?;
        if !matches!(reader.word(verb), "is" | "was" | "has" | "contains" | "hides" | "s") {
            return None;
        }
        let fault = verb + 1 + usize::from(matches!(reader.word(verb + 1), "a" | "an" | "the"));
        let next = reader.fault(fault)?;
        words(at, tokens.get(next.checked_sub(1)?)?.place.end)
    })
}

impl Reader<'_> {
    /// Behind the words for a fault.
    fn fault(&self, at: usize) -> Option<usize> {
        let word = self.word(at);
        if word == "off" {
            let hyphen = |at| usize::from(self.sign(at) == Some('-'));
            let by = at + 1 + hyphen(at + 1);
            let one = by + 1 + hyphen(by + 1);
            return (self.word(by) == "by" && self.word(one) == "one").then_some(one + 1);
        }
        (smells::is_fault(word) || is_one_of(FAULTS, word)).then_some(at + 1)
    }

    /// Where the name of a part ends that is said to hold something, or to be it: "[the fault] in the function `add`".
    fn part_behind(&self, at: usize, between: usize, part: impl Fn(usize) -> Option<usize>) -> Option<usize> {
        if between > 0
            && let Some(end) = part(at)
        {
            return Some(end);
        }
        let words = (at..=at + between).take_while(|at| !self.word(*at).is_empty());
        let inside = words.into_iter().find(|at| is_one_of(IN, self.word(*at)))?;
        let goes_on = |at: &usize| self.glued(*at) || *at == inside + 1 || is_one_of(KINDS, self.word(*at - 1));
        (inside + 1..inside + 4).take_while(goes_on).find_map(part)
    }
}

/// Where the name ends, if it stands at this token and by itself.
fn named(text: &str, tokens: &[Token], at: usize, name: &str) -> Option<usize> {
    let start = tokens.get(at)?.place.start;
    let goes_on = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    // The tokens of a name that begins with `_` begin behind that.
    let hidden = name.len() - name.trim_start_matches('_').len();
    let start = start.checked_sub(hidden)?;
    let rest = text.get(start..)?.strip_prefix(name)?;
    let written = text.get(..start)?;
    let before = written.chars().next_back();
    // `queue.add` is that of an object; `Other.add` is another one.
    let of_another = written.strip_suffix('.').is_some_and(|it| {
        let from = it.rfind(|c: char| !goes_on(Some(c))).map_or(0, |at| at + 1);
        it.get(from..).is_some_and(|it| it.starts_with(char::is_uppercase))
    });
    let dotted = of_another || rest.strip_prefix('.').is_some_and(|it| goes_on(it.chars().next()));
    (!goes_on(before) && !goes_on(rest.chars().next()) && !dotted).then_some(start + name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<&str> {
        within(text, &["Queue.add".to_owned(), "add".to_owned(), "Queue".to_owned(), "_put_all".to_owned()])
    }

    #[test]
    fn parts_are_said_to_be_wrong_in_many_ways() {
        for (text, words) in [
            ("The off-by-one bug in Queue.add", "off-by-one bug in Queue.add"),
            ("The off-by-one comparison in add", "off-by-one comparison in add"),
            ("The bug in `add`", "bug in `add"),
            ("the bug in the function `add`", "bug in the function `add"),
            ("the fault that hides in Queue", "fault that hides in Queue"),
            ("a mistake inside the `Queue` class", "mistake inside the `Queue"),
            ("The buggy add", "buggy add"),
            ("a broken `Queue.add`", "broken `Queue.add"),
            ("`add` is wrong", "add` is wrong"),
            ("Queue.add has a bug", "Queue.add has a bug"),
            ("add's bug", "add's bug"),
            ("Which comparison is missing in `add`?", "missing in `add"),
            ("Which line in `add` is it?", "line in `add"),
            ("the bug in queue.add", "bug in queue.add"),
            ("the race in _put_all", "race in _put_all"),
        ] {
            assert_eq!(found(text), Some(words), "{text}");
        }
    }

    #[test]
    fn what_says_nothing_of_a_part_is_left_alone() {
        for text in [
            "",
            "The bug in the queue",
            "The bug in address",
            "The bug in Queue.remove",
            "The bug in Other.add",
            "There is no bug in add",
            "add is called five times",
            "add has a guard",
            "What goes wrong, and who calls add?",
            "A wrong total. In add, all is well",
            "Each line in Markdown",
            "the fault is in what they add",
            "in add",
            "bug in",
            "off by one",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
        for hard in ["bug in the ", "off-by-", "add is a ", "bug bug "] {
            assert_eq!(found(&hard.repeat(50_000)), None, "{hard}");
        }
    }
}
