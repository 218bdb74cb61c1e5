//! Standard output when its reader has gone, or when it cannot be written to.

use std::io;

use crate::error::Error;

/// Reports that standard output cannot be written to.
pub fn failed(why: io::Error) -> Error {
    Error::machinery("cannot write to standard output").because(why)
}

/// Turns the result of a write into that of a command. A reader that has gone, as in `fencepost list | head -1`, is no
/// error.
///
/// # Errors
///
/// The write failed for another reason.
pub fn written(outcome: io::Result<()>) -> Result<(), Error> {
    match outcome {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(failed(error)),
        _ => Ok(()),
    }
}
