//! Finds the questions that paths name, for `author check` and the preview. Unlike the library, it keeps unusable ones.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::author::lint;
use crate::content::diagnostic::{Diagnostic, Severity, SourceFile, codes};
use crate::content::folders::{self, Found};
use crate::content::load::{self, RawPack};
use crate::content::question::{Pack, Question, QuestionName};
use crate::content::references::{self, Known};
use crate::content::{parse, read, stamp, validate};

/// A pack, or as much of one as was named.
#[derive(Debug)]
pub struct DraftPack {
    /// The folder's name.
    pub name: String,
    /// Its `pack.toml`; `None` if that is missing or wrong.
    pub pack: Option<Pack>,
    /// The problems of the pack and its `pack.toml`.
    pub problems: Vec<Diagnostic>,
    /// Its questions.
    pub drafts: Vec<Draft>,
}

impl DraftPack {
    /// Words that the spelling check accepts.
    pub fn words(&self) -> &[String] {
        self.pack.as_ref().map_or(&[], |pack| &pack.words)
    }
}

/// A question that an author is working on.
#[derive(Debug)]
pub struct Draft {
    /// The name, from the folder and the file.
    pub name: QuestionName,
    /// The file.
    pub file: Arc<SourceFile>,
    /// The question; `None` if nothing could be read.
    pub question: Option<Question>,
    /// The problems that need no run.
    pub problems: Vec<Diagnostic>,
}

impl Draft {
    /// The question, if enough of it was read to find further problems.
    pub fn readable(&self) -> Option<&Question> {
        let endless = self.problems.iter().any(|problem| problem.code == codes::TOO_LARGE);
        self.question.as_ref().filter(|question| !endless && !question.fixed.code.is_empty())
    }

    /// The question, if it can be run. After a proof that fails without a run, the others still run.
    pub fn usable(&self) -> Option<&Question> {
        let stops = |problem: &Diagnostic| problem.severity == Severity::Error && !validate::is_proof(problem.code);
        self.question.as_ref().filter(|_| !self.problems.iter().any(stops))
    }

    /// Removes and returns the problems of the stamp, for a caller that may write a new one.
    pub fn set_aside_stamp(&mut self) -> Vec<Diagnostic> {
        let places = stamp::places(&self.file.text);
        let problems = std::mem::take(&mut self.problems);
        let (stamp, rest) = problems.into_iter().partition(|problem| lies_in(problem, &places));
        self.problems = rest;
        stamp
    }
}

/// Reads question files, `pack.toml` files, packs, and folders of packs: each file once, under the first of its names. Paths
/// without a question are among the problems.
pub fn read(paths: &[PathBuf]) -> Vec<DraftPack> {
    let mut seen = BTreeSet::new();
    // All packs are found first: a file in one of them is read with it.
    let found: Vec<Named> = paths.iter().map(|path| look_at(path, &mut seen)).collect();
    let packs: Vec<(DraftPack, Beside)> =
        paths.iter().zip(found).flat_map(|(path, it)| it.read(path, &mut seen)).collect();
    let packs = with_duplicates(packs);
    // Learners who get a pack from here do not see the built-in one of that name.
    let whole = packs.iter().filter(|(_, beside)| beside.folder.is_some());
    let mut known = load::built_in_names(&whole.map(|(pack, _)| pack.name.as_str()).collect::<Vec<_>>());
    for (pack, beside) in &packs {
        add_names(&mut known, pack, beside);
    }
    packs.into_iter().map(|(pack, beside)| linked(pack, &beside, &known)).collect()
}

/// Reports packs with the name of an earlier one: learners see only the last of them.
fn with_duplicates(mut packs: Vec<(DraftPack, Beside)>) -> Vec<(DraftPack, Beside)> {
    let mut seen: BTreeMap<String, PathBuf> = BTreeMap::new();
    for (pack, beside) in &mut packs {
        let Some(folder) = &beside.folder else { continue };
        match seen.entry(pack.name.clone()) {
            Entry::Vacant(place) => {
                place.insert(folder.clone());
            }
            Entry::Occupied(first) => {
                let message = format!("another pack is also called `{}`, in `{}`", pack.name, shown(first.get()));
                let help = "rename one of the folders: learners see only the last one";
                let place = folder.join("pack.toml");
                pack.problems.push(Diagnostic::of_path(codes::DUPLICATE_PACK, &place, message, help).warning());
            }
        }
    }
    packs
}

/// Adds the questions of a pack, and the files beside a single one.
fn add_names(known: &mut Known, pack: &DraftPack, beside: &Beside) {
    for draft in &pack.drafts {
        let formerly = draft.question.as_ref().map_or(&[][..], |question| &question.formerly);
        known.add(&pack.name, &draft.name.id, formerly.iter().map(String::as_str));
    }
    for id in &beside.ids {
        known.add(&pack.name, id, []);
    }
}

/// Checks that the questions to which a pack refers are `known`.
fn linked(mut pack: DraftPack, beside: &Beside, known: &Known) -> DraftPack {
    if let (Some(description), Some(file)) = (&pack.pack, &beside.description) {
        pack.problems.extend(references::paths(description, &pack.name, known, file, beside.severity));
    }
    for draft in &mut pack.drafts {
        if let Some(question) = &draft.question {
            let found = references::related(question, &pack.name, known, &draft.file, beside.severity);
            draft.problems.extend(found);
            draft.problems.sort_by_key(|problem| problem.span.start);
        }
    }
    pack
}

/// Reads the one question whose file is `path`.
///
/// # Errors
///
/// Says what the path is instead of a question's file. A missing file is among the problems.
pub fn read_one(path: &Path) -> Result<DraftPack, Box<Diagnostic>> {
    let what = match path.is_dir() {
        true => "is a folder",
        false if is_description(path) => "describes a pack",
        false if !is_toml(path) => OTHER_ENDING,
        false => {
            let (pack, beside) = single(path);
            let mut known = load::built_in_names(&[]);
            add_names(&mut known, &pack, &beside);
            return Ok(linked(pack, &beside, &known));
        }
    };
    Err(Box::new(no_question(path, what, "name a question's `.toml` file")))
}

/// The target of a path.
enum Named {
    Folder(Found),
    File,
    Nothing(Box<Diagnostic>),
}

fn look_at(path: &Path, seen: &mut BTreeSet<PathBuf>) -> Named {
    let found = match path.is_dir() {
        true => folders::find(path),
        false if is_description(path) && path.is_file() => folders::only(&folder_of(path)),
        false => return Named::File,
    };
    match found {
        Ok(mut found) => {
            if found.packs.is_empty() {
                let message = format!("there is no question in `{}`", shown(path));
                found.left_out.push(Diagnostic::of_path(codes::NO_QUESTION, path, message, NAME_ONE));
            }
            found.packs.retain(|pack| seen.insert(real(&pack.folder)));
            Named::Folder(found)
        }
        Err(why) => {
            let message = format!("cannot read the folder `{}`: {why}", shown(path));
            let help = "check the name and the permissions";
            Named::Nothing(Box::new(Diagnostic::of_path(codes::UNREADABLE, path, message, help)))
        }
    }
}

/// The help for a path without a question.
const NAME_ONE: &str =
    "name a question's `.toml` file, a pack, or a folder of packs; `fencepost author new` creates a question";

impl Named {
    fn read(self, path: &Path, seen: &mut BTreeSet<PathBuf>) -> Vec<(DraftPack, Beside)> {
        let pack = match self {
            Self::Folder(Found { packs, left_out }) => {
                let left_out = (!left_out.is_empty()).then(|| nothing(path, left_out));
                return packs.into_iter().map(whole).chain(left_out).collect();
            }
            Self::Nothing(problem) => nothing(path, vec![*problem]),
            Self::File => {
                let real = real(path);
                let hidden = real.file_name().and_then(|name| name.to_str()).is_none_or(|name| name.starts_with('.'));
                let of_its_pack = |folder: &Path| {
                    seen.contains(folder) && (folder.join("pack.toml").exists() || folders::is_question(&real))
                };
                let with_its_pack = is_toml(&real) && !hidden && real.parent().is_some_and(of_its_pack);
                if with_its_pack || !seen.insert(real) {
                    return Vec::new();
                }
                match path.try_exists() {
                    Ok(true) if !is_toml(path) => nothing(path, vec![no_question(path, OTHER_ENDING, NAME_ONE)]),
                    _ => single(path),
                }
            }
        };
        vec![pack]
    }
}

/// A folder as messages call it.
fn shown(folder: &Path) -> String {
    let shown = if folder == Path::new(".") { real(folder) } else { folder.to_owned() };
    shown.display().to_string()
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

/// The message for a file that [`is_toml`] refuses.
const OTHER_ENDING: &str = "does not end in `.toml`";

fn is_description(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "pack.toml")
}

fn no_question(path: &Path, what: &str, help: &str) -> Diagnostic {
    Diagnostic::of_path(codes::NO_QUESTION, path, format!("`{}` is not a question: it {what}", path.display()), help)
}

/// The target of a path; the path itself if there is none.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The problems of a path itself: it has no question, or entries are ignored.
fn nothing(path: &Path, problems: Vec<Diagnostic>) -> (DraftPack, Beside) {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let pack = DraftPack { name, pack: None, problems, drafts: Vec::new() };
    (pack, Beside { folder: None, description: None, ids: Vec::new(), severity: Severity::Warning })
}

/// The surroundings of a pack that is checked.
struct Beside {
    /// The folder of a whole pack.
    folder: Option<PathBuf>,
    /// Its `pack.toml`.
    description: Option<Arc<SourceFile>>,
    ids: Vec<String>,
    /// A file alone may be the first of several that belong together.
    severity: Severity,
}

fn whole(raw: RawPack) -> (DraftPack, Beside) {
    let mut problems = raw.problems;
    let description = raw.description.as_ref().map(parse::pack);
    let (pack, found) = description.unwrap_or_default();
    problems.extend(found);
    if let (Some(file), Some(pack)) = (&raw.description, &pack) {
        problems.extend(lint::line_breaks_of_pack(file, pack));
    }
    let about_itself =
        |problem: &Diagnostic| problem.severity == Severity::Warning || problem.file.path.ends_with("pack.toml");
    if raw.questions.is_empty() && problems.iter().all(about_itself) {
        let path = raw.folder.join("pack.toml");
        let message = format!("there is no question in the pack `{}`", raw.name);
        let help = format!("`fencepost author new ID --pack {}` creates one", raw.folder.display());
        let problem = Diagnostic::of_path(codes::NO_QUESTION, &path, message, help);
        let file = raw.description.as_ref().unwrap_or(&problem.file).clone();
        problems.push(Diagnostic { file, ..problem });
    }
    let drafts = drafts(&raw.name, raw.questions);
    let (folder, description) = (Some(raw.folder), raw.description);
    let beside = Beside { folder, description, ids: Vec::new(), severity: Severity::Error };
    (DraftPack { name: raw.name, pack, problems, drafts }, beside)
}

fn single(path: &Path) -> (DraftPack, Beside) {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
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
    let ids = folders::entries(&folder).unwrap_or_default().into_iter();
    let ids = ids.filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".toml").map(str::to_owned)).collect();
    let drafts = drafts(&name, questions);
    let beside = Beside { folder: None, description: None, ids, severity: Severity::Warning };
    (DraftPack { name, pack, problems, drafts }, beside)
}

fn drafts(pack: &str, questions: Vec<(String, Arc<SourceFile>)>) -> Vec<Draft> {
    let named = |draft: load::Draft| {
        let mut problems = draft.problems;
        let places = if problems.is_empty() { Vec::new() } else { stamp::places(&draft.file.text) };
        for problem in problems.iter_mut().filter(|problem| lies_in(problem, &places)) {
            "remove it: `fencepost author check --stamp` writes this table".clone_into(&mut problem.help);
        }
        let name = QuestionName { pack: pack.to_owned(), id: draft.stem };
        Draft { name, file: draft.file, question: draft.question, problems }
    };
    load::drafts(questions).into_iter().map(named).collect()
}

fn lies_in(problem: &Diagnostic, places: &[Range<usize>]) -> bool {
    places.iter().any(|place| place.start <= problem.span.start && problem.span.end <= place.end)
}

/// The folder that a file is in; the current one for a bare name.
fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}
