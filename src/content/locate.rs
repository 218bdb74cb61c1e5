//! Finds where a value stands in a file, after the fact.
//!
//! Questions do not carry the positions of their values, since nearly all are right: a file is read again when one of
//! its values turns out to be wrong.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A step on the way from the top of a file to a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// The value of this key.
    Key(&'static str),
    /// The entry at this position of a list, counted from 0.
    At(usize),
}

/// The bytes of the value that `path` leads to, or of the last one on the way that is there.
pub(crate) fn locate(root: &Spanned<DeTable<'_>>, path: &[Step]) -> Range<usize> {
    let mut span = 0..0;
    let mut value: Option<&Spanned<DeValue<'_>>> = None;
    for step in path {
        let next = match (step, value) {
            (Step::Key(key), None) => root.get_ref().get(*key),
            (Step::Key(key), Some(value)) => value.get_ref().as_table().and_then(|table| table.get(*key)),
            (Step::At(index), Some(value)) => value.get_ref().as_array().and_then(|array| array.get(*index)),
            (Step::At(_), None) => None,
        };
        let Some(next) = next else { break };
        span = next.span();
        value = Some(next);
    }
    span
}
