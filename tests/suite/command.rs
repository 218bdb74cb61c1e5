//! Runs the built program as a user would, away from this machine's home, and writes down the whole session.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A home of its own, with the small pack beside it.
pub(crate) struct Home(tempfile::TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        let pack = home.path().join("packs/fixture");
        fs::create_dir_all(&pack).unwrap();
        fs::write(pack.join("small.toml"), include_str!("../fixtures/small.toml")).unwrap();
        fs::write(pack.join("pack.toml"), include_str!("../fixtures/pack.toml")).unwrap();
        home
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// The program, in this home, with nothing of the environment but what is set here.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
        command.args(args).current_dir(self.path()).env_clear().env("HOME", self.path()).env("TZ", "UTC");
        command.stdin(Stdio::null());
        command
    }

    /// Runs it with `input` on standard input and writes down everything that can be seen.
    #[track_caller]
    pub(crate) fn session(&self, args: &[&str], input: &str) -> String {
        let mut command = self.command(args);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A program that does not read its input closes the pipe, which is its right.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        self.transcript(args, &child.wait_with_output().unwrap())
    }

    /// Runs a command that was made with `args`, and changed.
    #[track_caller]
    pub(crate) fn finish(&self, args: &[&str], mut command: Command) -> String {
        self.transcript(args, &command.output().unwrap())
    }

    pub(crate) fn run(&self, args: &[&str]) -> String {
        self.session(args, "")
    }

    fn transcript(&self, args: &[&str], output: &Output) -> String {
        let mut text = format!("$ fencepost {}\n", args.join(" "));
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
