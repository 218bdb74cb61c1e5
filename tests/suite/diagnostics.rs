//! Tests of the problems that authors see: every one in every file, with its place, its reason and its remedy.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use fencepost::content::catalog::Catalog;
use fencepost::content::diagnostic::codes;
use fencepost::content::{load, render};

use crate::cases::each;
use crate::command::{PACK, SMALL, small};

/// A folder with one pack called `pack`.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("pack.toml", PACK);
        folder
    }

    fn path(&self) -> std::path::PathBuf {
        self.0.path().join("pack")
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path()).unwrap();
        fs::write(self.path().join(name), bytes).unwrap();
    }

    fn load(&self) -> Catalog {
        load::load(&[self.0.path().to_owned()]).unwrap()
    }

    /// The printed problems, without the path of the folder.
    fn report(&self, catalog: &Catalog) -> String {
        let text = render::diagnostics(&catalog.problems, str::to_owned, false, 100);
        text.replace(&format!("{}/", self.0.path().display()), "")
    }
}

#[test]
fn each_mistake_is_shown_with_its_place_reason_and_remedy() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("a key that does not exist", &[("topic = \"Python\"", "topik = \"Python\"\ntopic = \"Python\"")]),
        ("a key that does not exist in a table", &[("senior_take", "image = \"x.png\"\nsenior_take")]),
        ("a key that is missing", &[("title = \"The sum that forgets its last number\"\n", "")]),
        ("a table that is missing", &[("[say]", "[model.say]")]),
        (
            "a value of the wrong type",
            &[("hints = [\"Which numbers does the loop see?\", \"Where does a range end?\"]", "hints = 2")],
        ),
        ("a number in quotes", &[("line = 3\ncode", "line = \"3\"\ncode")]),
        ("a date in quotes", &[("on = 2026-11-29", "on = \"2026-11-29\"")]),
        ("an empty text", &[("topic = \"Python\"", "topic = \" \"")]),
        ("a level that does not exist", &[("\"junior\"", "\"senor\"")]),
        ("no syntax", &[("level = \"junior\"", "level = junior"), ("python = \">=3.11\"", "python = >=3.11")]),
        ("an answer outside the program", &[("line = 3\ncode", "line = 30\ncode")]),
        ("line nought", &[("line = 3\ncode", "line = 0\ncode")]),
        ("an answer whose line has moved", &[("code = '''\n", "code = '''\nimport sys\n")]),
        (
            "an answer with another text",
            &[("code = \"for i in range(len(numbers) - 1):\"", "code = \"for i in range(9):\"")],
        ),
        (
            "an answer whose text stands in several other lines",
            &[
                ("    return result\n", "    result += 0\n    return result\n    result += 0\n    result += 0\n"),
                ("line = 3\ncode = \"for i in range(len(numbers) - 1):\"", "line = 6\ncode = \"result += 0\""),
                ("line = 3\nwith", "line = 6\nwith"),
            ],
        ),
        ("a near miss that is the answer", &[("line = 2\nfeedback", "line = 3\nfeedback")]),
        (
            "two near misses for one line",
            &[("[[spot.repair]]", "[[spot.near]]\nline = 2\nfeedback = \"No.\"\n\n[[spot.repair]]")],
        ),
        ("a repair elsewhere", &[("line = 3\nwith", "line = 4\nwith")]),
        ("an id that is not the file's", &[("id = \"small\"", "id = \"smaller\"")]),
        ("an id that cannot be", &[("id = \"small\"", "id = \"Small one\"")]),
        ("a newer format", &[("format = 1", "format = 99\nsound = \"x\"")]),
        ("a version range", &[("python = \">=3.11\"", "python = \"three\"")]),
        ("a version range with nothing in it", &[("python = \">=3.11\"", "python = \">=3.12,<3.12\"")]),
        ("a related question that is not there", &[("related = []", "related = [\"smal\", \"small\"]")]),
        ("time without end", &[("seconds = 2", "seconds = 1_000_000")]),
        (
            "a stamp of no versions",
            &[(
                "[fixed]\n",
                "[verified]\npython = \"three\"\nmypy = \"new\"\non = 2026-11-29\nhash = \"sha256:0\"\n\n[fixed]\n",
            )],
        ),
        ("programs that print the same", &[("\"\"\"\n6\n\"\"\"", "\"\"\"\n3\n\"\"\"")]),
        ("a character that a terminal obeys", &[("title = \"The sum", "title = \"\\u001b]0;x\\u0007The sum")]),
        ("text that runs backwards", &[("print(total([1, 2, 3]))", "print(total([1, 2, 3]))  # \u{202E}")]),
    ];
    let mut out = String::new();
    each(cases, |(name, edits)| {
        let folder = Folder::new();
        folder.write("small.toml", small(edits));
        let catalog = folder.load();
        assert!(!catalog.problems.is_empty(), "{name}: no problem was found");
        let _ = writeln!(out, "## {name}\n\n{}", folder.report(&catalog));
    });
    insta::assert_snapshot!(out);
}

#[test]
fn files_that_are_no_text_are_refused_with_the_reason() {
    let elsewhere = tempfile::tempdir().unwrap();
    let folder = Folder::new();
    folder.write("bad-byte.toml", b"format = 1\nid = \"bad\xff\"\n");
    folder.write("utf16.toml", b"\xff\xfef\0o\0r\0m\0a\0t\0");
    folder.write("large.toml", vec![b'#'; (1 << 20) + 1]);
    folder.write("nul.toml", b"format = 1\0");
    folder.write("lone-cr.toml", b"format = 1\rid = \"x\"");
    folder.write("deep.toml", format!("format = 1\nx = {}", "[".repeat(20_000)));
    folder.write("dotted.toml", format!("format = 1\n{}a = 1", "a.".repeat(20_000)));
    folder.write("plus.toml", format!("format = 1\nx = {}", "+".repeat(1_000_000)));
    fs::create_dir(folder.path().join("folder.toml")).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        fs::write(elsewhere.path().join("outside.toml"), SMALL).unwrap();
        symlink(elsewhere.path().join("outside.toml"), folder.path().join("link-out.toml")).unwrap();
        symlink("/dev/zero", folder.path().join("zero.toml")).unwrap();
        symlink("nowhere", folder.path().join("dangling.toml")).unwrap();
        let status = std::process::Command::new("mkfifo").arg(folder.path().join("pipe.toml")).status();
        assert!(status.is_ok_and(|status| status.success()), "mkfifo");
    }
    folder.write("small.toml", SMALL);
    let catalog = folder.load();
    insta::assert_snapshot!(folder.report(&catalog), @r#"
    error[not_utf8]: byte 21 is 0xFF, which is not UTF-8
     --> pack/bad-byte.toml:2:10
      |
    2 | id = "bad�"
      |          ^
      |
      = help: save the file as UTF-8

    error[unreadable]: cannot read `pack/dangling.toml`: No such file or directory (os error 2)
    --> pack/dangling.toml
     = help: check the name and the permissions

    error[not_a_file]: `pack/folder.toml` is not a regular file
    --> pack/folder.toml
     = help: use a regular file

    error[too_large]: `pack/large.toml` is larger than 1 MiB
    --> pack/large.toml
     = help: use a smaller file

    error[link_outside]: `pack/link-out.toml` is a link that points outside its folder
    --> pack/link-out.toml
     = help: replace the link with the file itself

    error[not_a_file]: `pack/pipe.toml` is not a regular file
    --> pack/pipe.toml
     = help: use a regular file

    error[not_utf8]: the file is UTF-16, not UTF-8
     --> pack/utf16.toml:1:1
      |
    1 | ��f␀o␀r␀m␀a␀t␀
      | ^
      |
      = help: save the file as UTF-8

    error[link_outside]: `pack/zero.toml` is a link that points outside its folder
    --> pack/zero.toml
     = help: replace the link with the file itself

    error[syntax]: the list that begins here with `[` is not closed
     --> pack/deep.toml:2:5
      |
    2 | x = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[...
      |     ^
      |
      = help: write `]` behind its last entry

    error[syntax]: not valid TOML: recursion limit
     --> pack/dotted.toml:2:40006
      |
     ::: 
    2 | ....a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = 1
      |                                                ^
      |
      = help: see https://toml.io for the syntax; put programs between ''' and '''

    error[syntax]: not valid TOML: carriage return must be followed by newline
     --> pack/lone-cr.toml:1:12
      |
    1 | format = 1␍id = "x"
      |            ^
      |
      = help: see https://toml.io for the syntax; put programs between ''' and '''

    error[syntax]: not valid TOML: text needs quotes
     --> pack/nul.toml:1:10
      |
    1 | format = 1␀
      |          ^^
      |
      = help: see https://toml.io for the syntax; put programs between ''' and '''

    error[unknown_key]: unknown key `x`
     --> pack/plus.toml:2:1
      |
    2 | x = +++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++...
      | ^
      |
      = help: remove it; the guide for authors lists every key

    error[syntax]: not valid TOML: text needs quotes
     --> pack/plus.toml:2:5
      |
    2 | x = ++++++++++++++++++++++++++++++++...+++++++++++++++++++++++++++++++++++...
      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^...^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: see https://toml.io for the syntax; put programs between ''' and '''

    14 errors
    "#);
    assert!(catalog.find("pack/small").is_ok(), "a sound question beside broken ones can be used");
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_read() {
    let folder = Folder::new();
    folder.write("small.toml", format!("\u{FEFF}{}", SMALL.replace('\n', "\r\n")));
    let catalog = folder.load();
    assert_eq!(folder.report(&catalog), "");
    let unix = Folder::new();
    unix.write("small.toml", SMALL);
    let (windows, unix) = (catalog.find("pack/small").unwrap(), unix.load());
    assert_eq!(*windows.question, *unix.find("pack/small").unwrap().question);
}

#[test]
fn packs_without_a_description_a_second_id_and_other_files() {
    let folder = Folder::new();
    folder.write("small.toml", SMALL);
    folder.write("twin.toml", SMALL);
    folder.write("pack.toml", "format = 1\ntitle = 3\n");
    folder.write("notes.txt", "not a question");
    folder.write(".hidden.toml", "not a question");
    let catalog = folder.load();
    insta::assert_snapshot!(folder.report(&catalog), @r#"
    error[missing_key]: missing key `summary` at the top of the file
     --> pack/pack.toml:1:1
      |
    1 | format = 1
      | ^
      |
      = help: add `summary = "..."`

    error[missing_key]: missing key `authors` at the top of the file
     --> pack/pack.toml:1:1
      |
    1 | format = 1
      | ^
      |
      = help: add `authors = ["..."]`

    error[missing_key]: missing key `licence` at the top of the file
     --> pack/pack.toml:1:1
      |
    1 | format = 1
      | ^
      |
      = help: add `licence = "..."`

    error[missing_key]: missing key `report` at the top of the file
     --> pack/pack.toml:1:1
      |
    1 | format = 1
      | ^
      |
      = help: add `report = "..."`

    error[wrong_type]: `title` must be text, not an integer
     --> pack/pack.toml:2:9
      |
    2 | title = 3
      |         ^ an integer
      |
      = help: write `title = "3"`, in quotes

    error[id]: the id is `small`, but the file is called `twin.toml`
     --> pack/twin.toml:3:6
      |
    3 | id = "small"
      |      ^^^^^^^
      |
      = help: write `id = "twin"`, or rename the file to `small.toml`

    error[duplicate_id]: the id `small` is already used in `pack/small.toml`
     --> pack/twin.toml:3:7
      |
    3 | id = "small"
      |       ^^^^^
      |
      = help: give each question its own id, and name its file after it

    7 errors
    "#);
}

/// The caret is under the value of the key, even if the same word appears elsewhere in the file.
#[test]
fn a_problem_is_shown_at_its_own_value() {
    let folder = Folder::new();
    let before = "# small: python small, id = \"small\"\n";
    folder.write("small.toml", SMALL);
    folder.write("twin.toml", format!("{before}{SMALL}"));
    let catalog = folder.load();
    let twins = catalog.problems.iter().filter(|problem| problem.code == codes::DUPLICATE_ID);
    let places: Vec<_> = twins.map(|problem| (problem.position(), &problem.file.text[problem.span.clone()])).collect();
    assert_eq!(places, [((4, 7), "small")]);
}

#[test]
fn every_problem_of_every_file_is_listed_at_once() {
    let folder = Folder::new();
    folder.write("small.toml", small(&[("\"junior\"", "\"x\""), ("line = 3\ncode", "line = 9\ncodes")]));
    folder.write("other.toml", "format = 1\n");
    let catalog = folder.load();
    let files: BTreeSet<_> = catalog.problems.iter().map(|p| p.file.path.file_name().unwrap().to_owned()).collect();
    assert_eq!(files.len(), 2);
    let said: Vec<&str> = catalog.problems.iter().map(|p| p.message.as_str()).collect();
    insta::assert_snapshot!(said.join("\n"), @"
    missing key `id` at the top of the file
    missing key `title` at the top of the file
    missing key `topic` at the top of the file
    missing key `level` at the top of the file
    missing key `python` at the top of the file
    missing key `spot` at the top of the file
    missing key `fixed` at the top of the file
    missing key `check` at the top of the file
    missing key `say` at the top of the file
    missing key `learn` at the top of the file
    `x` is not a level
    missing key `code` in `[[spot.answer]]`
    unknown key `codes` in `[[spot.answer]]`
    ");
}

#[test]
fn a_hundred_thousand_problems_are_cut_short() {
    let folder = Folder::new();
    folder
        .write("many.toml", format!("format = 1\n{}", (0..50_000).map(|n| format!("k{n} = 1\n")).collect::<String>()));
    let catalog = folder.load();
    assert_eq!(catalog.problems.len(), 101);
    assert!(catalog.problems.last().unwrap().message.ends_with("more problems in this file are not listed"));
}

/// A value of the wrong type does not hide other problems.
#[test]
fn one_mistake_does_not_hide_another() {
    let folder = Folder::new();
    let edits = [
        ("level = \"junior\"", "level = \"guru\""),
        ("python = \">=3.11\"", "python = \"fish\""),
        ("related = []", "related = [\"nope\", 3]\nhint = 1"),
        ("code = \"for i in range(len(numbers) - 1):\"", "code = \"x = 1\""),
        ("line = 2\nfeedback", "line = 112\nfeedback"),
        ("senior_take = \"Do not index at all.\"", "senior_take = \"\""),
        ("hint = \"`math.fsum`.\"", "hint = []"),
    ];
    folder.write("small.toml", small(&edits));
    let catalog = folder.load();
    assert!(catalog.find("pack/small").is_err(), "a question with errors can be used");
    insta::assert_snapshot!(folder.report(&catalog), @r#"
    error[bad_value]: `guru` is not a level
     --> pack/small.toml:6:9
      |
    6 | level = "guru"
      |         ^^^^^^
      |
      = help: use `junior`, `mid`, `senior` or `staff`

    error[bad_value]: `fish` is not a version range
     --> pack/small.toml:8:10
      |
    8 | python = "fish"
      |          ^^^^^^
      |
      = help: write one such as `>=3.13` or `>=3.11,<3.14`

    error[wrong_type]: every entry of `related` must be text, not an integer
      --> pack/small.toml:10:20
       |
    10 | related = ["nope", 3]
       |                    ^ an integer
       |
       = help: put it in quotes: `"3"`

    error[unknown_key]: unknown key `hint`
      --> pack/small.toml:11:1
       |
    11 | hint = 1
       | ^^^^
       |
       = help: remove it; the guide for authors lists every key

    error[answer_text]: `code` is not the text of line 3
      --> pack/small.toml:41:8
       |
    41 | code = "x = 1"
       |        ^^^^^^^ line 3 is `for i in range(len(numbers) - 1):`
       |
       = help: copy the line without its indentation: `for i in range(len(numbers) - 1):`

    error[line_outside]: there is no line 112: the program has 8 lines
      --> pack/small.toml:44:8
       |
    44 | line = 112
       |        ^^^
       |
       = help: count the lines of `spot.code` from 1

    error[empty]: `senior_take` is empty
      --> pack/small.toml:81:15
       |
    81 | senior_take = ""
       |               ^^
       |
       = help: fill it in

    error[wrong_type]: `hint` must be text, not an array
      --> pack/small.toml:94:8
       |
    94 | hint = []
       |        ^^ an array
       |
       = help: write `hint = "..."`

    warning[related]: there is no question `nope`
      --> pack/small.toml:10:12
       |
    10 | related = ["nope", 3]
       |            ^^^^^^
       |
       = help: remove it, or write that question

    8 errors, 1 warning
    "#);
}

/// A key without a value is reported once, and not as an empty text as well.
#[test]
fn a_missing_value_is_reported_once() {
    let folder = Folder::new();
    folder.write("small.toml", small(&[("senior_take = \"Do not index at all.\"", "senior_take = ")]));
    let report = folder.report(&folder.load());
    assert!(report.contains("error[syntax]") && !report.contains("error[empty]"), "{report}");
}

#[test]
fn a_pack_that_replaces_another_says_so() {
    let (one, two) = (Folder::new(), Folder::new());
    one.write("small.toml", SMALL);
    two.write("small.toml", SMALL);
    let catalog = load::load(&[one.0.path().to_owned(), two.0.path().to_owned()]).unwrap();
    let said: Vec<String> = catalog.problems.iter().map(|problem| problem.message.clone()).collect();
    let place = one.path().display().to_string();
    assert_eq!(said, [format!("the pack `pack` replaces the one in `{place}` and hides 1 question of it")]);
}

/// A huge list is reported once, without reading the file again for each entry.
#[test]
fn endless_lists_and_programs_are_reported_once() {
    let related = |count: usize| format!("related = [{}]", "\"x\",".repeat(count));
    let near = format!("{}[[spot.repair]]", "[[spot.near]]\nline = 99\nfeedback = \"x\"\n".repeat(10_000));
    let code = format!("code = '''\n{}", "x = 1\n".repeat(50_000));
    let check = |code: &str| format!("[[check]]\nname = \"it\"\ncode = '''\n{code}'''\n\n");
    let steps = format!("[[scenario.step]]\nat = \"1\"\nwho = \"a\"\ndoes = \"b\"\nrun = \"{}\"\n\n", "x".repeat(100))
        .repeat(100);
    let cases = [
        (("related = []", related(100_000)), "`related` has 100000 entries"),
        (("[[spot.repair]]", near), "`near` has 10001 entries"),
        (("code = '''\n", code), "the program has 50008 lines"),
        (("    for i in range(len(numbers)):\n'''", format!("{}'''", "x\n".repeat(501))), "the repair has 501 lines"),
        (("[say]", check(&"x = 1\n".repeat(300)).repeat(2) + "[say]"), "the checks have 602 lines"),
        (("[say]", check(&"x".repeat(64 << 10)) + "[say]"), "the checks have 65 KiB"),
        (("[say]", format!("[scenario]\nsetup = '{}'\n{steps}[say]", "x".repeat(60_000))), "the scenario has 69 KiB"),
    ];
    each(cases, |((from, to), said)| {
        let folder = Folder::new();
        folder.write("small.toml", small(&[(from, &to)]));
        let catalog = folder.load();
        let messages: Vec<&str> = catalog.problems.iter().map(|problem| problem.message.as_str()).collect();
        assert!(messages.contains(&said) && messages.len() < 5, "{messages:?}");
    });
    let folder = Folder::new();
    folder.write(
        "small.toml",
        small(&[("[say]", &(check("x = 1\n").repeat(2) + &check(&"x = 1\n".repeat(500)) + "[say]"))]),
    );
    let catalog = folder.load();
    let problem = catalog.problems.iter().find(|problem| problem.code == codes::TOO_LARGE).unwrap();
    assert_eq!(problem.span.start, problem.file.text.rfind("'''\nx = 1\n").unwrap(), "where it goes over");
    let folder = Folder::new();
    folder.write("small.toml", small(&[("related = []", &related(999))]));
    let problems = folder.load().problems;
    let last = problems.last().map(|problem| (problem.code.0, problem.message.as_str()));
    assert_eq!(problems.len(), 101);
    assert_eq!(last, Some(("too_many", "899 more problems in this file are not listed")));
}

#[test]
fn the_shipped_questions_have_no_problem() {
    // The program does not check its built-in questions at start, so this test checks their files.
    let content = Path::new(env!("CARGO_MANIFEST_DIR")).join("content");
    let checked = load::load(&[content]).unwrap();
    assert_eq!(render::diagnostics(&checked.problems, str::to_owned, false, 100), "");
    let built_in = load::load(&[]).unwrap();
    assert!(!built_in.questions.is_empty());
    for (a, b) in built_in.questions.iter().zip(&checked.questions) {
        assert_eq!((&a.name, &a.card, &*a.question), (&b.name, &b.card, &*b.question));
    }
    assert_eq!(built_in.questions.len(), checked.questions.len());
    assert_eq!(built_in.packs.len(), checked.packs.len());
}

#[test]
fn the_guide_explains_every_code() {
    let guide = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("content/README.md")).unwrap();
    let missing: Vec<&str> =
        codes::ALL.iter().map(|code| code.0).filter(|code| !guide.contains(&format!("`{code}`"))).collect();
    assert_eq!(missing, <[&str; 0]>::default());
}

#[test]
fn a_folder_that_is_not_there_or_holds_no_pack_is_an_error() {
    let home = tempfile::tempdir().unwrap();
    let missing = load::load(&[home.path().join("nowhere")]).unwrap_err();
    assert!(missing.message.starts_with("cannot read the folder"), "{missing}");
    let empty = load::load(&[home.path().to_owned()]).unwrap_err();
    assert!(empty.message.starts_with("no pack in"), "{empty}");
    assert_eq!(empty.exit.code(), 3);
}
