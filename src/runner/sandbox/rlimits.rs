//! Resource limits, and giving up what would lift them.

use std::io;

use super::check;

/// The reason why memory has no limit if the kernel does not say how much a process has.
const SIZE_UNKNOWN: &str = "memory has no limit, because `/proc/self/statm` cannot be read";

#[cfg(target_os = "linux")]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(target_os = "linux"))]
type Resource = libc::c_int;

/// Sets the limits that templates and children share.
pub(super) fn shared() -> Result<(), String> {
    let set_all = || {
        #[cfg(target_os = "linux")]
        super::capabilities::drop_all()?;
        // SAFETY: installs no handler. A write beyond a limit then fails instead of ending the process.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
        set(libc::RLIMIT_CORE as _, 0)?;
        set(libc::RLIMIT_FSIZE as _, 0)?;
        set(libc::RLIMIT_NOFILE as _, 64)?;
        #[cfg(target_os = "linux")]
        {
            set(libc::RLIMIT_MEMLOCK as _, 0)?;
            set(libc::RLIMIT_MSGQUEUE as _, 0)?;
        }
        Ok(())
    };
    set_all().map_err(in_words)
}

/// Limits the address space, in bytes, and the processor time, in seconds.
pub(super) fn of_program(address_space: Option<u64>, cpu: u64) -> Result<(), String> {
    let memory = match of_address_space(address_space) {
        Ok(Some(bytes)) => set(libc::RLIMIT_AS as _, bytes).map_err(in_words),
        Ok(None) => Ok(()),
        Err(reason) => Err(reason),
    };
    // Also where memory cannot be limited.
    set_pair(libc::RLIMIT_CPU as _, cpu, cpu.saturating_add(1)).map_err(in_words)?;
    memory
}

/// The limit on address space to set, if this system has one; else why memory stays without a limit.
pub(super) fn of_address_space(bytes: Option<u64>) -> Result<Option<u64>, String> {
    match bytes {
        // macOS accepts no limit on address space.
        _ if !cfg!(target_os = "linux") => Ok(None),
        Some(bytes) => Ok(Some(bytes)),
        None => Err(SIZE_UNKNOWN.to_owned()),
    }
}

pub(super) fn set(resource: Resource, value: u64) -> io::Result<()> {
    set_pair(resource, value, value)
}

/// Sets a limit, or leaves what is stricter already.
fn set_pair(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
    let hard = hard.min(get(resource)?.rlim_max);
    let wanted = libc::rlimit { rlim_cur: soft.min(hard), rlim_max: hard };
    // SAFETY: `wanted` is read, not kept.
    check(unsafe { libc::setrlimit(resource, &raw const wanted) })
}

pub(super) fn get(resource: Resource) -> io::Result<libc::rlimit> {
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `now` is a valid place for the answer.
    check(unsafe { libc::getrlimit(resource, &raw mut now) })?;
    Ok(now)
}

pub(super) fn in_words(error: io::Error) -> String {
    format!("the system refused them: {error}")
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::super::State;
    use super::*;
    use crate::runner::{Level, Missing, Part};

    #[test]
    fn a_size_that_is_not_known_is_no_limit_on_memory() {
        let missing = State::default().with_size(None);
        assert_eq!(missing.missing, [Missing { part: Part::Limits, reason: SIZE_UNKNOWN.to_owned() }]);
        assert_eq!((missing.level(), missing.cpython_level()), (Level::None, Level::None));
        assert_eq!(State::default().with_size(Some(1 << 30)).level(), Level::Full);
        assert_eq!(of_address_space(Some(7)), Ok(Some(7)));
        // Limits that are missing already are not listed a second time.
        assert_eq!(missing.with_size(None), missing);
        assert_eq!(of_program(None, u64::MAX), Err(SIZE_UNKNOWN.to_owned()));
    }
}
