//! Journeys through the tutor in a real pseudo-terminal.
//!
//! The child is this test binary itself, started again for the test [`child`]: it plays questions of `fixtures.rs` with a
//! runner and a memory that each journey chooses, also faulty ones.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use fencepost::effects::Memory;
use fencepost::error::Error;
use fencepost::quiz::Quiz;
use fencepost::quiz::action::{Action, Library};
use fencepost::quiz::attempt::Attempt;
use fencepost::quiz::repair::KeptDraft;
use fencepost::quiz::time::Timestamp;
use fencepost::runner::{Chunk, Ending, Event, Handle, Job, Runner, Stream, Verdict};
use fencepost::settings::{Settings, ThemeName};
use fencepost::tui;

use crate::cases::each;
use crate::fixtures::{catalog, engine, late_label, shelf};
use crate::pty::{Pty, Start};

/// Runs nothing, but answers like a runner: the fixed program is the one that returns something.
struct Scripted;

impl Runner for Scripted {
    fn start(&self, job: Job) -> Handle {
        let (events, inbox) = mpsc::channel();
        let end = |verdict| {
            let ending =
                Ending { verdict, detail: String::new(), wall_ms: 1.5, engine: engine(), overloads: Vec::new() };
            Event::Ended(ending)
        };
        if job.source.contains("while True") {
            // Runs until it is stopped.
            return Handle::new(inbox, move || {
                let _ = events.send(end(Verdict::Stopped));
            });
        }
        let text = if job.source.contains("return") { "True False new\n" } else { "from paused old leader\n" };
        let _ = events.send(Event::Output(Chunk { stream: Stream::Stdout, text: text.to_owned() }));
        let _ = events.send(end(Verdict::Finished));
        Handle::new(inbox, || {})
    }
}

struct PanickingRunner;

impl Runner for PanickingRunner {
    fn start(&self, _: Job) -> Handle {
        panic!("the runner fell over")
    }
}

/// Keeps attempts in a file, one line each, as a journey can read it.
struct Diary;

impl Memory for Diary {
    fn record(&mut self, attempt: &Attempt) -> Result<(), Error> {
        let path = std::env::var("JOURNEY_DIARY").unwrap_or("/dev/null".to_owned());
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        let written = file.and_then(|mut file| writeln!(file, "{} {:?}", attempt.question, attempt.kind));
        written.map_err(|source| Error::machinery("the diary cannot be written").because(source))
    }

    fn take_back(&mut self, _: &Attempt, _: Timestamp) -> Result<(), Error> {
        Ok(())
    }

    fn keep_draft(&mut self, _: &KeptDraft) -> Result<(), Error> {
        Ok(())
    }
}

struct PanickingMemory;

impl Memory for PanickingMemory {
    fn record(&mut self, _: &Attempt) -> Result<(), Error> {
        panic!("the memory fell over")
    }

    fn take_back(&mut self, _: &Attempt, _: Timestamp) -> Result<(), Error> {
        panic!("the memory fell over")
    }

    fn keep_draft(&mut self, _: &KeptDraft) -> Result<(), Error> {
        panic!("the memory fell over")
    }
}

/// Reports a library once the pipe `JOURNEY_GATE` is opened and closed by the journey.
fn late_library(report: &dyn Fn(Action)) {
    std::fs::read(std::env::var("JOURNEY_GATE").unwrap()).unwrap();
    let mut more = shelf();
    more.id = "more".to_owned();
    more.title = "A question that came later".to_owned();
    report(Action::Loaded(Library(Arc::new(catalog(vec![more, shelf()])))));
}

/// Plays in the child process of a journey. It does nothing unless a journey asks for it.
#[test]
fn child() {
    let Ok(kind) = std::env::var("JOURNEY") else { return };
    let mut talk = shelf();
    talk.id = "short-talk".to_owned();
    talk.title = "A talk of two seconds".to_owned();
    talk.say.seconds = 2;
    let mut endless = late_label();
    endless.id = "endless".to_owned();
    endless.title = "An endless program".to_owned();
    endless.spot.code = "while True:\n    pass\n".to_owned();
    let quiz = Quiz::new(Arc::new(catalog(vec![talk, shelf(), late_label(), endless])), HashMap::new());
    let runner: Arc<dyn Runner> = match kind.as_str() {
        "panic" => Arc::new(PanickingRunner),
        _ => Arc::new(Scripted),
    };
    let memory: Box<dyn Memory> = match kind.as_str() {
        "panic-elsewhere" => Box::new(PanickingMemory),
        _ => Box::new(Diary),
    };
    let settings =
        Settings { bell: kind != "silent", mouse: kind == "mouse", predict: kind == "predict", theme: ThemeName::Dark };
    let quiz = if kind == "late" { quiz.while_loading() } else { quiz };
    let late: fencepost::effects::Background = match kind.as_str() {
        "late" => Box::new(late_library),
        _ => Box::new(|_| ()),
    };
    let code = match tui::run(quiz, settings, runner, memory, &std::env::temp_dir(), late) {
        Ok(exit) => exit.code(),
        Err(error) => {
            // There may be no terminal left to write to.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            error.exit.code()
        }
    };
    std::process::exit(i32::from(code));
}

fn start(kind: &str) -> Start {
    let program = std::env::current_exe().unwrap();
    Start::new(&program).args(["--exact", "journeys::child", "--nocapture", "--test-threads=1"]).env("JOURNEY", kind)
}

fn play() -> Pty {
    start("plain").pty()
}

#[test]
fn from_the_first_look_to_the_last_word() {
    let home = tempfile::tempdir().unwrap();
    let diary = home.path().join("diary");
    let mut pty = start("plain").env("JOURNEY_DIARY", diary.to_str().unwrap()).pty();
    pty.until("A talk of two seconds").keys("\r").until("Which line lets");
    // A wrong line, the hint, the right line.
    pty.keys("7\r").until("× Line 7 is not the bug").until("the trouble is that nothing reads it");
    pty.keys("h").until("Hint 1 of 1").until("once it has been compared");
    pty.keys("8\r").until("Right: line 8 is the bug. It took 2 picks.").until("if ticket >= self.newest:");
    // Both programs.
    pty.keys("\tr").until("The buggy program prints `from paused old leader`, the fixed program `True False new`.");
    pty.until("RustPython 0.5.0 · Python 3.14.0 · sandbox full · 1.5 ms");
    // A new size in the middle puts the programs side by side.
    pty.resize(120, 40).until("Buggy program finished Fixed program finished");
    pty.resize(80, 24).until_not("finished Fixed program");
    // The timer runs out and rings.
    pty.keys("\t\t").until("Nothing is recorded").keys(" ").until("Speak now.");
    pty.until("Time is up.").until("Which points did you cover?");
    assert_eq!(pty.bells(), 1);
    pty.keys("1").until("[x] A lease ends by itself").keys("jjj ").until("[x] The resource refuses");
    pty.until("2 of 4 covered").keys("\r").until("30-second answer").until("A lease ends on the clock");
    // A follow-up, and out.
    pty.keys("]").until("Deep dive").keys("h").until("Hint: From the service");
    pty.keys("q").until("Last time").until("✓ later").keys("q");
    assert_eq!(pty.end(), 0);
    pty.is_restored();
    let kept = std::fs::read_to_string(&diary).unwrap();
    insta::assert_snapshot!(kept, @r"
    shelves/short-talk Picked { line: LineNo(7), right: false, pick: 1 }
    shelves/short-talk Picked { line: LineNo(8), right: true, pick: 2 }
    shelves/short-talk Said { covered: 2, of: 4 }
    ");
}

#[test]
fn the_first_frame_waits_for_nothing() {
    let home = tempfile::tempdir().unwrap();
    let gate = home.path().join("gate");
    assert!(std::process::Command::new("mkfifo").arg(&gate).status().unwrap().success());
    let mut pty = start("late").env("JOURNEY_GATE", gate.to_str().unwrap()).pty();
    // What comes late cannot have come: it waits for the gate. Keys are answered meanwhile.
    pty.until("Reading the question files").until("A talk of two").keys("\r").until("Which line").keys("q");
    pty.until("Reading the question files").until_not("A question that came later");
    std::fs::write(&gate, "open").unwrap();
    pty.until("A question that came later").until_not("Reading the question files").keys("q");
    assert_eq!(pty.end(), 0);
}

#[test]
fn a_prediction_is_typed_and_pasted_and_no_key_is_lost_to_it() {
    let mut pty = start("predict").pty();
    pty.until("A talk of two").keys("\r").until("Which line").keys("\tr").until("What will the buggy program print?");
    // All of these are keys elsewhere.
    pty.keys("q?m rt]gGh").until("q?m rt]gGh_").keys("\x15").until_not("q?m");
    pty.keys("\x1b[200~from paused\x1b[2J old\x1b[201~").until("from paused[2J old_");
    pty.keys("\x15from paused old leader").until("old leader_").keys("\r");
    pty.until("✓ You predicted what the buggy program prints.").keys("qq");
    assert_eq!(pty.end(), 0);
    pty.is_restored();
}

#[test]
fn the_bell_can_be_turned_off() {
    let mut pty = start("silent").pty();
    pty.until("A talk of two").keys("\r").until("Which line").keys("\t\t\t ").until("Time is up.").keys("qq");
    assert_eq!((pty.end(), pty.bells()), (0, 0));
}

#[test]
fn a_run_without_end_leaves_the_keyboard_alone() {
    let mut pty = play();
    pty.until("An endless").keys("G\r").until("while True").keys("\tr").until("running");
    // Keys are answered while it runs.
    pty.keys("?").until("Stop the run").keys("?").until("r stop");
    pty.keys("r").until("stopped").keys("r").until("running").keys("\x1b").until("stopped");
    // Ctrl-C stops a run first, and ends the tutor then.
    pty.keys("r").until("running").keys("\x03").until("stopped").keys("\x03");
    assert_eq!(pty.end(), 130);
    pty.is_restored();
}

#[test]
fn signals_end_it_and_leave_the_terminal_sane() {
    each([("TERM", 143), ("INT", 130), ("HUP", 129), ("QUIT", 131)], |(signal, code)| {
        let mut pty = start("mouse").pty();
        pty.until("A talk of two").keys("\r").until("Which line");
        assert!(pty.wants_mouse());
        pty.signal(signal);
        assert_eq!(pty.end(), code, "{signal}");
        pty.is_restored();
    });
}

#[test]
fn a_panic_is_told_once_behind_the_restored_screen() {
    let mut pty = start("panic").pty();
    pty.until("A talk of two").keys("\r\t").until("Press r").keys("r");
    assert_eq!(pty.end(), 4);
    pty.is_restored();
    assert_eq!(pty.screen().matches("the runner fell over").count(), 1, "{}", pty.screen());
    assert!(
        pty.screen().contains("internal error: the runner fell over at tests/suite/journeys.rs"),
        "{}",
        pty.screen()
    );
}

#[test]
fn a_panic_in_another_thread_is_told_once_too() {
    let mut pty = start("panic-elsewhere").pty();
    pty.until("A talk of two").keys("\r").until("Which line").keys("8\r");
    assert_eq!(pty.end(), 4);
    pty.is_restored();
    assert_eq!(pty.screen().matches("the memory fell over").count(), 1, "{}", pty.screen());
    assert!(pty.screen().contains("in the thread `memory`"), "{}", pty.screen());
    assert!(pty.screen().contains("the last answers may not be saved"), "{}", pty.screen());
}

#[test]
fn an_answer_that_cannot_be_saved_is_told_and_play_goes_on() {
    let mut pty = start("plain").env("JOURNEY_DIARY", "/dev/null/diary").pty();
    pty.until("A talk of two")
        .keys("\r")
        .until("Which line")
        .keys("8\r")
        .until("! Not saved: the diary cannot be written");
    pty.until("Right, with the first pick").keys("\t").until("Press r").keys("qq");
    assert_eq!(pty.end(), 4);
    pty.is_restored();
    assert!(pty.screen().contains("1 answer could not be saved: the diary cannot be written"), "{}", pty.screen());
}

#[test]
fn an_answer_that_is_lost_is_told_after_a_signal_too() {
    let mut pty = start("plain").env("JOURNEY_DIARY", "/dev/null/diary").pty();
    pty.until("A talk of two").keys("\r").until("Which line").keys("8\r").until("! Not saved");
    pty.signal("TERM");
    assert_eq!(pty.end(), 143);
    pty.is_restored();
    assert!(pty.screen().contains("1 answer could not be saved: the diary cannot be written"), "{}", pty.screen());
}

#[test]
fn a_closed_terminal_ends_it_at_once() {
    // With a controlling terminal the system sends SIGHUP; without one nobody says anything.
    for controlling in [true, false] {
        let mut pty = start("plain").controlling(controlling).pty();
        pty.until("A talk of two");
        let closed = Instant::now();
        let code = pty.close("j");
        assert!(closed.elapsed() < Duration::from_secs(1), "{controlling}: {:?}", closed.elapsed());
        assert_eq!(code, 129, "{controlling}");
    }
}

#[test]
fn the_shell_is_one_key_away() {
    let program = std::env::current_exe().unwrap();
    let mut pty = Start::new("/bin/sh".as_ref()).args(["-i"]).env("PS1", "$ ").env("JOURNEY", "mouse").pty();
    pty.until("$");
    pty.keys(&format!("'{}' --exact journeys::child --nocapture --test-threads=1\r", program.display()));
    pty.until("A talk of two").keys("\r").until("Which line").keys("\x1a").until("Stopped");
    pty.is_restored();
    pty.keys("echo back $((40+2))\r").until("back 42").keys("fg\r").until("Which line").until("Enter answer");
    assert!(pty.wants_mouse());
    pty.keys("h").until("Hint 1 of 1").keys("qq").until_not("Hint 1").until("$");
    pty.keys("exit\r");
    pty.end();
}

#[test]
fn where_no_shell_waits_ctrl_z_says_so() {
    // A terminal that runs nothing but the tutor, by itself or through a shell without job control.
    let alone = play();
    let program = std::env::current_exe().unwrap().display().to_string();
    let command = format!("'{program}' --exact journeys::child --nocapture --test-threads=1; exit $?");
    let through_a_shell = Start::new("/bin/sh".as_ref()).args(["-c", &command]).env("JOURNEY", "plain").pty();
    for mut pty in [alone, through_a_shell] {
        pty.until("A talk of two").keys("\r").until("Which line").keys("\x1a").until("! Ctrl-Z does nothing here");
        pty.keys("h").until("Hint 1 of 1").until_not("Ctrl-Z does").keys("qq");
        assert_eq!(pty.end(), 0);
        pty.is_restored();
    }
}

#[test]
fn stopped_from_outside_it_draws_everything_again() {
    let mut pty = play();
    pty.until("A talk of two").keys("\r").until("Which line");
    pty.signal("STOP");
    pty.resize(100, 30).signal("CONT");
    pty.until("Enter answer").keys("h").until("Hint 1 of 1").keys("qq");
    assert_eq!(pty.end(), 0);
}

#[test]
fn a_paste_presses_no_keys() {
    let mut pty = play();
    pty.until("A talk of two").keys("\r").until("Which line");
    pty.keys(&format!("\x1b[200~aqq\x1b[2J\u{202e}{}\x1b[201~", "q".repeat(1 << 20)));
    pty.keys("h").until("Hint 1 of 1").keys("qq");
    assert_eq!(pty.end(), 0);
}

#[test]
fn a_thousand_sizes_do_not_shake_it() {
    let mut pty = play();
    pty.until("A talk of two").keys("\r").until("Which line").keys("?");
    for step in 0..1000_u16 {
        pty.resize(1 + step % 150, 1 + step % 50);
    }
    pty.resize(80, 24).until("In the stage Spot").keys("?").until("Which line").keys("qq");
    assert_eq!(pty.end(), 0);
}

#[test]
fn no_bytes_from_the_keyboard_break_it() {
    let mut seed = 2026_u64;
    let mut pty = play();
    pty.until("A talk of two");
    for _ in 0..200 {
        let bytes: Vec<u8> = (0..100)
            .map(|_| {
                // xorshift64 (Marsaglia, 2003)
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                (seed & 0xff) as u8
            })
            // Keys that leave or stop it on purpose.
            .filter(|byte| !matches!(byte, b'q' | 0x03 | 0x1a))
            .collect();
        pty.bytes(&bytes);
    }
    pty.signal("TERM");
    assert_eq!(pty.end(), 143, "{}", pty.screen());
    pty.is_restored();
}
