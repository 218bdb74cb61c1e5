//! What an author is working on: the questions of packs and of single files, each with its text.
//!
//! Owns how paths become questions to check. Where the library keeps what can be used, this keeps what is there.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::content::diagnostic::{Diagnostic, Severity, SourceFile};
use crate::content::load::{self, RawPack};
use crate::content::question::{Pack, Question, QuestionName};
use crate::content::{check, parse, read};
use crate::error::Error;

/// A pack, or as much of one as was named.
#[derive(Debug)]
pub struct DraftPack {
    /// The folder's name.
    pub name: String,
    /// What its `pack.toml` says; `None` where that is not there or wrong.
    pub pack: Option<Pack>,
    /// What is wrong with the pack and its `pack.toml`.
    pub problems: Vec<Diagnostic>,
    /// Its questions.
    pub drafts: Vec<Draft>,
}

impl DraftPack {
    /// Words that the spelling check takes for right.
    pub fn words(&self) -> &[String] {
        self.pack.as_ref().map_or(&[], |pack| &pack.words)
    }
}

/// A question that somebody works on.
#[derive(Debug)]
pub struct Draft {
    /// What the question is called, by its folder and its file.
    pub name: QuestionName,
    /// The file.
    pub file: Arc<SourceFile>,
    /// The question; `None` where nothing could be read.
    pub question: Option<Question>,
    /// What is wrong with it, without a run.
    pub problems: Vec<Diagnostic>,
}

impl Draft {
    /// The question, if it can be used.
    pub fn usable(&self) -> Option<&Question> {
        let broken = self.problems.iter().any(|problem| problem.severity == Severity::Error);
        self.question.as_ref().filter(|_| !broken)
    }
}

/// Reads what `paths` name: question files, `pack.toml` files, packs, and folders of packs.
///
/// # Errors
///
/// A path that is not there or leads to nothing that could be checked. What is wrong inside is in the problems.
pub fn read(paths: &[PathBuf]) -> Result<Vec<DraftPack>, Error> {
    let mut packs = Vec::new();
    for path in paths {
        if path.is_dir() {
            packs.extend(load::folder_packs(path)?.into_iter().map(whole));
        } else if path.file_name().is_some_and(|name| name == "pack.toml") && path.is_file() {
            packs.extend(load::folder_packs(&folder_of(path))?.into_iter().map(whole));
        } else {
            packs.push(single(path)?);
        }
    }
    let mut ids: Vec<String> = load::built_in_ids().map(str::to_owned).collect();
    for (pack, _) in &packs {
        ids.extend(pack.drafts.iter().map(|draft| draft.name.id.clone()));
    }
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let link = |(mut pack, beside): (DraftPack, Beside)| {
        let theirs: Vec<&str> = ids.iter().copied().chain(beside.ids.iter().map(String::as_str)).collect();
        for draft in &mut pack.drafts {
            if let Some(question) = &draft.question {
                draft.problems.extend(check::related(question, &theirs, &draft.file, beside.severity));
                draft.problems.sort_by_key(|problem| problem.span.start);
            }
        }
        pack
    };
    Ok(packs.into_iter().map(link).collect())
}

/// What stands beside the questions of a pack that are checked.
struct Beside {
    ids: Vec<String>,
    /// A file alone may be the first of several that belong together.
    severity: Severity,
}

fn whole(raw: RawPack) -> (DraftPack, Beside) {
    let mut problems = raw.problems;
    let description = raw.description.as_ref().map(parse::pack);
    let (pack, found) = description.unwrap_or_default();
    problems.extend(found);
    let drafts = drafts(&raw.name, raw.questions);
    (DraftPack { name: raw.name, pack, problems, drafts }, Beside { ids: Vec::new(), severity: Severity::Error })
}

fn single(path: &Path) -> Result<(DraftPack, Beside), Error> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if path.extension().is_none_or(|extension| extension != "toml") {
        let error = match path.try_exists() {
            Ok(true) => Error::usage(format!("`{}` is no question", path.display())),
            _ => Error::usage(format!("`{}` is not there", path.display())),
        };
        return Err(error.hint("name a question's `.toml` file, a pack, or a folder of packs"));
    }
    let folder = folder_of(path);
    let name = folder.canonicalize().unwrap_or(folder.clone());
    let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let pack = read::named_file(&folder.join("pack.toml")).ok().and_then(|file| parse::pack(&file).0);
    let mut problems = Vec::new();
    let mut questions = Vec::new();
    match read::named_file(path) {
        Ok(file) => questions.push((stem, file)),
        Err(problem) => problems.push(*problem),
    }
    let ids = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let ids = ids.filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".toml").map(str::to_owned)).collect();
    let drafts = drafts(&name, questions);
    Ok((DraftPack { name, pack, problems, drafts }, Beside { ids, severity: Severity::Warning }))
}

fn drafts(pack: &str, questions: Vec<(String, Arc<SourceFile>)>) -> Vec<Draft> {
    let named = |draft: load::Draft| Draft {
        name: QuestionName { pack: pack.to_owned(), id: draft.stem },
        file: draft.file,
        question: draft.question,
        problems: draft.problems,
    };
    load::drafts(questions).into_iter().map(named).collect()
}

/// The folder that a file is in; the current one for a bare name.
fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}
