//! Makes untrusted text safe to show, measures and shortens it, and writes plurals and lists.
//!
//! Question texts, program output, file names and pasted keys are untrusted. Each passes through here before it reaches a
//! terminal, on screens and on the command line alike.
//!
//! Characters are shown like this:
//! - C0 controls and DEL as their control pictures, so that ESC is `␛`;
//! - C1 controls, bidirectional controls, line separators, invisible and tag characters as `<U+202E>`;
//! - a tab as blanks up to the next multiple of [`TAB`];
//! - joiners, variation selectors and skin tones after an emoji are left out: terminals disagree about the width of such
//!   sequences, and the emoji alone has the same width everywhere;
//! - more than [`MARKS`] combining marks on one character, or one without a base, as `<U+0301>`.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns between tab stops.
pub const TAB: usize = 4;

/// Combining marks that one character may carry.
pub const MARKS: usize = 4;

/// Characters of a name or value that a message repeats.
const LONGEST_QUOTED: usize = 200;

/// `text` as one safe line. Line breaks in it are shown like other controls.
pub fn line(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut safe = Safe::new();
    safe.push(text);
    Cow::Owned(safe.finish())
}

/// `text` as safe lines, each ended by a line feed where `text` has one. `\r\n` counts as a line feed.
pub fn block(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for piece in text.split_inclusive('\n') {
        let body = piece.strip_suffix('\n').unwrap_or(piece);
        out.push_str(&line(if body.len() < piece.len() { body.strip_suffix('\r').unwrap_or(body) } else { body }));
        if body.len() < piece.len() {
            out.push('\n');
        }
    }
    Cow::Owned(out)
}

/// The lines of `text`, not yet safe, without their line ends; an empty text has none, and a line feed at the end opens
/// no further line.
pub fn raw_lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n').map(|piece| {
        let body = piece.strip_suffix('\n').unwrap_or(piece);
        if body.len() < piece.len() { body.strip_suffix('\r').unwrap_or(body) } else { body }
    })
}

fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

/// Builds one safe line out of pieces, so that tab stops and combining marks are right across them.
#[derive(Debug, Default)]
pub struct Safe {
    out: String,
    column: usize,
    /// Width of the last character that takes columns; 0 where nothing can be combined with.
    base: usize,
    last: char,
    marks: usize,
}

impl Safe {
    /// An empty line.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `text`, made safe.
    pub fn push(&mut self, text: &str) {
        for c in text.chars() {
            self.push_char(c);
        }
    }

    /// Bytes so far.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// True if nothing was added yet.
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// The line.
    pub fn finish(self) -> String {
        self.out
    }

    fn push_char(&mut self, c: char) {
        match c {
            ' '..='~' => self.put(c, 1),
            '\t' => {
                for _ in 0..TAB - self.column % TAB {
                    self.put(' ', 1);
                }
            }
            '\0'..='\x1f' => self.put(char::from_u32(0x2400 + u32::from(c)).unwrap_or('?'), 1),
            '\x7f' => self.put('␡', 1),
            '\u{fe0e}' | '\u{fe0f}' if self.base > 0 => {}
            '\u{200d}' | '\u{1f3fb}'..='\u{1f3ff}' if self.base == 2 => {}
            '\u{200c}' | '\u{200d}' if self.base == 1 && self.last >= '\u{600}' => self.mark(c),
            _ if is_unseen(c) => self.escape(c),
            _ => match c.width() {
                None => self.escape(c),
                Some(0) => self.mark(c),
                Some(width) => self.put(c, width),
            },
        }
    }

    fn put(&mut self, c: char, width: usize) {
        self.out.push(c);
        self.column += width;
        self.base = width;
        self.last = c;
        self.marks = 0;
    }

    /// A character without a width of its own. A blank is no base: terminals drop marks on blanks.
    fn mark(&mut self, c: char) {
        if self.base == 0 || self.last == ' ' || self.marks == MARKS {
            self.escape(c);
        } else {
            self.out.push(c);
            self.marks += 1;
        }
    }

    fn escape(&mut self, c: char) {
        let before = self.out.len();
        // Writing to a String does not fail.
        let _ = write!(self.out, "<U+{:04X}>", u32::from(c));
        self.column += self.out.len() - before;
        self.base = 0;
        self.marks = 0;
    }
}

/// Options that wrap prose at blanks only, so that addresses and dates stay whole.
pub fn whole_words(columns: usize) -> textwrap::Options<'static> {
    textwrap::Options::new(columns)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
}

/// The columns that safe text takes.
pub fn width(text: &str) -> usize {
    if is_plain(text) { text.len() } else { text.graphemes(true).map(UnicodeWidthStr::width).sum() }
}

/// Safe `text` cut to `columns`, with an ellipsis where something is missing.
pub fn shorten(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let Some(room) = columns.checked_sub(1) else { return Cow::Borrowed("") };
    let end = fitting(text, room);
    Cow::Owned(format!("{}…", text.get(..end).unwrap_or("").trim_end()))
}

/// The number of bytes of safe `text` that fit into `columns`.
fn fitting(text: &str, columns: usize) -> usize {
    let mut used = 0;
    for (start, grapheme) in text.grapheme_indices(true) {
        used += grapheme.width();
        if used > columns {
            return start;
        }
    }
    text.len()
}

/// Safe `text` broken between words into rows of at most `columns`, as ranges of bytes. Blanks at a break belong to no
/// row; a word that is longer than a row is cut. There is always one row.
pub fn wrap(text: &str, columns: usize) -> Vec<Range<usize>> {
    let columns = columns.max(2);
    let mut rows = Vec::new();
    let mut row = 0..0;
    let mut used = 0;
    for (start, word) in words(text) {
        let wide = width(word);
        let end = start + word.len();
        if word.starts_with(' ') {
            // Blanks are kept inside a row and dropped at its end; those that begin the text indent it.
            used += wide;
            if rows.is_empty() && row.end == 0 {
                row.end = end.min(columns / 2);
                used = row.end;
            }
            continue;
        }
        if used + wide > columns && row.end > row.start {
            rows.push(row.clone());
            row = start..start;
            used = 0;
        }
        if wide > columns {
            let mut rest = start;
            while let Some(text) = text.get(rest..end).filter(|rest| width(rest) > columns) {
                let fits = fitting(text, columns).max(text.graphemes(true).next().map_or(1, str::len));
                rows.push(row.start..rest + fits);
                rest += fits;
                row = rest..rest;
            }
            used = text.get(rest..end).map_or(0, width);
            row.end = end;
            continue;
        }
        if row.end == row.start {
            row.start = start;
            used = 0;
        }
        row.end = end;
        used += wide;
    }
    rows.push(row);
    rows
}

/// The runs of blanks and of anything else, with the byte at which each starts.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let blank = rest.starts_with(' ');
        let length = rest.find(|c: char| (c == ' ') != blank).unwrap_or(rest.len());
        let word = (start, rest.get(..length)?);
        start += length;
        Some(word)
    })
}

/// Safe `text` cut into rows of `columns`, wherever that falls, as ranges of bytes. There is always one row.
pub fn cut(text: &str, columns: usize) -> Vec<Range<usize>> {
    let columns = columns.max(2);
    let mut rows = Vec::new();
    let mut start = 0;
    while let Some(rest) = text.get(start..).filter(|rest| width(rest) > columns) {
        let fits = fitting(rest, columns).max(1);
        rows.push(start..start + fits);
        start += fits;
    }
    rows.push(start..text.len());
    rows
}

/// The number of rows that [`cut`] would make.
pub fn cut_count(text: &str, columns: usize) -> usize {
    let columns = columns.max(2);
    if is_plain(text) { text.len().div_ceil(columns).max(1) } else { cut(text, columns).len() }
}

/// True if `c` reorders, hides or breaks text, or takes room without a picture.
pub fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}'          // C1 controls
        | '\u{ad}'                   // soft hyphen
        | '\u{34f}'                  // grapheme joiner
        | '\u{61c}'                  // Arabic letter mark
        | '\u{115f}' | '\u{1160}'    // Hangul fillers
        | '\u{17b4}' | '\u{17b5}'    // Khmer inherent vowels
        | '\u{180b}'..='\u{180f}'    // Mongolian selectors
        | '\u{200b}'..='\u{200f}'    // zero-width space, joiners, direction marks
        | '\u{2028}'..='\u{202e}'    // separators, embeddings, overrides
        | '\u{2060}'..='\u{206f}'    // word joiner, isolates, deprecated controls
        | '\u{3164}'                 // Hangul filler
        | '\u{fe00}'..='\u{fe0f}'    // variation selectors
        | '\u{feff}'                 // byte order mark
        | '\u{ffa0}'                 // halfwidth Hangul filler
        | '\u{fff9}'..='\u{fffb}'    // interlinear annotation
        | '\u{1d173}'..='\u{1d17a}'  // musical controls
        | '\u{e0000}'..='\u{e0fff}'  // tags and selectors
    )
}

/// True if questions may not contain `c`: a terminal would obey it, or it reorders or hides the text around it. Line breaks,
/// tabs, and the joiners and selectors that scripts and emoji need are allowed.
pub fn is_forbidden(c: char) -> bool {
    let joins = matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}');
    (c.is_control() && c != '\n' && c != '\t') || (is_unseen(c) && !joins)
}

/// `1 check`, `2 checks`: a number with a noun whose plural takes an "s".
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// `a`, `a and b`, `a, b and c` where `word` is "and"; an empty text for no items.
pub fn listed(things: impl IntoIterator<Item = impl Display>, word: &str) -> String {
    let things: Vec<String> = things.into_iter().map(|thing| thing.to_string()).collect();
    match things.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} {word} {last}", rest.join(", ")),
        _ => things.concat(),
    }
}

/// The beginning of `word`, as much as a message repeats, with an ellipsis where it was cut.
pub fn brief(word: &str) -> Cow<'_, str> {
    match word.char_indices().nth(LONGEST_QUOTED) {
        Some((at, _)) => Cow::Owned(format!("{}…", word.split_at(at).0)),
        None => Cow::Borrowed(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_passes() {
        assert_eq!(line("\x1b]52;c;QQ==\x07"), "␛]52;c;QQ==␇");
        assert_eq!(line("a\r\n\0\u{8}\u{7f}"), "a␍␊␀␈␡");
        assert_eq!(line("\u{9b}31m"), "<U+009B>31m");
        assert_eq!(line("x\u{202e}y\u{2066}\u{2069}\u{61c}\u{2028}"), "x<U+202E>y<U+2066><U+2069><U+061C><U+2028>");
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            let text = format!("a{c}b");
            let safe = line(&text);
            assert!(!safe.chars().any(|c| c.is_control() || is_unseen(c)), "{:04X} became {safe}", u32::from(c));
        }
    }

    #[test]
    fn tabs_reach_the_next_stop() {
        assert_eq!(line("\tx\ty"), "    x   y");
        assert_eq!(line("漢\tx"), "漢  x");
    }

    #[test]
    fn pictures_have_the_width_that_every_terminal_gives_them() {
        let family = line("👩‍👩‍👧‍👦|");
        assert_eq!(family, "👩👩👧👦|");
        assert_eq!(width(&family), 9);
        assert_eq!(line("♻️"), "♻");
        assert_eq!(line("🥲🏻"), "🥲");
        assert_eq!(line("क्‍ष"), "क्‍ष");
        assert_eq!(line("a\u{200d}b"), "a<U+200D>b");
    }

    #[test]
    fn marks_stand_on_something_and_do_not_pile_up() {
        assert_eq!(line("e\u{301}"), "e\u{301}");
        assert_eq!(line("\u{301}"), "<U+0301>");
        let pile = format!("e{}", "\u{301}".repeat(6));
        assert_eq!(line(&pile), "e\u{301}\u{301}\u{301}\u{301}<U+0301><U+0301>");
    }

    #[test]
    fn blocks_keep_their_line_feeds() {
        assert_eq!(block("a\tb\r\nc\rd\n"), "a   b\nc␍d\n");
        assert_eq!(raw_lines("a\r\nb\n").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(raw_lines("").count(), 0);
    }

    #[track_caller]
    fn wrapped(text: &str, columns: usize) -> Vec<&str> {
        wrap(text, columns).into_iter().map(|row| &text[row]).collect()
    }

    #[test]
    fn words_wrap_and_long_ones_are_cut() {
        assert_eq!(wrapped("a lease is a lock", 8), ["a lease", "is a", "lock"]);
        assert_eq!(wrapped("", 8), [""]);
        assert_eq!(wrapped("abcdefghij kl", 4), ["abcd", "efgh", "ij", "kl"]);
        assert_eq!(wrapped("a abcdefgh", 4), ["a", "abcd", "efgh"]);
        assert_eq!(wrapped("漢字漢字", 5), ["漢字", "漢字"]);
        assert_eq!(wrapped("漢", 1), ["漢"]);
        assert_eq!(wrapped("one   two", 5), ["one", "two"]);
    }

    #[test]
    fn every_row_fits_and_nothing_but_blanks_is_lost() {
        let text = "Workers  write reports-to storage; 漢字 is 👩👩 wide, aaaaaaaaaaaaaaaaaaaaaaaaaa ends.";
        for columns in 2..60 {
            let rows = wrapped(text, columns);
            assert!(rows.iter().all(|row| width(row) <= columns), "{columns}: {rows:?}");
            assert_eq!(rows.concat().replace(' ', ""), text.replace(' ', ""), "{columns}");
            let rows = cut(text, columns);
            assert!(rows.iter().all(|row| width(&text[row.clone()]) <= columns));
            assert_eq!(rows.iter().map(|row| &text[row.clone()]).collect::<String>(), text);
            assert_eq!(rows.len(), cut_count(text, columns));
        }
    }

    #[test]
    fn shortened_text_says_that_something_is_missing() {
        assert_eq!(shorten("fencing tokens", 14), "fencing tokens");
        assert_eq!(shorten("fencing tokens", 9), "fencing…");
        assert_eq!(shorten("漢字", 3), "漢…");
        assert_eq!(shorten("x", 0), "");
    }

    #[test]
    fn plurals_lists_and_long_words() {
        assert_eq!([0, 1, 2].map(|count| counted(count, "check")), ["0 checks", "1 check", "2 checks"]);
        assert_eq!([0, 1, 2, 3].map(|count: u32| listed(1..=count, "or")), ["", "1", "1 or 2", "1, 2 or 3"]);
        assert_eq!(brief(&"ä".repeat(200)), "ä".repeat(200));
        assert_eq!(brief(&"ä".repeat(201)), format!("{}…", "ä".repeat(200)));
    }
}
