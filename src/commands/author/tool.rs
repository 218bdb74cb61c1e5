//! Runs other programs in a private folder, each until it ends, its time is up, or a signal comes.
//!
//! A program is ended together with everything it started. A signal that ends this one ends the program and removes the
//! folder first.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{io, thread};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level};
use tempfile::TempDir;

/// Bytes that a program may write.
pub(super) const LONGEST: u64 = 64 << 20;

/// Pause before the state of a program is checked again.
const PAUSE: Duration = Duration::from_millis(10);

/// A private folder to run programs in. Dropping it removes it.
pub(super) struct Workspace {
    folder: TempDir,
    /// The signal that has come, or 0.
    signal: Arc<AtomicUsize>,
    /// True when signals act as they do without a workspace.
    released: Arc<AtomicBool>,
}

/// Reasons why a program has no result.
#[derive(Debug)]
pub(super) enum Failure {
    NotStarted(io::Error),
    TooLong,
    TimedOut(Duration),
    Interrupted,
}

impl Workspace {
    pub(super) fn new() -> io::Result<Self> {
        let (signal, released) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        for number in [SIGINT, SIGTERM, SIGHUP] {
            if number != SIGHUP || !ignores_hang_up() {
                flag::register_conditional_default(number, released.clone())?;
                flag::register_usize(number, signal.clone(), number.unsigned_abs() as usize)?;
            }
        }
        // Only this user may write to what mypy reads.
        let folder = tempfile::Builder::new().prefix("fencepost-").permissions(Permissions::from_mode(0o700)).tempdir();
        Ok(Self { folder: folder?, signal, released })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs `command` for at most `limit`. Its output goes into files: a pipe stays open as long as any child of it lives.
    pub(super) fn run(&self, command: &mut Command, limit: Duration) -> Result<Output, Failure> {
        let [out, err] = ["stdout.txt", "stderr.txt"].map(|name| self.path().join(name));
        let file = |path: &Path| File::create(path).map_err(Failure::NotStarted);
        command.stdin(Stdio::null()).stdout(file(&out)?).stderr(file(&err)?).process_group(0);
        let mut child = command.spawn().map_err(Failure::NotStarted)?;
        let until = Instant::now() + limit;
        let length = |path| fs::metadata(path).map_or(0, |it| it.len());
        let failure = loop {
            match child.try_wait() {
                Ok(Some(status)) => {
                    let [stdout, stderr] = [out, err].map(|path| fs::read(path).map_err(Failure::NotStarted));
                    return Ok(Output { status, stdout: stdout?, stderr: stderr? });
                }
                Ok(None) if self.signal.load(Ordering::SeqCst) != 0 => break Failure::Interrupted,
                Ok(None) if length(&out) + length(&err) > LONGEST => break Failure::TooLong,
                Ok(None) if Instant::now() >= until => break Failure::TimedOut(limit),
                Ok(None) => thread::sleep(PAUSE),
                Err(error) => break Failure::NotStarted(error),
            }
        };
        end(&mut child);
        Err(failure)
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        // A child of the program was ended too, and may still write for a moment.
        let gone = || fs::remove_dir_all(self.path()).is_ok() || !self.path().exists();
        for _ in 0..20 {
            if gone() {
                break;
            }
            thread::sleep(PAUSE);
        }
        self.released.store(true, Ordering::SeqCst);
        if let Ok(signal @ 1..) = i32::try_from(self.signal.load(Ordering::SeqCst)) {
            let _ = low_level::emulate_default_handler(signal);
        }
    }
}

/// Ends the process group of `child`, which was not waited for yet, so that the number is still its own.
fn end(child: &mut Child) {
    if let Ok(group) = i32::try_from(child.id()) {
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
    let _ = child.wait();
}

/// True if this program was started to ignore hang-ups, as by `nohup`, or if that is unknown.
fn ignores_hang_up() -> bool {
    let Ok(status) = fs::read_to_string("/proc/self/status") else { return true };
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_none_or(|mask| mask & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_read_even_if_a_child_of_the_program_lives_on() {
        let workspace = Workspace::new().unwrap();
        let mut command = Command::new("sh");
        let output = workspace
            .run(command.args(["-c", "echo out; echo err >&2; sleep 2 & exit 3"]), Duration::from_secs(60))
            .unwrap();
        assert_eq!((output.status.code(), &*output.stdout, &*output.stderr), (Some(3), &b"out\n"[..], &b"err\n"[..]));
    }

    #[test]
    fn a_program_that_takes_too_long_is_ended_with_its_children() {
        let workspace = Workspace::new().unwrap();
        let pipe = workspace.path().join("pipe");
        // The child holds the other end of the pipe until it is ended.
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let mut command = Command::new("sh");
        command.args(["-c", "(echo begun; exec sleep 1000) > pipe & wait"]).current_dir(workspace.path());
        let opened = thread::spawn(move || fs::read_to_string(pipe));
        let failure = workspace.run(&mut command, Duration::from_millis(300)).unwrap_err();
        assert!(matches!(failure, Failure::TimedOut(_)), "{failure:?}");
        assert_eq!(opened.join().unwrap().unwrap(), "begun\n");
    }

    #[test]
    fn a_missing_program_is_not_started() {
        let workspace = Workspace::new().unwrap();
        let failure = workspace.run(&mut Command::new("./nowhere"), Duration::from_secs(1)).unwrap_err();
        assert!(matches!(failure, Failure::NotStarted(_)), "{failure:?}");
    }

    #[test]
    fn the_folder_is_private_and_removed() {
        let workspace = Workspace::new().unwrap();
        let path = workspace.path().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        drop(workspace);
        assert!(!path.exists());
    }
}
