//! Ends other programs and removes folders when a signal ends this one.
//!
//! Keeps the list of both.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fs, io, thread};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// The folders that are there.
static PLACES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The groups of processes that run. Whoever waits for the end of one holds this, so that no number is another's yet.
static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

pub(super) fn places() -> MutexGuard<'static, Vec<PathBuf>> {
    PLACES.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn groups() -> MutexGuard<'static, Vec<Pid>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on the signals that end this program end the groups and remove the folders first.
pub(super) fn watch() -> io::Result<()> {
    static WATCHING: Mutex<bool> = Mutex::new(false);
    let mut watching = WATCHING.lock().unwrap_or_else(PoisonError::into_inner);
    if *watching {
        return Ok(());
    }
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    if !ignores_hang_up() {
        signals.add_signal(SIGHUP)?;
    }
    thread::Builder::new().name("interruption".into()).spawn(move || {
        for signal in signals.forever() {
            // Held until the end, so that nothing new begins.
            let groups = groups();
            for group in groups.iter() {
                let _ = killpg(*group, Signal::SIGKILL);
            }
            let mut places = places();
            places.retain(|place| !remove(place));
            // It ends this program.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    })?;
    *watching = true;
    Ok(())
}

/// Whether a hang-up is to be ignored, as `nohup` has it. Where that cannot be told, it stays as it is.
fn ignores_hang_up() -> bool {
    let Ok(status) = fs::read_to_string("/proc/self/status") else { return true };
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_none_or(|mask| mask & 1 == 1)
}

/// Removes a folder. What works in it was ended and may still write for a moment.
fn remove(place: &Path) -> bool {
    (0..20).any(|_| {
        let gone = fs::remove_dir_all(place).is_ok() || !place.exists();
        if !gone {
            thread::sleep(Duration::from_millis(10));
        }
        gone
    })
}
