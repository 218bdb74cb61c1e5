//! What works at one moment.
//!
//! Owns the one rule behind what the help offers and what is taken: why a command does not work now, what a number means,
//! and what Enter alone does. The words of the help are `help.rs`.

use crate::counted::counted;
use crate::plain::command::Command;
use crate::plain::steps::detail;
use crate::plain::words::FIXED_IS_CLOSED;
use crate::quiz::parts::Part;
use crate::quiz::state::{Phase, Program};
use crate::quiz::steps::{Side, Walk};
use crate::quiz::{Quiz, Sitting, Stage};
use crate::runner::recording::Recording;

/// What a number means.
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

    /// What has them.
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

/// What a number means now, and how many there are.
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
        Stage::Run => match (sitting.part(), &question.scenario, sitting.steps().leader()) {
            (Part::Timeline, Some(scenario), _) if is_played(sitting) => Ok((Numbered::Row, scenario.steps.len())),
            (Part::Steps, _, Some(walk)) => Ok((Numbered::Step, walk.trace().steps.len())),
            _ if !sitting.is_answered() => {
                Err(format!("A number is an answer in the stage Spot: `spot` goes there. {}", parts(sitting)))
            }
            _ => Err(format!("A number means nothing here. {}", parts(sitting))),
        },
        Stage::Fix => Err("A number means nothing here. `read` and a number reads that line of yours.".to_owned()),
        Stage::Say => match sitting.say().phase() {
            Phase::Ready => Err("The checklist opens once you have spoken: type `start` first.".to_owned()),
            Phase::Talking { .. } => Err("The checklist opens when you are done: press Enter first.".to_owned()),
            Phase::Paused { .. } => Err("The checklist opens when you are done: type `stop` first.".to_owned()),
            Phase::Checklist { .. } => {
                some(Numbered::Point, sitting.say().covered().len(), "The checklist has no point: type `done`.")
            }
            Phase::Done => Err("The checklist is complete. `undo` opens it again.".to_owned()),
        },
        Stage::Learn if !sitting.is_answered() => Err(closed(sitting, Stage::Learn).unwrap_or_default()),
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
        Stage::Say if matches!(sitting.say().phase(), Phase::Talking { .. }) => Some(Command::Stop),
        Stage::Run => Some(Command::Next).filter(|next| refusal(quiz, *next).is_none()),
        Stage::Spot | Stage::Fix | Stage::Say | Stage::Learn => None,
    }
}

/// Why `command` does not work now; `None` where it does.
pub fn refusal(quiz: &Quiz, command: Command) -> Option<String> {
    let no = |why: &str| Some(why.to_owned());
    let Some(sitting) = quiz.sitting() else {
        return match command {
            Command::Help | Command::Where | Command::List | Command::Quit => None,
            Command::Open if quiz.catalog().questions.is_empty() => no("The library has no question."),
            Command::Open => None,
            Command::Yes | Command::No => no("Nothing was asked."),
            Command::Back | Command::Library => no("You are in the library. `quit` leaves."),
            _ => no("No question is open. Type the number of one, or `list`."),
        };
    };
    if command == Command::Hint && sitting.stage() == Stage::Learn && sitting.is_answered() {
        return no("The number of a follow-up question opens its hint.");
    }
    if let Some(stage) = home(command).filter(|stage| *stage != sitting.stage()) {
        let name = stage.name();
        return Some(format!("That works in the stage {name}: `{}` goes there.", name.to_lowercase()));
    }
    let phase = sitting.say().phase();
    let repair = sitting.repair();
    match command {
        Command::Yes | Command::No if !sitting.is_asking() && !repair.asks_reset() => no("Nothing was asked."),
        Command::Hint if sitting.is_answered() => no("The question is answered. `answer` tells the answer again."),
        Command::Hint if sitting.question().spot.hints.is_empty() => no("This question has no hints."),
        Command::Reset if !repair.is_changed(sitting.question()) => no("Your program is the buggy program so far."),
        Command::BringBack if !repair.has_earlier() => no("There is no text to bring back."),
        Command::Start if matches!(phase, Phase::Talking { .. }) => no("The countdown is running: speak."),
        Command::Pause if !matches!(phase, Phase::Talking { .. }) => no("The countdown is not running."),
        Command::Stop if matches!(phase, Phase::Checklist { .. } | Phase::Done) => no("The countdown is over."),
        Command::Done if phase == Phase::Done => no("The checklist is complete."),
        Command::Done if !matches!(phase, Phase::Checklist { .. }) => number(quiz).err(),
        Command::Go(stage) => closed(sitting, stage),
        Command::Timeline if sitting.question().scenario.is_none() => no("This question has no timeline."),
        Command::Next | Command::Previous | Command::First | Command::Last => no_move(sitting, command),
        Command::Variables | Command::Printed | Command::Show(_) => no_state(sitting, command),
        Command::Related if !sitting.is_answered() => closed(sitting, Stage::Learn),
        Command::Related if quiz.related(sitting.entry()).next().is_none() => {
            no("This question has no related question.")
        }
        Command::Undo if !sitting.can_undo() => no("There is nothing to take back here."),
        _ => None,
    }
}

/// The only stage in which `command` works.
fn home(command: Command) -> Option<Stage> {
    match command {
        Command::Hint | Command::GiveUp => Some(Stage::Spot),
        Command::Edit | Command::Check | Command::Reset | Command::BringBack => Some(Stage::Fix),
        Command::Start | Command::Pause | Command::Stop | Command::Done => Some(Stage::Say),
        Command::Next | Command::Previous | Command::First | Command::Last => Some(Stage::Run),
        Command::Variables | Command::Printed | Command::Show(_) => Some(Stage::Run),
        _ => None,
    }
}

fn closed(sitting: &Sitting, stage: Stage) -> Option<String> {
    sitting.closed(stage).map(str::to_owned)
}

/// Whether the timeline is at a row.
fn is_played(sitting: &Sitting) -> bool {
    sitting.timeline().at().is_some() && sitting.timeline().live(Program::Buggy).is_some()
}

/// What there is to go through in the stage Run.
fn parts(sitting: &Sitting) -> &'static str {
    match &sitting.question().scenario {
        Some(_) => "`timeline` tells the scenario row by row, `steps` goes through the program step by step.",
        None => "`steps` goes through the program step by step.",
    }
}

fn no_move(sitting: &Sitting, command: Command) -> Option<String> {
    let (at, count, noun, begin) = match (sitting.part(), &sitting.question().scenario, sitting.steps().leader()) {
        (Part::Timeline, Some(scenario), _) => {
            let all = sitting.open_programs().all(|(program, _)| sitting.timeline().live(program).is_some());
            if command == Command::Next && !all {
                return None;
            }
            if !is_played(sitting) {
                return Some("The timeline was not played yet: `timeline` begins with its first row.".to_owned());
            }
            (sitting.timeline().at().unwrap_or(0), scenario.steps.len(), "row", "timeline")
        }
        (Part::Steps, _, Some(walk)) => (walk.at(), walk.trace().steps.len(), "step", "first"),
        _ => return Some(parts(sitting).to_owned()),
    };
    match command {
        Command::Next if at + 1 >= count => {
            Some(format!("That was the last {noun}. `{begin}` begins again, a number goes to that {noun}."))
        }
        Command::Previous if at == 0 => Some(format!("This is the first {noun}.")),
        _ => None,
    }
}

/// Why there are no variables to hear, no output, or no program of that side.
fn no_state(sitting: &Sitting, command: Command) -> Option<String> {
    let steps = sitting.steps();
    if sitting.part() != Part::Steps || steps.leader().is_none() {
        return Some("That works in the steps: `steps` goes there.".to_owned());
    }
    match command {
        Command::Show(Side::Fixed | Side::Both) if !sitting.is_answered() => Some(FIXED_IS_CLOSED.to_owned()),
        Command::Show(Side::Fixed | Side::Both) => match steps.walk(Program::Fixed).map(Walk::trace) {
            Some(trace) if !trace.steps.is_empty() => None,
            trace => {
                let why = trace.and_then(Recording::ending).map(|ending| format!(": {}", detail(ending)));
                Some(format!("The fixed program took no step{}.", why.unwrap_or_default()))
            }
        },
        _ => None,
    }
}

/// How many there are of what a number means, for a sentence: "the program has 14 lines".
pub fn there_are(numbered: Numbered, count: usize) -> String {
    format!("the {} has {}", numbered.whole(), counted(count, numbered.noun()))
}
