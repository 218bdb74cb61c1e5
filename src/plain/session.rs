//! Translates lines into actions, and says what came of them. It performs nothing and reads no clock.

use crate::content::catalog::LookupError;
use crate::content::question::LineNo;
use crate::content::suggestion::closest;
use crate::plain::available::{self, Numbered};
use crate::plain::changes::{self, Snapshot};
use crate::plain::command::{Command, TABLE, Typed, read};
use crate::plain::response::{Response, act, nothing, refused};
use crate::plain::{help, motions, predicting, programs, reading, words};
use crate::quiz::action::{Action, Effect};
use crate::quiz::consent::Blocked;
use crate::quiz::run_view::RunView;
use crate::quiz::state::Phase;
use crate::quiz::{Quiz, Sitting, Stage, update};
use crate::script::lines::{self, Input};
use crate::text::{self, counted};

/// A quiz and what was said of it.
pub struct Session {
    quiz: Quiz,
    reported: Snapshot,
}

impl Session {
    /// A session about `quiz`.
    pub fn new(quiz: Quiz) -> Self {
        let quiz = quiz.with_timeline();
        let reported = Snapshot::of(&quiz);
        Self { quiz, reported }
    }

    /// The quiz.
    pub fn quiz(&self) -> &Quiz {
        &self.quiz
    }

    /// The greeting.
    pub fn greeting(&self) -> String {
        let place = self.quiz.sitting().map_or_else(
            || if self.quiz.is_loading() { String::new() } else { words::library(&self.quiz) },
            |sitting| reading::question(sitting) + &words::stage(&self.quiz),
        );
        format!("fencepost, line by line. `help` says what can be typed, `quit` leaves.\n{place}")
    }

    /// True if nothing is under way that the next line should wait for.
    pub fn is_settled(&self) -> bool {
        let busy = self.quiz.sitting().is_some_and(|sitting| {
            let waits = |stage| sitting.blocked(stage) == Some(Blocked::SandboxUnknown);
            sitting.is_running() || sitting.repair().is_running() || waits(Stage::Run) || waits(Stage::Fix)
        });
        !busy && !self.quiz.is_loading() && self.quiz.knows_repairs()
    }

    /// True if a prompt may be written: not while the learner speaks, as it would be read out.
    pub fn takes_prompt(&self) -> bool {
        !self.quiz.sitting().is_some_and(|sitting| matches!(sitting.say().phase(), Phase::Speaking { .. }))
    }

    /// Changes the quiz. Returns what there is to do, and what there is to say about it.
    pub fn act(&mut self, action: Action) -> (Vec<Effect>, String) {
        let edited = matches!(action, Action::Edited { .. } | Action::NotEdited { .. });
        let loaded = matches!(action, Action::Loaded(_) | Action::LoadFailed(_));
        let effects = update(&mut self.quiz, action);
        let mut words = String::new();
        if edited {
            words.push_str(&self.quiz.sitting().map(changes::edited).unwrap_or_default());
        }
        words.push_str(&changes::since(&self.reported, &self.quiz));
        if loaded && self.quiz.sitting().is_none() {
            words.push_str(&words::library(&self.quiz));
        }
        self.reported = Snapshot::of(&self.quiz);
        (effects, words)
    }

    /// The response to a line.
    pub fn line(&self, input: &Input) -> Response {
        let line = match input {
            Input::End => return Response::Leave,
            Input::TooLong => return refused(lines::TOO_LONG),
            Input::NotUtf8 => return refused(lines::NOT_UTF8),
            Input::Line(line) => line,
        };
        if self.quiz.sitting().is_some_and(Sitting::is_predicting) {
            return predicting::line(&self.quiz, line);
        }
        match read(line) {
            Typed::Nothing => match available::enter(&self.quiz) {
                Some(command) => self.command(command, ""),
                None => Response::Refused(String::new()),
            },
            Typed::Number(noun, number) => self.number(noun, number),
            Typed::Command(command, rest) => self.command(command, rest),
            Typed::Other(text) if self.quiz.sitting().is_none() => self.open(text),
            Typed::Other(text) => unknown(text),
        }
    }

    fn number(&self, noun: Option<&str>, number: u32) -> Response {
        let (numbered, count) = match available::number(&self.quiz) {
            // Where no line is asked for, `line 8` is about the text of that line.
            found if noun == Some("line") && !matches!(found, Ok((Numbered::Line, _))) => {
                return self.command(Command::Read, &number.to_string());
            }
            Ok((numbered, _)) if noun.is_some_and(|noun| noun != numbered.noun()) => {
                return refused(&format!("A number is that of a {} here.", numbered.noun()));
            }
            Ok(found) => found,
            Err(why) => return refused(&why),
        };
        let index = usize::try_from(number).unwrap_or(usize::MAX).checked_sub(1).filter(|index| *index < count);
        let (Some(index), Some(line)) = (index, LineNo::new(number)) else {
            let there = available::there_are(numbered, count);
            return refused(&format!("There is no {} {number}; {there}.", numbered.noun()));
        };
        match (numbered, self.quiz.sitting()) {
            (Numbered::Row, _) => motions::to_row(index),
            (Numbered::Step, Some(sitting)) => motions::to_step(sitting, index),
            (Numbered::Line, _) => act(Action::Pick(line), said(words::answer)),
            (Numbered::Point, _) => act(Action::Tick(index), said(move |sitting| words::point(sitting, index))),
            (Numbered::FollowUp, _) => {
                act(Action::FollowUp(index), said(move |sitting| words::follow_up(sitting, index)))
            }
            (Numbered::Question | Numbered::Step, _) => opened(Action::OpenAt(index)),
        }
    }

    fn command(&self, command: Command, rest: &str) -> Response {
        if let Some(why) = available::refusal(&self.quiz, command) {
            return refused(&why);
        }
        if !rest.is_empty() && !command.takes_more() {
            return refused(&format!("`{0}` is a command by itself. Type `{0}` alone, or `help`.", command.word()));
        }
        let Some(sitting) = self.quiz.sitting() else { return self.in_library(command, rest) };
        match self.in_question(sitting, command, rest) {
            // What waits for an answer is no change, and would go on waiting without a word.
            Response::Do { actions, then } if sitting.is_asking() => Response::Do {
                actions,
                then: Box::new(move |quiz| {
                    let said = then(quiz);
                    if said.is_empty() { changes::asking(quiz) } else { said }
                }),
            },
            asked => asked,
        }
    }

    fn in_question(&self, sitting: &Sitting, command: Command, rest: &str) -> Response {
        match command {
            Command::Help | Command::Where | Command::List | Command::Open | Command::Quit => {
                self.in_library(command, rest)
            }
            Command::Related => self.related(sitting, rest),
            Command::Read => Response::Words(reading::read(&self.quiz, rest)),
            Command::Hint => {
                let all = sitting.hints() >= sitting.question().spot.hints.len();
                let again = if all { "There are no more hints. The last one again:\n" } else { "" };
                act(Action::Hint, said(move |sitting| again.to_owned() + &words::hint(sitting)))
            }
            Command::GiveUp if sitting.is_answered() => Response::Words(words::answer(sitting)),
            Command::GiveUp => act(Action::GiveUp, said(words::answer)),
            // Going there is running there: who types `run` wants to hear the programs.
            Command::Go(Stage::Run) => Response::Do {
                actions: vec![Action::Go(Stage::Run), Action::Show(RunView::Output), Action::Run],
                then: nothing(),
            },
            Command::Go(stage) => act(Action::Go(stage), words::stage),
            Command::Timeline
            | Command::Steps
            | Command::Next
            | Command::Previous
            | Command::First
            | Command::Last
            | Command::Variables
            | Command::Printed
            | Command::Show(_) => motions::asked(sitting, command, rest),
            Command::Edit => act(Action::EditOutside, |_| String::new()),
            Command::Check => act(Action::RunChecks, |_| String::new()),
            Command::Reset => act(Action::ResetDraft, |_| {
                "Begin again with the buggy program? `bring back` undoes it. Type `yes` or `no`.\n".to_owned()
            }),
            Command::BringBack => act(
                Action::BringBack,
                said(|sitting| {
                    format!("Brought back; `bring back` again swaps the two texts.\n{}", programs::own_changes(sitting))
                }),
            ),
            Command::Start if matches!(sitting.say().phase(), Phase::Checklist { .. } | Phase::Done) => Response::Do {
                actions: vec![Action::ResetTimer, Action::Timer],
                then: Box::new(|quiz| "From the start. ".to_owned() + &words::stage(quiz)),
            },
            Command::Start | Command::Pause => act(Action::Timer, words::stage),
            Command::Stop => act(Action::EndCountdown, words::stage),
            Command::Done => act(Action::FinishChecklist, words::stage),
            Command::Yes | Command::No => agreed(sitting, command == Command::Yes),
            Command::Undo => act(Action::Undo, |quiz| "Taken back.\n".to_owned() + &words::stage(quiz)),
            Command::Again => act(Action::StartOver, |quiz| "From the start.\n".to_owned() + &words::stage(quiz)),
            Command::Back => left(vec![Action::Back]),
            Command::Library => left(vec![Action::Back; self.quiz.depth()]),
        }
    }

    fn in_library(&self, command: Command, rest: &str) -> Response {
        match command {
            Command::Help => Response::Words(help::help(&self.quiz)),
            Command::Where => Response::Words(words::place(&self.quiz)),
            Command::List => Response::Words(words::library(&self.quiz)),
            Command::Open if rest.is_empty() => refused("Type `open` and the number or the id of a question."),
            Command::Open => match rest.trim_start_matches("question").trim().parse::<usize>() {
                Ok(number) => {
                    let count = self.quiz.catalog().questions.len();
                    match number.checked_sub(1).filter(|index| *index < count) {
                        Some(index) => opened(Action::OpenAt(index)),
                        None => {
                            let there = available::there_are(Numbered::Question, count);
                            refused(&format!("There is no question {number}; {there}."))
                        }
                    }
                }
                Err(_) => self.open(rest),
            },
            Command::Quit => Response::Leave,
            _ => Response::Refused(String::new()),
        }
    }

    /// Opens a related question, counted from 1 as in the stage Learn.
    fn related(&self, sitting: &Sitting, rest: &str) -> Response {
        let related: Vec<_> = self.quiz.related(sitting.entry()).collect();
        let number = rest.trim_start_matches("question").trim().parse::<usize>();
        match number.ok().and_then(|number| related.get(number.checked_sub(1)?)) {
            Some(entry) => opened(Action::Open(entry.name.clone())),
            None => {
                let there = counted(related.len(), "related question");
                refused(&format!("Type `related` and a number; this question has {there}."))
            }
        }
    }

    fn open(&self, name: &str) -> Response {
        let line = text::line(name);
        let shown = text::shorten(&line, 60);
        match self.quiz.catalog().find(name) {
            Ok(entry) => opened(Action::Open(entry.name.clone())),
            Err(LookupError::Unknown { similar }) => match similar.first() {
                Some(close) => refused(&format!("There is no question `{shown}`. Did you mean {close}?")),
                None => refused(&format!("There is no question `{shown}`. `list` names them, `help` says what else.")),
            },
            Err(LookupError::Ambiguous { candidates }) => {
                let names: Vec<String> = candidates.iter().map(ToString::to_string).collect();
                refused(&format!("Several packs have a question `{shown}`: {}.", names.join(", ")))
            }
        }
    }
}

fn unknown(typed: &str) -> Response {
    let line = text::line(typed);
    let shown = text::shorten(&line, 40);
    let known: Vec<&str> = TABLE.iter().filter_map(|(words, _)| words.first().copied()).collect();
    let close = closest(&typed.to_lowercase(), &known);
    let close = close.first().map_or_else(String::new, |close| format!(" Did you mean `{close}`?"));
    refused(&format!("`{shown}` is no command.{close} `help` says what can be typed."))
}

/// The answer to a question: to reset the repair, or to run someone else's programs.
fn agreed(sitting: &Sitting, yes: bool) -> Response {
    match (sitting.repair().asks_reset(), yes) {
        (true, true) => act(Action::ConfirmReset, |_| "Begun again with the buggy program.\n".to_owned()),
        (true, false) => act(Action::KeepText, |_| "Your program stays as it is.\n".to_owned()),
        (false, true) => act(Action::Agree, |_| String::new()),
        (false, false) => act(Action::Decline, |_| "Nothing was run.\n".to_owned()),
    }
}

fn left(actions: Vec<Action>) -> Response {
    Response::Do {
        actions,
        then: Box::new(|quiz| match quiz.sitting() {
            // The learner has heard it, and may have been in the middle of it.
            Some(_) => words::place(quiz) + "`read` reads the question again.\n",
            None => words::library(quiz),
        }),
    }
}

fn said(say: impl Fn(&Sitting) -> String + 'static) -> impl Fn(&Quiz) -> String + 'static {
    move |quiz| quiz.sitting().map(&say).unwrap_or_default()
}

/// Opens a question at its start: where it was left is not in sight here.
fn opened(action: Action) -> Response {
    Response::Do {
        actions: vec![action],
        then: Box::new(|quiz| {
            quiz.sitting().map(|sitting| reading::question(sitting) + &words::stage(quiz)).unwrap_or_default()
        }),
    }
}
