//! What `author check` takes for checked where a folder is named, and what it says of the rest.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use crate::command::Home;

const SMALL: &str = include_str!("../fixtures/small.toml");
const PACK: &str = include_str!("../fixtures/pack.toml");

/// The small question with a mistake that names `place`.
fn mistaken(place: &str) -> String {
    SMALL.replace("level = \"junior\"", &format!("level = \"{place}\""))
}

/// The first line of each problem with its place, and what came of it.
fn short(said: &str) -> String {
    let kept = |line: &&str| {
        let line = line.trim_start();
        ["$ ", "error", "warning", "--> ", "note: ", "--- "].iter().any(|start| line.starts_with(start))
            || line.contains("question,")
            || line.contains("questions,")
    };
    said.lines().filter(kept).map(|line| line.trim_start().to_owned() + "\n").collect()
}

/// However deep a question stands, and whatever stands around it, its mistakes are told.
#[test]
fn every_pack_below_a_folder_is_checked() {
    let home = Home::new();
    home.write("course/week1/monday/pack.toml", PACK);
    home.write("course/week1/monday/small.toml", mistaken("deep"));
    home.write("outer/pack.toml", PACK);
    home.write("outer/small.toml", mistaken("outer"));
    home.write("outer/inner/pack.toml", PACK);
    home.write("outer/inner/small.toml", mistaken("inner"));
    home.write("bare/small.toml", mistaken("bare"));
    home.write("bare/below/pack.toml", PACK);
    home.write("bare/below/small.toml", mistaken("below"));
    let all: String =
        ["course", "outer", "bare"].map(|folder| short(&home.run(&format!("author check {folder}")))).join("\n");
    insta::assert_snapshot!(all);
}

/// A folder without a `pack.toml` is named by itself and by the one around it; the two say the same.
#[test]
fn a_folder_without_a_description_is_a_pack_if_it_has_a_question() {
    let home = Home::new();
    home.write("around/bare/small.toml", SMALL);
    home.write("around/bare/no-table.toml", "format = 1\nid = \"no-table\"\n");
    home.write("around/bare/typo.toml", "format = 1\nid = \"typo\n");
    home.write("around/bare/notes.toml", "[notes]\nids = []\n");
    let [inside, outside] = ["around/bare", "around"].map(|folder| home.run(&format!("author check {folder}")));
    assert_eq!(inside.split_once('\n').unwrap().1, outside.split_once('\n').unwrap().1);
    insta::assert_snapshot!(short(&inside));
    // What is named is a question, whatever is in it.
    let named = home.run("author check around/bare around/bare/notes.toml");
    assert!(named.contains("--> around/bare/notes.toml:1:1"), "{named}");
}

/// Other tools have their TOML files beside the questions, and above them.
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
    // Learners are not told of them either.
    let listed = home.run("list --content .");
    assert!(!listed.contains("pyproject") && !listed.contains("no_pack"), "{listed}");
    // A slip may have cost a question its keys.
    home.write("slip/only.toml", "id = \"only\n");
    assert!(home.run("author check slip").contains("error[syntax]"));
}

#[test]
fn what_is_left_out_is_named_with_the_reason() {
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
    let mut all = String::new();
    for path in ["packs", "upper"] {
        all += &home.run(&format!("author check {path}"));
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

#[test]
fn packs_of_one_name_are_reported() {
    let home = Home::new();
    for place in ["a", "b"] {
        home.write(&format!("{place}/fixture/pack.toml"), PACK);
        home.write(&format!("{place}/fixture/small.toml"), SMALL);
    }
    insta::assert_snapshot!(home.run("author check a/fixture b/fixture"));
}

#[test]
fn what_content_names_is_not_ignored_in_silence() {
    let home = Home::new();
    let mut all = String::new();
    for args in [
        &["--content", "nowhere", "author", "check", "packs"][..],
        &["--content", "nowhere", "author", "check"],
        &["--content", "packs", "author", "check", "packs/fixture/small.toml"],
    ] {
        all += &home.run(args);
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}
