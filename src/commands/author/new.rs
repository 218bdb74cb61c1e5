//! `fencepost author new`: creates a question to start from, and its pack if needed.
//!
//! Never overwrites a file. The texts are in `author/template.rs`.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use crate::author::template::{self, Blanks};
use crate::cli::AuthorNew;
use crate::commands::{Session, message, print, width};
use crate::content::question::Date;
use crate::content::{folders, load, parse, read, render, schema, validate};
use crate::error::{Error, Exit};
use crate::text;

/// The file of the schema in a new pack.
const SCHEMA: &str = "question.schema.json";

/// Maximum characters of an id, which is also a file name.
const LONGEST_ID: usize = 100;

/// Maximum number of packs that a message names.
const MOST_NAMED: usize = 8;

pub(super) fn run(session: &Session, args: &AuthorNew) -> Result<Exit, Error> {
    if !validate::is_id(&args.id) {
        return Err(Error::usage(format!("`{}` cannot be an id", args.id)).hint(format!(
            "use lowercase letters, digits and single hyphens, such as `fencepost author new {}`",
            validate::suggested_id(&args.id, "lost-update")
        )));
    }
    if args.id.len() > LONGEST_ID {
        return Err(Error::usage(format!(
            "the id has {} characters, but at most {LONGEST_ID} are allowed",
            args.id.len()
        ))
        .hint("use a few words, such as `fencepost author new lost-update`"));
    }
    if args.id == "pack" {
        return Err(Error::usage("`pack` cannot be an id: `pack.toml` describes the pack")
            .hint("choose another one, such as `fencepost author new lost-update`"));
    }
    if let Some(topic) = &args.topic
        && (topic.trim().is_empty() || topic.chars().any(char::is_control))
    {
        return Err(Error::usage(format!("`{}` cannot be a topic", text::line(topic)))
            .hint("use a word or two, such as `--topic \"Distributed systems\"`"));
    }
    let folder = args.pack.clone().unwrap_or_else(|| PathBuf::from("."));
    let name = name_of(&folder, &args.id)?;
    // A broken link or an unreadable file is not overwritten either.
    let is_new = folder.join("pack.toml").symlink_metadata().is_err();
    if is_new {
        may_become_pack(&folder, &args.id)?;
    } else if !is_valid(session, &folder.join("pack.toml")) {
        return Ok(Exit::Content);
    }
    let file = folder.join(format!("{}.toml", args.id));
    let shown = file.strip_prefix(".").unwrap_or(&file).display().to_string();
    if file.symlink_metadata().is_ok() {
        return Err(is_there(&shown));
    }
    let topic = args.topic.clone().unwrap_or_else(|| template::title(&name));
    let text = template::question(&Blanks {
        id: &args.id,
        topic: &topic,
        file: &shown,
        schema: &schema_line(&folder),
        today: Date(jiff::Zoned::now().date()),
    });
    // The template is valid, but the topic may not be.
    if let Some(problem) = parse::question(&read::source(&file, &text)).1.first() {
        return Err(Error::usage(format!("invalid topic: {}", problem.message))
            .hint("use a word or two, such as `--topic \"Distributed systems\"`"));
    }
    let mut made = Made::default();
    let written = if is_new { begin_pack(&mut made, &folder, &name) } else { Ok(()) };
    let written = written.and_then(|()| {
        made.file(&file, &text).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => is_there(&shown),
            _ => Error::machinery(format!("cannot write `{shown}`")).because(error),
        })
    });
    if let Err(error) = written {
        made.undo();
        return Err(error);
    }
    print(&format!("{}\n", text::line(&shown)))?;
    if is_new {
        message(&text::block(&format!("Created the pack {}\n", real(&folder).display())));
    }
    let typed = typed(&shown);
    message(&text::block(&format!(
        "It already passes every check. Now make it your own:\n  fencepost author preview {typed}\n  fencepost \
         author check {typed}\n"
    )));
    Ok(Exit::Done)
}

fn is_there(shown: &str) -> Error {
    Error::usage(format!("`{shown}` already exists"))
        .hint(format!("`fencepost author preview {}` opens it; use another id for a new question", typed(shown)))
}

/// The pack's name, which is the folder's.
fn name_of(folder: &Path, id: &str) -> Result<String, Error> {
    if let Some(file) = folder.ancestors().find(|it| it.symlink_metadata().is_ok()).filter(|it| !it.is_dir()) {
        let hint = elsewhere(file.parent().unwrap_or(file), id, "my-questions");
        return Err(Error::usage(format!("`{}` is a file, but a pack is a folder", file.display())).hint(hint));
    }
    // A missing folder has no real path; its name is the one that was typed.
    let name = real(folder).file_name().unwrap_or_default().to_string_lossy().into_owned();
    if load::is_pack_name(&name) {
        return Ok(name);
    }
    let close = validate::suggested_id(&name, "my-questions");
    let inside = if folder.is_dir() { folder } else { folder.parent().unwrap_or(folder) };
    Err(Error::usage(format!("the folder `{}` cannot be a pack because of its name", shown(folder)))
        .hint("use letters, digits, `-` and `_` in the folder's name")
        .hint(elsewhere(inside, id, &close)))
}

/// Checks that a folder without a `pack.toml` can become a pack: every `.toml` file of a pack is a question.
fn may_become_pack(folder: &Path, id: &str) -> Result<(), Error> {
    let packs = entries(folder).filter(|path| path.join("pack.toml").is_file());
    let packs: Vec<String> = packs.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect();
    if let Some(first) = packs.first() {
        let names: Vec<String> = packs.iter().take(MOST_NAMED).map(|name| format!("`{name}`")).collect();
        let more = if packs.len() > MOST_NAMED { ", ..." } else { "" };
        return Err(Error::usage(format!("`{}` is a folder of packs, not a pack", shown(folder)))
            .hint(format!("name one of its packs, or a new one: {}{more}", names.join(", ")))
            .hint(elsewhere(folder, id, first)));
    }
    let foreign = entries(folder).find(|path| {
        let is_toml = path.extension().is_some_and(|extension| extension == "toml");
        is_toml && read::named_file(path).ok().and_then(|file| parse::question(&file).0).is_none()
    });
    let Some(foreign) = foreign else { return Ok(()) };
    let file = foreign.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Err(Error::usage(format!(
        "`{}` cannot become a pack: it contains `{file}`, which is not a question",
        shown(folder)
    ))
    .hint("every `.toml` file of a pack is a question, so a pack has a folder of its own")
    .hint(elsewhere(folder, id, "questions")))
}

/// The command that puts the question into a folder within `folder`.
fn elsewhere(folder: &Path, id: &str, name: &str) -> String {
    let place = folder.join(name);
    let place = place.strip_prefix(".").unwrap_or(&place).display().to_string();
    format!("`fencepost author new {id} --pack {}`", typed(&place))
}

/// A path as a shell takes it.
fn typed(path: &str) -> Cow<'_, str> {
    let plain = |it: char| it.is_alphanumeric() || "/._-+,:@%".contains(it);
    if path.chars().all(plain) { path.into() } else { format!("'{}'", path.replace('\'', "'\\''")).into() }
}

/// Returns true if a `pack.toml` is valid, and prints its problems otherwise.
fn is_valid(session: &Session, path: &Path) -> bool {
    let problems = match read::named_file(path) {
        Ok(file) => parse::pack(&file).1,
        Err(problem) => vec![*problem],
    };
    if problems.is_empty() {
        return true;
    }
    let safe = |words: &str| text::line(words).into_owned();
    message(&render::diagnostics(&problems, safe, session.colour(&io::stderr()), width()));
    message("nothing was written: fix the pack first\n");
    false
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    folders::entries(folder).unwrap_or_default().into_iter().map(|entry| entry.path())
}

/// The real path of a folder, or the path that was typed if the folder is missing.
fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// The name of a folder in a message: the path that was typed, unless that is only dots.
fn shown(folder: &Path) -> String {
    let says_nothing = folder.components().all(|part| matches!(part, Component::CurDir | Component::ParentDir));
    if says_nothing { real(folder) } else { folder.to_owned() }.display().to_string()
}

fn begin_pack(made: &mut Made, folder: &Path, name: &str) -> Result<(), Error> {
    let failed = |error| Error::machinery(format!("cannot create the pack `{}`", shown(folder))).because(error);
    made.folder(folder).map_err(failed)?;
    made.file(&folder.join("pack.toml"), &template::pack(name, &author())).map_err(failed)?;
    // With it, editors complete keys and explain them.
    match made.file(&folder.join(SCHEMA), &schema::question_schema()) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(failed(error)),
        _ => Ok(()),
    }
}

/// The files and folders made so far, to remove them if the rest fails.
#[derive(Default)]
struct Made {
    /// Innermost first.
    folders: Vec<PathBuf>,
    files: Vec<PathBuf>,
}

impl Made {
    /// Makes a folder and those above it.
    fn folder(&mut self, path: &Path) -> io::Result<()> {
        self.folders.extend(path.ancestors().take_while(|it| !it.exists()).map(Path::to_owned));
        fs::create_dir_all(path)
    }

    /// Writes a file that is not there yet.
    fn file(&mut self, path: &Path, text: &str) -> io::Result<()> {
        let mut file = File::create_new(path)?;
        self.files.push(path.to_owned());
        file.write_all(text.as_bytes())
    }

    /// Removes everything, as far as possible.
    fn undo(self) {
        for file in self.files {
            let _ = fs::remove_file(file);
        }
        for folder in self.folders {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// The line that names the schema, copied from another question of the pack.
fn schema_line(folder: &Path) -> String {
    let questions = entries(folder).filter(|path| path.extension().is_some_and(|extension| extension == "toml"));
    let theirs = questions
        .filter_map(|path| read::named_file(&path).ok())
        .find_map(|file| file.text.lines().next().filter(|line| line.starts_with("#:schema ")).map(str::to_owned));
    theirs.unwrap_or_else(|| format!("#:schema {SCHEMA}"))
}

/// The user's name, if the system knows one that can be written into a question.
fn author() -> String {
    let named = ["USER", "USERNAME", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    let plain = |it: char| it.is_alphanumeric() || " .-_'@\\".contains(it);
    named.filter(|name| !name.trim().is_empty() && name.chars().all(plain)).unwrap_or_else(|| "the author".to_owned())
}
