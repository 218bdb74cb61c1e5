//! Runs `mypy --strict` on the programs of many questions: one process for each version of Python that they need.
//!
//! Runs it in a private folder, so that neither Python nor mypy loads anything from the user's folder or a pack.
//! `author/mypy.rs` reads its output.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;
use std::{env, fs};

use super::tool::{Failure, LONGEST as MOST_OUTPUT, Workspace};
use crate::author::mypy;
use crate::author::report::Report;
use crate::commands::progress::Progress;
use crate::content::diagnostic::codes;
use crate::content::versions;
use crate::quiz::describe;
use crate::quiz::state::Program;
use crate::text::counted;

/// The oldest minor version of Python 3 that current releases of mypy check for.
const OLDEST: u32 = 10;

/// Time limits of mypy: for its version, for its start, which compiles its copy of the standard library, and for each
/// program. Usually it takes a tenth.
const FOR_VERSION: Duration = Duration::from_secs(30);
const FOR_START: Duration = Duration::from_secs(120);
const FOR_EACH: Duration = Duration::from_secs(1);

const MISSING: &str = "mypy is not on the PATH; install it with `pip install mypy`, or name it in FENCEPOST_MYPY";

/// A program of a question, in a file of its own.
struct Source {
    name: String,
    /// The position of its question in the report.
    place: usize,
    program: Program,
}

/// Checks every usable question and adds mypy's errors to `report`. Returns mypy's version.
///
/// # Errors
///
/// Says why mypy could not do its work.
pub(super) fn check(report: &mut Report, progress: &Progress) -> Result<String, String> {
    let workspace = Workspace::new().map_err(|error| format!("cannot make a folder for its files: {error}"))?;
    let (mypy, version) = find(&workspace)?;
    let mut batches: BTreeMap<u32, Vec<Source>> = BTreeMap::new();
    for (place, examined) in report.questions.iter().enumerate() {
        let Some(question) = &examined.question else { continue };
        // A program that is not valid Python would end the check of all the others.
        if examined.problems.iter().any(|problem| problem.code == codes::NOT_FINISHED) {
            continue;
        }
        let minor = versions::oldest_minor(&question.python).unwrap_or(OLDEST).max(OLDEST);
        for program in Program::ALL {
            let name = format!("q{place}_{}.py", describe::program(program));
            write(&workspace, &name, program.code(question))?;
            batches.entry(minor).or_default().push(Source { name, place, program });
        }
    }
    progress.begin("mypy", batches.len());
    for (minor, sources) in batches {
        let remarks = mypy::remarks(&run(&workspace, &mypy, minor, &sources)?);
        for Source { name, place, program } in sources {
            let Some(examined) = report.questions.get_mut(place) else { continue };
            examined.typed = true;
            let Some(question) = &examined.question else { continue };
            let suppressed = mypy::suppressions(&name, program.code(question));
            for remark in remarks.iter().filter(|it| it.file == name).chain(&suppressed) {
                examined.problems.push(mypy::problem(&examined.file, program, remark, &format!("mypy {version}")));
            }
        }
        progress.step();
    }
    Ok(version)
}

fn write(workspace: &Workspace, name: &str, text: &str) -> Result<(), String> {
    fs::write(workspace.path().join(name), text).map_err(|error| format!("cannot write `{name}`: {error}"))
}

fn run(workspace: &Workspace, mypy: &[OsString], minor: u32, sources: &[Source]) -> Result<String, String> {
    // In a file, since a thousand names may be too many for a command line.
    let names: Vec<&str> = sources.iter().map(|it| it.name.as_str()).collect();
    write(workspace, "files.txt", &names.join("\n"))?;
    let mut command = command(workspace, mypy);
    command.args(["--strict", "--python-version", &format!("3.{minor}"), "--cache-dir", "cache", "--config-file="]);
    command.args(["--no-pretty", "--no-color-output", "--hide-error-context", "--no-error-summary"]);
    command.args(["--show-column-numbers", "--show-error-codes", "@files.txt"]);
    let limit = FOR_START + FOR_EACH * u32::try_from(names.len()).unwrap_or(u32::MAX);
    let Output { status, stdout, stderr } = workspace
        .run(&mut command, limit)
        .map_err(|failure| format!("mypy {}, with {} to check", reason(&failure), counted(names.len(), "program")))?;
    let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    match status.code() {
        Some(0 | 1) => Ok(stdout),
        _ => {
            let lines: Vec<&str> =
                stderr.lines().chain(stdout.lines()).filter(|line| !line.is_empty()).take(3).collect();
            Err(format!("mypy failed ({status}): {}", lines.join("; ")))
        }
    }
}

fn reason(failure: &Failure) -> String {
    match failure {
        Failure::NotStarted(error) => format!("does not start: {error}"),
        Failure::TooLong => format!("wrote more than {} MiB", MOST_OUTPUT >> 20),
        Failure::TimedOut(limit) => format!("timed out after {} s", limit.as_secs()),
        Failure::Interrupted => "was interrupted".to_owned(),
    }
}

/// Returns the command that starts mypy, and mypy's version.
fn find(workspace: &Workspace) -> Result<(Vec<OsString>, String), String> {
    if let Some(named) = env::var_os("FENCEPOST_MYPY").filter(|named| !named.is_empty()) {
        let shown = named.to_string_lossy().into_owned();
        // A path is relative to the user's folder; a bare name is searched on the PATH.
        let is_name = Path::new(&named).components().count() == 1 && !shown.contains('/');
        let named = std::path::absolute(&named).ok().filter(|_| !is_name).map_or(named, OsString::from);
        let mypy = vec![named];
        return match version(workspace, &mypy) {
            Ok(version) => Ok((mypy, version)),
            Err(Unusable::NotMypy) => Err(format!("`{shown}`, named in FENCEPOST_MYPY, is not mypy")),
            Err(Unusable::Failed(why)) => Err(format!("`{shown} --version`, named in FENCEPOST_MYPY, {why}")),
        };
    }
    let mut failed = None;
    for words in [&["mypy"][..], &["python3", "-m", "mypy"]] {
        let mypy: Vec<OsString> = words.iter().map(OsString::from).collect();
        match version(workspace, &mypy) {
            Ok(version) => return Ok((mypy, version)),
            Err(Unusable::NotMypy) => {}
            Err(Unusable::Failed(why)) => failed = failed.or(Some(format!("`{} --version` {why}", words.join(" ")))),
        }
    }
    Err(failed.unwrap_or_else(|| MISSING.to_owned()))
}

/// Reasons why a program cannot be used as mypy.
enum Unusable {
    NotMypy,
    Failed(String),
}

/// Reads the version out of "mypy 1.18.2 (compiled: yes)".
fn version(workspace: &Workspace, mypy: &[OsString]) -> Result<String, Unusable> {
    let output = match workspace.run(command(workspace, mypy).arg("--version"), FOR_VERSION) {
        Ok(output) => output,
        Err(Failure::NotStarted(_)) => return Err(Unusable::NotMypy),
        Err(failure) => return Err(Unusable::Failed(reason(&failure))),
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.strip_prefix("mypy ").and_then(|rest| rest.split_whitespace().next());
    let version = version.filter(|it| output.status.success() && it.bytes().all(|byte| byte.is_ascii_graphic()));
    version.map(str::to_owned).ok_or(Unusable::NotMypy)
}

fn command(workspace: &Workspace, mypy: &[OsString]) -> Command {
    let mut command = Command::new(mypy.first().map_or("mypy".as_ref(), OsString::as_os_str));
    command.args(mypy.iter().skip(1)).env_remove("MYPYPATH").env_remove("MYPY_CACHE_DIR");
    // `python3 -m` searches the current folder for modules. PYTHONSAFEPATH stops that in newer versions; for older ones, the
    // folder has nothing but our own files.
    command.current_dir(workspace.path()).envs((mypy.len() > 1).then_some(("PYTHONSAFEPATH", "1")));
    command
}
