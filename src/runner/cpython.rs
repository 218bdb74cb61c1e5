//! A real CPython: how it is found, and how a child becomes one.
//!
//! Owns the questions that are put to an interpreter before it is used, which are the only Python that is ever run
//! outside of a sandbox: it is the user's own interpreter, without the user's files. Must not know jobs.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::protocol::{Hello, Key};
use super::python::DRIVER;

/// The interpreter's name.
pub(super) const NAME: &str = "CPython";
/// The argument that makes a template start children on a CPython.
const ARGUMENT: &str = "cpython";
/// The oldest and the newest minor version of Python 3 that the driver is tested with.
const VERSIONS: std::ops::RangeInclusive<u32> = 10..=14;
/// Isolated, without `site`, without bytecode files.
const OPTIONS: [&str; 3] = ["-I", "-S", "-B"];
/// Where the child finds what it needs to become a runner. Closed before a program runs.
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

/// What every program on Linux may need to start: the loader and the libraries.
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

/// What CPython needs besides the driver: the embedded interpreter has it in Rust.
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
    /// Says why it cannot be used: it does not start, is no CPython, or has a version that the driver is not made for.
    pub fn find(path: &OsStr) -> Result<Self, String> {
        let shown = Path::new(path).display();
        let mut command = Command::new(path);
        command.args(OPTIONS).args(["-c", QUESTION]).stdin(Stdio::null()).stderr(Stdio::null());
        let output = command.output().map_err(|error| format!("`{shown}` does not start: {error}"))?;
        if !output.status.success() {
            return Err(format!("`{shown}` is no Python 3 that works: {}", output.status));
        }
        let mut lines = output.stdout.split(|&byte| byte == b'\n').map(OsStr::from_bytes);
        let mut next = || lines.next().unwrap_or_default();
        let (name, version, executable) = (next(), next(), next());
        if name != "cpython" {
            return Err(format!("`{shown}` is not CPython"));
        }
        let version = version.to_string_lossy().into_owned();
        let minor = version.strip_prefix("3.").and_then(|rest| rest.split('.').next()).and_then(|it| it.parse().ok());
        if !minor.is_some_and(|minor: u32| VERSIONS.contains(&minor)) {
            let (oldest, newest) = (VERSIONS.start(), VERSIONS.end());
            return Err(format!("`{shown}` is Python {version}; 3.{oldest} to 3.{newest} can be used"));
        }
        let executable =
            std::fs::canonicalize(executable).map_err(|error| format!("`{shown}` is not there: {error}"))?;
        let folders = lines.filter(|line| !line.is_empty()).map(PathBuf::from);
        let mut readable: Vec<PathBuf> = SYSTEM.map(PathBuf::from).into_iter().chain(folders).collect();
        readable.push(executable.clone());
        readable.retain(|path| path.is_absolute() && path != Path::new("/"));
        readable.dedup();
        Ok(Self { executable, version, readable })
    }

    /// The first CPython on the `PATH` that can be used, newest name first.
    ///
    /// # Errors
    ///
    /// Says that there is none.
    pub fn find_any() -> Result<Self, String> {
        let newest_first = VERSIONS.rev().map(|minor| format!("python3.{minor}"));
        let mut names = newest_first.chain(["python3".to_owned(), "python".to_owned()]);
        names
            .find_map(|name| Self::find(OsStr::new(&name)).ok())
            .ok_or_else(|| format!("no CPython 3.{} to 3.{} on the PATH", VERSIONS.start(), VERSIONS.end()))
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

    /// What it needs to read.
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
