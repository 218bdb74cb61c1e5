//! The README and the guide for authors promise nothing that the program does not have.

use std::fs;
use std::path::Path;

use clap::Parser as _;
use fencepost::cli::Cli;

use crate::cases::each;
use crate::command::Home;

fn readme() -> String {
    read("README.md")
}

fn guide() -> String {
    read("content/README.md")
}

fn read(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

#[test]
fn every_command_parses() {
    let (readme, guide) = (readme(), guide());
    let mut count = 0;
    let blocks = [readme.as_str(), guide.as_str()].into_iter().flat_map(|text| text.split("```").skip(1).step_by(2));
    each(blocks.flat_map(str::lines).filter(|line| line.starts_with("fencepost ")), |line| {
        // Two blanks end the command and begin its explanation.
        let command = line.split("  ").next().unwrap();
        if let Err(error) = Cli::try_parse_from(command.split(' ')) {
            panic!("{command}: {error}");
        }
        count += 1;
    });
    assert!(count >= 15, "the commands are gone");
}

/// The blocks of the guide, one after the other, are a file that passes, in the place of the one that `new` writes.
#[test]
fn the_worked_example_of_the_guide_is_a_proved_question() {
    let guide = guide();
    let example = guide.split("## A worked example\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let blocks: Vec<&str> = example.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let home = Home::new();
    home.run("author new price-cache --pack shop");
    home.write("shop/price-cache.toml", blocks.join("\n"));
    let sound = home.run("author check shop");
    assert!(sound.ends_with("\nno problems\n--- exit 0\n"), "{sound}");
    // Without its last check, the guide says, this is what is seen.
    let (before, rest) = blocks.join("\n").split_once("[[check]]\nname = \"a fresh").map(own).unwrap();
    let scenario = rest.split_once("[scenario]").unwrap().1;
    home.write("shop/price-cache.toml", format!("{before}[scenario]{scenario}"));
    let hole = home.run("author check shop");
    let shown = guide.split("```\nerror[other_answer]").nth(1).unwrap().split("```").next().unwrap();
    assert!(hole.contains(&format!("error[other_answer]{shown}")), "{hole}");
}

fn own((a, b): (&str, &str)) -> (String, String) {
    (a.to_owned(), b.to_owned())
}

#[test]
fn every_file_that_the_readme_links_to_is_there() {
    let readme = readme();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for link in readme.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(link.starts_with("http") || root.join(link).exists(), "{link}");
    }
}
