//! Tests of the proofs of `author check`.

use crate::cases::each;
use crate::command::{Home, SMALL, sessions};

/// A question whose key accepts line 7 only, though line 2 is a correct answer too. Without line 6, the program never ends.
fn never_ends_and_has_two_answers() -> String {
    let small = include_str!("../fixtures/diagnostics/other_answer/small.toml");
    small
        .replace("    for i in range(len(numbers)):\n        result += numbers[i]\n", LOOP)
        .replace("line = 3\nfeedback = \"Nought is", "line = 4\nfeedback = \"Nought is")
}

const LOOP: &str = "    at = 0\n    while at < len(numbers):\n        result += numbers[at]\n        at += 1\n";

/// The proofs continue after a program that never ends because a line was deleted.
#[test]
fn another_answer_is_found_beside_a_program_that_never_ends() {
    sessions!(Home::new().with("small.toml", never_ends_and_has_two_answers()), @"
    $ fencepost author check small.toml
    error[other_answer]: every check passes without line 7
      --> small.toml:29:5
       |
    29 |     result -= 1
       |     ^^^^^^^^^^^
       |
       = note: ran: the buggy program without line 7, and its checks, on RustPython 0.5.0
       = note: expected: a check fails
       = note: seen: every check passes
       = help: accept line 7 as well, or add a check that this program fails

    1 error

    1 question, 12 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- exit 1
    ");
}

/// On the built-in interpreter, the clocks of the second run are a day ahead.
#[test]
fn output_that_changes_from_day_to_day_is_found() {
    let call = "return sum(numbers)\n\n\nprint(total([1, 2, 3]))";
    each(
        [
            "import datetime as d\nprint(d.date.today() > d.date(2020, 1, 1), d.date.today())",
            "import time\nprint(time.localtime().tm_yday)",
            "from time import ctime\nprint(ctime()[:10])",
            "import time\nprint(int(time.time()) // 86_400)",
        ],
        |today| {
            let said = check_with(&[(call, &format!("return sum(numbers)\n\n\n{today}"))]);
            assert!(
                said.contains("error[not_repeatable]: the fixed program does not print the same each time"),
                "{said}"
            );
            assert!(
                said.contains("ran: the fixed program again, with its clocks a day ahead, on RustPython"),
                "{said}"
            );
        },
    );
    let said = check_with(&[(call, &format!("{call}\nimport time\ntime.sleep(0.001)"))]);
    assert!(said.contains("\n1 note\n") && said.ends_with("no problems\n--- exit 0\n"), "{said}");
}

/// The report of `author check` on the small question with some texts replaced.
fn check_with(changes: &[(&str, &str)]) -> String {
    Home::new().question("small", changes).run("author check packs/fixture/small.toml")
}

const REPAIR: &str = "line = 3\nwith = '''\n    for i in range(len(numbers)):\n'''\n";

/// A question whose key accepts line 2, which is correct.
fn key_of_line_two(repair: &str) -> String {
    let answer = "line = 3\ncode = \"for i in range(len(numbers) - 1):\"";
    let near = "line = 2\nfeedback = \"Nought";
    check_with(&[
        (answer, "line = 2\ncode = \"result = 0\""),
        (near, "line = 4\nfeedback = \"Nought"),
        (REPAIR, &format!("{REPAIR}\n[[spot.repair]]\nline = 2\nwith = '''\n{repair}\n'''\n")),
    ])
}

/// A repair entry that changes nothing does not count.
#[test]
fn a_repair_must_change_something_on_an_accepted_line() {
    each(["    result = 0", "    result  =  0  # so far", "    # so far\n\n    result = 0"], |repair| {
        let said = key_of_line_two(repair);
        let wanted = "error[repair_misses]: the repair changes no accepted line\n  --> packs/fixture/small.toml:";
        assert!(said.contains(wanted), "{said}");
        assert!(said.contains("this changes only spaces or comments") && said.contains("\n1 error\n"), "{said}");
    });
}

/// A repair entry that is not needed does not count either.
#[test]
fn a_repair_of_another_line_must_not_be_enough() {
    let [one, two] = ["    result = 1 - 1", "    result = 0\n    size = 1"].map(key_of_line_two);
    insta::assert_snapshot!(one, @"
    $ fencepost author check packs/fixture/small.toml
    error[repair_misses]: every check passes with the repair of line 3 alone, which changes no accepted line
      --> packs/fixture/small.toml:47:8
       |
    47 | line = 3
       |        ^
       |
       = note: ran: the buggy program with the repair of line 3 alone, and its checks, on RustPython 0.5.0
       = note: expected: a check fails
       = note: seen: every check passes
       = help: accept the lines that must change, and repair no others

    1 error

    1 question, 10 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- exit 1
    ");
    assert!(two.contains("error[repair_misses]: every check passes with the repair of line 3 alone"), "{two}");
}

/// Each accepted line is proved.
#[test]
fn every_accepted_line_is_proved() {
    let answer = "code = \"for i in range(len(numbers) - 1):\"\n";
    let and_two = format!("{answer}\n[[spot.answer]]\nline = 2\ncode = \"result = 0\"\n");
    let near = ("line = 2\nfeedback = \"Nought", "line = 4\nfeedback = \"Nought");
    let needless = format!("{REPAIR}\n[[spot.repair]]\nline = 2\nwith = '''\n    result = 1 - 1\n'''\n");
    let said = check_with(&[(answer, &and_two), near, (REPAIR, &needless)]);
    insta::assert_snapshot!(said, @"
    $ fencepost author check packs/fixture/small.toml
    warning[unproved_answer]: nothing proves that line 2 is an answer
      --> packs/fixture/small.toml:43:8
       |
    43 | line = 2
       |        ^
       |
       = note: ran: the program without line 2, with its repair alone, and with the rest of the repair, on RustPython 0.5.0
       = note: expected: without it or with its repair alone every check passes, or the rest of the repair is not enough
       = note: seen: without it and with its repair alone a check fails, and the rest of the repair is enough
       = help: repair the line, or remove the answer; if a learner could defend the line, keep the answer and ignore this warning

    1 warning

    1 question, 15 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    add `--python auto` and `--mypy` to prove more
    passed, with warnings
    --- exit 0
    ");
    // Each of two lines may be enough by itself, such as both ends of a move.
    let enough = "    return sum(numbers)\n    result = 0";
    let said = check_with(&[(answer, &and_two), near, (REPAIR, &needless.replace("    result = 1 - 1", enough))]);
    assert!(said.contains("\nno problems\n"), "{said}");
    // So is a line that the repair deletes because another line no longer needs it.
    let (count, many) =
        ("    many = len(numbers) - 1\n    for i in range(many):\n", "line = 4\ncode = \"for i in range(many):\"\n");
    let repair =
        "line = 4\nwith = '''\n    for i in range(len(numbers)):\n'''\n\n[[spot.repair]]\nline = 3\nwith = \"\"\n";
    let said = check_with(&[
        ("    for i in range(len(numbers) - 1):\n", count),
        (
            "line = 3\ncode = \"for i in range(len(numbers) - 1):\"\n",
            &format!("{many}\n[[spot.answer]]\nline = 3\ncode = \"many = len(numbers) - 1\"\n"),
        ),
        (REPAIR, repair),
    ]);
    assert!(said.contains("\nno problems\n"), "{said}");
}

/// A line that is a whole block is replaced by `pass`.
#[test]
fn a_line_that_is_all_of_its_block_may_be_an_answer() {
    let said = check_with(&[
        (
            "    for i in range(len(numbers) - 1):\n        result += numbers[i]\n",
            "    for i in range(len(numbers)):\n        result += numbers[i]\n    if result > 3:\n        result = 3\n",
        ),
        ("line = 3\ncode = \"for i in range(len(numbers) - 1):\"", "line = 5\ncode = \"if result > 3:\""),
        (REPAIR, "line = 5\nwith = '''\n    if result > 3 and not numbers:\n'''\n"),
    ]);
    insta::assert_snapshot!(said, @"
    $ fencepost author check packs/fixture/small.toml
    error[other_answer]: every check passes with `pass` in place of line 6
      --> packs/fixture/small.toml:29:9
       |
    29 |         result = 3
       |         ^^^^^^^^^^
       |
       = note: ran: the buggy program with `pass` in place of line 6, and its checks, on RustPython 0.5.0
       = note: expected: a check fails
       = note: seen: every check passes
       = help: accept line 6 as well, or add a check that this program fails

    1 error

    1 question, 11 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- exit 1
    ");
}

/// A slow check gets a second try if the program without a line finished.
#[test]
fn a_check_that_is_slow_without_a_line_is_waited_for() {
    let said = check_with(&[
        (
            "    for i in range(len(numbers) - 1):\n        result += numbers[i]\n",
            "    numbers = numbers[:3]\n    for i in range(len(numbers)):\n        result += numbers[i]\n",
        ),
        ("print(total([1, 2, 3]))\n'''\nprints = \"\"\"\n3\n", "print(total([1, 2, 3, 4]))\n'''\nprints = \"\"\"\n6\n"),
        (
            "print(total([1, 2, 3]))\n'''\nprints = \"\"\"\n6\n",
            "print(total([1, 2, 3, 4]))\n'''\nprints = \"\"\"\n10\n",
        ),
        ("line = 3\ncode = \"for i in range(len(numbers) - 1):\"", "line = 2\ncode = \"result = 0\""),
        ("line = 2\nfeedback = \"Nought", "line = 4\nfeedback = \"Nought"),
        (REPAIR, "line = 2\nwith = '''\n    result = sum(numbers[3:])\n'''\n"),
        ("for n in range(6):", "for n in [200_000, 0, 1, 2, 3, 4, 5]:"),
    ]);
    assert!(said.contains("error[other_answer]: every check passes without line 3"), "{said}");
}

/// A check that fails because only the fixed program has a name is reported; it does not catch the bug.
#[test]
fn a_check_asks_for_no_name_of_the_fixed_program() {
    let said = check_with(&[
        (
            "def total(numbers: list[int]) -> int:\n    return sum(numbers)\n",
            "done = True\n\n\ndef total(numbers: list[int]) -> int:\n    return sum(numbers)\n",
        ),
        ("for n in range(6):\n", "assert done\nfor n in range(6):\n"),
    ]);
    insta::assert_snapshot!(said, @"
    $ fencepost author check packs/fixture/small.toml
    error[missing_name]: the check `every number counts` uses `done`, which only the fixed program has
      --> packs/fixture/small.toml:71:8
       |
    71 | assert done
       |        ^^^^
       |
       = note: ran: this check on the buggy program, on RustPython 0.5.0
       = note: expected: it passes, or an assertion in it fails
       = note: seen: error: NameError: name 'done' is not defined
       = help: use only names that both programs have: a learner's repair cannot know this one

    1 error

    1 question, 3 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- exit 1
    ");
}

#[test]
fn a_check_asks_for_no_attribute_and_no_keyword_of_the_fixed_program() {
    each(["assert total.limit\n", "assert total([], limit=3) == 0\n"], |line| {
        let said = check_with(&[
            (
                "def total(numbers: list[int]) -> int:\n    return sum(numbers)\n",
                "def total(numbers: list[int], limit: int = 3) -> int:\n    return sum(numbers)\n\n\ntotal.limit = 3\n",
            ),
            ("for n in range(6):\n", &format!("{line}for n in range(6):\n")),
        ]);
        assert!(said.contains("uses `limit`, which only the fixed program has"), "{said}");
    });
}

/// The caret of an invalid check is at its first invalid line.
#[test]
fn an_invalid_check_is_shown_at_its_line() {
    let edit = ("    assert total([1] * n) == n,", "    assert total(([1] * n) == n,");
    sessions!(Home::new().question("small", &[edit]), @r#"
    $ fencepost author check packs
    error[check_broken]: the check `every number counts` is not valid Python
      --> packs/fixture/small.toml:69:5
       |
    69 |     assert total(([1] * n) == n, f"{n} ones add up to {total([1] * n)}"
       |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = note: ran: this check on the buggy and on the fixed program, on RustPython 0.5.0
       = note: expected: it passes, or an assertion in it fails
       = note: seen: error: SyntaxError: '(' was never closed
       = help: fix it; `code` runs after the program, as part of the same file

    1 error

    1 question, 3 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- exit 1
    "#);
}

/// The fixed program may define a name in any way.
#[test]
fn a_name_of_the_fixed_program_need_not_be_a_definition() {
    let fixed = SMALL.split_once("[fixed]").unwrap().1;
    let definition =
        fixed.lines().skip_while(|line| !line.starts_with("def total")).take(2).collect::<Vec<_>>().join("\n");
    each(
        [
            "total = sum",
            "total, other = sum, 1",
            "if True:\n    def total(numbers: list[int]) -> int:\n        return sum(numbers)",
            "from builtins import sum as total",
        ],
        |other| {
            let (before, fixed) = SMALL.split_once("[fixed]").unwrap();
            let home = Home::new();
            home.write("small.toml", format!("{before}[fixed]{}", fixed.replace(&definition, other)));
            let said = home.run("author check small.toml");
            assert!(said.ends_with("no problems\n--- exit 0\n"), "{other}: {said}");
        },
    );
}

/// If the repair moves a line, both its old and its new place are answers.
#[test]
fn both_ends_of_a_move_are_answers() {
    let home = Home::new().with("moved.toml", include_str!("../fixtures/moved.toml"));
    let said = home.run("author check moved.toml");
    assert!(!said.contains("unproved_answer"), "{said}");
    assert!(said.ends_with("no problems\n--- exit 0\n"), "{said}");
}
