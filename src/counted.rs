//! A number with its noun.
//!
//! Owns no more than that a single thing is told apart from several. Every part of the program may use it.

/// `1 check`, `2 checks`. Nouns that take more than an "s" do not come here.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_no_several() {
        let words = [0, 1, 2].map(|count| counted(count, "check"));
        assert_eq!(words, ["0 checks", "1 check", "2 checks"]);
    }
}
