//! Finds packs and questions: those built into the program, and those in folders that the user named.
//!
//! Every problem of every file is kept, and every valid question can be used.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use crate::content::catalog::{Card, Catalog, Entry, PackEntry};
use crate::content::diagnostic::{Diagnostic, Severity, SourceFile, codes};
use crate::content::folders::Listing;
use crate::content::lazy::Lazy;
use crate::content::locate::Step;
use crate::content::problems::Problems;
use crate::content::question::{Date, Level, Pack, Question, QuestionName};
use crate::content::references::Known;
use crate::content::{parse, read, references, validate};
use crate::error::Error;
use crate::text::counted;

/// A pack of `content/`.
struct Embedded {
    name: &'static str,
    description: &'static str,
    questions: &'static [EmbeddedQuestion],
}

/// A question of `content/`, with its entry in the library.
struct EmbeddedQuestion {
    stem: &'static str,
    title: &'static str,
    topic: &'static str,
    level: &'static str,
    formerly: &'static [&'static str],
    /// The latest date in it.
    newest: &'static str,
    text: &'static str,
}

/// Every pack of `content/`, by name; `embed.rs` writes the list when the program is built.
static EMBEDDED: &[Embedded] = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Maximum questions of a pack.
const MOST_QUESTIONS: usize = 20_000;

/// Loads the built-in packs and those of `folders`. A folder is a pack, or holds packs. A pack replaces an earlier one of
/// the same name, so that an author can try a changed pack.
///
/// Files in folders are read and checked now, built-in ones when they are first used.
///
/// # Errors
///
/// A folder is missing or cannot be listed. Problems inside are in [`Catalog::problems`].
pub fn load(folders: &[PathBuf]) -> Result<Catalog, Error> {
    let mut packs: Vec<RawPack> = Vec::new();
    for folder in folders {
        for mut pack in folder_packs(folder)? {
            if let Some(earlier) = packs.iter().find(|earlier| earlier.name == pack.name) {
                let folder = earlier.folder.display().to_string();
                pack.replaces(&format!("the one in `{folder}`"), earlier.questions.len());
            } else if let Some(built_in) = EMBEDDED.iter().find(|built_in| built_in.name == pack.name) {
                // A copy of a built-in pack with all its questions hides nothing.
                let has = |stem: &str| pack.questions.iter().any(|(theirs, _)| theirs == stem);
                let lost = built_in.questions.iter().filter(|question| !has(question.stem)).count();
                if lost > 0 {
                    pack.replaces("the one that is built in", lost);
                }
            }
            packs.retain(|earlier| earlier.name != pack.name);
            packs.push(pack);
        }
    }
    packs.sort_by(|a, b| a.name.cmp(&b.name));
    let built_in = EMBEDDED.iter().filter(|pack| packs.iter().all(|theirs| theirs.name != pack.name));
    let mut catalog = embedded(built_in);
    build(packs, &mut catalog);
    catalog.packs.sort_by(|a, b| a.name.cmp(&b.name));
    catalog.questions.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(catalog)
}

/// The names of the questions that are built in, without those of the packs `except`.
pub(crate) fn built_in_names(except: &[&str]) -> Known {
    let mut known = Known::default();
    for pack in EMBEDDED.iter().filter(|pack| !except.contains(&pack.name)) {
        for question in pack.questions {
            known.add(pack.name, question.stem, question.formerly.iter().copied());
        }
    }
    known
}

/// The latest date in a built-in question. Today is no earlier.
pub(crate) fn newest_day() -> Option<Date> {
    let days = EMBEDDED.iter().flat_map(|pack| pack.questions).filter_map(|question| question.newest.parse().ok());
    days.max().map(Date)
}

fn embedded<'a>(packs: impl Iterator<Item = &'a Embedded>) -> Catalog {
    let mut catalog = Catalog::default();
    for pack in packs {
        let folder = Path::new("content").join(pack.name);
        let description = read::source(&folder.join("pack.toml"), pack.description);
        if let (Some(description), _) = parse::pack(&description) {
            catalog.packs.push(PackEntry { name: pack.name.to_owned(), pack: description, shipped: true });
        }
        for question in pack.questions {
            let level = Level::ALL.into_iter().find(|level| level.word() == question.level);
            let file = read::source(&folder.join(format!("{}.toml", question.stem)), question.text);
            catalog.questions.push(Arc::new(Entry {
                name: QuestionName { pack: pack.name.to_owned(), id: question.stem.to_owned() },
                card: Card {
                    title: question.title.to_owned(),
                    topic: question.topic.to_owned(),
                    level: level.unwrap_or(Level::Mid),
                    formerly: question.formerly.iter().map(|&id| id.to_owned()).collect(),
                },
                question: Lazy::shipped(file),
                shipped: true,
            }));
        }
    }
    catalog
}

/// A pack's files, read but not parsed.
pub(crate) struct RawPack {
    pub(crate) name: String,
    /// Its folder, as the user would write it.
    pub(crate) folder: PathBuf,
    /// The file `pack.toml`; `None` when it could not be read, which is then among the problems.
    pub(crate) description: Option<Arc<SourceFile>>,
    pub(crate) questions: Vec<(String, Arc<SourceFile>)>,
    pub(crate) problems: Vec<Diagnostic>,
}

impl RawPack {
    /// Reports that this pack hides another one of the same name.
    fn replaces(&mut self, other: &str, questions: usize) {
        let path = self.folder.join("pack.toml");
        let lost = counted(questions, "question");
        let message = format!("the pack `{}` replaces {other} and hides {lost} of it", self.name);
        let help = "rename the folder to keep both";
        let problem = Diagnostic::of_path(codes::DUPLICATE_PACK, &path, message, help).warning();
        let file = self.description.as_ref().unwrap_or(&problem.file).clone();
        self.problems.push(Diagnostic { file, ..problem });
    }
}

/// Checks that `folder` can be listed, without reading its files.
///
/// # Errors
///
/// It is missing, or cannot be listed.
pub fn must_be_folder(folder: &Path) -> Result<(), Error> {
    fs::read_dir(folder).map(|_| ()).map_err(|error| unreadable(folder, error))
}

fn unreadable(folder: &Path, error: io::Error) -> Error {
    Error::content(format!("cannot read the folder `{}`", folder.display()))
        .hint("`--content` takes a pack, which is a folder with a `pack.toml`, or a folder of packs")
        .because(error)
}

/// True if a folder is a pack with questions, or holds one.
pub fn holds_questions(folder: &Path) -> bool {
    folder_packs(folder).is_ok_and(|packs| packs.iter().any(|pack| !pack.questions.is_empty()))
}

/// The packs of a folder: itself, or those in it.
///
/// # Errors
///
/// It is missing, cannot be listed, or holds no pack.
fn folder_packs(folder: &Path) -> Result<Vec<RawPack>, Error> {
    let failed = |error: io::Error| unreadable(folder, error);
    let root = folder.canonicalize().map_err(failed)?;
    let listing = Listing::of(&root).map_err(failed)?;
    if listing.is_pack() {
        let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        return Ok(vec![folder_pack(&root, folder, name, listing.of_pack(folder))]);
    }
    let mut packs = Vec::new();
    for name in listing.folders.iter().filter_map(|name| name.to_str()) {
        let path = folder.join(name);
        let files = Listing::of(&path).map(|listing| listing.of_pack(&path)).unwrap_or_default();
        if !files.is_empty() {
            packs.push(folder_pack(&root, &path, name.to_owned(), files));
        }
    }
    if packs.is_empty() {
        return Err(Error::content(format!("no pack in `{}`", folder.display()))
            .hint("name a pack, which is a folder with a `pack.toml`, or the folder around it"));
    }
    Ok(packs)
}

pub(crate) fn folder_pack(root: &Path, folder: &Path, name: String, files: Vec<String>) -> RawPack {
    let mut pack = RawPack { name, folder: folder.to_owned(), description: None, questions: vec![], problems: vec![] };
    let description = folder.join("pack.toml");
    if !is_pack_name(&pack.name) {
        let message = format!("`{}` is not a valid pack name", pack.name);
        let help = "rename the folder: use letters, digits, `-` and `_`";
        pack.problems.push(Diagnostic::of_path(codes::NAME, &description, message, help));
    }
    if files.iter().any(|file| file == "pack.toml") {
        match read::text_file(root, &description) {
            Ok(file) => pack.description = Some(file),
            Err(problem) => pack.problems.push(*problem),
        }
    } else {
        let message = format!("the folder `{}` has questions, but no `pack.toml`", folder.display());
        let help = "add one with `format`, `title`, `summary`, `authors`, `licence` and `report`";
        pack.problems.push(Diagnostic::of_path(codes::NO_PACK, &description, message, help));
    }
    let mut count = 0_usize;
    for file_name in &files {
        let Some(stem) = file_name.strip_suffix(".toml").filter(|stem| *stem != "pack") else { continue };
        count += 1;
        if count > MOST_QUESTIONS {
            let message = format!("the pack has more than {MOST_QUESTIONS} questions; the rest are ignored");
            let help = "split the pack";
            pack.problems.push(Diagnostic::of_path(codes::TOO_LARGE, &description, message, help));
            break;
        }
        match read::text_file(root, &folder.join(file_name)) {
            Ok(file) => pack.questions.push((stem.to_owned(), file)),
            Err(problem) => pack.problems.push(*problem),
        }
    }
    pack
}

/// True if `text` can be the name of a pack.
pub fn is_pack_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

/// Reads and checks the files of `packs` and adds the usable ones to `catalog`.
fn build(packs: Vec<RawPack>, catalog: &mut Catalog) {
    let mut files: Vec<(Arc<Entry>, Arc<SourceFile>)> = Vec::new();
    let mut descriptions: Vec<(String, Pack, Arc<SourceFile>)> = Vec::new();
    for raw in packs {
        catalog.problems.extend(raw.problems);
        if let Some(file) = raw.description {
            let (pack, problems) = parse::pack(&file);
            catalog.problems.extend(problems);
            if let Some(pack) = pack {
                descriptions.push((raw.name.clone(), pack.clone(), file));
                catalog.packs.push(PackEntry { name: raw.name.clone(), pack, shipped: false });
            }
        }
        for draft in drafts(raw.questions) {
            let usable = draft.problems.is_empty();
            catalog.problems.extend(draft.problems);
            let Some(question) = draft.question else { continue };
            let name = QuestionName { pack: raw.name.clone(), id: question.id.clone() };
            let entry = Arc::new(Entry::new(name, question, false));
            if usable {
                catalog.questions.push(entry.clone());
            }
            files.push((entry, draft.file));
        }
    }
    let mut known = Known::default();
    for entry in &catalog.questions {
        known.add(&entry.name.pack, &entry.name.id, entry.card.formerly.iter().map(String::as_str));
    }
    let of_paths = descriptions
        .iter()
        .flat_map(|(name, pack, file)| references::paths(pack, name, &known, file, Severity::Warning));
    let related = files.iter().flat_map(|(entry, file)| {
        references::related(&entry.question, &entry.name.pack, &known, file, Severity::Warning)
    });
    // A former id works, and learners need not know that it is one.
    catalog.problems.extend(of_paths.chain(related).filter(|problem| problem.severity != Severity::Note));
}

/// One question's file, as far as it could be read.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The file's name without `.toml`.
    pub(crate) stem: String,
    pub(crate) file: Arc<SourceFile>,
    /// `None` if nothing could be read. A question with problems is used only to look for more.
    pub(crate) question: Option<Question>,
    /// Its problems, including ids and former ids that it shares with others of its pack.
    pub(crate) problems: Vec<Diagnostic>,
}

/// Reads and checks the questions of one pack.
pub(crate) fn drafts(files: Vec<(String, Arc<SourceFile>)>) -> Vec<Draft> {
    let mut ids: BTreeMap<String, Arc<SourceFile>> = BTreeMap::new();
    let read = |(stem, file): (String, Arc<SourceFile>)| {
        let (question, mut problems) = parse::question(&file);
        if let Some(question) = &question {
            problems.extend(validate::question(question, &stem, &file));
            if let Some(earlier) = ids.get(&question.id) {
                problems.extend(duplicate(question, &file, earlier));
            } else if !question.id.is_empty() {
                ids.insert(question.id.clone(), file.clone());
            }
        }
        problems.sort_by_key(|problem| problem.span.start);
        Draft { stem, file, question, problems }
    };
    let mut drafts: Vec<Draft> = files.into_iter().map(read).collect();
    let mut former = BTreeMap::new();
    for draft in &mut drafts {
        if let Some(question) = &draft.question {
            draft.problems.extend(references::taken(question, &draft.file, &ids, &mut former));
            draft.problems.sort_by_key(|problem| problem.span.start);
        }
    }
    drafts
}

fn duplicate(question: &Question, file: &Arc<SourceFile>, earlier: &SourceFile) -> Vec<Diagnostic> {
    let problems = Problems::new(file.clone());
    let span = problems.word(&[Step::Key("id")], &question.id);
    let message = format!("the id `{}` is already used in `{}`", question.id, earlier.path.display());
    let help = "give each question its own id, and name its file after it".to_owned();
    problems.push(Severity::Error, codes::DUPLICATE_ID, span, message, help);
    problems.finish()
}
