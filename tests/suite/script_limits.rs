//! Limits on the size of answers: an honest learner's file is read, and a larger one is refused before it costs much.

use fencepost::quiz::repair::LONGEST;

use crate::cases::each;
use crate::command::Home;
use crate::script_answers::quiz;

/// Sixty questions with the largest fix each are one file, in both forms; a byte more than the limit is refused.
#[test]
fn the_largest_honest_file_is_read_and_a_larger_one_refused() {
    let home = Home::new();
    let names: Vec<String> = (0..60).map(|n| format!("q{n}")).collect();
    // Quotes, which JSON writes as two characters. All of it is one comment, so that the program runs at once.
    let fix = format!("# {}\n", "\"".repeat(LONGEST - 3));
    let (mut json, mut toml) = (String::new(), "format = 1\n".to_owned());
    for name in &names {
        home.write_question(name, &[]);
        json += &format!("{}\n", serde_json::json!({"question": name, "line": 3, "fix": fix}));
        toml += &format!("[[answer]]\nquestion = \"{name}\"\nline = 3\nfix = '''\n{fix}'''\n");
    }
    each([("answers.jsonl", &json), ("answers.toml", &toml)], |(name, text)| {
        home.write(name, text);
        let session = quiz(&home, &format!("{} --answers {name} --format tap", names.join(" ")), "");
        assert!(session.ends_with("# score 60 of 60 (100 %), pass mark 100 %: passed\n--- exit 0\n"), "{name}");
    });
    for length in [8 << 20, (8 << 20) + 1] {
        let answer = "{\"question\": \"small\", \"line\": 3}\n";
        let text = answer.to_owned() + &"\n".repeat(length - answer.len());
        home.write("answers.jsonl", &text);
        let exit = if length > 8 << 20 { "--- exit 2\n" } else { "--- exit 0\n" };
        let named = quiz(&home, "small --answers answers.jsonl", "");
        let piped = quiz(&home, "small --answers -", &text);
        assert!(named.ends_with(exit) && piped.ends_with(exit), "{named}{piped}");
        if length > 8 << 20 {
            insta::assert_snapshot!(format!("{named}{piped}"), @"
            $ fencepost --content packs quiz small --answers answers.jsonl
            --- stderr
            error: `answers.jsonl` is larger than 8 MiB
              hint: use a smaller file
            --- exit 2
            $ fencepost --content packs quiz small --answers -
            --- stderr
            error: the answers on standard input are longer than 8 MiB
              hint: split them: `--partition K/N` grades each part
            --- exit 2
            ");
        }
    }
}

/// The limit of a fix holds for the cleaned program, as in a session.
#[test]
fn a_fix_is_measured_as_it_runs() {
    let home = Home::new();
    let exit = |fix: &str| {
        let answers = serde_json::json!({"question": "small", "line": 3, "fix": fix}).to_string();
        let session = quiz(&home, "small --answers -", &answers);
        session.rsplit_once("--- ").unwrap().1.trim().to_owned()
    };
    assert_eq!(exit(&"#".repeat(LONGEST)), "exit 2", "the end of its line is one byte too many");
    assert_eq!(exit(&"#".repeat(LONGEST - 1)), "exit 0");
    assert_eq!(exit(&format!("{}\r\n", "#".repeat(LONGEST - 1))), "exit 0");
    assert_eq!(exit("\u{0}\u{1b}"), "exit 2", "nothing is left");
}

/// Outside of text, a parser needs a hundred times the memory, so the limit is tighter.
#[test]
fn a_file_that_is_large_without_a_fix_is_refused() {
    let home = Home::new();
    let lists = format!("format = 1\nx = [{}]\n", "1,".repeat(1 << 20));
    let line = format!("{{\"question\": \"small\", \"lines\": [{}1]}}\n", "1,".repeat(1 << 20));
    let many = "{\"question\": \"x\", \"line\": 1}\n".repeat(1_001);
    let mut all = String::new();
    for text in [&lists, &line, &many] {
        let session = quiz(&home, "small --answers -", text);
        // Long lines are cut, and a hundred problems are enough to see.
        let last = session.rsplit("\n\n").take(2).map(|part| &part[..part.len().min(2_000)]);
        all += &last.collect::<Vec<_>>().join("\n");
        all.push('\n');
    }
    insta::assert_snapshot!(all, @r#"
    1 error
    --- exit 2

    $ fencepost --content packs quiz small --answers -
    --- stderr
    error[too_large]: more than 1048576 bytes of this file are neither quoted text nor comments
     --> <stdin>:1:1
      |
    1 | format = 1
      | ^
      |
      = help: an answer is a few keys, and a fix in quotes
    1 error
    --- exit 2

    $ fencepost --content packs quiz small --answers -
    --- stderr
    error[too_large]: the line is longer than 1048576 bytes
     --> <stdin>:1:1
      |
    1 | {"question": "small", "lines": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1...
      | ^
      |
      = help: an answer is a short text
    101 errors
    --- exit 2

    error[too_many]: 901 more problems in this file are not listed
        --> <stdin>:1002:1
         |
    1002 |
         | ^
         |
         = help: fix the ones above first
    "#);
}

/// A name as long as its file is not said back whole: neither to a teacher, whose table it would fill, nor to a peer.
#[test]
fn long_names_make_short_messages() {
    let home = Home::new();
    let long = "x".repeat(500_000);
    each(
        [
            format!("{{\"question\": \"small\", \"fix_file\": \"{long}\"}}"),
            format!("{{\"question\": \"{long}\", \"line\": 3}}"),
            format!("{{\"question\": \"small\", \"line\": 3, \"{long}\": 1}}"),
            format!("{{\"question\": \"small\", \"line\": 3, \"{long}\": 1, \"{long}\": 1}}"),
            format!("{{\"question\": \"small\", \"line\": 3, \"format\": \"{long}\"}}"),
        ],
        |line| {
            home.write("class/ada.jsonl", line);
            let session = home.run("--content packs quiz small --answers class");
            assert!(session.len() < 5_000 && session.contains("xxx…"), "{}", session.len());
        },
    );
    each(
        [
            format!("{{\"type\": \"question\", \"question\": \"{long}\"}}\n"),
            format!("{{\"type\": \"{long}\"}}\n"),
            format!("{{\"type\": \"list\", \"{long}\": 1}}\n"),
            format!("{{\"type\": \"list\", \"{long}\": 1, \"{long}\": 1}}\n"),
        ],
        |request| {
            let session = home.session("--content packs quiz small --serve-stdio", &request);
            assert!(session.len() < 5_000 && session.contains("xxx…"), "{}", session.len());
        },
    );
}
