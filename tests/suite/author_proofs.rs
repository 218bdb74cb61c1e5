//! How questions are proved: the same is found however the programs are run.

use crate::cases::each;
use crate::command::Home;

/// The bug is on line 2 as much as on line 7, which the key does not know; without line 6 the program never ends.
fn never_ends_and_has_two_answers() -> String {
    let small = include_str!("../fixtures/diagnostics/other_answer/small.toml");
    small
        .replace("    for i in range(len(numbers)):\n        result += numbers[i]\n", LOOP)
        .replace("line = 3\nfeedback = \"Nought is", "line = 4\nfeedback = \"Nought is")
}

const LOOP: &str = "    at = 0\n    while at < len(numbers):\n        result += numbers[at]\n        at += 1\n";

/// A program that never ends for want of a line is one of many, and the proofs go on.
#[test]
fn another_answer_is_found_beside_a_program_that_never_ends() {
    let home = Home::new();
    home.write("small.toml", never_ends_and_has_two_answers());
    insta::assert_snapshot!(home.run(&["author", "check", "small.toml"]));
}

/// On the built-in interpreter, the second run has its clocks a day ahead.
#[test]
fn what_changes_from_day_to_day_is_found() {
    let call = "return sum(numbers)\n\n\nprint(total([1, 2, 3]))";
    for today in [
        "import datetime as d\nprint(d.date.today() > d.date(2020, 1, 1), d.date.today())",
        "import time\nprint(time.localtime().tm_yday)",
        "from time import ctime\nprint(ctime()[:10])",
        "import time\nprint(int(time.time()) // 86_400)",
    ] {
        let said = check_with(&[(call, &format!("return sum(numbers)\n\n\n{today}"))]);
        assert!(said.contains("error[not_repeatable]: the fixed program does not print the same each time"), "{said}");
        assert!(said.contains("ran: the fixed program again, with its clocks a day ahead, on RustPython"), "{said}");
    }
    let said = check_with(&[(call, &format!("{call}\nimport time\ntime.sleep(0.001)"))]);
    assert!(said.contains("\n1 note\n") && said.ends_with("no problems\n--- exit 0\n"), "{said}");
}

/// What `author check` says of the small question with a text of it replaced.
fn check_with(changes: &[(&str, &str)]) -> String {
    let mut text = include_str!("../fixtures/small.toml").to_owned();
    for (old, new) in changes {
        assert_eq!(text.matches(old).count(), 1, "{old}");
        text = text.replace(old, new);
    }
    let home = Home::new();
    home.write("small.toml", text);
    home.run(&["author", "check", "small.toml"])
}

const REPAIR: &str = "line = 3\nwith = '''\n    for i in range(len(numbers)):\n'''\n";

/// The key accepts line 2, which does nothing wrong.
fn key_of_line_two(repair: &str) -> String {
    let answer = "line = 3\ncode = \"for i in range(len(numbers) - 1):\"";
    let near = "line = 2\nfeedback = \"Nought";
    check_with(&[
        (answer, "line = 2\ncode = \"result = 0\""),
        (near, "line = 4\nfeedback = \"Nought"),
        (REPAIR, &format!("{REPAIR}\n[[spot.repair]]\nline = 2\nwith = '''\n{repair}\n'''\n")),
    ])
}

/// An entry of the repair that changes nothing touches no line.
#[test]
fn a_repair_must_change_something_on_an_accepted_line() {
    each(["    result = 0", "    result  =  0  # so far", "    # so far\n\n    result = 0"], |repair| {
        let said = key_of_line_two(repair);
        let wanted = "error[repair_misses]: the repair changes no accepted line\n  --> small.toml:";
        assert!(said.contains(wanted), "{said}");
        assert!(said.contains("this changes only spaces or comments") && said.contains("\n1 error\n"), "{said}");
    });
}

/// An entry that changes something which the repair does not need touches no line either.
#[test]
fn what_is_repaired_elsewhere_must_not_be_enough() {
    let [one, two] = ["    result = 1 - 1", "    result = 0\n    size = 1"].map(key_of_line_two);
    insta::assert_snapshot!(one);
    assert!(two.contains("error[repair_misses]: every check passes with the repair of line 3 alone"), "{two}");
}

/// Each of several accepted lines has to be one.
#[test]
fn every_accepted_line_is_proved() {
    let answer = "code = \"for i in range(len(numbers) - 1):\"\n";
    let and_two = format!("{answer}\n[[spot.answer]]\nline = 2\ncode = \"result = 0\"\n");
    let near = ("line = 2\nfeedback = \"Nought", "line = 4\nfeedback = \"Nought");
    let needless = format!("{REPAIR}\n[[spot.repair]]\nline = 2\nwith = '''\n    result = 1 - 1\n'''\n");
    let said = check_with(&[(answer, &and_two), near, (REPAIR, &needless)]);
    insta::assert_snapshot!(said);
    // Either of two lines may be enough by itself, as in a move that is repaired at both ends.
    let enough = "    return sum(numbers)\n    result = 0";
    let said = check_with(&[(answer, &and_two), near, (REPAIR, &needless.replace("    result = 1 - 1", enough))]);
    assert!(said.contains("\nno problems\n"), "{said}");
    // So may one that the repair takes away, since the other has no more use for it.
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

/// A line that is all of its block is never gone: `pass` stands there.
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
    insta::assert_snapshot!(said);
}

/// A check that takes its time on a program without a line gets more of it, where the program itself came to its end.
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

/// A name that only the fixed program has is told, and is no bug that was caught.
#[test]
fn a_check_asks_for_no_name_of_the_fixed_program() {
    let said = check_with(&[
        (
            "def total(numbers: list[int]) -> int:\n    return sum(numbers)\n",
            "done = True\n\n\ndef total(numbers: list[int]) -> int:\n    return sum(numbers)\n",
        ),
        ("for n in range(6):\n", "assert done\nfor n in range(6):\n"),
    ]);
    insta::assert_snapshot!(said);
}

/// A check that is no Python is shown where it stops being any.
#[test]
fn an_invalid_check_is_shown_at_its_line() {
    let small = include_str!("../fixtures/small.toml");
    let text = "    assert total([1] * n) == n,";
    assert!(small.contains(text));
    let home = Home::new();
    home.write("small.toml", small.replace(text, "    assert total(([1] * n) == n,"));
    insta::assert_snapshot!(home.run(&["author", "check", "small.toml"]));
}

/// The fixed program may come by a name in any way.
#[test]
fn a_name_of_the_fixed_program_need_not_be_a_definition() {
    let small = include_str!("../fixtures/small.toml");
    let fixed = small.split_once("[fixed]").unwrap().1;
    let definition =
        fixed.lines().skip_while(|line| !line.starts_with("def total")).take(2).collect::<Vec<_>>().join("\n");
    for other in [
        "total = sum",
        "total, other = sum, 1",
        "if True:\n    def total(numbers: list[int]) -> int:\n        return sum(numbers)",
        "from builtins import sum as total",
    ] {
        let (before, fixed) = small.split_once("[fixed]").unwrap();
        let home = Home::new();
        home.write("small.toml", format!("{before}[fixed]{}", fixed.replace(&definition, other)));
        let said = home.run(&["author", "check", "small.toml"]);
        assert!(said.ends_with("no problems\n--- exit 0\n"), "{other}: {said}");
    }
}

/// A line that the repair moves is an answer where it was as much as where it comes to stand.
#[test]
fn both_ends_of_a_move_are_answers() {
    let moved = include_str!("../fixtures/moved.toml");
    let home = Home::new();
    home.write("moved.toml", moved);
    let said = home.run(&["author", "check", "moved.toml"]);
    assert!(!said.contains("unproved_answer"), "{said}");
    assert!(said.ends_with("no problems\n--- exit 0\n"), "{said}");
}
