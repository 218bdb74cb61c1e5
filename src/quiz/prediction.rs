//! What the learner expects the buggy program to print, asked before its first run.
//!
//! Owns when to ask, the text while it is typed, and the comparison with what was printed. Blanks at the ends of lines and
//! empty lines at the end do not count.

use crate::quiz::action::Effect;
use crate::quiz::consent;
use crate::quiz::grade::Said;
use crate::quiz::state::{Program, Quiz, Sitting, Stage};
use crate::runner::{Chunk, Ending, Stream, Verdict};

/// The longest prediction, in bytes.
const LONGEST: usize = 2_000;

/// What the learner does while the stage Run asks for a prediction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Type this. Line breaks in it begin a line.
    Type(String),
    /// Take the last character away.
    Erase,
    /// Take the last line away.
    EraseLine,
    /// Keep what was typed and run; nothing typed is no prediction.
    Done,
    /// Do not run.
    Leave,
}

/// What is known of the learner's expectation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Prediction {
    /// Nobody asked yet.
    #[default]
    Open,
    /// This was typed so far.
    Typing(String),
    /// The learner had none.
    None,
    /// The learner expects this.
    Made(String),
}

/// A prediction beside the truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Whether it is what was printed.
    pub right: bool,
    /// A sentence on it.
    pub said: Vec<Said>,
}

impl Sitting {
    /// The prediction.
    pub fn prediction(&self) -> &Prediction {
        &self.prediction
    }

    /// Whether the stage Run asks for a prediction, and is in sight.
    pub fn is_predicting(&self) -> bool {
        self.stage == Stage::Run && matches!(self.prediction, Prediction::Typing(_))
    }

    /// The prediction beside what the buggy program printed; `None` where one of them is missing.
    pub fn judged(&self) -> Option<Judged> {
        let Prediction::Made(predicted) = &self.prediction else { return None };
        let plain = self.buggy.as_ref().and_then(|run| Some((run.output.as_slice(), run.ending.as_ref()?)));
        let trace = self.steps.walk(Program::Buggy).map(|walk| walk.trace());
        let traced = trace.and_then(|trace| Some((trace.output(), trace.ending()?)));
        let ran = |(_, ending): &(&[Chunk], &Ending)| {
            !matches!(ending.verdict, Verdict::Stopped | Verdict::Refused | Verdict::MachineryFailed)
        };
        let (output, _) = plain.filter(ran).or_else(|| traced.filter(ran))?;
        let printed: String =
            output.iter().filter(|chunk| chunk.stream == Stream::Stdout).map(|chunk| chunk.text.as_str()).collect();
        Some(judge(predicted, &printed))
    }
}

impl Quiz {
    /// The same quiz, which asks what the buggy program prints before its first run.
    #[must_use]
    pub fn asking_for_predictions(mut self) -> Self {
        self.predicts = true;
        self
    }
}

/// Compares a prediction with what was printed.
fn judge(predicted: &str, printed: &str) -> Judged {
    let (predicted, printed) = (counting_lines(predicted), counting_lines(printed));
    let words = |words: &str| Said::Words(words.to_owned());
    let Some(differing) =
        (0..predicted.len().max(printed.len())).find(|index| predicted.get(*index) != printed.get(*index))
    else {
        return Judged { right: true, said: vec![words("You predicted what the buggy program prints.")] };
    };
    let quoted = |line: Option<&&str>| match line {
        None => words("nothing"),
        Some(&"") => words("an empty line"),
        Some(line) => Said::Output((*line).to_owned()),
    };
    let start = if predicted.len() <= 1 && printed.len() <= 1 {
        "You predicted ".to_owned()
    } else {
        format!("In line {} you predicted ", differing + 1)
    };
    let said = vec![
        Said::Words(start),
        quoted(predicted.get(differing)),
        words(", the buggy program prints "),
        quoted(printed.get(differing)),
        words("."),
    ];
    Judged { right: false, said }
}

/// The lines that count, without the blanks at their ends.
fn counting_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

/// Starts what the stage Run was asked for; where a prediction is due, asks for it first.
pub(super) fn start_or_ask(quiz: &mut Quiz) -> Vec<Effect> {
    let asks = quiz.predicts;
    let Some(sitting) = quiz.sitting_mut() else { return Vec::new() };
    match sitting.prediction {
        Prediction::Typing(_) => Vec::new(),
        Prediction::Open if asks => {
            sitting.prediction = Prediction::Typing(String::new());
            Vec::new()
        }
        _ => consent::start_if_allowed(quiz),
    }
}

/// What the learner did with the prediction.
pub(super) fn act(quiz: &mut Quiz, act: Act) -> Vec<Effect> {
    let Some(sitting) = quiz.sitting_mut().filter(|sitting| sitting.is_predicting()) else { return Vec::new() };
    let Prediction::Typing(text) = &mut sitting.prediction else { return Vec::new() };
    match act {
        Act::Type(typed) => put(text, &typed),
        Act::Erase => drop(text.pop()),
        Act::EraseLine => {
            let end = text.strip_suffix('\n').unwrap_or(text);
            let start = end.rfind('\n').map_or(0, |newline| newline + 1);
            text.truncate(start);
        }
        Act::Leave => sitting.prediction = Prediction::Open,
        Act::Done => {
            let made = !text.trim().is_empty();
            let text = std::mem::take(text);
            sitting.prediction = if made { Prediction::Made(text) } else { Prediction::None };
            return consent::start_if_allowed(quiz);
        }
    }
    Vec::new()
}

/// Adds what was typed or pasted, as far as it can be part of an output.
fn put(text: &mut String, typed: &str) {
    for c in typed.replace("\r\n", "\n").chars() {
        let c = match c {
            '\r' => '\n',
            c => c,
        };
        let is_text = matches!(c, '\n' | '\t') || !c.is_control();
        if is_text && text.len() + c.len_utf8() <= LONGEST {
            text.push(c);
        }
    }
}
