//! Circles of imports in `src`: none crosses a top-level folder, and none has more than four files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The most files that one circle may have.
const LARGEST: usize = 4;

/// A module, or a folder, by its path; and what it imports.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// The text of each module of `src`, by its path: `quiz/steps`, and `quiz` for `quiz/mod.rs`.
fn modules() -> BTreeMap<String, String> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut modules = BTreeMap::new();
    let mut folders = vec![src.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(&src).unwrap().with_extension("");
                let name = name.to_str().unwrap().replace('\\', "/");
                let name = name.strip_suffix("/mod").unwrap_or(&name).to_owned();
                modules.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    modules
}

/// `text` without comments and without the module of its tests.
fn code(text: &str) -> String {
    let text = text.find("#[cfg(test)]\nmod tests {").map_or(text, |tests| &text[..tests]);
    let bare = |line: &str| line.split("//").next().unwrap_or_default().to_owned() + "\n";
    text.lines().map(bare).collect()
}

/// The paths that the tree of a `use` names: `a::{b, c::d}` names `a::b` and `a::c::d`.
fn leaves(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((start, group)) = tree.split_once('{') else {
        return vec![tree.split(" as ").next().unwrap_or_default().trim().to_owned()];
    };
    let group = &group[..group.rfind('}').unwrap()];
    let mut depth = 0;
    let is_end = |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    };
    let parts: Vec<&str> = group.split(is_end).filter(|part| !part.trim().is_empty()).collect();
    parts.into_iter().flat_map(|part| leaves(&format!("{start}{}", part.trim()))).collect()
}

/// The paths that `code` names, in `use` and elsewhere.
fn paths(code: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut rest = String::new();
    let mut tree: Option<String> = None;
    for line in code.lines() {
        let bare = line.trim_start();
        let begins = ["use ", "pub use ", "pub(super) use ", "pub(crate) use "];
        let begun = begins.iter().find_map(|begin| bare.strip_prefix(begin)).filter(|_| tree.is_none());
        match (&mut tree, begun) {
            (Some(tree), _) => tree.push_str(bare),
            (None, Some(begun)) => tree = Some(begun.to_owned()),
            (None, None) => rest.push_str(line),
        }
        if let Some(whole) = tree.take_if(|tree| tree.ends_with(';')) {
            paths.extend(leaves(whole.trim_end_matches(';')));
        }
        rest.push('\n');
    }
    for start in ["crate::", "super::"] {
        for (at, _) in rest.match_indices(start) {
            let end = rest[at..].find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
            paths.push(rest[at..end.map_or(rest.len(), |end| at + end)].to_owned());
        }
    }
    paths
}

/// The module of `modules` that `path` leads to from the module `here`: the longest of its beginnings that is one.
fn target(modules: &BTreeMap<String, String>, here: &str, path: &str) -> Option<String> {
    let mut parts = path.split("::").map(str::trim).filter(|part| !part.is_empty()).peekable();
    let mut place: Vec<&str> = match parts.peek() {
        Some(&"crate") => Vec::new(),
        Some(&("super" | "self")) => here.split('/').collect(),
        _ => return None,
    };
    for part in parts {
        match part {
            "crate" | "self" => {}
            "super" => drop(place.pop()),
            name => place.push(name),
        }
    }
    while !place.is_empty() {
        let name = place.join("/");
        if modules.contains_key(&name) {
            return Some(name).filter(|name| name != here);
        }
        place.pop();
    }
    None
}

/// For each module, the modules that it imports.
fn imports() -> Graph {
    let modules = modules();
    let of = |name: &str, text: &str| {
        paths(&code(text)).iter().filter_map(|path| target(&modules, name, path)).collect::<BTreeSet<_>>()
    };
    modules.iter().map(|(name, text)| (name.clone(), of(name, text))).collect()
}

/// Everything that `from` leads to, by one import or by several.
fn reached<'a>(graph: &'a Graph, from: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        open.extend(graph.get(next).into_iter().flatten().map(String::as_str).filter(|name| reached.insert(*name)));
    }
    reached
}

/// The circles of `graph`: sets whose members all lead to each other.
fn circles(graph: &Graph) -> BTreeSet<Vec<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        graph.keys().map(|name| (name.as_str(), reached(graph, name))).collect();
    let back = |name: &str, other: &str| reached.get(other).is_some_and(|others| others.contains(name));
    let circle = |(name, others): (&&'_ str, &BTreeSet<&'_ str>)| -> Vec<String> {
        others.iter().filter(|other| back(name, other)).map(|other| (*other).to_owned()).collect()
    };
    let found: BTreeSet<Vec<String>> = reached.iter().map(circle).filter(|circle| circle.len() > 1).collect();
    let known = |name: String| graph.get_key_value(&name).map(|(name, _)| name.as_str());
    found.into_iter().map(|circle| circle.into_iter().filter_map(known).collect()).collect()
}

#[test]
fn no_circle_of_imports_crosses_a_folder_and_none_is_large() {
    let files = imports();
    let folder = |name: &str| name.split('/').next().unwrap().to_owned();
    let mut folders = Graph::new();
    for (name, imported) in &files {
        let others = imported.iter().map(|other| folder(other)).filter(|other| *other != folder(name));
        folders.entry(folder(name)).or_default().extend(others);
    }
    assert_eq!(circles(&folders), BTreeSet::new(), "circles across folders");
    let large: Vec<_> = circles(&files).into_iter().filter(|circle| circle.len() > LARGEST).collect();
    assert!(large.is_empty(), "circles of more than {LARGEST} files: {large:#?}");
}

#[test]
fn no_circle_is_left_in_the_quiz() {
    let files = imports();
    let quiz: Vec<_> =
        circles(&files).into_iter().filter(|circle| circle.iter().any(|name| name.starts_with("quiz"))).collect();
    assert!(quiz.is_empty(), "{quiz:#?}");
}

#[test]
fn imports_are_read_as_the_compiler_reads_them() {
    let text =
        "use crate::quiz::{self, steps::{Act, Side as S}, Quiz};\n// use crate::tui;\nfn f() { crate::cli::f() }\n";
    let found = [
        "crate::quiz::self",
        "crate::quiz::steps::Act",
        "crate::quiz::steps::Side",
        "crate::quiz::Quiz",
        "crate::cli::f",
    ];
    assert_eq!(paths(&code(text)), found);
    let graph: Graph = [("a", "b"), ("b", "c"), ("c", "b"), ("d", "a")]
        .map(|(name, other)| (name.to_owned(), BTreeSet::from([other.to_owned()])))
        .into();
    assert_eq!(circles(&graph), BTreeSet::from([vec!["b", "c"]]));
}
