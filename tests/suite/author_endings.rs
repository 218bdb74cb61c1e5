//! What authors are told of a program that does not come to its end, or not to the same one each time.

use crate::command::Home;

const SMALL: &str = include_str!("../fixtures/small.toml");

/// A pack with the small question, in which the last line of both programs is another.
fn with_last_line(line: &str) -> Home {
    let home = Home::new();
    assert_eq!(SMALL.matches("print(total([1, 2, 3]))\n").count(), 2);
    home.write("packs/fixture/small.toml", SMALL.replace("print(total([1, 2, 3]))\n", &format!("{line}\n")));
    home
}

/// What is said of the buggy program's end.
fn buggy_end(said: &str) -> &str {
    let (_, problem) = said.split_once("error[not_finished]: the buggy program").expect(said);
    problem.split_once("\n\n").expect(said).0
}

#[test]
fn each_cause_has_its_place_and_its_remedy() {
    let mut all = String::new();
    for line in [
        "print(total([1, 2, 3])",
        "if total([1])",
        "  \tprint(total([1, 2, 3]))",
        "print(totl([1, 2, 3]))",
        "print(total([1,\u{a0}2, 3]))",
        "print(total([1, 2, 3]) – 1)",
        "while True: pass",
        "print('x' * 10 ** 9)",
        "print('x' * 100_000)",
        "open('x.txt')",
        "import numpy",
        "print(input())",
        "print([][1])",
    ] {
        let home = with_last_line(line);
        let said = home.run("author check packs");
        all += &format!("## {}\n\n{}\n\n", line.escape_debug(), buggy_end(&said).trim_start());
    }
    insta::assert_snapshot!(all);
}

/// Who is told that a program differs each time is not told to copy what it printed once.
#[test]
fn of_a_program_that_differs_each_time_nothing_else_is_said() {
    let home = with_last_line("print(total([1, 2, 3]) + __import__('random').random())");
    let said = home.run("author check packs");
    let kinds: Vec<&str> = said.lines().filter(|line| line.starts_with("error")).collect();
    let both = ["buggy", "fixed"]
        .map(|it| format!("error[not_repeatable]: the {it} program does not print the same each time"));
    assert_eq!(kinds, both, "{said}");
    let Some(python) = crate::runner_cpython::interpreter() else { return };
    let home = with_last_line("print(total([1, 2, 3]), {*'abcdefgh'})");
    let said = home.run(&["author", "check", "packs", "--python", python.executable.to_str().unwrap()]);
    assert_eq!(said.matches("error[not_repeatable]").count(), 2, "{said}");
    assert!(!said.contains("error[prints]"), "{said}");
}

#[test]
fn an_address_in_the_output_is_recognised() {
    // Two runs may find the same address free, so it is chance that writes it.
    let line = "print(total([1, 2, 3]), f'<Job object at {__import__(\"random\").getrandbits(64):#x}>')";
    let said = with_last_line(line).run("author check packs");
    let help = "give its class a `__repr__`: an address differs from run to run";
    assert_eq!(said.matches(help).count(), 2, "{said}");
}

/// Quotes and blanks of a word processor in the file itself.
#[test]
fn a_character_that_is_no_toml_is_named() {
    let home = Home::new();
    let topic = "topic = \"Python\"";
    for (id, other) in [("quotes", "topic = “Python”"), ("blank", "topic\u{a0}= \"Python\"")] {
        home.write(
            &format!("packs/fixture/{id}.toml"),
            SMALL.replacen("\"small\"", &format!("\"{id}\""), 1).replace(topic, other),
        );
    }
    insta::assert_snapshot!(home.run("author check packs"));
}
