//! `quiz merge`: the reports of all parts make the report on the whole.

use serde_json::{Value, json};

use crate::command::Home;
use crate::script_reports::FORMATS;

/// Answers to questions of several parts, with fixes of every outcome, points, and two mistakes.
const ANSWERS: &str = r#"{"question": "small", "lines": [3, 5], "fix": "def total(numbers):\n    return sum(numbers)\n", "points": [2]}
{"question": "fencing-tokens", "lines": [6, 8], "fix": "import sys\nprint('a')\nprint('b', file=sys.stderr)\nraise ValueError('no')\n"}
{"question": "late-binding-closure", "line": 14}
{"question": "averaged-percentiles", "line": 99}
{"question": "no-such-question", "line": 1}
{"question": "ack-before-work", "line": 1, "fix": "import os\nos._exit(3)\n"}
"#;

const QUIZ: [&str; 7] = ["--content", "packs", "quiz", "--lenient", "--no-times", "--weights", "line=1,fix=2"];

type Ended = (String, String, Option<i32>);

fn ended(home: &Home, args: &[&str]) -> Ended {
    let output = home.command(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code())
}

/// Grades `answers` in `parts` parts and writes each report into a file.
fn graded(home: &Home, answers: &str, parts: usize, more: &[&str]) -> Vec<String> {
    let part = |part: usize| {
        let partition = format!("{part}/{parts}");
        let args = ["--answers", answers, "--partition", &partition];
        let (report, said, code) = ended(home, &[&QUIZ[..], &args, more].concat());
        assert!(code == Some(0) || code == Some(1), "{said}");
        let name = format!("part-{part}.json");
        home.write(&name, report);
        name
    };
    (1..=parts).map(part).collect()
}

fn merged(home: &Home, parts: &[String], format: &str) -> Ended {
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    ended(home, &[&["quiz", "merge", "--format", format], &parts[..]].concat())
}

/// In every format, with and without a seed, and below and above the pass mark.
#[test]
fn the_parts_of_a_report_make_the_whole() {
    let home = Home::new();
    home.write("answers.jsonl", ANSWERS);
    for more in [&["--pass-mark", "5"][..], &["--seed", "7"]] {
        let parts = graded(&home, "answers.jsonl", 3, &[more, &["--format", "json"]].concat());
        for format in FORMATS {
            let whole = ["--answers", "answers.jsonl", "--format", format];
            let (mut report, said, code) = ended(&home, &[&QUIZ[..], &whole, more].concat());
            if format == "csv" {
                // A report does not say whose it is.
                report = report.replacen("\nanswers,answers.jsonl,", "\n,,", 1);
            }
            let expected = if more[0] == "--seed" { Some(1) } else { Some(0) };
            assert_eq!((code, said.as_str()), (expected, ""));
            // In the order of the files, whatever that is.
            let turned = [&parts[1..], &parts[..1]].concat();
            assert_eq!(merged(&home, &turned, format), (report, said, code), "{format} {more:?}");
        }
    }
}

/// Learner by learner: graded, in part, not at all, absent, and not on the roster.
#[test]
fn the_parts_of_a_table_make_the_whole() {
    let home = Home::new();
    home.write("class/ada.jsonl", ANSWERS);
    home.write("class/bob.toml", "format = 1\n[[answer]]\nquestion = \"fencing-tokens\"\nline = 8\n");
    home.write("class/cut.toml", "format = ");
    home.write("class/eve.jsonl", "{\"question\": \"late-binding-closure\", \"line\": 14}\n");
    home.write("roster.txt", "ada\nbob\ncut\ndan\n");
    for more in [&[][..], &["--seed", "7", "--pass-mark", "0"]] {
        let more = [&["--roster", "roster.txt"], more].concat();
        let parts = graded(&home, "class", 4, &more);
        for format in ["jsonl", "csv"] {
            let whole = ended(&home, &[&QUIZ[..], &["--answers", "class", "--format", format], &more].concat());
            assert_eq!(whole.2, Some(1));
            assert_eq!(merged(&home, &parts, format), whole, "{format} {more:?}");
        }
    }
}

/// A report, changed at some places.
fn changed(report: &str, changes: &[(&str, Value)]) -> String {
    let mut report: Value = serde_json::from_str(report).unwrap();
    for (pointer, value) in changes {
        *report.pointer_mut(pointer).unwrap() = value.clone();
    }
    report.to_string()
}

#[test]
fn parts_that_are_not_one_quiz_are_refused_with_each_reason() {
    let home = Home::new();
    home.write("a.jsonl", "{\"question\": \"small\", \"line\": 3}\n");
    home.write("class/ada.jsonl", "{\"question\": \"small\", \"line\": 3}\n");
    home.write("class/bob.jsonl", "{\"question\": \"small\", \"line\": 3}\n");
    let report = |of: &str| {
        let args = ["--content", "packs", "quiz", "small", "--answers", of, "--no-times", "--partition"];
        // The hash of `fixture/small` puts it into one of the two.
        let parts = ["1/2", "2/2"].map(|part| {
            let format = if of == "class" { "jsonl" } else { "json" };
            ended(&home, &[&args[..], &[part, "--format", format]].concat()).0
        });
        let [one, two] = parts;
        if one.contains("\"question\"") { [one, two] } else { [two, one] }
    };
    let [full, empty] = report("a.jsonl");
    let [full_table, empty_table] = report("class");
    let write = |name: &str, text: &str| {
        home.write(name, text);
    };
    write("full.json", &full);
    write("empty.json", &empty);
    write("again.json", &full);
    write(
        "terms.json",
        &changed(
            &empty,
            &[("/pass_mark", json!(50)), ("/weights/fix", json!(2)), ("/lenient", json!(true)), ("/seed", json!(7))],
        ),
    );
    write("third.json", &changed(&full, &[("/partition", json!("3/5"))]));
    write("far.json", &changed(&full, &[("/partition", json!("1/18446744073709551615"))]));
    write("whole.json", &changed(&full, &[("/partition", Value::Null)]));
    let questions = serde_json::from_str::<Value>(&full).unwrap()["questions"].clone();
    write("double.json", &changed(&empty, &[("/questions", questions)]));
    write("table.jsonl", &full_table);
    write("other.jsonl", &empty_table);
    write("short.jsonl", empty_table.lines().next().unwrap());
    write("events.jsonl", "{\"event\":\"started\",\"format\":1}\n");
    write("format.json", &changed(&full, &[("/format", json!(2))]));
    write("verdict.json", &changed(&full, &[("/questions/0/line/result", json!("perhaps"))]));
    let fix =
        json!({"result": "passed", "passed": true, "counted": true, "text": "x", "program": "fix", "verdict": "won"});
    write("fix.json", &changed(&full, &[("/questions/0/fix", fix)]));
    write("mark.json", &changed(&full, &[("/pass_mark", json!(101))]));
    write("name.json", &changed(&full, &[("/questions/0/question", json!("a/b\nnot ok 1 - c"))]));
    write(
        "most.json",
        &changed(&full, &[("/score", json!(u64::MAX)), ("/of", json!(u64::MAX)), ("/asked", json!(u64::MAX))]),
    );
    write("two.json", &format!("{full}{full}"));
    write("cut.json", &full[..full.len() / 2]);
    write("nothing.json", "");
    write("list.json", "[1]");
    let mut all = String::new();
    for files in [
        &["full.json"][..],
        &["full.json", "empty.json", "again.json"],
        &["full.json", "terms.json"],
        &["full.json", "third.json"],
        &["third.json"],
        &["far.json"],
        &["whole.json", "empty.json"],
        &["full.json", "double.json"],
        &["full.json", "table.jsonl"],
        &["table.jsonl", "short.jsonl"],
        &["table.jsonl", "other.jsonl", "table.jsonl"],
        &[
            "events.jsonl",
            "format.json",
            "verdict.json",
            "fix.json",
            "mark.json",
            "name.json",
            "two.json",
            "cut.json",
            "nothing.json",
            "list.json",
            "nowhere.json",
        ],
        &["--format", "junit", "table.jsonl", "other.jsonl"],
        &[],
    ] {
        let session = home.run(&[&["quiz", "merge"], files].concat());
        assert!(session.ends_with("--- exit 2\n"), "{session}");
        all += &session;
        all.push('\n');
    }
    insta::assert_snapshot!(all);
    // Sums end where numbers end.
    let (report, said, code) = ended(&home, &["quiz", "merge", "most.json", "empty.json"]);
    assert!(report.ends_with(" (100 %), pass mark 100 %: passed\n"), "{report}");
    assert_eq!((code, said.as_str()), (Some(0), ""));
}

/// A question may be called as the command is.
#[test]
fn the_command_hides_no_question() {
    let home = Home::new();
    let (_, said, code) = ended(&home, &["quiz", "--content", "packs", "merge", "a.json"]);
    let told = "error: `merge` is a command only right behind `quiz`, and no question is called so\n  hint: write `fencepost \
                quiz merge FILE...`, and other options before `quiz` or behind the files\n";
    assert_eq!((said.as_str(), code), (told, Some(2)));
    let small = include_str!("../fixtures/small.toml");
    home.write("packs/fixture/merge.toml", small.replace("id = \"small\"", "id = \"merge\""));
    home.write("a.jsonl", "{\"question\": \"merge\", \"line\": 3}\n");
    for args in [&["fixture/merge", "--answers", "a.jsonl"][..], &["--answers", "a.jsonl", "merge"]] {
        let (report, _, code) = ended(&home, &[&["--content", "packs", "quiz"], args].concat());
        assert!(report.starts_with("right    fixture/merge: line 3;"), "{report}");
        assert_eq!(code, Some(0));
    }
}
