//! Build script: lists the files of `content/` so that the program carries them.
//!
//! A macro that embeds a folder would do, but does not notice a new file; a build script does.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("content");
    println!("cargo:rerun-if-changed=content");
    println!("cargo:rerun-if-changed=src/embed.rs");

    let mut list = String::from("&[\n");
    for pack in folders(&root)? {
        let name = file_name(&pack);
        let _ = writeln!(list, "    ({name:?}, &[");
        for file in questions(&pack)? {
            println!("cargo:rerun-if-changed={}", file.display());
            let _ = writeln!(list, "        ({:?}, include_str!({:?})),", file_name(&file), file.display().to_string());
        }
        list.push_str("    ]),\n");
    }
    list.push(']');
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("embedded.rs"), list)
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

/// The TOML files of a pack, by name.
fn questions(pack: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(pack)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
