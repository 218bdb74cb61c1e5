//! The hidden process that keeps a warm interpreter and forks a child for each program.
//!
//! It has one thread, is locked down, and ends with its parent. The child runs the program: see [`child`]. The parent writes to
//! a socket on descriptor 0.

mod child;
mod serve;

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

pub(super) use child::{Channel, LOST};

/// The first argument that makes this program a template.
pub const ARGUMENT: &str = "__template";

/// Runs as a template if the command line asks for one, and returns the exit code. `main` must call this first.
///
/// Started by hand, the process locks itself down like any other template, and ends with its input.
pub fn run_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().as_deref() != Some(OsStr::new(ARGUMENT)) {
        return None;
    }
    let arguments: Vec<OsString> = arguments.collect();
    Some(serve::main(&arguments))
}
