//! Weights, pass marks and percentages, in whole numbers only, so that a score is the same on every machine.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The weights of the parts of an answer. At least one is not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Weights {
    /// The line.
    pub line: u32,
    /// The repaired program. Questions without checks have no such part.
    pub fix: u32,
}

/// The highest weight.
const HEAVIEST: u32 = 1_000;

impl Default for Weights {
    /// Only the line counts.
    fn default() -> Self {
        Self { line: 1, fix: 0 }
    }
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line={},fix={}", self.line, self.fix)
    }
}

impl FromStr for Weights {
    type Err = String;

    /// Reads `line=1,fix=2`. A part that is not named has the weight 0.
    fn from_str(text: &str) -> Result<Self, String> {
        let (mut line, mut fix) = (None, None);
        for part in text.split(',') {
            let (name, weight) =
                part.split_once('=').ok_or("must be parts with their weights, such as line=1,fix=2")?;
            let slot = match name.trim() {
                "line" => &mut line,
                "fix" => &mut fix,
                other => return Err(format!("unknown part `{other}`; the parts are line and fix")),
            };
            let weight = weight.trim().parse().ok().filter(|weight| *weight <= HEAVIEST);
            let weight: u32 = weight.ok_or_else(|| format!("a weight is a whole number from 0 to {HEAVIEST}"))?;
            if slot.replace(weight).is_some() {
                return Err(format!("`{}` has two weights", name.trim()));
            }
        }
        let weights = Self { line: line.unwrap_or(0), fix: fix.unwrap_or(0) };
        if weights.line + weights.fix == 0 { Err("at least one weight must be above 0".into()) } else { Ok(weights) }
    }
}

/// The share of a score that passes, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "u32")]
pub struct PassMark(#[schemars(range(max = 100))] u32);

impl Default for PassMark {
    fn default() -> Self {
        Self(100)
    }
}

impl PassMark {
    /// True if `score` of `of` is enough. Of nothing, anything is.
    pub fn is_reached(self, score: u64, of: u64) -> bool {
        u128::from(score) * 100 >= u128::from(of) * u128::from(self.0)
    }
}

impl fmt::Display for PassMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl TryFrom<u32> for PassMark {
    type Error = &'static str;

    fn try_from(percent: u32) -> Result<Self, Self::Error> {
        if percent <= 100 { Ok(Self(percent)) } else { Err("a pass mark is at most 100") }
    }
}

impl FromStr for PassMark {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let percent = text.strip_suffix('%').unwrap_or(text).parse::<u32>().ok();
        let mark = percent.and_then(|percent| percent.try_into().ok());
        mark.ok_or_else(|| "must be a whole number of percent, from 0 to 100".into())
    }
}

/// `score` of `of` in percent, rounded down, so that 100 means all; 100 where there was nothing to reach.
pub fn percent(score: u64, of: u64) -> u32 {
    let percent = (u128::from(score) * 100).checked_div(u128::from(of));
    percent.map_or(100, |percent| u32::try_from(percent).unwrap_or(100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_and_wrong_ones_refused() {
        let read = |text: &str| text.parse::<Weights>();
        assert_eq!(read("line=1,fix=2"), Ok(Weights { line: 1, fix: 2 }));
        assert_eq!(read("fix=2, line=1"), Ok(Weights { line: 1, fix: 2 }));
        assert_eq!(read("fix=1"), Ok(Weights { line: 0, fix: 1 }));
        assert_eq!(read("fix=1").unwrap().to_string(), "line=0,fix=1");
        for text in ["", "line", "line=", "line=-1", "line=1.5", "line=1001", "line=0", "line=1,line=1", "hints=1"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_mark_is_reached_exactly() {
        let mark: PassMark = "67".parse().unwrap();
        assert!(!mark.is_reached(2, 3) && mark.is_reached(3, 3));
        let mark: PassMark = "66%".parse().unwrap();
        assert!(mark.is_reached(2, 3) && !mark.is_reached(1, 3));
        assert!(PassMark::default().is_reached(0, 0));
        assert_eq!((percent(2, 3), percent(3, 3), percent(0, 0)), (66, 100, 100));
        for text in ["", "101", "-1", "1.5", "nan", "%"] {
            assert!(text.parse::<PassMark>().is_err(), "{text}");
        }
    }
}
