//! Starts the program: the hidden template first, since it must not do anything else.

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = fencepost::runner::template::run_if_asked() {
        return code;
    }
    ExitCode::SUCCESS
}
