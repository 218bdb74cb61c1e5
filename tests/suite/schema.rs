//! `assets/question.schema.json` is what the types say, and it fits the questions.

use std::fs;
use std::path::Path;

use fencepost::content::load;
use fencepost::content::schema::question_schema;

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
    for entry in &catalog.questions {
        let text = fs::read_to_string(root.join(&entry.name.pack).join(format!("{}.toml", entry.name.id))).unwrap();
        assert_eq!(text.lines().next(), Some("#:schema ../../assets/question.schema.json"), "{}", entry.name);
        let value: toml::Value = toml::from_str(&text).unwrap();
        let problems: Vec<String> =
            validator.iter_errors(&as_json(value)).map(|e| format!("{}: {e}", e.instance_path)).collect();
        assert_eq!(problems, <[String; 0]>::default(), "{}", entry.name);
    }
}

#[test]
fn the_schema_refuses_what_the_program_refuses() {
    let schema = serde_json::from_str(&schema_file()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let small = include_str!("../fixtures/small.toml");
    let fits = |text: &str| validator.is_valid(&as_json(toml::from_str(text).unwrap()));
    assert!(fits(small));
    for (from, to) in [
        ("level = \"junior\"", "level = \"expert\""),
        ("topic = \"Python\"", "topics = \"Python\""),
        ("line = 3", "line = 0"),
        ("seconds = 2", "seconds = 0"),
        ("format = 1", "format = 2"),
        ("id = \"small\"", "id = \"Small\""),
        ("title = \"The sum", "titel = \"The sum"),
    ] {
        assert!(small.contains(from), "{from}");
        assert!(!fits(&small.replacen(from, to, 1)), "{to}");
    }
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
