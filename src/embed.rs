//! Build script: lists the files of `content/` so that the program carries them, and the misspellings that authors are
//! warned of, and builds what stands in for libffi.
//!
//! A macro that embeds a folder would do, but does not notice a new file; a build script does. It also notes what the
//! library shows of each question.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("content");
    println!("cargo:rerun-if-changed=content");
    println!("cargo:rerun-if-changed=src/embed.rs");

    stand_in_for_libffi();

    let mut list = String::from("&[\n");
    for pack in folders(&root)? {
        let description = pack.join("pack.toml");
        println!("cargo:rerun-if-changed={}", description.display());
        let _ = writeln!(
            list,
            "Embedded {{ name: {:?}, description: {}, questions: &[",
            name(&pack),
            include(&description)
        );
        for file in questions(&pack)? {
            println!("cargo:rerun-if-changed={}", file.display());
            let card = card(&file)?;
            let _ = writeln!(list, "EmbeddedQuestion {{ stem: {:?}, {card}, text: {} }},", stem(&file), include(&file));
        }
        list.push_str("] },\n");
    }
    list.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("misspellings.txt"), misspellings())?;
    fs::write(out.join("embedded.rs"), list)
}

/// Builds the library that the linker finds before any libffi of the system.
fn stand_in_for_libffi() {
    const FILE: &str = "src/runner/sandbox/libffi.c";
    println!("cargo:rerun-if-changed={FILE}");
    let target = |part: &str| env::var(format!("CARGO_CFG_TARGET_{part}")).unwrap_or_default();
    // RustPython asks for libffi on these systems, by the name of the library alone.
    if ["linux", "macos", "android"].contains(&target("OS").as_str()) && target("ENV") != "musl" {
        cc::Build::new().file(FILE).warnings_into_errors(true).cargo_metadata(false).compile("ffi");
        println!("cargo:rustc-link-search=native={}", env::var("OUT_DIR").unwrap_or_default());
    }
}

/// One line for each misspelling, sorted by its bytes: the misspelling, a blank, and what it may stand for, with commas
/// between.
fn misspellings() -> String {
    let all = typos_dict::WORD.map.entries().map(|(wrong, right)| (wrong.into_inner().to_ascii_lowercase(), *right));
    let known: BTreeMap<String, &[&str]> = all.collect();
    known.iter().map(|(wrong, right)| format!("{wrong} {}\n", right.join(","))).collect()
}

/// What the library shows of a question, so that it need not be read for that.
fn card(file: &Path) -> io::Result<String> {
    let wrong = |what: String| io::Error::other(format!("{}: {what}", file.display()));
    let table: toml::Table =
        fs::read_to_string(file)?.parse().map_err(|error: toml::de::Error| wrong(error.to_string()))?;
    let mut card = Vec::new();
    for key in ["title", "topic", "level"] {
        let text = table.get(key).and_then(toml::Value::as_str).ok_or_else(|| wrong(format!("no text `{key}`")))?;
        if key == "level" && !["junior", "mid", "senior", "staff"].contains(&text) {
            return Err(wrong(format!("`{text}` is not a level")));
        }
        card.push(format!("{key}: {text:?}"));
    }
    let formerly = table.get("formerly").and_then(toml::Value::as_array).map_or(&[][..], Vec::as_slice);
    let formerly: Vec<&str> = formerly.iter().filter_map(toml::Value::as_str).collect();
    card.push(format!("formerly: &{formerly:?}"));
    card.push(format!("newest: {:?}", newest(&toml::Value::Table(table)).unwrap_or_default()));
    Ok(card.join(", "))
}

/// The last day that stands in a question.
fn newest(value: &toml::Value) -> Option<String> {
    match value {
        // Days of one length, written from the year on, are in order as texts.
        toml::Value::Datetime(day) => Some(day.to_string()),
        toml::Value::Array(values) => values.iter().filter_map(newest).max(),
        toml::Value::Table(table) => table.values().filter_map(newest).max(),
        _ => None,
    }
}

fn include(file: &Path) -> String {
    format!("include_str!({:?})", file.display().to_string())
}

/// The folders that hold a `pack.toml`, by name.
fn folders(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut packs = Vec::new();
    for entry in fs::read_dir(root)? {
        let path = entry?.path();
        if path.join("pack.toml").is_file() {
            packs.push(path);
        }
    }
    packs.sort();
    Ok(packs)
}

/// The questions of a pack, by name.
fn questions(pack: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(pack)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "toml") && name(&path) != "pack.toml" {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
