//! Formats as other programs read them: JUnit as Jenkins reads it, TAP blocks as YAML, CSV as spreadsheets read it, and
//! the same bytes for the same answers.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Map, Value};

use crate::cases::each;
use crate::command::Home;
use crate::script_reports::FORMATS;

/// Right, wrong and missing lines; fixes that pass, fail, write whatever a format could stumble over, and crash.
const ANSWERS: &str = r#"{"question": "small", "line": 3, "fix": "def total(numbers):\n    return sum(numbers)\n"}
{"question": "fencing-tokens", "lines": [6, 8], "points": [1], "fix": "import sys\nprint('\\x00\\x1b[2J\\x7f\\x85\\x9b ]]> <a b=\"c\">&amp; \\u2028\\u202e\\ufeff\\ufffe\\uffff \\U000e0041 \\U0001f600 é')\nprint('# --- ... : - ? @ ` % \\t', file=sys.stderr)\nraise ValueError('no\\nreally')\n"}
{"question": "tax-by-region", "fix": "import os\nos._exit(3)\n"}
"#;

const ASKED: &str = "--content packs quiz small fencing-tokens tax-by-region slow-dashboard";

fn report(home: &Home, args: &str) -> String {
    home.write("answers.jsonl", ANSWERS);
    home.stdout(&format!("{ASKED} --answers answers.jsonl {args}"))
}

/// Weights with which a part fails, and with which the same part is skipped.
const WEIGHTS: [&str; 3] = ["line=1,fix=1", "line=1", "fix=1"];

/// A start tag and the names of its attributes, with the elements around it.
struct Tag {
    path: Vec<String>,
    attributes: Vec<(String, String)>,
}

/// The tags of a document as this program writes it: no `<` stands in an attribute.
fn tags(xml: &str) -> Vec<Tag> {
    let mut rest = xml;
    let (mut open, mut tags) = (Vec::<String>::new(), Vec::new());
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        if let Some(inside) = rest.strip_prefix("<![CDATA[") {
            rest = inside.split_once("]]>").unwrap().1;
            continue;
        }
        let (tag, behind) = rest[1..].split_once('>').unwrap();
        rest = behind;
        if tag.starts_with('?') {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        let body = tag.strip_suffix('/').unwrap_or(tag);
        let (name, attributes) = body.split_once(' ').unwrap_or((body, ""));
        let mut pieces = attributes.split('"');
        let mut found = Vec::new();
        while let (Some(name), Some(value)) = (pieces.next(), pieces.next()) {
            found.push((name.trim().trim_end_matches('=').to_owned(), value.to_owned()));
        }
        open.push(name.to_owned());
        tags.push(Tag { path: open.clone(), attributes: found });
        if tag.ends_with('/') {
            open.pop();
        }
    }
    assert_eq!(open, <[String; 0]>::default());
    tags
}

/// Attributes and children that the schema allows in an element.
struct Rule {
    element: &'static str,
    needed: &'static [&'static str],
    allowed: &'static [&'static str],
    children: &'static [&'static str],
}

const fn rule(
    element: &'static str,
    needed: &'static [&'static str],
    allowed: &'static [&'static str],
    children: &'static [&'static str],
) -> Rule {
    Rule { element, needed, allowed, children }
}

/// `junit-10.xsd` of the Jenkins xUnit plugin, as far as this program uses it.
const RULES: [Rule; 9] = [
    rule("testsuites", &[], &["name", "time", "tests", "failures", "errors"], &["testsuite"]),
    rule(
        "testsuite",
        &["name", "tests", "failures", "errors"],
        &["group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"],
        &["testsuite", "properties", "testcase", "system-out", "system-err"],
    ),
    rule("properties", &[], &[], &["property"]),
    rule("property", &["name", "value"], &[], &[]),
    rule(
        "testcase",
        &["name"],
        &["time", "classname", "group"],
        &["skipped", "error", "failure", "system-out", "system-err"],
    ),
    rule("failure", &[], &["type", "message"], &[]),
    rule("skipped", &[], &["type", "message"], &[]),
    rule("system-out", &[], &[], &[]),
    rule("system-err", &[], &[], &[]),
];

fn rule_of(element: &str) -> &'static Rule {
    RULES.iter().find(|rule| rule.element == element).unwrap_or_else(|| panic!("no <{element}> in the schema"))
}

/// Digits, a dot, digits: the pattern of the schema is wider, and this is what is written.
fn is_seconds(text: &str) -> bool {
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    text.split_once('.').is_some_and(|(whole, part)| digits(whole) && digits(part) && (1..=9).contains(&part.len()))
}

fn assert_jenkins_reads(xml: &str) {
    for Tag { path, attributes } in tags(xml) {
        let rule = rule_of(path.last().unwrap());
        match path.iter().rev().nth(1) {
            None => assert_eq!(rule.element, "testsuites"),
            Some(parent) => assert!(rule_of(parent).children.contains(&rule.element), "{path:?}"),
        }
        for needed in rule.needed {
            assert!(attributes.iter().any(|(name, _)| name == needed), "{path:?} needs {needed}");
        }
        for (name, value) in &attributes {
            let known = rule.needed.iter().chain(rule.allowed).any(|known| known == name);
            assert!(known, "{path:?} has {name}");
            assert!(name != "time" || is_seconds(value), "{path:?} {name}=\"{value}\"");
        }
    }
}

#[test]
fn junit_is_what_the_schema_of_jenkins_allows() {
    let home = Home::new();
    for weights in WEIGHTS {
        for more in ["", "--no-times", "--partition 1/1 --seed 7"] {
            assert_jenkins_reads(&report(&home, &format!("--format junit --weights {weights} {more}")));
        }
    }
    // A part in which nothing is asked.
    let empty = (1..=9).map(|part| report(&home, &format!("small --format junit --partition {part}/999")));
    let empty = empty.into_iter().find(|xml| xml.contains("why_empty\" value=\"no"));
    assert_jenkins_reads(&empty.unwrap());
}

/// A fix comes back from JUnit as it was handed in, also where tabs indent it; what XML cannot hold never reaches it.
#[test]
fn junit_brings_a_fix_back() {
    let home = Home::new();
    let fix = "def total(numbers):\n\treturn sum(numbers)\n\nprint('\\t<a> & \\'b\\'')  # <&> ]]> \u{202e}\u{feff}\u{fe0f}\u{e0041} \"\n";
    home.write("fix.py", fix);
    home.write("fix.toml", "format = 1\n\n[[answer]]\nquestion = \"small\"\nline = 3\nfix_file = \"fix.py\"\n");
    let whole = |format: &str| home.stdout(&format!("--content packs quiz small --answers fix.toml --format {format}"));
    let graded: Value = serde_json::from_str(&whole("json")).unwrap();
    let (text, stdout) = (&graded["questions"][0]["fix"]["text"], &graded["questions"][0]["fix"]["stdout"]);
    let junit = whole("junit");
    let suites = junit_parser::from_reader(junit.as_bytes()).unwrap();
    let found = suites.suites[0].properties.vec.iter().find(|(name, _)| name == "fix.text").unwrap();
    assert!(found.1.contains("\n\treturn") && found.1.contains("\u{202e}\u{feff}\u{fe0f}\u{e0041}"), "{found:?}");
    assert_eq!(found.1, *text);

    const READ: &str = "import json, sys, xml.etree.ElementTree as tree
root = tree.fromstring(sys.stdin.buffer.read())
print(json.dumps([root.find('.//property[@name=\"fix.text\"]').get('value'), root.find('.//system-out').text]))
";
    let mut command = Command::new("python3");
    let spawned = command.args(["-c", READ]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = spawned else { return eprintln!("skipped: there is no python3 to read XML with") };
    child.stdin.take().unwrap().write_all(junit.as_bytes()).unwrap();
    let read: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(read, serde_json::json!([text, stdout]));
}

/// The blocks of a report, without their indentation, and the values that they have as JSON.
fn blocks(tap: &str) -> Vec<(String, Value)> {
    let mut blocks = Vec::new();
    let mut rest = tap;
    while let Some((_, begun)) = rest.split_once("\n  ---\n") {
        let (block, behind) = begun.split_once("  ...\n").unwrap();
        rest = behind;
        let lines: Vec<&str> = block.lines().map(|line| line.strip_prefix("  ").unwrap()).collect();
        let mut values = Map::new();
        for line in &lines {
            let (key, value) = line.split_once(": ").unwrap();
            values.insert(key.to_owned(), serde_json::from_str(value).unwrap_or_else(|_| panic!("{line}")));
        }
        blocks.push((lines.join("\n"), Value::Object(values)));
    }
    blocks
}

/// JSON on one line is YAML 1.2, but for two things: what YAML cannot hold has to be escaped, and there are no pairs of
/// escapes for one character. <https://yaml.org/spec/1.2.2/#51-character-set>
#[test]
fn a_tap_block_is_yaml() {
    let home = Home::new();
    let printable = |c: char| matches!(c, '\t' | '\n' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    for weights in WEIGHTS {
        let tap = report(&home, &format!("--format tap --weights {weights}"));
        assert_eq!(tap.chars().find(|c| !printable(*c)), None);
        let blocks = blocks(&tap);
        assert!(blocks.len() >= 7, "{tap}");
        for (block, _) in &blocks {
            let escapes = block.split("\\u").skip(1).filter_map(|rest| u32::from_str_radix(rest.get(..4)?, 16).ok());
            assert_eq!(escapes.into_iter().find(|unit| (0xd800..0xe000).contains(unit)), None, "{block}");
        }
        // What stands there is what was meant.
        assert!(
            blocks.iter().any(|(_, value)| value["stdout"].as_str().is_some_and(|text| text.contains('\u{e0041}')))
        );
    }
}

/// PyYAML's reader, where there is one.
#[test]
fn pyyaml_reads_the_tap_blocks() {
    let home = Home::new();
    const READ: &str =
        "import json, sys, yaml\nfor block in json.load(sys.stdin):\n    print(json.dumps(yaml.safe_load(block)))\n";
    let blocks = blocks(&report(&home, "--format tap --weights line=1,fix=1"));
    let mut command = Command::new("python3");
    let spawned =
        command.args(["-c", READ]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut child) = spawned else { return eprintln!("skipped: there is no python3 to read YAML with") };
    let texts: Vec<&str> = blocks.iter().map(|(text, _)| text.as_str()).collect();
    let _ = serde_json::to_writer(child.stdin.take().unwrap(), &texts);
    let output = child.wait_with_output().unwrap();
    if String::from_utf8_lossy(&output.stderr).contains("ModuleNotFoundError") {
        return eprintln!("skipped: this python3 has no PyYAML");
    }
    let text = String::from_utf8(output.stdout).unwrap();
    let read: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let meant: Vec<Value> = blocks.into_iter().map(|(_, value)| value).collect();
    assert_eq!(read, meant, "{}", String::from_utf8_lossy(&output.stderr));
}

/// The cells of a table, as RFC 4180 has them.
pub(crate) fn cells(csv: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let mut quoted = false;
    let mut chars = csv.chars().peekable();
    while let Some(c) = chars.next() {
        let row = rows.last_mut().unwrap();
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => row.last_mut().unwrap().extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(String::new()),
            '\n' if !quoted => rows.push(vec![String::new()]),
            c => row.last_mut().unwrap().push(c),
        }
    }
    assert_eq!((rows.pop(), quoted), (Some(vec![String::new()]), false), "the last line has no end");
    rows
}

/// Every row has a cell for every column, whatever learners are called, and none that a spreadsheet would obey.
#[cfg(unix)]
#[test]
fn a_table_in_csv_has_the_columns_that_it_names() {
    let home = Home::new();
    for name in ["=1+1", "+1", "-1", "@a", "a,b", "a\"b", "a\nb", "\ta", "\ra", " a", "ünï", "\u{1b}[2J"] {
        home.write(&format!("class/{name}.jsonl"), "{\"question\": \"small\", \"line\": 3}\n");
    }
    home.write("class/broken.toml", "question = \"=1,2\"\n");
    let rows = cells(&home.stdout("--content packs quiz small fencing-tokens --answers class --format csv"));
    let columns = [
        "learner",
        "file",
        "handed_in",
        "on_roster",
        "passed",
        "score",
        "of",
        "percent",
        "right",
        "asked",
        "suspicious",
        "to_look_at",
        "problems",
        "first_problem",
        "fixture/small score",
        "fixture/small line",
        "fixture/small fix",
        "leases/fencing-tokens score",
        "leases/fencing-tokens line",
        "leases/fencing-tokens fix",
    ];
    assert_eq!(rows[0], columns);
    assert!(rows.iter().all(|row| row.len() == columns.len()), "{rows:?}");
    let learners: Vec<&str> = rows[1..].iter().map(|row| row[0].as_str()).collect();
    let expected = ["'    a", "'␍a", "␛[2J", " a", "'+1", "'-1", "'=1+1", "'@a", "a␊b", "a\"b", "a,b", "broken", "ünï"];
    assert_eq!(learners, expected);
    assert!(rows[1][2..].join(" ").starts_with("true  false 1 2 50 1 2 false  0  1 right  0 missing"), "{rows:?}");
    let obeyed = |cell: &String| cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
    assert_eq!(rows.iter().flatten().find(|cell| obeyed(cell)), None);
}

/// Without times, the same answers give the same bytes, in every format, for one file and for a folder.
#[test]
fn without_times_the_same_answers_give_the_same_report() {
    let home = Home::new();
    let fix = "import time\\ntime.sleep(0.01)\\ndef total(numbers):\\n    return sum(numbers)\\n";
    for learner in ["ada", "bob", "cid"] {
        let line = format!("{{\"question\": \"small\", \"line\": 3, \"fix\": \"{fix}\"}}\n");
        home.write(&format!("class/{learner}.jsonl"), line);
    }
    let told = |answers: &str, format: &str, more: &str| {
        let args =
            format!("--content packs quiz small --weights line=1,fix=1 --answers {answers} --format {format} {more}");
        let (code, report, said) = home.output(&args);
        assert_eq!(code, Some(0), "{format}");
        (report, said)
    };
    let runs =
        FORMATS.map(|format| ("class/ada.jsonl", format)).into_iter().chain([("class", "jsonl"), ("class", "csv")]);
    each(runs, |(answers, format)| {
        let once = told(answers, format, "--no-times");
        assert_eq!(once, told(answers, format, "--no-times"), "{answers} {format}");
        assert!(!once.0.contains("wall_ms") && !once.0.contains("ran for"), "{answers} {format}: {}", once.0);
        let timed = told(answers, format, "");
        assert_eq!(timed.0 == once.0, format == "csv", "{answers} {format}: {}", timed.0);
    });
}
