//! Chance and clocks in the SQL of a program that uses SQLite.
//!
//! Owns the list of them. A text that is most likely no SQL is left alone.

use tree_sitter::Node;

use super::Use;
use super::names::Names;
use crate::content::question::LineNo;

/// Functions that take the time, or read the clock where they are given `now` or nothing.
const TIMES: [&str; 7] = ["date", "time", "datetime", "julianday", "strftime", "unixepoch", "timediff"];

/// Words that stand in nearly all SQL.
const KEYWORDS: [&str; 11] =
    ["select", "insert", "update", "delete", "create", "replace", "values", "where", "order", "default", "set"];

/// Words and signs that a function is looked for its time in: nobody writes more, and a text may be made to have more.
const MOST_GIVEN: usize = 32;

const PASS_TIME: &str = "pass the time as a parameter: `where until > ?`";
const PASS_NUMBER: &str = "pass the number as a parameter, from a `random.Random` with a fixed seed";

/// The uses in the SQL of the program.
pub(super) fn uses(names: &Names<'_>) -> Vec<Use> {
    let is_sqlite = |node: &Node<'_>| {
        matches!(node.kind(), "identifier" | "string_content") && names.program.text(*node) == "sqlite3"
    };
    if !names.nodes.iter().any(is_sqlite) {
        return Vec::new();
    }
    let mut all = Vec::new();
    let mut alone = 0..0;
    // Texts that are put together are SQL where one of them is.
    let mut whole = 0..0;
    let mut is_sql = false;
    for node in names.nodes {
        let written = names.program.text(*node);
        match node.kind() {
            "expression_statement" if node.named_child_count() == 1 => {
                let only = node.named_child(0).filter(|it| matches!(it.kind(), "string" | "concatenated_string"));
                alone = only.map_or(alone, |it| it.byte_range());
            }
            "string" | "concatenated_string" | "binary_operator" if !whole.contains(&node.start_byte()) => {
                whole = node.byte_range();
                let mut words = written.split(|c: char| !c.is_alphanumeric());
                is_sql = words.any(|word| KEYWORDS.iter().any(|it| word.eq_ignore_ascii_case(it)));
            }
            _ => {}
        }
        if node.kind() != "string" || alone.contains(&node.start_byte()) {
            continue;
        }
        let open = node.named_child(0).map_or(0, |it| it.end_byte() - node.start_byte());
        // The quotes at its end can stay: they quote nothing.
        for (at, what, instead) in in_text(written.get(open..).unwrap_or_default(), is_sql) {
            let above = written.get(..open + at).map_or(0, |before| before.matches('\n').count());
            all.push(Use { line: LineNo::from_index(node.start_position().row + above), what, instead });
        }
    }
    all
}

/// A word or a sign of SQL.
#[derive(Debug)]
struct Token<'t> {
    text: &'t str,
    at: usize,
    /// Whether it stood between quotes.
    quoted: bool,
}

impl Token<'_> {
    fn is(&self, word: &str) -> bool {
        !self.quoted && self.text.eq_ignore_ascii_case(word)
    }
}

/// The uses in `text`: where each stands, what it is, and what to do instead.
fn in_text(text: &str, is_sql: bool) -> Vec<(usize, String, &'static str)> {
    let tokens = tokens(text);
    let mut all = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let next = |count: usize| tokens.get(index + count);
        let next_is = |count, word| next(count).is_some_and(|it| it.is(word));
        let is_part = index.checked_sub(1).and_then(|before| tokens.get(before)).is_some_and(|it| it.is("."));
        if is_part || token.quoted {
            continue;
        }
        let called = next_is(1, "(");
        let written = token.text;
        if called && (token.is("randomblob") || (token.is("random") && next_is(2, ")"))) {
            all.extend(is_sql.then(|| (token.at, format!("`{written}` in SQL is chance"), PASS_NUMBER)));
        } else if !called && ["current_timestamp", "current_date", "current_time"].iter().any(|it| token.is(it)) {
            all.extend(is_sql.then(|| (token.at, format!("`{written}` in SQL reads a clock"), PASS_TIME)));
        } else if called && TIMES.iter().any(|it| token.is(it)) {
            let is_now = |it: &Token<'_>| it.quoted && it.text.eq_ignore_ascii_case("now");
            let given: Vec<&Token<'_>> =
                tokens.iter().skip(index + 2).take(MOST_GIVEN).take_while(|it| !it.is(")")).collect();
            // Without a time they take that of now; `strftime` has a format before it.
            let least = if token.is("strftime") { 1 } else { 0 };
            let now = given.iter().any(|it| is_now(it));
            if now || (is_sql && given.len() <= least) {
                all.push((token.at, format!("`{written}` of now in SQL reads a clock"), PASS_TIME));
            }
        }
    }
    all
}

/// The words and signs of SQL in the text of a program, without comments.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        let length = |found: Option<usize>| found.unwrap_or(rest.len());
        if first == '\\' {
            // The program escapes a quote, or breaks the line.
            let escaped = rest.chars().nth(1);
            at += if escaped.is_some_and(|it| "'\"".contains(it)) { 1 } else { 1 + escaped.map_or(0, char::len_utf8) };
        } else if rest.starts_with("--") {
            at += length(rest.find('\n'));
        } else if rest.starts_with("/*") {
            at += length(rest.find("*/").map(|end| end + 2));
        } else if first == '\'' || first == '"' {
            let body = rest.get(1..).unwrap_or_default();
            let end = body.find(first);
            let inside = body.get(..end.unwrap_or(body.len())).unwrap_or_default().trim_end_matches('\\');
            all.push(Token { text: inside, at, quoted: true });
            at += end.map_or(rest.len(), |end| end + 2);
        } else if first.is_alphanumeric() || first == '_' {
            let end = length(rest.find(|c: char| !c.is_alphanumeric() && c != '_'));
            all.push(Token { text: rest.get(..end).unwrap_or_default(), at, quoted: false });
            at += end;
        } else {
            if !first.is_whitespace() {
                all.push(Token { text: rest.get(..first.len_utf8()).unwrap_or_default(), at, quoted: false });
            }
            at += first.len_utf8();
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use crate::content::chance::tests::found;

    #[test]
    fn chance_and_clocks_in_sql_are_found() {
        for (sql, line, what) in [
            (r#""select strftime('%Y', 'now')""#, 2, "`strftime` of now in SQL reads a clock"),
            (r"'select strftime(\'%Y\', \'now\')'", 2, "`strftime` of now in SQL reads a clock"),
            (r#"f"select strftime('{fmt}', 'now')""#, 2, "`strftime` of now in SQL reads a clock"),
            (r#""select strftime('%s')""#, 2, "`strftime` of now in SQL reads a clock"),
            (r#""strftime('%s', 'now')""#, 2, "`strftime` of now in SQL reads a clock"),
            (r#""SELECT DATETIME('NOW', '-1 day')""#, 2, "`DATETIME` of now in SQL reads a clock"),
            (r#"'select julianday("now")'"#, 2, "`julianday` of now in SQL reads a clock"),
            (r#""select date()""#, 2, "`date` of now in SQL reads a clock"),
            (r#""select unixepoch ( )""#, 2, "`unixepoch` of now in SQL reads a clock"),
            (r#""insert into t values (current_timestamp)""#, 2, "`current_timestamp` in SQL reads a clock"),
            (
                "'''\ncreate table t (\n  at text default CURRENT_TIMESTAMP)'''",
                4,
                "`CURRENT_TIMESTAMP` in SQL reads a clock",
            ),
            (r#""select 5 + random() * 0""#, 2, "`random` in SQL is chance"),
            (r#""select id from t order by RANDOM()""#, 2, "`RANDOM` in SQL is chance"),
            (r#""select " + "abs(random())""#, 2, "`random` in SQL is chance"),
            ("(\"select \"\n \"abs(random())\")", 3, "`random` in SQL is chance"),
            (r#""select hex(randomblob(4))""#, 2, "`randomblob` in SQL is chance"),
            (r#"db.execute("select random()")"#, 2, "`random` in SQL is chance"),
        ] {
            assert_eq!(found(&format!("import sqlite3\nx = {sql}\n")), [format!("{line}: {what}")], "{sql}");
        }
    }

    #[test]
    fn other_sql_and_other_texts_are_left_alone() {
        for sql in [
            r#""select strftime('%Y', ?)""#,
            r#""select date(at), time(at, '+1 hour') from t""#,
            r#""select date('2026-01-01')""#,
            r#""select random from t where random > 3""#,
            r#""select 'random()'""#,
            r#""select 1 -- random()""#,
            r#""select 1 /* datetime('now') */""#,
            r#""select t.current_timestamp from t""#,
            r#""current_time""#,
            r#""random()""#,
            r#""no date() is known""#,
            r#""update t set at = ? where now = 'now'""#,
            r#""\\""#,
            r#""select '""#,
            r#""select /*""#,
            r#"f"select {x}""#,
            "''",
            "'''open",
        ] {
            assert_eq!(found(&format!("import sqlite3\nx = {sql}\n")), <[String; 0]>::default(), "{sql}");
        }
        assert_eq!(found("x = 'select random()'"), <[String; 0]>::default(), "a program without SQLite");
        let alone = "import sqlite3\ndef f():\n    'select random()'";
        assert_eq!(found(alone), <[String; 0]>::default(), "a text that does nothing");
    }
}
