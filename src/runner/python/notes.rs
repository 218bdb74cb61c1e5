//! Notes of what a program does while they are taken. They are out of its reach.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rustpython::vm::VirtualMachine;

use super::code::PROGRAM;

pub(super) struct Notes {
    is_on: AtomicBool,
    noted: Mutex<Vec<String>>,
}

impl Notes {
    pub(super) const fn new() -> Self {
        Self { is_on: AtomicBool::new(false), noted: Mutex::new(Vec::new()) }
    }

    pub(super) fn begin(&self) {
        self.end();
        self.is_on.store(true, Ordering::SeqCst);
    }

    /// Stops, and returns what was noted.
    pub(super) fn end(&self) -> Vec<String> {
        self.is_on.store(false, Ordering::SeqCst);
        std::mem::take(&mut *self.noted.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// True if notes are taken and the code that runs is the program's own.
    pub(super) fn takes(&self, vm: &VirtualMachine) -> bool {
        self.is_on.load(Ordering::Relaxed)
            && vm.current_frame().is_some_and(|frame| frame.code.source_path().as_str() == PROGRAM)
    }

    pub(super) fn add(&self, note: &str) {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).push(note.to_owned());
    }
}
