//! The output that the learner expects of the buggy program, asked for before its first run.
//!
//! Blanks at the ends of lines and empty lines at the end do not count in the comparison.

use crate::quiz::describe::Said;

/// The longest prediction, in bytes.
const LONGEST: usize = 2_000;

/// An action of the learner while the stage Run asks for a prediction.
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

/// The learner's expectation.
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
pub struct PredictionResult {
    /// True if it was printed.
    pub right: bool,
    /// A sentence on it.
    pub said: Vec<Said>,
}

pub(super) fn compare(predicted: &str, printed: &str) -> PredictionResult {
    let (predicted, printed) = (counting_lines(predicted), counting_lines(printed));
    let words = |words: &str| Said::Words(words.to_owned());
    let Some(differing) =
        (0..predicted.len().max(printed.len())).find(|index| predicted.get(*index) != printed.get(*index))
    else {
        return PredictionResult { right: true, said: vec![words("You predicted what the buggy program prints.")] };
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
    PredictionResult { right: false, said }
}

/// The lines that count, without the blanks at their ends.
fn counting_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

impl Prediction {
    /// Asks for a prediction, where none was asked for yet.
    pub(super) fn ask(&mut self) {
        if *self == Self::Open {
            *self = Self::Typing(String::new());
        }
    }

    /// Changes what is typed. Returns whether it is complete, so that the program may run.
    pub(super) fn act(&mut self, act: Act) -> bool {
        let Self::Typing(text) = self else { return false };
        match act {
            Act::Type(typed) => put(text, &typed),
            Act::Erase => drop(text.pop()),
            Act::EraseLine => {
                let end = text.strip_suffix('\n').unwrap_or(text);
                let start = end.rfind('\n').map_or(0, |newline| newline + 1);
                text.truncate(start);
            }
            Act::Leave => *self = Self::Open,
            Act::Done => {
                let made = !text.trim().is_empty();
                let text = std::mem::take(text);
                *self = if made { Self::Made(text) } else { Self::None };
                return true;
            }
        }
        false
    }
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
