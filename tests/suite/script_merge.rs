//! `quiz merge`: the reports of all parts make the report on the whole.

use serde_json::{Value, json};

use crate::cases::each;
use crate::command::{Home, sessions};
use crate::script_reports::FORMATS;

/// Answers to questions of several parts, with fixes of every outcome, points, and two mistakes.
const ANSWERS: &str = r#"{"question": "small", "lines": [3, 5], "fix": "def total(numbers):\n    return sum(numbers)\n", "points": [2]}
{"question": "fencing-tokens", "lines": [6, 8], "fix": "import sys\nprint('a')\nprint('b', file=sys.stderr)\nraise ValueError('no')\n"}
{"question": "tax-by-region", "line": 13}
{"question": "slow-dashboard", "line": 99}
{"question": "no-such-question", "line": 1}
{"question": "mail-queue", "line": 1, "fix": "import os\nos._exit(3)\n"}
"#;

const QUIZ: &str = "--content packs quiz --lenient --no-times --weights line=1,fix=2";

/// Grades `answers` in `parts` parts and writes each report into a file.
fn graded(home: &Home, answers: &str, parts: usize, more: &str) -> Vec<String> {
    let part = |part: usize| {
        let args = format!("{QUIZ} --answers {answers} --partition {part}/{parts} {more}");
        let (code, report, said) = home.output(&args);
        assert!(code == Some(0) || code == Some(1), "{said}");
        let name = format!("part-{part}.json");
        home.write(&name, report);
        name
    };
    (1..=parts).map(part).collect()
}

fn merged(home: &Home, parts: &[String], format: &str) -> (Option<i32>, String, String) {
    home.output(&format!("quiz merge --format {format} {}", parts.join(" ")))
}

/// In every format, with and without a seed, and below and above the pass mark.
#[test]
fn the_parts_of_a_report_make_the_whole() {
    let home = Home::new();
    home.write("answers.jsonl", ANSWERS);
    each([("--pass-mark 5", Some(0)), ("--seed 7", Some(1))], |(more, expected)| {
        let parts = graded(&home, "answers.jsonl", 3, &format!("{more} --format json"));
        for format in FORMATS {
            let whole = format!("{QUIZ} --answers answers.jsonl --format {format} {more}");
            let (code, mut report, said) = home.output(&whole);
            if format == "csv" {
                // A report does not say whose it is.
                report = report.replacen("\nanswers,answers.jsonl,", "\n,,", 1);
            }
            assert_eq!((code, said.as_str()), (expected, ""));
            // In the order of the files, whatever that is.
            let turned = [&parts[1..], &parts[..1]].concat();
            assert_eq!(merged(&home, &turned, format), (code, report, said), "{format} {more}");
        }
    });
}

/// Learner by learner: graded, in part, not at all, absent, and not on the roster.
#[test]
fn the_parts_of_a_table_make_the_whole() {
    let home = Home::new();
    home.write("class/ada.jsonl", ANSWERS);
    home.write("class/bob.toml", "format = 1\n[[answer]]\nquestion = \"fencing-tokens\"\nline = 8\n");
    home.write("class/cut.toml", "format = ");
    home.write("class/eve.jsonl", "{\"question\": \"tax-by-region\", \"line\": 13}\n");
    home.write("roster.txt", "ada\nbob\ncut\ndan\n");
    each(["--roster roster.txt", "--roster roster.txt --seed 7 --pass-mark 0"], |more| {
        let parts = graded(&home, "class", 4, more);
        for format in ["jsonl", "csv"] {
            let whole = home.output(&format!("{QUIZ} --answers class --format {format} {more}"));
            assert_eq!(whole.0, Some(1));
            assert_eq!(merged(&home, &parts, format), whole, "{format} {more}");
        }
    });
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
        // The hash of `fixture/small` puts it into one of the two.
        let parts = ["1/2", "2/2"].map(|part| {
            let format = if of == "class" { "jsonl" } else { "json" };
            home.stdout(&format!(
                "--content packs quiz small --answers {of} --no-times --partition {part} --format {format}"
            ))
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
    sessions!(home, @"
    $ fencepost quiz merge full.json
    --- stderr
    error: part 2/2 is missing
      hint: name the reports of every part from `--partition 1/N` to `N/N`, each once
    --- exit 2

    $ fencepost quiz merge full.json empty.json again.json
    --- stderr
    error: part 1/2 is there twice: `full.json` and `again.json`
      hint: name the reports of every part from `--partition 1/N` to `N/N`, each once
    --- exit 2

    $ fencepost quiz merge full.json terms.json
    --- stderr
    error: `terms.json` has the weights line=1,fix=2, and `full.json` has the weights line=1,fix=0
        `terms.json` has the pass mark 50 %, and `full.json` has the pass mark 100 %
        `terms.json` has `--lenient`, and `full.json` has no `--lenient`
        `terms.json` has the seed 7, and `full.json` has no seed
      hint: name the reports of every part from `--partition 1/N` to `N/N`, each once
    --- exit 2

    $ fencepost quiz merge full.json third.json
    --- stderr
    error: `third.json` is one of 5 parts, and `full.json` one of 2
        part 2/2 is missing
      hint: name the reports of every part from `--partition 1/N` to `N/N`, each once
    --- exit 2

    $ fencepost quiz merge third.json
    --- stderr
    error: the parts 1/5, 2/5, 4/5 and 5/5 are missing
      hint: name the reports of every part from `--partition 1/N` to `N/N`, each once
    --- exit 2

    $ fencepost quiz merge far.json
    --- stderr
    error: 18446744073709551614 parts are missing, such as 2/18446744073709551615, 3/18446744073709551615, 4/18446744073709551615, 5/18446744073709551615, 6/18446744073709551615, 7/18446744073709551615, 8/18446744073709551615, 9/18446744073709551615, 10/18446744073709551615 and 11/18446744073709551615
      hint: name the reports of every part from `--partition 1/N` to `N/N`, each once
    --- exit 2

    $ fencepost quiz merge whole.json empty.json
    --- stderr
    error: `whole.json` is the report on a whole quiz, not on a part
        part 1/2 is missing
      hint: name the reports of every part from `--partition 1/N` to `N/N`, each once
    --- exit 2

    $ fencepost quiz merge full.json double.json
    --- stderr
    error: `fixture/small` is there twice: in `full.json` and in `double.json`
      hint: name the reports of every part from `--partition 1/N` to `N/N`, each once
    --- exit 2

    $ fencepost quiz merge full.json table.jsonl
    --- stderr
    error: `full.json` is a report on one learner, and `table.jsonl` is a table
      hint: name the reports of every part from `--partition 1/N` to `N/N`, each once
    --- exit 2

    $ fencepost quiz merge table.jsonl short.jsonl
    --- stderr
    error: `bob` has a row in `table.jsonl`, but none in `short.jsonl`
      hint: name the reports of every part from `--partition 1/N` to `N/N`, each once
    --- exit 2

    $ fencepost quiz merge table.jsonl other.jsonl table.jsonl
    --- stderr
    error: part 1/2 is there twice: `table.jsonl` and `table.jsonl`
      hint: name the reports of every part from `--partition 1/N` to `N/N`, each once
    --- exit 2

    $ fencepost quiz merge events.jsonl format.json verdict.json fix.json mark.json name.json two.json cut.json nothing.json list.json nowhere.json
    --- stderr
    error: `events.jsonl` holds the events of a report; use `--format json`
        `format.json` is in format 2, and this fencepost reads format 1
        `verdict.json` is not a report: unknown variant `perhaps`, expected one of `right`, `wrong`, `missing`
        `fix.json` does not say how the fix for `fixture/small` ran
        `mark.json` is not a report: a pass mark is at most 100
        `name.json` has a question with an invisible character in its name: `a/b␊not ok 1 - c`
        `two.json` has more than one report
        `cut.json` is not valid JSON: EOF while parsing a value at line 24 column 21
        `nothing.json` is empty
        `list.json` is not a report: it has no `format`
        cannot read `nowhere.json`: No such file or directory (os error 2): check the name and the permissions
      hint: a part is the output of `fencepost quiz --format json`, or of a folder of answers
    --- exit 2

    $ fencepost quiz merge --format junit table.jsonl other.jsonl
    --- stderr
    error: answers of several learners become a table in JSON lines or CSV, not a report in this format
      hint: leave `--format` out, write `--format csv`, or grade one file
    --- exit 2

    $ fencepost quiz merge
    --- stderr
    error: the following required arguments were not provided:
      <FILE>...

    Usage: fencepost quiz merge <FILE>...

    For more information, try '--help'.
    --- exit 2
    ");
    // Sums end where numbers end.
    let (code, report, said) = home.output("quiz merge most.json empty.json");
    assert!(report.ends_with(" (100 %), pass mark 100 %: passed\n"), "{report}");
    assert_eq!((code, said.as_str()), (Some(0), ""));
}

/// A question may be called as the command is.
#[test]
fn the_command_hides_no_question() {
    let home = Home::new();
    let (code, _, said) = home.output("quiz --content packs merge a.json");
    let told = "error: `merge` is a command only right behind `quiz`, and no question is called so\n  hint: write `fencepost \
                quiz merge FILE...`, and other options before `quiz` or behind the files\n";
    assert_eq!((said.as_str(), code), (told, Some(2)));
    home.write_question("merge", &[]);
    home.write("a.jsonl", "{\"question\": \"merge\", \"line\": 3}\n");
    each(["fixture/merge --answers a.jsonl", "--answers a.jsonl merge"], |args| {
        let (code, report, _) = home.output(&format!("--content packs quiz {args}"));
        assert!(report.starts_with("right    fixture/merge: line 3;"), "{report}");
        assert_eq!(code, Some(0));
    });
}
