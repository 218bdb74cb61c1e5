//! The end of a session of plain lines: answers that could not be saved are listed, whatever ended it.

use std::collections::HashMap;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::sync::{Arc, mpsc};

use fencepost::effects::Memory;
use fencepost::error::{Error, Exit};
use fencepost::plain::{self, World};
use fencepost::quiz::Quiz;
use fencepost::quiz::attempt::Attempt;
use fencepost::quiz::repair::{KeptDraft, Repairs};
use fencepost::quiz::time::Timestamp;
use fencepost::quiz::{Action, update};
use fencepost::runner::{Handle, Job, Runner};

use crate::fixtures::{catalog, shelf};

struct NoRunner;

impl Runner for NoRunner {
    fn start(&self, _: Job) -> Handle {
        Handle::new(mpsc::channel().1, || {})
    }
}

/// A disk that is full.
struct Full;

fn full() -> Result<(), Error> {
    Err(Error::machinery("the disk is full"))
}

impl Memory for Full {
    fn record(&mut self, _: &Attempt) -> Result<(), Error> {
        full()
    }

    fn take_back(&mut self, _: &Attempt, _: Timestamp) -> Result<(), Error> {
        full()
    }

    fn keep_draft(&mut self, _: &KeptDraft) -> Result<(), Error> {
        full()
    }
}

/// Lines, and then an error.
struct Torn<'a>(&'a [u8]);

impl Read for Torn<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() { Err(io::Error::other("the cable is torn")) } else { self.0.read(buffer) }
    }
}

/// Takes everything up to these words, and then nothing more.
struct Until(&'static str);

impl Write for Until {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let found = String::from_utf8_lossy(bytes).contains(self.0);
        if found { Err(io::Error::other("no room")) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn play(lines: &'static str, out: &mut impl Write) -> Result<Exit, Error> {
    let catalog = catalog(vec![shelf()]);
    let name = catalog.questions[0].name.clone();
    let mut quiz = Quiz::new(Arc::new(catalog), HashMap::new());
    update(&mut quiz, Action::Repairs(Repairs::default()));
    update(&mut quiz, Action::Open(name));
    let world = World {
        runner: Arc::new(NoRunner),
        memory: Box::new(Full),
        drafts: Path::new("/nonexistent"),
        edit: &|_| Ok(()),
        background: Box::new(|_| ()),
        prompt: false,
        width: None,
    };
    plain::run(quiz, world, BufReader::new(Torn(lines.as_bytes())), out)
}

const LOST: &str = "1 answer could not be saved: the disk is full";

#[test]
fn a_lost_answer_is_told_after_every_end() {
    let left = play("8\nquit\n", &mut Vec::new()).unwrap_err();
    assert_eq!(left.message, LOST);
    let torn = play("8\n", &mut Vec::new()).unwrap_err();
    assert_eq!(torn.message, format!("cannot read from standard input; {LOST}"));
    let unheard = play("8\nquit\n", &mut Until("Right: line 8")).unwrap_err();
    assert_eq!(unheard.message, format!("cannot write to standard output; {LOST}"));
}
