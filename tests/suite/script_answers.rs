//! Where answers come from: files, standard input, a terminal, a template, and everything that is wrong with them.

use std::fs;
use std::process::Stdio;

use crate::command::Home;
use crate::script_reports::assert_fits;

pub(crate) fn quiz(home: &Home, args: &[&str], input: &str) -> String {
    home.session(&[&["--content", "packs", "quiz"], args].concat(), input)
}

#[test]
fn fixes_and_points_come_in_both_forms() {
    let home = Home::new();
    home.write("fixes/small.py", "def total(numbers):\n    return sum(numbers)\n");
    home.write(
        "answers.toml",
        "format = 1\n[[answer]]\nquestion = \"small\"\nlines = [3]\nfix_file = \"fixes/small.py\"\npoints = [2]\n",
    );
    home.write(
        "answers.jsonl",
        "{\"question\": \"small\", \"line\": 3, \"fix\": \"def total(numbers):\\n    return sum(numbers)\\n\", \"points\": [2]}\n",
    );
    let graded = |file: &str| {
        let session = quiz(&home, &["small", "--answers", file, "--weights", "line=1,fix=1"], "");
        session.split_once('\n').unwrap().1.to_owned()
    };
    let toml = graded("answers.toml");
    assert_eq!(toml, graded("answers.jsonl"));
    insta::assert_snapshot!(toml);
}

/// A fix is the same program in a file, in a session and in the screens: without the control characters that none of
/// them keeps, and with the end of its last line.
#[test]
fn a_fix_is_cleaned_before_it_runs() {
    let home = Home::new();
    let fix = "def total(numbers):\u{c}\r\n    note = 'a\u{c}b'\r\n    return sum(numbers) + len(note) - 2";
    let answers = serde_json::json!({"question": "small", "line": 3, "fix": fix}).to_string();
    let report = home.session(
        &["--content", "packs", "quiz", "small", "--answers", "-", "--weights", "fix=1", "--format", "json"],
        &answers,
    );
    assert!(report.ends_with("--- exit 0\n"), "{report}");
    assert!(report.contains("note = 'ab'\\n    return sum(numbers) + len(note) - 2\\n\""), "{report}");
}

/// What a fix makes a check say stands on lines that are marked as its own.
#[test]
fn a_fix_writes_no_results_of_its_own() {
    let home = Home::new();
    let fix = "class Forged:\n    def __str__(self):\n        return 'x\\npassed: every number counts\\n'\n\n\n\
               def total(numbers):\n    return Forged()\n";
    let answers = serde_json::json!({"question": "small", "line": 3, "fix": fix}).to_string();
    let report = home.session("--content packs quiz small --answers -", &answers);
    let from = report.find("         failed: every").unwrap();
    let to = report.find("         fix | ").unwrap();
    let marked = "message | 0 ones add up to x\n         message | passed: every number counts\n";
    let overloads = "         defines `__str__`, which can change what a check compares\n";
    assert_eq!(&report[from..to], format!("         failed: every number counts\n         {marked}{overloads}"));
}

/// Someone else wrote a fix that is handed in, in one file as in a folder.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_fix_does_not_run_where_nothing_contains_it() {
    let home = Home::new();
    let answers = "{\"question\": \"fencing-tokens\", \"line\": 8, \"fix\": \"print(1)\"}\n";
    let args = ["--without", "landlock,seccomp", "quiz", "fencing-tokens", "--answers", "-"];
    insta::assert_snapshot!(home.session(&args, answers), @"
    $ fencepost --without landlock,seccomp quiz fencing-tokens --answers -
    --- stderr
    error: the fix for `leases/fencing-tokens` is handed in, and it was not run: the sandbox is only at level limits_only and lacks landlock (switched off), seccomp (switched off)
      hint: look at the programs first; then `--trust-pack leases` runs it
    --- exit 2
    ");
    let trusted = home.session(&[&args[..], &["--trust-pack", "leases"]].concat(), answers);
    assert!(trusted.ends_with("--- exit 0\n"), "{trusted}");
}

#[test]
fn every_fault_of_a_submission_is_listed() {
    let home = Home::new();
    home.write("secret.py", "password\n");
    home.write("here/big.py", "x".repeat(70_000));
    home.write("here/empty.py", "\n");
    home.write("here/latin1.py", b"x = '\xe9'\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink(home.path().join("secret.py"), home.path().join("here/link.py")).unwrap();
    let toml = r#"format = 1
[[answer]]
question = "small"
line = 0
lines = [1, 1]
points = [3, 1, 1]
[[answer]]
question = "fencing-tokens"
[[answer]]
question = "late-binding-closure"
lines = []
fix = 3
"#;
    let keys = "format = 1\n[[answer]]\nquestion = \"small\"\nline = 3\nline = 4\n";
    let mut json = String::new();
    for name in
        ["../secret.py", "/etc/passwd", "link.py", "nowhere.py", "big.py", "empty.py", "latin1.py", ".", "a\\u0000b"]
    {
        json += &format!("{{\"question\": \"small\", \"fix_file\": \"{name}\"}}\n");
    }
    json += "{\"question\": \"small\", \"line\": 3, \"line\": 4}\n";
    json += "{\"question\": \"small\", \"line\": 1e400}\n{\"question\": \"small\", \"line\": 3.0}\n";
    json += "{\"question\": \"small\", \"line\": 99999999999999999999}\n{\"question\": \"small\"}\n";
    json += "{\"question\": \"small\", \"line\": \"4\"}\n";
    json += "{\"question\": \"small\", \"fix\": \"x\", \"fix_file\": \"y\", \"points\": 1, \"lines\": [-1, \"3\"]}\n";
    let mut all = String::new();
    for (name, text) in [("here/a.toml", toml), ("here/b.toml", keys), ("here/c.jsonl", &json)] {
        home.write(name, text);
        all += &quiz(&home, &["small", "--answers", name], "");
        all.push('\n');
    }
    assert!(!all.contains("password"), "{all}");
    insta::assert_snapshot!(all);
}

/// A file that ends after a key has one mistake, whatever belongs there.
#[test]
fn a_missing_value_is_reported_once() {
    let home = Home::new();
    for key in ["question", "line", "lines", "fix", "fix_file", "points"] {
        let named = if key == "question" { "" } else { "question = \"small\"\n" };
        let told = quiz(&home, &["small", "--answers", "-"], &format!("format = 1\n[[answer]]\n{named}{key} = "));
        assert!(told.contains("error[syntax]") && told.matches("error[").count() == 1, "{told}");
    }
}

/// A list of objects is JSON, but not JSON lines.
#[test]
fn a_json_list_is_refused_with_the_right_form() {
    let home = Home::new();
    insta::assert_snapshot!(quiz(&home, &["small", "--answers", "-"], "[ {\"question\": \"small\", \"line\": 3} ]"));
}

/// A text that is not UTF-8 is a mistake like others: with its file, its line and a remedy.
#[test]
fn another_encoding_is_reported_with_its_place() {
    let home = Home::new();
    let utf16 = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let toml = "format = 1\n[[answer]]\nquestion = \"small\"\nline = 3\n";
    home.write("answers/latin1.toml", [toml.as_bytes(), b"# caf\xe9\n"].concat());
    home.write("answers/marked.toml", [&b"\xff\xfe"[..], &utf16(toml)].concat());
    home.write("answers/unmarked.toml", utf16(toml));
    home.write("answers/nul.jsonl", "{\"question\": \"small\",\n \u{0}\"line\": 3}\n");
    home.write("answers/latin1.py", b"ok = 1\nx = '\xe9'\n");
    home.write("answers/marked.py", [&b"\xff\xfe"[..], &utf16("x = 1\n")].concat());
    home.write("answers/unmarked.py", utf16("x = 1\n"));
    for name in ["latin1", "marked", "unmarked"] {
        home.write(&format!("answers/of-{name}.toml"), format!("{toml}fix_file = \"{name}.py\"\n"));
    }
    let mut all = String::new();
    for name in [
        "latin1.toml",
        "marked.toml",
        "unmarked.toml",
        "nul.jsonl",
        "of-latin1.toml",
        "of-marked.toml",
        "of-unmarked.toml",
    ] {
        all += &quiz(&home, &["small", "--answers", &format!("answers/{name}")], "");
        all.push('\n');
    }
    all += &quiz(&home, &["small", "--answers", "-"], "\u{0}");
    insta::assert_snapshot!(all);
    // In a folder, the row of the learner has the place.
    let table = quiz(&home, &["small", "--answers", "answers"], "");
    let row = |learner: &str| -> serde_json::Value {
        let line = table.lines().find(|line| line.contains(&format!("\"learner\":\"{learner}\"")));
        serde_json::from_str(line.unwrap_or_else(|| panic!("no {learner} in {table}"))).unwrap()
    };
    for (learner, code, line, column) in [
        ("latin1", "not_utf8", 5, 6),
        ("marked", "not_utf8", 1, 1),
        ("unmarked", "control_character", 1, 2),
        ("nul", "control_character", 2, 2),
    ] {
        let problem = &row(learner)["problems"][0];
        assert_eq!(
            (&problem["code"], &problem["line"], &problem["column"]),
            (&code.into(), &line.into(), &column.into())
        );
    }
}

/// Standard input in every state in which it can be.
#[test]
fn standard_input_may_be_anything() {
    let home = Home::new();
    let args = ["small", "--answers", "-"];
    let right = "\u{feff}{\"question\": \"small\", \"line\": 3}\r\n\r\n";
    let mut all = quiz(&home, &args, right);
    assert!(all.ends_with("--- exit 0\n"), "{all}");
    // It ends in the middle of a line.
    for text in ["{\"question\": \"small\", \"li", "format = 1\n[[answer]]\nquestion = \"sma"] {
        all += &quiz(&home, &args, text);
    }
    // It is closed.
    #[cfg(unix)]
    {
        let program = env!("CARGO_BIN_EXE_fencepost");
        let mut shell = std::process::Command::new("sh");
        shell
            .args(["-c", &format!("'{program}' quiz fencing-tokens --answers - <&-")])
            .env_clear()
            .env("HOME", home.path());
        let output = shell.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        all += &String::from_utf8(output.stderr).unwrap();
    }
    insta::assert_snapshot!(all);

    // It is huge, deep, or no text.
    for bytes in [vec![b'{'; 9 << 20], b"{\"question\": \"small\", \"line\": \xff}".to_vec(), b"[".repeat(900_000), {
        let deep = "[".repeat(100_000);
        format!("{{\"question\": {deep}").into_bytes()
    }] {
        let mut command = home.command("quiz fencing-tokens --answers -");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), &bytes);
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{said}");
        assert!(said.starts_with("error") && said.len() < 100_000, "{said}");
    }
}

/// What the user names may be a pipe: `/dev/stdin`, `<(...)`, or one that lies in a folder. It is bounded as any file, and
/// programs are named from where the user is.
#[cfg(unix)]
#[test]
fn answers_may_come_through_a_pipe() {
    let home = Home::new();
    home.write("small.py", "def total(numbers):\n    return sum(numbers)\n");
    home.write("a.toml", "format = 1\n[[answer]]\nquestion = \"small\"\nline = 3\nfix_file = \"small.py\"\n");
    home.write("wrong.toml", "format = 1\n[[answer]]\nquestion = \"small\"\nline = 9\n");
    assert!(std::process::Command::new("mkfifo").arg(home.path().join("packs/pipe")).status().unwrap().success());
    let shell = |script: &str| {
        let quiz = format!("'{}' --content packs quiz small --weights line=1,fix=1", env!("CARGO_BIN_EXE_fencepost"));
        let script = script.replace("QUIZ", &quiz);
        let mut shell = std::process::Command::new("sh");
        let output = shell.args(["-c", &script]).env("HOME", home.path()).current_dir(home.path()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    for script in [
        "cat a.toml | QUIZ --answers /dev/stdin",
        "QUIZ --answers /dev/stdin < a.toml",
        "cat a.toml | QUIZ --answers /dev/fd/3 3<&0 </dev/null",
        "cat a.toml > packs/pipe & QUIZ --answers packs/pipe",
        // A file that is gone and still open.
        "cp a.toml gone.toml; exec 3< gone.toml; rm gone.toml; QUIZ --answers /dev/fd/3",
    ] {
        let (code, out, err) = shell(script);
        assert!((code, err.as_str()) == (Some(0), "") && out.contains("fix passed"), "{script}: {out}{err}");
    }
    let (code, out, err) = shell("cat wrong.toml | QUIZ --answers /dev/stdin");
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.contains("/dev/stdin:4:8") && err.contains("has no line 9"), "{err}");
    let told = "error: the answers on `/dev/stdin` are longer than 8 MiB\n  \
                hint: split them: `--partition K/N` grades each part\n";
    let huge = shell("head -c 9000000 /dev/zero | QUIZ --answers /dev/stdin");
    assert_eq!(huge, (Some(2), String::new(), told.to_owned()));
}

#[cfg(unix)]
#[test]
fn a_file_that_never_ends_is_refused_at_once() {
    let home = Home::new();
    let mut all = String::new();
    for path in ["/dev/zero", "nowhere.toml"] {
        all += &quiz(&home, &["small", "--answers", path], "");
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_template_can_be_filled_in_and_handed_in() {
    let home = Home::new();
    let blank = quiz(&home, &["small", "fencing-tokens", "--blank"], "");
    insta::assert_snapshot!(blank);
    let body = blank.split_once('\n').unwrap().1.split_once("--- exit 0").unwrap().0;
    // As it is, every empty place is named.
    let empty = quiz(&home, &["--answers", "-"], body);
    assert!(empty.ends_with("2 errors\n--- exit 2\n"), "{empty}");
    let filled = body.replacen("line = 0", "line = 3", 1).replacen("line = 0", "line = 8\npoints = [1]", 1);
    let graded = quiz(&home, &["small", "fencing-tokens", "--answers", "-"], &filled);
    assert!(graded.ends_with("\n2 of 2 right (100 %), pass mark 100 %: passed\n--- exit 0\n"), "{graded}");
    let windows = quiz(&home, &["small", "fencing-tokens", "--answers", "-"], &filled.replace('\n', "\r\n"));
    assert_eq!(graded, windows);
    // Every shipped question fits into one file of answers.
    let everything = quiz(&home, &["--blank"], "");
    let body =
        everything.split_once('\n').unwrap().1.split_once("--- exit 0").unwrap().0.replace("line = 0", "line = 1");
    let graded = quiz(&home, &["--answers", "-"], &body);
    assert!(graded.ends_with("--- exit 1\n") && !graded.contains("missing "), "{graded}");
}

/// What can be filled in is said, and nothing else: a part without a question passes as it is.
#[test]
fn a_template_for_an_empty_part_says_so_and_passes() {
    let home = Home::new();
    // The hash of `fixture/small` puts it into one of the two.
    let parts = ["1/2", "2/2"].map(|part| (part, quiz(&home, &["small", "--blank", "--partition", part], "")));
    let (part, blank) = parts.iter().find(|(_, blank)| !blank.contains("[[answer]]")).unwrap();
    let body = blank.split_once('\n').unwrap().1.split_once("--- exit 0").unwrap().0;
    assert_eq!(
        body,
        "# There is nothing to answer: no question falls into this part. Handed in as it is, this file passes.\n\nformat = 1\n"
    );
    let graded = quiz(&home, &["small", "--partition", part, "--answers", "-"], body);
    assert!(graded.contains(&format!("\nNothing was asked: no question falls into part {part}.\n")), "{graded}");
    assert!(graded.ends_with("--- exit 0\n"), "{graded}");
}

#[test]
fn a_template_too_large_to_hand_in_is_not_printed() {
    let home = Home::new();
    let small = include_str!("../fixtures/small.toml");
    for n in 0..1_001 {
        home.write(&format!("packs/fixture/q{n}.toml"), small.replace("id = \"small\"", &format!("id = \"q{n}\"")));
    }
    let session = quiz(&home, &["--blank"], "");
    let count = fencepost::content::load::load(&[]).unwrap().questions.len() + 1_002;
    let said = format!(
        "$ fencepost --content packs quiz --blank\n--- stderr\nerror: {count} questions are more than one file of answers can \
         hold\n  hint: ask for fewer: `--limit`, `--partition`, or name the questions\n--- exit 2\n"
    );
    assert_eq!(session, said);
}

#[test]
fn selections_of_questions() {
    let home = Home::new();
    home.write("none.toml", "format = 1\n");
    let names = |args: &[&str]| -> Vec<String> {
        let session = quiz(&home, &[args, &["--answers", "none.toml", "--format", "json"]].concat(), "");
        let body = session.split_once('\n').unwrap().1.split_once("--- exit").unwrap().0;
        let value: serde_json::Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{session}"));
        let questions = value["questions"].as_array().unwrap();
        questions.iter().map(|question| question["question"].as_str().unwrap().to_owned()).collect()
    };
    let all = names(&[]);
    let topic = names(&["--topic", "distributed-systems"]);
    assert!(topic.contains(&"leases/fencing-tokens".to_owned()) && topic.len() < all.len(), "{topic:?}");
    assert_eq!(topic, names(&["--topic", "Distributed systems"]));
    let junior = names(&["--level", "junior"]);
    assert!(junior.contains(&"fixture/small".to_owned()) && junior.len() < all.len(), "{junior:?}");
    assert_eq!(names(&["small", "fencing-tokens", "small"]), ["fixture/small", "leases/fencing-tokens"]);

    // Parts are disjoint and complete, and in the order of the whole.
    let parts: Vec<Vec<String>> = (1..=3).map(|k| names(&["--partition", &format!("{k}/3")])).collect();
    let mut together: Vec<String> = parts.concat();
    assert_eq!(together.len(), all.len());
    together.sort();
    let mut sorted = all.clone();
    sorted.sort();
    assert_eq!(together, sorted);

    // A seed decides the order of whatever is selected, however it was named.
    let few = ["small", "fencing-tokens", "late-binding-closure", "averaged-percentiles"];
    let reversed: Vec<&str> = few.iter().rev().copied().collect();
    let seeded = names(&[&few[..], &["--seed", "7"]].concat());
    assert_eq!(seeded, names(&[&reversed[..], &["--seed", "7"]].concat()));
    assert_eq!(names(&[&few[..], &["--seed", "7", "--limit", "2"]].concat()), seeded[..2]);
    insta::assert_debug_snapshot!(seeded);
}

#[test]
fn selections_that_make_no_sense() {
    let home = Home::new();
    let mut all = String::new();
    for args in [
        &["--topic", "distributed-system"][..],
        &["--topic", "gardening"],
        &["--topic", "gardening", "fencing-token", "--topic", "pyton", "no\nsuch", "small"],
        &["small", "--level", "staff"],
        &["small", "--topic", "distributed-systems", "--topic", "concurrency"],
        &["--topic", "python", "--level", "staff"],
        &["--limit", "0"],
        &["--limit", "-1"],
        &["--limit", "99999999999999999999"],
        &["--seed", "-1"],
        &["--seed", "1.5"],
        &["--level", "expert"],
        &["--partition", "4/3"],
        &["--partition", "-1/3"],
        &["--pass-mark", "101"],
        &["--pass-mark", "-5"],
        &["--weights", "line=0"],
        &["--blank", "--answers", "-"],
        &["--blank", "--format", "json", "--pass-mark", "50", "--weights", "fix=1"],
        &["--serve-stdio", "--blank"],
        &["--serve-stdio", "--answers", "-", "--format", "tap", "--weights", "fix=1", "--pass-mark", "50"],
        &["small"],
    ] {
        all += &quiz(&home, args, "");
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

/// The schema of answers says what the reader says.
#[test]
fn the_schema_of_answers_agrees_with_their_reader() {
    let home = Home::new();
    let whole = |line: &str| format!("{{\"question\": \"small\", {line}}}\n");
    for line in ["\"line\": 3", "\"lines\": [2, 3]", "\"fix\": \"x\"", "\"points\": [1]", "\"line\": 3, \"format\": 1"]
    {
        let value = serde_json::from_str(&whole(line)).unwrap();
        assert_fits("quiz-answers.schema.json", &value);
        let code = quiz(&home, &["small", "--answers", "-"], &whole(line));
        assert!(!code.ends_with("--- exit 2\n"), "{code}");
    }
    let schema = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/quiz-answers.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    for line in [
        "\"lines\": []",
        "\"line\": 0",
        "\"line\": \"3\"",
        "\"lines\": [3, 3]",
        "\"line\": 3, \"lines\": [3]",
        "\"fix\": \"x\", \"fix_file\": \"y\"",
        "\"Line\": 3",
        "\"format\": 1",
        "\"line\": 3, \"format\": 2",
    ] {
        assert!(!validator.is_valid(&serde_json::from_str(&whole(line)).unwrap()), "{line}");
        let code = quiz(&home, &["small", "--answers", "-"], &whole(line));
        assert!(code.ends_with("--- exit 2\n"), "{code}");
    }
    let toml: toml::Value = toml::from_str("format = 1\n[[answer]]\nquestion = \"small\"\nline = 3\n").unwrap();
    assert_fits("quiz-answers.schema.json", &serde_json::to_value(toml).unwrap());
}

/// A quiz over all questions shows by its exit code that one cannot be read.
#[test]
fn a_quiz_over_all_questions_is_incomplete_where_one_cannot_be_read() {
    let home = Home::new();
    home.write("packs/pack/broken.toml", "x = [\n");
    let exit = |args: &[&str]| {
        let session = quiz(&home, args, "format = 1\n");
        session.rsplit_once("--- ").unwrap().1.trim().to_owned()
    };
    assert_eq!(exit(&["--answers", "-"]), "exit 3");
    assert_eq!(exit(&["--answers", "-", "--pass-mark", "0"]), "exit 3");
    assert_eq!(exit(&["small", "--answers", "-"]), "exit 1");
    assert_eq!(exit(&["--blank"]), "exit 3");
    assert_eq!(exit(&["small", "--blank"]), "exit 0");
    // Every question that cannot be asked is listed; an unknown one is a mistake of the command line.
    assert_eq!(exit(&["broken", "--blank"]), "exit 3");
    assert_eq!(exit(&["broken", "nothing", "--blank"]), "exit 2");
}
