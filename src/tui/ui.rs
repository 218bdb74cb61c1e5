//! State of the terminal front end beside the quiz, and the way from a key or a click to an `Action`.
//!
//! It does not touch the terminal: the event loop in `mod.rs` does.

use ratatui::crossterm::event::{KeyCode, KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use crate::content::question::LineNo;
use crate::content::question::QuestionName;
use crate::quiz::action::{Action, LearnItem, Motion};
use crate::quiz::run_view::RunView;
use crate::quiz::state::{Phase, Quiz, Sitting, Stage};
use crate::quiz::{prediction, steps, timeline};
use crate::tui::editor_keys::RepairEditor;
use crate::tui::highlight::Highlights;
use crate::tui::keys::{self, Command, Place};
use crate::tui::theme::Theme;
use crate::tui::view::page::{Drawn, Scroll};

const MOUSE_ON: &str = "The mouse is on: click lines, tabs, rows. Shift and drag selects text.";

const MOUSE_OFF: &str = "The mouse is off: text can be selected.";

/// Rows that a turn of the mouse wheel scrolls.
const WHEEL: isize = 3;

/// The state of the terminal front end.
#[derive(Debug)]
pub struct Ui {
    /// The quiz.
    pub quiz: Quiz,
    /// Colours and marks.
    pub theme: Theme,
    /// True if mouse events are on.
    pub mouse: bool,
    /// True if the list of keys is shown.
    pub help: bool,
    /// One line about the last key, until the next one.
    pub notice: Option<&'static str>,
    /// The position of the window on the page.
    pub scroll: Scroll,
    /// The position on the page under the list of keys.
    under_help: Scroll,
    /// The editor of the stage Fix.
    pub repair_editor: Option<RepairEditor>,
    /// The parts of programs.
    pub highlights: Highlights,
    /// The frame that was drawn last.
    pub drawn: Drawn,
    /// The page for which the window was put where it is.
    shown: Shown,
}

/// The identity of a page: on another one the window starts at the top again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Shown {
    question: Option<QuestionName>,
    stage: Option<Stage>,
    answered: bool,
    view: Option<RunView>,
    asking: bool,
    predicting: bool,
    say: Option<SayPage>,
}

/// A page of the stage Say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SayPage {
    Speaking,
    Checking,
    Over,
}

/// The response to a key, a paste or a click, for the event loop.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// Nothing changed.
    Nothing,
    /// Draw again: only the window or the help changed.
    Draw,
    /// Give this to the quiz, then draw.
    Do(Action),
    /// Ask for mouse events, or stop asking.
    Mouse(bool),
    /// Redraw everything.
    Redraw,
    /// Stop this process until `fg`.
    Suspend,
    /// Leave as if SIGINT had come.
    Interrupt,
}

impl Ui {
    /// A front end for `quiz`.
    pub fn new(quiz: Quiz, theme: Theme, mouse: bool) -> Self {
        let mut ui = Self {
            quiz: quiz.with_timeline(),
            theme,
            mouse,
            help: false,
            notice: None,
            scroll: Scroll::default(),
            under_help: Scroll::default(),
            repair_editor: None,
            highlights: Highlights::default(),
            drawn: Drawn::default(),
            shown: Shown::default(),
        };
        ui.shown = ui.shown_now();
        ui
    }

    /// The place that is on the screen, as far as keys are concerned.
    pub fn place(&self) -> Place {
        if self.help { Place::Help } else { self.place_under_help() }
    }

    /// The place that the list of keys explains.
    pub fn place_under_help(&self) -> Place {
        let Some(sitting) = self.quiz.sitting() else { return Place::Library };
        if self.quiz.closed().is_some() {
            return Place::Closed;
        }
        match sitting.stage() {
            Stage::Spot if sitting.is_answered() => Place::Found,
            Stage::Spot => Place::Search,
            Stage::Run if sitting.is_predicting() => Place::Predict,
            Stage::Run if sitting.is_asking() => Place::Consent,
            Stage::Run if sitting.is_running() => match sitting.view() {
                RunView::Output => Place::Running,
                RunView::Timeline => Place::Playing,
                RunView::Steps if sitting.steps().leader().is_some() => Place::Stepping,
                RunView::Steps => Place::Running,
            },
            Stage::Run => match sitting.view() {
                RunView::Output => Place::Run,
                RunView::Timeline => Place::Timeline,
                RunView::Steps if sitting.steps().leader().is_some() => Place::Steps,
                RunView::Steps => Place::Run,
            },
            Stage::Fix if sitting.is_asking() => Place::Consent,
            Stage::Fix if self.open_editor().is_some() => Place::Edit,
            Stage::Fix if sitting.repair().asks_reset() => Place::Reset,
            Stage::Fix if sitting.repair().is_running() => Place::Checking,
            Stage::Fix => Place::Fix,
            Stage::Say => match sitting.say().phase() {
                Phase::Ready | Phase::Speaking { .. } | Phase::Paused { .. } => Place::Countdown,
                Phase::Checklist { .. } => Place::Checklist,
                Phase::Done => Place::Said,
            },
            Stage::Learn => Place::Learn,
        }
    }

    /// The programs that the open question may show, to be highlighted.
    pub fn programs(&self) -> Vec<String> {
        let Some(sitting) = self.quiz.sitting() else { return Vec::new() };
        let question = sitting.question();
        let mut programs = vec![question.spot.code.clone()];
        if sitting.is_answered() {
            programs.push(question.fixed.code.clone());
        }
        programs
    }

    /// The text of the repair that is in sight, to be highlighted.
    pub fn draft(&self) -> Option<String> {
        let sitting = self.quiz.sitting().filter(|sitting| sitting.stage() == Stage::Fix)?;
        Some(sitting.repair().text().to_owned())
    }

    /// To be called after the quiz changed: puts the window to the top of a new page.
    pub fn settle(&mut self) {
        self.settle_editor();
        let now = self.shown_now();
        if now != self.shown {
            self.shown = now;
            self.help = false;
            // A question is read from its top, even where its program begins below the window.
            let noticed = self.quiz.sitting().is_some_and(|sitting| sitting.notice().is_some());
            self.scroll = Scroll { offset: 0, follow: noticed || self.place() != Place::Search };
        }
    }

    fn shown_now(&self) -> Shown {
        let sitting = self.quiz.sitting();
        let say_page = |sitting: &Sitting| match sitting.say().phase() {
            Phase::Ready | Phase::Speaking { .. } | Phase::Paused { .. } => SayPage::Speaking,
            Phase::Checklist { .. } => SayPage::Checking,
            Phase::Done => SayPage::Over,
        };
        Shown {
            question: sitting.map(|sitting| sitting.entry().name.clone()),
            stage: sitting.map(Sitting::stage),
            answered: sitting.is_some_and(Sitting::is_answered),
            view: sitting.map(Sitting::view),
            asking: sitting.is_some_and(Sitting::is_asking),
            predicting: sitting.is_some_and(Sitting::is_predicting),
            say: sitting.filter(|sitting| sitting.stage() == Stage::Say).map(say_page),
        }
    }

    /// Responds to `key`. Key releases never get here.
    pub fn key(&mut self, key: &KeyEvent) -> Response {
        let place = self.place();
        let noticed = self.notice.take().is_some();
        let response = match keys::command(place, key) {
            None if place == Place::Edit => self.typed(key),
            Some(command) => self.command(place, command, key.code),
            None => match keys::text(place, key) {
                Some(c) => self.act(Action::Predict(prediction::Act::Type(c.to_string()))),
                None => Response::Nothing,
            },
        };
        // The line that was shown has to go.
        if noticed && response == Response::Nothing { Response::Draw } else { response }
    }

    /// Responds to a paste.
    pub fn paste(&mut self, text: &str) -> Response {
        match self.place() {
            Place::Predict => self.act(Action::Predict(prediction::Act::Type(text.to_owned()))),
            Place::Edit => self.paste_text(text),
            // Nothing else takes text, and a paste must not press keys.
            _ => Response::Nothing,
        }
    }

    /// Responds to a mouse event.
    pub fn click(&mut self, event: &MouseEvent) -> Response {
        match event.kind {
            MouseEventKind::ScrollUp => self.scroll_by(-WHEEL),
            MouseEventKind::ScrollDown => self.scroll_by(WHEEL),
            MouseEventKind::Down(MouseButton::Left) if !self.help => {
                let at = Position::new(event.column, event.row);
                let hit = self.drawn.hits.iter().rev().find(|(area, _)| area.contains(at));
                match hit {
                    Some((area, Action::Point(line))) if matches!(self.place(), Place::Fix | Place::Edit) => {
                        self.click_text(*line, *area, event.column)
                    }
                    Some((_, action)) => {
                        self.scroll.follow = true;
                        Response::Do(action.clone())
                    }
                    None => Response::Nothing,
                }
            }
            _ => Response::Nothing,
        }
    }

    fn command(&mut self, place: Place, command: &Command, code: KeyCode) -> Response {
        let page = isize::try_from(self.drawn.height.saturating_sub(1).max(1)).unwrap_or(isize::MAX);
        if let Some(action) = motion(place, command, page) {
            return self.act(action);
        }
        match command {
            Command::Do(action) => self.act(action.clone()),
            Command::Help => self.toggle_help(),
            Command::Back if self.help => self.toggle_help(),
            Command::Back if place == Place::Edit => self.end_editing(),
            Command::Back if place == Place::Predict => self.act(Action::Predict(prediction::Act::Leave)),
            Command::Back => self.act(Action::Back),
            Command::Interrupt if place == Place::Edit && !self.is_checking() => self.end_editing(),
            Command::Interrupt if self.quiz.sitting().is_some_and(Sitting::is_running) || self.is_checking() => {
                self.act(Action::StopRun)
            }
            Command::Interrupt => Response::Interrupt,
            Command::Up | Command::Down | Command::PageUp | Command::PageDown if place == Place::Edit => {
                self.edit_command(command, page)
            }
            Command::Step(_) | Command::Change(_) => self.edit_command(command, page),
            Command::Edit => self.begin_editing(),
            Command::Up if place == Place::Learn => self.walk(-1),
            Command::Down if place == Place::Learn => self.walk(1),
            Command::Up => self.scroll_by(-1),
            Command::Down => self.scroll_by(1),
            Command::PageUp => self.scroll_by(-page),
            Command::PageDown => self.scroll_by(page),
            Command::First => self.scroll_by(isize::MIN),
            Command::Last => self.scroll_by(isize::MAX),
            Command::Enter => self.enter(place),
            Command::Digit => self.digit(place, code),
            Command::NewLine => self.act(Action::Predict(prediction::Act::Type("\n".to_owned()))),
            Command::Tick => {
                let point = self.quiz.sitting().map(|sitting| sitting.say().cursor());
                point.map_or(Response::Nothing, |point| self.act(Action::Tick(point)))
            }
            Command::Mouse => {
                self.mouse = !self.mouse;
                self.notice = Some(if self.mouse { MOUSE_ON } else { MOUSE_OFF });
                Response::Mouse(self.mouse)
            }
            Command::Redraw => Response::Redraw,
            Command::Suspend => Response::Suspend,
        }
    }

    fn is_checking(&self) -> bool {
        self.quiz.sitting().is_some_and(|sitting| sitting.repair().is_running())
    }

    fn act(&mut self, action: Action) -> Response {
        self.scroll.follow = true;
        Response::Do(action)
    }

    fn toggle_help(&mut self) -> Response {
        if self.help {
            self.scroll = self.under_help;
        } else {
            self.under_help = self.scroll;
            self.scroll = Scroll::default();
        }
        self.help = !self.help;
        Response::Draw
    }

    fn scroll_by(&mut self, rows: isize) -> Response {
        let last = self.drawn.total.saturating_sub(self.drawn.height);
        let offset = self.drawn.offset.saturating_add_signed(rows).min(last);
        if offset == self.drawn.offset {
            return Response::Nothing;
        }
        self.scroll = Scroll { offset, follow: false };
        Response::Draw
    }

    fn enter(&mut self, place: Place) -> Response {
        let Some(sitting) = self.quiz.sitting() else {
            let selected = self.quiz.selected();
            return self.act(Action::OpenAt(selected));
        };
        let action = match place {
            // Nobody means a line that is out of sight; the first Enter brings it there.
            Place::Search if !self.drawn.hits.iter().any(|(_, hit)| *hit == Action::Point(sitting.cursor())) => {
                self.scroll.follow = true;
                return Response::Draw;
            }
            Place::Search => Some(Action::Pick(sitting.cursor())),
            Place::Learn => sitting.focus().and_then(|item| self.activation(item)),
            _ => None,
        };
        action.map_or(Response::Nothing, |action| self.act(action))
    }

    /// The action that opens an item of the stage Learn.
    fn activation(&self, item: LearnItem) -> Option<Action> {
        match item {
            LearnItem::FollowUp(index) => Some(Action::FollowUp(index)),
            LearnItem::Related(index) => {
                let entry = self.quiz.sitting()?.entry();
                self.quiz.related(entry).nth(index).map(|related| Action::Open(related.name.clone()))
            }
        }
    }

    fn digit(&mut self, place: Place, code: KeyCode) -> Response {
        let KeyCode::Char(c) = code else { return Response::Nothing };
        let Some(digit) = c.to_digit(10).and_then(|digit| u8::try_from(digit).ok()) else { return Response::Nothing };
        match place {
            Place::Search => self.act(Action::Digit(digit)),
            Place::Steps | Place::Stepping => self.act(Action::Steps(steps::Act::Digit(digit))),
            Place::Checklist => match LineNo::new(u32::from(digit)) {
                Some(point) => self.act(Action::Tick(point.index())),
                None => Response::Nothing,
            },
            _ => Response::Nothing,
        }
    }

    /// Moves the mark of the stage Learn to the next item that is in sight, else scrolls, so that long texts are read
    /// and not jumped over.
    fn walk(&mut self, step: isize) -> Response {
        let window = self.drawn.offset..self.drawn.offset.saturating_add(self.drawn.height);
        let in_sight = |index: &usize| {
            self.drawn.items.get(*index).is_some_and(|(_, rows)| rows.start >= window.start && rows.start < window.end)
        };
        let focus = self.quiz.sitting().and_then(Sitting::focus);
        let here = self.drawn.items.iter().position(|(item, _)| Some(*item) == focus).filter(in_sight);
        let next = match here {
            Some(here) => here.checked_add_signed(step).filter(in_sight),
            None if step > 0 => (0..self.drawn.items.len()).find(in_sight),
            None => (0..self.drawn.items.len()).rev().find(in_sight),
        };
        match next.and_then(|index| self.drawn.items.get(index)) {
            Some((item, _)) => Response::Do(Action::Focus(*item)),
            None => self.scroll_by(step),
        }
    }
}

/// The action of a key that moves a mark; `None` for any other key, and where keys move the page. A page has `page` rows.
fn motion(place: Place, command: &Command, page: isize) -> Option<Action> {
    let motion = match command {
        Command::Up => Motion::By(-1),
        Command::Down => Motion::By(1),
        Command::PageUp if place == Place::Library => Motion::By(-page),
        Command::PageDown if place == Place::Library => Motion::By(page),
        Command::First => Motion::First,
        Command::Last => Motion::Last,
        _ => return None,
    };
    match (place, motion) {
        (Place::Library | Place::Search | Place::Checklist, _) => Some(Action::Move(motion)),
        (Place::Timeline | Place::Playing, _) => Some(Action::Timeline(timeline::Act::Move(motion))),
        (Place::Steps | Place::Stepping, Motion::By(_)) => Some(Action::Steps(steps::Act::Choose(motion))),
        (Place::Steps | Place::Stepping, _) => Some(Action::Steps(steps::Act::Step(motion))),
        _ => None,
    }
}
