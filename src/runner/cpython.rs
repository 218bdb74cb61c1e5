//! Finds real CPythons, and turns a child into one.
//!
//! Asking an interpreter for its version is the only Python that runs outside of a sandbox: it is the user's own
//! interpreter, in isolated mode.

use std::cmp::Reverse;
use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::protocol::{Hello, Key};
use super::python::DRIVER;
use super::{Engine, Level};

/// The argument that makes a template start children on a CPython.
const ARGUMENT: &str = "cpython";
/// The oldest and the newest minor version of Python 3 that the driver is tested with.
const VERSIONS: std::ops::RangeInclusive<u32> = 10..=14;
/// Limits on the time and the bytes of an interpreter's answer. A file with its name may be a script that waits for
/// something, or another program altogether.
const PATIENCE: Duration = Duration::from_secs(5);
const LONGEST_ANSWER: usize = 64 << 10;
/// Isolated, without `site`, without bytecode files.
const OPTIONS: [&str; 3] = ["-I", "-S", "-B"];
/// Descriptor from which the child reads its driver. Closed before a program runs.
pub(super) const HANDOVER: i32 = 4;

/// Asks an interpreter who it is. It answers with its name, version, real path and the folders that it reads.
const QUESTION: &str = "\
import sys
print(sys.implementation.name)
print('%d.%d.%d' % sys.version_info[:3])
print(sys.executable)
print(sys.base_prefix + '/lib')
print(sys.base_exec_prefix + '/lib')
for path in sys.path:
    print(path)
";

/// Files that any program on Linux may need to start: the loader and the libraries.
const SYSTEM: [&str; 8] =
    ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/etc/ld.so.preload", "/dev/null", "/dev/urandom"];

/// Reads the handover, splits it and starts the driver with a copy of the built-in names.
const START: &str = "\
import os, builtins
data = b''
while piece := os.read(4, 1 << 16):
    data += piece
os.close(4)
parts = []
while data:
    size = int.from_bytes(data[:4], 'little')
    parts.append(data[4 : 4 + size])
    data = data[4 + size :]
names = {'__name__': '<fencepost>', '__builtins__': dict(vars(builtins))}
exec(compile(parts.pop(), '<fencepost>', 'exec'), names)
names['main'](*parts)
";

/// Part of the driver for CPython only: the embedded interpreter has it in Rust.
const CHANNEL: &str = include_str!("driver/cpython.py");

/// A CPython that can run programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpreter {
    /// The program itself, not a wrapper around it.
    pub executable: PathBuf,
    /// Its version, such as "3.13.0".
    pub version: String,
    /// The files and folders that it needs to read.
    readable: Vec<PathBuf>,
}

impl Interpreter {
    /// Asks the interpreter at `path`, or a command on the `PATH`, who it is.
    ///
    /// # Errors
    ///
    /// It does not start, is not CPython, or has a version that the driver does not support.
    pub fn find(path: &OsStr) -> Result<Self, String> {
        let shown = Path::new(path).display();
        if path.is_empty() {
            return Err("no interpreter is named".to_owned());
        }
        let mut command = Command::new(path);
        command.args(OPTIONS).args(["-c", QUESTION]).stdin(Stdio::null()).stderr(Stdio::null());
        let answer = ask(&mut command, PATIENCE).map_err(|why| format!("`{shown}` {why}"))?;
        let mut lines = answer.split(|&byte| byte == b'\n').map(OsStr::from_bytes);
        let mut next = || lines.next().unwrap_or_default();
        let (name, version, executable) = (next(), next(), next());
        if name != "cpython" {
            return Err(format!("`{shown}` is not CPython"));
        }
        let version = version.to_str().unwrap_or_default();
        let Some([major, minor, _]) = numbers(version) else {
            return Err(format!("`{shown}` reports an invalid version"));
        };
        if major != 3 || !VERSIONS.contains(&minor) {
            let (oldest, newest) = (VERSIONS.start(), VERSIONS.end());
            return Err(format!("`{shown}` is Python {version}; use 3.{oldest} to 3.{newest}"));
        }
        let executable =
            std::fs::canonicalize(executable).map_err(|error| format!("`{shown}` is not there: {error}"))?;
        let folders = lines.filter(|line| !line.is_empty()).map(PathBuf::from);
        let mut readable: Vec<PathBuf> = SYSTEM.map(PathBuf::from).into_iter().chain(folders).collect();
        readable.push(executable.clone());
        readable.retain(|path| path.is_absolute() && path != Path::new("/"));
        readable.dedup();
        Ok(Self { executable, version: version.to_owned(), readable })
    }

    /// The newest CPython on the `PATH` that can be used.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn find_any() -> Result<Self, String> {
        let none = || format!("no CPython 3.{} to 3.{} on the PATH", VERSIONS.start(), VERSIONS.end());
        Self::find_all().into_iter().next().ok_or_else(none)
    }

    /// Every CPython in any folder of the `PATH` that can be used, each once, newest first.
    pub fn find_all() -> Vec<Self> {
        Self::find_all_in(&std::env::var_os("PATH").unwrap_or_default())
    }

    fn find_all_in(path: &OsStr) -> Vec<Self> {
        let mut asked = Vec::new();
        let mut all: Vec<Self> = Vec::new();
        for candidate in candidates(path) {
            // The same under another name gives the same answer.
            let Ok(real) = candidate.canonicalize() else { continue };
            if asked.contains(&real) {
                continue;
            }
            asked.push(real);
            let Ok(found) = Self::find(candidate.as_os_str()) else { continue };
            if all.iter().all(|earlier| earlier.executable != found.executable) {
                all.push(found);
            }
        }
        // Stable: among equals, the one that the PATH names first stays first.
        all.sort_by_key(|found| Reverse(numbers(&found.version)));
        all
    }

    /// The arguments that tell a template to use it.
    pub(super) fn arguments(&self) -> impl Iterator<Item = OsString> {
        let head = [ARGUMENT.into(), self.version.clone().into(), self.executable.clone().into_os_string()];
        head.into_iter().chain(self.readable.iter().map(|path| path.clone().into_os_string()))
    }

    /// Reads such arguments.
    pub(super) fn from_arguments(arguments: &[OsString]) -> Option<Self> {
        let at = arguments.iter().position(|argument| argument == ARGUMENT)?;
        let [version, executable, readable @ ..] = arguments.get(at + 1..)? else { return None };
        Some(Self {
            executable: executable.into(),
            version: version.to_string_lossy().into_owned(),
            readable: readable.iter().map(PathBuf::from).collect(),
        })
    }

    /// Describes the interpreter.
    pub(super) fn engine(&self, sandbox: Level) -> Engine {
        Engine { name: "CPython".to_owned(), version: self.version.clone(), python: self.version.clone(), sandbox }
    }

    /// Returns the files and folders that it needs to read.
    pub(super) fn readable(&self) -> &[PathBuf] {
        &self.readable
    }

    /// Becomes this interpreter. Returns only if that fails. Descriptor [`HANDOVER`] must give what [`handover`] wrote.
    pub(super) fn exec(&self) -> std::io::Error {
        let mut command = Command::new(&self.executable);
        command.args(OPTIONS).args(["-X", "utf8", "-c", START]).env_clear();
        command.env("TZ", "UTC").env("LANG", "C.UTF-8").env("MALLOC_ARENA_MAX", "1").exec()
    }
}

/// Explains a failed start, as words that follow the name.
fn why_not(program: &OsStr, error: &std::io::Error) -> String {
    // A name without a folder is looked for on the `PATH`, and what is here under that name is not meant.
    let is_path = program.as_bytes().contains(&b'/');
    let kind = std::fs::metadata(program).ok().filter(|_| is_path);
    match error.kind() {
        ErrorKind::NotFound if !is_path => "is not on the PATH".to_owned(),
        ErrorKind::NotFound if kind.is_none() => "is not there".to_owned(),
        _ if kind.as_ref().is_some_and(std::fs::Metadata::is_dir) => {
            "is a folder; name the interpreter in it, such as `bin/python3`".to_owned()
        }
        ErrorKind::PermissionDenied if kind.is_some() => "is not executable".to_owned(),
        _ if error.raw_os_error() == Some(libc::ENOEXEC) => "is not a program".to_owned(),
        _ => format!("does not start: {error}"),
    }
}

/// Returns the output of a command, if it succeeds within the limits. Otherwise the reason, as words that follow its name.
fn ask(command: &mut Command, patience: Duration) -> Result<Vec<u8>, String> {
    let until = Instant::now() + patience;
    let late = || format!("does not answer within {} s", patience.as_secs_f64());
    let unreadable = |error| format!("cannot be read: {error}");
    let (answers, theirs) = UnixStream::pair().map_err(unreadable)?;
    // A group of its own, so that what it may have started is ended with it.
    let started = command.stdout(OwnedFd::from(theirs)).process_group(0).spawn();
    // The command would keep the other end open.
    command.stdout(Stdio::null());
    let mut process = started.map_err(|error| why_not(command.get_program(), &error))?;
    let answer = read_until(answers, until).and_then(|answer| answer.ok_or_else(late));
    // It has closed its output, so it is about to end, or it never will.
    let mut status = Ok(None);
    if answer.is_ok() {
        status = process.try_wait();
        while matches!(status, Ok(None)) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
            status = process.try_wait();
        }
    }
    if !matches!(status, Ok(Some(_))) {
        // It was not waited for yet, so the number is still its own.
        let _ = i32::try_from(process.id()).map(|id| killpg(Pid::from_raw(id), Signal::SIGKILL));
        let _ = process.kill();
        let _ = process.wait();
    }
    let answer = answer?;
    match status {
        Ok(Some(status)) if status.success() => Ok(answer),
        Ok(Some(status)) => Err(format!("is not a working Python 3: {status}")),
        Ok(None) => Err(late()),
        Err(error) => Err(format!("cannot be waited for: {error}")),
    }
}

/// Reads to the end; `None` if that takes too long.
fn read_until(mut from: UnixStream, until: Instant) -> Result<Option<Vec<u8>>, String> {
    let unreadable = |error| format!("cannot be read: {error}");
    let mut bytes = Vec::new();
    let mut piece = [0; 4 << 10];
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        from.set_read_timeout(Some(left)).map_err(unreadable)?;
        match from.read(&mut piece) {
            Ok(0) => return Ok(Some(bytes)),
            Ok(length) => bytes.extend_from_slice(piece.get(..length).unwrap_or_default()),
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
            Err(error) => return Err(unreadable(error)),
        }
        if bytes.len() > LONGEST_ANSWER {
            return Err(format!("answers with more than {} KiB", LONGEST_ANSWER >> 10));
        }
    }
}

/// The three numbers of a version such as `3.13.0`. [`QUESTION`] asks for no more.
fn numbers(version: &str) -> Option<[u32; 3]> {
    let number = |part: &str| part.parse().ok().filter(|number| *number < 1000 && !part.starts_with('+'));
    version.split('.').map(number).collect::<Option<Vec<u32>>>()?.try_into().ok()
}

/// Lists files that may be a CPython, by name and then by folder. Relative folders are skipped: they may be someone else's.
fn candidates(path: &OsStr) -> impl Iterator<Item = PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect();
    let files = move |name: String| folders.iter().map(|folder| folder.join(&name)).collect::<Vec<_>>();
    names().flat_map(files).filter(|file| file.is_file())
}

/// The names under which a CPython may be on the `PATH`, newest first.
fn names() -> impl Iterator<Item = String> {
    VERSIONS.rev().map(|minor| format!("python3.{minor}")).chain(["python3".to_owned(), "python".to_owned()])
}

/// Writes what the driver needs to know: key, filter, what is in force, and the driver itself.
pub(super) fn handover(mut to: impl Write, key: &Key, filter: &[u8], hello: &Hello) -> std::io::Result<()> {
    let hello = serde_json::to_vec(hello).map_err(std::io::Error::other)?;
    let driver = [DRIVER, CHANNEL].concat();
    for part in [key.as_slice(), filter, &hello, driver.as_bytes()] {
        let length = u32::try_from(part.len()).map_err(std::io::Error::other)?;
        to.write_all(&length.to_le_bytes())?;
        to.write_all(part)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null()).stderr(Stdio::null());
        command
    }

    #[test]
    fn a_version_is_three_numbers() {
        assert_eq!(numbers("3.13.0"), Some([3, 13, 0]));
        for bad in
            ["", "3.13", "3.13.0.1", "3.x.0", "3.13.0 ", "3.13.0\u{1b}[2J", "3.13.0rc1", "3.13.9999", "3..1", "3.+1.0"]
        {
            assert_eq!(numbers(bad), None, "{bad}");
        }
    }

    #[test]
    fn every_folder_of_the_path_is_searched_and_the_newest_comes_first() {
        let home = tempfile::tempdir().unwrap();
        // Each says who it is as an interpreter would.
        let place = |folder: &str, name: &str, version: &str| {
            let file = home.path().join(folder).join(name);
            std::fs::create_dir_all(home.path().join(folder)).unwrap();
            let script = format!("#!/bin/sh\necho cpython\necho {version}\necho '{}'\n", file.display());
            std::fs::write(&file, script).unwrap();
            std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        };
        place("a", "python3", "3.11.2");
        place("a", "python", "2.7.18");
        place("b", "python3.12", "3.12.1");
        place("c", "python3", "3.13.0");
        std::os::unix::fs::symlink(home.path().join("c/python3"), home.path().join("b/python3")).unwrap();
        let folders = ["a", "nowhere", "b", "c", "a"].map(|folder| home.path().join(folder));
        let path = std::env::join_paths(folders).unwrap();
        let found = |path: &OsStr| Interpreter::find_all_in(path).into_iter().map(|it| it.version).collect::<Vec<_>>();
        assert_eq!(found(&path), ["3.13.0", "3.12.1", "3.11.2"]);
        assert_eq!(found("".as_ref()), <[String; 0]>::default());
        assert_eq!(candidates(".:a:".as_ref()).count(), 0, "folders of the user's place");
    }

    #[test]
    fn what_does_not_answer_as_it_should_is_not_waited_for() {
        let soon = Duration::from_millis(200);
        let late = Err("does not answer within 0.2 s".to_owned());
        let begun = Instant::now();
        assert_eq!(ask(&mut sh("sleep 600"), soon), late);
        assert_eq!(ask(&mut sh("sleep 600 & echo x"), soon), late, "something else holds its output open");
        assert_eq!(ask(&mut sh("exec >&-; sleep 600"), soon), late);
        let long = Err("answers with more than 64 KiB".to_owned());
        assert_eq!(ask(&mut sh("while :; do echo xxxxxxxxxxxxxxxxxxxxxxxx; done"), PATIENCE * 6), long);
        assert!(begun.elapsed() < Duration::from_secs(60));
        assert_eq!(ask(&mut sh("exit 3"), PATIENCE), Err("is not a working Python 3: exit status: 3".to_owned()));
        assert_eq!(ask(&mut sh("echo yes"), PATIENCE), Ok(b"yes\n".to_vec()));
    }
}
