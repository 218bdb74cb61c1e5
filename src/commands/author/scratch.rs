//! A private folder for another program to work in, which is gone afterwards, also where the check is interrupted.
//!
//! Makes and removes it.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use super::interruption;

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
