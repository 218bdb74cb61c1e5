//! Every format of a report carries the same facts: one rich quiz, read back from each.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tap_parser::{TapParser, TapStatement};

use crate::command::Home;
use crate::script_reports::{assert_fits, junit_output};

/// Right with a fix that passes and points; wrong with a later pick that is right and a fix that fails and writes to both
/// streams; no line and a fix that never ends; a line alone where a fix counts; a fix that tampers.
const ANSWERS: &str = r#"{"question": "small", "lines": [3, 5], "fix": "def total(numbers):\n    return sum(numbers)\n", "points": [2]}
{"question": "fencing-tokens", "lines": [6, 8], "fix": "import sys\nprint('<a>')\nprint('b', file=sys.stderr)\nprint('c')\nclass It:\n    def __eq__(self, it): return True\nraise ValueError('no')\n", "points": [1, 4]}
{"question": "tax-by-region", "fix": "while True:\n    pass\n"}
{"question": "slow-dashboard", "line": 1}
{"question": "mail-queue", "line": 1, "fix": "import gc\n"}
"#;

const ASKED: &str = "--content packs quiz small fencing-tokens tax-by-region slow-dashboard mail-queue \
                     --answers answers.jsonl --seed 7 --partition 1/1 --pass-mark 40";

/// Facts by their paths: those of the whole quiz begin with `quiz`, the others with a question and its part.
type Facts = BTreeMap<String, Value>;

fn report(home: &Home, weights: &str, format: &str) -> String {
    home.write("answers.jsonl", ANSWERS);
    let (code, report, said) = home.output(&format!("{ASKED} --weights {weights} --format {format}"));
    assert_eq!((code, said.as_str()), (Some(1), ""));
    report
}

fn fields(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().unwrap().iter()
}

/// Adds a fact. A running time differs from run to run; its presence does not.
fn add(facts: &mut Facts, path: String, value: Value) {
    let value = if path.ends_with(" wall_ms") { json!(value.is_number()) } else { value };
    assert_eq!(facts.insert(path.clone(), value), None, "{path} twice");
}

fn add_question(facts: &mut Facts, question: &Value) {
    let name = question["question"].as_str().unwrap();
    for (key, value) in
        fields(question).filter(|(key, _)| !["event", "question", "line", "fix"].contains(&key.as_str()))
    {
        add(facts, format!("{name} line {key}"), value.clone());
    }
    for part in ["line", "fix"].into_iter().filter(|part| !question[part].is_null()) {
        for (key, value) in fields(&question[part]) {
            add(facts, format!("{name} {part} {key}"), value.clone());
        }
    }
}

fn in_json(text: &str) -> Facts {
    let whole: Value = serde_json::from_str(text).unwrap();
    assert_fits("quiz-report.schema.json", &whole);
    let mut facts = Facts::new();
    for (key, value) in fields(&whole).filter(|(key, _)| *key != "questions") {
        add(&mut facts, format!("quiz {key}"), value.clone());
    }
    whole["questions"].as_array().unwrap().iter().for_each(|question| add_question(&mut facts, question));
    facts
}

fn in_json_lines(text: &str) -> Facts {
    let mut facts = Facts::new();
    for event in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        assert_fits("quiz-events.schema.json", &event);
        if event["event"] == "graded" {
            add_question(&mut facts, &event);
            continue;
        }
        for (key, value) in fields(&event).filter(|(key, _)| *key != "event") {
            // How many are asked stands at both ends.
            if let Some(earlier) = facts.remove(&format!("quiz {key}")) {
                assert_eq!((key.as_str(), &earlier), ("asked", value));
            }
            add(&mut facts, format!("quiz {key}"), value.clone());
        }
    }
    facts
}

/// The value of a property, which says nothing of its type.
fn typed(text: &str, wanted: Option<&Value>) -> Value {
    match wanted {
        Some(Value::String(_)) => text.into(),
        _ if text.is_empty() => Value::Null,
        _ => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
    }
}

fn in_junit(text: &str, wanted: &Facts) -> Facts {
    let mut facts = Facts::new();
    let suites = junit_parser::from_reader(text.as_bytes()).unwrap();
    let mut outputs = junit_output(text).into_iter();
    for suite in &suites.suites {
        for (name, value) in &suite.properties.vec {
            let path = match name.split_once('.').unwrap() {
                ("quiz", key) => format!("quiz {key}"),
                // In the other formats they stand with the line.
                ("question", key) => format!("{} line {key}", suite.name),
                (part, key) => format!("{} {part} {key}", suite.name),
            };
            let value = typed(value, wanted.get(&path));
            let value = if path.ends_with(" wall_ms") { json!(value.is_number()) } else { value };
            // What is of the whole quiz stands in each suite.
            match facts.insert(path.clone(), value.clone()) {
                Some(earlier) if name.starts_with("quiz.") => assert_eq!(earlier, value, "{name}"),
                earlier => assert_eq!(earlier, None, "{path} twice"),
            }
        }
        for case in &suite.cases {
            // The reader puts the class before the name.
            let (question, part) = (&suite.name, case.name.rsplit("::").next().unwrap());
            // Where a program ran, there are elements for its output.
            if facts.contains_key(&format!("{question} {part} program")) {
                for (name, text) in ["stdout", "stderr"].into_iter().zip(outputs.next().unwrap()) {
                    add(&mut facts, format!("{question} {part} {name}"), json!(text));
                }
            }
        }
    }
    facts
}

fn in_tap(text: &str) -> Facts {
    let mut facts = Facts::new();
    for statement in TapParser::new().parse(text).unwrap() {
        let TapStatement::TestPoint(point) = statement else { continue };
        for line in &point.yaml {
            let (name, value) = line.trim().split_once(": ").unwrap();
            let value = serde_json::from_str(value).unwrap();
            add(&mut facts, format!("{} {name}", point.desc.unwrap()), value);
        }
    }
    facts.extend(of_the_quiz_in_tap(text));
    facts
}

fn of_the_quiz_in_tap(text: &str) -> Facts {
    let mut facts = Facts::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("# quiz.")) {
        let (name, value) = line.split_once(": ").unwrap();
        add(&mut facts, format!("quiz {name}"), serde_json::from_str(value).unwrap());
    }
    facts
}

#[test]
fn every_format_for_programs_has_every_fact() {
    let home = Home::new();
    for weights in ["line=1,fix=2", "line=1,fix=0"] {
        let wanted = in_json(&report(&home, weights, "json"));
        for path in ["quiz weights", "quiz right", "fixture/small fix text", "python/tax-by-region fix wall_ms"] {
            assert!(wanted.contains_key(path), "{path}");
        }
        // A fix that is missing is told where it counts, and only there.
        let missing = wanted.iter().find(|(path, _)| path.ends_with("/slow-dashboard fix result"));
        assert_eq!(missing.map(|(_, word)| word), (weights == "line=1,fix=2").then_some(&json!("missing")));
        assert_eq!(in_json_lines(&report(&home, weights, "jsonl")), wanted);
        assert_eq!(in_junit(&report(&home, weights, "junit"), &wanted), wanted);
        assert_eq!(in_tap(&report(&home, weights, "tap")), wanted);
    }
}

/// Each format reports an empty part, and why it is empty.
#[test]
fn every_format_says_why_nothing_was_asked() {
    let home = Home::new();
    home.write("answers.jsonl", "{\"question\": \"small\", \"line\": 2}\n");
    let report = |part: &str, format: &str| {
        home.stdout(&format!("--content packs quiz small --partition {part} --answers answers.jsonl --format {format}"))
    };
    let parts = (1..=2).map(|k| format!("{k}/2"));
    let part = parts.into_iter().find(|part| report(part, "json").contains("\"asked\": 0")).unwrap();
    let wanted = in_json(&report(&part, "json"));
    let why = format!("no question falls into part {part}");
    assert_eq!(wanted["quiz why_empty"], json!(why));
    assert_eq!(in_json_lines(&report(&part, "jsonl")), wanted);
    assert_eq!(in_junit(&report(&part, "junit"), &wanted), wanted);
    let tap = report(&part, "tap");
    assert!(tap.contains(&format!("1..0 # SKIP {why}\n")), "{tap}");
    assert_eq!(of_the_quiz_in_tap(&tap), wanted);
    assert!(report(&part, "text").contains(&format!("Nothing was asked: {why}.")));
}

/// The report as text says every fact in words.
#[test]
fn the_text_says_every_fact() {
    let home = Home::new();
    for weights in ["line=1,fix=2", "line=1,fix=0"] {
        let wanted = in_json(&report(&home, weights, "json"));
        let text = report(&home, weights, "text");
        for (path, value) in &wanted {
            let words: Vec<&str> = path.split(' ').collect();
            let (place, sentences) = match words[..] {
                ["quiz", key] => (text.rsplit_once("\n\n").unwrap().1, of_the_quiz(key, value, weights)),
                [question, "line", key] => (block(&text, question), of_a_line(key, value)),
                [question, _, key] => (block(&text, question), of_a_fix(key, value)),
                _ => panic!("{path}"),
            };
            let place = without_breaks(place);
            for sentence in sentences {
                assert!(place.contains(&without_breaks(&sentence)), "{path}: `{sentence}` is not in {place}");
            }
        }
        let marks = |question: &str| -> Vec<String> {
            let lines = block(&text, question).lines().filter_map(|line| line.trim().split_once(" | "));
            lines
                .filter(|(mark, _)| mark.starts_with("std"))
                .map(|(mark, line)| format!("{mark} {line}"))
                .take(3)
                .collect()
        };
        assert_eq!(marks("leases/fencing-tokens"), ["stdout <a>", "stderr b", "stdout c"]);
    }
}

/// The part of the page on one question.
fn block<'a>(text: &'a str, question: &str) -> &'a str {
    let start = text.find(&format!("  {question}: ")).unwrap_or_else(|| panic!("no {question} in {text}"));
    let start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let next = text[start..].match_indices('\n').find(|(at, _)| !text[start + at + 1..].starts_with("  "));
    &text[start..start + next.unwrap().0]
}

fn without_breaks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn of_the_quiz(key: &str, value: &Value, weights: &str) -> Vec<String> {
    match key {
        // Its wording is no format.
        "format" => vec![],
        "passed" => vec![if value == true { "%: passed".into() } else { "%: not passed".into() }],
        // With these weights the score is the number of right lines.
        "score" | "of" if weights == "line=1,fix=0" => vec![],
        "score" => vec![format!("score {value} of")],
        "of" => vec![format!("of {value} (")],
        "percent" => vec![format!("({value} %)")],
        "right" => vec![format!("{value} of")],
        "asked" => vec![format!("of {value} right")],
        "suspicious" => {
            if value == true {
                vec!["suspicious".into()]
            } else {
                vec![]
            }
        }
        "pass_mark" => vec![format!("pass mark {value} %")],
        "weights" => vec![format!("Weights line={},fix={}", value["line"], value["fix"])],
        "lenient" => {
            if value == true {
                vec!["; lenient".into()]
            } else {
                vec![]
            }
        }
        "seed" => vec![format!("seed {value}")],
        "partition" => vec![format!("part {}", value.as_str().unwrap())],
        // A mistake is told in a report on answers with one: `script_lenient`.
        "problems" => vec![],
        // The reports of an empty part have a test of their own.
        "why_empty" => value.as_str().map(str::to_owned).into_iter().collect(),
        _ => panic!("no words for {key}"),
    }
}

fn of_a_line(key: &str, value: &Value) -> Vec<String> {
    let all = |value: &Value, words: &dyn Fn(&Value) -> String| value.as_array().unwrap().iter().map(words).collect();
    match (key, value) {
        ("chosen", Value::Null) => vec!["no line".into()],
        (_, Value::Null) => vec![],
        ("suspicious", suspicious) => {
            if suspicious == true {
                vec!["suspicious: ".into()]
            } else {
                vec![]
            }
        }
        ("result" | "why", text) => vec![text.as_str().unwrap().into()],
        ("chosen", line) => vec![format!("line {line}")],
        ("code", code) => vec![format!("| {}", code.as_str().unwrap())],
        ("picks", picks) if picks.as_array().unwrap().len() > 1 => {
            vec![format!("line {}, then {}", picks[0], picks[1])]
        }
        ("picks", _) => vec![],
        ("accepted", lines) => all(lines, &|line| format!("line {line}")),
        ("score", score) => vec![format!("score {score} of")],
        ("of", of) => vec![format!(" of {of}")],
        ("points", points) => {
            let covered: Vec<String> =
                all(&points["covered"], &|point| format!("{}. {}", point["point"], point["text"].as_str().unwrap()));
            [covered, vec![format!("of {} points", points["of"])]].concat()
        }
        _ => panic!("no words for {key}"),
    }
}

fn of_a_fix(key: &str, value: &Value) -> Vec<String> {
    let lines =
        |mark: &str| value.as_str().unwrap_or_default().lines().map(|line| format!("{mark} | {line}")).collect();
    match key {
        "result" => vec![format!("fix {}", value.as_str().unwrap())],
        "passed" => vec![if value == true { "fix passed".into() } else { "fix ".into() }],
        "counted" => vec![if value == true { "fix ".into() } else { "not counted".into() }],
        "text" => lines("fix"),
        "program" => vec![format!("{} |", value.as_str().unwrap())],
        "verdict" => vec![format!("({}: ", value.as_str().unwrap().replace('_', " "))],
        "detail" => vec![value.as_str().unwrap().into()],
        "stdout" => lines("stdout"),
        "stderr" => lines("stderr"),
        // The order has a test of its own.
        "output" => vec![],
        "checks" => {
            let check = |check: &Value| {
                let word = |key: &str| check[key].as_str().unwrap().to_owned();
                [format!("{}: {}", word("result"), word("name")), word("message")]
            };
            value.as_array().unwrap().iter().flat_map(check).collect()
        }
        "wall_ms" => vec!["ran for ".into()],
        "overloads" => value.as_array().unwrap().iter().map(|name| format!("`{}`", name.as_str().unwrap())).collect(),
        "engine" => {
            ["name", "version", "python", "sandbox"].map(|key| value[key].as_str().unwrap().to_owned()).to_vec()
        }
        _ => panic!("no words for {key}"),
    }
}
