//! Parts of the questions, and their order: two rules that give the same result on every machine, since other programs
//! build on them.
//!
//! - a question belongs to part `K` of `N` when the first eight bytes of the SHA-256 of its full name (`pack/id`, UTF-8),
//!   read as a big-endian number, leave `K - 1` when they are divided by `N`. So a question stays in its part whatever
//!   other questions there are, and the parts are disjoint and complete;
//! - `--seed` sorts the questions by their full name and shuffles them: for `i` from the last place down to 1, the entries
//!   at `i` and `j` are exchanged (Fisher and Yates; Durstenfeld 1964), with `j = (x * (i + 1)) >> 64` for the next number
//!   `x` of SplitMix64 (Steele, Lea and Flood 2014), whose state begins with the seed.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use crate::content::question::QuestionName;

/// True if `typed` means `topic`: capitals do not matter, and a hyphen stands for a blank.
pub fn is_topic(typed: &str, topic: &str) -> bool {
    typed == topic || slug(typed) == slug(topic)
}

/// A topic as one word for the command line: `distributed-systems`.
pub fn slug(topic: &str) -> String {
    topic.to_lowercase().split(|c: char| c.is_whitespace() || c == '-').collect::<Vec<_>>().join("-")
}

/// A part of all questions: `K/N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    /// The number of this part, from 1 to `of`.
    pub part: u64,
    /// Number of parts.
    pub of: u64,
}

impl Partition {
    /// True if `name` belongs to this part.
    pub fn has(self, name: &QuestionName) -> bool {
        let hash = Sha256::digest(name.to_string());
        let first = hash.first_chunk::<8>().map_or(0, |bytes| u64::from_be_bytes(*bytes));
        first % self.of == self.part - 1
    }
}

impl FromStr for Partition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((part, of)) if 1 <= part && part <= of => Ok(Self { part, of }),
            Some((_, 0)) => Err("there must be at least one part, such as 1/4".into()),
            Some((_, of)) => Err(format!("the part must be from 1 to {of}")),
            None => Err("must be a part and a number of parts, such as 1/4".into()),
        }
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

/// Puts `items` into the order of `seed`, whatever their order is.
pub fn shuffle_by_name<T>(items: &mut [T], seed: u64, name: impl Fn(&T) -> &QuestionName) {
    items.sort_by_cached_key(|item| name(item).to_string());
    shuffle(items, seed);
}

fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut numbers = SplitMix64(seed);
    for last in (1..items.len()).rev() {
        let count = last as u128 + 1;
        let at = (u128::from(numbers.next()) * count) >> 64;
        items.swap(last, usize::try_from(at).unwrap_or(last));
    }
}

/// The generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014), with the constants of
/// Vigna's reference code, <https://prng.di.unimi.it/splitmix64.c>.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(n: usize) -> QuestionName {
        QuestionName { pack: "p".into(), id: format!("q{n}") }
    }

    /// The first numbers of the reference code for this seed.
    #[test]
    fn the_numbers_are_those_of_the_reference() {
        let mut numbers = SplitMix64(1_234_567);
        let first: Vec<u64> = (0..5).map(|_| numbers.next()).collect();
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821
            ]
        );
    }

    /// Worked out with another program from the description above.
    #[test]
    fn a_seed_gives_the_same_order_everywhere() {
        let mut items: Vec<u32> = (0..10).collect();
        shuffle(&mut items, 7);
        assert_eq!(items, SEVEN);
        let mut again: Vec<u32> = (0..10).collect();
        shuffle(&mut again, 7);
        assert_eq!(again, items);
        shuffle(&mut again, 8);
        assert_ne!(again, items);
        shuffle::<u32>(&mut [], 1);
    }

    const SEVEN: [u32; 10] = [9, 5, 8, 6, 1, 2, 4, 7, 0, 3];

    #[test]
    fn parts_are_disjoint_and_complete() {
        for of in [1, 2, 3, 7, 100] {
            let parts: Vec<Partition> = (1..=of).map(|part| format!("{part}/{of}").parse().unwrap()).collect();
            let mut sizes = vec![0_usize; parts.len()];
            for n in 0..1_000 {
                let homes: Vec<usize> = (0..parts.len()).filter(|part| parts[*part].has(&name(n))).collect();
                assert_eq!(homes.len(), 1, "{n} of {of}");
                sizes[homes[0]] += 1;
            }
            assert!(sizes.iter().all(|size| *size > 0), "{sizes:?}");
        }
    }

    /// `printf p/q0 | sha256sum` begins with these digits.
    #[test]
    fn the_part_is_worked_out_from_the_hash_of_the_name() {
        let first = u64::from_str_radix(HEX, 16).unwrap();
        let part: Partition = format!("{}/1000", first % 1000 + 1).parse().unwrap();
        assert!(part.has(&name(0)));
    }

    const HEX: &str = "a47e7e76830cf08b";

    #[test]
    fn a_part_that_is_none_says_what_is_one() {
        let wrong = |text: &str| text.parse::<Partition>().unwrap_err();
        assert_eq!(wrong("0/4"), "the part must be from 1 to 4");
        assert_eq!(wrong("5/4"), "the part must be from 1 to 4");
        assert_eq!(wrong("1/0"), "there must be at least one part, such as 1/4");
        for text in ["", "1", "1/", "/4", "-1/4", "1/4/2", "a/b", "1/99999999999999999999"] {
            assert_eq!(wrong(text), "must be a part and a number of parts, such as 1/4", "{text}");
        }
    }

    #[test]
    fn topics_are_found_as_people_type_them() {
        for typed in ["Distributed systems", "distributed systems", "distributed-systems"] {
            assert!(is_topic(typed, "Distributed systems"), "{typed}");
        }
        assert!(!is_topic("distributed", "Distributed systems"));
    }
}
