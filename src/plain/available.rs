//! Commands that work now, what a number means, and what Enter alone does.
//!
//! The rule is `quiz/availability.rs`; here are its reasons in the words of this mode. The words of the help are `help.rs`.

use crate::plain::command::Command;
use crate::plain::steps::detail;
use crate::quiz::availability::{Ability, Reason, unavailable};
use crate::quiz::describe;
use crate::quiz::run_view::RunView;
use crate::quiz::state::{Phase, Program};
use crate::quiz::{Quiz, Sitting, Stage};
use crate::text::counted;

/// The kinds of things that a number may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbered {
    /// A question of the library.
    Question,
    /// A line of the program, as an answer.
    Line,
    /// A point of the checklist.
    Point,
    /// A row of the timeline.
    Row,
    /// A step of a program.
    Step,
    /// A follow-up question.
    FollowUp,
}

impl Numbered {
    /// The word for one of them.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::Line => "line",
            Self::Point => "point",
            Self::Row => "row",
            Self::Step => "step",
            Self::FollowUp => "follow-up question",
        }
    }

    /// The thing that has them.
    pub fn whole(self) -> &'static str {
        match self {
            Self::Question => "library",
            Self::Line => "program",
            Self::Point => "checklist",
            Self::Row => "timeline",
            Self::Step => "program",
            Self::FollowUp => "question",
        }
    }
}

/// The meaning of a number now, and how many there are.
///
/// # Errors
///
/// A number means nothing; the sentence says what to do instead.
pub fn number(quiz: &Quiz) -> Result<(Numbered, usize), String> {
    let Some(sitting) = quiz.sitting() else {
        return some(Numbered::Question, quiz.catalog().questions.len(), "The library has no question.");
    };
    let question = sitting.question();
    match sitting.stage() {
        Stage::Spot if sitting.is_answered() => {
            Err("The question is answered. `undo` takes that back, `again` starts it over.".to_owned())
        }
        Stage::Spot => some(Numbered::Line, question.line_count(), "The program has no line."),
        Stage::Run => match (sitting.view(), &question.scenario, sitting.steps().leader()) {
            (RunView::Timeline, Some(scenario), _) if sitting.is_played() => Ok((Numbered::Row, scenario.steps.len())),
            (RunView::Steps, _, Some(walk)) => Ok((Numbered::Step, walk.trace().steps.len())),
            _ if !sitting.is_answered() => {
                Err(format!("A number is an answer in the stage Spot: `spot` goes there. {}", parts(sitting)))
            }
            _ => Err(format!("A number means nothing here. {}", parts(sitting))),
        },
        Stage::Fix => Err("A number means nothing here. `read` and a number reads that line of yours.".to_owned()),
        Stage::Say => match sitting.say().phase() {
            Phase::Ready => Err("The checklist opens once you have spoken: type `start` first.".to_owned()),
            Phase::Speaking { .. } => Err("The checklist opens when you are done: press Enter first.".to_owned()),
            Phase::Paused { .. } => Err("The checklist opens when you are done: type `stop` first.".to_owned()),
            Phase::Checklist { .. } => {
                some(Numbered::Point, sitting.say().covered().len(), "The checklist has no point: type `done`.")
            }
            Phase::Done => Err("The checklist is complete. `undo` opens it again.".to_owned()),
        },
        Stage::Learn if !sitting.is_answered() => Err(describe::LEARN_IS_CLOSED.to_owned()),
        Stage::Learn => some(Numbered::FollowUp, question.follow_ups.len(), "This question has no follow-up question."),
    }
}

fn some(numbered: Numbered, count: usize, none: &str) -> Result<(Numbered, usize), String> {
    if count == 0 { Err(none.to_owned()) } else { Ok((numbered, count)) }
}

/// The command that Enter alone stands for; `None` where it does nothing.
pub fn enter(quiz: &Quiz) -> Option<Command> {
    let sitting = quiz.sitting()?;
    match sitting.stage() {
        Stage::Say if matches!(sitting.say().phase(), Phase::Speaking { .. }) => Some(Command::Stop),
        Stage::Run => Some(Command::Next).filter(|next| refusal(quiz, *next).is_none()),
        Stage::Spot | Stage::Fix | Stage::Say | Stage::Learn => None,
    }
}

/// Says why `command` does not work now; `None` if it does.
pub fn refusal(quiz: &Quiz, command: Command) -> Option<String> {
    let reason = match command {
        Command::Help | Command::Where | Command::List | Command::Quit => return None,
        Command::Back | Command::Library => {
            return quiz.sitting().is_none().then(|| "You are in the library. `quit` leaves.".to_owned());
        }
        Command::Read | Command::Steps | Command::Again => quiz.sitting().is_none().then_some(Reason::NoQuestionOpen),
        // A name that leads nowhere is refused by itself.
        Command::Open if quiz.sitting().is_some() => None,
        command => unavailable(quiz, ability(command)?),
    };
    // The last hint can be heard again.
    reason.filter(|reason| *reason != Reason::HintsOpen).map(|reason| words(quiz, reason))
}

fn ability(command: Command) -> Option<Ability> {
    Some(match command {
        Command::Open => Ability::Open,
        Command::Yes | Command::No => Ability::Decide,
        Command::Go(stage) => Ability::Go(stage),
        Command::Hint => Ability::Hint,
        Command::GiveUp => Ability::GiveUp,
        Command::Undo => Ability::Undo,
        Command::Timeline => Ability::Timeline,
        Command::Next => Ability::Next,
        Command::Previous => Ability::Previous,
        Command::First | Command::Last => Ability::Ends,
        Command::Variables | Command::Printed => Ability::Inspect,
        Command::Show(side) => Ability::Show(side),
        Command::Edit | Command::Check => Ability::Repair,
        Command::Reset => Ability::Reset,
        Command::BringBack => Ability::BringBack,
        Command::Start => Ability::StartCountdown,
        Command::Pause => Ability::PauseCountdown,
        Command::Stop => Ability::EndCountdown,
        Command::Done => Ability::FinishChecklist,
        Command::Related => Ability::Related,
        Command::Help
        | Command::Where
        | Command::List
        | Command::Quit
        | Command::Back
        | Command::Library
        | Command::Read
        | Command::Steps
        | Command::Again => return None,
    })
}

/// `reason` in the words of this mode, which name what can be typed.
fn words(quiz: &Quiz, reason: Reason) -> String {
    let words = match reason {
        Reason::NoQuestions => "The library has no question.",
        Reason::NoQuestionOpen => "No question is open. Type the number of one, or `list`.",
        Reason::NothingAsked => "Nothing was asked.",
        Reason::OtherStage(stage) => {
            let name = stage.name();
            return format!("That works in the stage {name}: `{}` goes there.", name.to_lowercase());
        }
        Reason::Closed(_) => describe::LEARN_IS_CLOSED,
        Reason::Answered => "The question is answered. `answer` tells the answer again.",
        Reason::HintsOfFollowUps => "The number of a follow-up question opens its hint.",
        Reason::NoHints => "This question has no hints.",
        Reason::HintsOpen => "There are no more hints.",
        Reason::NothingToUndo => "There is nothing to take back here.",
        Reason::NoScenario => "This question has no timeline.",
        Reason::NoRows => quiz.sitting().map_or("", parts),
        Reason::NotPlayed => "The timeline was not played yet: `timeline` begins with its first row.",
        Reason::AtLast(RunView::Timeline) => {
            "That was the last row. `timeline` begins again, a number goes to that row."
        }
        Reason::AtLast(_) => "That was the last step. `first` begins again, a number goes to that step.",
        Reason::AtFirst(RunView::Timeline) => "This is the first row.",
        Reason::AtFirst(_) => "This is the first step.",
        Reason::NotInSteps => "That works in the steps: `steps` goes there.",
        Reason::FixedClosed => describe::FIXED_IS_CLOSED,
        Reason::NoSteps => {
            let walk = quiz.sitting().and_then(|sitting| sitting.steps().walk(Program::Fixed));
            let why = walk.and_then(|walk| walk.trace().ending()).map(|ending| format!(": {}", detail(ending)));
            return format!("The fixed program took no step{}.", why.unwrap_or_default());
        }
        Reason::Unchanged => "Your program is the buggy program so far.",
        Reason::NoEarlierText => "There is no text to bring back.",
        Reason::CountdownRunning => "The countdown is running: speak.",
        Reason::CountdownStopped => "The countdown is not running.",
        Reason::CountdownOver => "The countdown is over.",
        Reason::NoChecklist => return number(quiz).err().unwrap_or_default(),
        Reason::ChecklistDone => "The checklist is complete.",
        Reason::NothingMarked => "Nothing is marked.",
        Reason::NoRelated => "This question has no related question.",
    };
    words.to_owned()
}

/// Ways to go through the programs in the stage Run.
fn parts(sitting: &Sitting) -> &'static str {
    match &sitting.question().scenario {
        Some(_) => "`timeline` tells the scenario row by row, `steps` goes through the program step by step.",
        None => "`steps` goes through the program step by step.",
    }
}

/// Says how many things a number can name: "the program has 14 lines".
pub fn there_are(numbered: Numbered, count: usize) -> String {
    format!("the {} has {}", numbered.whole(), counted(count, numbered.noun()))
}
