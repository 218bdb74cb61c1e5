//! Every test that needs more than one module. One binary, because linking RustPython takes seconds.

mod author;
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

/// A file without a line above would be no test at all, and nobody would see it.
#[test]
fn every_file_of_tests_is_part_of_the_binary() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite");
    let mut files: Vec<String> = std::fs::read_dir(here)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".rs").map(str::to_owned))
        .filter(|name| name != "main")
        .collect();
    files.sort();
    let named = |line: &'static str| line.strip_prefix("mod ")?.strip_suffix(';').filter(|name| *name != "fuzz");
    let modules: Vec<&str> = include_str!("main.rs").lines().filter_map(named).collect();
    assert_eq!(modules, files);
}
