//! Entry point. The hidden template is tried first, since that process must do nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    fencepost::runner::template::run_if_asked().unwrap_or_else(|| fencepost::run().into())
}
