//! The quiz line by line: whole sessions over pipes, and in a terminal that can do nothing.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use crate::cases::each;
use crate::command::Home;

fn lines(home: &Home, args: &[&str], typed: &[&str]) -> String {
    home.session(&[&["--content", "packs"], args].concat(), &(typed.join("\n") + "\n"))
}

/// The session without the questions that come with the program: they change, and these tests do not.
fn without_library(session: &str) -> String {
    let count = fencepost::content::load::load(&[]).unwrap().questions.len() + 1;
    let mut out = String::new();
    for line in session.lines() {
        match line.split_once(": ") {
            Some((number, card)) if number.parse::<u32>().is_ok() => {
                if card.contains("fixture/") {
                    out.push_str(&format!("[number]: {card}\n"));
                }
            }
            _ => out.push_str(&(line.replace(&format!("has {count}"), "has [count]") + "\n")),
        }
    }
    out
}

/// Everything that a learner can do with a question, in order.
#[test]
fn a_journey_through_a_whole_question() {
    let home = Home::new();
    let editor = home.write("editor.sh", "sed -i 's/len(numbers) - 1/len(numbers)/' \"$1\"\n");
    let typed = [
        "hint",
        "hint",
        "hint",
        "read 3",
        "run",
        "5",
        "",
        "spot",
        "2",
        "4",
        "99",
        "where",
        "line 3",
        "undo",
        "3",
        "3",
        "run",
        "steps",
        "",
        "next line 5",
        "variables",
        "both",
        "last",
        "read fixed",
        "fix",
        "check",
        "edit",
        "read 3",
        "check",
        "reset",
        "no",
        "reset",
        "yes",
        "say",
        "start",
        "pause",
        "start",
        "",
        "1",
        "1",
        "2",
        "done",
        "learn",
        "1",
        "2",
        "9",
        "again",
        "answer",
        "back",
        "quit",
        "never read",
    ];
    let session = {
        let mut command = home.command("--content packs play small --plain");
        command.env("EDITOR", format!("sh {}", editor.display())).env("PATH", std::env::var("PATH").unwrap());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all((typed.join("\n") + "\n").as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
        String::from_utf8(output.stdout).unwrap()
    };
    let steady = without_library(&session.replace(&home.path().display().to_string(), "[home]"));
    assert_eq!(steady.chars().find(|c| c.is_control() && *c != '\n'), None, "a cursor was moved or a colour set");
    insta::assert_snapshot!(steady);
    // The answers of the session are kept.
    let again = lines(&home, &["play", "--plain"], &["quit"]);
    let row = again.lines().find(|line| line.contains("fixture/small")).unwrap();
    assert!(row.ends_with("fixture/small. Given up. Repaired."), "{row}");
}

#[test]
fn help_and_commands_in_the_wrong_place() {
    let home = Home::new();
    let typed = [
        "help",
        "hint",
        "open nothing-like-it",
        "fencing-token",
        "99",
        "open",
        "nonsense \u{1b}[2J",
        "small",
        "help",
        "edit",
        "done",
        "fix",
        "help",
        "yes",
        "read 77",
        "edit",
        "say",
        "help",
        "3",
        "learn",
        "run",
        "cancel",
        "help",
        "7",
        "undo",
        "related 1",
    ];
    insta::assert_snapshot!(without_library(&lines(&home, &["play", "--plain"], &typed)));
}

/// Plain mode starts by itself if there is no terminal for the screens.
#[test]
fn lines_are_chosen_where_there_is_no_terminal() {
    let home = Home::new();
    each([&[][..], &["play"], &["play", "fencing-tokens"], &["--content", "packs", "play", "small"]], |args| {
        let session = home.session(args, "where\r\nquit\r\n");
        assert!(session.contains("\nYou are ") && session.ends_with("--- exit 0\n"), "{session}");
    });
}

/// With nothing to read there is nobody to play with.
#[cfg(unix)]
#[test]
fn no_usable_input_is_a_usage_error() {
    let home = Home::new();
    let program = env!("CARGO_BIN_EXE_fencepost");
    each(["<&-", "</dev/null", "</"], |redirect| {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &format!("'{program}' play fencing-tokens {redirect} >/dev/null")]);
        let output = shell.env_clear().env("HOME", home.path()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{redirect}: {said}");
        assert!(said.starts_with("error: ") && said.contains("standard input"), "{redirect}: {said}");
    });
}

/// The input ends in the middle of everything: what was answered is kept, and nothing hangs.
#[test]
fn input_that_ends_midway_ends_the_session() {
    let home = Home::new();
    let cut = home.session("--content packs play small", "2\nsay\nstart");
    assert!(cut.contains("Speak now. 2 seconds left.\n--- exit 0\n"), "{cut}");
    let hostile = home.session("--content packs play small", &format!("{}\nwhere\n", "x".repeat(2 << 20)));
    assert!(hostile.contains("That line is too long.\nYou are at"), "{hostile}");
    let listed = lines(&home, &["play"], &["quit"]);
    assert!(listed.contains("fixture/small. Not found yet.\n"), "{listed}");
}

/// The countdown is told by itself, while nobody types.
#[test]
fn the_clock_speaks_while_nobody_types() {
    let home = Home::new();
    let mut command = home.command("--content packs play small");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut until = |wanted: &str| -> String {
        let mut last = String::new();
        while last != wanted {
            last = out.next().unwrap_or_else(|| panic!("never said: {wanted}")).unwrap();
        }
        out.next().unwrap().unwrap()
    };
    stdin.write_all(b"say\nstart\n").unwrap();
    assert_eq!(until("Time is up."), "Which of these did you cover?");
    stdin.write_all(b"1\ndone\nquit\n").unwrap();
    assert_eq!(
        until("You covered 1 of 2 points."),
        "The model answer names the bug, so it stays closed until the line is found or"
    );
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn an_editor_that_fails_is_told() {
    let home = Home::new();
    let with = |editor: Option<&str>| {
        let mut command = home.command("--content packs play small");
        if let Some(editor) = editor {
            command.env("EDITOR", editor);
        }
        command.env("PATH", std::env::var("PATH").unwrap());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"fix\nedit\nwhere\n").unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    };
    each(
        [
            (
                None,
                "Not edited: Neither `$VISUAL` nor `$EDITOR` names an editor. Set one before you start fencepost.\nYou are",
            ),
            (Some("false"), "Not edited: the editor `false` ended with status 1\nYou are"),
            (Some("no-such-editor"), "Not edited: there is no editor `no-such-editor`\nYou are"),
            (Some("true"), "The text did not change.\nYour program is the buggy program so far.\n"),
        ],
        |(editor, expected)| {
            let session = with(editor);
            assert!(session.contains(expected), "{session}");
        },
    );
}

/// The result of the editor is reported each time, even if it is the same as before.
#[test]
fn every_time_in_the_editor_is_told() {
    let home = Home::new();
    let editor = home.write("editor.sh", "echo 'print(1)' >> \"$1\"\n");
    each(
        [("false".to_owned(), "ended with status 1\n"), (format!("sh {}", editor.display()), ": print(1)\n")],
        |(editor, told)| {
            let mut command = home.command("--content packs play small");
            command.env("EDITOR", editor).env("PATH", std::env::var("PATH").unwrap());
            let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            child.stdin.take().unwrap().write_all(b"fix\nedit\nwhere\nedit\n").unwrap();
            let session = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
            let (first, second) = session.split_once("You are at").unwrap();
            assert!(first.contains(told) && second.contains(told), "{session}");
        },
    );
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn strangers_programs_are_asked_about_in_words() {
    let home = Home::new();
    let weak = ["--without", "landlock,seccomp", "--content", "packs", "play", "small"];
    let session = home.session(&weak, "run\n\nno\nfix\ncheck\nyes\nrun\nquit\n");
    let from = session.find("The pack fixture").unwrap();
    insta::assert_snapshot!(&session[from..]);
}

/// A reader that leaves, and a full disk.
#[cfg(target_os = "linux")]
#[test]
fn output_that_goes_nowhere() {
    let home = Home::new();
    let mut child = home
        .command("play fencing-tokens")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let _ = child.stdin.take().unwrap().write_all(b"help\nhelp\nquit\n");
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned()), (Some(0), String::new()));

    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut child =
        home.command("play fencing-tokens").stdin(Stdio::piped()).stdout(full).stderr(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(b"quit\n");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: cannot write to standard output\n"));
}
