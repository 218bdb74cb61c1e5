//! Finds texts and lists that are not closed where their author meant them to be.

use std::ops::Range;

use toml::de::{DeTable, Error};

use super::{place, rewrite};
use crate::text;

/// Most texts of which the rest of the file is read again, to see whether they end too late.
const MOST_TRIED: usize = 20;

/// A text or list after which a file is read as something else.
pub(super) struct Break {
    /// Its opening quotes or bracket.
    pub(super) opened: Range<usize>,
    pub(super) message: String,
    pub(super) help: String,
    /// Where the file can be read again, if anywhere.
    pub(super) next: Option<usize>,
}

/// The bytes of the line around `at`, without its end.
pub(super) fn line_at(text: &str, at: usize) -> Range<usize> {
    let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let end = text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |length| at + length);
    start..end
}

/// The name of the table that begins with a line: `spot.answer` of `[[spot.answer]]`.
pub(super) fn header(line: &str) -> Option<&str> {
    let code = line.split('#').next().unwrap_or_default().trim_end();
    let name = match code.strip_prefix("[[") {
        Some(rest) => rest.strip_suffix("]]")?,
        None => code.strip_prefix('[')?.strip_suffix(']')?,
    };
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(fits)).then_some(name)
}

/// True if a line gives a key its value.
pub(super) fn is_assignment(line: &str) -> bool {
    rewrite::key(line).is_some()
}

/// The lines of `text` with their first bytes.
fn lines(text: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut at = from;
    text.get(from..).unwrap_or_default().split_inclusive('\n').map(move |line| {
        at += line.len();
        (at - line.len(), line)
    })
}

/// Unresolved merge conflicts, each from its first to its last line.
pub(super) fn conflicts(text: &str) -> Vec<Range<usize>> {
    let is_mark = |line: &str, mark: &str| {
        line.strip_prefix(mark).is_some_and(|rest| rest.trim_end().is_empty() || rest.starts_with(' '))
    };
    let mut found = Vec::new();
    let (mut begun, mut is_half) = (None, false);
    for (at, line) in lines(text, 0) {
        if is_mark(line, "<<<<<<<") {
            (begun, is_half) = (Some(at), false);
        } else if line.trim_end() == "=======" {
            is_half = begun.is_some();
        } else if is_mark(line, ">>>>>>>")
            && is_half
            && let Some(start) = begun.take()
        {
            found.push(start..at + line.trim_end().len());
            is_half = false;
        }
    }
    found
}

/// A text between three quotes.
struct Text {
    quotes: &'static str,
    open: usize,
    /// Its closing quotes.
    close: Option<Range<usize>>,
}

/// The texts between three quotes, as the parser takes them.
fn texts(text: &str) -> Vec<Text> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(next) = rest.find(['#', '\'', '"']) else { break };
        let open = at + next;
        let rest = rest.get(next..).unwrap_or_default();
        let to_line_end = || rest.find('\n').unwrap_or(rest.len());
        if rest.starts_with('#') {
            at = open + to_line_end();
        } else if let Some(quotes) = ["'''", "\"\"\""].into_iter().find(|quotes| rest.starts_with(quotes)) {
            let body = rest.get(3..).unwrap_or_default();
            let close = end_of(body, quotes, quotes == "\"\"\"").map(|length| {
                let start = open + 3 + length;
                // Up to two quotes before the closing ones belong to the text.
                let quote = quotes.get(..1).unwrap_or_default();
                let more = body.get(length + 3..).unwrap_or_default();
                let more = more.len() - more.trim_start_matches(quote).len();
                start..start + 3 + more.min(2)
            });
            at = close.as_ref().map_or(text.len(), |close| close.end);
            found.push(Text { quotes, open, close });
        } else {
            let quote = rest.get(..1).unwrap_or_default();
            let line = rest.get(1..to_line_end()).unwrap_or_default();
            let length = end_of(line, quote, quote == "\"").map_or(line.len(), |length| length + 1);
            at = open + 1 + length;
        }
    }
    found
}

/// The bytes of `body` before `quotes`, of which none follows a backslash if there are `escapes`.
fn end_of(body: &str, quotes: &str, escapes: bool) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = body.get(at..)?;
        let end = rest.find(quotes)?;
        match rest.find('\\').filter(|slash| escapes && *slash < end) {
            Some(slash) => at += slash + 1 + rest.get(slash + 1..)?.chars().next()?.len_utf8(),
            None => return Some(at + end),
        }
    }
}

/// The first text or list that ends where its author did not mean it to. `errors` are those of `text`, in order.
pub(super) fn first(text: &str, errors: &[Error]) -> Option<Break> {
    let open_list = list(text, errors);
    let mut tried = 0;
    let open_text = texts(text)
        .into_iter()
        .find_map(|it| unclosed(text, errors, &it, &mut tried).or_else(|| inner(text, errors, &it)));
    [open_list, open_text].into_iter().flatten().min_by_key(|found| found.opened.start)
}

/// The errors from `at` on.
fn from<'a>(text: &str, errors: &'a [Error], at: usize) -> std::slice::Iter<'a, Error> {
    let before = errors.partition_point(|error| place(text, error).start < at);
    errors.get(before..).unwrap_or_default().iter()
}

/// A text that goes on to the end of the file, or over the beginning of a table or of another text.
fn unclosed(text: &str, errors: &[Error], it: &Text, tried: &mut usize) -> Option<Break> {
    let body = line_at(text, it.open).end + 1;
    let close = it.close.as_ref().map_or(text.len(), |close| close.start);
    let opens_another = |line: &str| {
        line.trim_end().strip_suffix(it.quotes).is_some_and(|key| key.trim_end().ends_with('=') && is_assignment(key))
    };
    let is_next = |line: &str| header(line).is_some() || opens_another(line);
    let next = lines(text, body).take_while(|(at, _)| *at < close).find(|(_, line)| is_next(line)).map(|(at, _)| at);
    if it.close.is_some() {
        // It is open if the file makes more sense from there on.
        let next = text.get(next?..)?;
        let after = from(text, errors, close).count();
        *tried += usize::from(after > 0);
        if after == 0 || *tried > MOST_TRIED || DeTable::parse_recoverable(next).1.len() >= after {
            return None;
        }
    }
    let quotes = it.quotes;
    Some(Break {
        opened: it.open..it.open + quotes.len(),
        message: format!("the text that begins here with `{quotes}` is not closed"),
        help: format!("write `{quotes}` behind its last line"),
        next,
    })
}

/// A text that ends at quotes which belong to it, such as those of a docstring.
fn inner(text: &str, errors: &[Error], it: &Text) -> Option<Break> {
    let close = it.close.clone()?;
    let line = line_at(text, close.start);
    if line.start <= it.open {
        return None;
    }
    let is_at = |line: &Range<usize>| {
        from(text, errors, line.start.max(close.end)).next().is_some_and(|error| place(text, error).start <= line.end)
    };
    let behind = text.get(close.end..line.end)?.trim_start();
    let is_blank = text.get(it.open + it.quotes.len()..close.start)?.trim().is_empty();
    let is_inside = text.get(line.start..close.start)?.starts_with([' ', '\t']) || is_blank;
    let continues = if behind.is_empty() || behind.starts_with('#') {
        let next = lines(text, line.end + 1).find(|(_, line)| !line.trim().is_empty());
        is_inside && next.is_some_and(|(at, _)| is_at(&line_at(text, at)))
    } else {
        is_at(&line) && !behind.starts_with([',', ']', '}'])
    };
    if !continues {
        return None;
    }
    let opening = text.get(line_at(text, it.open)).unwrap_or_default().trim();
    let quotes = it.quotes;
    let help = match quotes {
        "'''" => "write docstrings and long texts in this program with `\"\"\"`",
        _ => "put the text between `'''`, or write `\\\"` for each of the inner quotes",
    };
    Some(Break {
        opened: close,
        message: format!("these `{quotes}` end the text that begins with `{}`", text::brief(opening)),
        help: help.to_owned(),
        next: lines(text, line.end + 1).find(|(_, line)| header(line).is_some()).map(|(at, _)| at),
    })
}

/// A list that goes on over the next key or table.
fn list(text: &str, errors: &[Error]) -> Option<Break> {
    let is_of_list = |error: &&Error| {
        let known = ["missing comma between array elements", "unexpected `=` in array", "unclosed array"];
        let message = error.message();
        known.iter().any(|known| message.starts_with(known)) && !message.starts_with("unclosed array table")
    };
    let error = errors.iter().find(is_of_list)?;
    let line = line_at(text, place(text, error).start);
    let begins = |line: &str| {
        is_assignment(line) && line.split_once('=').is_some_and(|(_, value)| value.trim_start().starts_with('['))
    };
    let is_end = error.message().starts_with("unclosed array");
    let before = lines(text, 0).take_while(|(at, _)| *at < line.start || is_end && *at <= line.start);
    let (at, opening) = before.filter(|(_, line)| begins(line)).last()?;
    let next = lines(text, at + opening.len()).find(|(_, line)| is_assignment(line) || header(line).is_some());
    let end = next.map_or(text.len(), |(next, _)| next);
    let alone = DeTable::parse_recoverable(text.get(at..end)?).1;
    if !alone.iter().any(|error| error.message().starts_with("unclosed array")) {
        return None;
    }
    let open = at + opening.find('=').and_then(|sign| Some(sign + opening.get(sign..)?.find('[')?))?;
    let written = opening.trim_end();
    let short = written.len() <= rewrite::LONGEST && written.ends_with(|c: char| c != '[' && c != ',');
    Some(Break {
        opened: open..open + 1,
        message: "the list that begins here with `[` is not closed".to_owned(),
        help: if short { format!("write `{written}]`") } else { "write `]` behind its last entry".to_owned() },
        next: next.map(|(at, _)| at),
    })
}
