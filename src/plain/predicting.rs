//! Reads lines while the learner predicts what the buggy program prints.
//!
//! Few of them are commands there, and a line that looks like one can still be predicted.

use crate::plain::reading;
use crate::plain::response::{Response, act, words};
use crate::plain::words::place;
use crate::quiz::action::Action;
use crate::quiz::prediction::{Act, Prediction};
use crate::quiz::{Quiz, Sitting};
use crate::text;

const REPEATED: usize = 60;

/// The question itself.
pub const ASKED: &str = "What will the buggy program print? Type it line by line. Enter alone ends it and runs the \
                         program; with nothing typed it skips this. `cancel` does not run it, `help` says more.";

/// Lists what can be typed.
pub fn help() -> String {
    "Anything else: the next line that the program prints, as you expect it.\n\
     Enter alone: that was all; run the program. With nothing typed, skip the prediction.\n\
     `text` and a line: predict just that line, also where it is a command, such as `text quit`; `text` alone: an empty \
     line.\n\
     `undo`: take the last line away.\n\
     `cancel`: do not run the program.\n\
     `read`: hear the question and the program; `read 8`: line 8 alone; `read 3 to 6`: these lines.\n\
     `where`: hear where you are, and what you typed so far.\n\
     `help`: hear what can be typed now.\n\
     `quit`: leave; answers and your program are kept.\n"
        .to_owned()
}

/// The response to a line.
pub fn line(quiz: &Quiz, line: &str) -> Response {
    let typed = line.trim();
    let (first, rest) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
    match (first.to_lowercase().as_str(), rest.trim()) {
        ("", _) => act(Action::Predict(Act::Done), |_| String::new()),
        ("help" | "?", "") => Response::Words(help()),
        ("quit" | "exit", "") => Response::Leave,
        ("cancel", "") => act(Action::Predict(Act::Leave), |_| "Nothing was run.\n".to_owned()),
        ("where", "") => Response::Words(place(quiz) + &so_far(quiz)),
        ("undo", "") if typed_so_far(quiz).is_empty() => words("There is nothing to take back: no line was typed yet."),
        ("undo", "") => act(Action::Predict(Act::EraseLine), |quiz| format!("Taken back. {}", so_far(quiz))),
        ("read", rest) if reading::is_place(rest) => Response::Words(reading::read(quiz, rest)),
        // The blanks after `text` belong to the line, except the first.
        ("text", _) => {
            let rest = line.trim_start().get("text".len()..).unwrap_or_default();
            predict(rest.strip_prefix(char::is_whitespace).unwrap_or(rest))
        }
        _ => predict(line),
    }
}

fn predict(line: &str) -> Response {
    let wanted = format!("{line}\n");
    act(Action::Predict(Act::Type(wanted.clone())), move |quiz| {
        let typed = typed_so_far(quiz);
        if typed.ends_with(&wanted) {
            return format!("Noted: {} Type the next line, or Enter alone.\n", last(typed));
        }
        // What no program prints was left out, or there was no room for more.
        format!("Not all of that could be noted: {} `undo` takes the line back.\n", last(typed))
    })
}

fn typed_so_far(quiz: &Quiz) -> &str {
    match quiz.sitting().map(Sitting::prediction) {
        Some(Prediction::Typing(text)) => text,
        _ => "",
    }
}

fn last(typed: &str) -> String {
    let lines: Vec<&str> = text::raw_lines(typed).collect();
    match lines.last() {
        None => "nothing.".to_owned(),
        Some(&"") => format!("line {} is empty.", lines.len()),
        Some(line) => {
            let line = text::line(line);
            format!("line {} is `{}`.", lines.len(), text::shorten(&line, REPEATED))
        }
    }
}

fn so_far(quiz: &Quiz) -> String {
    let typed = typed_so_far(quiz);
    let mut out = match text::raw_lines(typed).count() {
        0 => "Nothing is predicted so far.\n".to_owned(),
        _ => "Predicted so far:\n".to_owned(),
    };
    for (index, line) in text::raw_lines(typed).enumerate() {
        let line = if line.is_empty() { "an empty line".into() } else { text::line(line) };
        out.push_str(&format!("Line {}: {line}\n", index + 1));
    }
    out
}
