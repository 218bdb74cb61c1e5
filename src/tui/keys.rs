//! Keys, the places where they are pressed, and the commands that they give. The one table of them is `table.rs`.

mod table;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::quiz::Action;
use crate::tui::editor::{Change, Step};

pub use table::TABLE;

/// A place on the screen, as far as keys are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The list of questions.
    Library,
    /// Stage Spot, before the answer.
    Search,
    /// Stage Spot, after the answer.
    Found,
    /// Stage Run, nothing running.
    Run,
    /// Stage Run, the question what the buggy program prints.
    Predict,
    /// Stage Run, the timeline, nothing running.
    Timeline,
    /// Stage Run, the timeline, a program running.
    Playing,
    /// Stage Run, the steps of a program, nothing running.
    Steps,
    /// Stage Run, the steps of a program, which still runs.
    Stepping,
    /// Stage Run, a program running.
    Running,
    /// Stage Run, the question about running someone else's programs.
    Consent,
    /// Stage Fix, nothing running.
    Fix,
    /// Stage Fix, the checks running.
    Checking,
    /// Stage Fix, the question whether to begin again.
    Reset,
    /// Stage Fix, the editor.
    Edit,
    /// Stage Say, the countdown.
    Countdown,
    /// Stage Say, the checklist.
    Checklist,
    /// Stage Say, the model answer.
    Said,
    /// Stage Learn.
    Learn,
    /// A closed stage.
    Closed,
    /// The list of keys.
    Help,
}

impl Place {
    /// Every place.
    pub const ALL: [Self; 21] = [
        Self::Library,
        Self::Search,
        Self::Found,
        Self::Run,
        Self::Predict,
        Self::Timeline,
        Self::Playing,
        Self::Steps,
        Self::Stepping,
        Self::Running,
        Self::Consent,
        Self::Fix,
        Self::Checking,
        Self::Reset,
        Self::Edit,
        Self::Countdown,
        Self::Checklist,
        Self::Said,
        Self::Learn,
        Self::Closed,
        Self::Help,
    ];

    /// True if keys that write characters are text here.
    pub fn takes_text(self) -> bool {
        matches!(self, Self::Predict | Self::Edit)
    }

    /// The name on the help page.
    pub fn title(self) -> &'static str {
        match self {
            Self::Library => "the library",
            Self::Search | Self::Found => "the stage Spot",
            Self::Run | Self::Running => "the stage Run",
            Self::Predict => "the question what is printed",
            Self::Timeline | Self::Playing => "the timeline of the stage Run",
            Self::Steps | Self::Stepping => "the steps of the stage Run",
            Self::Consent => "the question about a pack",
            Self::Fix | Self::Checking => "the stage Fix",
            Self::Reset => "the question about your text",
            Self::Edit => "the editor",
            Self::Countdown | Self::Checklist | Self::Said => "the stage Say",
            Self::Learn => "the stage Learn",
            Self::Closed => "a closed stage",
            Self::Help => "this page",
        }
    }
}

/// A command that a key gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Give this action to the quiz.
    Do(Action),
    /// Move the mark up, or the page where nothing is marked.
    Up,
    /// Move the mark down, or the page where nothing is marked.
    Down,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// To the top.
    First,
    /// To the bottom.
    Last,
    /// Open or answer with what is marked.
    Enter,
    /// The digit of a number.
    Digit,
    /// Begin a line of the prediction.
    NewLine,
    /// Edit the repair here.
    Edit,
    /// Move the cursor of the editor.
    Step(Step),
    /// Change the text in the editor.
    Change(Change),
    /// Tick the marked point.
    Tick,
    /// Show or hide the keys.
    Help,
    /// Go back, or leave.
    Back,
    /// Stop a run, else leave.
    Interrupt,
    /// Turn the mouse on or off.
    Mouse,
    /// Redraw the screen.
    Redraw,
    /// Go to the shell; `fg` comes back.
    Suspend,
}

/// A key, or a family of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chord {
    /// A key that writes this character.
    Char(char),
    /// A key with Ctrl.
    Ctrl(char),
    /// A key with a name, with Ctrl.
    CtrlNamed(KeyCode),
    /// Any digit.
    Digits,
    /// A key with a name.
    Named(KeyCode),
}

impl Chord {
    fn matches(self, key: &KeyEvent) -> bool {
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        match (self, key.code) {
            (Self::Char(wanted), KeyCode::Char(c)) => !ctrl && !alt && c == wanted,
            (Self::Ctrl(wanted), KeyCode::Char(c)) => ctrl && !alt && c.eq_ignore_ascii_case(&wanted),
            (Self::CtrlNamed(wanted), code) => ctrl && !alt && code == wanted,
            (Self::Digits, KeyCode::Char(c)) => !ctrl && !alt && c.is_ascii_digit(),
            (Self::Named(wanted), code) => !ctrl && !alt && code == wanted,
            (Self::Char(_) | Self::Ctrl(_) | Self::Digits, _) => false,
        }
    }
}

/// A row of the table.
#[derive(Debug)]
pub struct Binding {
    /// The keys.
    pub chords: &'static [Chord],
    /// The places where they work; empty means everywhere.
    pub places: &'static [Place],
    /// The command that they give.
    pub command: Command,
    /// The keys as the footer and the help write them.
    pub label: &'static str,
    /// A word or two for the footer; empty keeps the row out of it.
    pub hint: &'static str,
    /// A sentence for the help page.
    pub help: &'static str,
}

impl Binding {
    /// True if the row holds in `place`.
    pub fn holds_in(&self, place: Place) -> bool {
        // What is a command everywhere else is text where something is typed.
        self.places.contains(&place) || self.places.is_empty() && !place.takes_text()
    }

    /// True if the row holds everywhere.
    pub fn is_global(&self) -> bool {
        self.places.is_empty()
    }
}

/// The command of `key` in `place`.
pub fn command(place: Place, key: &KeyEvent) -> Option<&'static Command> {
    let row = rows(place).find(|row| row.chords.iter().any(|chord| chord.matches(key)));
    row.map(|row| &row.command)
}

/// The character that `key` writes in `place`, where something is typed.
pub fn text(place: Place, key: &KeyEvent) -> Option<char> {
    let KeyCode::Char(c) = key.code else { return None };
    let commands = KeyModifiers::CONTROL | KeyModifiers::ALT;
    (place.takes_text() && !key.modifiers.intersects(commands)).then_some(c)
}

/// The rows that hold in `place`, in the table's order.
pub fn rows(place: Place) -> impl Iterator<Item = &'static Binding> {
    TABLE.iter().filter(move |row| row.holds_in(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things_in_one_place() {
        for place in Place::ALL {
            let chords: Vec<Chord> = rows(place).flat_map(|row| row.chords.iter().copied()).collect();
            for (index, chord) in chords.iter().enumerate() {
                assert!(!chords[..index].contains(chord), "{chord:?} twice in {place:?}");
            }
        }
    }

    #[test]
    fn every_place_can_be_left_scrolled_and_explained() {
        for place in Place::ALL {
            for command in [Command::Back, Command::Help, Command::Interrupt, Command::Down, Command::PageDown] {
                assert!(rows(place).any(|row| row.command == command), "{command:?} in {place:?}");
            }
        }
    }

    #[test]
    fn modifiers_are_part_of_a_key() {
        let key = |code, modifiers| KeyEvent::new(code, modifiers);
        let none = KeyModifiers::NONE;
        assert_eq!(command(Place::Run, &key(KeyCode::Char('r'), none)), Some(&Command::Do(Action::Run)));
        assert_eq!(command(Place::Run, &key(KeyCode::Char('r'), KeyModifiers::CONTROL)), None);
        assert_eq!(command(Place::Run, &key(KeyCode::Char('r'), KeyModifiers::ALT)), None);
        assert_eq!(command(Place::Search, &key(KeyCode::Char('G'), KeyModifiers::SHIFT)), Some(&Command::Last));
        assert_eq!(
            command(Place::Search, &key(KeyCode::BackTab, KeyModifiers::SHIFT)),
            Some(&Command::Do(Action::PreviousStage))
        );
        assert_eq!(command(Place::Search, &key(KeyCode::Char('c'), KeyModifiers::CONTROL)), Some(&Command::Interrupt));
        assert_eq!(command(Place::Search, &key(KeyCode::Char('7'), none)), Some(&Command::Digit));
    }
}
