//! Keeps the start of a process and the stop of the whole job (Ctrl-Z) apart.
//!
//! A child that is stopped before `exec` blocks the thread that started it, which then cannot stop: the shell would never
//! learn that the job has stopped, and the terminal would hang. While an editor has the terminal, the terminal itself can
//! still stop the job at such a moment.

use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

static STARTING: Mutex<()> = Mutex::new(());

/// Starts `command`. Returns after its `exec`, or its failure.
///
/// # Errors
///
/// Those of [`Command::spawn`].
pub(crate) fn start(command: &mut Command) -> io::Result<Child> {
    let _one_at_a_time = hold();
    command.spawn()
}

/// Runs `stop` while no process is being started.
pub(crate) fn between_starts<T>(stop: impl FnOnce() -> T) -> T {
    let _nothing_starts = hold();
    stop()
}

fn hold() -> MutexGuard<'static, ()> {
    STARTING.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_is_to_start_during_a_stop_starts_after_it() {
        let (ready, is_ready) = mpsc::channel();
        let (started, is_started) = mpsc::channel();
        let starting = between_starts(|| {
            let starting = thread::spawn(move || {
                ready.send(()).unwrap();
                let status = start(&mut Command::new("true")).unwrap().wait().unwrap();
                started.send(status.success()).unwrap();
            });
            is_ready.recv().unwrap();
            assert!(STARTING.try_lock().is_err() && is_started.try_recv().is_err());
            starting
        });
        assert!(is_started.recv().unwrap());
        starting.join().unwrap();
    }
}
