//! Encodes and decodes frames.
//!
//! A frame is its length (`u32`, little endian, counting what follows), a kind (one byte), the key of its child (16 bytes)
//! and a body. Every length is checked before anything is stored.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Key in a child's frames. Without it, output of a program could be taken for a frame.
pub(in crate::runner) type Key = [u8; 16];

/// The longest frame that a child, or a template, may send.
pub(in crate::runner) const MAX_FROM_CHILD: usize = 64 << 10;
/// The longest frame that the parent sends: a program of 1 MiB with its checks, in JSON, with room for escapes.
pub(in crate::runner) const MAX_FROM_PARENT: usize = 16 << 20;

const LENGTH_BYTES: usize = 4;
const HEAD_BYTES: usize = 1 + size_of::<Key>();

/// Kinds of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::runner) enum Kind {
    /// Parent to template: fork a child. Carries [`super::Spawn`] and, beside it, the child's descriptors.
    Spawn = 1,
    /// Parent to template: end a child. Carries [`super::Slot`].
    Kill = 2,
    /// Template to parent: ready, with the level. Carries [`super::Hello`].
    Ready = 3,
    /// Template to parent: the modules that programs like to import are loaded. No body.
    Warm = 4,
    /// Template to parent: a child is gone. Carries [`super::Exited`].
    Exited = 5,
    /// Template to parent: a child could not be made. Carries [`super::Unmade`].
    Unmade = 6,
    /// Child to parent: locked down, with the level. Carries [`super::Hello`].
    Hello = 16,
    /// Parent to child: what to run. Carries [`super::Order`].
    Order = 17,
    /// Child to parent: bytes for standard output.
    Stdout = 18,
    /// Child to parent: bytes for standard error.
    Stderr = 19,
    /// Child to parent: an allocation failed, and with it the child. No body.
    OutOfMemory = 20,
    /// Child to parent: its end. Carries [`super::Final`].
    Final = 21,
    /// Child to parent: a step of a trace. Carries [`crate::runner::Step`].
    Step = 22,
    /// Child to parent: a step of a scenario. Carries [`crate::runner::Row`].
    Row = 23,
    /// Child to parent: findings about a submitted program. Carries [`super::Uses`].
    Uses = 24,
}

impl Kind {
    fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            1 => Self::Spawn,
            2 => Self::Kill,
            3 => Self::Ready,
            4 => Self::Warm,
            5 => Self::Exited,
            6 => Self::Unmade,
            16 => Self::Hello,
            17 => Self::Order,
            18 => Self::Stdout,
            19 => Self::Stderr,
            20 => Self::OutOfMemory,
            21 => Self::Final,
            22 => Self::Step,
            23 => Self::Row,
            24 => Self::Uses,
            _ => return None,
        })
    }
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::runner) struct Frame {
    pub(in crate::runner) kind: Kind,
    pub(in crate::runner) key: Key,
    pub(in crate::runner) body: Vec<u8>,
}

impl Frame {
    /// Reads the body, which is an object: serde would take a list of its values as well.
    pub(in crate::runner) fn body<T: DeserializeOwned>(&self) -> Result<T, Broken> {
        if self.body.first() != Some(&b'{') {
            return Err(Broken::Body);
        }
        serde_json::from_slice(&self.body).map_err(|_| Broken::Body)
    }
}

/// Reasons to read nothing more from a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::runner) enum Broken {
    /// Its length is out of bounds.
    Length,
    /// It carries another key.
    Key,
    /// Unknown kind, or not allowed from this sender.
    Kind,
    /// Its body does not match its kind.
    Body,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Length => "a message of impossible length",
            Self::Key => "a message under a false key",
            Self::Kind => "a message of unknown kind",
            Self::Body => "a message that makes no sense",
        })
    }
}

/// Writes a frame.
pub(in crate::runner) fn encode(kind: Kind, key: &Key, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(HEAD_BYTES + body.len()).unwrap_or(u32::MAX);
    let mut bytes = Vec::with_capacity(LENGTH_BYTES + HEAD_BYTES + body.len());
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.push(kind as u8);
    bytes.extend_from_slice(key);
    bytes.extend_from_slice(body);
    bytes
}

/// Writes a frame with a JSON body.
pub(in crate::runner) fn encode_json(kind: Kind, key: &Key, body: &impl Serialize) -> Vec<u8> {
    // The bodies are plain structs of text and numbers, which always have a JSON form.
    encode(kind, key, &serde_json::to_vec(body).unwrap_or_default())
}

/// Returns the longest body for a limit on frames.
pub(in crate::runner) fn body_limit(max_frame: usize) -> usize {
    max_frame.saturating_sub(HEAD_BYTES)
}

/// Assembles frames from the pieces that arrive.
#[derive(Debug)]
pub(in crate::runner) struct Decoder {
    key: Option<Key>,
    max: usize,
    bytes: Vec<u8>,
    start: usize,
}

impl Decoder {
    /// A decoder that accepts only frames under `key` (any, if `None`), none longer than `max`.
    pub(in crate::runner) fn new(key: Option<Key>, max: usize) -> Self {
        Self { key, max, bytes: Vec::new(), start: 0 }
    }

    /// Adds what was read.
    pub(in crate::runner) fn feed(&mut self, bytes: &[u8]) {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Counts the missing bytes of the first frame, so that a reader can stop exactly at its end.
    pub(in crate::runner) fn wanted(&self) -> usize {
        let have = self.bytes.len() - self.start;
        match self.length() {
            None => LENGTH_BYTES - have,
            Some(length) => (LENGTH_BYTES + length).saturating_sub(have),
        }
    }

    fn length(&self) -> Option<usize> {
        let head = self.bytes.get(self.start..)?.first_chunk::<LENGTH_BYTES>()?;
        usize::try_from(u32::from_le_bytes(*head)).ok()
    }

    /// Takes the next whole frame, if there is one.
    pub(in crate::runner) fn next(&mut self) -> Result<Option<Frame>, Broken> {
        let Some(length) = self.length() else { return Ok(None) };
        if length < HEAD_BYTES || length > self.max {
            return Err(Broken::Length);
        }
        let from = self.start + LENGTH_BYTES;
        let Some(frame) = self.bytes.get(from..from + length) else { return Ok(None) };
        let Some((&kind, rest)) = frame.split_first() else { return Err(Broken::Length) };
        let Some((key, body)) = rest.split_first_chunk::<{ size_of::<Key>() }>() else { return Err(Broken::Length) };
        if self.key.is_some_and(|wanted| wanted != *key) {
            return Err(Broken::Key);
        }
        let kind = Kind::from_byte(kind).ok_or(Broken::Kind)?;
        let frame = Frame { kind, key: *key, body: body.to_vec() };
        self.start = from + length;
        Ok(Some(frame))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Final;
    use super::*;

    const KEY: Key = [7; 16];

    #[test]
    fn frames_arrive_whole_however_they_are_cut() {
        let mut bytes = encode(Kind::Stdout, &KEY, b"one");
        bytes.extend(encode(Kind::Stderr, &KEY, b""));
        bytes.extend(encode_json(Kind::Final, &KEY, &Final::Exit { status: 3 }));
        for piece in 1..bytes.len() {
            let mut decoder = Decoder::new(Some(KEY), MAX_FROM_CHILD);
            let mut found = Vec::new();
            for part in bytes.chunks(piece) {
                decoder.feed(part);
                while let Some(frame) = decoder.next().unwrap() {
                    found.push(frame);
                }
            }
            assert_eq!(found.len(), 3);
            assert_eq!(found[0].body, b"one");
            assert_eq!(found[1].kind, Kind::Stderr);
            assert_eq!(found[2].body::<Final>(), Ok(Final::Exit { status: 3 }));
            assert_eq!(decoder.wanted(), LENGTH_BYTES);
        }
    }

    #[test]
    fn reading_only_what_is_wanted_stops_at_the_end_of_a_frame() {
        let mut bytes = encode(Kind::Stdout, &KEY, b"one");
        let end = bytes.len();
        bytes.extend_from_slice(b"the next");
        let mut decoder = Decoder::new(Some(KEY), MAX_FROM_CHILD);
        let mut at = 0;
        while decoder.wanted() > 0 {
            let wanted = decoder.wanted();
            decoder.feed(&bytes[at..at + wanted]);
            at += wanted;
        }
        assert_eq!(at, end);
        assert_eq!(decoder.next().unwrap().unwrap().body, b"one");
    }

    #[test]
    fn a_frame_that_breaks_a_rule_is_refused() {
        let with_length = |length: u32| {
            let mut bytes = encode(Kind::Stdout, &KEY, b"text");
            bytes[..4].copy_from_slice(&length.to_le_bytes());
            bytes
        };
        let of_kind = |kind: u8| {
            let mut bytes = encode(Kind::Stdout, &KEY, b"text");
            bytes[4] = kind;
            bytes
        };
        let cases = [
            ("no length at all", with_length(0), Broken::Length),
            ("no room for the key", with_length(16), Broken::Length),
            ("longer than allowed", with_length(64 * 1024 + 1), Broken::Length),
            ("longer than memory", with_length(u32::MAX), Broken::Length),
            ("another key", encode(Kind::Stdout, &[8; 16], b"text"), Broken::Key),
            ("a kind that does not exist", of_kind(0), Broken::Kind),
            ("a kind that does not exist", of_kind(255), Broken::Kind),
            ("printed text", b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA".to_vec(), Broken::Length),
        ];
        for (name, bytes, why) in cases {
            let mut decoder = Decoder::new(Some(KEY), MAX_FROM_CHILD);
            decoder.feed(&bytes);
            assert_eq!(decoder.next(), Err(why), "{name}");
        }
    }
}
