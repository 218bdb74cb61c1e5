//! Whole sessions on the command line: everything printed, and the exit code.

use std::process::Stdio;

use crate::command::Home;

const SMALL: [&str; 2] = ["--content", "packs"];

fn with_small(args: &[&'static str]) -> Vec<&'static str> {
    [&SMALL[..], args].concat()
}

/// A name cannot write an error, a reason or a hint of its own.
#[test]
fn an_error_has_only_lines_of_ours() {
    let home = Home::new();
    let session = home.run(&["show", "x\n  hint: run `rm -r ~`\nerror: y"]);
    let ours: Vec<&str> = session.split_once("--- stderr\n").unwrap().1.lines().collect();
    let wanted = [
        "error: there is no question `x",
        "      hint: run `rm -r ~`",
        "    error: y`",
        "  hint: `fencepost list` shows every question",
        "--- exit 2",
    ];
    assert_eq!(ours, wanted);
}

#[test]
fn run_shows_both_programs_their_verdicts_and_the_stamp() {
    insta::assert_snapshot!(Home::new().run("run fencing-tokens"));
}

#[test]
fn run_as_json() {
    insta::assert_snapshot!(Home::new().run("run fencing-tokens --format json"));
}

#[test]
fn run_one_program() {
    let home = Home::new();
    let buggy = home.run("--content packs run small --buggy");
    let fixed = home.run("--content packs run fixture/small --fixed");
    insta::assert_snapshot!(format!("{buggy}\n{fixed}"));
}

#[test]
fn run_a_file_and_the_checks_on_it() {
    let home = Home::new();
    home.write("right.py", "def total(numbers):\n    return sum(numbers)\n");
    home.write("printed.py", "print(6)\n");
    home.write("wrong.py", "def total(numbers):\n    return len(numbers) - 1\n");
    home.write("endless.py", "while True:\n    pass\n");
    home.write(
        "loud.py",
        "import sys\nprint('out')\nprint('\\x1b]0;owned\\x07', file=sys.stderr)\nraise ValueError('no')\n",
    );
    let mut all = String::new();
    for file in ["right.py", "printed.py", "wrong.py", "loud.py"] {
        all += &home.run(&format!("--content packs run small --file {file}"));
        all.push('\n');
    }
    all += &home.run("--content packs run small --timeout 0.2 --file endless.py");
    all.push('\n');
    all += &home.run("--content packs run small --format json --file wrong.py");
    insta::assert_snapshot!(all);
}

#[test]
fn the_scenario_shows_the_stale_write_on_one_side_and_its_refusal_on_the_other() {
    let home = Home::new();
    let text = home.run("run fencing-tokens --scenario");
    let json = home.run("run fencing-tokens --scenario --format json");
    let none = home.run("--content packs run small --scenario");
    insta::assert_snapshot!(format!("{text}\n{json}\n{none}"));
}

#[test]
fn a_trace_shows_lines_calls_and_what_changed() {
    let home = Home::new();
    let text = home.run("--content packs run small --trace");
    home.write("loop.py", "for n in range(3000):\n    pass\nprint('done')\n");
    let long = home.run("--content packs run small --trace --file loop.py --timeout 30");
    assert!(long.contains("The trace ends here: the number of steps is limited."), "{long}");
    assert!(long.contains("\nstdout: done\n") && long.contains("\nfinished: "), "{long}");
    let json = home.run("--content packs run small --trace --fixed --format json");
    insta::assert_snapshot!(format!("{text}\n{json}"));
}

#[test]
fn a_file_that_cannot_be_run_is_a_usage_error() {
    let home = Home::new();
    home.write("latin1.py", b"# caf\xe9\n");
    let mut all = home.run("--content packs run small --python nowhere/python3");
    all += &home.run("--content packs run small --python auto");
    for file in ["nowhere.py", "latin1.py", "packs"] {
        all += &home.run(&format!("--content packs run small --file {file}"));
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

#[test]
fn list_as_text_and_json() {
    let home = Home::new();
    let text = home.run("--content packs list");
    assert!(text.contains("\nfixture/small "), "{text}");
    assert!(text.contains("\nleases/fencing-tokens "), "{text}");
    let json = home.run("--content packs list --format json");
    let body = json.split_once('\n').unwrap().1.split_once("--- exit").unwrap().0;
    let value: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(value["format"], 1);
    let small = value["questions"].as_array().unwrap().iter().find(|q| q["question"] == "fixture/small").unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(small).unwrap());
}

#[test]
fn a_broken_question_is_reported_and_the_others_are_listed() {
    let home = Home::new();
    home.write("packs/fixture/broken.toml", "format = 1\nid = \"broken\"\nlevel = \"senor\"\n");
    let listed = home.run("--content packs list");
    assert!(listed.contains("\nfixture/small "), "{listed}");
    assert!(listed.ends_with("--- exit 3\n"), "{listed}");
    let asked = home.run("--content packs show broken");
    insta::assert_snapshot!(asked);
}

#[test]
fn show_keeps_the_answer_and_tells_it_when_asked() {
    let home = Home::new();
    let closed = home.run("--content packs show small");
    let open = home.run("--content packs show small --answer");
    insta::assert_snapshot!(format!("{closed}\n{open}"));
}

#[test]
fn show_as_json_keeps_the_answer_too() {
    let home = Home::new();
    let closed = home.run("--content packs show small --format json");
    for secret in ["explanation", "answer", "repair", "fixed", "range` leaves out", "sum(numbers)"] {
        assert!(!closed.contains(secret), "{secret} is in {closed}");
    }
    let open = home.run("--content packs show small --answer --format json");
    assert!(open.contains("\"explanation\"") && open.contains("sum(numbers)"), "{open}");
}

#[test]
fn a_question_that_is_not_there() {
    let home = Home::new();
    let mut all = String::new();
    for args in
        [&["show", "fencing-token"][..], &["run", "nothing-like-it"], &["play", "x"], &["quiz", "y", "--answers", "-"]]
    {
        all += &home.run(args);
    }
    home.write("packs/other/pack.toml", include_str!("../fixtures/pack.toml"));
    home.write("packs/other/small.toml", include_str!("../fixtures/small.toml"));
    all += &home.run("--content packs show small");
    insta::assert_snapshot!(all);
}

#[test]
fn the_quiz_grades_toml_and_json_lines_alike() {
    let home = Home::new();
    let toml = "format = 1\n\n[[answer]]\nquestion = \"fencing-tokens\"\nline = 8\n\n[[answer]]\nquestion = \"fixture/small\"\nline = 2\n";
    let json = "{\"question\": \"fencing-tokens\", \"line\": 8}\n{\"question\": \"small\", \"line\": 2}\n";
    let args = ["quiz", "fencing-tokens", "small", "late-binding-closure", "--answers", "-"];
    let from_toml = home.session(&with_small(&args), toml);
    let from_json = home.session(&with_small(&args), json);
    let from_windows = home.session(&with_small(&args), &json.replace('\n', "\r\n"));
    assert_eq!(from_toml, from_json);
    assert_eq!(from_toml, from_windows);
    let as_json = home.session(&with_small(&[&args[..], &["--format", "json"]].concat()), toml);
    insta::assert_snapshot!(format!("{from_toml}\n{as_json}"));
}

#[test]
fn the_quiz_passes_with_every_answer_right() {
    let home = Home::new();
    home.write("answers.toml", "format = 1\n[[answer]]\nquestion = \"small\"\nline = 3\n");
    insta::assert_snapshot!(home.run("--content packs quiz small small --answers answers.toml"));
}

#[test]
fn wrong_answer_files_are_listed_and_nothing_is_graded() {
    let home = Home::new();
    let toml = r#"format = 2
[[answer]]
question = "fencing-token"
line = 8
[[answer]]
question = "small"
line = "3"
[[answer]]
question = "small"
lines = 3
[[answer]]
question = "fixture/small"
line = 99
[[answer]]
question = "late-binding-closure"
line = 14
[[answer]]
question = "python/late-binding-closure"
line = 13
"#;
    let json = r#"{"question": "small", "line": 3}
{"question": "small"
["small", 3]

{"question": "small", "line": 0}
{"question": 3, "line": 3, "lines": 3}
{"question": "small", "line": 4}
"#;
    let mut all = String::new();
    for input in [toml, json, "", "[[answer", "\u{0}"] {
        all += &home.session("--content packs quiz small --answers -", input);
        all.push('\n');
    }
    all += &home.run("--content packs quiz --answers nowhere.toml");
    insta::assert_snapshot!(all);
}

#[test]
fn usage_errors_exit_with_2_and_help_with_0() {
    let home = Home::new();
    for args in [
        &["--bogus"][..],
        &["run"],
        &["run", "small", "--timeout", "nan"],
        &["quiz", "fencing-tokens"],
        &["--", "x"],
        &["list", "--format", "yaml"],
    ] {
        let session = home.run(args);
        assert!(session.ends_with("--- exit 2\n"), "{session}");
        assert!(session.contains("--- stderr\nerror: "), "{session}");
    }
    for args in [&["--help"][..], &["--version"], &["run", "--help"]] {
        let session = home.run(args);
        assert!(session.ends_with("--- exit 0\n") && !session.contains("--- stderr"), "{session}");
    }
}

#[test]
fn the_help_names_every_command() {
    insta::assert_snapshot!(Home::new().run("--help"));
}

/// `fencepost list | head -1`
#[test]
fn a_reader_that_leaves_is_no_error() {
    let home = Home::new();
    let mut child = home.command("list").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned()), (Some(0), String::new()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let child = Home::new().command("list").stdout(full).stderr(Stdio::piped()).spawn().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: cannot write to standard output\n"));
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_no_text_is_a_usage_error() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let output = Home::new().command("show").arg(OsStr::from_bytes(b"\xff")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// Escape sequences in names and in programs' output stay visible text on the command line.
#[test]
fn what_strangers_write_cannot_command_the_terminal() {
    let home = Home::new();
    home.write("hostile.py", "print('\\x1b]52;c;QQ==\\x07 \\x9b31m \\u202eabc \\r\\x08 \\u2066')\n");
    home.write("packs/fixture/b\u{1b}[31m.toml", "x = 1\n");
    let mut all = home.run("--content packs run small --file hostile.py");
    all += &home.run("--content packs show \u{1b}[2J");
    let forbidden =
        |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c) || c == '\u{2066}';
    // The transcript repeats the arguments, which the program did not print.
    let printed: String = all.lines().filter(|line| !line.starts_with("$ ")).map(|line| format!("{line}\n")).collect();
    assert_eq!(printed.chars().find(|c| forbidden(*c)), None, "{printed:?}");
    assert!(printed.contains("␛]52;c;QQ==␇"), "{printed}");
}

/// What a pack from elsewhere may do depends on what holds it, and the level is shown each time.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn strangers_packs_are_refused_where_nothing_contains_them() {
    let home = Home::new();
    let mut all = String::new();
    for without in ["landlock", "seccomp", "landlock,seccomp", "landlock,seccomp,limits"] {
        all += &home.run(&format!("--without {without} --content packs run small --buggy"));
        all += &home.run(&format!("--without {without} run late-binding-closure --buggy"));
    }
    let trusted =
        ["--without", "landlock,seccomp", "--content", "packs", "--trust-pack", "fixture", "run", "small", "--buggy"];
    all += &home.run(&trusted);
    insta::assert_snapshot!(all);
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn doctor_says_what_is_there_and_what_is_missing() {
    let home = Home::new();
    home.write("packs/fixture/broken.toml", "format = 1\n");
    let sound = home.run("doctor");
    let broken = home.run("--data-dir data --content packs --without landlock doctor");
    let json = home.run("--content nowhere doctor --format json");
    insta::assert_snapshot!(format!("{sound}\n{broken}\n{json}"));
}
