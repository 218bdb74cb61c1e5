//! Compares two programs line by line, and finds the lines that only move.

use crate::content::question::{LineNo, lines};
use crate::quiz::grade::DiffLine;

/// The most pairs of lines that are compared. Beyond, everything between the first and the last difference counts as
/// replaced.
const MOST_PAIRS: usize = 1 << 22;

/// The program `new` as a diff over the program `old`: the fewest lines that go and come (a longest common subsequence;
/// Hunt and McIlroy, 1976).
pub fn diff<'a>(old: &'a str, new: &'a str) -> Vec<DiffLine<'a>> {
    let program = |text: &'a str| if text.is_empty() { Vec::new() } else { lines(text) };
    let (old, new) = (program(old), program(new));
    let same = |(a, b): &(&&str, &&str)| a == b;
    let start = old.iter().zip(&new).take_while(same).count();
    let (old_rest, new_rest) = (old.get(start..).unwrap_or(&[]), new.get(start..).unwrap_or(&[]));
    let end = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(same).count();
    let old_middle = old_rest.get(..old_rest.len() - end).unwrap_or(&[]);
    let new_middle = new_rest.get(..new_rest.len() - end).unwrap_or(&[]);
    let kept = |(index, text): (usize, &&'a str)| DiffLine::Kept { line: LineNo::from_index(index), text };
    let mut diff: Vec<_> = old.iter().enumerate().take(start).map(kept).collect();
    middle(old_middle, new_middle, start, &mut diff);
    diff.extend(old.iter().enumerate().skip(start + old_middle.len()).map(kept));
    diff
}

fn middle<'a>(old: &[&'a str], new: &[&'a str], start: usize, diff: &mut Vec<DiffLine<'a>>) {
    let worth = |a: usize, b: usize| u32::from(old.get(a) == new.get(b));
    let pairs = if old.len().saturating_mul(new.len()) > MOST_PAIRS {
        Vec::new()
    } else {
        best_pairs(old.len(), new.len(), worth)
    };
    let (mut a, mut b) = (0, 0);
    let numbered = |index: usize| old.get(index).map(|text| (LineNo::from_index(start + index), *text));
    // Behind the last pair, all that is left goes and comes.
    for (kept, partner) in pairs.into_iter().chain([(old.len(), new.len())]) {
        diff.extend((a..kept).filter_map(numbered).map(|(line, text)| DiffLine::Removed { line, text }));
        diff.extend(new.get(b..partner).unwrap_or(&[]).iter().map(|text| DiffLine::Added { text }));
        diff.extend(numbered(kept).map(|(line, text)| DiffLine::Kept { line, text }));
        (a, b) = (kept + 1, partner + 1);
    }
}

/// The pairs of `rows` and `columns`, in order, whose `worth` is largest in sum: a longest common subsequence, with any
/// likeness for equality. Pairs that are worth nothing are left out.
pub(super) fn best_pairs(rows: usize, columns: usize, worth: impl Fn(usize, usize) -> u32) -> Vec<(usize, usize)> {
    // For each pair of places, the largest sum of what follows them.
    let mut sums = vec![0_u32; (rows + 1) * (columns + 1)];
    let place = |row: usize, column: usize| row * (columns + 1) + column;
    let sum = |sums: &[u32], row, column| sums.get(place(row, column)).copied().unwrap_or(0);
    let paired = |sums: &[u32], row, column| match worth(row, column) {
        0 => None,
        worth => Some(worth + sum(sums, row + 1, column + 1)),
    };
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let apart = sum(&sums, row + 1, column).max(sum(&sums, row, column + 1));
            let best = paired(&sums, row, column).map_or(apart, |paired| paired.max(apart));
            if let Some(place) = sums.get_mut(place(row, column)) {
                *place = best;
            }
        }
    }
    let (mut row, mut column, mut pairs) = (0, 0, Vec::new());
    while row < rows && column < columns {
        if paired(&sums, row, column) == Some(sum(&sums, row, column)) {
            pairs.push((row, column));
            (row, column) = (row + 1, column + 1);
        } else if sum(&sums, row + 1, column) >= sum(&sums, row, column + 1) {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}

/// A line that goes in one place and comes in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Index in the diff of the line that goes.
    pub removed: usize,
    /// Index in the diff of the line that comes.
    pub added: usize,
    /// The line's number in the old program.
    pub from: LineNo,
    /// The line of the old program below which it comes; `None` at the top.
    pub below: Option<LineNo>,
}

/// The lines of `diff` that only move. A line that is indented otherwise in its new place is the same line.
pub fn moves(diff: &[DiffLine<'_>]) -> Vec<Move> {
    let mut moves: Vec<Move> = Vec::new();
    for (removed, line) in diff.iter().enumerate() {
        let DiffLine::Removed { line: from, text } = line else { continue };
        let free = |added: &usize| moves.iter().all(|earlier| earlier.added != *added);
        let comes = |(added, line): (usize, &DiffLine<'_>)| match line {
            DiffLine::Added { text: new } if new.trim() == text.trim() && !text.trim().is_empty() => Some(added),
            _ => None,
        };
        // Next to its old place it was only indented, not moved.
        let far = |added: &usize| {
            let between = diff.get(removed.min(*added) + 1..removed.max(*added)).unwrap_or(&[]);
            between.iter().any(|line| matches!(line, DiffLine::Kept { .. }))
        };
        let Some(added) = diff.iter().enumerate().filter_map(comes).filter(free).find(far) else { continue };
        let before = diff.get(..added).unwrap_or(&[]).iter().rev();
        let below = before.filter_map(|line| match line {
            DiffLine::Kept { line, .. } => Some(*line),
            DiffLine::Removed { .. } | DiffLine::Added { .. } => None,
        });
        let below = below.clone().next();
        moves.push(Move { removed, added, from: *from, below });
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The diff as its signs and texts, one line each.
    fn drawn(old: &str, new: &str) -> String {
        let lines = diff(old, new).into_iter().map(|line| match line {
            DiffLine::Kept { line, text } => format!(" {line} {text}\n"),
            DiffLine::Removed { line, text } => format!("-{line} {text}\n"),
            DiffLine::Added { text } => format!("+ {text}\n"),
        });
        lines.collect()
    }

    #[test]
    fn what_is_the_same_stays() {
        assert_eq!(drawn("a\nb\n", "a\nb\n"), " 1 a\n 2 b\n");
        assert_eq!(drawn("", ""), "");
        assert_eq!(drawn("", "x\n"), "+ x\n");
        assert_eq!(drawn("x\n", ""), "-1 x\n");
    }

    #[test]
    fn the_fewest_lines_go_and_come() {
        assert_eq!(drawn("a\nb\nc\nd\n", "a\nc\nx\nd\n"), " 1 a\n-2 b\n 3 c\n+ x\n 4 d\n");
        assert_eq!(drawn("a\nb\n", "x\ny\n"), "-1 a\n-2 b\n+ x\n+ y\n");
        assert_eq!(drawn("a\na\na\n", "a\na\n"), " 1 a\n 2 a\n-3 a\n");
    }

    #[test]
    fn every_diff_rebuilds_both_programs() {
        let mut seed = 11_u64;
        let mut program = || {
            // xorshift64 (Marsaglia, 2003)
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (0..seed % 9).map(|n| format!("{}\n", (seed >> (8 + n)) % 3)).collect::<String>()
        };
        for _ in 0..500 {
            let (old, new) = (program(), program());
            let (mut left, mut right) = (String::new(), String::new());
            for line in diff(&old, &new) {
                match line {
                    DiffLine::Kept { text, .. } => {
                        left.push_str(&format!("{text}\n"));
                        right.push_str(&format!("{text}\n"));
                    }
                    DiffLine::Removed { text, .. } => left.push_str(&format!("{text}\n")),
                    DiffLine::Added { text } => right.push_str(&format!("{text}\n")),
                }
            }
            assert_eq!((left, right), (old, new));
        }
    }

    #[test]
    fn programs_that_are_too_long_to_compare_are_replaced() {
        let long = |word: &str| (0..3000).map(|n| format!("{word}{n}\n")).collect::<String>();
        let (old, new) = (long("a"), long("b"));
        assert_eq!(diff(&old, &new).len(), 6000);
    }

    #[test]
    fn a_line_that_moves_is_told_from_one_that_changes() {
        let moved = |old, new| {
            let diff = diff(old, new);
            moves(&diff).into_iter().map(|it| (it.from.get(), it.below.map(LineNo::get))).collect::<Vec<_>>()
        };
        assert_eq!(moved("a\nb\nc\n", "b\nc\na\n"), [(1, Some(3))]);
        assert_eq!(moved("a\nb\nc\n", "c\na\nb\n"), [(3, None)]);
        assert_eq!(moved("a\n  b\nc\nd\n", "a\nc\nb\nd\n"), [(2, Some(3))]);
        assert_eq!(moved("a\nb\n", "a\nif x:\n    b\n"), [], "indented in its place");
        assert_eq!(moved("a\nb\n", "a\nc\n"), []);
    }
}
