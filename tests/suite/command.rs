//! Runs the built program as a user would, away from this machine's home, and writes down the whole session.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::pty::Start;

pub(crate) const SMALL: &str = include_str!("../fixtures/small.toml");
pub(crate) const PACK: &str = include_str!("../fixtures/pack.toml");

/// The question `small` with some texts replaced, each where it first stands. As it is, nothing is wrong with it.
#[track_caller]
pub(crate) fn small(edits: &[(&str, &str)]) -> String {
    let mut text = SMALL.to_owned();
    for (from, to) in edits {
        assert!(text.contains(from), "the question has no {from:?}");
        text = text.replacen(from, to, 1);
    }
    text
}

/// A home of its own, with the question `small` in the pack `packs/fixture`.
pub(crate) struct Home(tempfile::TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Self::empty().with("packs/fixture/pack.toml", PACK).question("small", &[])
    }

    /// A home without a question.
    pub(crate) fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// The same home with one more file.
    pub(crate) fn with(self, name: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.write(name, bytes);
        self
    }

    /// The same home with one more question in the pack `fixture`: [`small`] with an id of its own.
    #[track_caller]
    pub(crate) fn question(self, id: &str, edits: &[(&str, &str)]) -> Self {
        self.write_question(id, edits);
        self
    }

    #[track_caller]
    pub(crate) fn write_question(&self, id: &str, edits: &[(&str, &str)]) -> PathBuf {
        let own = format!("\nid = \"{id}\"");
        self.write(&format!("packs/fixture/{id}.toml"), small(&[&[("\nid = \"small\"", own.as_str())], edits].concat()))
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// A script of the shell that can be started.
    pub(crate) fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.write(name, format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        path
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The program, in this home, with nothing of the environment but what is set here.
    pub(crate) fn command(&self, args: impl Args) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
        command.args(args.words()).current_dir(self.path()).env_clear().env("HOME", self.path()).env("TZ", "UTC");
        command.stdin(Stdio::null());
        command
    }

    /// The program in a pseudo-terminal, in this home.
    pub(crate) fn terminal(&self, args: impl Args) -> Start {
        let start = Start::new(env!("CARGO_BIN_EXE_fencepost").as_ref()).args(args.words());
        start.folder(self.path()).env("HOME", self.path().to_str().unwrap())
    }

    /// Runs `fencepost` with these arguments. Returns what a user types and sees: the command, its output and its exit code.
    pub(crate) fn run(&self, args: impl Args) -> String {
        self.session(args, "")
    }

    /// Runs a command. Returns what it prints to standard output, as it is.
    #[track_caller]
    pub(crate) fn stdout(&self, args: impl Args) -> String {
        self.output(args).1
    }

    /// Runs a command. Returns its exit code, standard output and standard error, as they are.
    #[track_caller]
    pub(crate) fn output(&self, args: impl Args) -> (Option<i32>, String, String) {
        let output = self.command(args).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    /// Runs the commands of a transcript, which are the lines that begin with `$ fencepost `. `< FILE` at the end of one is
    /// its standard input. Returns the transcript of what came back.
    #[track_caller]
    pub(crate) fn replay(&self, transcript: &str) -> String {
        let commands = transcript.lines().filter_map(|line| line.trim_start().strip_prefix("$ fencepost "));
        let run = |command: &str| match command.split_once(" < ") {
            None => self.run(command),
            Some((args, file)) => {
                let input = fs::read_to_string(self.path().join(file)).unwrap();
                self.session(args, &input).replacen('\n', &format!(" < {file}\n"), 1)
            }
        };
        commands.map(run).collect::<Vec<_>>().join("\n")
    }

    /// Runs a command with `input` on standard input.
    #[track_caller]
    pub(crate) fn session(&self, args: impl Args, input: &str) -> String {
        let mut command = self.command(args);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A program that does not read its input closes the pipe, which is its right.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        self.transcript(args, &child.wait_with_output().unwrap())
    }

    /// Runs a command with a change: another folder, or more of an environment.
    #[track_caller]
    pub(crate) fn run_with(&self, args: impl Args, change: impl FnOnce(&mut Command) -> &mut Command) -> String {
        let output = change(&mut self.command(args)).output().unwrap();
        self.transcript(args, &output)
    }

    fn transcript(&self, args: impl Args, output: &Output) -> String {
        let mut text = format!("$ fencepost {}\n", args.typed());
        text.push_str(&String::from_utf8_lossy(&output.stdout));
        let stderr = String::from_utf8_lossy(&output.stderr);
        if !stderr.is_empty() {
            let _ = write!(text, "--- stderr\n{stderr}");
        }
        let _ = match output.status.code() {
            Some(code) => writeln!(text, "--- exit {code}"),
            None => writeln!(text, "--- {}", output.status),
        };
        self.without_accidents(&text)
    }

    /// Replaces what differs from run to run: this home's place and how long programs took.
    fn without_accidents(&self, text: &str) -> String {
        let text = text.replace(&self.path().display().to_string(), "[home]");
        text.lines().map(|line| steady_times(line) + "\n").collect()
    }
}

/// Runs the commands of a transcript in a home, and compares everything that comes back with it. `cargo insta accept` writes
/// what came back into the test.
macro_rules! sessions {
    ($home:expr, @$transcript:literal) => {
        insta::assert_snapshot!($home.replay($transcript), @$transcript)
    };
}
pub(crate) use sessions;

/// Arguments of the program: a line as in a shell, or words.
pub(crate) trait Args: Copy {
    fn words(self) -> Vec<String>;

    /// The line as it is typed.
    fn typed(self) -> String;
}

/// Words end at blanks, except between two `'`.
impl Args for &str {
    fn words(self) -> Vec<String> {
        let quoted = |(at, text): (usize, &str)| match at % 2 {
            0 => text.split_whitespace().map(str::to_owned).collect(),
            _ => vec![text.to_owned()],
        };
        self.split('\'').enumerate().flat_map(quoted).collect()
    }

    fn typed(self) -> String {
        self.to_owned()
    }
}

impl Args for &String {
    fn words(self) -> Vec<String> {
        self.as_str().words()
    }

    fn typed(self) -> String {
        self.clone()
    }
}

impl Args for &[&str] {
    fn words(self) -> Vec<String> {
        self.iter().map(|word| (*word).to_owned()).collect()
    }

    fn typed(self) -> String {
        self.join(" ")
    }
}

impl<const N: usize> Args for &[&str; N] {
    fn words(self) -> Vec<String> {
        self[..].words()
    }

    fn typed(self) -> String {
        self.join(" ")
    }
}

impl Args for &Vec<&str> {
    fn words(self) -> Vec<String> {
        self[..].words()
    }

    fn typed(self) -> String {
        self.join(" ")
    }
}

/// Replaces numbers that are times: those before " ms", and those that the formats of reports call times.
fn steady_times(line: &str) -> String {
    const NAMES: [&str; 4] = ["\"wall_ms\": ", " wall_ms: ", " time=\"", "<property name=\"fix.wall_ms\" value=\""];
    // JSON on one line is read again by tests, so that it must stay JSON.
    let mut line = steady_after(line, "\"wall_ms\":", "0");
    for name in NAMES {
        line = steady_after(&line, name, "[time]");
    }
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    for at in 1..words.len() {
        if words[at].trim_end_matches(',') == "ms" && words[at - 1].parse::<f64>().is_ok() {
            words[at - 1] = "[time]".into();
        }
    }
    words.join(" ")
}

/// Puts `time` in the place of the number behind each `name`.
fn steady_after(line: &str, name: &str, time: &str) -> String {
    let mut parts = line.split(name);
    let mut steady = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let time = if rest.len() < part.len() { time } else { "" };
        steady.push_str(&format!("{name}{time}{rest}"));
    }
    steady
}
