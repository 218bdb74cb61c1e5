//! Translates commands into actions in the views of the stage Run: the prediction, the timeline, the steps.

use ratatui::crossterm::event::KeyCode;

use crate::quiz::action::{Action, Motion};
use crate::quiz::prediction;
use crate::quiz::steps::Act;
use crate::quiz::timeline;
use crate::tui::keys::{Command, Place};

/// The action of `command`, which `code` gave, in `place`; `None` where it means there what it means elsewhere.
pub(super) fn action(place: Place, command: Command, code: KeyCode) -> Option<Action> {
    match place {
        _ if command == Command::Trace => Some(Action::Steps(Act::Trace)),
        Place::Predict => predicting(command).map(Action::Predict),
        Place::Timeline | Place::Playing => in_timeline(command).map(Action::Timeline),
        Place::Steps | Place::Stepping => in_steps(command, code).map(Action::Steps),
        _ => None,
    }
}

fn predicting(command: Command) -> Option<prediction::Act> {
    Some(match command {
        Command::Enter => prediction::Act::Done,
        Command::NewLine => prediction::Act::Type("\n".to_owned()),
        Command::Erase => prediction::Act::Erase,
        Command::EraseLine => prediction::Act::EraseLine,
        Command::Back => prediction::Act::Leave,
        _ => return None,
    })
}

fn in_timeline(command: Command) -> Option<timeline::Act> {
    Some(match command {
        Command::PlayOn => timeline::Act::PlayOn,
        Command::Enter => timeline::Act::Open,
        _ => timeline::Act::Move(motion(command)?),
    })
}

fn in_steps(command: Command, code: KeyCode) -> Option<Act> {
    Some(match command {
        Command::StepOn => Act::Step(Motion::By(1)),
        Command::StepBack => Act::Step(Motion::By(-1)),
        Command::First | Command::Last => Act::Step(motion(command)?),
        Command::Seek(target, way) => Act::Seek(target, way),
        Command::LineDown => Act::Cursor(Motion::By(1)),
        Command::LineUp => Act::Cursor(Motion::By(-1)),
        Command::Up | Command::Down => Act::Choose(motion(command)?),
        Command::Pin => Act::Pin,
        Command::Turn => Act::Turn,
        Command::Enter => Act::Enter,
        Command::Close => Act::Close,
        Command::Digit => match code {
            KeyCode::Char(c) => Act::Digit(c.to_digit(10).and_then(|digit| u8::try_from(digit).ok())?),
            _ => return None,
        },
        _ => return None,
    })
}

fn motion(command: Command) -> Option<Motion> {
    match command {
        Command::Up => Some(Motion::By(-1)),
        Command::Down => Some(Motion::By(1)),
        Command::First => Some(Motion::First),
        Command::Last => Some(Motion::Last),
        _ => None,
    }
}
