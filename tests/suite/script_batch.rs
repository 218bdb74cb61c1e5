//! A folder of submissions.

use serde_json::Value;

use crate::command::Home;
use crate::script_reports::assert_fits;

const RIGHT: &str = "def total(numbers):\\n    return sum(numbers)\\n";

fn quiz<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [&["--content", "packs", "quiz", "small", "--weights", "line=1,fix=1"], args].concat()
}

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
    let session = home.run(&quiz(&["--answers", "class"]));
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
    insta::assert_snapshot!(all);
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
        let session = home.run(&quiz(&["--answers", "class"]));
        let row: Value = serde_json::from_str(session.lines().nth(1).unwrap()).unwrap();
        let word = |key: &str| row["problems"][0][key].as_str().unwrap_or_default().to_owned();
        (row["passed"].as_bool().unwrap(), word("message"), word("hint"))
    };
    for right in ["ada/small.py", "./ada/./small.py", "ada/own.py"] {
        assert_eq!(told(right), (true, String::new(), String::new()), "{right}");
    }
    let (passed, message, hint) = told("ada/none.py");
    assert_eq!((passed, hint.as_str()), (false, "check the name and the permissions"));
    assert!(message.starts_with("cannot read `class/ada/none.py`"), "{message}");
    for (wrong, right) in [
        ("small.py", "ada/small.py"),
        ("bare.py", "ada/bare.py"),
        ("none.py", "ada/none.py"),
        ("bob/secret.py", "ada/secret.py"),
        ("bob/nothing.py", "ada/nothing.py"),
        ("ada/../bob/secret.py", "ada/secret.py"),
        ("/etc/passwd", "ada/passwd"),
        ("adam/x.py", "ada/x.py"),
    ] {
        let message = format!("`{wrong}` is not in the folder that programs are read from");
        let hint = format!("put the program into `class/ada` and write `{right}`");
        assert_eq!(told(wrong), (false, message, hint), "{wrong}");
    }
    #[cfg(unix)]
    for link in ["ada/there.py", "ada/nothing.py"] {
        let message = format!("`{link}` is not in the folder that programs are read from");
        let hint = "put the program itself into `class/ada`: no link is followed out of it".to_owned();
        assert_eq!(told(link), (false, message, hint), "{link}");
    }
}

#[test]
fn a_class_in_which_everybody_passed_exits_with_0() {
    let home = Home::new();
    for n in 0..20 {
        let answer = format!("{{\"question\": \"small\", \"line\": 3, \"fix\": \"{RIGHT}\"}}\n");
        home.write(&format!("class/learner-{n:02}.jsonl"), answer);
    }
    let session = home.run(&quiz(&["--answers", "class", "--format", "jsonl"]));
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
    let home = Home::new();
    home.write("class/notes.txt", "x");
    home.write("empty/.keep", "");
    let mut all = home.run(&quiz(&["--answers", "empty"]));
    all += &home.run(&quiz(&["--answers", "class"]));
    all += &home.run(&quiz(&["--answers", "class", "--format", "junit"]));
    insta::assert_snapshot!(all);
}

/// Someone else wrote every program of a class, even if the question came with fencepost.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_learners_program_does_not_run_where_nothing_contains_it() {
    let home = Home::new();
    home.write("class/ada.jsonl", "{\"question\": \"fencing-tokens\", \"line\": 8, \"fix\": \"print(1)\"}\n");
    home.write("class/bob.jsonl", "{\"question\": \"fencing-tokens\", \"line\": 8}\n");
    let args = ["--without", "landlock,seccomp", "quiz", "fencing-tokens", "--answers", "class"];
    let session = home.run(&args);
    let rows: Vec<Value> = session.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert_eq!((&rows[0]["problems"][0]["code"], &rows[0]["passed"]), (&"not_contained".into(), &false.into()));
    assert_eq!(rows[1]["passed"], true);
    let trusted = home.run(&[&args[..], &["--trust-pack", "leases"]].concat());
    let rows: Vec<Value> = trusted.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert_eq!(rows[0]["questions"][0]["fix"]["verdict"], "finished");
}
