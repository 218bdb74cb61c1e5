//! Tests of the files that `author new` creates, and of its refusals.

use std::fs;
use std::path::Path;

use crate::cases::each;
use crate::command::{Home, SMALL, sessions};

#[test]
fn a_new_question_passes_at_once_and_nothing_is_overwritten() {
    let home = Home::new();
    sessions!(home, @r#"
    $ fencepost author new first --pack my-pack
    my-pack/first.toml
    --- stderr
    Created the pack [home]/my-pack
    It already passes every check. Now make it your own:
      fencepost author preview my-pack/first.toml
      fencepost author check my-pack/first.toml
    --- exit 0

    $ fencepost author new second --pack my-pack --topic 'Say "hi"'
    my-pack/second.toml
    --- stderr
    It already passes every check. Now make it your own:
      fencepost author preview my-pack/second.toml
      fencepost author check my-pack/second.toml
    --- exit 0

    $ fencepost author new first --pack my-pack
    --- stderr
    error: `my-pack/first.toml` already exists
      hint: `fencepost author preview my-pack/first.toml` opens it; use another id for a new question
    --- exit 2

    $ fencepost author check my-pack
    2 questions, 32 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    add `--python auto` and `--mypy` to prove more
    no problems
    --- exit 0

    $ fencepost author new 'Not an id' --pack my-pack
    --- stderr
    error: `Not an id` cannot be an id
      hint: use lowercase letters, digits and single hyphens, such as `fencepost author new not-an-id`
    --- exit 2

    $ fencepost author new lost --pack packs
    --- stderr
    error: `packs` is a folder of packs, not a pack
      hint: name one of its packs, or a new one: `fixture`
      hint: `fencepost author new lost --pack packs/fixture`
    --- exit 2

    $ fencepost author new lost --pack 'no pack!'
    --- stderr
    error: the folder `no pack!` cannot be a pack because of its name
      hint: use letters, digits, `-` and `_` in the folder's name
      hint: `fencepost author new lost --pack no-pack`
    --- exit 2

    $ fencepost author new here --pack packs/fixture
    packs/fixture/here.toml
    --- stderr
    It already passes every check. Now make it your own:
      fencepost author preview packs/fixture/here.toml
      fencepost author check packs/fixture/here.toml
    --- exit 0
    "#);
    let files = ["pack.toml", "question.schema.json", "first.toml", "second.toml"];
    assert!(files.iter().all(|file| home.path().join("my-pack").join(file).is_file()));
    assert!(!home.path().join("packs/pack.toml").exists());
    let beside = fs::read_to_string(home.path().join("packs/fixture/here.toml")).unwrap();
    assert!(beside.starts_with("#:schema ../../assets/question.schema.json\n"), "as in the question beside it");
}

#[test]
fn a_question_that_could_not_be_used_is_not_begun() {
    let home = Home::new();
    each(
        [&["pack"][..], &["one", "--topic", " "], &["one", "--topic", "a\nb"], &["one", "--topic", "a\u{202e}b"]],
        |args| {
            let said = home.run(&[&["author", "new", "--pack", "fresh"], args].concat());
            assert!(said.ends_with("--- exit 2\n"), "{said}");
        },
    );
    assert!(!home.path().join("fresh").exists());
}

/// Everything in a folder, with the texts of its files.
fn all_in(folder: &Path) -> Vec<(String, Option<String>)> {
    let mut all: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).ok()))
        .collect();
    all.sort();
    all
}

/// Problems of an invalid pack are shown, and no question is added to it.
#[test]
fn a_broken_pack_gets_no_question() {
    let home = Home::new();
    home.write("syntax/pack.toml", "format = 1\ntitle = \"One\nsummary = \"Two\"\n");
    home.write("lacking/pack.toml", "format = 1\ntitle = \"One\"\n");
    fs::create_dir_all(home.path().join("folder/pack.toml")).unwrap();
    fs::create_dir(home.path().join("link")).unwrap();
    std::os::unix::fs::symlink("nowhere", home.path().join("link/pack.toml")).unwrap();
    let mut all = String::new();
    for pack in ["syntax", "lacking", "folder", "link"] {
        let before = all_in(&home.path().join(pack));
        all += &home.run(&format!("author new first --pack {pack}"));
        assert_eq!(all_in(&home.path().join(pack)), before, "{pack}");
    }
    insta::assert_snapshot!(all, @r#"
    $ fencepost author new first --pack syntax
    --- stderr
    error[syntax]: not valid TOML: this text is not closed on its line
     --> syntax/pack.toml:2:13
      |
    2 | title = "One
      |             ^
      |
      = help: write `title = "One"`

    1 error
    nothing was written: fix the pack first
    --- exit 3
    $ fencepost author new first --pack lacking
    --- stderr
    error[missing_key]: missing key `summary` at the top of the file
     --> lacking/pack.toml:1:1
      |
    1 | format = 1
      | ^
      |
      = help: add `summary = "..."`

    error[missing_key]: missing key `authors` at the top of the file
     --> lacking/pack.toml:1:1
      |
    1 | format = 1
      | ^
      |
      = help: add `authors = ["..."]`

    error[missing_key]: missing key `licence` at the top of the file
     --> lacking/pack.toml:1:1
      |
    1 | format = 1
      | ^
      |
      = help: add `licence = "..."`

    error[missing_key]: missing key `report` at the top of the file
     --> lacking/pack.toml:1:1
      |
    1 | format = 1
      | ^
      |
      = help: add `report = "..."`

    4 errors
    nothing was written: fix the pack first
    --- exit 3
    $ fencepost author new first --pack folder
    --- stderr
    error[not_a_file]: `folder/pack.toml` is not a regular file
    --> folder/pack.toml
     = help: use a regular file

    1 error
    nothing was written: fix the pack first
    --- exit 3
    $ fencepost author new first --pack link
    --- stderr
    error[unreadable]: cannot read `link/pack.toml`: No such file or directory (os error 2)
    --> link/pack.toml
     = help: check the name and the permissions

    1 error
    nothing was written: fix the pack first
    --- exit 3
    "#);
}

/// If a folder cannot be a pack, the message names it and the command to use.
#[test]
fn a_folder_that_can_be_no_pack_is_named() {
    let home = Home::new();
    let in_folder = |folder: &str, args: &str| {
        home.run_with(&format!("author new first {args}"), |command| command.current_dir(home.path().join(folder)))
    };
    home.write("my questions/notes.txt", "");
    home.write("rust/Cargo.toml", "[package]\n");
    home.write("work/project/Cargo.toml", "[package]\n");
    home.write("drafts/old.toml", SMALL);
    std::os::unix::fs::symlink("nowhere", home.path().join("lost")).unwrap();
    let mut all = String::new();
    for (folder, args) in [
        ("packs", ""),
        ("packs", "--pack ."),
        (".", "--pack packs/fixture/.."),
        ("/", ""),
        ("my questions", ""),
        ("rust", ""),
        (".", "--pack rust/Cargo.toml"),
        (".", "--pack rust/Cargo.toml/deeper"),
        (".", "--pack lost"),
        (".", "--pack /proc/nothing-can-be-made-here"),
    ] {
        let place = home.path().join(folder);
        let before = all_in(&place);
        all += &format!("{folder}: {}", in_folder(folder, args));
        assert!(folder == "/" || all_in(&place) == before, "{folder}");
    }
    // Other files, folders that are not packs, and existing questions are no reason to refuse.
    for folder in ["work", "drafts"] {
        all += &format!("{folder}: {}", in_folder(folder, ""));
        let check = home.run(&format!("author check {folder}/first.toml"));
        assert!(check.ends_with("no problems\n--- exit 0\n"), "{check}");
    }
    insta::assert_snapshot!(all, @"
    packs: $ fencepost author new first 
    --- stderr
    error: `[home]/packs` is a folder of packs, not a pack
      hint: name one of its packs, or a new one: `fixture`
      hint: `fencepost author new first --pack fixture`
    --- exit 2
    packs: $ fencepost author new first --pack .
    --- stderr
    error: `[home]/packs` is a folder of packs, not a pack
      hint: name one of its packs, or a new one: `fixture`
      hint: `fencepost author new first --pack fixture`
    --- exit 2
    .: $ fencepost author new first --pack packs/fixture/..
    --- stderr
    error: `packs/fixture/..` is a folder of packs, not a pack
      hint: name one of its packs, or a new one: `fixture`
      hint: `fencepost author new first --pack packs/fixture/../fixture`
    --- exit 2
    /: $ fencepost author new first 
    --- stderr
    error: the folder `/` cannot be a pack because of its name
      hint: use letters, digits, `-` and `_` in the folder's name
      hint: `fencepost author new first --pack my-questions`
    --- exit 2
    my questions: $ fencepost author new first 
    --- stderr
    error: the folder `[home]/my questions` cannot be a pack because of its name
      hint: use letters, digits, `-` and `_` in the folder's name
      hint: `fencepost author new first --pack my-questions`
    --- exit 2
    rust: $ fencepost author new first 
    --- stderr
    error: `[home]/rust` cannot become a pack: it contains `Cargo.toml`, which is not a question
      hint: every `.toml` file of a pack is a question, so a pack has a folder of its own
      hint: `fencepost author new first --pack questions`
    --- exit 2
    .: $ fencepost author new first --pack rust/Cargo.toml
    --- stderr
    error: `rust/Cargo.toml` is a file, but a pack is a folder
      hint: `fencepost author new first --pack rust/my-questions`
    --- exit 2
    .: $ fencepost author new first --pack rust/Cargo.toml/deeper
    --- stderr
    error: `rust/Cargo.toml` is a file, but a pack is a folder
      hint: `fencepost author new first --pack rust/my-questions`
    --- exit 2
    .: $ fencepost author new first --pack lost
    --- stderr
    error: `lost` is a file, but a pack is a folder
      hint: `fencepost author new first --pack my-questions`
    --- exit 2
    .: $ fencepost author new first --pack /proc/nothing-can-be-made-here
    --- stderr
    error: cannot create the pack `/proc/nothing-can-be-made-here`
      because: No such file or directory (os error 2)
    --- exit 4
    work: $ fencepost author new first 
    first.toml
    --- stderr
    Created the pack [home]/work
    It already passes every check. Now make it your own:
      fencepost author preview first.toml
      fencepost author check first.toml
    --- exit 0
    drafts: $ fencepost author new first 
    first.toml
    --- stderr
    Created the pack [home]/drafts
    It already passes every check. Now make it your own:
      fencepost author preview first.toml
      fencepost author check first.toml
    --- exit 0
    ");
}
