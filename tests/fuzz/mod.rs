//! Seeded, time-boxed mutation: programs for the interpreter in [`programs`], bytes for the parent in [`frames`],
//! texts for the readers of TOML in [`questions`].
//!
//! Each runs for a few seconds. `FENCEPOST_FUZZ_SECONDS` makes it longer, and `FENCEPOST_FUZZ_SEED` is where it starts; a
//! failure prints the seed, the run and what was put in. `FENCEPOST_FUZZ_RUN` repeats nothing but that run.
#![cfg(target_os = "linux")]

mod frames;
mod programs;
mod questions;

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use fencepost::runner::Verdict;

/// xorshift64*: small, seeded, the same everywhere.
struct Random(u64);

impl Random {
    /// The numbers of one run, whatever ran before it.
    fn of(seed: u64, run: u64) -> Self {
        // splitmix64 of both, so that runs that follow each other have nothing in common.
        let mut mixed = seed.wrapping_add(run.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self((mixed ^ (mixed >> 31)).max(1))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`; 0 if there is none.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap_or(0) % end.max(1)
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap_or(0)
    }

    /// True once in `n` calls.
    fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Part of something that long, often a short one.
    fn range(&mut self, length: usize) -> Range<usize> {
        let from = self.below(length + 1);
        let most = if self.once_in(4) { length } else { 8 };
        from..length.min(from + self.below(most + 1))
    }
}

/// Which runs to make, and for how long.
struct Plan {
    seed: u64,
    next: u64,
    only: Option<u64>,
    until: Instant,
    ends: BTreeMap<&'static str, u64>,
}

impl Plan {
    fn from_environment() -> Self {
        let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
        let seconds = number("FENCEPOST_FUZZ_SECONDS").unwrap_or(3);
        let only = number("FENCEPOST_FUZZ_RUN");
        Self {
            seed: number("FENCEPOST_FUZZ_SEED").unwrap_or(34),
            next: only.unwrap_or(0),
            only,
            until: Instant::now() + Duration::from_secs(seconds),
            ends: BTreeMap::new(),
        }
    }

    /// The next run and its numbers, while there is time.
    fn next(&mut self) -> Option<(u64, Random)> {
        let run = self.next;
        let over = match self.only {
            Some(only) => run > only,
            None => Instant::now() >= self.until && run > 5,
        };
        self.next += 1;
        (!over).then(|| (run, Random::of(self.seed, run)))
    }

    fn count(&mut self, verdict: Verdict) {
        *self.ends.entry(verdict.word()).or_default() += 1;
    }

    /// Prints a summary, which `cargo test -- --nocapture` shows.
    fn report(&self, what: &str) {
        let runs: u64 = self.ends.values().sum();
        println!("{what}: seed {}, {runs} runs, {:?}", self.seed, self.ends);
    }
}
