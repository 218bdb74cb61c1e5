//! A folder of submissions.

use serde_json::Value;

use crate::cases::each;
use crate::command::{Home, sessions};
use crate::script_reports::assert_fits;

const RIGHT: &str = "def total(numbers):\\n    return sum(numbers)\\n";

const GRADE: &str = "--content packs quiz small --weights line=1,fix=1 --answers class";

#[test]
fn each_learner_has_a_row_and_a_mistake_costs_only_its_own() {
    let home = Home::new();
    let fix = |text: &str| format!("{{\"question\": \"small\", \"line\": 3, \"fix\": \"{text}\"}}\n");
    home.write("class/ada.jsonl", fix(RIGHT));
    home.write("class/bob.toml", "format = 1\n[[answer]]\nquestion = \"small\"\nline = 2\n");
    home.write("class/cut.toml", "format = 1\n[[answer]]\nquestion = \"sma");
    home.write("class/deep.json", format!("{{\"question\": {}", "[".repeat(100_000)));
    home.write("class/eve.jsonl", "{\"question\": \"small\", \"fix_file\": \"fay/small.py\"}\n");
    home.write("class/fay.jsonl", "{\"question\": \"small\", \"line\": 3, \"fix_file\": \"fay/small.py\"}\n");
    home.write("class/fay/small.py", "def total(numbers):\n    return sum(numbers)\n");
    home.write("class/huge.toml", "x".repeat((8 << 20) + 1));
    home.write("class/latin1.toml", b"\xff\xfe");
    home.write("class/nobody.toml", "");
    home.write("class/two.json", fix(RIGHT));
    home.write("class/two.toml", "format = 1\n");
    home.write("class/wild.jsonl", fix("import os\\nos._exit(0)"));
    home.write("class/.hidden.toml", "x");
    home.write("class/notes\u{1b}.txt", "x");
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink("/dev/zero", home.path().join("class/zero.toml")).unwrap();
        // Another one's answers, and another one's programs, under a name of one's own.
        symlink("ada.jsonl", home.path().join("class/thief.jsonl")).unwrap();
        home.write("class/sly.jsonl", "{\"question\": \"small\", \"fix_file\": \"sly/small.py\"}\n");
        symlink("fay", home.path().join("class/sly")).unwrap();
    }
    let session = home.run(GRADE);
    let mut all = String::new();
    for line in session.lines() {
        let Ok(mut row) = serde_json::from_str::<Value>(line) else {
            all.push_str(line);
            all.push('\n');
            continue;
        };
        assert_fits("quiz-table.schema.json", &row);
        // The rest of a row is in the snapshots of the formats.
        let questions = row["questions"].as_array().unwrap().clone();
        row["questions"] = questions.iter().map(|question| question["score"].clone()).collect();
        all.push_str(&row.to_string());
        all.push('\n');
    }
    insta::assert_snapshot!(all, @r#"
    $ fencepost --content packs quiz small --weights line=1,fix=1 --answers class
    {"format":1,"learner":"ada","file":"ada.jsonl","handed_in":true,"on_roster":null,"passed":true,"score":2,"of":2,"percent":100,"right":1,"asked":1,"suspicious":false,"pass_mark":100,"weights":{"line":1,"fix":1},"lenient":false,"seed":null,"partition":null,"why_empty":null,"questions":[2],"problems":[]}
    {"format":1,"learner":"bob","file":"bob.toml","handed_in":true,"on_roster":null,"passed":false,"score":0,"of":2,"percent":0,"right":0,"asked":1,"suspicious":false,"pass_mark":100,"weights":{"line":1,"fix":1},"lenient":false,"seed":null,"partition":null,"why_empty":null,"questions":[0],"problems":[]}
    {"format":1,"learner":"cut","file":"cut.toml","handed_in":true,"on_roster":null,"passed":false,"score":0,"of":2,"percent":0,"right":0,"asked":1,"suspicious":false,"pass_mark":100,"weights":{"line":1,"fix":1},"lenient":false,"seed":null,"partition":null,"why_empty":null,"questions":[],"problems":[{"code":"syntax","line":3,"column":16,"message":"not valid TOML: this text is not closed on its line","hint":"write `question = \"sma\"`"}]}
    {"format":1,"learner":"deep","file":"deep.json","handed_in":true,"on_roster":null,"passed":false,"score":0,"of":2,"percent":0,"right":0,"asked":1,"suspicious":false,"pass_mark":100,"weights":{"line":1,"fix":1},"lenient":false,"seed":null,"partition":null,"why_empty":null,"questions":[],"problems":[{"code":"syntax","line":1,"column":140,"message":"not valid JSON: recursion limit exceeded","hint":"write one whole JSON object on each line, such as {\"question\": \"fencing-tokens\", \"line\": 8}"}]}
    {"format":1,"learner":"eve","file":"eve.jsonl","handed_in":true,"on_roster":null,"passed":false,"score":0,"of":2,"percent":0,"right":0,"asked":1,"suspicious":false,"pass_mark":100,"weights":{"line":1,"fix":1},"lenient":false,"seed":null,"partition":null,"why_empty":null,"questions":[],"problems":[{"code":"link_outside","line":1,"column":1,"message":"`fay/small.py` is not in the folder that programs are read from","hint":"put the program into `class/eve` and write `eve/small.py`"}]}
    {"format":1,"learner":"fay","file":"fay.jsonl","handed_in":true,"on_roster":null,"passed":true,"score":2,"of":2,"percent":100,"right":1,"asked":1,"suspicious":false,"pass_mark":100,"weights":{"line":1,"fix":1},"lenient":false,"seed":null,"partition":null,"why_empty":null,"questions":[2],"problems":[]}
    {"format":1,"learner":"huge","file":"huge.toml","handed_in":true,"on_roster":null,"passed":false,"score":0,"of":2,"percent":0,"right":0,"asked":1,"suspicious":false,"pass_mark":100,"weights":{"line":1,"fix":1},"lenient":false,"seed":null,"partition":null,"why_empty":null,"questions":[],"problems":[{"code":"too_large","line":null,"column":null,"message":"`class/huge.toml` is larger than 8 MiB","hint":"use a smaller file"}]}
    {"format":1,"learner":"latin1","file":"latin1.toml","handed_in":true,"on_roster":null,"passed":false,"score":0,"of":2,"percent":0,"right":0,"asked":1,"suspicious":false,"pass_mark":100,"weights":{"line":1,"fix":1},"lenient":false,"seed":null,"partition":null,"why_empty":null,"questions":[],"problems":[{"code":"not_utf8","line":1,"column":1,"message":"the file is UTF-16, not UTF-8","hint":"save the file as UTF-8"}]}
    {"format":1,"learner":"nobody","file":"nobody.toml","handed_in":true,"on_roster":null,"passed":false,"score":0,"of":2,"percent":0,"right":0,"asked":1,"suspicious":false,"pass_mark":100,"weights":{"line":1,"fix":1},"lenient":false,"seed":null,"partition":null,"why_empty":null,"questions":[],"problems":[{"code":"missing_key","line":null,"column":null,"message":"missing key `format` at the top of the file","hint":"add `format = 1`"}]}
    {"format":1,"learner":"sly","file":"sly.jsonl","handed_in":true,"on_roster":null,"passed":false,"score":0,"of":2,"percent":0,"right":0,"asked":1,"suspicious":false,"pass_mark":100,"weights":{"line":1,"fix":1},"lenient":false,"seed":null,"partition":null,"why_empty":null,"questions":[],"problems":[{"code":"link_outside","line":1,"column":1,"message":"`sly/small.py` is not in the folder that programs are read from","hint":"put the program itself into `class/sly`: no link is followed out of it"}]}
    {"format":1,"learner":"thief","file":"thief.jsonl","handed_in":true,"on_roster":null,"passed":false,"score":0,"of":2,"percent":0,"right":0,"asked":1,"suspicious":false,"pass_mark":100,"weights":{"line":1,"fix":1},"lenient":false,"seed":null,"partition":null,"why_empty":null,"questions":[],"problems":[{"code":"link_outside","line":null,"column":null,"message":"`thief.jsonl` is a link","hint":"put the file itself there"}]}
    {"format":1,"learner":"two","file":"two.json","handed_in":true,"on_roster":null,"passed":false,"score":0,"of":2,"percent":0,"right":0,"asked":1,"suspicious":false,"pass_mark":100,"weights":{"line":1,"fix":1},"lenient":false,"seed":null,"partition":null,"why_empty":null,"questions":[],"problems":[{"code":"duplicate_answer","line":null,"column":null,"message":"`two` has more than one file","hint":"keep one file for each learner"}]}
    {"format":1,"learner":"two","file":"two.toml","handed_in":true,"on_roster":null,"passed":false,"score":0,"of":2,"percent":0,"right":0,"asked":1,"suspicious":false,"pass_mark":100,"weights":{"line":1,"fix":1},"lenient":false,"seed":null,"partition":null,"why_empty":null,"questions":[],"problems":[{"code":"duplicate_answer","line":null,"column":null,"message":"`two` has more than one file","hint":"keep one file for each learner"}]}
    {"format":1,"learner":"wild","file":"wild.jsonl","handed_in":true,"on_roster":null,"passed":false,"score":1,"of":2,"percent":50,"right":1,"asked":1,"suspicious":false,"pass_mark":100,"weights":{"line":1,"fix":1},"lenient":false,"seed":null,"partition":null,"why_empty":null,"questions":[1],"problems":[]}
    {"format":1,"learner":"zero","file":"zero.toml","handed_in":true,"on_roster":null,"passed":false,"score":0,"of":2,"percent":0,"right":0,"asked":1,"suspicious":false,"pass_mark":100,"weights":{"line":1,"fix":1},"lenient":false,"seed":null,"partition":null,"why_empty":null,"questions":[],"problems":[{"code":"link_outside","line":null,"column":null,"message":"`zero.toml` is a link","hint":"put the file itself there"}]}
    --- stderr
    ignored: notes␛.txt (expected .toml, .json or .jsonl)
    ignored: sly (expected .toml, .json or .jsonl)
    2 of 15 passed; 11 could not be graded
    --- exit 1
    "#);
}

/// `fix_file` is seen from the file of answers, in a folder of answers as in one file, and reaches the learner's own folder.
/// A refusal shows the right spelling, and never that a file exists.
#[test]
fn a_learners_programs_are_in_the_learners_folder() {
    let home = Home::new();
    home.write("class/ada/small.py", "def total(numbers):\n    return sum(numbers)\n");
    home.write("class/ada.jsonl", "");
    home.write("class/bare.py", "x");
    home.write("class/bob/secret.py", "x");
    #[cfg(unix)]
    for (to, name) in [("../bob/secret.py", "there"), ("../bob/nothing.py", "nothing"), ("small.py", "own")] {
        std::os::unix::fs::symlink(to, home.path().join(format!("class/ada/{name}.py"))).unwrap();
    }
    let told = |name: &str| {
        home.write("class/ada.jsonl", format!("{{\"question\": \"small\", \"line\": 3, \"fix_file\": \"{name}\"}}\n"));
        let row: Value = serde_json::from_str(&home.stdout(GRADE)).unwrap();
        let word = |key: &str| row["problems"][0][key].as_str().unwrap_or_default().to_owned();
        (row["passed"].as_bool().unwrap(), word("message"), word("hint"))
    };
    each(["ada/small.py", "./ada/./small.py", "ada/own.py"], |right| {
        assert_eq!(told(right), (true, String::new(), String::new()), "{right}");
    });
    let (passed, message, hint) = told("ada/none.py");
    assert_eq!((passed, hint.as_str()), (false, "check the name and the permissions"));
    assert!(message.starts_with("cannot read `class/ada/none.py`"), "{message}");
    each(
        [
            ("small.py", "ada/small.py"),
            ("bare.py", "ada/bare.py"),
            ("none.py", "ada/none.py"),
            ("bob/secret.py", "ada/secret.py"),
            ("bob/nothing.py", "ada/nothing.py"),
            ("ada/../bob/secret.py", "ada/secret.py"),
            ("/etc/passwd", "ada/passwd"),
            ("adam/x.py", "ada/x.py"),
        ],
        |(wrong, right)| {
            let message = format!("`{wrong}` is not in the folder that programs are read from");
            let hint = format!("put the program into `class/ada` and write `{right}`");
            assert_eq!(told(wrong), (false, message, hint), "{wrong}");
        },
    );
    #[cfg(unix)]
    each(["ada/there.py", "ada/nothing.py"], |link| {
        let message = format!("`{link}` is not in the folder that programs are read from");
        let hint = "put the program itself into `class/ada`: no link is followed out of it".to_owned();
        assert_eq!(told(link), (false, message, hint), "{link}");
    });
}

#[test]
fn a_class_in_which_everybody_passed_exits_with_0() {
    let home = Home::new();
    for n in 0..20 {
        let answer = format!("{{\"question\": \"small\", \"line\": 3, \"fix\": \"{RIGHT}\"}}\n");
        home.write(&format!("class/learner-{n:02}.jsonl"), answer);
    }
    let session = home.run(&format!("{GRADE} --format jsonl"));
    assert!(session.ends_with("--- stderr\n20 of 20 passed\n--- exit 0\n"), "{session}");
    let learners: Vec<String> = session
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .map(|row| row["learner"].as_str().unwrap().to_owned())
        .collect();
    let mut sorted = learners.clone();
    sorted.sort();
    assert_eq!((learners.len(), &learners), (20, &sorted));
}

#[test]
fn folders_that_make_no_table() {
    sessions!(Home::new().with("class/notes.txt", "x").with("empty/.keep", ""), @"
    $ fencepost --content packs quiz small --answers empty
    --- stderr
    error: there are no answers in `empty`
      hint: each learner has one file there, ending in .toml, .json or .jsonl
    --- exit 2

    $ fencepost --content packs quiz small --answers class
    --- stderr
    error: there are no answers in `class`
      hint: each learner has one file there, ending in .toml, .json or .jsonl
    --- exit 2

    $ fencepost --content packs quiz small --answers class --format junit
    --- stderr
    error: answers of several learners become a table in JSON lines or CSV, not a report in this format
      hint: leave `--format` out, write `--format csv`, or grade one file
    --- exit 2
    ");
}

/// Someone else wrote every program of a class, even if the question came with fencepost.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_learners_program_does_not_run_where_nothing_contains_it() {
    let home = Home::new();
    home.write("class/ada.jsonl", "{\"question\": \"fencing-tokens\", \"line\": 8, \"fix\": \"print(1)\"}\n");
    home.write("class/bob.jsonl", "{\"question\": \"fencing-tokens\", \"line\": 8}\n");
    let rows = |args: &str| -> Vec<Value> {
        let table = home.stdout(&format!("--without landlock,seccomp quiz fencing-tokens --answers class {args}"));
        table.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let refused = rows("");
    assert_eq!((&refused[0]["problems"][0]["code"], &refused[0]["passed"]), (&"not_contained".into(), &false.into()));
    assert_eq!(refused[1]["passed"], true);
    assert_eq!(rows("--trust-pack leases")[0]["questions"][0]["fix"]["verdict"], "finished");
}
