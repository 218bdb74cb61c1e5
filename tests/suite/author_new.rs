//! What `author new` makes, and where it refuses to.

use std::fs;
use std::path::Path;

use crate::command::Home;

#[test]
fn a_new_question_passes_at_once_and_nothing_is_overwritten() {
    let home = Home::new();
    let mut all = home.run("author new first --pack my-pack");
    all += &home.run("author new second --pack my-pack --topic 'Say \"hi\"'");
    all += &home.run("author new first --pack my-pack");
    all += &home.run("author check my-pack");
    all += &home.run("author new 'Not an id' --pack my-pack");
    all += &home.run("author new lost --pack packs");
    all += &home.run("author new lost --pack 'no pack!'");
    all += &home.run("author new here --pack packs/fixture");
    insta::assert_snapshot!(all);
    let files = ["pack.toml", "question.schema.json", "first.toml", "second.toml"];
    assert!(files.iter().all(|file| home.path().join("my-pack").join(file).is_file()));
    assert!(!home.path().join("packs/pack.toml").exists());
    let beside = fs::read_to_string(home.path().join("packs/fixture/here.toml")).unwrap();
    assert!(beside.starts_with("#:schema ../../assets/question.schema.json\n"), "as in the question beside it");
}

#[test]
fn a_question_that_could_not_be_used_is_not_begun() {
    let home = Home::new();
    for args in
        [&["pack"][..], &["one", "--topic", " "], &["one", "--topic", "a\nb"], &["one", "--topic", "a\u{202e}b"]]
    {
        let said = home.run(&[&["author", "new", "--pack", "fresh"], args].concat());
        assert!(said.ends_with("--- exit 2\n"), "{said}");
    }
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

/// A pack that cannot be read is shown with its fault, and gets no question.
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
    insta::assert_snapshot!(all);
}

/// Where no pack can be, the message names the folder and what to type.
#[test]
fn a_folder_that_can_be_no_pack_is_named() {
    let home = Home::new();
    let in_folder = |folder: &str, args: &[&str]| {
        let args = [&["author", "new", "first"], args].concat();
        let mut command = home.command(&args);
        command.current_dir(home.path().join(folder));
        home.finish(&args, command)
    };
    home.write("my questions/notes.txt", "");
    home.write("rust/Cargo.toml", "[package]\n");
    home.write("work/project/Cargo.toml", "[package]\n");
    home.write("drafts/old.toml", include_str!("../fixtures/small.toml"));
    std::os::unix::fs::symlink("nowhere", home.path().join("lost")).unwrap();
    let mut all = String::new();
    for (folder, args) in [
        ("packs", &[][..]),
        ("packs", &["--pack", "."]),
        (".", &["--pack", "packs/fixture/.."]),
        ("/", &[]),
        ("my questions", &[]),
        ("rust", &[]),
        (".", &["--pack", "rust/Cargo.toml"]),
        (".", &["--pack", "rust/Cargo.toml/deeper"]),
        (".", &["--pack", "lost"]),
        (".", &["--pack", "/proc/nothing-can-be-made-here"]),
    ] {
        let place = home.path().join(folder);
        let before = all_in(&place);
        all += &format!("{folder}: {}", in_folder(folder, args));
        assert!(folder == "/" || all_in(&place) == before, "{folder}");
    }
    // Other files are no hindrance, nor are folders that are no packs, nor questions that are there already.
    for folder in ["work", "drafts"] {
        all += &format!("{folder}: {}", in_folder(folder, &[]));
        let check = home.run(&["author", "check", &format!("{folder}/first.toml")]);
        assert!(check.ends_with("no problems\n--- exit 0\n"), "{check}");
    }
    insta::assert_snapshot!(all);
}
