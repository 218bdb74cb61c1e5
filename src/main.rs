//! The program `fencepost`: the hidden template first, since that process must not do anything else; then the command
//! line. Nothing else lives here.

use std::process::ExitCode;

fn main() -> ExitCode {
    fencepost::runner::template::run_if_asked().unwrap_or_else(|| fencepost::run().into())
}
