//! The event loop, driven through its one channel, with a backend that draws into memory.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};

use fencepost::effects::{Effects, Memory};
use fencepost::error::{Error, Exit};
use fencepost::quiz::attempt::Attempt;
use fencepost::quiz::repair::KeptDraft;
use fencepost::quiz::time::Timestamp;
use fencepost::quiz::{Action, Stage, update};
use fencepost::runner::{Event as Ran, Handle, Job, Runner, Verdict};
use fencepost::settings::ThemeName;
use fencepost::tui::Front;
use fencepost::tui::input::Event;
use fencepost::tui::terminal::Tty;
use fencepost::tui::theme::Theme;
use fencepost::tui::ui::Ui;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{Event as TerminalEvent, KeyCode, KeyEvent, KeyModifiers};

use crate::fixtures::{ended, quiz, shelf, stepped};

struct NoRunner;

impl Runner for NoRunner {
    fn start(&self, _: Job) -> Handle {
        Handle::new(mpsc::channel().1, || {})
    }
}

/// Keeps attempts where the test sees them.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<Attempt>>>);

impl Memory for Seen {
    fn record(&mut self, attempt: &Attempt) -> Result<(), Error> {
        self.0.lock().unwrap().push(attempt.clone());
        Ok(())
    }

    fn take_back(&mut self, _: &Attempt, _: Timestamp) -> Result<(), Error> {
        Ok(())
    }

    fn keep_draft(&mut self, _: &KeptDraft) -> Result<(), Error> {
        Ok(())
    }
}

/// Writes down what the loop asks of the terminal.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Vec<String>>>);

impl Asked {
    fn note(&self, what: &str) -> io::Result<()> {
        self.0.lock().unwrap().push(what.to_owned());
        Ok(())
    }
}

impl Tty for Asked {
    fn mouse(&mut self, on: bool) -> io::Result<()> {
        self.note(if on { "mouse on" } else { "mouse off" })
    }

    fn bell(&mut self) -> io::Result<()> {
        self.note("bell")
    }

    fn can_be_continued(&self) -> bool {
        true
    }

    fn suspend(&mut self, _: bool) -> io::Result<()> {
        self.note("suspend")
    }

    fn edit(&mut self, path: &Path, _: bool) -> Result<(), String> {
        self.note("edit").unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        std::fs::write(path, text.replace("label)", "label[:9])")).unwrap();
        Ok(())
    }

    fn retake(&mut self, _: bool) -> io::Result<()> {
        self.note("retake")
    }

    fn is_gone(&self) -> bool {
        false
    }
}

/// The result of a session.
struct Played {
    exit: Exit,
    frames: usize,
    asked: Vec<String>,
    kept: usize,
    terminal_events: usize,
}

/// Plays the events, all of which are there before the loop looks.
fn play(events: impl FnOnce(&Sender<Event>)) -> Played {
    let (sender, inbox) = mpsc::channel();
    events(&sender);
    drop(sender);
    let (seen, asked) = (Seen::default(), Asked::default());
    let effects = Effects::new(Arc::new(NoRunner), Box::new(seen.clone()), |_| {}).unwrap();
    let ui = Ui::new(quiz(vec![shelf()]), Theme::new(ThemeName::Dark, false), false);
    let terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    let mut front =
        Front { terminal, tty: asked.clone(), ui, effects: &effects, bell: true, drafts: PathBuf::new(), worker: None };
    front.draw().unwrap();
    let read = std::cell::Cell::new(0);
    let exit = front.play(&inbox, || read.set(read.get() + 1)).unwrap();
    let frames = front.terminal.get_frame().count() - 1;
    effects.finish(std::time::Duration::from_secs(10)).unwrap();
    let asked = asked.0.lock().unwrap().clone();
    let kept = seen.0.lock().unwrap().len();
    Played { exit, frames, asked, kept, terminal_events: read.get() }
}

fn key(c: char) -> Event {
    control(c, KeyModifiers::NONE)
}

fn control(c: char, modifiers: KeyModifiers) -> Event {
    let code = if c == '\r' { KeyCode::Enter } else { KeyCode::Char(c) };
    Event::Terminal(TerminalEvent::Key(KeyEvent::new(code, modifiers)))
}

#[test]
fn an_event_that_changes_nothing_draws_nothing() {
    let played = play(|events| {
        for event in [key('z'), Event::Terminal(TerminalEvent::Paste("q".to_owned()))] {
            events.send(event).unwrap();
        }
    });
    assert_eq!((played.exit, played.frames, played.terminal_events), (Exit::Done, 0, 2));
}

#[test]
fn many_events_at_once_are_one_frame() {
    let played = play(|events| {
        for _ in 0..100 {
            events.send(Event::Action(Action::Saved)).unwrap();
            events.send(Event::Resized).unwrap();
        }
    });
    assert_eq!(played.frames, 1);
}

#[test]
fn steps_are_drawn_when_their_end_comes() {
    let frames = |steps: &[Action]| {
        play(|events| {
            "\r\tt".chars().for_each(|c| events.send(if c == '\t' { tab() } else { key(c) }).unwrap());
            // More than the loop takes in before it looks whether to draw.
            (0..3000).for_each(|_| steps.iter().for_each(|step| events.send(Event::Action(step.clone())).unwrap()));
        })
        .frames
    };
    let keys = frames(&[]);
    let steps = stepped(1, "call <module>:1 0");
    assert_eq!(frames(&steps), keys, "steps alone draw nothing");
    let done = play(|events| {
        "\r\tt".chars().for_each(|c| events.send(if c == '\t' { tab() } else { key(c) }).unwrap());
        (0..300).for_each(|_| steps.iter().for_each(|step| events.send(Event::Action(step.clone())).unwrap()));
        events.send(Event::Action(ended(1, Verdict::Finished, ""))).unwrap();
    });
    assert_eq!(done.frames, keys + 1, "the end draws them all");
}

fn tab() -> Event {
    Event::Terminal(TerminalEvent::Key(KeyEvent::new(KeyCode::Tab, KeyModifiers::NONE)))
}

#[test]
fn an_answer_is_kept_before_the_loop_is_over() {
    let played = play(|events| "\r8\rqq".chars().for_each(|c| events.send(key(c)).unwrap()));
    assert_eq!((played.exit, played.kept), (Exit::Done, 1));
}

#[test]
fn the_terminal_is_asked_for_what_only_it_can_do() {
    let played = play(|events| {
        events.send(key('m')).unwrap();
        events.send(control('z', KeyModifiers::CONTROL)).unwrap();
        events.send(Event::Continued).unwrap();
        events.send(key('m')).unwrap();
        events.send(Event::Stop).unwrap();
        events.send(Event::End(15)).unwrap();
    });
    assert_eq!(played.asked, ["mouse on", "suspend", "retake", "mouse off", "suspend"]);
    assert_eq!(played.exit, Exit::Signal(15));
}

#[test]
fn a_repair_goes_to_the_learners_own_editor_and_comes_back() {
    let home = tempfile::tempdir().unwrap();
    let (sender, inbox) = mpsc::channel();
    let effects = Effects::new(Arc::new(NoRunner), Box::new(Seen::default()), |_| {}).unwrap();
    let asked = Asked::default();
    let ui = Ui::new(quiz(vec![shelf()]), Theme::new(ThemeName::Dark, false), false);
    let terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    let drafts = home.path().to_owned();
    let mut front = Front { terminal, tty: asked.clone(), ui, effects: &effects, bell: true, drafts, worker: None };
    for event in [key('\r'), key(']'), key(']'), key('e'), Event::End(15)] {
        sender.send(event).unwrap();
    }
    assert_eq!(front.play(&inbox, || {}).unwrap(), Exit::Signal(15));
    assert_eq!(*asked.0.lock().unwrap(), ["edit"]);
    let repair = front.ui.quiz.sitting().unwrap().repair();
    assert!(repair.text().ends_with("print(shelf.label[:9])\n"), "{}", repair.text());
    assert!(repair.is_running(), "the checks run when the text comes back");
    effects.finish(std::time::Duration::from_secs(10)).unwrap();
}

#[test]
fn every_way_out_has_its_exit() {
    let exit = |event| play(|events| events.send(event).unwrap()).exit;
    assert_eq!(exit(key('q')), Exit::Done);
    assert_eq!(exit(control('c', KeyModifiers::CONTROL)).code(), 130);
    assert_eq!(exit(Event::Gone).code(), 129);
    assert_eq!(exit(Event::End(1)).code(), 129);
    assert_eq!(exit(Event::Panicked).code(), 4);
}

#[test]
fn a_countdown_that_is_over_wakes_the_loop_and_rings() {
    let mut question = shelf();
    question.say.seconds = 1;
    let (sender, inbox) = mpsc::channel();
    let (asked, seen) = (Asked::default(), Seen::default());
    let effects = Effects::new(Arc::new(NoRunner), Box::new(seen), |_| {}).unwrap();
    let mut quiz = quiz(vec![question]);
    update(&mut quiz, Action::Time(effects.now()));
    for action in [Action::OpenAt(0), Action::Go(Stage::Say), Action::Timer] {
        update(&mut quiz, action);
    }
    let ui = Ui::new(quiz, Theme::new(ThemeName::Dark, false), false);
    let terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    let mut front =
        Front { terminal, tty: asked.clone(), ui, effects: &effects, bell: true, drafts: PathBuf::new(), worker: None };
    std::thread::scope(|scope| {
        let asked = asked.clone();
        scope.spawn(move || {
            // The loop has nothing to do but to wake up by itself.
            while asked.0.lock().unwrap().is_empty() {
                std::thread::yield_now();
            }
            sender.send(Event::End(15)).unwrap();
        });
        assert_eq!(front.play(&inbox, || {}).unwrap(), Exit::Signal(15));
    });
    assert_eq!(*asked.0.lock().unwrap(), ["bell"]);
}

#[test]
fn a_runner_that_goes_away_ends_its_run() {
    let (sender, reports) = mpsc::channel();
    let deliver = move |action| sender.send(action).unwrap();
    let effects = Effects::new(Arc::new(NoRunner), Box::new(Seen::default()), deliver).unwrap();
    let mut quiz = quiz(vec![shelf()]);
    for action in [Action::OpenAt(0), Action::Go(Stage::Run)] {
        update(&mut quiz, action);
    }
    for effect in update(&mut quiz, Action::Run) {
        assert_eq!(effects.perform(effect), None);
    }
    let ended = reports.recv().unwrap();
    let Action::Ran(_, Ran::Ended(ending)) = &ended else { panic!("{ended:?}") };
    assert_eq!(ending.verdict, Verdict::MachineryFailed);
    assert_eq!(ending.detail, "The runner went away in the middle of the program.");
    update(&mut quiz, ended);
    assert!(!quiz.sitting().unwrap().is_running());
    effects.finish(std::time::Duration::from_secs(10)).unwrap();
}

/// The loop takes events in portions. None may fall between two of them, or its thread waits for ever.
#[test]
fn no_event_is_lost_however_many_there_are() {
    for before in [0, 254, 255, 256, 257, 511, 512] {
        let played = play(|events| {
            for _ in 0..before {
                events.send(key('z')).unwrap();
            }
            events.send(key('m')).unwrap();
        });
        assert_eq!((played.terminal_events, played.asked), (before + 1, vec!["mouse on".to_owned()]), "{before}");
    }
}
