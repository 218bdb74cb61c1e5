//! Tests of `author check --thorough`: small edits of the buggy program.

use crate::command::{Home, sessions};

/// A check with a hole: nought as the sum of nothing is not tested.
const HOLE: (&str, &str) = ("for n in range(6):", "for n in range(1, 6):");

/// The hole lets a sum pass that begins at 1.
#[test]
fn an_edit_with_which_every_check_passes_is_shown() {
    sessions!(Home::new().question("small", &[HOLE]), @"
    $ fencepost author check packs/fixture/small.toml
    1 question, 9 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    add `--python auto` and `--mypy` to prove more
    no problems
    --- exit 0

    $ fencepost author check packs/fixture/small.toml --thorough
    error[other_answer]: every check passes with line 2 changed to `result = 1`
      --> packs/fixture/small.toml:25:5
       |
    25 |     result = 0
       |     ^^^^^^^^^^
       |
       = note: ran: the buggy program with line 2 changed to `result = 1`, and its checks, on RustPython 0.5.0
       = note: expected: a check fails
       = note: seen: every check passes
       = help: accept line 2 as well, or add a check that this program fails

    1 error

    1 question, 24 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- exit 1
    ");
}

/// Each edit keeps the bug, so none of them is another answer, though some print other numbers.
#[test]
fn edits_that_fail_a_check_are_not_reported() {
    let said = Home::new().run("author check packs/fixture/small.toml --thorough");
    assert!(said.contains("\n1 question, 24 programs\n") && said.ends_with("no problems\n--- exit 0\n"), "{said}");
}

/// A program may leave a mark that the next one would meet. Then each runs in a process of its own.
#[test]
fn programs_that_leave_something_behind_run_alone() {
    let call = "print(total([1, 2, 3]))\n";
    let marks = format!("{call}import math\nassert not hasattr(math, 'mark')\nsetattr(math, 'mark', 1)\n");
    let said =
        Home::new().question("small", &[HOLE, (call, &marks)]).run("author check packs/fixture/small.toml --thorough");
    assert!(said.contains("error[other_answer]: every check passes with line 2 changed to `result = 1`"), "{said}");
    assert!(said.contains("\n1 error\n"), "{said}");
}
