//! `fencepost author new`: a question to begin with, and a pack around it where there is none.
//!
//! Owns where the files go and what may be there already. Never writes over a file; what a new question says is
//! `content/template.rs`.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::cli::AuthorNew;
use crate::commands::{message, print};
use crate::content::question::Date;
use crate::content::template::{self, Blanks};
use crate::content::{check, load, schema};
use crate::error::{Error, Exit};
use crate::tui::text;

/// The file of the schema in a new pack.
const SCHEMA: &str = "question.schema.json";

pub(super) fn run(args: &AuthorNew) -> Result<Exit, Error> {
    if !check::is_id(&args.id) {
        return Err(Error::usage(format!("`{}` cannot be an id", args.id))
            .hint("use small letters, digits and single hyphens, such as `fencepost author new lost-update`"));
    }
    if args.id == "pack" {
        return Err(Error::usage("`pack` cannot be an id: `pack.toml` describes the pack")
            .hint("choose another, such as `fencepost author new lost-update`"));
    }
    if let Some(topic) = &args.topic
        && (topic.trim().is_empty() || topic.chars().any(char::is_control))
    {
        return Err(Error::usage(format!("`{}` cannot be a topic", text::line(topic)))
            .hint("a topic is a word or a few, such as `--topic \"Distributed systems\"`"));
    }
    let folder = args.pack.clone().unwrap_or_else(|| PathBuf::from("."));
    let is_new = !folder.join("pack.toml").exists();
    if is_new && load::holds_packs(&folder) {
        return Err(Error::usage(format!("`{}` is a folder of packs, not a pack", folder.display()))
            .hint(format!("name the pack, also a new one: `fencepost author new {} --pack NAME`", args.id)));
    }
    let name = name_of(&folder)?;
    let file = folder.join(format!("{}.toml", args.id));
    let shown = file.strip_prefix(".").unwrap_or(&file).display().to_string();
    if file.symlink_metadata().is_ok() {
        return Err(is_there(&shown));
    }
    if is_new {
        begin_pack(&folder, &name)?;
    }
    let topic = args.topic.clone().unwrap_or_else(|| template::title(&name));
    let author = author();
    let text = template::question(&Blanks {
        id: &args.id,
        topic: &topic,
        author: &author,
        file: &shown,
        schema: &schema_line(&folder),
        today: Date(jiff::Zoned::now().date()),
    });
    create(&file, &text).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => is_there(&shown),
        _ => Error::machinery(format!("`{shown}` cannot be written")).because(error),
    })?;
    print(&format!("{}\n", text::line(&shown)))?;
    message(&text::block(&format!(
        "It passes every check already. Make it your own, line by line:\n  fencepost author preview {shown}\n  fencepost \
         author check {shown}\n"
    )));
    Ok(Exit::Done)
}

fn is_there(shown: &str) -> Error {
    Error::usage(format!("`{shown}` is there already"))
        .hint(format!("`fencepost author preview {shown}` opens it; another id begins another question"))
}

/// The pack's name, which is the folder's.
fn name_of(folder: &Path) -> Result<String, Error> {
    // A folder that is not there yet has no real place, and its last name is the one that was typed.
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let name = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if load::is_pack_name(&name) {
        return Ok(name);
    }
    Err(Error::usage(format!("the folder `{}` cannot be a pack", folder.display()))
        .hint("a pack's folder has letters, digits, `-` and `_` in its name: `--pack my-questions`"))
}

fn begin_pack(folder: &Path, name: &str) -> Result<(), Error> {
    let failed = |error| Error::machinery(format!("the pack `{}` cannot be made", folder.display())).because(error);
    fs::create_dir_all(folder).map_err(failed)?;
    create(&folder.join("pack.toml"), &template::pack(name, &author())).map_err(failed)?;
    // With it, editors complete keys and explain them.
    match create(&folder.join(SCHEMA), &schema::question_schema()) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(failed(error)),
        _ => Ok(()),
    }
}

/// The line that names the schema: as the other questions of the pack have it.
fn schema_line(folder: &Path) -> String {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path()).collect();
    files.sort();
    let questions = files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "toml"));
    let theirs = questions
        .filter_map(|path| crate::content::read::named_file(path).ok())
        .find_map(|file| file.text.lines().next().filter(|line| line.starts_with("#:schema ")).map(str::to_owned));
    theirs.unwrap_or_else(|| format!("#:schema {SCHEMA}"))
}

/// The user's name, as far as the system knows one.
fn author() -> String {
    let named = ["USER", "USERNAME", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    named.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "the author".to_owned())
}

/// Writes a file that is not there yet.
fn create(path: &Path, text: &str) -> io::Result<()> {
    File::create_new(path)?.write_all(text.as_bytes())
}
