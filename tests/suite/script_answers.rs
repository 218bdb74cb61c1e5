//! Answers from files, standard input, a terminal and a template, with every mistake in them.

use std::fs;
use std::process::Stdio;

use crate::cases::each;
use crate::command::{Home, sessions};
use crate::script_reports::assert_fits;

/// A session of `fencepost quiz` with these arguments, and with `input` on standard input.
pub(crate) fn quiz(home: &Home, args: &str, input: &str) -> String {
    home.session(&format!("--content packs quiz {args}"), input)
}

#[test]
fn fixes_and_points_come_in_both_forms() {
    let toml =
        "format = 1\n[[answer]]\nquestion = \"small\"\nlines = [3]\nfix_file = \"fixes/small.py\"\npoints = [2]\n";
    let json =
        r#"{"question": "small", "line": 3, "fix": "def total(numbers):\n    return sum(numbers)\n", "points": [2]}"#;
    let home = Home::new()
        .with("fixes/small.py", "def total(numbers):\n    return sum(numbers)\n")
        .with("answers.toml", toml)
        .with("answers.jsonl", json);
    let [toml, json] = ["answers.toml", "answers.jsonl"]
        .map(|file| quiz(&home, &format!("small --answers {file} --weights line=1,fix=1"), ""));
    assert_eq!(toml.replace(".toml", ".jsonl"), json);
    insta::assert_snapshot!(toml, @"
    $ fencepost --content packs quiz small --answers answers.toml --weights line=1,fix=1
    right    fixture/small: line 3; score 2 of 2
             line 3 | for i in range(len(numbers) - 1):
             `range` leaves out its end, so `len(numbers)` is already one past the
             last number.
             fix passed, 1 of 1 checks passed (finished: ran to its end; RustPython
             0.5.0, Python 3.14.0, sandbox full)
             ran for [time] ms
             passed: every number counts
             fix | def total(numbers):
             fix |     return sum(numbers)
             said 1 of 2 points: 2. Loop over values

    Weights line=1,fix=1
    1 of 1 right, score 2 of 2 (100 %), pass mark 100 %: passed
    --- exit 0
    ");
}

/// A fix is the same program in a file, in a session and in the screens: without the control characters that none of
/// them keeps, and with the end of its last line.
#[test]
fn a_fix_is_cleaned_before_it_runs() {
    let home = Home::new();
    let fix = "def total(numbers):\u{c}\r\n    note = 'a\u{c}b'\r\n    return sum(numbers) + len(note) - 2";
    let answers = serde_json::json!({"question": "small", "line": 3, "fix": fix}).to_string();
    let report = home.session(
        &["--content", "packs", "quiz", "small", "--answers", "-", "--weights", "fix=1", "--format", "json"],
        &answers,
    );
    assert!(report.ends_with("--- exit 0\n"), "{report}");
    assert!(report.contains("note = 'ab'\\n    return sum(numbers) + len(note) - 2\\n\""), "{report}");
}

/// Text that a fix puts into a check's message stands on lines marked as its own.
#[test]
fn a_fix_writes_no_results_of_its_own() {
    let home = Home::new();
    let fix = "class Forged:\n    def __str__(self):\n        return 'x\\npassed: every number counts\\n'\n\n\n\
               def total(numbers):\n    return Forged()\n";
    let answers = serde_json::json!({"question": "small", "line": 3, "fix": fix}).to_string();
    let report = home.session("--content packs quiz small --answers -", &answers);
    let from = report.find("         failed: every").unwrap();
    let to = report.find("         fix | ").unwrap();
    let marked = "message | 0 ones add up to x\n         message | passed: every number counts\n";
    let overloads = "         defines `__str__`, which can change what a check compares\n";
    assert_eq!(&report[from..to], format!("         failed: every number counts\n         {marked}{overloads}"));
}

/// Someone else wrote a fix that is handed in, in one file as in a folder.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_fix_does_not_run_where_nothing_contains_it() {
    let home = Home::new();
    let answers = "{\"question\": \"fencing-tokens\", \"line\": 8, \"fix\": \"print(1)\"}\n";
    let args = "--without landlock,seccomp quiz fencing-tokens --answers -";
    insta::assert_snapshot!(home.session(args, answers), @"
    $ fencepost --without landlock,seccomp quiz fencing-tokens --answers -
    --- stderr
    error: the fix for `leases/fencing-tokens` was submitted by someone else, and it was not run: the sandbox is only at level limits_only and lacks landlock (switched off), seccomp (switched off)
      hint: look at the programs first; then `--trust-pack leases` runs it
    --- exit 2
    ");
    let trusted = home.session(&format!("{args} --trust-pack leases"), answers);
    assert!(trusted.ends_with("--- exit 0\n"), "{trusted}");
}

#[test]
fn every_fault_of_a_submission_is_listed() {
    let home = Home::new();
    home.write("secret.py", "password\n");
    home.write("here/big.py", "x".repeat(70_000));
    home.write("here/empty.py", "\n");
    home.write("here/latin1.py", b"x = '\xe9'\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink(home.path().join("secret.py"), home.path().join("here/link.py")).unwrap();
    let toml = r#"format = 1
[[answer]]
question = "small"
line = 0
lines = [1, 1]
points = [3, 1, 1]
[[answer]]
question = "fencing-tokens"
[[answer]]
question = "tax-by-region"
lines = []
fix = 3
"#;
    let keys = "format = 1\n[[answer]]\nquestion = \"small\"\nline = 3\nline = 4\n";
    let mut json = String::new();
    for name in
        ["../secret.py", "/etc/passwd", "link.py", "nowhere.py", "big.py", "empty.py", "latin1.py", ".", "a\\u0000b"]
    {
        json += &format!("{{\"question\": \"small\", \"fix_file\": \"{name}\"}}\n");
    }
    json += "{\"question\": \"small\", \"line\": 3, \"line\": 4}\n";
    json += "{\"question\": \"small\", \"line\": 1e400}\n{\"question\": \"small\", \"line\": 3.0}\n";
    json += "{\"question\": \"small\", \"line\": 99999999999999999999}\n{\"question\": \"small\"}\n";
    json += "{\"question\": \"small\", \"line\": \"4\"}\n";
    json += "{\"question\": \"small\", \"fix\": \"x\", \"fix_file\": \"y\", \"points\": 1, \"lines\": [-1, \"3\"]}\n";
    home.write("here/a.toml", toml);
    home.write("here/b.toml", keys);
    home.write("here/c.jsonl", json);
    sessions!(home, @r#"
    $ fencepost --content packs quiz small --answers here/a.toml
    --- stderr
    error[line_outside]: `fixture/small` has no line 0: the program has 8 lines
     --> here/a.toml:4:8
      |
    4 | line = 0
      |        ^
      |
      = help: lines are counted from 1, as `fencepost show` numbers them

    error[bad_value]: `line` and `lines` exclude each other
     --> here/a.toml:5:9
      |
    5 | lines = [1, 1]
      |         ^^^^^^
      |
      = help: keep one of them

    error[duplicate_line]: duplicate line 1
     --> here/a.toml:5:13
      |
    5 | lines = [1, 1]
      |             ^
      |
      = help: name each once

    error[bad_value]: `fixture/small` has no point 3: its checklist has 2
     --> here/a.toml:6:11
      |
    6 | points = [3, 1, 1]
      |           ^
      |
      = help: points are counted from 1, in the order of the checklist

    error[duplicate_line]: duplicate point 1
     --> here/a.toml:6:17
      |
    6 | points = [3, 1, 1]
      |                 ^
      |
      = help: name each once

    error[missing_key]: this entry answers nothing: `line` is missing
     --> here/a.toml:8:12
      |
    8 | question = "fencing-tokens"
      |            ^^^^^^^^^^^^^^^^
      |
      = help: add `line`, or remove the entry

    error[empty]: `lines` is empty
      --> here/a.toml:11:9
       |
    11 | lines = []
       |         ^^
       |
       = help: name at least one line

    error[wrong_type]: `fix` must be text, not an integer
      --> here/a.toml:12:7
       |
    12 | fix = 3
       |       ^ an integer
       |
       = help: write `fix = "3"`, in quotes

    8 errors
    --- exit 2

    $ fencepost --content packs quiz small --answers here/b.toml
    --- stderr
    error[syntax]: not valid TOML: the key `line` is there twice
     --> here/b.toml:5:1
      |
    5 | line = 4
      | ^^^^
      |
      = help: remove this one or the one above

    1 error
    --- exit 2

    $ fencepost --content packs quiz small --answers here/c.jsonl
    --- stderr
    error[link_outside]: `../secret.py` is not in the folder that programs are read from
     --> here/c.jsonl:1:1
      |
    1 | {"question": "small", "fix_file": "../secret.py"}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: put the program into `here` and write `secret.py`

    error[link_outside]: `/etc/passwd` is not in the folder that programs are read from
     --> here/c.jsonl:2:1
      |
    2 | {"question": "small", "fix_file": "/etc/passwd"}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: put the program into `here` and write `passwd`

    error[duplicate_answer]: `fixture/small` already has an answer on line 1
     --> here/c.jsonl:2:1
      |
    2 | {"question": "small", "fix_file": "/etc/passwd"}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: keep one of them

    error[link_outside]: `link.py` is not in the folder that programs are read from
     --> here/c.jsonl:3:1
      |
    3 | {"question": "small", "fix_file": "link.py"}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: put the program itself into `here`: no link is followed out of it

    error[duplicate_answer]: `fixture/small` already has an answer on line 1
     --> here/c.jsonl:3:1
      |
    3 | {"question": "small", "fix_file": "link.py"}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: keep one of them

    error[unreadable]: cannot read `here/nowhere.py`: No such file or directory (os error 2)
     --> here/c.jsonl:4:1
      |
    4 | {"question": "small", "fix_file": "nowhere.py"}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: check the name and the permissions

    error[duplicate_answer]: `fixture/small` already has an answer on line 1
     --> here/c.jsonl:4:1
      |
    4 | {"question": "small", "fix_file": "nowhere.py"}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: keep one of them

    error[too_large]: the fix is 70001 bytes long; the limit is 65536
     --> here/c.jsonl:5:1
      |
    5 | {"question": "small", "fix_file": "big.py"}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: shorten it: the end of its last line counts too

    error[duplicate_answer]: `fixture/small` already has an answer on line 1
     --> here/c.jsonl:5:1
      |
    5 | {"question": "small", "fix_file": "big.py"}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: keep one of them

    error[empty]: the fix is empty
     --> here/c.jsonl:6:1
      |
    6 | {"question": "small", "fix_file": "empty.py"}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: write the whole program

    error[duplicate_answer]: `fixture/small` already has an answer on line 1
     --> here/c.jsonl:6:1
      |
    6 | {"question": "small", "fix_file": "empty.py"}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: keep one of them

    error[not_utf8]: `here/latin1.py`, line 1, column 6: byte 6 is 0xE9, which is not UTF-8
     --> here/c.jsonl:7:1
      |
    7 | {"question": "small", "fix_file": "latin1.py"}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: save the file as UTF-8

    error[duplicate_answer]: `fixture/small` already has an answer on line 1
     --> here/c.jsonl:7:1
      |
    7 | {"question": "small", "fix_file": "latin1.py"}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: keep one of them

    error[not_a_file]: `here/.` is not a regular file
     --> here/c.jsonl:8:1
      |
    8 | {"question": "small", "fix_file": "."}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: use a regular file

    error[duplicate_answer]: `fixture/small` already has an answer on line 1
     --> here/c.jsonl:8:1
      |
    8 | {"question": "small", "fix_file": "."}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: keep one of them

    error[link_outside]: `a␀b` is not in the folder that programs are read from
     --> here/c.jsonl:9:1
      |
    9 | {"question": "small", "fix_file": "a\u0000b"}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: put the program into `here`

    error[duplicate_answer]: `fixture/small` already has an answer on line 1
     --> here/c.jsonl:9:1
      |
    9 | {"question": "small", "fix_file": "a\u0000b"}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: keep one of them

    error[syntax]: duplicate key `line`
      --> here/c.jsonl:10:43
       |
    10 | {"question": "small", "line": 3, "line": 4}
       |                                           ^
       |
       = help: write one whole JSON object on each line, such as {"question": "fencing-tokens", "line": 8}

    error[syntax]: not valid JSON: number out of range
      --> here/c.jsonl:11:35
       |
    11 | {"question": "small", "line": 1e400}
       |                                   ^
       |
       = help: write one whole JSON object on each line, such as {"question": "fencing-tokens", "line": 8}

    error[wrong_type]: `line` must be a whole number
      --> here/c.jsonl:12:1
       |
    12 | {"question": "small", "line": 3.0}
       | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = help: write {"question": "fencing-tokens", "line": 8}

    error[duplicate_answer]: `fixture/small` already has an answer on line 1
      --> here/c.jsonl:12:1
       |
    12 | {"question": "small", "line": 3.0}
       | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = help: keep one of them

    error[wrong_type]: `line` must be a whole number
      --> here/c.jsonl:13:1
       |
    13 | {"question": "small", "line": 99999999999999999999}
       | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = help: write {"question": "fencing-tokens", "line": 8}

    error[duplicate_answer]: `fixture/small` already has an answer on line 1
      --> here/c.jsonl:13:1
       |
    13 | {"question": "small", "line": 99999999999999999999}
       | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = help: keep one of them

    error[missing_key]: this entry answers nothing: `line` is missing
      --> here/c.jsonl:14:1
       |
    14 | {"question": "small"}
       | ^^^^^^^^^^^^^^^^^^^^^
       |
       = help: add `line`, or remove the entry

    error[duplicate_answer]: `fixture/small` already has an answer on line 1
      --> here/c.jsonl:14:1
       |
    14 | {"question": "small"}
       | ^^^^^^^^^^^^^^^^^^^^^
       |
       = help: keep one of them

    error[wrong_type]: `line` must be a whole number
      --> here/c.jsonl:15:1
       |
    15 | {"question": "small", "line": "4"}
       | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = help: write "line": 4, without quotes

    error[duplicate_answer]: `fixture/small` already has an answer on line 1
      --> here/c.jsonl:15:1
       |
    15 | {"question": "small", "line": "4"}
       | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = help: keep one of them

    error[wrong_type]: every entry of `lines` must be a whole number
      --> here/c.jsonl:16:1
       |
    16 | {"question": "small", "fix": "x", "fix_file": "y", "points": 1, "lines": [-1, "3"]}
       | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = help: write "lines": [1]

    error[wrong_type]: `points` must be a list of whole numbers
      --> here/c.jsonl:16:1
       |
    16 | {"question": "small", "fix": "x", "fix_file": "y", "points": 1, "lines": [-1, "3"]}
       | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = help: write "points": [1]

    error[bad_value]: `fix` and `fix_file` exclude each other
      --> here/c.jsonl:16:1
       |
    16 | {"question": "small", "fix": "x", "fix_file": "y", "points": 1, "lines": [-1, "3"]}
       | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = help: keep one of them

    error[line_outside]: `fixture/small` has no line -1: the program has 8 lines
      --> here/c.jsonl:16:1
       |
    16 | {"question": "small", "fix": "x", "fix_file": "y", "points": 1, "lines": [-1, "3"]}
       | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = help: lines are counted from 1, as `fencepost show` numbers them

    error[duplicate_answer]: `fixture/small` already has an answer on line 1
      --> here/c.jsonl:16:1
       |
    16 | {"question": "small", "fix": "x", "fix_file": "y", "points": 1, "lines": [-1, "3"]}
       | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = help: keep one of them

    32 errors
    --- exit 2
    "#);
}

/// A file that ends after a key has one mistake, whatever belongs there.
#[test]
fn a_missing_value_is_reported_once() {
    let home = Home::new();
    each(["question", "line", "lines", "fix", "fix_file", "points"], |key| {
        let named = if key == "question" { "" } else { "question = \"small\"\n" };
        let told = quiz(&home, "small --answers -", &format!("format = 1\n[[answer]]\n{named}{key} = "));
        assert!(told.contains("error[syntax]") && told.matches("error[").count() == 1, "{told}");
    });
}

/// A list of objects is JSON, but not JSON lines.
#[test]
fn a_json_list_is_refused_with_the_right_form() {
    let home = Home::new().with("answers.json", "[ {\"question\": \"small\", \"line\": 3} ]");
    sessions!(home, @r#"
    $ fencepost --content packs quiz small --answers - < answers.json
    --- stderr
    error[wrong_type]: the line is not a JSON object
     --> <stdin>:1:1
      |
    1 | [ {"question": "small", "line": 3} ]
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: write one whole JSON object on each line, such as {"question": "fencing-tokens", "line": 8}

    1 error
    --- exit 2
    "#);
}

/// A text that is not UTF-8 is a mistake like others: with its file, its line and a remedy.
#[test]
fn another_encoding_is_reported_with_its_place() {
    let home = Home::new();
    let utf16 = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let toml = "format = 1\n[[answer]]\nquestion = \"small\"\nline = 3\n";
    home.write("answers/latin1.toml", [toml.as_bytes(), b"# caf\xe9\n"].concat());
    home.write("answers/marked.toml", [&b"\xff\xfe"[..], &utf16(toml)].concat());
    home.write("answers/unmarked.toml", utf16(toml));
    home.write("answers/nul.jsonl", "{\"question\": \"small\",\n \u{0}\"line\": 3}\n");
    home.write("answers/latin1.py", b"ok = 1\nx = '\xe9'\n");
    home.write("answers/marked.py", [&b"\xff\xfe"[..], &utf16("x = 1\n")].concat());
    home.write("answers/unmarked.py", utf16("x = 1\n"));
    for name in ["latin1", "marked", "unmarked"] {
        home.write(&format!("answers/of-{name}.toml"), format!("{toml}fix_file = \"{name}.py\"\n"));
    }
    home.write("nul", "\u{0}");
    sessions!(home, @r#"
    $ fencepost --content packs quiz small --answers answers/latin1.toml
    --- stderr
    error[not_utf8]: byte 56 is 0xE9, which is not UTF-8
     --> answers/latin1.toml:5:6
      |
    5 | # caf�
      |      ^
      |
      = help: save the file as UTF-8

    1 error
    --- exit 2

    $ fencepost --content packs quiz small --answers answers/marked.toml
    --- stderr
    error[not_utf8]: the file is UTF-16, not UTF-8
     --> answers/marked.toml:1:1
      |
    1 | ��f␀o␀r␀m␀a␀t␀ ␀=␀ ␀1␀
      | ^
      |
      = help: save the file as UTF-8

    1 error
    --- exit 2

    $ fencepost --content packs quiz small --answers answers/unmarked.toml
    --- stderr
    error[control_character]: this file contains a NUL byte, as files in UTF-16 do
     --> answers/unmarked.toml:1:2
      |
    1 | f␀o␀r␀m␀a␀t␀ ␀=␀ ␀1␀
      |  ^
      |
      = help: save the file as UTF-8

    1 error
    --- exit 2

    $ fencepost --content packs quiz small --answers answers/nul.jsonl
    --- stderr
    error[control_character]: this file contains a NUL byte, as files in UTF-16 do
     --> answers/nul.jsonl:2:2
      |
    2 |  ␀"line": 3}
      |  ^
      |
      = help: save the file as UTF-8

    1 error
    --- exit 2

    $ fencepost --content packs quiz small --answers answers/of-latin1.toml
    --- stderr
    error[not_utf8]: `answers/latin1.py`, line 2, column 6: byte 13 is 0xE9, which is not UTF-8
     --> answers/of-latin1.toml:5:12
      |
    5 | fix_file = "latin1.py"
      |            ^^^^^^^^^^^
      |
      = help: save the file as UTF-8

    1 error
    --- exit 2

    $ fencepost --content packs quiz small --answers answers/of-marked.toml
    --- stderr
    error[not_utf8]: `answers/marked.py`, line 1, column 1: the file is UTF-16, not UTF-8
     --> answers/of-marked.toml:5:12
      |
    5 | fix_file = "marked.py"
      |            ^^^^^^^^^^^
      |
      = help: save the file as UTF-8

    1 error
    --- exit 2

    $ fencepost --content packs quiz small --answers answers/of-unmarked.toml
    --- stderr
    error[control_character]: `answers/unmarked.py`, line 1, column 2: this file contains a NUL byte, as files in UTF-16 do
     --> answers/of-unmarked.toml:5:12
      |
    5 | fix_file = "unmarked.py"
      |            ^^^^^^^^^^^^^
      |
      = help: save the file as UTF-8

    1 error
    --- exit 2

    $ fencepost --content packs quiz small --answers - < nul
    --- stderr
    error[control_character]: this file contains a NUL byte, as files in UTF-16 do
     --> <stdin>:1:1
      |
    1 | ␀
      | ^
      |
      = help: save the file as UTF-8

    1 error
    --- exit 2
    "#);
    // In a folder, the row of the learner has the place.
    let table = quiz(&home, "small --answers answers", "");
    let row = |learner: &str| -> serde_json::Value {
        let line = table.lines().find(|line| line.contains(&format!("\"learner\":\"{learner}\"")));
        serde_json::from_str(line.unwrap_or_else(|| panic!("no {learner} in {table}"))).unwrap()
    };
    each(
        [
            ("latin1", "not_utf8", 5, 6),
            ("marked", "not_utf8", 1, 1),
            ("unmarked", "control_character", 1, 2),
            ("nul", "control_character", 2, 2),
        ],
        |(learner, code, line, column)| {
            let problem = &row(learner)["problems"][0];
            assert_eq!(
                (&problem["code"], &problem["line"], &problem["column"]),
                (&code.into(), &line.into(), &column.into())
            );
        },
    );
}

/// Standard input in every state in which it can be.
#[test]
fn standard_input_may_be_anything() {
    let home = Home::new();
    home.write("windows.jsonl", "\u{feff}{\"question\": \"small\", \"line\": 3}\r\n\r\n");
    home.write("cut.jsonl", "{\"question\": \"small\", \"li");
    home.write("cut.toml", "format = 1\n[[answer]]\nquestion = \"sma");
    sessions!(home, @r#"
    $ fencepost --content packs quiz small --answers - < windows.jsonl
    right    fixture/small: line 3; score 1 of 1
             line 3 | for i in range(len(numbers) - 1):
             `range` leaves out its end, so `len(numbers)` is already one past the
             last number.

    Weights line=1,fix=0
    1 of 1 right (100 %), pass mark 100 %: passed
    --- exit 0

    $ fencepost --content packs quiz small --answers - < cut.jsonl
    --- stderr
    error[syntax]: not valid JSON: EOF while parsing a string
     --> <stdin>:1:26
      |
    1 | {"question": "small", "li
      |                          ^
      |
      = help: write one whole JSON object on each line, such as {"question": "fencing-tokens", "line": 8}

    1 error
    --- exit 2

    $ fencepost --content packs quiz small --answers - < cut.toml
    --- stderr
    error[syntax]: not valid TOML: this text is not closed on its line
     --> <stdin>:3:16
      |
    3 | question = "sma
      |                ^
      |
      = help: write `question = "sma"`

    1 error
    --- exit 2
    "#);

    // It is closed.
    #[cfg(unix)]
    {
        let program = env!("CARGO_BIN_EXE_fencepost");
        let mut shell = std::process::Command::new("sh");
        shell
            .args(["-c", &format!("'{program}' quiz fencing-tokens --answers - <&-")])
            .env_clear()
            .env("HOME", home.path());
        let output = shell.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        insta::assert_snapshot!(String::from_utf8(output.stderr).unwrap(), @"
        error[missing_key]: missing key `format` at the top of the file
        --> <stdin>
         = help: add `format = 1`

        1 error
        ");
    }

    // It is huge, deep, or no text.
    for bytes in [vec![b'{'; 9 << 20], b"{\"question\": \"small\", \"line\": \xff}".to_vec(), b"[".repeat(900_000), {
        let deep = "[".repeat(100_000);
        format!("{{\"question\": {deep}").into_bytes()
    }] {
        let mut command = home.command("quiz fencing-tokens --answers -");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), &bytes);
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{said}");
        assert!(said.starts_with("error") && said.len() < 100_000, "{said}");
    }
}

/// The file of answers may be a pipe: `/dev/stdin`, `<(...)`, or one in a folder. It has the limits of any file, and
/// programs are named from where the user is.
#[cfg(unix)]
#[test]
fn answers_may_come_through_a_pipe() {
    let home = Home::new();
    home.write("small.py", "def total(numbers):\n    return sum(numbers)\n");
    home.write("a.toml", "format = 1\n[[answer]]\nquestion = \"small\"\nline = 3\nfix_file = \"small.py\"\n");
    home.write("wrong.toml", "format = 1\n[[answer]]\nquestion = \"small\"\nline = 9\n");
    assert!(std::process::Command::new("mkfifo").arg(home.path().join("packs/pipe")).status().unwrap().success());
    let shell = |script: &str| {
        let quiz = format!("'{}' --content packs quiz small --weights line=1,fix=1", env!("CARGO_BIN_EXE_fencepost"));
        let script = script.replace("QUIZ", &quiz);
        let mut shell = std::process::Command::new("sh");
        let output = shell.args(["-c", &script]).env("HOME", home.path()).current_dir(home.path()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    each(
        [
            "cat a.toml | QUIZ --answers /dev/stdin",
            "QUIZ --answers /dev/stdin < a.toml",
            "cat a.toml | QUIZ --answers /dev/fd/3 3<&0 </dev/null",
            "cat a.toml > packs/pipe & QUIZ --answers packs/pipe",
            // A file that is gone and still open.
            "cp a.toml gone.toml; exec 3< gone.toml; rm gone.toml; QUIZ --answers /dev/fd/3",
        ],
        |script| {
            let (code, out, err) = shell(script);
            assert!((code, err.as_str()) == (Some(0), "") && out.contains("fix passed"), "{script}: {out}{err}");
        },
    );
    let (code, out, err) = shell("cat wrong.toml | QUIZ --answers /dev/stdin");
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.contains("/dev/stdin:4:8") && err.contains("has no line 9"), "{err}");
    let told = "error: the answers on `/dev/stdin` are longer than 8 MiB\n  \
                hint: split them: `--partition K/N` grades each part\n";
    let huge = shell("head -c 9000000 /dev/zero | QUIZ --answers /dev/stdin");
    assert_eq!(huge, (Some(2), String::new(), told.to_owned()));
}

#[cfg(unix)]
#[test]
fn a_file_that_never_ends_is_refused_at_once() {
    sessions!(Home::new(), @"
    $ fencepost --content packs quiz small --answers /dev/zero
    --- stderr
    error: `/dev/zero` is not a regular file
      hint: use a regular file
    --- exit 2

    $ fencepost --content packs quiz small --answers nowhere.toml
    --- stderr
    error: cannot read `nowhere.toml`: No such file or directory (os error 2)
      hint: check the name and the permissions
    --- exit 2
    ");
}

#[test]
fn a_template_can_be_filled_in_and_handed_in() {
    let home = Home::new();
    let blank = quiz(&home, "small fencing-tokens --blank", "");
    insta::assert_snapshot!(blank, @r#"
    $ fencepost --content packs quiz small fencing-tokens --blank
    # Answers to 2 questions. Write the number of the buggy line in place of each 0, then run
    #
    #     fencepost quiz --answers THIS-FILE
    #
    # with the same choice of questions. Remove an entry to leave its question out; that scores 0. An entry may also
    # have these keys:
    #
    #     fix_file = "mine.py"   your repaired program, in a file beside this one; or fix = '''...''' in place
    #     points = [1, 3]        points of the spoken answer that you covered, from 1 on; never graded

    format = 1

    # 1 of 2: The sum that forgets its last number
    # Python, junior
    #
    # The total is too small. Which line loses a number?
    #
    #    1  def total(numbers: list[int]) -> int:
    #    2      result = 0
    #    3      for i in range(len(numbers) - 1):
    #    4          result += numbers[i]
    #    5      return result
    #    6
    #    7
    #    8  print(total([1, 2, 3]))
    [[answer]]
    question = "fixture/small"
    line = 0

    # 2 of 2: Fencing tokens: the paused leader
    # Distributed systems, senior
    #
    # A lease is the right to lead for a limited time. Each new lease comes with a larger number, its
    # fencing token. The leader with token 33 is paused, so its lease ends, and the leader with token 34
    # saves a report. Then the first one wakes up and saves, too. The store should keep the newer report,
    # but the older one is stored. Which line lets that happen?
    #
    #    1  class ReportStore:
    #    2      newest = 0
    #    3      report = "none"
    #    4
    #    5      def save(self, token: int, text: str) -> bool:
    #    6          fresh = token >= self.newest
    #    7          self.newest = max(self.newest, token)
    #    8          self.report = text
    #    9          return fresh
    #   10
    #   11
    #   12  store = ReportStore()
    #   13  print("34:", store.save(34, "newer report"))
    #   14  print("33:", store.save(33, "older report"))
    #   15  print("stored:", store.report)
    [[answer]]
    question = "leases/fencing-tokens"
    line = 0
    --- exit 0
    "#);
    let body = blank.split_once('\n').unwrap().1.split_once("--- exit 0").unwrap().0;
    // As it is, every empty place is named.
    let empty = quiz(&home, "--answers -", body);
    assert!(empty.ends_with("2 errors\n--- exit 2\n"), "{empty}");
    let filled = body.replacen("line = 0", "line = 3", 1).replacen("line = 0", "line = 8\npoints = [1]", 1);
    let graded = quiz(&home, "small fencing-tokens --answers -", &filled);
    assert!(graded.ends_with("\n2 of 2 right (100 %), pass mark 100 %: passed\n--- exit 0\n"), "{graded}");
    let windows = quiz(&home, "small fencing-tokens --answers -", &filled.replace('\n', "\r\n"));
    assert_eq!(graded, windows);
    // Every shipped question fits into one file of answers.
    let everything = quiz(&home, "--blank", "");
    let body =
        everything.split_once('\n').unwrap().1.split_once("--- exit 0").unwrap().0.replace("line = 0", "line = 1");
    let graded = quiz(&home, "--answers -", &body);
    assert!(graded.ends_with("--- exit 1\n") && !graded.contains("missing "), "{graded}");
}

/// The template of a part without a question says so, and passes as it is.
#[test]
fn a_template_for_an_empty_part_says_so_and_passes() {
    let home = Home::new();
    // The hash of `fixture/small` puts it into one of the two.
    let parts = ["1/2", "2/2"].map(|part| (part, quiz(&home, &format!("small --blank --partition {part}"), "")));
    let (part, blank) = parts.iter().find(|(_, blank)| !blank.contains("[[answer]]")).unwrap();
    let body = blank.split_once('\n').unwrap().1.split_once("--- exit 0").unwrap().0;
    assert_eq!(
        body,
        "# There is nothing to answer: no question falls into this part. Handed in as it is, this file passes.\n\nformat = 1\n"
    );
    let graded = quiz(&home, &format!("small --partition {part} --answers -"), body);
    assert!(graded.contains(&format!("\nNothing was asked: no question falls into part {part}.\n")), "{graded}");
    assert!(graded.ends_with("--- exit 0\n"), "{graded}");
}

#[test]
fn a_template_too_large_to_hand_in_is_not_printed() {
    let home = Home::new();
    for n in 0..1_001 {
        home.write_question(&format!("q{n}"), &[]);
    }
    let session = quiz(&home, "--blank", "");
    let count = fencepost::content::load::load(&[]).unwrap().questions.len() + 1_002;
    let said = format!(
        "$ fencepost --content packs quiz --blank\n--- stderr\nerror: {count} questions are more than one file of answers can \
         hold\n  hint: ask for fewer: `--limit`, `--partition`, or name the questions\n--- exit 2\n"
    );
    assert_eq!(session, said);
}

#[test]
fn selections_of_questions() {
    let home = Home::new();
    home.write("none.toml", "format = 1\n");
    let names = |args: &str| -> Vec<String> {
        let report = home.stdout(&format!("--content packs quiz {args} --answers none.toml --format json"));
        let value: serde_json::Value = serde_json::from_str(&report).unwrap();
        let questions = value["questions"].as_array().unwrap();
        questions.iter().map(|question| question["question"].as_str().unwrap().to_owned()).collect()
    };
    let all = names("");
    let topic = names("--topic distributed-systems");
    assert!(topic.contains(&"leases/fencing-tokens".to_owned()) && topic.len() < all.len(), "{topic:?}");
    assert_eq!(topic, names("--topic 'Distributed systems'"));
    let junior = names("--level junior");
    assert!(junior.contains(&"fixture/small".to_owned()) && junior.len() < all.len(), "{junior:?}");
    assert_eq!(names("small fencing-tokens small"), ["fixture/small", "leases/fencing-tokens"]);

    // Parts are disjoint and complete, and in the order of the whole.
    let parts: Vec<Vec<String>> = (1..=3).map(|k| names(&format!("--partition {k}/3"))).collect();
    let mut together: Vec<String> = parts.concat();
    assert_eq!(together.len(), all.len());
    together.sort();
    let mut sorted = all.clone();
    sorted.sort();
    assert_eq!(together, sorted);

    // A seed decides the order of whatever is selected, however it was named.
    let seeded = names("small fencing-tokens tax-by-region slow-dashboard --seed 7");
    assert_eq!(seeded, names("slow-dashboard tax-by-region fencing-tokens small --seed 7"));
    let limited = names("small fencing-tokens tax-by-region slow-dashboard --seed 7 --limit 2");
    assert_eq!(limited, seeded[..2]);
    insta::assert_debug_snapshot!(seeded, @r#"
    [
        "observability/slow-dashboard",
        "python/tax-by-region",
        "fixture/small",
        "leases/fencing-tokens",
    ]
    "#);
}

#[test]
fn selections_that_make_no_sense() {
    sessions!(Home::new(), @"
    $ fencepost --content packs quiz --topic distributed-system
    --- stderr
    error: no question has the topic `distributed-system`
      hint: did you mean `distributed-systems`?
    --- exit 2

    $ fencepost --content packs quiz --topic gardening
    --- stderr
    error: no question has the topic `gardening`
      hint: `fencepost list` shows the topic of every question
    --- exit 2

    $ fencepost --content packs quiz small --level staff
    --- stderr
    error: none of the named questions is of the level `staff`
      hint: `fencepost list` shows the level and the topic of every question
    --- exit 2

    $ fencepost --content packs quiz small --topic distributed-systems --topic concurrency
    --- stderr
    error: no question has the topic `concurrency`
      hint: did you mean `concurrency-and-asyncio`?
    --- exit 2

    $ fencepost --content packs quiz --topic python --level staff
    --- stderr
    error: no question is of the topic `python` and of the level `staff`
      hint: `fencepost list` shows the level and the topic of every question
    --- exit 2

    $ fencepost --content packs quiz --limit 0
    --- stderr
    error: invalid value '0' for '--limit <NUMBER>': must be at least 1

    For more information, try '--help'.
    --- exit 2

    $ fencepost --content packs quiz --limit -1
    --- stderr
    error: invalid value '-1' for '--limit <NUMBER>': must be a whole number from 1 to 18446744073709551615

    For more information, try '--help'.
    --- exit 2

    $ fencepost --content packs quiz --limit 99999999999999999999
    --- stderr
    error: invalid value '99999999999999999999' for '--limit <NUMBER>': must be a whole number from 1 to 18446744073709551615

    For more information, try '--help'.
    --- exit 2

    $ fencepost --content packs quiz --seed -1
    --- stderr
    error: invalid value '-1' for '--seed <NUMBER>': must be a whole number from 0 to 18446744073709551615

    For more information, try '--help'.
    --- exit 2

    $ fencepost --content packs quiz --seed 1.5
    --- stderr
    error: invalid value '1.5' for '--seed <NUMBER>': must be a whole number from 0 to 18446744073709551615

    For more information, try '--help'.
    --- exit 2

    $ fencepost --content packs quiz --level expert
    --- stderr
    error: invalid value 'expert' for '--level <LEVEL>'
      [possible values: junior, mid, senior, staff]

    For more information, try '--help'.
    --- exit 2

    $ fencepost --content packs quiz --partition 4/3
    --- stderr
    error: invalid value '4/3' for '--partition <K/N>': the part must be from 1 to 3

    For more information, try '--help'.
    --- exit 2

    $ fencepost --content packs quiz --partition -1/3
    --- stderr
    error: invalid value '-1/3' for '--partition <K/N>': must be a part and a number of parts, such as 1/4

    For more information, try '--help'.
    --- exit 2

    $ fencepost --content packs quiz --pass-mark 101
    --- stderr
    error: invalid value '101' for '--pass-mark <PERCENT>': must be a whole number of percent, from 0 to 100

    For more information, try '--help'.
    --- exit 2

    $ fencepost --content packs quiz --pass-mark -5
    --- stderr
    error: invalid value '-5' for '--pass-mark <PERCENT>': must be a whole number of percent, from 0 to 100

    For more information, try '--help'.
    --- exit 2

    $ fencepost --content packs quiz --weights line=0
    --- stderr
    error: invalid value 'line=0' for '--weights <WEIGHTS>': at least one weight must be above 0

    For more information, try '--help'.
    --- exit 2

    $ fencepost --content packs quiz --blank --answers -
    --- stderr
    error: `--answers` has no effect with `--blank`: a file to fill in has no answers yet
      hint: omit `--answers`, or omit `--blank`
    --- exit 2

    $ fencepost --content packs quiz --blank --format json --pass-mark 50 --weights fix=1
    --- stderr
    error: `--format` has no effect with `--blank`: it is the format of a report; a file to fill in is TOML
        `--pass-mark` has no effect with `--blank`: nothing is graded yet; use it when the answers are
        `--weights` has no effect with `--blank`: nothing is graded yet; use it when the answers are
      hint: omit `--format`, `--pass-mark` and `--weights`, or omit `--blank`
    --- exit 2

    $ fencepost --content packs quiz --serve-stdio --blank
    --- stderr
    error: `--blank` has no effect with `--serve-stdio`: a session shows each question on request
      hint: omit `--blank`, or omit `--serve-stdio`
    --- exit 2

    $ fencepost --content packs quiz --serve-stdio --answers - --format tap --weights fix=1 --pass-mark 50
    --- stderr
    error: `--answers` has no effect with `--serve-stdio`: answers come as requests on standard input
        `--format` has no effect with `--serve-stdio`: requests and replies are JSON, one object a line
        `--pass-mark` has no effect with `--serve-stdio`: a session keeps no score
        `--weights` has no effect with `--serve-stdio`: a session keeps no score
      hint: omit `--answers`, `--format`, `--pass-mark` and `--weights`, or omit `--serve-stdio`
    --- exit 2

    $ fencepost --content packs quiz small
    --- stderr
    error: no answers, and no terminal to ask on
      hint: name a file with `--answers FILE`, or `--answers -` for standard input
      hint: `fencepost quiz --blank` prints a file to fill in
    --- exit 2
    ");
}

#[test]
fn every_selection_that_makes_no_sense_is_told() {
    let args = ["--topic", "gardening", "fencing-token", "--topic", "pyton", "no\nsuch", "small"];
    insta::assert_snapshot!(Home::new().run(&[&["--content", "packs", "quiz"], &args[..]].concat()), @"
    $ fencepost --content packs quiz --topic gardening fencing-token --topic pyton no
    such small
    --- stderr
    error: there is no question `fencing-token`; did you mean `leases/fencing-tokens`?
        there is no question `no␊such`; `fencepost list` shows every question
        no question has the topic `gardening`; `fencepost list` shows the topic of every question
        no question has the topic `pyton`; did you mean `python`?
    --- exit 2
    ");
}

/// The schema of answers says what the reader says.
#[test]
fn the_schema_of_answers_agrees_with_their_reader() {
    let home = Home::new();
    let whole = |line: &str| format!("{{\"question\": \"small\", {line}}}\n");
    each(
        ["\"line\": 3", "\"lines\": [2, 3]", "\"fix\": \"x\"", "\"points\": [1]", "\"line\": 3, \"format\": 1"],
        |line| {
            let value = serde_json::from_str(&whole(line)).unwrap();
            assert_fits("quiz-answers.schema.json", &value);
            let code = quiz(&home, "small --answers -", &whole(line));
            assert!(!code.ends_with("--- exit 2\n"), "{code}");
        },
    );
    let schema = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/quiz-answers.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    each(
        [
            "\"lines\": []",
            "\"line\": 0",
            "\"line\": \"3\"",
            "\"lines\": [3, 3]",
            "\"line\": 3, \"lines\": [3]",
            "\"fix\": \"x\", \"fix_file\": \"y\"",
            "\"Line\": 3",
            "\"format\": 1",
            "\"line\": 3, \"format\": 2",
        ],
        |line| {
            assert!(!validator.is_valid(&serde_json::from_str(&whole(line)).unwrap()), "{line}");
            let code = quiz(&home, "small --answers -", &whole(line));
            assert!(code.ends_with("--- exit 2\n"), "{code}");
        },
    );
    let toml: toml::Value = toml::from_str("format = 1\n[[answer]]\nquestion = \"small\"\nline = 3\n").unwrap();
    assert_fits("quiz-answers.schema.json", &serde_json::to_value(toml).unwrap());
}

/// A quiz over all questions shows by its exit code that one cannot be read.
#[test]
fn a_quiz_over_all_questions_is_incomplete_where_one_cannot_be_read() {
    let home = Home::new();
    home.write("packs/pack/broken.toml", "x = [\n");
    let exit = |args: &str| {
        let session = quiz(&home, args, "format = 1\n");
        session.rsplit_once("--- ").unwrap().1.trim().to_owned()
    };
    assert_eq!(exit("--answers -"), "exit 3");
    assert_eq!(exit("--answers - --pass-mark 0"), "exit 3");
    assert_eq!(exit("small --answers -"), "exit 1");
    assert_eq!(exit("--blank"), "exit 3");
    assert_eq!(exit("small --blank"), "exit 0");
    // Of several that cannot be asked, each is told; one that is no question at all is a mistake of the command line.
    assert_eq!(exit("broken --blank"), "exit 3");
    assert_eq!(exit("broken nothing --blank"), "exit 2");
}
