//! Reads files of answers and the programs that they name.
//!
//! Someone else may have written a file of answers, so its programs must be in its folder; in a folder of answers, in the
//! learner's own folder.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::content::diagnostic::{Diagnostic, SourceFile, codes};
use crate::content::read;
use crate::error::Error;
use crate::script::answers::{self, Fault};
use crate::script::table::Learner;

/// The answers, or what is wrong with their text.
type Text = Result<Arc<SourceFile>, Box<Diagnostic>>;

/// A kind of file that the user names, for messages about it.
pub(super) struct Wanted {
    /// Its content: a noun in the plural.
    pub(super) what: &'static str,
    /// Bytes that it may have.
    pub(super) most: u64,
    /// The remedy where it has more.
    pub(super) instead: &'static str,
}

/// The answers of one learner.
pub(super) const ANSWERS: Wanted =
    Wanted { what: "answers", most: answers::LARGEST, instead: "split them: `--partition K/N` grades each part" };

/// Reads the file that the user named, which may be a pipe.
pub(super) fn file(path: &Path, wanted: &Wanted) -> Result<Text, Error> {
    if !is_open_end(path) {
        return Ok(read::named_file_up_to(wanted.most, path).and_then(answers::plain));
    }
    let name = format!("`{}`", path.display());
    let failed = |error: io::Error| Error::usage(format!("cannot read the {} from {name}", wanted.what)).because(error);
    // Opening a pipe waits for a writer.
    let pipe = File::open(path).map_err(failed)?;
    stream(pipe, path, &name, wanted, failed)
}

/// The folder that the programs of the answers in `path` are relative to: the current one for an open file.
pub(super) fn folder(path: &Path) -> &Path {
    if is_open(path) { Path::new("") } else { path.parent().unwrap_or(Path::new("")) }
}

/// The learner whose answers are in `path`, named like the file. An open file has no name.
pub(super) fn learner(path: &Path) -> Option<Learner> {
    let file = path.file_name().filter(|_| !is_open(path))?.to_string_lossy().into_owned();
    Some(Learner { name: stem(path), file: Some(file), handed_in: true, on_roster: None })
}

/// The name of the file in `path` without its ending.
pub(super) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// True if `path` is an open file, passed to this program.
fn is_open(path: &Path) -> bool {
    ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder)) || is_open_end(path)
}

/// True if `path` is a pipe, or a removed file that is still open: some shells pass a document in a script like that.
#[cfg(unix)]
fn is_open_end(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    path.metadata().is_ok_and(|found| {
        let kind = found.file_type();
        kind.is_fifo() || kind.is_file() && path.canonicalize().is_err()
    })
}

#[cfg(not(unix))]
fn is_open_end(_: &Path) -> bool {
    false
}

/// Reads the file of a learner in `root`.
pub(super) fn submission(root: &Path, path: &Path) -> Text {
    read::text_file_up_to(answers::LARGEST, root, path).and_then(answers::plain)
}

/// Reads standard input to its end.
pub(super) fn standard_input() -> Result<Text, Error> {
    let failed = |error: io::Error| {
        Error::usage("cannot read the answers from standard input").hint("name a file: `--answers FILE`").because(error)
    };
    stream(io::stdin().lock(), Path::new("<stdin>"), "standard input", &ANSWERS, failed)
}

/// Reads `from`, which messages call `name`, to its end.
fn stream(
    from: impl Read,
    path: &Path,
    name: &str,
    Wanted { what, most, instead }: &Wanted,
    failed: impl Fn(io::Error) -> Error,
) -> Result<Text, Error> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > *most {
        let message = format!("the {what} on {name} are longer than {} MiB", most >> 20);
        return Err(Error::usage(message).hint(*instead));
    }
    Ok(read::decode(path, bytes).and_then(answers::plain))
}

/// The folder of a file of answers. In a folder of answers, programs are read only from the folder with the learner's name.
pub(super) struct Place<'a> {
    pub(super) folder: &'a Path,
    pub(super) learner: Option<&'a str>,
}

impl Place<'_> {
    /// The folder that programs must be in.
    fn within(&self) -> PathBuf {
        match self.learner {
            Some(learner) => self.folder.join(learner),
            None if self.folder.as_os_str().is_empty() => PathBuf::from("."),
            None => self.folder.to_owned(),
        }
    }

    /// Reads the program `name`, a path relative to the file of answers.
    pub(super) fn program(&self, name: &str) -> Result<String, Fault> {
        let within = self.within();
        // The name alone decides: a learner who may not read a file must not learn that it exists.
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        let steps = || Path::new(name).components().filter(|part| *part != Component::CurDir);
        let below = self.learner.is_none_or(|learner| steps().next() == Some(Component::Normal(learner.as_ref())));
        if !Path::new(name).components().all(plain) || !below || name.contains('\0') {
            return Err(self.outside(name));
        }
        // A link could hand in another learner's programs.
        if self.learner.is_some() && is_link(&within) {
            return Err(self.outside(name));
        }
        let root = within.canonicalize().unwrap_or_else(|_| within.clone());
        let path = self.folder.join(name);
        match read::text_file(&root, &path).and_then(answers::plain) {
            Ok(file) => Ok(file.text.clone()),
            Err(problem) if problem.code == codes::LINK_OUTSIDE => Err(self.outside(name)),
            // The same for a link that leads nowhere, so that the message does not depend on its target.
            Err(problem) if problem.code == codes::UNREADABLE && has_link(self.folder, steps()) => {
                Err(self.outside(name))
            }
            Err(problem) => Err(fault(*problem)),
        }
    }

    /// The mistake of naming a program elsewhere, whether it exists or not.
    fn outside(&self, name: &str) -> Fault {
        let within = self.within();
        let file = Path::new(name).file_name().filter(|_| !name.contains('\0'));
        let right = file.map(|file| Path::new(self.learner.unwrap_or_default()).join(file));
        let help = match right {
            Some(right) if right == Path::new(name) => {
                format!("put the program itself into `{}`: no link is followed out of it", within.display())
            }
            Some(right) => format!("put the program into `{}` and write `{}`", within.display(), right.display()),
            None => format!("put the program into `{}`", within.display()),
        };
        let message = format!("`{name}` is not in the folder that programs are read from");
        Fault { code: codes::LINK_OUTSIDE, message, help }
    }
}

pub(super) fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.file_type().is_symlink())
}

/// True if one of `steps` down from `folder` is a link.
fn has_link<'a>(folder: &Path, steps: impl Iterator<Item = Component<'a>>) -> bool {
    let mut path = folder.to_owned();
    for step in steps {
        path.push(step);
        if is_link(&path) {
            return true;
        }
    }
    false
}

/// The mistake in a program, for the place that names the program: the place in the program is part of the message.
fn fault(problem: Diagnostic) -> Fault {
    let Diagnostic { code, message, help, .. } = &problem;
    // A file that could not be read has no places, and the message names it.
    let message = if problem.file.text.is_empty() {
        message.clone()
    } else {
        let (line, column) = problem.position();
        format!("`{}`, line {line}, column {column}: {message}", problem.file.path.display())
    };
    Fault { code: *code, message, help: help.clone() }
}
