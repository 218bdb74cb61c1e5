//! The one table of keys: what each does, where, and how it is explained.
//!
//! The event loop, the footer and the help page all read this table, so that none of them can say something else.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::quiz::steps::Target;
use crate::quiz::trace::Way;
use crate::tui::editor::{Change, Step};

/// What is on the screen, as far as keys are concerned.
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
    /// Stage Run, the question whether a stranger's programs may run.
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
    Talk,
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
        Self::Talk,
        Self::Checklist,
        Self::Said,
        Self::Learn,
        Self::Closed,
        Self::Help,
    ];

    /// Whether keys that write characters are text here.
    pub fn takes_text(self) -> bool {
        matches!(self, Self::Predict | Self::Edit)
    }

    /// What the help page calls it.
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
            Self::Talk | Self::Checklist | Self::Said => "the stage Say",
            Self::Learn => "the stage Learn",
            Self::Closed => "a closed stage",
            Self::Help => "this page",
        }
    }
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
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
    /// Open, answer or finish: what Enter means here.
    Enter,
    /// The digit of a line number or of a point.
    Digit,
    /// The next hint.
    Hint,
    /// Show the answer.
    GiveUp,
    /// Start the question over.
    StartOver,
    /// Run, or stop.
    Run,
    /// Show the next part of the stage Run.
    NextPart,
    /// Begin a line.
    NewLine,
    /// Take the last character away.
    Erase,
    /// Take the last line away.
    EraseLine,
    /// Play the next row.
    PlayOn,
    /// Show the steps of the programs.
    Trace,
    /// A step on.
    StepOn,
    /// A step back.
    StepBack,
    /// To the next place where this happens.
    Seek(Target, Way),
    /// Move the mark on the program's lines up.
    LineUp,
    /// Move the mark on the program's lines down.
    LineDown,
    /// Pin the chosen variable.
    Pin,
    /// Show the other program, or both.
    Turn,
    /// Close what is open.
    Close,
    /// Stop.
    Stop,
    /// Run a stranger's programs.
    Agree,
    /// Do not run them.
    Decline,
    /// Take back the last answer or tick.
    Undo,
    /// Edit the repair here.
    Edit,
    /// Edit the repair in the learner's own editor.
    EditOutside,
    /// Run the checks on the repair.
    Check,
    /// Begin the repair again.
    ResetDraft,
    /// Bring back what a reset replaced.
    BringBack,
    /// Move the cursor of the editor.
    Step(Step),
    /// Change the text in the editor.
    Change(Change),
    /// Start or pause the countdown.
    Timer,
    /// Reset the countdown.
    Reset,
    /// Tick the marked point.
    Tick,
    /// The next stage.
    NextStage,
    /// The stage before.
    PreviousStage,
    /// Show or hide the keys.
    Help,
    /// Go back, or leave.
    Back,
    /// Stop a run, else leave.
    Interrupt,
    /// Turn the mouse on or off.
    Mouse,
    /// Draw everything anew.
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
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// The keys.
    pub chords: &'static [Chord],
    /// Where they work; empty means everywhere.
    pub places: &'static [Place],
    /// What they do.
    pub command: Command,
    /// How the keys are written.
    pub label: &'static str,
    /// A word or two for the footer; empty keeps the row out of it.
    pub hint: &'static str,
    /// A sentence for the help page.
    pub help: &'static str,
}

impl Binding {
    /// Whether the row holds in `place`.
    pub fn holds_in(&self, place: Place) -> bool {
        // What is a command everywhere else is text where something is typed.
        self.places.contains(&place) || self.places.is_empty() && !place.takes_text()
    }

    /// Whether the row holds everywhere.
    pub fn is_global(&self) -> bool {
        self.places.is_empty()
    }
}

const STAGES: &[Place] = &[
    Place::Search,
    Place::Found,
    Place::Run,
    Place::Timeline,
    Place::Playing,
    Place::Steps,
    Place::Stepping,
    Place::Running,
    Place::Consent,
    Place::Fix,
    Place::Checking,
    Place::Reset,
    Place::Talk,
    Place::Checklist,
    Place::Said,
    Place::Learn,
    Place::Closed,
];

/// Places where something is marked that moves.
const MARKED: &[Place] = &[
    Place::Library,
    Place::Search,
    Place::Timeline,
    Place::Playing,
    Place::Steps,
    Place::Stepping,
    Place::Checklist,
    Place::Learn,
];

/// Places where a program is gone through step by step.
const STEPS: &[Place] = &[Place::Steps, Place::Stepping];

/// Places where Up and Down move the page.
const SCROLLED: &[Place] = &[
    Place::Found,
    Place::Run,
    Place::Running,
    Place::Consent,
    Place::Fix,
    Place::Checking,
    Place::Reset,
    Place::Talk,
    Place::Said,
    Place::Closed,
    Place::Help,
];

const UP: &[Chord] = &[Chord::Named(KeyCode::Up), Chord::Char('k')];
const DOWN: &[Chord] = &[Chord::Named(KeyCode::Down), Chord::Char('j')];
const ENTER: &[Chord] = &[Chord::Named(KeyCode::Enter)];

const fn row(
    chords: &'static [Chord],
    places: &'static [Place],
    command: Command,
    label: &'static str,
    hint: &'static str,
    help: &'static str,
) -> Binding {
    Binding { chords, places, command, label, hint, help }
}

/// The table: keys, places, command, how the keys are written, the hint in the footer, the sentence of the help page.
/// Rows come in the order of the footer and of the help page.
// A table is read by its columns, so the formatter stays out.
#[rustfmt::skip]
pub const TABLE: &[Binding] = &[
    row(ENTER, &[Place::Library], Command::Enter, "Enter", "open",
        "Open the marked question"),
    row(ENTER, &[Place::Search], Command::Enter, "Enter", "answer",
        "Answer with the marked line"),
    row(&[Chord::Digits], &[Place::Search], Command::Digit, "0-9", "",
        "Go to the line with this number"),
    row(&[Chord::Char('h')], &[Place::Search], Command::Hint, "h", "hint",
        "Open the next hint"),
    row(&[Chord::Char('a')], &[Place::Search], Command::GiveUp, "a", "give up",
        "Give up and show the answer"),
    row(&[Chord::Char('u')], &[Place::Found, Place::Search], Command::Undo, "u", "undo",
        "Take back your last answer, also what was recorded of it"),
    row(&[Chord::Char('o')], &[Place::Found], Command::StartOver, "o", "start over",
        "Start this question over; what was recorded stays"),
    row(&[Chord::Char(' ')], &[Place::Timeline, Place::Playing], Command::PlayOn, "Space", "play on",
        "Play the next row of the timeline; before the first one, run the programs"),
    row(ENTER, &[Place::Timeline, Place::Playing], Command::Enter, "Enter", "open values",
        "Show the values of the marked row in full, or cut them again"),
    row(&[Chord::Char('r')], &[Place::Run, Place::Timeline], Command::Run, "r", "run",
        "Run the programs: the buggy one, and the fixed one once the line is known"),
    row(&[Chord::Char('r'), Chord::Named(KeyCode::Esc)], &[Place::Running, Place::Playing, Place::Stepping], Command::Stop, "r, Esc", "stop",
        "Stop the run"),
    row(ENTER, &[Place::Predict], Command::Enter, "Enter", "run",
        "Keep the prediction and run; with nothing typed, run without one"),
    row(&[Chord::Ctrl('n')], &[Place::Predict], Command::NewLine, "Ctrl-N", "new line",
        "Begin a line"),
    row(&[Chord::Named(KeyCode::Backspace), Chord::Ctrl('h')], &[Place::Predict], Command::Erase, "Backspace", "",
        "Take the last character away"),
    row(&[Chord::Ctrl('u')], &[Place::Predict], Command::EraseLine, "Ctrl-U", "",
        "Take the last line away"),
    row(&[Chord::Named(KeyCode::Up)], &[Place::Predict], Command::Up, "Up", "", "Scroll up"),
    row(&[Chord::Named(KeyCode::Down)], &[Place::Predict], Command::Down, "Down", "", "Scroll down"),
    row(&[Chord::Named(KeyCode::PageUp)], &[Place::Predict], Command::PageUp, "PgUp", "", "A page up"),
    row(&[Chord::Named(KeyCode::PageDown)], &[Place::Predict], Command::PageDown, "PgDn", "", "A page down"),
    row(&[Chord::Named(KeyCode::Tab)], &[Place::Predict], Command::NextStage, "Tab", "", "Show the next stage"),
    row(&[Chord::Named(KeyCode::BackTab)], &[Place::Predict], Command::PreviousStage, "Shift-Tab", "",
        "Show the stage before"),
    row(&[Chord::Ctrl('l')], &[Place::Predict], Command::Redraw, "Ctrl-L", "", "Draw the screen anew"),
    row(&[Chord::Ctrl('z')], &[Place::Predict], Command::Suspend, "Ctrl-Z", "", "Go to the shell; `fg` comes back"),
    row(&[Chord::Ctrl('c')], &[Place::Predict], Command::Interrupt, "Ctrl-C", "", "Leave at once"),
    row(&[Chord::Named(KeyCode::F(1))], &[Place::Predict], Command::Help, "F1", "keys", "Show or hide the keys"),
    row(&[Chord::Named(KeyCode::Esc)], &[Place::Predict], Command::Back, "Esc", "do not run",
        "Do not run the program"),
    row(&[Chord::Char('v')], &[Place::Run, Place::Timeline, Place::Playing, Place::Running], Command::NextPart, "v", "next view",
        "Show the next view of the stage Run: what the programs print, the timeline where there is one, the steps"),
    row(&[Chord::Char('t')], &[Place::Run, Place::Timeline, Place::Playing, Place::Running], Command::Trace, "t", "steps",
        "Run the programs and go through them step by step, back and forth"),
    row(&[Chord::Named(KeyCode::Right), Chord::Char(' ')], STEPS, Command::StepOn, "Right, Space", "step",
        "A step on"),
    row(&[Chord::Named(KeyCode::Left), Chord::Char('b')], STEPS, Command::StepBack, "Left, b", "back",
        "A step back"),
    row(&[Chord::Char('c')], STEPS, Command::Seek(Target::Call, Way::On), "c", "call",
        "On to the next call of a function; C goes back to the one before"),
    row(&[Chord::Char('C')], STEPS, Command::Seek(Target::Call, Way::Back), "C", "",
        "Back to the call before"),
    row(&[Chord::Char('f')], STEPS, Command::Seek(Target::Return, Way::On), "f", "return",
        "On to where the next function ends"),
    row(&[Chord::Char('F')], STEPS, Command::Seek(Target::Return, Way::Back), "F", "",
        "Back to where a function ended"),
    row(&[Chord::Char('l')], STEPS, Command::Seek(Target::Line, Way::On), "l", "line",
        "On to the next visit of the marked line; 12l marks line 12 first"),
    row(&[Chord::Char('L')], STEPS, Command::Seek(Target::Line, Way::Back), "L", "",
        "Back to the visit before"),
    row(&[Chord::Char('J')], STEPS, Command::LineDown, "J", "",
        "Move the mark on the program's lines down"),
    row(&[Chord::Char('K')], STEPS, Command::LineUp, "K", "",
        "Move the mark on the program's lines up"),
    row(&[Chord::Char('w')], STEPS, Command::Seek(Target::Change, Way::On), "w", "change",
        "On to the next change of the chosen variable"),
    row(&[Chord::Char('W')], STEPS, Command::Seek(Target::Change, Way::Back), "W", "",
        "Back to the change before"),
    row(&[Chord::Char('p')], STEPS, Command::Pin, "p", "pin",
        "Pin the chosen variable, so that it stays on top, or unpin it"),
    row(&[Chord::Char('s')], STEPS, Command::Turn, "s", "other program",
        "Show the fixed program, then both in step, then the buggy one; it opens once you have answered"),
    row(&[Chord::Digits], STEPS, Command::Digit, "0-9", "",
        "Type a number: Enter goes to the step with it, l to the next visit of the line with it"),
    row(ENTER, STEPS, Command::Enter, "Enter", "open value",
        "Show the chosen value in full, or cut it again; behind a number, go to that step"),
    row(&[Chord::Char('r')], &[Place::Steps], Command::Run, "r", "",
        "Run the programs again and note their steps anew"),
    row(&[Chord::Named(KeyCode::Esc)], &[Place::Steps], Command::Close, "Esc", "",
        "Drop the number, close the value, or leave the steps"),
    row(&[Chord::Char('v')], STEPS, Command::NextPart, "v", "next view",
        "Show the next view of the stage Run: what the programs print, the timeline where there is one, the steps"),
    row(&[Chord::Char('y')], &[Place::Consent], Command::Agree, "y", "run",
        "Run the programs of this pack, now and until you leave fencepost"),
    row(&[Chord::Char('n'), Chord::Named(KeyCode::Esc)], &[Place::Consent], Command::Decline, "n, Esc", "do not run",
        "Do not run the programs of this pack"),
    row(&[Chord::Char('i'), Chord::Named(KeyCode::Enter)], &[Place::Fix, Place::Checking], Command::Edit, "i, Enter", "edit",
        "Edit the program here"),
    row(&[Chord::Ctrl('s')], &[Place::Fix, Place::Checking, Place::Edit], Command::Check, "Ctrl-S", "check",
        "Run the checks on your program"),
    row(&[Chord::Char('r')], &[Place::Fix], Command::Check, "r", "",
        "Run the checks on your program"),
    row(&[Chord::Char('e')], &[Place::Fix, Place::Checking], Command::EditOutside, "e", "your editor",
        "Edit the program in $VISUAL or $EDITOR; when you come back, the checks run"),
    row(&[Chord::Char('r'), Chord::Named(KeyCode::Esc)], &[Place::Checking], Command::Stop, "r, Esc", "stop",
        "Stop the checks"),
    row(&[Chord::Char('x')], &[Place::Fix], Command::ResetDraft, "x", "reset",
        "Begin again with the buggy program; asks first, and keeps your text"),
    row(&[Chord::Char('b')], &[Place::Fix], Command::BringBack, "b", "bring back",
        "Bring back the text that was there before a reset; once more swaps the two"),
    row(&[Chord::Char('y')], &[Place::Reset], Command::Agree, "y", "reset",
        "Begin again with the buggy program; `b` brings your text back"),
    row(&[Chord::Char('n'), Chord::Named(KeyCode::Esc)], &[Place::Reset], Command::Decline, "n, Esc", "keep",
        "Keep your text"),
    row(&[Chord::Named(KeyCode::Up)], &[Place::Edit], Command::Up, "Up", "", "Move up"),
    row(&[Chord::Named(KeyCode::Down)], &[Place::Edit], Command::Down, "Down", "", "Move down"),
    row(&[Chord::Named(KeyCode::Left)], &[Place::Edit], Command::Step(Step::Left), "Left", "", "Move left"),
    row(&[Chord::Named(KeyCode::Right)], &[Place::Edit], Command::Step(Step::Right), "Right", "", "Move right"),
    row(&[Chord::CtrlNamed(KeyCode::Left)], &[Place::Edit], Command::Step(Step::WordLeft), "Ctrl-Left", "",
        "Move to the start of the word before"),
    row(&[Chord::CtrlNamed(KeyCode::Right)], &[Place::Edit], Command::Step(Step::WordRight), "Ctrl-Right", "",
        "Move to the start of the next word"),
    row(&[Chord::Named(KeyCode::Home), Chord::Ctrl('a')], &[Place::Edit], Command::Step(Step::LineStart), "Home, Ctrl-A", "",
        "Move to the first character of the line, then before its indentation"),
    row(&[Chord::Named(KeyCode::End), Chord::Ctrl('e')], &[Place::Edit], Command::Step(Step::LineEnd), "End, Ctrl-E", "",
        "Move to the end of the line"),
    row(&[Chord::CtrlNamed(KeyCode::Home)], &[Place::Edit], Command::Step(Step::Top), "Ctrl-Home", "", "Move to the first line"),
    row(&[Chord::CtrlNamed(KeyCode::End)], &[Place::Edit], Command::Step(Step::Bottom), "Ctrl-End", "", "Move to the last line"),
    row(&[Chord::Named(KeyCode::PageUp)], &[Place::Edit], Command::PageUp, "PgUp", "", "A page up"),
    row(&[Chord::Named(KeyCode::PageDown)], &[Place::Edit], Command::PageDown, "PgDn", "", "A page down"),
    row(ENTER, &[Place::Edit], Command::Change(Change::NewLine), "Enter", "",
        "Begin a line, indented like this one, and deeper after a colon"),
    row(&[Chord::Named(KeyCode::Tab)], &[Place::Edit], Command::Change(Change::Indent), "Tab", "",
        "Put in blanks up to the next multiple of four"),
    row(&[Chord::Named(KeyCode::BackTab)], &[Place::Edit], Command::Change(Change::Outdent), "Shift-Tab", "",
        "Take up to four blanks from the start of the line"),
    row(&[Chord::Named(KeyCode::Backspace)], &[Place::Edit], Command::Change(Change::Backspace), "Backspace", "",
        "Delete the character before; of an indentation, four blanks"),
    row(&[Chord::Named(KeyCode::Delete), Chord::Ctrl('d')], &[Place::Edit], Command::Change(Change::Delete), "Del, Ctrl-D", "",
        "Delete the next character"),
    row(&[Chord::Ctrl('w')], &[Place::Edit], Command::Change(Change::DeleteWord), "Ctrl-W", "", "Delete the word before"),
    row(&[Chord::Ctrl('k')], &[Place::Edit], Command::Change(Change::DeleteToEnd), "Ctrl-K", "",
        "Delete the rest of the line"),
    row(&[Chord::Ctrl('z'), Chord::Ctrl('u')], &[Place::Edit], Command::Change(Change::Undo), "Ctrl-Z, -U", "undo",
        "Undo the last change; to go to the shell, leave the editor first"),
    row(&[Chord::Ctrl('y'), Chord::Ctrl('r')], &[Place::Edit], Command::Change(Change::Redo), "Ctrl-Y, -R", "redo",
        "Make the undone change again"),
    row(&[Chord::Ctrl('l')], &[Place::Edit], Command::Redraw, "Ctrl-L", "", "Draw the screen anew"),
    row(&[Chord::Ctrl('c')], &[Place::Edit], Command::Interrupt, "Ctrl-C", "",
        "Stop the checks; when nothing runs, leave the editor. Your text is kept"),
    row(&[Chord::Named(KeyCode::F(1))], &[Place::Edit], Command::Help, "F1", "keys", "Show or hide the keys"),
    row(&[Chord::Named(KeyCode::Esc)], &[Place::Edit], Command::Back, "Esc", "leave",
        "Leave the editor. Your text is kept, also when you leave fencepost"),
    row(&[Chord::Char(' ')], &[Place::Talk], Command::Timer, "Space", "start, pause",
        "Start the countdown, or pause it"),
    row(ENTER, &[Place::Talk], Command::Enter, "Enter", "checklist",
        "Stop talking and go to the checklist"),
    row(&[Chord::Char(' '), Chord::Char('x')], &[Place::Checklist], Command::Tick, "Space, x", "tick",
        "Tick the marked point, or take the tick away"),
    row(&[Chord::Digits], &[Place::Checklist], Command::Digit, "1-9", "",
        "Tick the point with this number"),
    row(ENTER, &[Place::Checklist], Command::Enter, "Enter", "done",
        "Keep the checklist and show the model answer"),
    row(&[Chord::Char('u')], &[Place::Checklist, Place::Said], Command::Undo, "u", "undo",
        "Take back your last tick, or the end of the checklist"),
    row(&[Chord::Char('r')], &[Place::Talk, Place::Checklist, Place::Said], Command::Reset, "r", "reset",
        "Put the countdown and the checklist back to their start"),
    row(ENTER, &[Place::Learn], Command::Enter, "Enter", "open",
        "Open the marked hint or related question"),
    row(&[Chord::Char('h')], &[Place::Learn], Command::Hint, "h", "hint",
        "Open the hint of the next follow-up question"),
    row(UP, MARKED, Command::Up, "Up, k", "",
        "Move the mark up"),
    row(DOWN, MARKED, Command::Down, "Down, j", "",
        "Move the mark down"),
    row(UP, SCROLLED, Command::Up, "Up, k", "",
        "Scroll up"),
    row(DOWN, SCROLLED, Command::Down, "Down, j", "",
        "Scroll down"),
    row(&[Chord::Named(KeyCode::Tab), Chord::Char(']')], STAGES, Command::NextStage, "Tab, ]", "next stage",
        "Show the next stage"),
    row(&[Chord::Char('['), Chord::Named(KeyCode::BackTab)], STAGES, Command::PreviousStage, "[, Shift-Tab", "",
        "Show the stage before"),
    row(&[Chord::Named(KeyCode::PageUp), Chord::Ctrl('b')], &[], Command::PageUp, "PgUp, Ctrl-B", "",
        "A page up"),
    row(&[Chord::Named(KeyCode::PageDown), Chord::Ctrl('f')], &[], Command::PageDown, "PgDn, Ctrl-F", "",
        "A page down"),
    row(&[Chord::Named(KeyCode::Home), Chord::Char('g')], &[], Command::First, "Home, g", "",
        "To the top"),
    row(&[Chord::Named(KeyCode::End), Chord::Char('G')], &[], Command::Last, "End, G", "",
        "To the bottom"),
    row(&[Chord::Char('m')], &[], Command::Mouse, "m", "",
        "Turn the mouse on or off; while it is off, text can be selected"),
    row(&[Chord::Ctrl('l')], &[], Command::Redraw, "Ctrl-L", "",
        "Draw the screen anew"),
    row(&[Chord::Ctrl('z')], &[], Command::Suspend, "Ctrl-Z", "",
        "Go to the shell; `fg` comes back"),
    row(&[Chord::Ctrl('c')], &[], Command::Interrupt, "Ctrl-C", "",
        "Stop a run; when nothing runs, leave at once"),
    row(&[Chord::Char('?'), Chord::Named(KeyCode::F(1))], &[], Command::Help, "?, F1", "keys",
        "Show or hide the keys"),
    row(&[Chord::Char('q')], &[Place::Library], Command::Back, "q", "quit",
        "Quit"),
    row(&[Chord::Char('q'), Chord::Named(KeyCode::Esc)], &[Place::Help], Command::Back, "q, Esc", "back",
        "Close this page"),
    row(&[Chord::Char('q')], STAGES, Command::Back, "q", "back",
        "Back to the library, or to the question that led here"),
];

/// What `key` does in `place`.
pub fn command(place: Place, key: &KeyEvent) -> Option<Command> {
    let row = rows(place).find(|row| row.chords.iter().any(|chord| chord.matches(key)));
    row.map(|row| row.command)
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
        assert_eq!(command(Place::Run, &key(KeyCode::Char('r'), none)), Some(Command::Run));
        assert_eq!(command(Place::Run, &key(KeyCode::Char('r'), KeyModifiers::CONTROL)), None);
        assert_eq!(command(Place::Run, &key(KeyCode::Char('r'), KeyModifiers::ALT)), None);
        assert_eq!(command(Place::Search, &key(KeyCode::Char('G'), KeyModifiers::SHIFT)), Some(Command::Last));
        assert_eq!(command(Place::Search, &key(KeyCode::BackTab, KeyModifiers::SHIFT)), Some(Command::PreviousStage));
        assert_eq!(command(Place::Search, &key(KeyCode::Char('c'), KeyModifiers::CONTROL)), Some(Command::Interrupt));
        assert_eq!(command(Place::Search, &key(KeyCode::Char('7'), none)), Some(Command::Digit));
    }
}
