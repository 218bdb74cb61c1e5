//! Runs another program until it ends, or until its time is up.
//!
//! The program and everything it started are ended together, also when the check is interrupted.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{io, thread};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::interruption;

/// Bytes that a program may write.
const LONGEST: u64 = 64 << 20;

/// How a program ended, and what it wrote.
pub(super) struct Said {
    pub(super) status: ExitStatus,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Why there is no answer of a program.
pub(super) enum Failure {
    /// It does not start, or cannot be watched.
    NotStarted(io::Error),
    /// It was ended, and why: to be read after its name.
    Ended(String),
}

/// Runs `command` for no longer than `patience`. What it writes goes into files in `folder`, which nobody else can write to:
/// a pipe would stay open for as long as any of its children lives.
pub(super) fn run(command: &mut Command, folder: &Path, patience: Duration) -> Result<Said, Failure> {
    let [out, err] = ["stdout.txt", "stderr.txt"].map(|name| folder.join(name));
    let file = |path: &Path| File::create(path).map_err(Failure::NotStarted);
    command.stdin(Stdio::null()).stdout(file(&out)?).stderr(file(&err)?).process_group(0);
    interruption::watch().map_err(Failure::NotStarted)?;
    let mut child = {
        // Nothing that starts may be missed by a signal that comes now.
        let mut groups = interruption::groups();
        let child = command.spawn().map_err(Failure::NotStarted)?;
        groups.extend(group(&child));
        child
    };
    let until = Instant::now() + patience;
    let mut pause = Duration::from_millis(1);
    let status = loop {
        match ended(&mut child) {
            Ok(Some(status)) => break status,
            Ok(None) => {}
            Err(error) => {
                end(&mut child);
                return Err(Failure::NotStarted(error));
            }
        }
        let length = |path| fs::metadata(path).map_or(0, |it| it.len());
        if length(&out) + length(&err) > LONGEST {
            end(&mut child);
            return Err(Failure::Ended(format!("wrote more than {} MiB and was ended", LONGEST >> 20)));
        }
        if Instant::now() >= until {
            end(&mut child);
            return Err(Failure::Ended(format!("did not end within {} s and was ended", patience.as_secs_f64())));
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    let read = |path| fs::read(path).map(|it| String::from_utf8_lossy(&it).into_owned()).map_err(Failure::NotStarted);
    Ok(Said { status, stdout: read(&out)?, stderr: read(&err)? })
}

fn group(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().map(Pid::from_raw)
}

/// How a program ended, if it did.
fn ended(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let mut groups = interruption::groups();
    let status = child.try_wait()?;
    if status.is_some() {
        groups.retain(|it| Some(*it) != group(child));
    }
    Ok(status)
}

/// Ends a program that was not waited for yet, so that the number is still its own.
fn end(child: &mut Child) {
    let mut groups = interruption::groups();
    if let Some(group) = group(child) {
        let _ = killpg(group, Signal::SIGKILL);
    }
    let _ = child.kill();
    let _ = child.wait();
    groups.retain(|it| Some(*it) != group(child));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(folder: &Path, script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(folder);
        command
    }

    #[test]
    fn a_program_says_what_it_has_to_say_also_where_a_child_of_it_lives_on() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = sh(folder.path(), "echo out; echo err >&2; sleep 2 & exit 3");
        let Ok(said) = run(&mut command, folder.path(), Duration::from_secs(60)) else { panic!("it was ended") };
        assert_eq!((said.status.code(), &*said.stdout, &*said.stderr), (Some(3), "out\n", "err\n"));
    }

    #[test]
    fn a_program_without_end_is_ended_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        // The child holds the other end of the pipe until it is ended.
        assert!(Command::new("mkfifo").arg(folder.path().join("pipe")).status().unwrap().success());
        let opened = thread::spawn({
            let pipe = folder.path().join("pipe");
            move || fs::read_to_string(pipe)
        });
        let mut command = sh(folder.path(), "(echo begun; exec sleep 1000) > pipe & wait");
        let failure = run(&mut command, folder.path(), Duration::from_millis(300));
        let Err(Failure::Ended(why)) = failure else { panic!("it came to an end") };
        assert_eq!(why, "did not end within 0.3 s and was ended");
        assert_eq!(opened.join().unwrap().unwrap(), "begun\n");
        assert!(interruption::groups().is_empty());
    }

    #[test]
    fn a_program_that_is_not_there_is_not_started() {
        let folder = tempfile::tempdir().unwrap();
        let failure = run(&mut Command::new("./nowhere"), folder.path(), Duration::from_secs(1));
        assert!(matches!(failure, Err(Failure::NotStarted(_))));
    }
}
