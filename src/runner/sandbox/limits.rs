//! Resource limits.

use std::io;

/// Reason for a missing limit on memory.
pub(super) const SIZE_UNKNOWN: &str = "memory has no limit, because `/proc/self/statm` cannot be read";

/// Limits memory, by the address space of this process.
pub(super) fn limit_address_space(bytes: Option<u64>) -> Result<(), String> {
    match space_to_limit(bytes)? {
        Some(bytes) => limit(libc::RLIMIT_AS as _, bytes).map_err(in_words),
        None => Ok(()),
    }
}

/// Returns the limit to set, if this system has one. Fails if the size of the process is unknown.
pub(super) fn space_to_limit(bytes: Option<u64>) -> Result<Option<u64>, String> {
    match bytes {
        // macOS accepts no limit on address space.
        _ if !cfg!(target_os = "linux") => Ok(None),
        Some(bytes) => Ok(Some(bytes)),
        None => Err(SIZE_UNKNOWN.to_owned()),
    }
}

pub(super) fn shared_limits() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    super::capabilities::drop_all()?;
    // SAFETY: installs no handler. A write beyond a limit then fails instead of ending the process.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    limit(libc::RLIMIT_CORE as _, 0)?;
    limit(libc::RLIMIT_FSIZE as _, 0)?;
    limit(libc::RLIMIT_NOFILE as _, 64)?;
    #[cfg(target_os = "linux")]
    {
        limit(libc::RLIMIT_MEMLOCK as _, 0)?;
        limit(libc::RLIMIT_MSGQUEUE as _, 0)?;
    }
    Ok(())
}

#[cfg(target_os = "linux")]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(target_os = "linux"))]
type Resource = libc::c_int;

pub(super) fn limit(resource: Resource, value: u64) -> io::Result<()> {
    limit_pair(resource, value, value)
}

/// Sets a limit, or leaves what is stricter already.
pub(super) fn limit_pair(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `now` is a valid place for the answer.
    check(unsafe { libc::getrlimit(resource, &raw mut now) })?;
    let hard = hard.min(now.rlim_max);
    let wanted = libc::rlimit { rlim_cur: soft.min(hard), rlim_max: hard };
    // SAFETY: `wanted` is read, not kept.
    check(unsafe { libc::setrlimit(resource, &raw const wanted) })
}

/// Closes every descriptor from `first` on.
pub(in crate::runner) fn close_from(first: u32) {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: plain numbers. No object of this process owns a descriptor in that range, see the callers.
        if unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0) } == 0 {
            return;
        }
    }
    // Older kernels: one by one, as far as descriptors can go.
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `now` is a valid place for the answer.
    let last = match check(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE as _, &raw mut now) }) {
        Ok(()) => u32::try_from(now.rlim_cur).unwrap_or(u32::MAX).min(1 << 16),
        Err(_) => 1 << 10,
    };
    for descriptor in first..last {
        // SAFETY: as above.
        unsafe { libc::close(descriptor.cast_signed()) };
    }
}

pub(super) fn check(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

pub(super) fn in_words(error: io::Error) -> String {
    format!("the system refused them: {error}")
}
