//! Finds the position of a value in a file, after the fact.
//!
//! Questions do not carry the positions of their values, since nearly all are right: a file is read again when one of
//! its values turns out to be wrong.

use std::collections::BTreeMap;
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

/// The bytes of a value and of the values in it.
pub(crate) struct Place {
    span: Range<usize>,
    keys: BTreeMap<String, Self>,
    entries: Vec<Self>,
}

impl Place {
    /// The values of a whole file, as far as it is TOML.
    pub(crate) fn of_file(text: &str) -> Self {
        Self { span: 0..0, keys: keys(DeTable::parse_recoverable(text).0.get_ref()), entries: Vec::new() }
    }

    fn of(value: &Spanned<DeValue<'_>>) -> Self {
        Self {
            span: value.span(),
            keys: value.get_ref().as_table().map(keys).unwrap_or_default(),
            entries: value.get_ref().as_array().into_iter().flatten().map(Self::of).collect(),
        }
    }

    /// The bytes of the value that `path` leads to, or of the last one on the way that is there.
    pub(crate) fn find(&self, path: &[Step]) -> Range<usize> {
        let mut place = self;
        for step in path {
            let next = match step {
                Step::Key(key) => place.keys.get(*key),
                Step::At(index) => place.entries.get(*index),
            };
            let Some(next) = next else { break };
            place = next;
        }
        place.span.clone()
    }
}

fn keys(table: &DeTable<'_>) -> BTreeMap<String, Place> {
    table.iter().map(|(key, value)| (key.get_ref().to_string(), Place::of(value))).collect()
}
