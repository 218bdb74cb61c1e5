//! `assets/question.schema.json` is what the types say, and it fits the questions.

use std::fs;
use std::path::Path;

use fencepost::content::load;
use fencepost::content::schema::question_schema;
use fencepost::content::versions;

use crate::cases::each;
use crate::command::SMALL;

fn schema_file() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/question.schema.json")).unwrap_or_default()
}

#[test]
fn the_committed_schema_is_made_from_the_types() {
    assert!(
        schema_file() == question_schema(),
        "the types changed: run `cargo run --locked -- author schema > assets/question.schema.json`"
    );
}

/// A foreign validator reads the files as an editor would.
#[test]
fn every_shipped_question_fits_the_schema_and_names_it() {
    let schema = serde_json::from_str(&schema_file()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("content");
    let catalog = load::load(&[]).unwrap();
    each(&catalog.questions, |entry| {
        let text = fs::read_to_string(root.join(&entry.name.pack).join(format!("{}.toml", entry.name.id))).unwrap();
        assert_eq!(text.lines().next(), Some("#:schema ../../assets/question.schema.json"), "{}", entry.name);
        let value: toml::Value = toml::from_str(&text).unwrap();
        let problems: Vec<String> =
            validator.iter_errors(&as_json(value)).map(|e| format!("{}: {e}", e.instance_path)).collect();
        assert_eq!(problems, <[String; 0]>::default(), "{}", entry.name);
    });
}

#[test]
fn the_schema_refuses_what_the_program_refuses() {
    let schema = serde_json::from_str(&schema_file()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let small = SMALL;
    let fits = |text: &str| validator.is_valid(&as_json(toml::from_str(text).unwrap()));
    assert!(fits(small));
    let at = small.find("[[check]]").unwrap();
    let without = format!("{}{}", &small[..at], &small[at..].split_once("\n\n").unwrap().1);
    assert!(!fits(&without) && !fits(&format!("check = []\n{without}")), "{without}");
    each([99, 101], |title| {
        let long = small.replacen("The sum that forgets its last number", &"x".repeat(title), 1);
        assert_eq!(fits(&long), title == 99);
    });
    for (from, to) in [
        ("level = \"junior\"", "level = \"expert\""),
        ("topic = \"Python\"", "topics = \"Python\""),
        ("line = 3", "line = 0"),
        ("seconds = 2", "seconds = 0"),
        ("format = 1", "format = 2"),
        ("id = \"small\"", "id = \"Small\""),
        ("title = \"The sum", "titel = \"The sum"),
        ("title = \"The sum that forgets its last number\"", "title = \" \""),
        ("topic = \"Python\"", "topic = \"\""),
        ("python = \">=3.11\"", "python = \"three\""),
        ("python = \">=3.11\"", "python = \">=3.11 <3.14\""),
        ("on = 2026-11-29", "on = \"29 November\""),
        ("on = 2026-11-29", "on = 2026-11-29T10:00:00"),
        ("[[check]]", "[[follow_up]]\nquestion = \"Why?\"\nhint = \"\"\n\n[[check]]"),
        ("related = []", "related = [\"\"]"),
    ] {
        assert!(small.contains(from), "{from}");
        assert!(!fits(&small.replacen(from, to, 1)), "{to}");
    }
}

/// The schema allows the same version ranges and versions as the program.
#[test]
fn the_schema_reads_versions_as_the_program_does() {
    let schema: serde_json::Value = serde_json::from_str(&schema_file()).unwrap();
    let fits = |schema: &serde_json::Value, text: &str| {
        jsonschema::validator_for(schema).unwrap().is_valid(&serde_json::Value::from(text))
    };
    let range = &schema["properties"]["python"];
    for text in [
        ">=3.13",
        " >= 3.11 , <3.14 ",
        "~=3.12",
        "==3.13.1,!=3.13.2",
        "3.13",
        ">=3,",
        ",>=3",
        ">=3.x",
        ">=3.1.2.3",
        ">=33333",
        "",
    ] {
        assert_eq!(fits(range, text), versions::is_range(text), "{text}");
    }
    let stamp = &schema["$defs"]["Verified"]["properties"];
    each(
        ["3.13.5", "3.14.0rc1", "3.14.0+", "1.18", "1.18.0+dev.3f2a", "1.0.dev3", "1", "three", "", "3.13.x"],
        |text| {
            assert_eq!(fits(&stamp["python"], text), versions::is_version(text, 3), "{text}");
            assert_eq!(fits(&stamp["mypy"], text), versions::is_version(text, 2), "{text}");
        },
    );
}

/// TOML's dates become the text that an editor plugin checks.
fn as_json(value: toml::Value) -> serde_json::Value {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(flag) => flag.into(),
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(items) => items.into_iter().map(as_json).collect(),
        toml::Value::Table(table) => table.into_iter().map(|(key, value)| (key, as_json(value))).collect(),
    }
}
