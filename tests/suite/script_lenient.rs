//! `--lenient`: a mistake costs the entry that it is in.

use serde_json::{Value, json};

use crate::cases::each;
use crate::command::{Home, sessions};
use crate::script_reports::{FORMATS, assert_fits};

const ASKED: &str = "--content packs quiz small fencing-tokens tax-by-region --no-times";

/// Two right answers, in TOML and in JSON lines.
const RIGHT_TOML: &str =
    "[[answer]]\nquestion = \"small\"\nline = 3\n\n[[answer]]\nquestion = \"tax-by-region\"\nline = 13\n";
const RIGHT_JSON: &str = "{\"question\": \"small\", \"line\": 3}\n{\"question\": \"tax-by-region\", \"line\": 13}\n";

/// The row of `ada`, whose file is called `name` and has this `text`.
fn row(home: &Home, name: &str, text: &str, more: &str) -> Value {
    let class = home.path().join("class");
    let _ = std::fs::remove_dir_all(&class);
    home.write(&format!("class/{name}"), text);
    home.write("class/ada/big.py", "#".repeat(70_000));
    home.write("class/ada/latin1.py", b"# caf\xe9\n");
    let row: Value = serde_json::from_str(&home.stdout(&format!("{ASKED} --answers class {more}"))).unwrap();
    assert_fits("quiz-table.schema.json", &row);
    row
}

/// The results of the three lines, in the order of the questions.
fn results(row: &Value) -> Vec<String> {
    let questions = row["questions"].as_array().unwrap();
    questions.iter().map(|question| question["line"]["result"].as_str().unwrap().to_owned()).collect()
}

/// Each mistake costs its entry and nothing else, and is reported as without the flag.
#[track_caller]
fn costs_its_entry(name: &str, text: &str, codes: &[&str]) {
    let home = Home::new();
    let strict = row(&home, name, text, "");
    let lenient = row(&home, name, text, "--lenient");
    assert_eq!((&strict["questions"], &strict["score"]), (&json!([]), &json!(0)), "{text}");
    assert_eq!(lenient["problems"], strict["problems"], "{text}");
    let told: Vec<&str> =
        lenient["problems"].as_array().unwrap().iter().map(|problem| problem["code"].as_str().unwrap()).collect();
    assert_eq!(told, codes, "{text}");
    assert_eq!(results(&lenient), ["right", "missing", "right"], "{text}");
    let total = ["passed", "score", "of", "percent", "right", "asked"].map(|key| lenient[key].clone());
    assert_eq!(json!(total), json!([false, 2, 3, 66, 2, 3]), "{text}");
    // One file says the same.
    let (code, report, _) = home.output(&format!("{ASKED} --answers class/{name} --lenient --format json"));
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_fits("quiz-report.schema.json", &report);
    assert_eq!((&report["questions"], code), (&lenient["questions"], Some(1)), "{text}");
    assert_eq!(report["problems"].as_array().unwrap().len(), codes.len(), "{text}");
}

#[test]
fn every_mistake_in_a_table_costs_that_table() {
    let slip = |entry: &str| {
        let (before, after) = RIGHT_TOML.split_once("\n\n").unwrap();
        format!("format = 1\n{before}\n\n[[answer]]\n{entry}\n\n{after}")
    };
    each(
        [
            ("question = \"fencing-tokenz\"\nline = 8", &["unknown_question"][..]),
            ("question = \"fencing-tokens\"\nline = 99", &["line_outside"]),
            ("question = \"fencing-tokens\"\nline = 0", &["line_outside"]),
            ("question = \"fencing-tokens\"\nlines = [8, 8]", &["duplicate_line"]),
            ("question = \"fencing-tokens\"\nlines = []", &["empty"]),
            ("question = \"fencing-tokens\"\nline = 8\nfixes = ''", &["unknown_key"]),
            ("question = \"fencing-tokens\"\nline = \"8\"", &["wrong_type"]),
            ("question = \"fencing-tokens\"\nline = 8\nlines = [7]", &["bad_value"]),
            ("question = \"fencing-tokens\"", &["missing_key"]),
            ("line = 8", &["missing_key"]),
            ("question = 8\nline = 8", &["wrong_type"]),
            ("question = \"fencing-tokens\"\nline = 8\npoints = [99]", &["bad_value"]),
            ("question = \"fencing-tokens\"\nline = 8\nfix = ' '", &["empty"]),
            ("question = \"fencing-tokens\"\nline = 8\nfix_file = \"ada/none.py\"", &["unreadable"]),
            ("question = \"fencing-tokens\"\nline = 8\nfix_file = \"ada/big.py\"", &["too_large"]),
            ("question = \"fencing-tokens\"\nline = 8\nfix_file = \"ada/latin1.py\"", &["not_utf8"]),
            ("question = \"fencing-tokens\"\nline = 8\nfix_file = \"../ada.py\"", &["link_outside"]),
        ],
        |(entry, codes)| {
            costs_its_entry("ada.toml", &slip(entry), codes);
        },
    );
}

#[test]
fn every_mistake_in_a_line_of_json_costs_that_line() {
    each(
        [
            (r#"{"question": "fencing-tokenz", "line": 8}"#, &["unknown_question"][..]),
            (r#"{"question": "fencing-tokens", "line": 99}"#, &["line_outside"]),
            (r#"{"question": "fencing-tokens", "line": "8"}"#, &["wrong_type"]),
            (r#"{"question": "fencing-tokens", "line": 8, "Fix": 1}"#, &["unknown_key"]),
            (r#"{"question": "fencing-tokens"}"#, &["missing_key"]),
            (r#"{"line": 8}"#, &["missing_key"]),
            (r#"{"question": "fencing-tokens", "line": 8, "format": 2}"#, &["format"]),
            (r#"{"question": "fencing-tokens", "line": 8, "fix_file": "ada/none.py"}"#, &["unreadable"]),
            (r#"{"question": "fencing-tokens", "line": 8, "line": 8}"#, &["syntax"]),
            (r#"{"question": "fencing-tokens", "line": 8"#, &["syntax"]),
            (r#"["fencing-tokens", 8]"#, &["wrong_type"]),
            ("8", &["wrong_type"]),
            ("fencing-tokens: line 8", &["syntax"]),
        ],
        |(line, codes)| {
            let (before, after) = RIGHT_JSON.split_once('\n').unwrap();
            costs_its_entry("ada.jsonl", &format!("{before}\n{line}\n{after}"), codes);
        },
    );
}

/// A mistake in the syntax of TOML costs the table that it is in, wherever that table stands.
#[test]
fn broken_syntax_costs_the_table_that_it_is_in() {
    let home = Home::new();
    let tables = [("small", 3), ("fencing-tokens", 8), ("tax-by-region", 13)];
    for slip in [
        "line = \n",
        "line = 3 4\n",
        "line = 3\nline = 3\n",
        "line : 3\n",
        "line = 3\nfix = \"no end\n",
        "line = 3\nfix = '''\nno end\n",
        "line = 3\nfix = '''x'''''''\n",
    ] {
        for broken in 0..3 {
            let mut text = "format = 1\n".to_owned();
            for (index, (question, line)) in tables.iter().enumerate() {
                text += &format!("\n[[answer]]\nquestion = \"{question}\"\n");
                text += &if index == broken { slip.to_owned() } else { format!("line = {line}\n") };
            }
            let row = row(&home, "ada.toml", &text, "--lenient");
            let expected = [0, 1, 2].map(|index| if index == broken { "missing" } else { "right" });
            assert_eq!(results(&row), expected, "{text}");
            assert_eq!(row["problems"][0]["code"], "syntax", "{text}");
        }
    }
    // So does a header that lacks a bracket.
    each(["[answer]", "[[answer]", "[answer]]"], |header| {
        let (before, after) = RIGHT_TOML.split_once("\n\n").unwrap();
        let text = format!("format = 1\n{before}\n{header}\nquestion = \"fencing-tokens\"\nline = 8\n{after}");
        assert_eq!(results(&row(&home, "ada.toml", &text, "--lenient")), ["right", "missing", "right"], "{text}");
    });
    // A table without a mistake in its syntax is looked through as ever.
    let text = "format = 1\n[[answer]]\nquestion = \"small\"\nline =\n[[answer]]\nline = 8\n";
    let codes: Vec<Value> = row(&home, "ada.toml", text, "--lenient")["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["code"].clone())
        .collect();
    assert_eq!(codes, ["syntax", "missing_key"]);
}

#[test]
fn the_first_entry_is_the_answer_also_where_it_has_a_mistake() {
    let home = Home::new();
    let lines = |first: u32, second: u32| {
        let line = |line: u32| format!("{{\"question\": \"small\", \"line\": {line}}}\n");
        let row = row(&home, "ada.jsonl", &(line(first) + &line(second)), "--lenient");
        let codes: Vec<String> =
            row["problems"].as_array().unwrap().iter().map(|it| it["code"].as_str().unwrap().to_owned()).collect();
        (results(&row)[0].clone(), codes.join(" "))
    };
    assert_eq!(lines(3, 2), ("right".to_owned(), "duplicate_answer".to_owned()));
    assert_eq!(lines(2, 3), ("wrong".to_owned(), "duplicate_answer".to_owned()));
    assert_eq!(lines(99, 3), ("missing".to_owned(), "line_outside duplicate_answer".to_owned()));
}

/// Mistakes outside of the entries are reported and cost nothing.
#[test]
fn mistakes_outside_of_entries_cost_nothing() {
    let home = Home::new();
    each(
        [("", "missing_key"), ("format = 1\nname = \"Ada\"\n", "unknown_key"), ("format = \"1\"\n", "wrong_type")],
        |(head, code)| {
            let row = row(&home, "ada.toml", &format!("{head}{RIGHT_TOML}"), "--lenient");
            assert_eq!(results(&row), ["right", "missing", "right"], "{head}");
            assert_eq!(row["problems"][0]["code"], code, "{head}");
        },
    );
}

/// A file that has no entries is refused as a whole: in a folder with a row, alone with exit code 2.
#[test]
fn a_file_without_entries_is_refused_as_a_whole() {
    let home = Home::new();
    let many = "{\"question\": \"small\", \"line\": 3}\n".repeat(1_001);
    each(
        [
            ("ada.toml", "Dear teacher, the answer is 3.\n", "syntax"),
            ("ada.toml", &format!("format 1\n{RIGHT_TOML}"), "syntax"),
            ("ada.toml", &format!("format = 2\n{RIGHT_TOML}"), "format"),
            ("ada.toml", "format = 1\nanswer = 3\n", "wrong_type"),
            ("ada.jsonl", "{\"question\": \"small\"", "syntax"),
            ("ada.json", "[{\"question\": \"small\", \"line\": 3}]\n", "wrong_type"),
            ("ada.jsonl", &many, "too_large"),
            ("ada.toml", "\0", "control_character"),
        ],
        |(name, text, code)| {
            let mut strict = row(&home, name, text, "");
            strict["lenient"] = true.into();
            let lenient = row(&home, name, text, "--lenient");
            assert_eq!(lenient, strict, "{text}");
            assert_eq!(
                (&lenient["questions"], lenient["problems"].to_string().contains(code)),
                (&json!([]), true),
                "{text}"
            );
            let (code, report, said) = home.output(&format!("{ASKED} --answers class/{name} --lenient"));
            assert_eq!((code, report.as_str()), (Some(2), ""), "{text}");
            assert!(said.starts_with("error"), "{text}");
        },
    );
}

/// Also of what comes from standard input.
#[test]
fn every_format_lists_what_was_not_graded() {
    let home = Home::new();
    let answers = format!("{RIGHT_JSON}{{\"question\": \"fencing-tokens\", \"line\": 99}}\n");
    each(FORMATS, |format| {
        let answers = std::fs::File::open(home.write("answers.jsonl", &answers)).unwrap();
        let output =
            home.command(&format!("{ASKED} --answers - --lenient --format {format}")).stdin(answers).output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(1), &b""[..]));
        let body = std::str::from_utf8(&output.stdout).unwrap();
        let place = "line_outside, line 3, column 1: `leases/fencing-tokens` has no line 99";
        let problem = json!([{
            "code": "line_outside",
            "line": 3,
            "column": 1,
            "message": "`leases/fencing-tokens` has no line 99: the program has 15 lines",
            "hint": "lines are counted from 1, as `fencepost show` numbers them",
        }]);
        let found = match format {
            "json" => serde_json::from_str::<Value>(body).unwrap()["problems"] == problem,
            "jsonl" => {
                let started: Value = serde_json::from_str(body.lines().next().unwrap()).unwrap();
                assert_fits("quiz-events.schema.json", &started);
                started["problems"] == problem
            }
            "junit" => {
                let suites = junit_parser::from_reader(body.as_bytes()).unwrap().suites;
                let property =
                    |name: &str| suites[0].properties.vec.iter().find(|(key, _)| key == name).unwrap().1.clone();
                serde_json::from_str::<Value>(&property("quiz.problems")).unwrap() == problem
            }
            "tap" => body.contains(&format!("\n# quiz.problems: {problem}\n")),
            "csv" => body.contains(",1,\"line_outside, line 3, column 1: ") || body.contains(&format!(",1,{place}")),
            _ => body.contains(
                "\nNot graded:\n         line_outside, line 3, column 1: `leases/fencing-tokens` has no line 99:\n",
            ),
        };
        assert!(found, "{format}: {body}");
    });
}

#[test]
fn flags_without_effect_are_refused() {
    sessions!(Home::new().with("a.toml", "format = 1\n").with("roster.txt", "ada\n"), @"
    $ fencepost --content packs quiz small --lenient
    --- stderr
    error: `--lenient` has no effect without `--answers`: a terminal asks again after a mistake
      hint: omit it, or name the answers with `--answers`
    --- exit 2

    $ fencepost --content packs quiz small --roster roster.txt
    --- stderr
    error: `--roster` has no effect without a folder of answers: it lists learners without a file there
      hint: omit it, or name the folder with `--answers`
    --- exit 2

    $ fencepost --content packs quiz small --roster roster.txt --answers a.toml
    --- stderr
    error: `--roster` has no effect without a folder of answers: it lists learners without a file there
      hint: omit it, or name the folder with `--answers`
    --- exit 2

    $ fencepost --content packs quiz small --blank --lenient --no-times --roster roster.txt
    --- stderr
    error: `--lenient` has no effect with `--blank`: nothing is graded yet; use it when the answers are
        `--no-times` has no effect with `--blank`: nothing is graded yet; use it when the answers are
        `--roster` has no effect with `--blank`: nothing is handed in yet; name it when the answers are graded
      hint: omit `--lenient`, `--no-times` and `--roster`, or omit `--blank`
    --- exit 2

    $ fencepost --content packs quiz small --serve-stdio --lenient --no-times --roster roster.txt
    --- stderr
    error: `--lenient` has no effect with `--serve-stdio`: a mistake costs only its own request
        `--no-times` has no effect with `--serve-stdio`: each reply has the running time
        `--roster` has no effect with `--serve-stdio`: a session has one learner
      hint: omit `--lenient`, `--no-times` and `--roster`, or omit `--serve-stdio`
    --- exit 2
    ");
}
