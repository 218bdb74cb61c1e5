//! Writes a line as its author seems to have meant it, in valid TOML.

use toml::de::DeTable;

/// Longest line that a help repeats.
pub(super) const LONGEST: usize = 100;

/// The key of a line `key = ...`.
pub(super) fn key(line: &str) -> Option<&str> {
    let (key, value) = line.split_once('=')?;
    let key = key.trim();
    (is_key(key) && !value.starts_with('=')).then_some(key)
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_of_key)
}

fn is_of_key(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// The line in valid TOML, if it can be told how.
pub(super) fn line(line: &str) -> Option<String> {
    let line = line.trim();
    let candidates = if line.starts_with('[') { vec![table(line)?] } else { assignment(line)? };
    let works = |it: &String| it.len() <= LONGEST && it != line && DeTable::parse_recoverable(it).1.is_empty();
    candidates.into_iter().find(works)
}

/// `[name]` or `[[name]]`, with the rest of the line as a comment.
fn table(line: &str) -> Option<String> {
    let name = line.trim_start_matches('[');
    let end = name.find(|c| !is_of_key(c)).unwrap_or(name.len());
    let (name, rest) = name.split_at_checked(end)?;
    let (open, close) = if line.starts_with("[[") { ("[[", "]]") } else { ("[", "]") };
    let rest = rest.trim_start_matches(']').trim_start_matches(['#', ' ']);
    let comment = if rest.is_empty() { String::new() } else { format!(" # {rest}") };
    Some(format!("{open}{name}{close}{comment}"))
}

/// `key = value`, in the ways that the value can be meant.
fn assignment(line: &str) -> Option<Vec<String>> {
    let (key, rest) = match line.split_once('=') {
        // The parts of a key are often written apart.
        Some((words, rest)) if words.split_whitespace().count() <= 3 && words.split_whitespace().all(is_key) => {
            (words.split_whitespace().collect::<Vec<_>>().join("_"), rest.trim_start_matches('='))
        }
        _ => {
            let (key, rest) = line.split_at_checked(line.find(|c| !is_of_key(c))?)?;
            let rest = rest.trim_start();
            let rest = match rest.strip_prefix(':') {
                Some(value) => value.trim_start_matches('='),
                // A value without any sign before it.
                None => Some(rest).filter(|rest| rest.len() > 1 && rest.starts_with(['"', '\'', '[']))?,
            };
            // Code has such lines too: `else:`.
            (key.to_owned(), Some(rest).filter(|rest| !rest.trim().is_empty())?)
        }
    };
    Some(values(rest).into_iter().map(|value| format!("{key} = {value}")).collect())
}

fn values(written: &str) -> Vec<String> {
    let written = written.trim().trim_end_matches([',', ';']).trim_end();
    let number = written.trim_start_matches(['+', '-']);
    let signs = written.strip_suffix(number).unwrap_or_default();
    let sign = if signs.contains('-') { "-" } else { "" };
    let digits = number.trim_start_matches('0');
    if written.is_empty() {
        vec!["\"...\"".to_owned()]
    } else if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
        vec![format!("{sign}{}", if digits.is_empty() { "0" } else { digits })]
    } else if written == "True" || written == "False" {
        vec![written.to_lowercase()]
    } else if written.starts_with(['[', '(']) {
        list(written).into_iter().collect()
    } else if let Some(parts) = date_parts(written) {
        date(&parts).into_iter().collect()
    } else {
        texts(written)
    }
}

/// The three numbers of something that is written like a date.
pub(super) fn date_parts(written: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = written.split(['-', '.', '/']).collect();
    let is_number = |part: &&str| !part.is_empty() && part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
    let years = parts.iter().filter(|part| part.len() == 4).count();
    (parts.len() == 3 && years == 1 && parts.iter().all(is_number)).then_some(parts)
}

/// The date that is meant by year, month and day, or by day, month and year.
fn date(parts: &[&str]) -> Option<String> {
    let &[first, month, last] = parts else { return None };
    let (year, day) = if first.len() == 4 { (first, last) } else { (last, first) };
    let date = format!("{year}-{month:0>2}-{day:0>2}");
    date.parse::<jiff::civil::Date>().is_ok().then_some(date)
}

/// A text in the quotes that it fits into.
fn texts(written: &str) -> Vec<String> {
    // Python has letters before the quotes.
    let bare = written.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let is_prefixed = written.len() - bare.len() <= 2
        && ['"', '\''].iter().any(|quote| bare.len() > 1 && bare.starts_with(*quote) && bare.ends_with(*quote));
    let written = if is_prefixed { bare } else { written };
    let inner = match written.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) {
        Some(quote) => written.trim_start_matches(quote).trim_end_matches(quote),
        None => written.trim_end_matches(['"', '\'']),
    };
    let escaped = inner.replace('\\', "\\\\").replace('"', "\\\"");
    vec![format!("\"{inner}\""), format!("'{inner}'"), format!("\"{escaped}\"")]
}

/// A list with each entry in quotes and a comma between.
fn list(written: &str) -> Option<String> {
    let inner = written.get(1..)?.strip_suffix([']', ')'])?;
    let mut entries = Vec::new();
    let mut rest = inner.trim();
    while !rest.is_empty() {
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
        let end = match quote {
            Some(quote) => rest.get(1..)?.find(quote)? + 2,
            None => rest.find([',', '"', '\'']).unwrap_or(rest.len()),
        };
        let (entry, behind) = rest.split_at_checked(end)?;
        let entry = entry.trim();
        if quote.is_some() || entry.parse::<i64>().is_ok() {
            entries.push(entry.to_owned());
        } else if !entry.is_empty() {
            entries.push(format!("\"{entry}\""));
        }
        rest = behind.trim_start_matches([',', ' ']);
    }
    Some(format!("[{}]", entries.join(", ")))
}
