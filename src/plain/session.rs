//! A session: what a line does to the quiz, and what is said then.
//!
//! Owns the translation between lines and actions. It performs nothing and reads no clock.

use crate::content::catalog::LookupError;
use crate::content::question::LineNo;
use crate::counted::counted;
use crate::plain::command::{Command, Place, Typed, read};
use crate::plain::news::{self, Glance};
use crate::plain::{programs, timeline as said, words};
use crate::quiz::action::{Action, Effect};
use crate::quiz::consent::Doubt;
use crate::quiz::parts::Part;
use crate::quiz::state::{Phase, Program};
use crate::quiz::{Quiz, Stage, prediction, timeline, update};
use crate::script::lines::Input;
use crate::tui::text;

/// Says something about a quiz that has changed.
pub type Then = Box<dyn Fn(&Quiz) -> String>;

/// What a line asks for.
pub enum Asked {
    /// Say this.
    Words(String),
    /// Do this, and then say that.
    Do {
        /// What happens, in order.
        actions: Vec<Action>,
        /// What is said of the quiz afterwards.
        then: Then,
    },
    /// Leave.
    Leave,
}

/// A quiz and what was said of it.
pub struct Session {
    quiz: Quiz,
    told: Glance,
}

impl Session {
    /// A session about `quiz`.
    pub fn new(quiz: Quiz) -> Self {
        let quiz = quiz.with_timeline();
        let told = Glance::of(&quiz);
        Self { quiz, told }
    }

    /// The quiz.
    pub fn quiz(&self) -> &Quiz {
        &self.quiz
    }

    /// What is said first.
    pub fn greeting(&self) -> String {
        let place = self.quiz.sitting().map_or_else(
            || if self.quiz.is_loading() { String::new() } else { words::library(&self.quiz) },
            |sitting| words::question(sitting) + &words::stage(&self.quiz),
        );
        format!("fencepost, line by line. `help` says what can be typed, `quit` leaves.\n{place}")
    }

    /// Whether nothing is under way that the next line should wait for.
    pub fn is_settled(&self) -> bool {
        let looking = |doubt| doubt == Some(Doubt::Looking);
        let busy = self.quiz.sitting().is_some_and(|sitting| {
            let repair = sitting.repair();
            sitting.is_running() || repair.is_running() || looking(sitting.doubt()) || looking(repair.doubt())
        });
        !busy && !self.quiz.is_loading() && self.quiz.knows_repairs()
    }

    /// Whether a prompt is in place: not while the learner speaks, where it would be read out.
    pub fn takes_prompt(&self) -> bool {
        !self.quiz.sitting().is_some_and(|sitting| matches!(sitting.say().phase(), Phase::Talking { .. }))
    }

    /// Changes the quiz. Returns what there is to do, and what there is to say about it.
    pub fn act(&mut self, action: Action) -> (Vec<Effect>, String) {
        let edited = matches!(action, Action::Edited { .. } | Action::NotEdited { .. });
        let loaded = matches!(action, Action::Loaded(_) | Action::LoadFailed(_));
        let effects = update(&mut self.quiz, action);
        let mut words = String::new();
        if edited {
            words.push_str(&self.quiz.sitting().map(news::edited).unwrap_or_default());
        }
        words.push_str(&news::since(&self.told, &self.quiz));
        if loaded && self.quiz.sitting().is_none() {
            words.push_str(&words::library(&self.quiz));
        }
        self.told = Glance::of(&self.quiz);
        (effects, words)
    }

    /// What came from the learner asks for.
    pub fn line(&self, input: &Input) -> Asked {
        let line = match input {
            Input::End => return Asked::Leave,
            Input::TooLong => return words("That line is longer than a line may be."),
            Input::NotUtf8 => return words("That line is no UTF-8 text."),
            Input::Line(line) => line,
        };
        if self.quiz.sitting().is_some_and(crate::quiz::Sitting::is_predicting) {
            return predicted(line);
        }
        let stage = self.quiz.sitting().map(crate::quiz::Sitting::stage);
        match read(line) {
            Typed::Nothing => self.enter(),
            Typed::Number(number) => self.number(stage, number),
            Typed::Command(command, place, rest) if place.is_here(stage) => self.command(stage, command, rest),
            Typed::Command(_, Place::Library, _) => words("That works in the library: `back` goes there."),
            Typed::Command(_, Place::In(other), _) if stage.is_some() => {
                let name = other.name();
                words(&format!("That works in the stage {name}: `{}` goes there.", name.to_lowercase()))
            }
            Typed::Command(..) => words("No question is open. Type the number of one, or `list`."),
            Typed::Other(text) if stage.is_none() => self.open(text),
            Typed::Other(text) => {
                let line = words::one_line(text);
                let shown = text::shorten(&line, 40);
                words(&format!("`{shown}` is no command here. `help` says what can be typed."))
            }
        }
    }

    /// Enter alone ends the talk, and is nothing anywhere else.
    fn enter(&self) -> Asked {
        if self.takes_prompt() { Asked::Words(String::new()) } else { stop() }
    }

    fn number(&self, stage: Option<Stage>, number: u32) -> Asked {
        let index = usize::try_from(number).unwrap_or(usize::MAX).checked_sub(1);
        let Some(sitting) = self.quiz.sitting() else {
            let count = self.quiz.catalog().questions.len();
            return match index.filter(|index| *index < count) {
                Some(index) => opened(Action::OpenAt(index)),
                None => words(&format!("There is no question {number}; the library has {count}.")),
            };
        };
        match stage {
            Some(Stage::Spot) if sitting.is_answered() => {
                words("The question is answered. `undo` takes that back, `again` starts it over.")
            }
            Some(Stage::Spot) => {
                let count = sitting.question().line_count();
                match LineNo::new(number).filter(|line| line.index() < count) {
                    Some(line) => act(Action::Pick(line), |quiz| quiz.sitting().map(words::answer).unwrap_or_default()),
                    None => words(&format!("There is no line {number}; the program has {count}.")),
                }
            }
            Some(Stage::Say) if matches!(sitting.say().phase(), Phase::Checklist { .. }) => {
                let count = sitting.say().covered().len();
                match index.filter(|index| *index < count) {
                    Some(index) => act(Action::Tick(index), move |quiz| {
                        quiz.sitting().map(|sitting| words::point(sitting, index)).unwrap_or_default()
                    }),
                    None => words(&format!("There is no point {number}; the checklist has {count}.")),
                }
            }
            Some(Stage::Run) => self.row(index, number),
            Some(Stage::Learn) if sitting.is_answered() => {
                let count = sitting.question().follow_ups.len();
                match index.filter(|index| *index < count) {
                    Some(index) => act(Action::FollowUp(index), move |quiz| {
                        quiz.sitting().map(|sitting| words::follow_up(sitting, index)).unwrap_or_default()
                    }),
                    None => words(&format!("There is no follow-up question {number}; there are {count}.")),
                }
            }
            _ => words("A number means nothing here. `spot` goes to where a line can be named."),
        }
    }

    /// Goes to a row of the timeline, counted from 0 in `index` and from 1 in `number`.
    fn row(&self, index: Option<usize>, number: u32) -> Asked {
        let Some(sitting) = self.quiz.sitting() else { return Asked::Words(String::new()) };
        let Some(scenario) = &sitting.question().scenario else { return words("This question has no timeline.") };
        let count = scenario.steps.len();
        let Some(index) = index.filter(|index| *index < count) else {
            return words(&format!("There is no row {number}; the timeline has {count}."));
        };
        if sitting.timeline().live(Program::Buggy).is_none() {
            return words("The timeline was not played yet: `timeline` begins with its first row.");
        }
        let actions = vec![Action::Show(Part::Timeline), Action::Timeline(timeline::Act::Select(index))];
        Asked::Do { actions, then: here() }
    }

    /// The next row of the timeline; the first one where the programs that may be seen have not been through it.
    fn play(&self, stage: Option<Stage>, command: Command) -> Asked {
        let Some(sitting) = self.quiz.sitting() else { return Asked::Words(String::new()) };
        let Some(scenario) = &sitting.question().scenario else { return words("This question has no timeline.") };
        let at = sitting.timeline().at();
        let all = sitting.open_programs().all(|(program, _)| sitting.timeline().live(program).is_some());
        if command == Command::Next && all && at.is_some_and(|at| at + 1 >= scenario.steps.len()) {
            return words("That was the last row. `timeline` begins again, a number goes to that row.");
        }
        let mut actions = Vec::new();
        if stage != Some(Stage::Run) {
            actions.push(Action::Go(Stage::Run));
        }
        actions.push(Action::Show(Part::Timeline));
        actions.push(Action::Timeline(match command {
            Command::Timeline if all => timeline::Act::Select(0),
            _ => timeline::Act::PlayOn,
        }));
        Asked::Do { actions, then: here() }
    }

    fn command(&self, stage: Option<Stage>, command: Command, rest: &str) -> Asked {
        let sitting =
            |say: fn(&crate::quiz::Sitting) -> String| move |quiz: &Quiz| quiz.sitting().map(say).unwrap_or_default();
        match command {
            Command::Help => Asked::Words(words::help(stage)),
            Command::Where => Asked::Words(words::place(&self.quiz)),
            Command::List => Asked::Words(words::library(&self.quiz)),
            Command::Open if rest.is_empty() => words("Type `open` and the number or the id of a question."),
            Command::Open => match (rest.parse(), stage) {
                (Ok(number), None) => self.number(None, number),
                (Ok(number), Some(_)) => self.related(number),
                (Err(_), _) => self.open(rest),
            },
            Command::Read => self.read(rest),
            Command::Hint => self.hint(),
            Command::GiveUp if self.quiz.sitting().is_some_and(crate::quiz::Sitting::is_answered) => {
                Asked::Words(self.quiz.sitting().map(words::answer).unwrap_or_default())
            }
            Command::GiveUp => act(Action::GiveUp, sitting(words::answer)),
            // Going there is running there: who types `run` wants to hear the programs.
            Command::Go(Stage::Run) => Asked::Do {
                actions: vec![Action::Go(Stage::Run), Action::Show(Part::Output), Action::Run],
                then: nothing(),
            },
            Command::Timeline | Command::Next => self.play(stage, command),
            Command::Go(stage) => act(Action::Go(stage), words::stage),
            Command::Edit => act(Action::EditOutside, |_| String::new()),
            Command::Check => act(Action::RunChecks, |_| String::new()),
            Command::Reset => act(Action::ResetDraft, |quiz| {
                let asks = quiz.sitting().is_some_and(|sitting| sitting.repair().asks_reset());
                let asked = "Begin again with the buggy program? `bring back` undoes it. Type `yes` or `no`.\n";
                if asks { asked.to_owned() } else { "Your program is the buggy program so far.\n".to_owned() }
            }),
            Command::BringBack if !self.quiz.sitting().is_some_and(|sitting| sitting.repair().has_earlier()) => {
                words("There is no text to bring back.")
            }
            Command::BringBack => act(Action::BringBack, |quiz| {
                let own = quiz.sitting().map(programs::own_changes).unwrap_or_default();
                format!("Brought back; `bring back` again swaps the two texts.\n{own}")
            }),
            Command::Start | Command::Pause => self.timer(command),
            Command::Stop => stop(),
            Command::Done => act(Action::FinishChecklist, words::stage),
            Command::Yes | Command::No => self.consent(command == Command::Yes),
            Command::Undo if !self.quiz.sitting().is_some_and(crate::quiz::Sitting::can_undo) => {
                words("There is nothing to take back here.")
            }
            Command::Undo => act(Action::Undo, |quiz| "Taken back.\n".to_owned() + &words::stage(quiz)),
            Command::Again => act(Action::StartOver, |quiz| "From the start.\n".to_owned() + &words::stage(quiz)),
            Command::Back => act(Action::Back, |quiz| match quiz.sitting() {
                // The learner has heard it, and may have been in the middle of it.
                Some(_) => words::place(quiz) + "`read` reads the question again.\n",
                None => words::library(quiz),
            }),
            Command::Quit => Asked::Leave,
        }
    }

    /// Opens a related question, counted from 1 as in the stage Learn.
    fn related(&self, number: u32) -> Asked {
        let Some(sitting) = self.quiz.sitting() else { return Asked::Words(String::new()) };
        let related: Vec<_> = self.quiz.related(sitting.entry()).collect();
        let index = usize::try_from(number).unwrap_or(usize::MAX).checked_sub(1);
        match index.and_then(|index| related.get(index)) {
            Some(entry) => opened(Action::Open(entry.name.clone())),
            None if related.is_empty() => words("This question has no related question."),
            None => {
                let there = counted(related.len(), "related question");
                words(&format!("There is no related question {number}; this question has {there}."))
            }
        }
    }

    fn open(&self, name: &str) -> Asked {
        let line = words::one_line(name);
        let shown = text::shorten(&line, 60);
        match self.quiz.catalog().find(name) {
            Ok(entry) => opened(Action::Open(entry.name.clone())),
            Err(LookupError::Unknown { similar }) => match similar.first() {
                Some(close) => words(&format!("There is no question `{shown}`. Did you mean {close}?")),
                None => words(&format!("There is no question `{shown}`. `list` names them, `help` says what else.")),
            },
            Err(LookupError::Ambiguous { candidates }) => {
                let names: Vec<String> = candidates.iter().map(ToString::to_string).collect();
                words(&format!("Several packs have a question `{shown}`: {}.", names.join(", ")))
            }
        }
    }

    fn read(&self, rest: &str) -> Asked {
        let Some(sitting) = self.quiz.sitting() else { return Asked::Words(String::new()) };
        let number = rest.trim_start_matches("line").trim();
        if number.is_empty() {
            return Asked::Words(words::read(sitting));
        }
        let code = match sitting.stage() {
            Stage::Fix => sitting.repair().text(),
            _ => &sitting.question().spot.code,
        };
        let line = number.parse().ok().and_then(LineNo::new).and_then(|line| programs::line(code, line));
        Asked::Words(line.unwrap_or_else(|| "There is no such line. `read` reads them all.\n".to_owned()))
    }

    fn hint(&self) -> Asked {
        let Some(sitting) = self.quiz.sitting() else { return Asked::Words(String::new()) };
        if sitting.is_answered() {
            return words("The question is answered.");
        }
        let all = sitting.hints() >= sitting.question().spot.hints.len();
        act(Action::Hint, move |quiz| {
            let again = if all { "There are no more hints. The last one again:\n" } else { "" };
            quiz.sitting().map(|sitting| format!("{again}{}", words::hint(sitting))).unwrap_or_default()
        })
    }

    fn timer(&self, command: Command) -> Asked {
        let Some(phase) = self.quiz.sitting().map(|sitting| sitting.say().phase()) else {
            return Asked::Words(String::new());
        };
        match (command, phase) {
            (Command::Start, Phase::Ready | Phase::Paused { .. }) | (Command::Pause, Phase::Talking { .. }) => {
                act(Action::Timer, words::stage)
            }
            (Command::Start, Phase::Checklist { .. } | Phase::Done) => Asked::Do {
                actions: vec![Action::ResetTimer, Action::Timer],
                then: Box::new(|quiz| "From the start. ".to_owned() + &words::stage(quiz)),
            },
            _ => Asked::Words(words::stage(&self.quiz)),
        }
    }

    fn consent(&self, yes: bool) -> Asked {
        let Some(sitting) = self.quiz.sitting() else { return words("Nothing was asked.") };
        if sitting.repair().asks_reset() {
            let action = if yes { Action::ConfirmReset } else { Action::KeepText };
            return act(action, |quiz| quiz.sitting().map(programs::own_changes).unwrap_or_default());
        }
        if !sitting.is_asking() {
            return words("Nothing was asked.");
        }
        if yes {
            act(Action::Agree, |_| String::new())
        } else {
            act(Action::Decline, |_| "Nothing was run.\n".to_owned())
        }
    }
}

fn words(words: &str) -> Asked {
    Asked::Words(format!("{words}\n"))
}

fn nothing() -> Then {
    Box::new(|_| String::new())
}

fn act(action: Action, then: impl Fn(&Quiz) -> String + 'static) -> Asked {
    Asked::Do { actions: vec![action], then: Box::new(then) }
}

/// Opens a question at its start: where it was left is not in sight here.
fn opened(action: Action) -> Asked {
    Asked::Do {
        actions: vec![action],
        then: Box::new(|quiz| {
            quiz.sitting().map(|sitting| words::question(sitting) + &words::stage(quiz)).unwrap_or_default()
        }),
    }
}

/// What is typed while a prediction is asked for belongs to it.
fn predicted(line: &str) -> Asked {
    if line.trim().eq_ignore_ascii_case("cancel") {
        return act(Action::Predict(prediction::Act::Leave), |_| "Nothing was run.\n".to_owned());
    }
    if line.is_empty() {
        return act(Action::Predict(prediction::Act::Done), |_| String::new());
    }
    act(Action::Predict(prediction::Act::Type(format!("{line}\n"))), |_| {
        "Noted. Type the next line, or Enter alone.\n".to_owned()
    })
}

/// Says the row that the learner is at, unless the programs are still on their way: their end says it then.
fn here() -> Then {
    Box::new(|quiz| {
        let sitting = quiz.sitting().filter(|sitting| {
            sitting.timeline().at().is_some()
                && !sitting.is_running()
                && !sitting.is_predicting()
                && !sitting.is_asking()
        });
        sitting.map(said::here).unwrap_or_default()
    })
}

fn stop() -> Asked {
    act(Action::EndTalk, |quiz| quiz.sitting().map(|_| words::stage(quiz)).unwrap_or_default())
}
