//! The formats of a report: the same facts and the same exit code in each, read by parsers that others wrote.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tap_parser::{DirectiveKind, TapParser, TapStatement, TapTest};

use crate::command::Home;

pub(crate) const FORMATS: [&str; 6] = ["text", "json", "jsonl", "junit", "tap", "csv"];

/// Wrong with a second pick that is right, a fix that fails in every way at once, and points.
const MIXED: &str = r#"{"question": "small", "line": 3, "fix": "def total(numbers):\n    return sum(numbers)\n\nprint('<fine> & \"well\"')\n"}
{"question": "fencing-tokens", "lines": [6, 8], "fix": "import sys\nprint('half # of \\\\ it')\nprint('\\x1b[2J \\u202e ]]>', file=sys.stderr)\nraise ValueError('no')\n", "points": [1, 4]}
"#;

const ASKED: [&str; 7] = ["--content", "packs", "quiz", "small", "fencing-tokens", "late-binding-closure", "--weights"];

fn report<'a>(home: &Home, weights: &'a str, mark: &'a str, format: &'a str) -> (String, String, Option<i32>) {
    home.write("answers.jsonl", MIXED);
    let rest = [weights, "--pass-mark", mark, "--answers", "answers.jsonl", "--format", format];
    let output = home.command(&[&ASKED[..], &rest].concat()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code())
}

fn json_report(home: &Home, weights: &str, mark: &str) -> Value {
    serde_json::from_str(&report(home, weights, mark, "json").0).unwrap()
}

pub(crate) fn schema(name: &str) -> jsonschema::Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name);
    let schema = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

#[track_caller]
pub(crate) fn assert_fits(name: &str, value: &Value) {
    let validator = schema(name);
    let problems: Vec<String> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path)).collect();
    assert_eq!(problems, <[String; 0]>::default(), "{value:#}");
}

#[test]
fn every_format_of_one_quiz() {
    let home = Home::new();
    home.write("answers.jsonl", MIXED);
    for format in FORMATS {
        let rest = ["line=1,fix=2", "--answers", "answers.jsonl", "--format", format];
        insta::assert_snapshot!(format!("report-{format}"), home.run(&[&ASKED[..], &rest].concat()));
    }
}

#[test]
fn every_format_ends_with_the_same_exit_code() {
    let home = Home::new();
    for (weights, mark, expected) in
        [("line=1,fix=2", "100", 1), ("line=1,fix=2", "33", 0), ("line=1,fix=2", "34", 1), ("fix=1", "0", 0)]
    {
        for format in FORMATS {
            let (_, stderr, code) = report(&home, weights, mark, format);
            assert_eq!((code, stderr.as_str()), (Some(expected), ""), "{weights} {mark} {format}");
        }
    }
}

#[test]
fn json_fits_its_schema_and_the_events_add_up_to_it() {
    let home = Home::new();
    let whole = json_report(&home, "line=1,fix=2", "50");
    assert_fits("quiz-report.schema.json", &whole);
    let events: Vec<Value> = report(&home, "line=1,fix=2", "50", "jsonl")
        .0
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for event in &events {
        assert_fits("quiz-events.schema.json", event);
    }
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(names, ["started", "graded", "graded", "graded", "finished"]);
    for (event, question) in events[1..4].iter().zip(whole["questions"].as_array().unwrap()) {
        assert_eq!(steady(without(event, "event")), steady(question.clone()));
    }
    for key in ["passed", "score", "of", "percent", "right", "asked"] {
        assert_eq!(events[4][key], whole[key], "{key}");
    }
    assert_eq!(events[0]["problems"], whole["problems"]);
}

/// The document of `run` has the same object for a run, in every mode.
#[test]
fn runs_in_json_fit_their_schema() {
    let home = Home::new();
    home.write("fix.py", "def total(numbers):\n    return sum(numbers)\n");
    for args in [
        &["run", "small", "--file", "fix.py"][..],
        &["run", "small", "--trace"],
        &["run", "fencing-tokens", "--scenario"],
        &["run", "fencing-tokens"],
    ] {
        let output = home.command(&[&["--content", "packs"], args, &["--format", "json"]].concat()).output().unwrap();
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_fits("run.schema.json", &document);
        let mut wrong = document;
        wrong["runs"][0]["program"] = json!("file");
        assert!(!schema("run.schema.json").is_valid(&wrong));
    }
}

fn without(value: &Value, key: &str) -> Value {
    let mut value = value.clone();
    value.as_object_mut().unwrap().shift_remove(key);
    value
}

/// The same without the time that the program took.
fn steady(mut value: Value) -> Value {
    if let Some(fix) = value.get_mut("fix").and_then(Value::as_object_mut) {
        fix.insert("wall_ms".to_owned(), json!(0));
    }
    value
}

/// Output of each case that has some, with its references resolved: the foreign reader drops those outside of attributes.
pub(crate) fn junit_output(xml: &str) -> Vec<[String; 2]> {
    let inside = |case: &str, name: &str| {
        let (_, rest) = case.split_once(&format!("<{name}>"))?;
        let (text, _) = rest.split_once(&format!("</{name}>"))?;
        let signs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#x9;", "\t"), ("&amp;", "&")];
        Some(signs.iter().fold(text.to_owned(), |text, (reference, sign)| text.replace(reference, sign)))
    };
    let of_case = |case| Some([inside(case, "system-out")?, inside(case, "system-err")?]);
    xml.split("<testcase ").filter_map(of_case).collect()
}

#[test]
fn a_foreign_reader_finds_the_facts_in_junit() {
    let home = Home::new();
    let whole = json_report(&home, "line=1,fix=2", "100");
    let xml = report(&home, "line=1,fix=2", "100", "junit").0;
    let suites = junit_parser::from_reader(xml.as_bytes()).unwrap();
    assert_eq!((suites.tests, suites.failures, suites.errors), (6, 4, 0));
    let mut outputs = junit_output(&xml).into_iter();
    for (suite, question) in suites.suites.iter().zip(whole["questions"].as_array().unwrap()) {
        assert_eq!(suite.name, question["question"].as_str().unwrap());
        let line = &suite.cases[0];
        let property = |name: &str| -> String {
            let found = suite.properties.vec.iter().find(|(key, _)| key == name);
            found.unwrap_or_else(|| panic!("no {name} in {suite:?}")).1.clone()
        };
        // Jenkins groups by what stands before the last dot.
        assert_eq!(line.classname.as_deref(), Some(&*suite.name.replace('/', ".")));
        assert_eq!(property("line.why"), question["line"]["why"].as_str().unwrap());
        assert_eq!(property("line.accepted"), question["line"]["accepted"].to_string());
        assert_eq!(line.status.is_success(), question["line"]["result"] == "right");
        let fix = &suite.cases[1];
        assert_eq!(property("fix.result"), question["fix"]["result"].as_str().unwrap());
        if question["fix"]["text"].is_null() {
            continue;
        }
        assert_eq!(fix.status.is_success(), question["fix"]["passed"] == true);
        assert_eq!(property("fix.text"), question["fix"]["text"].as_str().unwrap());
        assert_eq!(property("fix.checks"), question["fix"]["checks"].to_string());
        let [stdout, written] = outputs.next().unwrap();
        assert_eq!(stdout, question["fix"]["stdout"]);
        assert_eq!(serde_json::from_str::<Value>(&property("fix.output")).unwrap(), question["fix"]["output"]);
        // What a terminal would obey is shown in the elements.
        let stderr = question["fix"]["stderr"].as_str().unwrap().replace('\u{1b}', "␛").replace('\u{202e}', "<U+202E>");
        assert_eq!(written, stderr);
    }
}

fn tap_points(text: &str) -> Vec<TapTest<'_>> {
    let statements = TapParser::new().parse(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let plans = statements.iter().filter_map(|statement| match statement {
        TapStatement::Plan(plan) => Some(plan.count),
        _ => None,
    });
    let plans: Vec<usize> = plans.collect();
    let points: Vec<TapTest<'_>> = statements
        .into_iter()
        .filter_map(|statement| match statement {
            TapStatement::TestPoint(point) => Some(point),
            _ => None,
        })
        .collect();
    assert_eq!(plans, [points.len()]);
    points
}

#[test]
fn a_foreign_reader_finds_the_facts_in_tap() {
    let home = Home::new();
    let whole = json_report(&home, "line=1,fix=2", "100");
    let text = report(&home, "line=1,fix=2", "100", "tap").0;
    let points = tap_points(&text);
    let fact = |point: &TapTest<'_>, name: &str| -> Value {
        let found = point.yaml.iter().find_map(|line| line.trim().strip_prefix(&format!("{name}: ")));
        serde_json::from_str(found.unwrap_or_else(|| panic!("no {name} in {point:?}"))).unwrap()
    };
    for (pair, question) in points.chunks(2).zip(whole["questions"].as_array().unwrap()) {
        let name = question["question"].as_str().unwrap();
        assert_eq!((pair[0].desc, pair[1].desc), (Some(&*format!("{name} line")), Some(&*format!("{name} fix"))));
        for key in ["result", "chosen", "code", "picks", "accepted", "why"] {
            assert_eq!(fact(&pair[0], key), question["line"][key], "{key}");
        }
        assert_eq!(pair[0].result, question["line"]["result"] == "right");
        assert_eq!(pair[1].result, question["fix"]["passed"] == true);
        if question["fix"]["text"].is_string() {
            for key in ["text", "verdict", "detail", "stdout", "stderr", "output", "checks", "engine"] {
                assert_eq!(fact(&pair[1], key), question["fix"][key], "{key}");
            }
        }
    }
}

#[test]
fn a_part_that_does_not_count_is_not_a_failure() {
    let home = Home::new();
    let tap = report(&home, "line=1", "100", "tap").0;
    let kinds: Vec<(bool, bool)> = tap_points(&tap)
        .iter()
        .map(|point| (point.result, matches!(&point.directive, Some(it) if it.kind == DirectiveKind::Todo)))
        .collect();
    // Line and fix of small, line and fix of fencing-tokens, line of late-binding-closure.
    assert_eq!(kinds, [(true, false), (true, false), (false, false), (false, true), (false, false)]);
    let xml = report(&home, "line=1", "100", "junit").0;
    let suites = junit_parser::from_reader(xml.as_bytes()).unwrap();
    let skipped: u64 = suites.suites.iter().map(|suite| suite.skipped).sum();
    assert_eq!((suites.tests, suites.failures, skipped), (5, 2, 1));
}

/// Perl's own reader, where there is one.
#[test]
fn perl_reads_the_tap() {
    let home = Home::new();
    const READ: &str = r#"
use TAP::Parser;
my $parser = TAP::Parser->new({ tap => join('', <STDIN>) });
while (my $result = $parser->next) { print STDERR $result->as_string, "\n" if $result->is_unknown }
# Older ones know version 13 and complain about the number alone.
my @errors = grep { !/^TAP specified version 14 but/ } $parser->parse_errors;
print join(' ', $parser->tests_run, scalar($parser->passed), scalar($parser->todo), @errors), "\n";
"#;
    for (weights, expected) in [("line=1,fix=2", "6 2 0\n"), ("line=1", "5 3 1\n")] {
        let tap = report(&home, weights, "100", "tap").0;
        let mut command = Command::new("perl");
        let spawned = command.args(["-e", READ]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = match spawned.spawn() {
            Ok(child) => child,
            Err(error) => return eprintln!("skipped: there is no perl to read the TAP with ({error})"),
        };
        child.stdin.take().unwrap().write_all(tap.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        if said.contains("Can't locate TAP/Parser.pm") {
            return eprintln!("skipped: this perl has no TAP::Parser");
        }
        assert_eq!((String::from_utf8_lossy(&output.stdout).as_ref(), said.as_ref()), (expected, ""), "{tap}");
    }
}

/// What goes wrong has its own exit code, also the same in every format, and leaves no half of a report.
#[test]
fn every_format_fails_alike() {
    let home = Home::new();
    home.write("answers.jsonl", MIXED);
    home.write("wrong.jsonl", "{\"question\": \"smal\", \"line\": 3}\n");
    for format in FORMATS {
        let wrong = ["--content", "packs", "quiz", "small", "--answers", "wrong.jsonl", "--format", format];
        let unread = ["--content", "nowhere", "quiz", "--answers", "answers.jsonl", "--format", format];
        for (args, expected) in [(&wrong[..], 2), (&unread, 3)] {
            let output = home.command(args).output().unwrap();
            assert_eq!((output.status.code(), output.stdout.len()), (Some(expected), 0), "{format}");
            assert!(output.stderr.starts_with(b"error"), "{format}");
        }
        #[cfg(target_os = "linux")]
        {
            let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
            let args = ["quiz", "fencing-tokens", "--answers", "full.jsonl", "--format", format];
            home.write("full.jsonl", "{\"question\": \"fencing-tokens\", \"line\": 8}\n");
            let output = home.command(&args).stdout(full).stderr(Stdio::piped()).output().unwrap();
            assert_eq!(output.status.code(), Some(4), "{format}");
            assert!(output.stderr.starts_with(b"error: cannot write to standard output"), "{format}");
        }
    }
}

/// No byte of a report commands the terminal that it is printed on.
#[test]
fn no_format_lets_a_program_command_the_terminal() {
    let home = Home::new();
    let obeyed = |c: &char| (c.is_control() && !['\n', '\t'].contains(c)) || ('\u{202a}'..='\u{202e}').contains(c);
    for format in FORMATS {
        let (text, _, _) = report(&home, "line=1,fix=2", "100", format);
        assert_eq!(text.chars().find(obeyed), None, "{format}: {text:?}");
    }
}

#[test]
fn an_empty_part_is_passed_in_every_format() {
    let home = Home::new();
    home.write("answers.jsonl", "{\"question\": \"small\", \"line\": 2}\n");
    let part = (1..=9).map(|k| format!("{k}/9")).find(|part| {
        let text = home.run(&format!("--content packs quiz small --partition {part} --answers answers.jsonl"));
        text.contains("Nothing was asked")
    });
    let part = part.unwrap();
    let mut all = String::new();
    for format in FORMATS {
        let args = ["quiz", "small", "--partition", &part, "--answers", "answers.jsonl", "--format", format];
        let session = home.run(&[&["--content", "packs"], &args[..]].concat());
        assert!(session.ends_with("--- exit 0\n"), "{session}");
        all += &session;
    }
    insta::assert_snapshot!(all);
}

#[test]
fn the_committed_schemas_are_made_from_the_types() {
    for (name, text) in fencepost::script::schema::schemas() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name);
        if std::env::var_os("FENCEPOST_WRITE_SCHEMAS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        assert!(
            std::fs::read_to_string(&path).unwrap_or_default() == text,
            "the types changed: run `FENCEPOST_WRITE_SCHEMAS=1 cargo test --locked --test suite schemas` and look at {name}"
        );
        jsonschema::meta::validate(&serde_json::from_str(&text).unwrap()).unwrap();
    }
}

#[test]
fn the_schema_refuses_wrong_reports() {
    let home = Home::new();
    let whole = json_report(&home, "line=1,fix=2", "50");
    let validator = schema("quiz-report.schema.json");
    assert!(validator.is_valid(&whole));
    for (pointer, value) in [
        ("/format", json!(2)),
        ("/score", json!(-1)),
        ("/questions/0/line/result", json!("perhaps")),
        ("/questions/0/line/chosen", json!(0)),
        ("/questions/0/fix/verdict", json!("won")),
        ("/questions/0/fix/output/0/stream", json!("stdin")),
        ("/questions/0/fix/checks/0/result", json!("fine")),
    ] {
        let mut changed = whole.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        assert!(!validator.is_valid(&changed), "{pointer}");
    }
    assert!(!validator.is_valid(&without(&whole, "percent")));
}

/// A right line beside a fix that tampers is worth nothing either.
#[test]
fn a_fix_that_tampers_scores_nothing_and_every_report_says_so() {
    let home = Home::new();
    let fix = "import sys\\nsys.excepthook.__globals__['checked'] = print\\n";
    home.write("answers.jsonl", format!("{{\"question\": \"small\", \"line\": 3, \"fix\": \"{fix}\"}}\n"));
    let how = ["--content", "packs", "quiz", "small", "--answers", "answers.jsonl", "--weights", "line=1,fix=2"];
    let report = |format: &str| {
        let output = home.command(&[&how[..], &["--format", format]].concat()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{format}");
        String::from_utf8(output.stdout).unwrap()
    };
    let whole: Value = serde_json::from_str(&report("json")).unwrap();
    let graded = &whole["questions"][0];
    let said = (&whole["suspicious"], &graded["suspicious"], &graded["score"], &graded["fix"]["verdict"]);
    assert_eq!(said, (&true.into(), &true.into(), &0.into(), &"tampered".into()));
    let detail = "uses `__globals__`, which can reach into the interpreter that checks it";
    assert_eq!(graded["fix"]["detail"], detail);
    for (format, words) in [
        ("text", "suspicious: the answer is worth nothing"),
        ("jsonl", r#""suspicious":true"#),
        ("junit", r#"<property name="question.suspicious" value="true"/>"#),
        ("tap", "suspicious: true"),
    ] {
        let report = report(format);
        assert!(report.contains(words) && report.contains("__globals__"), "{format}: {report}");
    }
    // Also where no fix counts, no format for programs calls it passed, skipped or still to be done.
    let uncounted = |format: &str| {
        let how = ["--content", "packs", "quiz", "small", "--answers", "answers.jsonl", "--format", format];
        String::from_utf8(home.command(&how).output().unwrap().stdout).unwrap()
    };
    let (junit, tap) = (uncounted("junit"), uncounted("tap"));
    assert!(junit.contains("failures=\"1\"") && !junit.contains("<skipped"), "{junit}");
    assert!(tap.contains("not ok 2") && !tap.contains("TODO"), "{tap}");
}
