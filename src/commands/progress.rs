//! Progress bar on standard error, if that is a terminal. Clear it before other output.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::commands::terminal;

/// Columns of the bar.
const WIDTH: usize = 30;

/// Progress of work on several threads.
pub(super) struct Progress {
    shown: bool,
    what: Mutex<&'static str>,
    all: AtomicUsize,
    done: AtomicUsize,
}

impl Progress {
    /// Creates a bar without work.
    pub(super) fn new() -> Self {
        let shown = io::stderr().is_terminal() && !terminal::is_dumb();
        Self { shown, what: Mutex::new(""), all: AtomicUsize::new(0), done: AtomicUsize::new(0) }
    }

    /// Starts work of `all` steps.
    pub(super) fn begin(&self, what: &'static str, all: usize) {
        *self.what.lock().unwrap_or_else(PoisonError::into_inner) = what;
        self.all.store(all, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.draw(0);
    }

    /// Counts a finished step.
    pub(super) fn step(&self) {
        self.draw(self.done.fetch_add(1, Ordering::Relaxed) + 1);
    }

    /// Clears the line.
    pub(super) fn clear(&self) {
        if self.shown {
            let _ = io::stderr().lock().write_all(b"\r\x1b[K");
        }
    }

    fn draw(&self, done: usize) {
        if !self.shown {
            return;
        }
        let what = self.what.lock().unwrap_or_else(PoisonError::into_inner);
        let all = self.all.load(Ordering::Relaxed);
        // One write, so that no other output comes in between.
        let _ = io::stderr().lock().write_all(bar(&what, done, all).as_bytes());
    }
}

fn bar(what: &str, done: usize, all: usize) -> String {
    let full = (WIDTH * done).checked_div(all).unwrap_or(0).min(WIDTH);
    format!("\r{what} [{}{}] {done}/{all}\x1b[K", "#".repeat(full), "-".repeat(WIDTH - full))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills_from_left_to_right() {
        assert_eq!(bar("proving", 0, 0), "\rproving [------------------------------] 0/0\x1b[K");
        assert_eq!(bar("grading", 1, 3), "\rgrading [##########--------------------] 1/3\x1b[K");
        assert_eq!(bar("grading", 3, 3), "\rgrading [##############################] 3/3\x1b[K");
    }
}
