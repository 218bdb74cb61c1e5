//! Every command with closed pipes, full disks, signals and arguments that make no sense.

use std::io::Write as _;
use std::process::Stdio;

use crate::cases::{PATIENCE, each, wait_until};
use crate::command::Home;

/// Every verb that prints something without being asked for more.
const VERBS: [&[&str]; 10] = [
    &["list"],
    &["show", "fencing-tokens", "--format", "markdown"],
    &["run", "fencing-tokens"],
    &["quiz", "--blank"],
    &["quiz", "fencing-tokens", "--answers", "answers.jsonl", "--format", "jsonl"],
    &["quiz", "merge", "part.json"],
    &["completions", "bash"],
    &["man"],
    &["author", "schema"],
    &["doctor"],
];

fn home() -> Home {
    let home = Home::new();
    home.write("answers.jsonl", "{\"question\": \"fencing-tokens\", \"line\": 8}\n");
    home.write("part.json", home.stdout("quiz fencing-tokens --answers answers.jsonl --partition 1/1 --format json"));
    home
}

/// `fencepost list | head -1`: a reader that has gone is nobody's fault.
#[test]
fn a_reader_that_has_gone_is_silent() {
    let home = home();
    each(VERBS, |verb| {
        let mut child = home.command(verb).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), said), (Some(0), String::new()), "{verb:?}");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let home = home();
    each(VERBS, |verb| {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = home.command(verb).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(4), "{verb:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.starts_with("error: cannot write to standard output\n"), "{verb:?}: {said}");
    });
}

/// `fencepost list >&-` ends as other programs in Rust do: their runtime opens `/dev/null` in the place of what is closed.
#[cfg(target_os = "linux")]
#[test]
fn a_closed_output_changes_nothing() {
    let home = home();
    each(VERBS, |verb| {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &format!("exec '{}' \"$@\" >&-", env!("CARGO_BIN_EXE_fencepost")), "sh"]).args(verb);
        let shell = shell.current_dir(home.path()).env_clear().env("HOME", home.path()).stdin(Stdio::null());
        let output = shell.output().unwrap();
        assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), String::new()));
    });
}

/// Arguments that are no text, unknown flags, and words behind `--`.
#[cfg(unix)]
#[test]
fn arguments_that_make_no_sense_are_usage_errors() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let home = home();
    each(["list", "show", "run", "quiz", "completions", "man", "play", "author", "doctor"], |verb| {
        for word in [&b"\xff"[..], b"--no-such-flag", b"--format=\xff", b"--answers", b"--partition=1"] {
            let output = home.command(verb).arg(OsStr::from_bytes(word)).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{verb} {word:?}: {said}");
            assert!(output.stdout.is_empty() && said.starts_with("error: "), "{verb} {word:?}: {said}");
        }
    });
    for words in [&["--", "--help"][..], &["quiz", "--", "--answers"], &["show", "--", "-1"]] {
        assert_eq!(home.command(words).output().unwrap().status.code(), Some(2), "{words:?}");
    }
}

/// Ctrl-C while a class is graded: 130 as a shell says it, and no program goes on.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_a_quiz_and_the_programs_that_it_runs() {
    use std::os::unix::process::ExitStatusExt as _;
    let home = Home::new();
    let endless = "{\"question\": \"fencing-tokens\", \"line\": 8, \"fix\": \"while True: pass\"}\n";
    let mut child =
        home.command("quiz fencing-tokens --answers -").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(endless.as_bytes()).unwrap();
    // Its template, and the child that the template forked for the program.
    let mut running = Vec::new();
    wait_until("a running program", PATIENCE, || {
        running = below(child.id());
        running.len() >= 2
    });
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().signal(), Some(2));
    wait_until("the end of all programs", PATIENCE, || !running.iter().any(|process| alive(*process)));
}

/// Every process below `parent`.
#[cfg(target_os = "linux")]
fn below(parent: u32) -> Vec<u32> {
    let mut all = Vec::new();
    let mut parents = vec![parent];
    while let Some(parent) = parents.pop() {
        let tasks = std::fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
        for task in tasks {
            let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            let children: Vec<u32> = children.split_whitespace().filter_map(|pid| pid.parse().ok()).collect();
            all.extend(&children);
            parents.extend(children);
        }
    }
    all
}

/// True if a process is there and not a zombie.
#[cfg(target_os = "linux")]
fn alive(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    status.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}
