//! What a line asks for.
//!
//! Owns the one table of commands: their words, where they work, and what the help says about them. A number alone means
//! what the place expects: a question, a line, a point, a follow-up question.

use crate::quiz::Stage;

/// Something that a learner may type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Say what can be typed here.
    Help,
    /// Say where the learner is.
    Where,
    /// Name the questions.
    List,
    /// Open a question.
    Open,
    /// Read the question and the program, or one line of it.
    Read,
    /// Open the next hint.
    Hint,
    /// Show the answer.
    GiveUp,
    /// Show a stage.
    Go(Stage),
    /// Give the repair to the editor.
    Edit,
    /// Run the checks on the repair.
    Check,
    /// Begin the repair again.
    Reset,
    /// Bring back the text that a reset replaced.
    BringBack,
    /// Play the scenario from its first row.
    Timeline,
    /// Play its next row.
    Next,
    /// Start the countdown.
    Start,
    /// Let the countdown stand still.
    Pause,
    /// End what is going on: the countdown.
    Stop,
    /// End the checklist.
    Done,
    /// Agree.
    Yes,
    /// Do not agree.
    No,
    /// Take back the last answer.
    Undo,
    /// Start the question over.
    Again,
    /// Go back to the library.
    Back,
    /// Leave.
    Quit,
}

/// Where a command works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Everywhere.
    Everywhere,
    /// In the library.
    Library,
    /// In an open question.
    Question,
    /// In this stage of one.
    In(Stage),
}

/// A row of the table: the words, the first of which is shown; the command; where it works; what the help says.
type Row = (&'static [&'static str], Command, Place, &'static str);

/// Every command.
pub const TABLE: &[Row] = &[
    (
        &["open", "o"],
        Command::Open,
        Place::Everywhere,
        "`open` and an id or a number: open that question; in a question, that related one",
    ),
    (&["list", "l"], Command::List, Place::Everywhere, "`list`: hear the questions"),
    (&["read"], Command::Read, Place::Question, "`read`: hear the question and the program; `read 8`: line 8 alone"),
    (&["hint", "h"], Command::Hint, Place::In(Stage::Spot), "`hint`: the next hint"),
    (&["answer", "give-up"], Command::GiveUp, Place::In(Stage::Spot), "`answer`: give up and hear the answer"),
    (&["edit", "e"], Command::Edit, Place::In(Stage::Fix), "`edit`: open your program in your editor"),
    (&["check", "c"], Command::Check, Place::In(Stage::Fix), "`check`: run the checks on your program"),
    (&["reset"], Command::Reset, Place::In(Stage::Fix), "`reset`: begin again with the buggy program"),
    (
        &["bring", "bring-back"],
        Command::BringBack,
        Place::In(Stage::Fix),
        "`bring back`: the text before the last reset",
    ),
    (&["start"], Command::Start, Place::In(Stage::Say), "`start`: start the countdown, or go on with it"),
    (&["pause"], Command::Pause, Place::In(Stage::Say), "`pause`: let the countdown stand still"),
    (&["stop"], Command::Stop, Place::In(Stage::Say), "`stop`, or Enter alone: stop speaking, go to the checklist"),
    (&["done"], Command::Done, Place::In(Stage::Say), "`done`: the checklist is complete, hear a model answer"),
    (&["spot"], Command::Go(Stage::Spot), Place::Question, "`spot`: find the line"),
    (&["run", "r"], Command::Go(Stage::Run), Place::Question, "`run`: run the program; both, once you have answered"),
    (&["timeline", "t"], Command::Timeline, Place::Question, "`timeline`: hear the scenario, one row at a time"),
    (&["next"], Command::Next, Place::In(Stage::Run), "`next`: the next row of the timeline"),
    (&["fix"], Command::Go(Stage::Fix), Place::Question, "`fix`: repair the program"),
    (&["say"], Command::Go(Stage::Say), Place::Question, "`say`: answer out loud against the clock"),
    (&["learn"], Command::Go(Stage::Learn), Place::Question, "`learn`: facts, mistakes and follow-up questions"),
    (&["undo", "u"], Command::Undo, Place::Question, "`undo`: take back the last answer or tick"),
    (&["again"], Command::Again, Place::Question, "`again`: start this question over"),
    (&["back", "b"], Command::Back, Place::Question, "`back`: back to the question that led here, or to the library"),
    (&["where"], Command::Where, Place::Everywhere, "`where`: hear where you are"),
    (&["help", "?"], Command::Help, Place::Everywhere, "`help`: hear what can be typed here"),
    (&["quit", "q", "exit"], Command::Quit, Place::Everywhere, "`quit`: leave"),
    (&["yes", "y"], Command::Yes, Place::Everywhere, ""),
    (&["no", "n"], Command::No, Place::Everywhere, ""),
];

impl Place {
    /// Whether a command of this place works at `stage`; `None` is the library.
    pub fn is_here(self, stage: Option<Stage>) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Library => stage.is_none(),
            Self::Question => stage.is_some(),
            Self::In(only) => stage == Some(only),
        }
    }
}

/// A line that was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed<'a> {
    /// Nothing but blanks.
    Nothing,
    /// A number alone.
    Number(u32),
    /// A command and what stands behind it.
    Command(Command, Place, &'a str),
    /// Something else.
    Other(&'a str),
}

/// What `line` says. Capitals do not matter, and `line 8` is the number 8.
pub fn read(line: &str) -> Typed<'_> {
    let line = line.trim();
    if line.is_empty() {
        return Typed::Nothing;
    }
    let (word, rest) = line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()));
    let lower = word.to_lowercase();
    let number = if lower == "line" || lower == "point" { rest } else { line };
    if let Ok(number) = number.parse() {
        return Typed::Number(number);
    }
    match TABLE.iter().find(|(words, ..)| words.contains(&lower.as_str())) {
        Some((_, command, place, _)) => Typed::Command(*command, *place, rest),
        None => Typed::Other(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_understood_as_people_type_them() {
        assert_eq!(read("  "), Typed::Nothing);
        assert_eq!(read(" 8 "), Typed::Number(8));
        assert_eq!(read("Line 8"), Typed::Number(8));
        assert_eq!(read("HINT"), Typed::Command(Command::Hint, Place::In(Stage::Spot), ""));
        assert_eq!(read("open  fencing-tokens "), Typed::Command(Command::Open, Place::Everywhere, "fencing-tokens"));
        assert_eq!(read("fencing-tokens"), Typed::Other("fencing-tokens"));
        assert_eq!(read("-1"), Typed::Other("-1"));
        assert_eq!(read("99999999999"), Typed::Other("99999999999"));
    }

    #[test]
    fn no_word_means_two_things() {
        let words: Vec<&str> = TABLE.iter().flat_map(|(words, ..)| words.iter().copied()).collect();
        let mut once = words.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(words.len(), once.len());
    }
}
