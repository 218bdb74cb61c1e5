//! Several things in one sentence.
//!
//! Owns the commas between them and the word before the last. Every part of the program may use it.

use std::fmt::Display;

/// `a`, `a and b`, `a, b and c` where `word` is "and"; nothing where there is nothing.
pub fn listed(things: impl IntoIterator<Item = impl Display>, word: &str) -> String {
    let things: Vec<String> = things.into_iter().map(|thing| thing.to_string()).collect();
    match things.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} {word} {last}", rest.join(", ")),
        _ => things.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_thing_has_a_word_before_it() {
        let listed = |count: u32| listed(1..=count, "or");
        assert_eq!([0, 1, 2, 3].map(listed), ["", "1", "1 or 2", "1, 2 or 3"]);
    }
}
