//! Reads values out of a TOML document and collects every problem, instead of stopping at the first.
//!
//! Reports wrong types, missing keys and unknown keys. `parse.rs` says which keys there are.

mod absent;
mod words;

use std::cell::RefCell;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::content::diagnostic::{Code, codes};
use crate::content::problems::Problems;
use crate::content::question::{Date, LineNo};
use crate::content::suggestion::closest;
use crate::text::is_forbidden;
use absent::is_written;
use words::{LONGEST_ECHO, corrected, example, instead_of, kind, listed_words};

/// Maximum number of entries in a list.
const MOST_ENTRIES: usize = 1_000;

/// A whole number and its position.
pub(crate) type Number = (i64, Range<usize>);

/// A table that is being read. Call [`Table::finish`] after all known keys were read.
pub(crate) struct Table<'a> {
    problems: &'a Problems,
    values: &'a DeTable<'a>,
    span: Range<usize>,
    /// The name of the table as written: `[spot]`; empty for the top of the file.
    name: String,
    known: RefCell<Vec<&'static str>>,
    missing_is_a_problem: bool,
}

impl<'a> Table<'a> {
    /// The top-level table of a file. Missing keys are not reported after a syntax error, which may hide them.
    pub(crate) fn root(problems: &'a Problems, root: &'a Spanned<DeTable<'a>>, missing_is_a_problem: bool) -> Self {
        Self {
            problems,
            values: root.get_ref(),
            span: 0..0,
            name: String::new(),
            known: RefCell::default(),
            missing_is_a_problem,
        }
    }

    fn child(&self, name: String, value: &'a Spanned<DeValue<'a>>) -> Option<Self> {
        match value.get_ref() {
            DeValue::Table(values) => Some(Self {
                problems: self.problems,
                values,
                span: value.span(),
                name,
                known: RefCell::default(),
                missing_is_a_problem: self.missing_is_a_problem,
            }),
            other => {
                self.wrong_type(value.span(), &name, "a table", other);
                None
            }
        }
    }

    fn value(&self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.known.borrow_mut().push(key);
        let (name, value) = self.values.get_key_value(key)?;
        let holds_tables = match value.get_ref() {
            DeValue::Table(_) => true,
            DeValue::Array(items) => items.first().is_some_and(|item| item.get_ref().is_table()),
            _ => false,
        };
        // The entries of a list are judged each on its own.
        let end = if value.get_ref().is_array() { value.span().start } else { value.span().end };
        let is_refused = !holds_tables && self.problems.is_refused(name.span().start, &(value.span().start..end));
        (is_written(value) && !is_refused).then_some(value)
    }

    /// The entries of a list without those that are missing or that the parser refused.
    fn entries(&self, items: &'a [Spanned<DeValue<'a>>]) -> impl Iterator<Item = &'a Spanned<DeValue<'a>>> {
        let is_refused = |item: &Spanned<_>| self.problems.is_refused(item.span().start, &item.span());
        items.iter().filter(move |item| is_written(item) && (item.get_ref().is_table() || !is_refused(item)))
    }

    fn needed(&self, key: &'static str, what: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        let value = self.value(key);
        if value.is_none() && self.missing_is_a_problem {
            let place =
                if self.name.is_empty() { "at the top of the file".to_owned() } else { format!("in `{}`", self.name) };
            self.report(
                codes::MISSING_KEY,
                self.span.clone(),
                format!("missing key `{key}` {place}"),
                format!("add {what}"),
            );
        }
        value
    }

    fn wrong_type(&self, span: Range<usize>, key: &str, wanted: &str, got: &DeValue<'_>) {
        if self.problems.is_refused(span.start, &span) {
            return;
        }
        let written = self.problems.file.text.get(span.clone()).unwrap_or_default();
        let help = corrected(key, wanted, got, written).unwrap_or_else(|| example(key, wanted));
        let message = format!("`{key}` must be {wanted}, not {}", kind(got));
        self.problems.error(codes::WRONG_TYPE, span, message, kind(got), format!("write {help}"));
    }

    /// A value as the author wrote it, if it fits into the help of a problem.
    fn written(&self, value: &Spanned<DeValue<'_>>) -> Option<&str> {
        let text = self.problems.file.text.get(value.span())?;
        (text.len() <= LONGEST_ECHO && !text.contains(['"', '\n', '\\'])).then_some(text)
    }

    fn text_of(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
        match value.get_ref() {
            DeValue::String(text) => {
                if let Some(bad) = text.chars().find(|c| is_forbidden(*c)) {
                    // The character itself is searched for, not its escape.
                    let written = self.problems.file.text.get(value.span()).and_then(|written| written.find(bad));
                    let span = written.map_or_else(
                        || value.span(),
                        |at| value.span().start + at..value.span().start + at + bad.len_utf8(),
                    );
                    self.report(
                        codes::CONTROL_CHARACTER,
                        span,
                        format!("`{key}` contains the invisible character U+{:04X}", u32::from(bad)),
                        "remove it: it can change how a terminal shows the text",
                    );
                }
                Some(text.clone().into_owned())
            }
            other => {
                self.wrong_type(value.span(), key, "text", other);
                None
            }
        }
    }

    /// Text that must be there and not be blank.
    pub(crate) fn text(&self, key: &'static str) -> Option<String> {
        let value = self.needed(key, &example(key, "text"))?;
        self.filled(key, value)
    }

    fn filled(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
        let text = self.text_of(key, value)?;
        if text.trim().is_empty() {
            self.report(codes::EMPTY, value.span(), format!("`{key}` is empty"), "fill it in");
        }
        Some(text)
    }

    /// Text that must be there but may be empty.
    pub(crate) fn text_or_empty(&self, key: &'static str) -> Option<String> {
        let value = self.needed(key, &example(key, "text"))?;
        self.text_of(key, value)
    }

    /// Text that may be left out.
    pub(crate) fn optional_text(&self, key: &'static str) -> Option<String> {
        self.filled(key, self.value(key)?)
    }

    /// A program that may be left out. Its text is not changed.
    pub(crate) fn optional_program(&self, key: &'static str) -> Option<String> {
        let value = self.value(key)?;
        let DeValue::String(text) = value.get_ref() else {
            self.wrong_type(value.span(), key, "text", value.get_ref());
            return None;
        };
        Some(text.clone().into_owned())
    }

    /// A list of texts; empty if it is left out or invalid.
    pub(crate) fn texts(&self, key: &'static str) -> Vec<String> {
        self.value(key).and_then(|value| self.list_of_texts(key, value)).unwrap_or_default()
    }

    /// A list of texts that must be there and hold something.
    pub(crate) fn some_texts(&self, key: &'static str) -> Option<Vec<String>> {
        let value = self.needed(key, &example(key, "a list of texts"))?;
        let texts = self.list_of_texts(key, value)?;
        if texts.is_empty() && !self.problems.is_refused(value.span().start, &value.span()) {
            self.empty_list(key, value.span());
        }
        Some(texts)
    }

    fn empty_list(&self, key: &str, span: Range<usize>) {
        self.report(codes::EMPTY, span, format!("`{key}` is empty"), "write at least one entry");
    }

    /// A text in a list.
    fn entry(&self, key: &str, item: &Spanned<DeValue<'_>>) -> Option<String> {
        if item.get_ref().is_str() {
            return self.filled(key, item);
        }
        let message = format!("every entry of `{key}` must be text, not {}", kind(item.get_ref()));
        let help = match self.written(item) {
            Some(text) => format!("put it in quotes: `\"{text}\"`"),
            None => "write it as text in quotes".to_owned(),
        };
        self.problems.error(codes::WRONG_TYPE, item.span(), message, kind(item.get_ref()), help);
        None
    }

    fn short_enough(&self, key: &str, value: &Spanned<DeValue<'_>>, entries: usize) -> Option<()> {
        if entries <= MOST_ENTRIES {
            return Some(());
        }
        self.report(
            codes::TOO_LARGE,
            value.span(),
            format!("`{key}` has {entries} entries"),
            format!("use at most {MOST_ENTRIES}"),
        );
        None
    }

    fn list_of_texts(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Vec<String>> {
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong_type(value.span(), key, "a list of texts", value.get_ref());
            return None;
        };
        self.short_enough(key, value, items.len())?;
        Some(self.entries(items).filter_map(|item| self.entry(key, item)).collect())
    }

    /// A whole number.
    pub(crate) fn number(&self, key: &'static str) -> Option<Number> {
        let value = self.needed(key, &example(key, "a whole number"))?;
        self.number_of(key, value)
    }

    /// A whole number that may be left out.
    pub(crate) fn optional_number(&self, key: &'static str) -> Option<Number> {
        self.number_of(key, self.value(key)?)
    }

    /// A list of whole numbers that may be left out.
    pub(crate) fn optional_numbers(&self, key: &'static str) -> Option<Vec<Number>> {
        let value = self.value(key)?;
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong_type(value.span(), key, "a list of whole numbers", value.get_ref());
            return None;
        };
        self.short_enough(key, value, items.len())?;
        Some(self.entries(items).filter_map(|item| self.number_of(key, item)).collect())
    }

    fn number_of(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Number> {
        match value.get_ref() {
            DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => Some((number, value.span())),
                Err(_) => {
                    let message = format!("`{key}` is too large");
                    self.report(codes::BAD_VALUE, value.span(), message, "write a smaller number");
                    None
                }
            },
            other => {
                self.wrong_type(value.span(), key, "a whole number", other);
                None
            }
        }
    }

    /// `true` or `false`, which may be left out.
    pub(crate) fn optional_flag(&self, key: &'static str) -> Option<bool> {
        let value = self.value(key)?;
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            self.wrong_type(value.span(), key, "`true` or `false`", value.get_ref());
        }
        flag
    }

    /// A line number, counted from 1.
    pub(crate) fn line(&self, key: &'static str) -> Option<LineNo> {
        let (number, span) = self.number(key)?;
        let line = u32::try_from(number).ok().and_then(LineNo::new);
        if line.is_none() {
            self.report(
                codes::LINE_OUTSIDE,
                span,
                format!("`{key}` is {number}, but lines are counted from 1"),
                "use the number beside the line when the program is shown",
            );
        }
        line
    }

    /// A date without a time.
    pub(crate) fn date(&self, key: &'static str) -> Option<Date> {
        let value = self.needed(key, &example(key, "a date"))?;
        let DeValue::Datetime(written) = value.get_ref() else {
            self.wrong_type(value.span(), key, "a date", value.get_ref());
            return None;
        };
        let date = written.date.filter(|_| written.time.is_none()).and_then(|date| date.to_string().parse().ok());
        if date.is_none() {
            self.report(
                codes::BAD_VALUE,
                value.span(),
                format!("`{key}` must be a date without a time"),
                format!("write a date such as `{key} = 2026-11-29`"),
            );
        }
        date.map(Date)
    }

    /// One of a few words.
    pub(crate) fn choice<T: Copy>(&self, key: &'static str, choices: &[(&'static str, T)]) -> Option<T> {
        let value = self.needed(key, &format!("`{key}` with one of {}", listed_words(choices)))?;
        self.choice_of(key, value, choices)
    }

    /// One of a few words, which may be left out.
    pub(crate) fn optional_choice<T: Copy>(&self, key: &'static str, choices: &[(&'static str, T)]) -> Option<T> {
        self.choice_of(key, self.value(key)?, choices)
    }

    fn choice_of<T: Copy>(&self, key: &str, value: &Spanned<DeValue<'_>>, choices: &[(&'static str, T)]) -> Option<T> {
        let text = self.text_of(key, value)?;
        let chosen = choices.iter().find(|(word, _)| *word == text).map(|(_, choice)| *choice);
        if chosen.is_none() {
            let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
            let help = match closest(&text, &words).first() {
                Some(word) => format!("did you mean `{word}`? Use {}", listed_words(choices)),
                None => format!("use {}", listed_words(choices)),
            };
            self.report(codes::BAD_VALUE, value.span(), format!("`{text}` is not a {key}"), help);
        }
        chosen
    }

    /// A table that must be there.
    pub(crate) fn table(&self, key: &'static str) -> Option<Self> {
        let value = self.needed(key, &format!("a table `[{}]`", self.qualified(key)))?;
        self.child(format!("[{}]", self.qualified(key)), value)
    }

    /// A table that may be left out.
    pub(crate) fn optional_table(&self, key: &'static str) -> Option<Self> {
        self.child(format!("[{}]", self.qualified(key)), self.value(key)?)
    }

    /// The entries of an array of tables; empty if it is left out, `None` if it is invalid.
    pub(crate) fn tables(&self, key: &'static str) -> Option<Vec<Self>> {
        self.value(key).map_or_else(|| Some(Vec::new()), |value| self.list_of_tables(key, value))
    }

    /// The entries of an array of tables that must have one.
    pub(crate) fn some_tables(&self, key: &'static str) -> Option<Vec<Self>> {
        let value = self.needed(key, &format!("at least one table `[[{}]]`", self.qualified(key)))?;
        let tables = self.list_of_tables(key, value)?;
        if tables.is_empty() {
            self.empty_list(key, value.span());
        }
        Some(tables)
    }

    fn list_of_tables(&self, key: &'static str, value: &'a Spanned<DeValue<'a>>) -> Option<Vec<Self>> {
        let name = format!("[[{}]]", self.qualified(key));
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong_type(value.span(), key, &format!("a list of tables `{name}`"), value.get_ref());
            return None;
        };
        self.short_enough(key, value, items.len())?;
        Some(self.entries(items).filter_map(|item| self.child(name.clone(), item)).collect())
    }

    fn qualified(&self, key: &str) -> String {
        let parent = self.name.trim_matches(|c| c == '[' || c == ']');
        if parent.is_empty() { key.to_owned() } else { format!("{parent}.{key}") }
    }

    /// Reports an invalid value.
    pub(crate) fn report(&self, code: Code, span: Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        self.problems.error(code, span, message, "", help);
    }

    /// True if the table has `key`.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }

    /// Accepts `key` without reading its value.
    pub(crate) fn skip(&self, key: &'static str) {
        self.known.borrow_mut().push(key);
    }

    /// The bytes of the value of `key`, or of the table if `key` is missing.
    pub(crate) fn span_of(&self, key: &str) -> Range<usize> {
        self.values.get(key).map_or_else(|| self.span.clone(), Spanned::span)
    }

    /// Reports every key that was not read.
    pub(crate) fn finish(self) {
        let known = self.known.borrow();
        for key in self.values.keys() {
            let name = key.get_ref();
            if known.iter().any(|known| known == name) {
                continue;
            }
            let place = if self.name.is_empty() { String::new() } else { format!(" in `{}`", self.name) };
            let help = instead_of(name, &known);
            self.report(codes::UNKNOWN_KEY, key.span(), format!("unknown key `{name}`{place}"), help);
        }
    }
}
