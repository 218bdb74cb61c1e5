use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::content::diagnostic::{Diagnostic, SourceFile};
use crate::content::{parse, read as files};

fn file(text: &str) -> Arc<SourceFile> {
    files::source(Path::new("x.toml"), text)
}

/// The syntax errors of `text`, each as `line: message (help)`.
fn found(text: &str) -> Vec<String> {
    let file = file(text);
    let problems = Problems::new(file.clone());
    read(&problems, &file.text, "see the guide");
    let line = |at: usize| file.text.get(..at).map_or(0, |before| before.matches('\n').count() + 1);
    let told = |it: Diagnostic| {
        let message = it.message.strip_prefix("not valid TOML: ").unwrap_or(&it.message).to_owned();
        format!("{}: {message} ({})", line(it.span.start), it.help)
    };
    problems.finish().into_iter().map(told).collect()
}

#[test]
fn the_remedy_has_the_authors_own_value() {
    for (text, wanted) in [
        ("a = Python", "text needs quotes (write `a = \"Python\"`)"),
        ("a = \"Python", "this text is not closed on its line (write `a = \"Python\"`)"),
        ("a = Python\"", "text needs quotes (write `a = \"Python\"`)"),
        ("a \"Python\"", "this line is not `key = value` (write `a = \"Python\"`)"),
        ("a: mid", "this line is not `key = value` (write `a = \"mid\"`)"),
        ("a == \"x\"", "extra `=` (write `a = \"x\"`)"),
        ("a =", "the value is missing (write `a = \"...\"`)"),
        ("a = 'it's'", "there is more behind the value (write `a = \"it's\"`)"),
        ("a = \"the \"x\" y\"", "there is more behind the value (write `a = 'the \"x\" y'`)"),
        ("a = \"it's \"x\" y\"", "there is more behind the value (write `a = \"it's \\\"x\\\" y\"`)"),
        ("a = \"\\d\"", "a backslash between `\"` has a meaning of its own (write `a = '\\d'`)"),
        ("a = \"C:\\Users\"", "a backslash between `\"` has a meaning of its own (write `a = 'C:\\Users'`)"),
        ("a = \"x\",", "there is more behind the value (write `a = \"x\"`)"),
        ("a = r\"x\"", "text needs quotes (write `a = \"x\"`)"),
        ("a = `x`", "text needs quotes (write `a = \"x\"`)"),
        ("a = 08", "the number `08` begins with a zero (write `a = 8`)"),
        ("a = 000", "the number `000` begins with a zero (write `a = 0`)"),
        ("a = +-2", "`+-2` is not a value (write `a = -2`)"),
        ("a = True", "`True` is not a value (write `a = true`)"),
        ("a = 3.11.2", "`3.11.2` is not a value (write `a = \"3.11.2\"`)"),
        ("a = 2026-13-30", "`2026-13-30` is not a date (write a real date, as in `a = 2026-11-29`)"),
        ("a = 2026-1-3", "`2026-1-3` is not a date (write `a = 2026-01-03`)"),
        ("a = 3.1.2026", "`3.1.2026` is not a date (write `a = 2026-01-03`)"),
        ("a = [x, \"y, z\" 3]", "text needs quotes (write `a = [\"x\", \"y, z\", 3]`)"),
        ("a = [1,, 2]", "extra comma in array (write `a = [1, 2]`)"),
        ("a = (\"x\", \"y\")", "text needs quotes (write `a = [\"x\", \"y\"]`)"),
        ("a = \"x\" b = 2", "there is more behind the value (begin a new line before `b`)"),
        ("a b = 1", "this line is not `key = value` (write `a_b = 1`)"),
        ("a = \"x\u{1}\"", "invalid basic string (remove the invisible character U+0001)"),
        (
            "a = \"x\ny\"\nb = 1",
            "this text is not closed on its line (write the text in one line, or put it between `\"\"\"`)",
        ),
        ("[a", "unclosed table (write `[a]`)"),
        ("[[a]", "unclosed array table (write `[[a]]`)"),
        ("[a] by me", "there is more behind the value (write `[a] # by me`)"),
        ("// x", "this line is not `key = value` (begin a comment with `#`)"),
        ("a note", "this line is not `key = value` (see the guide)"),
    ] {
        assert_eq!(found(text), [format!("1: {wanted}")], "{text}");
    }
}

#[test]
fn a_mistake_below_the_first_line_has_its_remedy() {
    for (text, wanted) in [
        ("a = [\n1\n2\n]", "3: missing comma between array elements (write a `,` between the two entries)"),
        (
            "a = \"\"\"\n\\d\n\"\"\"",
            "2: a backslash between `\"` has a meaning of its own (write `\\\\` for a backslash, or put the text between \
             `'''`)",
        ),
        ("a = 1\nb = 2\na = 3", "3: the key `a` is there twice (remove this one or the one above)"),
        (
            "[a]\nx = 1\n[a]\nx = 2",
            "3: the table `[a]` is there twice (move its keys to the one above, or remove one of the two)",
        ),
        ("[[a]]\n[a]\n", "2: `[[a]]` and `[a]` are different things (write `[[a]]`, as above)"),
    ] {
        assert_eq!(found(text), [wanted], "{text}");
    }
}

#[test]
fn what_is_not_closed_is_named_once_where_it_begins() {
    let open = |line: usize, quotes: &str| {
        let message = format!("the text that begins here with `{quotes}` is not closed");
        format!("{line}: {message} (write `{quotes}` behind its last line)")
    };
    let ends = |line: usize| {
        let help = "write docstrings and long texts in this program with `\"\"\"`";
        format!("{line}: these `'''` end the text that begins with `a = '''` ({help})")
    };
    let list = |help: &str| format!("1: the list that begins here with `[` is not closed (write {help})");
    let unquoted = |line: usize| format!("{line}: text needs quotes (write `c = \"x\"`)");
    for (text, wanted) in [
        ("a = '''\nx = y z\n[t]\nb = '''\n1\n'''\n", vec![open(1, "'''")]),
        ("a = '''\nx\nb = '''\n1 2\n'''\n[t]\n", vec![open(1, "'''")]),
        ("a = '''\nx\n", vec![open(1, "'''")]),
        ("a = \"\"\"\n1\n[t]\nb = '''\n\"\"\"Doc.\"\"\"\n'''\n", vec![open(1, "\"\"\"")]),
        ("a = '''\n[t]\nb = \"\"\"\n1\n[u]\nc = x\n", vec![open(1, "'''"), open(3, "\"\"\""), unquoted(6)]),
        ("a = '''\ndef f():\n    '''Doc.'''\n'''\n[t]\nb = 1\n", vec![ends(3)]),
        ("a = '''\ndef f():\n    '''\n    Some words.\n    '''\n'''\n", vec![ends(3)]),
        ("a = '''\n'''Doc.'''\n'''\n", vec![ends(2)]),
        ("a = [\"x\"\nb = 1\n[t]\nc = 2\n", vec![list("`a = [\"x\"]`")]),
        ("a = [\n  1,\n  2,\n[t]\nc = 2\n", vec![list("`]` behind its last entry")]),
        // A table in a text is not one of the file.
        ("a = '''\n[t]\nb = 1\n'''\nc = x\n", vec![unquoted(5)]),
    ] {
        assert_eq!(found(text), wanted, "{text}");
    }
}

#[test]
fn a_merge_conflict_is_named_once() {
    let conflict = "this is an unresolved merge conflict (keep one of the two versions, and delete the lines `<<<<<<<`, \
                    `=======` and `>>>>>>>`)";
    let two = "<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> main\nb = x\n<<<<<<< HEAD\n||||||| base\n=======\nc = '''\n\
               >>>>>>> main\n";
    assert_eq!(found(two), [format!("1: {conflict}"), format!("7: {conflict}")]);
    // A heading that is underlined is none.
    assert_eq!(found("a = '''\nx\n=======\n'''\n"), [""; 0]);
    let hidden = "format = 1\ntitle = '''\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> main\n'''\n";
    let (pack, problems) = parse::pack(&file(hidden));
    let places: Vec<_> = problems.iter().map(|it| (it.code, it.span.start)).collect();
    assert_eq!((pack.is_none(), places), (true, vec![(codes::SYNTAX, 23)]));
}

/// Any text of a shipped question can lose its end.
#[test]
fn each_text_that_loses_its_end_is_one_error() {
    let content = Path::new(env!("CARGO_MANIFEST_DIR")).join("content");
    let folders = fs::read_dir(content).unwrap().flatten().map(|entry| entry.path()).filter(|path| path.is_dir());
    let paths = folders.flat_map(|folder| fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()));
    let mut tried = 0;
    for path in paths.filter(|path| path.extension().is_some_and(|it| it == "toml")) {
        let text = fs::read_to_string(&path).unwrap();
        let mut opened = 0;
        for (index, line) in text.lines().enumerate() {
            if is_assignment(line) && (line.ends_with("'''") || line.ends_with("\"\"\"")) {
                opened = index + 1;
            }
            if line == "'''" || line == "\"\"\"" {
                let without = text.lines().enumerate().filter(|(at, _)| *at != index);
                let all = found(&without.map(|(_, line)| format!("{line}\n")).collect::<String>());
                let message = format!("{opened}: the text that begins here with `{line}` is not closed");
                assert!(
                    matches!(&all[..], [one] if one.starts_with(&message)),
                    "{}: {message}: {all:?}",
                    path.display()
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 100, "only {tried} texts");
}
