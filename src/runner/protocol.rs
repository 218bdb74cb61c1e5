//! The protocol between parent, template and children: frames and their bodies.
//!
//! A frame is its length (`u32`, little endian; it counts what follows), a kind (one byte), the key of the child it
//! is about (16 bytes) and a body. Bodies are JSON, except those of output, which are the bytes themselves. What
//! comes from a child is hostile: every length is checked before anything is stored, and a frame that breaks a rule
//! is [`Broken`], after which nothing more is read from that child. Owns no descriptor and no process.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{CheckOutcome, Engine, Missing, Unreached};

/// What a child's frames carry, so that bytes which a program prints are not taken for the runner's word.
pub(super) type Key = [u8; 16];

/// The longest frame that a child, or a template, may send.
pub(super) const MAX_FROM_CHILD: usize = 64 << 10;
/// The longest frame that the parent sends: a program of 1 MiB with its checks, in JSON, with room for escapes.
pub(super) const MAX_FROM_PARENT: usize = 16 << 20;

const LENGTH_BYTES: usize = 4;
const HEAD_BYTES: usize = 1 + size_of::<Key>();

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// Parent to template: fork a child. Carries [`Spawn`] and, beside it, the child's descriptors.
    Spawn = 1,
    /// Parent to template: end a child. Carries [`Slot`].
    Kill = 2,
    /// Template to parent: ready, and in which state. Carries [`Hello`].
    Ready = 3,
    /// Template to parent: the modules that programs like to import are loaded. No body.
    Warm = 4,
    /// Template to parent: a child is gone. Carries [`Exited`].
    Exited = 5,
    /// Template to parent: a child could not be made. Carries [`Unmade`].
    Unmade = 6,
    /// Child to parent: locked down, and how well. Carries [`Hello`].
    Hello = 16,
    /// Parent to child: what to run. Carries [`Order`].
    Order = 17,
    /// Child to parent: bytes for standard output.
    Stdout = 18,
    /// Child to parent: bytes for standard error.
    Stderr = 19,
    /// Child to parent: an allocation failed, and with it the child. No body.
    OutOfMemory = 20,
    /// Child to parent: how it ended. Carries [`Final`].
    Final = 21,
    /// Child to parent: a step of a trace. Carries [`super::Step`].
    Step = 22,
    /// Child to parent: a step of a scenario. Carries [`super::Row`].
    Row = 23,
    /// Child to parent: what stands out in a program that was handed in. Carries [`Uses`].
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
pub(super) struct Frame {
    pub(super) kind: Kind,
    pub(super) key: Key,
    pub(super) body: Vec<u8>,
}

impl Frame {
    /// Reads the body, which is an object: serde would take a list of its values as well.
    pub(super) fn body<T: DeserializeOwned>(&self) -> Result<T, Broken> {
        if self.body.first() != Some(&b'{') {
            return Err(Broken::Body);
        }
        serde_json::from_slice(&self.body).map_err(|_| Broken::Body)
    }
}

/// Asks a template for a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spawn {
    /// The parent's id for the child.
    pub(super) slot: u64,
    /// Address space that it may add, in bytes.
    pub(super) memory: u64,
    /// Processor time that it may use, in seconds. A backstop for the parent's clock.
    pub(super) cpu: u64,
    pub(super) purpose: Purpose,
}

/// The reason to make a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Purpose {
    /// A program waits for it.
    Program,
    /// It will wait for its program, and so has time to get ready for it.
    Spare,
}

/// Names a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Slot {
    pub(super) slot: u64,
}

/// A child is gone: it ended by itself, or a signal ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exited {
    pub(super) slot: u64,
    pub(super) code: Option<i32>,
    pub(super) signal: Option<i32>,
}

/// A child could not be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Unmade {
    pub(super) slot: u64,
    /// The error of the system.
    pub(super) reason: String,
}

/// The sender's engine and sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hello {
    /// Its process, so that the parent can look at it from outside.
    pub(super) pid: u32,
    pub(super) engine: Engine,
    pub(super) missing: Vec<Missing>,
    /// Why this process must not run a program, if it must not.
    pub(super) refused: Option<String>,
}

/// A child's work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Order {
    /// Run the program.
    Run { source: String },
    /// Run a program that was handed in as a repair of `question`, another program.
    Grade { source: String, question: String },
    /// Run the program, drop what it writes, then run one check. `question` is the program that it repairs, if it was
    /// handed in.
    Check { source: String, code: String, question: Option<String> },
    /// Run the program and report its steps, at most so many, in at most so many bytes.
    Trace { source: String, steps: usize, bytes: usize },
    /// Run the program, then the steps of a scenario.
    Scenario { source: String, setup: String, watch: Vec<String>, steps: Vec<Option<String>> },
}

/// The end of a child's work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Final {
    /// The program came to its end.
    Finished {},
    /// Nothing caught this exception. `line` is the last line of the program itself that it passed through.
    Raised { exception: String, message: String, line: Option<u32> },
    /// It left with an exit status that is not 0.
    Exit { status: i64 },
    /// Nothing caught this `MemoryError`.
    Memory { message: String, line: Option<u32> },
    /// A check was decided.
    Checked { result: CheckOutcome, message: String },
    /// The program ended before its check.
    Unreached { because: Unreached, message: String },
    /// The program changes what checks it, or could. `names` are its means.
    Tampered { how: Tampering, names: Vec<String> },
}

impl Final {
    /// The end of a program that tampers with its checks.
    pub(super) fn tampered(how: Tampering, names: impl IntoIterator<Item = String>) -> Self {
        Self::Tampered { how, names: names.into_iter().collect() }
    }
}

/// Ways to tamper with checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Tampering {
    /// Its code has names that reach into the interpreter, and its question's has not.
    Reaches,
    /// It replaced functions or classes while a check ran, or in a way that cannot be undone.
    Changed,
    /// The statement that must fail after every program passed.
    Canary,
}

/// Findings about a program that was handed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Uses {
    /// Methods with which a value can lie about itself, such as `__eq__`, that its question's program does not have.
    pub(super) overloads: Vec<String>,
}

/// The rule that a frame breaks. Nothing more is read from its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// Its length is out of bounds.
    Length,
    /// It carries another key.
    Key,
    /// No such kind, or not from this sender.
    Kind,
    /// The body does not match the kind.
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
pub(super) fn encode(kind: Kind, key: &Key, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(HEAD_BYTES + body.len()).unwrap_or(u32::MAX);
    let mut bytes = Vec::with_capacity(LENGTH_BYTES + HEAD_BYTES + body.len());
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.push(kind as u8);
    bytes.extend_from_slice(key);
    bytes.extend_from_slice(body);
    bytes
}

/// Writes a frame with a JSON body.
pub(super) fn encode_json(kind: Kind, key: &Key, body: &impl Serialize) -> Vec<u8> {
    // The bodies are plain structs of text and numbers, which always have a JSON form.
    encode(kind, key, &serde_json::to_vec(body).unwrap_or_default())
}

/// The most that a body may hold under a limit on frames.
pub(super) fn body_limit(max_frame: usize) -> usize {
    max_frame.saturating_sub(HEAD_BYTES)
}

/// Puts frames together from the pieces that arrive.
#[derive(Debug)]
pub(super) struct Decoder {
    key: Option<Key>,
    max: usize,
    bytes: Vec<u8>,
    start: usize,
}

impl Decoder {
    /// A decoder that accepts only frames under `key` (any, if `None`), none longer than `max`.
    pub(super) fn new(key: Option<Key>, max: usize) -> Self {
        Self { key, max, bytes: Vec::new(), start: 0 }
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// How many bytes of the frame at the front are still to come. Reading no more than this many never reads past
    /// the frame.
    pub(super) fn wanted(&self) -> usize {
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
    pub(super) fn next(&mut self) -> Result<Option<Frame>, Broken> {
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

    #[test]
    fn a_body_of_another_shape_is_refused() {
        for body in [
            r#"{"outcome":"finished","score":100}"#,
            r#"["finished"]"#,
            r#"{"outcome":"checked","result":"passed","message":"","because":"left"}"#,
            r#"{"outcome":"unreached","because":"passed","message":""}"#,
            r#"{"outcome":"unreached","because":"left","message":"","result":"passed"}"#,
            "",
        ] {
            let frame = Frame { kind: Kind::Final, key: KEY, body: body.into() };
            assert_eq!(frame.body::<Final>(), Err(Broken::Body), "{body}");
        }
    }
}
