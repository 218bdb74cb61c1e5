//! Matches the lines of two programs, and by them the steps of two recordings.
//!
//! Two lines match when most of their words are the same, so that
//! a line that a repair changed a little still matches.

use std::collections::HashMap;

use crate::content::question::lines;
use crate::quiz::diff::best_pairs;
use crate::runner::recording::Recording;
use crate::runner::{Step, StepKind};

/// Pairs of lines that are compared. Programs with more are matched at their beginning and their end only.
const PAIRS: usize = 250_000;

/// Lines match from this likeness on, in percent.
const ALIKE: u32 = 60;

/// The step of the other program that belongs to a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partner {
    /// The other program's step, counted from 0.
    pub at: usize,
    /// Their relation.
    pub relation: Relation,
}

/// The relation of a step and its partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Both are at lines that match.
    Same,
    /// The other program has no such line; it waits where it was last in step.
    NoSuchLine,
    /// The other program does not come to that line so often; it waits where it was last in step.
    NotSoOften,
}

/// For each line of `one`, the line of `other` that matches it, both counted from 1. The lines that match keep their order.
pub fn matching_lines(one: &str, other: &str) -> Vec<Option<u32>> {
    let (ours, theirs) = (lines(one), lines(other));
    let same = |pair: &(&&str, &&str)| pair.0.trim() == pair.1.trim();
    let head = ours.iter().zip(&theirs).take_while(same).count();
    let rest = ours.len().min(theirs.len()) - head;
    let tail = ours.iter().rev().zip(theirs.iter().rev()).take(rest).take_while(same).count();
    let mut found = vec![None; ours.len()];
    for (index, found) in found.iter_mut().enumerate() {
        if index < head {
            *found = Some(index);
        } else if index + tail >= ours.len() {
            *found = Some(theirs.len() - (ours.len() - index));
        }
    }
    let middle = |lines: &[&str]| -> Vec<Vec<String>> {
        lines.get(head..lines.len() - tail).unwrap_or(&[]).iter().map(|line| words(line)).collect()
    };
    let (ours, theirs) = (middle(&ours), middle(&theirs));
    let worth = |row: usize, column: usize| match (ours.get(row), theirs.get(column)) {
        (Some(a), Some(b)) => Some(likeness(a, b)).filter(|worth| *worth >= ALIKE).unwrap_or(0),
        _ => 0,
    };
    let few = ours.len().saturating_mul(theirs.len()) <= PAIRS;
    let pairs = if few { best_pairs(ours.len(), theirs.len(), worth) } else { Vec::new() };
    for (index, partner) in pairs {
        if let Some(found) = found.get_mut(head + index) {
            *found = Some(head + partner);
        }
    }
    found.into_iter().map(|index| index.and_then(|index| u32::try_from(index + 1).ok())).collect()
}

/// The words and signs of a line, sorted.
fn words(line: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut words: Vec<String> = line.split(|c: char| !is_part(c)).map(str::to_owned).collect();
    words.retain(|word| !word.is_empty());
    words.sort_unstable();
    words
}

/// The share of words that both have, in percent (the Sørensen–Dice coefficient over multisets).
fn likeness(one: &[String], other: &[String]) -> u32 {
    let (mut a, mut b, mut shared) = (one.iter().peekable(), other.iter().peekable(), 0_usize);
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => drop(a.next()),
            std::cmp::Ordering::Greater => drop(b.next()),
            std::cmp::Ordering::Equal => {
                shared += 1;
                a.next();
                b.next();
            }
        }
    }
    match one.len() + other.len() {
        0 => 100,
        all => u32::try_from(200 * shared / all).unwrap_or(0),
    }
}

/// For each step of `one`, the step of `other` that belongs to it: the one that comes to the matching line, or out of the
/// same function, as often. The first and the last steps belong together. `lines` is what [`matching_lines`] found.
pub fn partners(one: &Recording, other: &Recording, lines: &[Option<u32>]) -> Vec<Partner> {
    let mut visits: HashMap<Event<'_>, Vec<usize>> = HashMap::new();
    for (at, step) in other.steps.iter().enumerate() {
        visits.entry(event(step, Some(step.line))).or_default().push(at);
    }
    let mut seen: HashMap<Event<'_>, usize> = HashMap::new();
    let mut last = 0;
    let mut partners = Vec::with_capacity(one.steps.len());
    for step in &one.steps {
        let line = usize::try_from(step.line).ok().and_then(|line| lines.get(line.checked_sub(1)?).copied().flatten());
        let event = event(step, line);
        let count = seen.entry(event).or_default();
        let visits = visits.get(&event);
        let relation = match visits.and_then(|visits| visits.get(*count)) {
            Some(at) => {
                last = *at;
                Relation::Same
            }
            None if visits.is_some() => Relation::NotSoOften,
            None => Relation::NoSuchLine,
        };
        *count += 1;
        partners.push(Partner { at: last, relation });
    }
    // A trace that a limit cut short has no last step.
    if let (Some(end), None, None) = (other.steps.len().checked_sub(1), one.trace_full, other.trace_full)
        && let Some(partner) = partners.last_mut()
    {
        *partner = Partner { at: end, relation: Relation::Same };
    }
    partners
}

/// The kind of a step, and its place: at a line of the other program, or at none; of a function that ends, only which.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Event<'a> {
    kind: StepKind,
    place: Place<'a>,
    thread: &'a str,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place<'a> {
    Line(u32),
    Nowhere,
    Function(&'a str),
}

fn event(step: &Step, line: Option<u32>) -> Event<'_> {
    let place = match (step.kind, line) {
        (StepKind::Return, _) => Place::Function(&step.function),
        (_, Some(line)) => Place::Line(line),
        (_, None) => Place::Nowhere,
    };
    Event { kind: step.kind, place, thread: &step.thread }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched(one: &str, other: &str) -> Vec<Option<u32>> {
        matching_lines(one, other)
    }

    #[test]
    fn equal_lines_match_wherever_they_are_indented() {
        assert_eq!(matched("a\nb\nc\n", "a\nb\nc\n"), [Some(1), Some(2), Some(3)]);
        assert_eq!(matched("a\nself.x = x\nc\n", "a\nif y:\n    self.x = x\nc\n"), [Some(1), Some(3), Some(4)]);
        assert_eq!(matched("a\nb\n", "b\n"), [None, Some(1)]);
        assert_eq!(matched("a\n", "z\n"), [None]);
        assert_eq!(matched("", ""), [Some(1)]);
    }

    #[test]
    fn lines_that_are_mostly_the_same_match() {
        let one =
            "def save(self, token: int) -> None:\n    self.report = report\nstore.save(34, \"from the new leader\")\n";
        let other = "def save(self, token: int) -> bool:\n    if token < 3:\n        return False\n    self.report = report\n\
                     new_leader = store.save(34, \"new\")\n";
        assert_eq!(matched(one, other), [Some(1), Some(4), Some(5)]);
    }

    #[test]
    fn programs_that_are_too_long_match_at_their_ends() {
        let long = |middle: &str| {
            let mut text = "first\n".to_owned();
            for n in 0..600 {
                text += &format!("{middle} {n}\n");
            }
            text + "last\n"
        };
        let found = matched(&long("one"), &long("two"));
        assert_eq!((found[0], found[1], found[601]), (Some(1), None, Some(602)));
    }
}
