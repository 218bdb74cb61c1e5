//! The hidden process that keeps a warm interpreter and forks a child for each program.
//!
//! Owns its own life (one thread, locked down, ends with its parent) and the fork. Runs no program itself: that is the
//! child's work, see [`child`]. The parent speaks to it on descriptor 0, which is a socket.

mod child;
mod serve;

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

pub(super) use child::{Channel, LOST};

/// The first argument that makes this program a template.
pub const ARGUMENT: &str = "__template";

/// Runs as a template, if the command line says so. The program's `main` calls this before anything else, and ends
/// with the code if there is one.
///
/// Started by hand, the process locks itself down like any other template, and ends when its input does.
pub fn run_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().as_deref() != Some(OsStr::new(ARGUMENT)) {
        return None;
    }
    let arguments: Vec<OsString> = arguments.collect();
    Some(serve::main(&arguments))
}
