//! Finds the names that look like what a user typed, for "did you mean".

/// The `candidates` that look like `typed`, best first. A candidate that contains what was typed counts as close.
pub fn closest<'a>(typed: &str, candidates: &[&'a str]) -> Vec<&'a str> {
    let typed = typed.to_lowercase();
    let limit = (typed.chars().count() / 3).max(1);
    let mut close: Vec<(usize, &str)> = candidates
        .iter()
        .filter_map(|candidate| {
            let lower = candidate.to_lowercase();
            let distance = distance(&typed, &lower);
            let contained = typed.len() >= 3 && lower.contains(&typed);
            (distance <= limit || contained).then_some((distance, *candidate))
        })
        .collect();
    close.sort();
    close.dedup();
    close.into_iter().map(|(_, candidate)| candidate).collect()
}

/// The number of characters to insert, delete or replace to turn `a` into `b` (Levenshtein, 1966). Long names are cut,
/// since their distance is of no interest and the work grows with the product of the lengths.
fn distance(a: &str, b: &str) -> usize {
    const LONGEST: usize = 64;
    let a: Vec<char> = a.chars().take(LONGEST).collect();
    let b: Vec<char> = b.chars().take(LONGEST).collect();
    // Distances to the beginnings of `b`: first those with one character or more, and apart from them that to none.
    let mut row: Vec<usize> = (1..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let (mut diagonal, mut left) = (i, i + 1);
        for (y, above) in b.iter().zip(&mut row) {
            let replaced = diagonal + usize::from(x != y);
            diagonal = *above;
            left = replaced.min(*above + 1).min(left + 1);
            *above = left;
        }
    }
    row.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_the_name() {
        let names = ["fencing-tokens", "tax-by-region", "worker-shutdown"];
        assert_eq!(closest("fencing-token", &names), ["fencing-tokens"]);
        assert_eq!(closest("Fencing", &names), ["fencing-tokens"]);
        assert_eq!(closest("tax-by-regoin", &names), ["tax-by-region"]);
        assert_eq!(closest("x", &names), <[&str; 0]>::default());
    }
}
