//! Reads parts of a report whose types belong to the runner, which writes them and never reads them.

use serde::de::{Deserialize, Deserializer, Error};

use super::{CheckShape, ChunkShape, EngineShape, PROGRAMS, all_verdicts};
use crate::runner::{CheckResult, Chunk, Engine, Stream, Verdict};

pub(super) fn program<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let word = String::deserialize(from)?;
    if PROGRAMS.contains(&word.as_str()) { Ok(word) } else { Err(unknown("program", &word)) }
}

pub(super) fn verdict<'de, D: Deserializer<'de>>(from: D) -> Result<Verdict, D::Error> {
    let word = String::deserialize(from)?;
    all_verdicts().find(|verdict| verdict.word() == word).ok_or_else(|| unknown("verdict", &word))
}

pub(super) fn chunks<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Chunk>, D::Error> {
    let chunk = |shape: ChunkShape| {
        let stream = match shape.stream.as_str() {
            "stdout" => Stream::Stdout,
            "stderr" => Stream::Stderr,
            other => return Err(unknown("stream", other)),
        };
        Ok(Chunk { stream, text: shape.text })
    };
    Vec::deserialize(from)?.into_iter().map(chunk).collect()
}

pub(super) fn checks<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<CheckResult>, D::Error> {
    let check = |CheckShape { name, result, message }| CheckResult { name, result, message, unreached: None };
    Ok(Vec::deserialize(from)?.into_iter().map(check).collect())
}

pub(super) fn engine<'de, D: Deserializer<'de>>(from: D) -> Result<Engine, D::Error> {
    let EngineShape { name, version, python, sandbox } = EngineShape::deserialize(from)?;
    Ok(Engine { name, version, python, sandbox })
}

fn unknown<E: Error>(what: &str, word: &str) -> E {
    E::custom(format_args!("there is no {what} `{word}`"))
}
