//! Lists folders: the packs in one for learners, and for authors every pack below it, with a report of what is skipped.
//!
//! Never follows a link to a folder, and skips hidden entries.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::{fs, io};

use crate::content::diagnostic::{Diagnostic, codes};
use crate::content::load::{self, RawPack};
use crate::content::read;

/// Maximum number of folders to search, in case the root of a disk is named.
const MOST_FOLDERS: usize = 10_000;

/// The contents of a folder.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) packs: Vec<RawPack>,
    /// Skipped entries, and why.
    pub(crate) left_out: Vec<Diagnostic>,
}

/// The packs in and below `folder`, by name: the folder itself first.
///
/// # Errors
///
/// It is missing, or cannot be listed.
pub(crate) fn find(folder: &Path) -> io::Result<Found> {
    let root = folder.canonicalize()?;
    let mut found = Found::default();
    // The last one is searched next.
    let mut waiting = vec![(folder.to_owned(), Listing::of(&root)?)];
    let mut seen = 1;
    while let Some((path, listing)) = waiting.pop() {
        found.add(&root, &path, &listing);
        for name in listing.folders.iter().rev() {
            let below = path.join(name);
            seen += 1;
            if seen > MOST_FOLDERS {
                let message = format!("there are more than {MOST_FOLDERS} folders in `{}`", folder.display());
                found.leave_out(folder, message, "name the packs or a folder closer to them: the rest are not checked");
                return Ok(found);
            }
            match Listing::of(&below) {
                Ok(listing) => waiting.push((below, listing)),
                Err(error) => {
                    let message = format!("cannot read the folder `{}`: {error}", below.display());
                    found.leave_out(&below, message, "check the permissions: its files are not checked");
                }
            }
        }
    }
    Ok(found)
}

/// The pack of `folder` itself, which has a `pack.toml`.
///
/// # Errors
///
/// It cannot be listed.
pub(crate) fn only(folder: &Path) -> io::Result<Found> {
    let root = folder.canonicalize()?;
    let mut found = Found::default();
    found.add(&root, folder, &Listing::of(&root)?);
    Ok(found)
}

impl Found {
    /// Adds the pack of one folder, and reports ignored entries.
    fn add(&mut self, root: &Path, folder: &Path, listing: &Listing) {
        for name in &listing.links {
            let link = folder.join(name);
            if Listing::of(&link).is_ok_and(|linked| !linked.of_pack(&link).is_empty()) {
                let message =
                    format!("`{}` is a link to a pack, and links to folders are not followed", link.display());
                self.leave_out(&link, message, "name the link itself to check its pack");
            }
        }
        let files = listing.of_pack(folder);
        if files.is_empty() {
            for name in listing.files.iter().filter(|name| name.to_str().is_none() || !is_toml(name)) {
                let file = folder.join(name);
                if is_question(&file) {
                    let message = format!("ignored `{}`: a question file must end in `.toml`", file.display());
                    self.leave_out(&file, message, "rename it to the question's id and `.toml`");
                }
            }
            return;
        }
        let place = if folder == Path::new(".") { root } else { folder };
        let name = place.file_name().or(root.file_name()).unwrap_or_default().to_string_lossy().into_owned();
        let mut pack = load::folder_pack(root, folder, name, files);
        for name in &listing.files {
            let file = folder.join(name);
            if name.to_str().is_none() {
                let message = format!("the name of `{}` is not UTF-8", file.display());
                let help = "rename it to the question's id and `.toml`, so that it is checked";
                pack.problems.push(Diagnostic::of_path(codes::NAME, &file, message, help));
            } else if !is_toml(name) {
                let message = format!("ignored `{}`: a question file must end in `.toml`", file.display());
                let help = format!("rename it to `{}`", Path::new(name).with_extension("toml").display());
                pack.problems.push(Diagnostic::of_path(codes::LEFT_OUT, &file, message, help).warning());
            }
        }
        self.packs.push(pack);
    }

    fn leave_out(&mut self, path: &Path, message: String, help: &str) {
        self.left_out.push(Diagnostic::of_path(codes::LEFT_OUT, path, message, help).warning());
    }
}

/// True if a TOML file in a folder without a `pack.toml` is a question: it has an `id` or a `[spot]`, since folders hold
/// other TOML files as well. A file with a syntax error counts as one, or a question with a typo would be lost.
pub(crate) fn is_question(file: &Path) -> bool {
    let Ok(file) = read::named_file(file) else { return true };
    let (root, errors) = toml::de::DeTable::parse_recoverable(&file.text);
    !errors.is_empty() || ["id", "spot"].iter().any(|key| root.get_ref().contains_key(*key))
}

/// The entries of a folder by name, without hidden ones.
pub(crate) fn entries(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.retain(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."));
    entries.sort_by_cached_key(fs::DirEntry::file_name);
    Ok(entries)
}

/// The entries of a folder that may matter for a pack.
pub(crate) struct Listing {
    pub(crate) folders: Vec<OsString>,
    /// Links that lead to folders.
    links: Vec<OsString>,
    /// Other entries that end in `.toml`, in any case.
    files: Vec<OsString>,
}

impl Listing {
    pub(crate) fn of(folder: &Path) -> io::Result<Self> {
        let mut listing = Self { folders: Vec::new(), links: Vec::new(), files: Vec::new() };
        for entry in entries(folder)? {
            let name = entry.file_name();
            let kind = entry.file_type()?;
            let ends_like_toml = Path::new(&name).extension().is_some_and(|it| it.eq_ignore_ascii_case("toml"));
            if kind.is_dir() && !ends_like_toml {
                listing.folders.push(name);
            } else if kind.is_symlink() && !ends_like_toml && entry.path().is_dir() {
                listing.links.push(name);
            } else if ends_like_toml {
                listing.files.push(name);
            }
        }
        Ok(listing)
    }

    /// True if it has a `pack.toml`.
    pub(crate) fn is_pack(&self) -> bool {
        self.files.iter().any(|name| name == "pack.toml")
    }

    /// The files of the pack: all `.toml` files beside a `pack.toml`, or else the questions. Empty if it is not a pack.
    pub(crate) fn of_pack(&self, folder: &Path) -> Vec<String> {
        let names: Vec<&str> = self.files.iter().filter(|name| is_toml(name)).filter_map(|it| it.to_str()).collect();
        let is_part = |name: &&str| self.is_pack() || is_question(&folder.join(name));
        names.into_iter().filter(is_part).map(str::to_owned).collect()
    }
}

fn is_toml(name: &OsStr) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending == "toml")
}
