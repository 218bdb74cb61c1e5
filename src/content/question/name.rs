//! The name of a question.

use std::fmt;

use serde::Serialize;

/// The name that every question has exactly once: its pack and its id, written `pack/id`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuestionName {
    /// The pack's folder name.
    pub pack: String,
    /// The question's id, which is also its file's stem.
    pub id: String,
}

impl fmt::Display for QuestionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.pack, self.id)
    }
}

impl Serialize for QuestionName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for QuestionName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        match name.split_once('/') {
            Some((pack, id)) => Ok(Self { pack: pack.to_owned(), id: id.to_owned() }),
            None => Err(serde::de::Error::custom("a question is named `pack/id`")),
        }
    }
}
