//! Runs `mypy --strict` on the programs of many questions: one process for each version of Python that they need.
//!
//! Runs mypy in a folder of its own, so that neither Python nor mypy loads anything from the user's folder or a pack.
//! `author/mypy.rs` reads its output.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use std::{env, fs};

use super::scratch::Scratch;
use super::tool::{self, Failure, Said};
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

/// Time limits of mypy: for its version, and for its programs. That is so much for its start, which compiles its copy of the
/// standard library, and so much for each of them. On a usual machine it takes a tenth.
const SHORTEST: Duration = Duration::from_secs(30);
const LONGEST: Duration = Duration::from_secs(120);
const EACH: Duration = Duration::from_secs(1);

/// Checks every usable question and adds what mypy says to `report`. Returns mypy's version.
///
/// # Errors
///
/// Says why mypy could not do its work.
pub(super) fn check(report: &mut Report, progress: &Progress) -> Result<String, String> {
    let folder = Scratch::new().map_err(|error| format!("no folder for its files can be made: {error}"))?;
    let (mypy, version) = find(folder.path())?;
    let mut files: BTreeMap<String, (usize, Program)> = BTreeMap::new();
    let mut programs: BTreeMap<String, String> = BTreeMap::new();
    let mut batches: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for (place, examined) in report.questions.iter().enumerate() {
        let Some(question) = &examined.question else { continue };
        // A program that is no Python would end the check of all the others.
        if examined.problems.iter().any(|problem| problem.code == codes::NOT_FINISHED) {
            continue;
        }
        let minor = versions::oldest_minor(&question.python).unwrap_or(OLDEST).max(OLDEST);
        for program in Program::ALL {
            let name = format!("q{place}_{}.py", describe::program(program));
            fs::write(folder.path().join(&name), program.code(question))
                .map_err(|error| format!("`{name}` cannot be written: {error}"))?;
            batches.entry(minor).or_default().push(name.clone());
            programs.insert(name.clone(), program.code(question).to_owned());
            files.insert(name, (place, program));
        }
    }
    progress.begin("mypy", batches.len());
    for (minor, names) in batches {
        let said = run(&mypy, folder.path(), minor, &names)?;
        for name in &names {
            if let Some(examined) = files.get(name).and_then(|(place, _)| report.questions.get_mut(*place)) {
                examined.typed = true;
            }
        }
        let written: Vec<_> = names.iter().filter_map(|name| Some((name, programs.get(name)?))).collect();
        let kept = written.into_iter().flat_map(|(name, code)| mypy::suppressions(name, code));
        for remark in mypy::remarks(&said).into_iter().chain(kept) {
            let Some((place, program)) = files.get(&remark.file) else { continue };
            if let Some(examined) = report.questions.get_mut(*place) {
                let checker = format!("mypy {version}");
                examined.problems.push(mypy::problem(&examined.file, *program, &remark, &checker));
            }
        }
        progress.step();
    }
    Ok(version)
}

fn run(mypy: &[OsString], folder: &Path, minor: u32, names: &[String]) -> Result<String, String> {
    // Named in a file: a thousand questions have more names than a command line may hold.
    let list = folder.join("files.txt");
    fs::write(&list, names.join("\n")).map_err(|error| format!("the list of files cannot be written: {error}"))?;
    let mut command = command(mypy, folder);
    command.args(["--strict", "--python-version", &format!("3.{minor}"), "--cache-dir", "cache", "--config-file="]);
    command.args(["--no-pretty", "--no-color-output", "--hide-error-context", "--no-error-summary"]);
    command.args(["--show-column-numbers", "--show-error-codes", "@files.txt"]);
    let patience = LONGEST + EACH * u32::try_from(names.len()).unwrap_or(u32::MAX);
    let Said { status, stdout, stderr } =
        tool::run(&mut command, folder, patience).map_err(|failure| match failure {
            Failure::NotStarted(error) => format!("it does not start: {error}"),
            Failure::Ended(why) => format!("it {why}, with {} to look at", counted(names.len(), "program")),
        })?;
    match status.code() {
        Some(0 | 1) => Ok(stdout),
        _ => {
            let words: Vec<&str> =
                stderr.lines().chain(stdout.lines()).filter(|line| !line.is_empty()).take(3).collect();
            Err(format!("it failed ({status}): {}", words.join("; ")))
        }
    }
}

/// The way to start mypy in `folder`, and its version.
fn find(folder: &Path) -> Result<(Vec<OsString>, String), String> {
    if let Some(named) = env::var_os("FENCEPOST_MYPY").filter(|named| !named.is_empty()) {
        let shown = named.to_string_lossy().into_owned();
        // A path is meant from where the user is, and a bare name is looked for on the PATH.
        let is_name = Path::new(&named).components().count() == 1 && !shown.contains('/');
        let named = std::path::absolute(&named).ok().filter(|_| !is_name).map_or(named, OsString::from);
        let way = vec![named];
        return match version(&way, folder) {
            Ok(version) => Ok((way, version)),
            Err(why) => Err(format!("`{shown}`, which FENCEPOST_MYPY names, {why}")),
        };
    }
    let mut failed = None;
    for way in [&["mypy"][..], &["python3", "-m", "mypy"]] {
        let shown = way.join(" ");
        let way: Vec<OsString> = way.iter().map(OsString::from).collect();
        match version(&way, folder) {
            Ok(version) => return Ok((way, version)),
            Err(why) if why != NO_MYPY => failed = failed.or(Some(format!("`{shown}` {why}"))),
            Err(_) => {}
        }
    }
    let none = "there is no mypy on the PATH; `pip install mypy` brings it, or FENCEPOST_MYPY names it";
    Err(failed.unwrap_or_else(|| none.to_owned()))
}

/// The message for a program that is not mypy.
const NO_MYPY: &str = "is not mypy";

/// The version that `mypy --version` names: "mypy 1.18.2 (compiled: yes)". Else what is wrong with the program.
fn version(way: &[OsString], folder: &Path) -> Result<String, String> {
    let said = tool::run(command(way, folder).arg("--version"), folder, SHORTEST).map_err(|failure| match failure {
        Failure::NotStarted(_) => NO_MYPY.to_owned(),
        Failure::Ended(why) => format!("{why}, asked for its version"),
    })?;
    let version = || said.stdout.strip_prefix("mypy ")?.split_whitespace().next();
    let version = version().filter(|it| said.status.success() && it.bytes().all(|byte| byte.is_ascii_graphic()));
    version.map(str::to_owned).ok_or(NO_MYPY.to_owned())
}

fn command(way: &[OsString], folder: &Path) -> Command {
    let mut command = Command::new(way.first().map_or("mypy".as_ref(), OsString::as_os_str));
    command.args(way.iter().skip(1)).env_remove("MYPYPATH").env_remove("MYPY_CACHE_DIR");
    // `python3 -m` looks for modules where it is started. Newer versions can be told not to; for older ones the folder, in
    // which nothing is but programs under names of ours, has to do.
    command.current_dir(folder);
    if way.len() > 1 {
        command.env("PYTHONSAFEPATH", "1");
    }
    command
}
