//! Tests of the questions that `author check` finds in folders, and of what it reports as ignored.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use crate::command::{Home, PACK, SMALL, sessions, small};

/// The small question with a mistake that names `place`.
fn mistaken(place: &str) -> String {
    small(&[("level = \"junior\"", &format!("level = \"{place}\""))])
}

/// The first line of each problem with its place, and the result.
fn short(said: &str) -> String {
    let kept = |line: &&str| {
        let line = line.trim_start();
        ["$ ", "error", "warning", "--> ", "note: ", "--- "].iter().any(|start| line.starts_with(start))
            || line.contains("question,")
            || line.contains("questions,")
    };
    said.lines().filter(kept).map(|line| line.trim_start().to_owned() + "\n").collect()
}

/// Mistakes in a question are reported, however deep its folder is.
#[test]
fn every_pack_below_a_folder_is_checked() {
    let home = Home::empty()
        .with("course/week1/monday/pack.toml", PACK)
        .with("course/week1/monday/small.toml", mistaken("deep"))
        .with("outer/pack.toml", PACK)
        .with("outer/small.toml", mistaken("outer"))
        .with("outer/inner/pack.toml", PACK)
        .with("outer/inner/small.toml", mistaken("inner"))
        .with("bare/small.toml", mistaken("bare"))
        .with("bare/below/pack.toml", PACK)
        .with("bare/below/small.toml", mistaken("below"));
    let all: String =
        ["course", "outer", "bare"].map(|folder| short(&home.run(&format!("author check {folder}")))).join("\n");
    insta::assert_snapshot!(all, @"
    $ fencepost author check course
    error[bad_value]: `deep` is not a level
    --> course/week1/monday/small.toml:6:9
    1 question, 0 programs
    --- exit 3

    $ fencepost author check outer
    error[bad_value]: `outer` is not a level
    --> outer/small.toml:6:9
    error[bad_value]: `inner` is not a level
    --> outer/inner/small.toml:6:9
    2 questions, 0 programs
    --- exit 3

    $ fencepost author check bare
    error[no_pack]: the folder `bare` has questions, but no `pack.toml`
    --> bare/pack.toml
    error[bad_value]: `bare` is not a level
    --> bare/small.toml:6:9
    error[bad_value]: `below` is not a level
    --> bare/below/small.toml:6:9
    2 questions, 0 programs
    --- exit 3
    ");
}

/// A folder without a `pack.toml` gives the same report if the folder around it is named.
#[test]
fn a_folder_without_a_description_is_a_pack_if_it_has_a_question() {
    let home = Home::empty()
        .with("around/bare/small.toml", SMALL)
        .with("around/bare/no-table.toml", "format = 1\nid = \"no-table\"\n")
        .with("around/bare/typo.toml", "format = 1\nid = \"typo\n")
        .with("around/bare/notes.toml", "[notes]\nids = []\n");
    let [inside, outside] = ["around/bare", "around"].map(|folder| home.run(&format!("author check {folder}")));
    assert_eq!(inside.split_once('\n').unwrap().1, outside.split_once('\n').unwrap().1);
    insta::assert_snapshot!(short(&inside), @"
    $ fencepost author check around/bare
    error[no_pack]: the folder `around/bare` has questions, but no `pack.toml`
    --> around/bare/pack.toml
    error[missing_key]: missing key `title` at the top of the file
    --> around/bare/no-table.toml:1:1
    error[missing_key]: missing key `topic` at the top of the file
    --> around/bare/no-table.toml:1:1
    error[missing_key]: missing key `level` at the top of the file
    --> around/bare/no-table.toml:1:1
    error[missing_key]: missing key `python` at the top of the file
    --> around/bare/no-table.toml:1:1
    error[missing_key]: missing key `spot` at the top of the file
    --> around/bare/no-table.toml:1:1
    error[missing_key]: missing key `fixed` at the top of the file
    --> around/bare/no-table.toml:1:1
    error[missing_key]: missing key `check` at the top of the file
    --> around/bare/no-table.toml:1:1
    error[missing_key]: missing key `say` at the top of the file
    --> around/bare/no-table.toml:1:1
    error[missing_key]: missing key `learn` at the top of the file
    --> around/bare/no-table.toml:1:1
    error[syntax]: not valid TOML: this text is not closed on its line
    --> around/bare/typo.toml:2:11
    3 questions, 9 programs
    --- exit 3
    ");
    // A file that is named counts as a question, whatever it contains.
    let named = home.run("author check around/bare around/bare/notes.toml");
    assert!(named.contains("--> around/bare/notes.toml:1:1"), "{named}");
}

/// TOML files of other tools may be beside the questions and above them.
#[test]
fn toml_of_other_tools_is_no_question() {
    let home = Home::new();
    home.write("repo/pyproject.toml", "[project]\nname = \"shop\"\nversion = \"1\"\n");
    home.write("repo/ruff.toml", "[format]\nquote-style = \"single\"\n");
    home.write("repo/questions/pack.toml", PACK);
    home.write("repo/questions/small.toml", mistaken("questions"));
    let checked = home.run("author check .");
    assert!(checked.contains("2 questions, ") && checked.contains("repo/questions/small.toml"), "{checked}");
    assert!(!checked.contains("pyproject") && !checked.contains("ruff"), "{checked}");
    // `--content` does not report them either.
    let listed = home.run("list --content .");
    assert!(!listed.contains("pyproject") && !listed.contains("no_pack"), "{listed}");
    // A syntax error may hide the keys of a question.
    home.write("slip/only.toml", "id = \"only\n");
    assert!(home.run("author check slip").contains("error[syntax]"));
}

#[test]
fn files_that_are_left_out_are_named_with_the_reason() {
    let home = Home::new();
    fs::write(home.path().join("packs/fixture").join(OsStr::from_bytes(b"caf\xe9.toml")), SMALL).unwrap();
    home.write("packs/fixture/two.TOML", SMALL);
    home.write("packs/fixture/.hidden.toml", "=");
    home.write("packs/fixture/small.toml.bak", "=");
    home.write("elsewhere/pack/pack.toml", PACK);
    home.write("elsewhere/notes/notes.txt", "");
    std::os::unix::fs::symlink("../elsewhere/pack", home.path().join("packs/linked")).unwrap();
    std::os::unix::fs::symlink("../elsewhere/notes", home.path().join("packs/notes")).unwrap();
    std::os::unix::fs::symlink("..", home.path().join("packs/around")).unwrap();
    home.write("packs/only/two.TOML", SMALL);
    home.write("upper/pack.toml", PACK);
    home.write("upper/small.TOML", SMALL);
    sessions!(home, @"
    $ fencepost author check packs
    error[name]: the name of `packs/fixture/caf�.toml` is not UTF-8
    --> packs/fixture/caf�.toml
     = help: rename it to the question's id and `.toml`, so that it is checked

    warning[left_out]: ignored `packs/fixture/two.TOML`: a question file must end in `.toml`
    --> packs/fixture/two.TOML
     = help: rename it to `two.toml`

    warning[left_out]: `packs/linked` is a link to a pack, and links to folders are not followed
    --> packs/linked
     = help: name the link itself to check its pack

    warning[left_out]: ignored `packs/only/two.TOML`: a question file must end in `.toml`
    --> packs/only/two.TOML
     = help: rename it to the question's id and `.toml`

    1 error, 3 warnings

    1 question, 9 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- exit 3

    $ fencepost author check upper
    warning[left_out]: ignored `upper/small.TOML`: a question file must end in `.toml`
    --> upper/small.TOML
     = help: rename it to `small.toml`

    error[no_question]: there is no question in the pack `upper`
     --> upper/pack.toml:1:1
      |
    1 | format = 1
      | ^
      |
      = help: `fencepost author new ID --pack upper` creates one

    1 error, 1 warning

    0 questions, 0 programs
    not passed
    --- exit 3
    ");
}

#[test]
fn packs_of_one_name_are_reported() {
    let home = Home::empty()
        .with("a/fixture/pack.toml", PACK)
        .with("a/fixture/small.toml", SMALL)
        .with("b/fixture/pack.toml", PACK)
        .with("b/fixture/small.toml", SMALL);
    sessions!(home, @"
    $ fencepost author check a/fixture b/fixture
    warning[duplicate_pack]: another pack is also called `fixture`, in `a/fixture`
    --> b/fixture/pack.toml
     = help: rename one of the folders: learners see only the last one

    1 warning

    2 questions, 18 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    add `--python auto` and `--mypy` to prove more
    passed, with warnings
    --- exit 0
    ");
}

#[test]
fn folders_named_by_content_are_not_ignored_in_silence() {
    sessions!(Home::new(), @"
    $ fencepost --content nowhere author check packs
    --- stderr
    error: cannot read the folder `nowhere`
      because: No such file or directory (os error 2)
      hint: `--content` takes a pack, which is a folder with a `pack.toml`, or a folder of packs
    --- exit 3

    $ fencepost --content nowhere author check
    --- stderr
    error: cannot read the folder `nowhere`
      because: No such file or directory (os error 2)
      hint: `--content` takes a pack, which is a folder with a `pack.toml`, or a folder of packs
    --- exit 3

    $ fencepost --content packs author check packs/fixture/small.toml
    1 question, 9 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    add `--python auto` and `--mypy` to prove more
    no problems
    --- stderr
    note: only the named paths are checked, not those of `--content`
    --- exit 0
    ");
}
