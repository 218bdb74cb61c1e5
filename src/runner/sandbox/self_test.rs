//! The test that the sandbox holds, before a program runs in it.

use super::State;
use crate::runner::Part;

/// Tries what must not work. Returns an error if something did.
pub(super) fn run(state: &State) -> Result<(), String> {
    if state.has(Part::Landlock) || state.has(Part::Seccomp) {
        // SAFETY: the path is a C string; the descriptor is closed at once.
        let opened = unsafe { libc::open(c"/".as_ptr(), libc::O_RDONLY) };
        if opened >= 0 {
            // SAFETY: the descriptor was opened above.
            unsafe { libc::close(opened) };
            return Err("the sandbox did not hold: a folder could be opened".to_owned());
        }
    }
    #[cfg(target_os = "linux")]
    if state.has(Part::Seccomp) {
        for family in [libc::AF_INET, libc::AF_UNIX] {
            // SAFETY: plain numbers; the descriptor is closed at once.
            let socket = unsafe { libc::socket(family, libc::SOCK_STREAM, 0) };
            if socket >= 0 {
                // SAFETY: the descriptor was opened above.
                unsafe { libc::close(socket) };
                return Err("the sandbox did not hold: a socket could be opened".to_owned());
            }
        }
        // The filter must answer before the kernel looks at the arguments, which are wrong on purpose.
        // SAFETY: the kernel reads no memory for a length of 0.
        let connected = unsafe { libc::connect(-1, std::ptr::null(), 0) };
        if connected == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::EPERM) {
            return Err("the sandbox did not hold: a connection could be tried".to_owned());
        }
        // Not `fork` of the C library, which runs handlers: nothing but the bare call, and a bare end if it works.
        // SAFETY: a child, if one comes about, shares nothing and ends at once.
        match unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) } {
            // SAFETY: ends the process without running anything.
            0 => unsafe { libc::_exit(0) },
            -1 => {}
            _ => return Err("the sandbox did not hold: a process could be forked".to_owned()),
        }
    }
    Ok(())
}
