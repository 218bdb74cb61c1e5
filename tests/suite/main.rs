//! Every test that needs more than one module. One binary, because linking RustPython takes seconds.

mod author;
mod author_edits;
mod author_endings;
mod author_folders;
mod author_new;
mod author_proofs;
mod cases;
mod cli;
mod command;
mod completions;
mod diagnostics;
mod event_loop;
mod fix_journeys;
mod fix_screens;
mod fix_stories;
mod fixtures;
#[path = "../fuzz/mod.rs"]
mod fuzz;
mod gap;
mod hostile_command_line;
mod imports;
mod journeys;
mod markdown;
mod plain;
mod plain_ends;
mod plain_help;
mod plain_steps;
mod plain_stories;
mod prediction_stories;
mod program_journeys;
mod pty;
mod quiz_stories;
mod readme;
mod renamed;
mod runner_allowed;
mod runner_basics;
mod runner_cheats;
mod runner_checks;
mod runner_cpython;
mod runner_crowd;
mod runner_hostile;
mod runner_levels;
mod runner_lives;
mod runner_output;
mod runner_programs;
mod runner_sandbox;
mod runner_scenario;
mod runner_trace;
mod runner_zones;
mod schema;
mod screens;
mod script_answers;
mod script_batch;
mod script_class;
mod script_facts;
mod script_lenient;
mod script_limits;
mod script_merge;
mod script_reports;
mod script_roster;
mod script_serve;
mod script_terminal;
mod script_validity;
mod shipped;
mod steps_screens;
mod steps_stories;
mod timeline_screens;
mod timeline_stories;

/// Names of the files in a folder of tests, without `ending`.
fn files(folder: &str, ending: &str) -> Vec<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite").join(folder);
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter_map(|name| name.strip_suffix(ending).map(str::to_owned)).collect();
    names.sort();
    names
}

/// A file without a line above would hold no test, and nobody would notice.
#[test]
fn every_file_of_tests_is_part_of_the_binary() {
    let named = |line: &'static str| line.strip_prefix("mod ")?.strip_suffix(';').filter(|name| *name != "fuzz");
    let modules: Vec<&str> = include_str!("main.rs").lines().filter_map(named).chain(["main"]).collect();
    let mut files = files(".", ".rs");
    files.sort_by_key(|name| name == "main");
    assert_eq!(modules, files);
}

/// A snapshot is named after its test, or by a text in one. The page of a diagnostic is named after its code.
#[test]
fn every_snapshot_is_used() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite");
    let source = |name: String| std::fs::read_to_string(folder.join(name + ".rs")).unwrap();
    let tests: String = files(".", ".rs").into_iter().map(source).collect();
    let is_used = |file: &String| {
        let name = file.rsplit("__").next().unwrap();
        let name = ["-40x12", "-80x24", "-120x40"].iter().fold(name, |name, size| name.trim_end_matches(size));
        let part = name.trim_start_matches("report-");
        let code = name.trim_start_matches("diagnostic-");
        tests.contains(&format!("fn {name}("))
            || tests.contains(&format!("\"{part}\""))
            || folder.join("../fixtures/diagnostics").join(code).is_dir()
    };
    let unused: Vec<String> = files("snapshots", ".snap").into_iter().filter(|file| !is_used(file)).collect();
    assert_eq!(unused, <[String; 0]>::default());
}
