//! Stops this job for Ctrl-Z, if a shell can continue it.
//!
//! Ctrl-Z stops every process of this job, so that the shell takes over even when something else started us, as `cargo run`
//! does. Where no shell could continue the job, it must not be stopped, or it would hang for good.

use std::io;

/// Stops every process of this job until something continues it.
#[cfg(unix)]
pub(super) fn stop() -> io::Result<()> {
    use crate::runner::starting;
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    starting::between_starts(|| kill(Pid::from_raw(0), Signal::SIGSTOP).map_err(io::Error::from))
}

#[cfg(not(unix))]
pub(super) fn stop() -> io::Result<()> {
    Ok(())
}

/// True if a shell with job control started this job, so that it can continue it. It did not under `ssh -t HOST
/// fencepost` and `xterm -e fencepost`, where the job is the one of the session's leader, nor where the shell is gone:
/// POSIX calls such jobs orphaned process groups.
#[cfg(unix)]
pub(super) fn can_be_continued() -> bool {
    use nix::unistd::{getpgid, getpid, getppid, getsid};
    let (Ok(session), Ok(group)) = (getsid(None), getpgid(None)) else { return false };
    if group == session {
        return false;
    }
    // Where something else leads the job, as `cargo run` does, its parent cannot be asked for, and is most likely a shell.
    group != getpid() || getsid(Some(getppid())) == Ok(session)
}

#[cfg(not(unix))]
pub(super) fn can_be_continued() -> bool {
    false
}
