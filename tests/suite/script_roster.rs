//! A table with a roster: who handed nothing in, and who is not on it.

use serde_json::Value;

use crate::command::{Home, sessions};
use crate::script_reports::assert_fits;

const TABLE: &str = "--content packs quiz small --answers class";

/// Learner, file, `handed_in`, `on_roster` and score of each row.
fn rows(session: &str) -> Vec<String> {
    let rows = session.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let row = |row: Value| {
        assert_fits("quiz-table.schema.json", &row);
        ["learner", "file", "handed_in", "on_roster", "score", "of"].map(|key| row[key].to_string()).join(" ")
    };
    rows.map(row).collect()
}

#[test]
fn who_handed_nothing_in_has_a_row_by_name() {
    let home = Home::new();
    home.write("class/bob.toml", "format = 1\n[[answer]]\nquestion = \"small\"\nline = 3\n");
    home.write("class/eve.jsonl", "{\"question\": \"small\", \"line\": 3}\n");
    home.write("class/bad.toml", "x");
    home.write("roster.txt", "# 2026\ncid\n\nada\nbob\nbad\n");
    let session = home.run(&format!("{TABLE} --roster roster.txt"));
    let expected = [
        r#""ada" null false true 0 1"#,
        r#""bad" "bad.toml" true true 0 1"#,
        r#""bob" "bob.toml" true true 1 1"#,
        r#""cid" null false true 0 1"#,
        r#""eve" "eve.jsonl" true false 1 1"#,
    ];
    assert_eq!(rows(&session), expected);
    let end =
        "--- stderr\n2 of 5 passed; 2 handed nothing in; 1 could not be graded; 1 not on the roster\n--- exit 1\n";
    assert!(session.ends_with(end), "{session}");
    // Without one, nothing is said of it.
    let session = home.run(TABLE);
    let expected = [
        r#""bad" "bad.toml" true null 0 1"#,
        r#""bob" "bob.toml" true null 1 1"#,
        r#""eve" "eve.jsonl" true null 1 1"#,
    ];
    assert_eq!(rows(&session), expected);
}

/// The table has a row for each learner without a file; if all passed, the exit code is 0.
#[test]
fn a_class_may_hand_in_nothing_or_everything() {
    let home = Home::new();
    home.write("class/.keep", "");
    home.write("roster.txt", "ada\nbob\n");
    let args = format!("{TABLE} --roster roster.txt --pass-mark 0");
    let nothing = home.run(&args);
    assert_eq!(rows(&nothing), [r#""ada" null false true 0 1"#, r#""bob" null false true 0 1"#]);
    assert!(nothing.ends_with("--- stderr\n0 of 2 passed; 2 handed nothing in\n--- exit 1\n"), "{nothing}");
    home.write("class/ada.toml", "format = 1\n");
    home.write("class/bob.toml", "format = 1\n");
    let everything = home.run(&args);
    assert!(everything.ends_with("--- stderr\n2 of 2 passed\n--- exit 0\n"), "{everything}");
}

/// It may come through a pipe, as from a list of another program.
#[cfg(unix)]
#[test]
fn a_roster_may_come_through_a_pipe() {
    let home = Home::new();
    home.write("class/bob.toml", "format = 1\n");
    let program = env!("CARGO_BIN_EXE_fencepost");
    let script = format!("printf 'ada\\nbob\\n' | '{program}' {TABLE} --roster /dev/stdin");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).env_clear().env("HOME", home.path()).env("PATH", "/usr/bin:/bin");
    let output = shell.current_dir(home.path()).output().unwrap();
    let rows = rows(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(rows, [r#""ada" null false true 0 1"#, r#""bob" "bob.toml" true true 0 1"#]);
}

#[test]
fn every_mistake_of_a_roster_is_listed() {
    let home = Home::new()
        .with("class/ada.toml", "format = 1\n")
        .with("twice.txt", "ada\nbob.toml\n  ada\nclass/cid\n")
        .with("latin1.txt", b"ada\nzo\xeb\n")
        .with("empty.txt", "")
        .with("comments.txt", "# nobody yet\n")
        .with("nul.txt", "a\0d\0a\0\n\0");
    sessions!(home, @"
    $ fencepost --content packs quiz small --answers class --roster twice.txt
    --- stderr
    error[bad_value]: `bob.toml` has the ending of a file
     --> twice.txt:2:1
      |
    2 | bob.toml
      | ^^^^^^^^
      |
      = help: write `bob`

    error[duplicate_learner]: `ada` is already on line 1
     --> twice.txt:3:3
      |
    3 |   ada
      |   ^^^
      |
      = help: keep one of them

    error[bad_value]: `class/cid` cannot be the name of a file
     --> twice.txt:4:1
      |
    4 | class/cid
      | ^^^^^^^^^
      |
      = help: write the name of the learner's file, without its folder and its ending

    3 errors
    --- exit 2

    $ fencepost --content packs quiz small --answers class --roster latin1.txt
    --- stderr
    error[not_utf8]: byte 7 is 0xEB, which is not UTF-8
     --> latin1.txt:2:3
      |
    2 | zo�
      |   ^
      |
      = help: save the file as UTF-8

    1 error
    --- exit 2

    $ fencepost --content packs quiz small --answers class --roster empty.txt
    --- stderr
    error[empty]: the roster has no names
    --> empty.txt
     = help: write one learner on each line

    1 error
    --- exit 2

    $ fencepost --content packs quiz small --answers class --roster comments.txt
    --- stderr
    error[empty]: the roster has no names
     --> comments.txt:2:1
      |
    2 |
      | ^
      |
      = help: write one learner on each line

    1 error
    --- exit 2

    $ fencepost --content packs quiz small --answers class --roster nul.txt
    --- stderr
    error[control_character]: this file contains a NUL byte, as files in UTF-16 do
     --> nul.txt:1:2
      |
    1 | a␀d␀a␀
      |  ^
      |
      = help: save the file as UTF-8

    1 error
    --- exit 2

    $ fencepost --content packs quiz small --answers class --roster nowhere.txt
    --- stderr
    error: cannot read `nowhere.txt`: No such file or directory (os error 2)
      hint: check the name and the permissions
    --- exit 2

    $ fencepost --content packs quiz small --answers class --roster class
    --- stderr
    error: `class` is not a regular file
      hint: use a regular file
    --- exit 2
    ");
}
