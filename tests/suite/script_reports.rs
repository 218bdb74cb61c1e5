//! The formats of a report: the same facts and the same exit code in each, read by parsers that others wrote.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tap_parser::{DirectiveKind, TapParser, TapStatement, TapTest};

use crate::cases::each;
use crate::command::{Home, sessions};

pub(crate) const FORMATS: [&str; 6] = ["text", "json", "jsonl", "junit", "tap", "csv"];

/// Wrong with a second pick that is right, a fix that fails in every way at once, and points.
const MIXED: &str = r#"{"question": "small", "line": 3, "fix": "def total(numbers):\n    return sum(numbers)\n\nprint('<fine> & \"well\"')\n"}
{"question": "fencing-tokens", "lines": [6, 8], "fix": "import sys\nprint('half # of \\\\ it')\nprint('\\x1b[2J \\u202e ]]>', file=sys.stderr)\nraise ValueError('no')\n", "points": [1, 4]}
"#;

const ASKED: &str = "--content packs quiz small fencing-tokens tax-by-region --answers answers.jsonl";

fn report(home: &Home, weights: &str, mark: &str, format: &str) -> String {
    home.write("answers.jsonl", MIXED);
    home.stdout(&format!("{ASKED} --weights {weights} --pass-mark {mark} --format {format}"))
}

fn json_report(home: &Home, weights: &str, mark: &str) -> Value {
    serde_json::from_str(&report(home, weights, mark, "json")).unwrap()
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
    let home = Home::new().with("answers.jsonl", MIXED);
    sessions!(home, @r#"
    $ fencepost --content packs quiz small fencing-tokens tax-by-region --answers answers.jsonl --weights line=1,fix=2
    right    fixture/small: line 3; score 3 of 3
             line 3 | for i in range(len(numbers) - 1):
             `range` leaves out its end, so `len(numbers)` is already one past the
             last number.
             fix passed, 1 of 1 checks passed (finished: ran to its end; RustPython
             0.5.0, Python 3.14.0, sandbox full)
             ran for [time] ms
             passed: every number counts
             fix | def total(numbers):
             fix |     return sum(numbers)
             fix | 
             fix | print('<fine> & "well"')
             stdout | <fine> & "well"
    wrong    leases/fencing-tokens: line 6, then 8; the answer is line 8; score 0 of 3
             line 6 | fresh = token >= self.newest
             An equal token must pass, because one leader saves many reports with
             one token. For token 33 the result is `False`, and that is right.
             fix failed, 0 of 4 checks passed (raised: ValueError: no (line 4);
             RustPython 0.5.0, Python 3.14.0, sandbox full)
             ran for [time] ms
             error: an older token changes nothing, whatever came before: the
             program did not come to its check: ValueError: no (line 4)
             error: `save` returns True for the newest token and False for an older
             one: the program did not come to its check: ValueError: no (line 4)
             error: a leader can save as often as it likes: the program did not come
             to its check: ValueError: no (line 4)
             error: two stores remember their own tokens: the program did not come
             to its check: ValueError: no (line 4)
             fix | import sys
             fix | print('half # of \\ it')
             fix | print('\x1b[2J \u202e ]]>', file=sys.stderr)
             fix | raise ValueError('no')
             stdout | half # of \ it
             stderr | ␛[2J <U+202E> ]]>
             stderr | Traceback (most recent call last):
             stderr |   File "program.py", line 4, in <module>
             stderr |     raise ValueError('no')
             stderr | ValueError: no
             said 2 of 4 points: 1. A lease ends unless it is renewed; 4. The
             storage keeps the largest and refuses smaller ones
    missing  python/tax-by-region: no line; the answer is line 13; score 0 of 3
             A lambda keeps the variable `rate`, not the value that it had. It reads
             the variable when it is called. By then the loop has ended, and `rate`
             is 10, the rate of the east. Bind the value while the function is made:
             with `functools.partial(tax, rate)`, or with a default argument.
             fix missing: none was handed in

    Weights line=1,fix=2
    1 of 3 right, score 3 of 9 (33 %), pass mark 100 %: not passed
    --- exit 1

    $ fencepost --content packs quiz small fencing-tokens tax-by-region --answers answers.jsonl --weights line=1,fix=2 --format csv
    learner,file,handed_in,on_roster,passed,score,of,percent,right,asked,suspicious,to_look_at,problems,first_problem,fixture/small score,fixture/small line,fixture/small fix,leases/fencing-tokens score,leases/fencing-tokens line,leases/fencing-tokens fix,python/tax-by-region score,python/tax-by-region line,python/tax-by-region fix
    answers,answers.jsonl,true,,false,3,9,33,1,3,false,,0,,3,right,passed,0,wrong,failed,0,missing,missing
    --- exit 1
    "#);
    // These are too long for one screen.
    for format in ["json", "jsonl", "junit", "tap"] {
        let session = home.run(&format!("{ASKED} --weights line=1,fix=2 --format {format}"));
        insta::assert_snapshot!(format!("report-{format}"), session);
    }
}

#[test]
fn every_format_ends_with_the_same_exit_code() {
    let home = Home::new().with("answers.jsonl", MIXED);
    each(
        [("line=1,fix=2", "100", 1), ("line=1,fix=2", "33", 0), ("line=1,fix=2", "34", 1), ("fix=1", "0", 0)],
        |(weights, mark, expected)| {
            for format in FORMATS {
                let (code, _, said) =
                    home.output(&format!("{ASKED} --weights {weights} --pass-mark {mark} --format {format}"));
                assert_eq!((code, said.as_str()), (Some(expected), ""), "{weights} {mark} {format}");
            }
        },
    );
}

#[test]
fn json_fits_its_schema_and_the_events_add_up_to_it() {
    let home = Home::new();
    let whole = json_report(&home, "line=1,fix=2", "50");
    assert_fits("quiz-report.schema.json", &whole);
    let events: Vec<Value> =
        report(&home, "line=1,fix=2", "50", "jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
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
    each(["small --file fix.py", "small --trace", "fencing-tokens --scenario", "fencing-tokens"], |args| {
        let document = home.stdout(&format!("--content packs run {args} --format json"));
        let document: Value = serde_json::from_str(&document).unwrap();
        assert_fits("run.schema.json", &document);
        let mut wrong = document;
        wrong["runs"][0]["program"] = json!("file");
        assert!(!schema("run.schema.json").is_valid(&wrong));
    });
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
    let xml = report(&home, "line=1,fix=2", "100", "junit");
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
    let text = report(&home, "line=1,fix=2", "100", "tap");
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
    let tap = report(&home, "line=1", "100", "tap");
    let kinds: Vec<(bool, bool)> = tap_points(&tap)
        .iter()
        .map(|point| (point.result, matches!(&point.directive, Some(it) if it.kind == DirectiveKind::Todo)))
        .collect();
    // Line and fix of small, line and fix of fencing-tokens, line of tax-by-region.
    assert_eq!(kinds, [(true, false), (true, false), (false, false), (false, true), (false, false)]);
    let xml = report(&home, "line=1", "100", "junit");
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
        let tap = report(&home, weights, "100", "tap");
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

/// An error has its own exit code, the same in every format, and leaves no half of a report.
#[test]
fn every_format_fails_alike() {
    let home = Home::new();
    home.write("answers.jsonl", MIXED);
    home.write("wrong.jsonl", "{\"question\": \"smal\", \"line\": 3}\n");
    each(FORMATS, |format| {
        for (args, expected) in [
            ("--content packs quiz small --answers wrong.jsonl", 2),
            ("--content nowhere quiz --answers answers.jsonl", 3),
        ] {
            let (code, report, said) = home.output(&format!("{args} --format {format}"));
            assert_eq!((code, report.as_str()), (Some(expected), ""), "{format}");
            assert!(said.starts_with("error"), "{format}");
        }
        #[cfg(target_os = "linux")]
        {
            let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
            let args = format!("quiz fencing-tokens --answers full.jsonl --format {format}");
            home.write("full.jsonl", "{\"question\": \"fencing-tokens\", \"line\": 8}\n");
            let output = home.command(&args).stdout(full).stderr(Stdio::piped()).output().unwrap();
            assert_eq!(output.status.code(), Some(4), "{format}");
            assert!(output.stderr.starts_with(b"error: cannot write to standard output"), "{format}");
        }
    });
}

/// No byte of a report commands the terminal that it is printed on.
#[test]
fn no_format_lets_a_program_command_the_terminal() {
    let home = Home::new();
    let obeyed = |c: &char| (c.is_control() && !['\n', '\t'].contains(c)) || ('\u{202a}'..='\u{202e}').contains(c);
    each(FORMATS, |format| {
        let text = report(&home, "line=1,fix=2", "100", format);
        assert_eq!(text.chars().find(obeyed), None, "{format}: {text:?}");
    });
}

#[test]
fn an_empty_part_is_passed_in_every_format() {
    let home = Home::new();
    home.write("answers.jsonl", "{\"question\": \"small\", \"line\": 2}\n");
    let part = (1..=9).map(|k| format!("{k}/9")).find(|part| {
        let text = home.run(&format!("--content packs quiz small --partition {part} --answers answers.jsonl"));
        text.contains("Nothing was asked")
    });
    let args = format!("--content packs quiz small --partition {} --answers answers.jsonl", part.unwrap());
    let all = FORMATS.map(|format| home.run(&format!("{args} --format {format}"))).join("\n");
    insta::assert_snapshot!(all, @r#"
    $ fencepost --content packs quiz small --partition 1/9 --answers answers.jsonl --format text
    Nothing was asked: no question falls into part 1/9.
    Weights line=1,fix=0; part 1/9
    0 of 0 right (100 %), pass mark 100 %: passed
    --- exit 0

    $ fencepost --content packs quiz small --partition 1/9 --answers answers.jsonl --format json
    {
      "format": 1,
      "passed": true,
      "score": 0,
      "of": 0,
      "percent": 100,
      "right": 0,
      "asked": 0,
      "suspicious": false,
      "pass_mark": 100,
      "weights": {
        "line": 1,
        "fix": 0
      },
      "lenient": false,
      "seed": null,
      "partition": "1/9",
      "why_empty": "no question falls into part 1/9",
      "questions": [],
      "problems": []
    }
    --- exit 0

    $ fencepost --content packs quiz small --partition 1/9 --answers answers.jsonl --format jsonl
    {"event":"started","format":1,"asked":0,"pass_mark":100,"weights":{"line":1,"fix":0},"lenient":false,"seed":null,"partition":"1/9","why_empty":"no question falls into part 1/9","problems":[]}
    {"event":"finished","passed":true,"score":0,"of":0,"percent":100,"right":0,"asked":0,"suspicious":false}
    --- exit 0

    $ fencepost --content packs quiz small --partition 1/9 --answers answers.jsonl --format junit
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="fencepost quiz" tests="0" failures="0" errors="0" time="[time]">
        <testsuite name="fencepost quiz" tests="0" skipped="0" errors="0" failures="0" time="[time]">
            <properties>
                <property name="quiz.format" value="1"/>
                <property name="quiz.passed" value="true"/>
                <property name="quiz.score" value="0"/>
                <property name="quiz.of" value="0"/>
                <property name="quiz.percent" value="100"/>
                <property name="quiz.right" value="0"/>
                <property name="quiz.asked" value="0"/>
                <property name="quiz.suspicious" value="false"/>
                <property name="quiz.pass_mark" value="100"/>
                <property name="quiz.weights" value="{&quot;line&quot;:1,&quot;fix&quot;:0}"/>
                <property name="quiz.lenient" value="false"/>
                <property name="quiz.seed" value=""/>
                <property name="quiz.partition" value="1/9"/>
                <property name="quiz.why_empty" value="no question falls into part 1/9"/>
                <property name="quiz.problems" value="[]"/>
            </properties>
        </testsuite>
    </testsuites>
    --- exit 0

    $ fencepost --content packs quiz small --partition 1/9 --answers answers.jsonl --format tap
    TAP version 14
    1..0 # SKIP no question falls into part 1/9
    # fencepost quiz, format 1
    # quiz.format: 1
    # quiz.passed: true
    # quiz.score: 0
    # quiz.of: 0
    # quiz.percent: 100
    # quiz.right: 0
    # quiz.asked: 0
    # quiz.suspicious: false
    # quiz.pass_mark: 100
    # quiz.weights: {"line":1,"fix":0}
    # quiz.lenient: false
    # quiz.seed: null
    # quiz.partition: "1/9"
    # quiz.why_empty: "no question falls into part 1/9"
    # quiz.problems: []
    # score 0 of 0 (100 %), pass mark 100 %: passed
    --- exit 0

    $ fencepost --content packs quiz small --partition 1/9 --answers answers.jsonl --format csv
    learner,file,handed_in,on_roster,passed,score,of,percent,right,asked,suspicious,to_look_at,problems,first_problem
    answers,answers.jsonl,true,,true,0,0,100,0,0,false,,0,
    --- exit 0
    "#);
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
    each(
        [
            ("/format", json!(2)),
            ("/score", json!(-1)),
            ("/questions/0/line/result", json!("perhaps")),
            ("/questions/0/line/chosen", json!(0)),
            ("/questions/0/fix/verdict", json!("won")),
            ("/questions/0/fix/output/0/stream", json!("stdin")),
            ("/questions/0/fix/checks/0/result", json!("fine")),
        ],
        |(pointer, value)| {
            let mut changed = whole.clone();
            *changed.pointer_mut(pointer).unwrap() = value;
            assert!(!validator.is_valid(&changed), "{pointer}");
        },
    );
    assert!(!validator.is_valid(&without(&whole, "percent")));
}

/// A right line beside a fix that tampers is worth nothing either.
#[test]
fn a_fix_that_tampers_scores_nothing_and_every_report_says_so() {
    let home = Home::new();
    let fix = "import sys\\nsys.excepthook.__globals__['checked'] = print\\n";
    home.write("answers.jsonl", format!("{{\"question\": \"small\", \"line\": 3, \"fix\": \"{fix}\"}}\n"));
    let how = "--content packs quiz small --answers answers.jsonl";
    let report = |format: &str| {
        let (code, report, _) = home.output(&format!("{how} --weights line=1,fix=2 --format {format}"));
        assert_eq!(code, Some(1), "{format}");
        report
    };
    let whole: Value = serde_json::from_str(&report("json")).unwrap();
    let graded = &whole["questions"][0];
    let said = (&whole["suspicious"], &graded["suspicious"], &graded["score"], &graded["fix"]["verdict"]);
    assert_eq!(said, (&true.into(), &true.into(), &0.into(), &"tampered".into()));
    let detail = "uses `__globals__`, which can reach into the interpreter that checks it";
    assert_eq!(graded["fix"]["detail"], detail);
    each(
        [
            ("text", "suspicious: the answer is worth nothing"),
            ("jsonl", r#""suspicious":true"#),
            ("junit", r#"<property name="question.suspicious" value="true"/>"#),
            ("tap", "suspicious: true"),
        ],
        |(format, words)| {
            let report = report(format);
            assert!(report.contains(words) && report.contains("__globals__"), "{format}: {report}");
        },
    );
    // Also where no fix counts, no format for programs calls it passed, skipped or still to be done.
    let [junit, tap] = ["junit", "tap"].map(|format| home.stdout(&format!("{how} --format {format}")));
    assert!(junit.contains("failures=\"1\"") && !junit.contains("<skipped"), "{junit}");
    assert!(tap.contains("not ok 2") && !tap.contains("TODO"), "{tap}");
}
