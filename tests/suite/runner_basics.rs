//! The runner's daily work: output, exceptions, exits and checks.

use fencepost::runner::{CheckOutcome, Level, Verdict};

use crate::runner_programs::{check, job, run, run_job};

#[test]
fn a_program_runs_to_its_end() {
    let report = run("print('hello')");
    assert_eq!(report.stdout(), "hello\n");
    assert_eq!(report.stderr(), "");
    assert_eq!(report.ending.verdict, Verdict::Finished, "{report:?}");
    assert_eq!(report.ending.detail, "ran to its end");
    assert_eq!(report.ending.engine.name, "RustPython");
    assert_eq!(report.ending.engine.sandbox, Level::Full);
}
