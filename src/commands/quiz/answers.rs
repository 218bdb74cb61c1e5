//! Where answers are read from.
//!
//! Owns the guards: a file of answers may come from a stranger, so the programs that it names must lie in its folder.

use std::io::{self, Read};
use std::path::{Component, Path};
use std::sync::Arc;

use crate::content::catalog::Catalog;
use crate::content::diagnostic::{Diagnostic, SourceFile, codes};
use crate::content::read;
use crate::error::Error;
use crate::script::answers::{self, Answers, Fault};

/// The file that the user named.
pub(super) fn file(path: &Path) -> Result<Arc<SourceFile>, Box<Diagnostic>> {
    text(read::named_file_up_to(answers::LARGEST, path)?)
}

/// The file of a learner, which lies in `root`.
pub(super) fn submission(root: &Path, path: &Path) -> Result<Arc<SourceFile>, Box<Diagnostic>> {
    text(read::text_file_up_to(answers::LARGEST, root, path)?)
}

/// Everything that comes from standard input.
pub(super) fn standard_input() -> Result<Result<Arc<SourceFile>, Box<Diagnostic>>, Error> {
    let failed = |error: io::Error| {
        Error::usage("cannot read the answers from standard input").hint("name a file: `--answers FILE`").because(error)
    };
    let mut bytes = Vec::new();
    io::stdin().lock().take(answers::LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > answers::LARGEST {
        let message = format!("the answers on standard input are longer than {} MiB", answers::LARGEST >> 20);
        return Err(Error::usage(message).hint("hand them in in parts: `--partition K/N` grades each"));
    }
    Ok(read::decode(Path::new("<stdin>"), bytes).and_then(text))
}

fn text(file: Arc<SourceFile>) -> Result<Arc<SourceFile>, Box<Diagnostic>> {
    answers::plain(&file)?;
    Ok(file)
}

/// The answers in `file`. Programs that it names with `fix_file` are read from `folder`.
pub(super) fn parse(file: &Arc<SourceFile>, catalog: &Catalog, folder: &Path) -> Result<Answers, Vec<Diagnostic>> {
    answers::parse(file, catalog, &|name| program(folder, folder, name))
}

/// The program that is called `name` in `folder` and lies in `within`.
pub(super) fn program(folder: &Path, within: &Path, name: &str) -> Result<String, Fault> {
    let outside = || outside(within, name);
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !Path::new(name).components().all(plain) || name.contains('\0') {
        return Err(outside());
    }
    let root = if within.as_os_str().is_empty() { Path::new(".") } else { within };
    let root = root.canonicalize().map_err(|_| outside())?;
    match read::text_file(&root, &folder.join(name)).and_then(text) {
        Ok(file) => Ok(file.text.clone()),
        Err(problem) if problem.code == codes::LINK_OUTSIDE => Err(outside()),
        Err(problem) => Err(fault(*problem)),
    }
}

/// What is wrong with a program, said at the place that names it: the program's own place is in the message.
fn fault(problem: Diagnostic) -> Fault {
    let Diagnostic { code, message, help, .. } = &problem;
    // Of a file that could not be read, no place can be told, and the message names it.
    let message = if problem.file.text.is_empty() {
        message.clone()
    } else {
        let (line, column) = problem.position();
        format!("`{}`, line {line}, column {column}: {message}", problem.file.path.display())
    };
    Fault { code: *code, message, help: help.clone() }
}

/// What is wrong with a program that is not in `within`.
pub(super) fn outside(within: &Path, name: &str) -> Fault {
    Fault {
        code: codes::LINK_OUTSIDE,
        message: format!("`{name}` is not in the folder that programs are read from"),
        help: format!("put the program into `{}`", shown(within)),
    }
}

fn shown(folder: &Path) -> String {
    if folder.as_os_str().is_empty() { ".".to_owned() } else { folder.display().to_string() }
}
