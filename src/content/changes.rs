//! Compares an entry of a repair with its line, without spaces and comments.

use crate::content::question::{Question, Repair, lines};

/// True if `repair` changes more of its line than spaces and comments.
pub(crate) fn changes(question: &Question, repair: &Repair) -> bool {
    let Some(line) = lines(&question.spot.code).get(repair.line.index()).copied() else { return true };
    let code = |text: &str| Some(bare(text)).filter(|code| !code.is_empty());
    !repair.with.lines().filter_map(code).eq(code(line))
}

/// True if the repair of `question` changes an accepted line.
pub(super) fn changes_an_answer(question: &Question) -> bool {
    let mut entries = question.spot.repairs.iter().filter(|repair| question.accepts(repair.line));
    entries.any(|repair| changes(question, repair))
}

/// The code of a line, without the comment after it. A `#` in a string does not start a comment.
pub(crate) fn without_comment(line: &str) -> &str {
    let mut quotes = Quotes::default();
    let comment = line.char_indices().find(|(_, c)| !quotes.inside(*c) && *c == '#');
    comment.map_or(line, |(at, _)| line.get(..at).unwrap_or(line))
}

/// The indentation and the code of a line, without spaces that mean nothing; empty for a blank line or a comment.
pub(crate) fn bare(line: &str) -> String {
    let code = without_comment(line).trim_end();
    let (indent, code) = code.split_at(code.len() - code.trim_start().len());
    let mut bare = if code.is_empty() { String::new() } else { indent.to_owned() };
    let mut quotes = Quotes::default();
    let mut blank = false;
    for c in code.chars() {
        let is_blank = !quotes.inside(c) && c.is_whitespace();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if !is_blank {
            // A space between two words separates them.
            if blank && is_word(c) && bare.chars().next_back().is_some_and(is_word) {
                bare.push(' ');
            }
            bare.push(c);
        }
        blank = is_blank;
    }
    bare
}

/// Recognises strings, character by character.
#[derive(Default)]
struct Quotes {
    open: Option<char>,
    escaped: bool,
}

impl Quotes {
    /// True if `c`, the next character of the line, is part of a string.
    fn inside(&mut self, c: char) -> bool {
        let inside = self.open.is_some();
        match (self.open, c) {
            _ if self.escaped => self.escaped = false,
            (Some(_), '\\') => self.escaped = true,
            (Some(open), _) if c == open => self.open = None,
            (None, '"' | '\'') => self.open = Some(c),
            _ => {}
        }
        inside
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::content::{parse, read};

    #[test]
    fn spaces_and_comments_are_not_a_change() {
        let text = include_str!("../../tests/fixtures/small.toml");
        let file = read::source(Path::new("small.toml"), text);
        let mut question = parse::question(&file).0.unwrap();
        for (with, changed) in [
            ("    for i in range(len(numbers)):\n", true),
            ("    for i in range(len(numbers) - 1):\n", false),
            ("    for  i in range( len(numbers)-1 ):", false),
            ("    for i in range(len(numbers) - 1):  # one less\n\n    # and so on\n", false),
            ("    size = 1\n    for i in range(len(numbers) - 1):\n", true),
            ("    # for i in range(len(numbers) - 1):\n", true),
            ("for i in range(len(numbers) - 1):\n", true),
            ("    fori in range(len(numbers) - 1):\n", true),
            ("", true),
        ] {
            with.clone_into(&mut question.spot.repairs[0].with);
            assert_eq!(changes(&question, &question.spot.repairs[0]), changed, "{with}");
            assert_eq!(changes_an_answer(&question), changed, "{with}");
        }
    }

    #[test]
    fn strings_keep_their_spaces_and_signs() {
        assert_eq!(bare("  x = 'a  # b' + \"it's \"  # why"), "  x='a  # b'+\"it's \"");
        assert_eq!(bare("x = 'it\\'s #' # why"), "x='it\\'s #'");
        assert_ne!(bare("x = 'a b'"), bare("x = 'ab'"));
        assert_eq!(bare("    # only a comment"), "");
    }
}
