//! Commands, the one table of their words, and the reading of a line that was typed.

use crate::quiz::Stage;
use crate::quiz::state::{Program, Programs};

/// Something that a learner may type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Say what can be typed now.
    Help,
    /// Say where the learner is.
    Where,
    /// Name the questions.
    List,
    /// Open a question.
    Open,
    /// Open a related question.
    Related,
    /// Read the question and the program, or some lines of one.
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
    /// Go through a program step by step.
    Steps,
    /// The next row, or the next step.
    Next,
    /// The row or the step before.
    Previous,
    /// The first row or step.
    First,
    /// The last row or step.
    Last,
    /// The variables at a step.
    Variables,
    /// Hear the output up to a step.
    Printed,
    /// Choose whose steps are read out.
    Show(Programs),
    /// Start the countdown.
    Start,
    /// Let the countdown stand still.
    Pause,
    /// End the countdown.
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
    /// Go back to where the question was opened.
    Back,
    /// Go to the library.
    Library,
    /// Leave.
    Quit,
}

/// Every command with its words, the first of which is shown, in the order of the help.
pub const TABLE: &[(&[&str], Command)] = &[
    (&["yes", "y"], Command::Yes),
    (&["no", "n"], Command::No),
    (&["hint", "h"], Command::Hint),
    (&["answer", "give-up"], Command::GiveUp),
    (&["edit", "e"], Command::Edit),
    (&["check", "c"], Command::Check),
    (&["reset"], Command::Reset),
    (&["bring", "bring-back"], Command::BringBack),
    (&["start"], Command::Start),
    (&["pause"], Command::Pause),
    (&["stop"], Command::Stop),
    (&["done"], Command::Done),
    (&["next"], Command::Next),
    (&["previous", "p"], Command::Previous),
    (&["first"], Command::First),
    (&["last"], Command::Last),
    (&["variables", "v"], Command::Variables),
    (&["output"], Command::Printed),
    (&["buggy"], Command::Show(Programs::One(Program::Buggy))),
    (&["fixed"], Command::Show(Programs::One(Program::Fixed))),
    (&["both"], Command::Show(Programs::Both)),
    (&["undo", "u"], Command::Undo),
    (&["read"], Command::Read),
    (&["spot"], Command::Go(Stage::Spot)),
    (&["run", "r"], Command::Go(Stage::Run)),
    (&["timeline", "t"], Command::Timeline),
    (&["steps", "step", "s"], Command::Steps),
    (&["fix"], Command::Go(Stage::Fix)),
    (&["say"], Command::Go(Stage::Say)),
    (&["learn"], Command::Go(Stage::Learn)),
    (&["again"], Command::Again),
    (&["related"], Command::Related),
    (&["open", "o"], Command::Open),
    (&["list", "l"], Command::List),
    (&["back", "b"], Command::Back),
    (&["library"], Command::Library),
    (&["where", "w"], Command::Where),
    (&["help", "?"], Command::Help),
    (&["quit", "q", "exit"], Command::Quit),
];

impl Command {
    /// The word that the help uses.
    pub fn word(self) -> &'static str {
        match self {
            Self::BringBack => "bring back",
            _ => TABLE.iter().find(|(_, command)| *command == self).and_then(|(words, _)| words.first()).unwrap_or(&""),
        }
    }

    /// True if its word may have arguments.
    pub fn takes_more(self) -> bool {
        use Command::{BringBack, Next, Open, Previous, Read, Related, Steps};
        matches!(self, BringBack | Next | Open | Previous | Read | Related | Steps)
    }
}

/// Words that may stand before a number, to say of what it is one.
const NOUNS: [&str; 5] = ["line", "point", "row", "step", "question"];

/// A line that was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed<'a> {
    /// Nothing but blanks.
    Nothing,
    /// A number, and of what it is one where that was said.
    Number(Option<&'static str>, u32),
    /// A command and its arguments.
    Command(Command, &'a str),
    /// Something else.
    Other(&'a str),
}

/// Reads `line`. Capitals do not matter.
pub fn read(line: &str) -> Typed<'_> {
    let line = line.trim();
    if line.is_empty() {
        return Typed::Nothing;
    }
    let (word, rest) = line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()));
    let lower = word.to_lowercase();
    // Who types `answer 8` does not give up.
    if lower == "answer"
        && let Ok(number) = rest.trim_start_matches("line").trim_start().parse()
    {
        return Typed::Number(Some("line"), number);
    }
    let noun = NOUNS.into_iter().find(|noun| *noun == lower);
    if let Ok(number) = (if noun.is_some() { rest } else { line }).parse() {
        return Typed::Number(noun, number);
    }
    match TABLE.iter().find(|(words, _)| words.contains(&lower.as_str())) {
        Some((_, command)) => Typed::Command(*command, rest),
        None => Typed::Other(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_understood_as_people_type_them() {
        assert_eq!(read("  "), Typed::Nothing);
        assert_eq!(read(" 8 "), Typed::Number(None, 8));
        assert_eq!(read("Line 8"), Typed::Number(Some("line"), 8));
        assert_eq!(read("step 8"), Typed::Number(Some("step"), 8));
        assert_eq!(read("answer 8"), Typed::Number(Some("line"), 8));
        assert_eq!(read("answer line 8"), Typed::Number(Some("line"), 8));
        assert_eq!(read("answer"), Typed::Command(Command::GiveUp, ""));
        assert_eq!(read("step"), Typed::Command(Command::Steps, ""));
        assert_eq!(read("HINT"), Typed::Command(Command::Hint, ""));
        assert_eq!(read("open  fencing-tokens "), Typed::Command(Command::Open, "fencing-tokens"));
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
