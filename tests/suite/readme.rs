//! The README promises nothing that the program does not have.

use std::fs;
use std::path::Path;

use clap::Parser as _;
use fencepost::cli::Cli;

fn readme() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap()
}

#[test]
fn every_command_of_the_readme_parses() {
    let readme = readme();
    let mut count = 0;
    let blocks = readme.split("```").skip(1).step_by(2);
    for line in blocks.flat_map(str::lines).filter(|line| line.starts_with("fencepost ")) {
        // Two blanks end the command and begin its explanation.
        let command = line.split("  ").next().unwrap();
        if let Err(error) = Cli::try_parse_from(command.split(' ')) {
            panic!("{command}: {error}");
        }
        count += 1;
    }
    assert!(count >= 5, "the README has lost its commands");
}

#[test]
fn every_file_that_the_readme_links_to_is_there() {
    let readme = readme();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for link in readme.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(link.starts_with("http") || root.join(link).exists(), "{link}");
    }
}
