//! Whether standard output was open when the program began, as in `fencepost list >&-`.
//!
//! Rust's runtime opens `/dev/null` in the place of a standard stream that is closed, so that in `main` nothing tells the
//! one from the other: neither that it is `/dev/null`, nor that it may be read, which some callers give as well. So this
//! looks before the runtime does. The loader calls what stands in `.init_array` first; the runtime takes the arguments
//! of the program in the same way.

#![cfg_attr(target_os = "linux", expect(unsafe_code, reason = "what the loader calls first has no safe form"))]

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Error;

static CLOSED: AtomicBool = AtomicBool::new(false);

/// Makes sure that what is written can arrive somewhere.
///
/// # Errors
///
/// Standard output was closed when the program began. Where nobody looked then, it was not.
pub fn must_be_open() -> Result<(), Error> {
    if CLOSED.load(Ordering::Relaxed) { Err(failed("it is closed")) } else { Ok(()) }
}

/// The error that standard output cannot be written to.
pub fn failed(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::machinery("cannot write to standard output").because(why)
}

/// What came of writing. A reader that has gone, as in `fencepost list | head -1`, is no error.
///
/// # Errors
///
/// It could not be written for another reason.
pub fn written(outcome: io::Result<()>) -> Result<(), Error> {
    match outcome {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(failed(error)),
        _ => Ok(()),
    }
}

#[cfg(target_os = "linux")]
mod early {
    use super::{CLOSED, Ordering};

    #[used]
    // SAFETY: the section holds addresses of functions that the loader calls one after the other, and this is one.
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;

    extern "C" fn look() {
        // SAFETY: the call takes a number and a question, and changes nothing. It fails where the number is not open.
        let there = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } != -1;
        CLOSED.store(!there, Ordering::Relaxed);
    }
}
