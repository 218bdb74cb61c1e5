//! Writes the help: the commands that work now (`available.rs`), each in a few words.

use std::fmt::Write as _;

use crate::plain::available::{self, Numbered};
use crate::plain::command::{Command, TABLE};
use crate::plain::predicting;
use crate::quiz::run_view::RunView;
use crate::quiz::state::{Phase, Program, Programs};

use crate::quiz::{Quiz, Sitting, Stage};

/// Lists what can be typed now.
pub fn help(quiz: &Quiz) -> String {
    if quiz.sitting().is_some_and(Sitting::is_predicting) {
        return predicting::help();
    }
    let mut out = String::new();
    if let Ok((numbered, _)) = available::number(quiz) {
        let _ = writeln!(out, "{}.", a_number(numbered));
    }
    match available::enter(quiz) {
        Some(Command::Stop) => out.push_str("Enter alone: stop speaking, go to the checklist.\n"),
        Some(_) => out.push_str("Enter alone: the same as `next`.\n"),
        None => {}
    }
    for (_, command) in TABLE.iter().filter(|(_, command)| available::refusal(quiz, *command).is_none()) {
        let _ = writeln!(out, "`{}`{}.", command.word(), said(quiz, *command));
    }
    out
}

fn a_number(numbered: Numbered) -> &'static str {
    match numbered {
        Numbered::Question => "A number: open that question",
        Numbered::Line => "A number: answer with that line",
        Numbered::Point => "A number: tick that point of the checklist, or take the tick away",
        Numbered::Row => "A number: go to that row of the timeline",
        Numbered::Step => "A number: go to that step",
        Numbered::FollowUp => "A number: open the hint of that follow-up question, then its answer, then close them",
    }
}

fn said(quiz: &Quiz, command: Command) -> String {
    let sitting = quiz.sitting();
    let answered = sitting.is_some_and(Sitting::is_answered);
    let phase = sitting.map(|sitting| sitting.say().phase());
    let in_steps = sitting.is_some_and(|sitting| sitting.view() == RunView::Steps);
    let words = match command {
        Command::Help => ": hear what can be typed now",
        Command::Where => ": hear where you are",
        Command::List => ": hear the questions of the library",
        Command::Open => " and an id, or a number of the list: open that question",
        Command::Related => {
            let count = sitting.map_or(0, |sitting| quiz.related(sitting.entry()).count());
            return format!(" and a number: open that related question, of which there are {count}");
        }
        Command::Read if answered => {
            ": hear the question and the program; `read 8`: line 8 alone; `read 3 to 6`: these lines; `read fixed`: the \
             fixed program"
        }
        Command::Read => ": hear the question and the program; `read 8`: line 8 alone; `read 3 to 6`: these lines",
        Command::Hint => {
            let (open, all) = sitting.map_or((0, 0), |it| (it.hints(), it.question().spot.hints.len()));
            if open >= all { ": the last hint again" } else { ": the next hint" }
        }
        Command::GiveUp if answered => ": hear the answer again",
        Command::GiveUp => ": give up and hear the answer",
        Command::Go(Stage::Spot) => ": find the line",
        Command::Go(Stage::Run) if answered => ": run both programs",
        Command::Go(Stage::Run) => ": run the buggy program",
        Command::Go(Stage::Fix) => ": repair the program",
        Command::Go(Stage::Say) => ": answer out loud against the clock",
        Command::Go(Stage::Learn) => ": facts, mistakes, follow-up and related questions",
        Command::Edit => ": open your program in your editor",
        Command::Check => ": run the checks on your program",
        Command::Reset => ": begin again with the buggy program",
        Command::BringBack => ": the text before the last reset",
        Command::Timeline => ": hear the scenario, one row at a time",
        Command::Steps => ": go through the program step by step",
        Command::Next if in_steps => {
            ": the next step; `next call`, `next return`, `next line 8`, `next change` and a name: the next step where that \
             happens"
        }
        Command::Next => ": the next row",
        Command::Previous if in_steps => ": the step before; `previous call` and the like look backwards",
        Command::Previous => ": the row before",
        Command::First if in_steps => ": the first step",
        Command::First => ": the first row",
        Command::Last if in_steps => ": the last step",
        Command::Last => ": the last row",
        Command::Variables => ": hear every variable at this step, in full",
        Command::Printed => ": hear what was printed up to this step",
        Command::Show(Programs::One(Program::Buggy)) => ": hear the steps of the buggy program",
        Command::Show(Programs::One(Program::Fixed)) => ": hear the steps of the fixed program",
        Command::Show(Programs::Both) => ": hear both programs in step",
        Command::Start => match phase {
            Some(Phase::Paused { .. }) => ": go on with the countdown",
            Some(Phase::Checklist { .. } | Phase::Done) => ": speak again, from the start",
            _ => ": start the countdown",
        },
        Command::Pause => ": let the countdown stand still",
        Command::Stop if phase == Some(Phase::Ready) => ": go to the checklist without speaking",
        Command::Stop => ": stop speaking, go to the checklist",
        Command::Done => ": the checklist is complete, hear a model answer",
        Command::Yes | Command::No => {
            let resets = sitting.is_some_and(|sitting| sitting.repair().asks_reset());
            match (resets, command) {
                (true, Command::Yes) => ": begin the repair again",
                (true, _) => ": keep your program as it is",
                (false, Command::Yes) => ": run the programs of this pack",
                (false, _) => ": do not run them",
            }
        }
        Command::Undo => match (sitting.map(Sitting::stage), phase) {
            (Some(Stage::Say), Some(Phase::Done)) => ": open the checklist again",
            (Some(Stage::Say), _) => ": take back the last tick",
            _ => ": take back the last answer",
        },
        Command::Again => ": start this question over",
        Command::Back if quiz.came_from_question() => ": back to the question that led here",
        Command::Back => ": back to the library",
        Command::Library => ": go to the library",
        Command::Quit => ": leave; answers and your program are kept",
    };
    words.to_owned()
}
