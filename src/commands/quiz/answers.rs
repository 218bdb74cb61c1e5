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
pub(super) fn file(path: &Path) -> Result<Arc<SourceFile>, Error> {
    read::named_file(path).map_err(|problem| Error::usage(problem.message).hint(problem.help))
}

/// Everything that comes from standard input.
pub(super) fn standard_input() -> Result<Arc<SourceFile>, Error> {
    let failed = |error: io::Error| {
        Error::usage("cannot read the answers from standard input").hint("name a file: `--answers FILE`").because(error)
    };
    let mut bytes = Vec::new();
    io::stdin().lock().take(read::LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > read::LARGEST {
        return Err(Error::usage("the answers on standard input are longer than 1 MiB"));
    }
    read::decode(Path::new("<stdin>"), bytes)
        .map_err(|problem| Error::usage(problem.message).hint("answers are UTF-8 text"))
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
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let root = if within.as_os_str().is_empty() { Path::new(".") } else { within };
    let root = root.canonicalize().map_err(|_| outside())?;
    match read::text_file(&root, &here.join(name)) {
        Ok(file) => Ok(file.text.clone()),
        Err(problem) if problem.code == codes::LINK_OUTSIDE => Err(outside()),
        Err(problem) => Err(Fault { code: problem.code, message: problem.message, help: problem.help }),
    }
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
