//! Recognises values that are missing after their key, as in `line =`.
//!
//! The TOML parser reports them as syntax errors and goes on with an empty text, which is not reported again.

use toml::Spanned;
use toml::de::DeValue;

/// False if `value` is missing after its key.
pub(super) fn is_written(value: &Spanned<DeValue<'_>>) -> bool {
    !(value.get_ref().as_str() == Some("") && value.span().is_empty())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::content::decode::Table;
    use crate::content::problems::Problems;
    use crate::content::{read, syntax};

    type Ask<'a> = &'a dyn Fn(&Table<'_>);

    /// The kinds of problems of `text` when `read` asks for the values in it.
    fn problems(text: &str, ask: impl Fn(&Table<'_>)) -> Vec<&'static str> {
        let problems = Problems::new(read::source(Path::new("x.toml"), text));
        let document = syntax::read(&problems, text, "");
        let table = Table::root(&problems, &document.root, document.complete);
        ask(&table);
        table.finish();
        problems.finish().iter().map(|problem| problem.code.0).collect()
    }

    #[test]
    fn a_missing_value_is_reported_with_the_syntax_only() {
        let asks: [Ask<'_>; 16] = [
            &|table| _ = table.text("x"),
            &|table| _ = table.text_or_empty("x"),
            &|table| _ = table.optional_text("x"),
            &|table| _ = table.optional_program("x"),
            &|table| _ = table.texts("x"),
            &|table| _ = table.some_texts("x"),
            &|table| _ = table.number("x"),
            &|table| _ = table.optional_number("x"),
            &|table| _ = table.optional_numbers("x"),
            &|table| _ = table.optional_flag("x"),
            &|table| _ = table.line("x"),
            &|table| _ = table.date("x"),
            &|table| _ = table.choice("x", &[("a", 1)]),
            &|table| _ = table.table("x"),
            &|table| _ = table.tables("x"),
            &|table| _ = table.some_tables("x"),
        ];
        for (index, ask) in asks.into_iter().enumerate() {
            for text in ["x =", "x = ", "x = \ny = 1\n", "x = # no\n"] {
                let found = problems(text, |table| {
                    ask(table);
                    table.skip("y");
                });
                assert_eq!(found, ["syntax"], "{index}: {text:?}");
            }
        }
    }

    #[test]
    fn a_missing_entry_is_reported_with_the_syntax_only() {
        for text in ["x = [1, , 2]", "x = [,1]", "x = [,]"] {
            assert_eq!(problems(text, |table| _ = table.optional_numbers("x")), ["syntax"], "{text}");
        }
        assert_eq!(problems("x = ['a',,'b']", |table| _ = table.some_texts("x")), ["syntax"]);
        assert_eq!(problems("x = [{},,{}]", |table| _ = table.some_tables("x")), ["syntax"]);
    }

    #[test]
    fn a_value_that_the_parser_refused_is_reported_with_the_syntax_only() {
        let asks: [(&str, Ask<'_>); 12] = [
            ("x = 08", &|table| _ = table.line("x")),
            ("x = +-2", &|table| _ = table.optional_number("x")),
            ("x = 2026-13-30", &|table| _ = table.date("x")),
            ("x = 29.11.2026", &|table| _ = table.date("x")),
            ("x = yes", &|table| _ = table.choice("x", &[("a", 1)])),
            ("x = None", &|table| _ = table.text("x")),
            ("x == 'a'", &|table| _ = table.text("x")),
            ("x = \"\"a\"", &|table| _ = table.text("x")),
            ("x = True", &|table| _ = table.optional_flag("x")),
            ("x = [\n  08\n]", &|table| _ = table.optional_numbers("x")),
            ("x = [\n  a\n]", &|table| _ = table.some_texts("x")),
            ("[[x]]\n[x]\n", &|table| _ = table.tables("x")),
        ];
        for (text, ask) in asks {
            assert_eq!(problems(text, ask), ["syntax"], "{text}");
        }
        // What stands beside it is judged.
        let both = |table: &Table<'_>| _ = (table.line("x"), table.line("y"), table.optional_numbers("z"));
        assert_eq!(
            problems("x = 08\ny = 0\nz = [\n 'a',\n 08\n]", both),
            ["syntax", "line_outside", "wrong_type", "syntax"]
        );
    }

    #[test]
    fn an_empty_text_is_there() {
        assert_eq!(problems("x = \"\"", |table| _ = table.text("x")), ["empty"]);
        assert_eq!(problems("x = ''", |table| _ = table.number("x")), ["wrong_type"]);
    }
}
