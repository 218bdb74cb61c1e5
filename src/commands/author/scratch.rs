//! A private folder for another program to work in, which is gone afterwards, also where the check is interrupted.
//!
//! Owns its making and its end. Must not know what is in it.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// A folder that nobody else can write to. It is gone when this is dropped.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Makes an empty one.
    pub(super) fn new() -> io::Result<Self> {
        interruption::watch()?;
        // Only this user may write what is read there, and a folder that is there already is somebody else's.
        let mut last = io::Error::other("every name is taken");
        for number in 0..100 {
            let path = env::temp_dir().join(format!("fencepost-{}-{number}", std::process::id()));
            let path = std::path::absolute(path)?;
            let mut builder = fs::DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            let mut places = interruption::places();
            match builder.create(&path) {
                Ok(()) => {
                    places.push(path.clone());
                    return Ok(Self(path));
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Where it is, from the root.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays behind is small, and in a folder that the system clears.
        let _ = fs::remove_dir_all(&self.0);
        interruption::places().retain(|place| *place != self.0);
    }
}

/// What happens to the folders when a signal ends this program.
mod interruption {
    use std::path::PathBuf;
    use std::sync::{Mutex, MutexGuard, PoisonError};

    /// The folders that are there.
    static PLACES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

    pub(super) fn places() -> MutexGuard<'static, Vec<PathBuf>> {
        PLACES.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on the signals that end this program remove the folders first. A hang-up is not among them: `nohup` has
    /// it ignored.
    #[cfg(unix)]
    pub(super) fn watch() -> std::io::Result<()> {
        use signal_hook::consts::{SIGINT, SIGTERM};
        static WATCHING: Mutex<bool> = Mutex::new(false);
        let mut watching = WATCHING.lock().unwrap_or_else(PoisonError::into_inner);
        if *watching {
            return Ok(());
        }
        let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
        std::thread::Builder::new().name("interruption".into()).spawn(move || {
            for signal in signals.forever() {
                let mut places = places();
                places.retain(|place| !remove(place));
                // It ends this program.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        })?;
        *watching = true;
        Ok(())
    }

    #[cfg(not(unix))]
    pub(super) fn watch() -> std::io::Result<()> {
        Ok(())
    }

    /// Removes a folder. What works in it was sent the same signal and may still write for a moment.
    #[cfg(unix)]
    fn remove(place: &std::path::Path) -> bool {
        (0..20).any(|_| {
            let gone = std::fs::remove_dir_all(place).is_ok() || !place.exists();
            if !gone {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            gone
        })
    }
}
