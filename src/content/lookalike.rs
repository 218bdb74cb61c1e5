//! Characters that look like those of a program and are others, as word processors and web pages write them.
//!
//! Names them, and what the author meant.

use crate::text::is_unseen;

/// A character that is no part of a program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LookAlike {
    pub(crate) character: char,
    /// Where it begins in the text.
    pub(crate) at: usize,
}

impl LookAlike {
    /// The remedy.
    pub(crate) fn help(&self) -> String {
        let (name, instead) = described(self.character);
        let code = u32::from(self.character);
        match name {
            // It would not be seen between backticks either.
            Some(name) if is_blank(self.character) => format!("U+{code:04X} stands there, {name}: {instead}"),
            Some(name) => format!("`{}` is U+{code:04X}, {name}: {instead}", self.character),
            None => format!("`{}` is U+{code:04X}: {instead}", self.character),
        }
    }
}

/// The first character of `line` that no program has outside of its texts and comments, in which there may be any. It is
/// looked for before the first of those.
pub(crate) fn first(line: &str) -> Option<LookAlike> {
    let foreign = |c: char| !c.is_ascii() && !c.is_alphanumeric();
    let code = line.split(['\'', '"', '#']).next().unwrap_or(line);
    code.char_indices().find(|(_, c)| foreign(*c)).map(|(at, character)| LookAlike { character, at })
}

/// The first letter of `name` that is not one of those on every keyboard.
pub(crate) fn letter(name: &str) -> Option<LookAlike> {
    name.char_indices().find(|(_, c)| !c.is_ascii()).map(|(at, character)| LookAlike { character, at })
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || is_unseen(c)
}

/// The name of a character, and the remedy.
fn described(c: char) -> (Option<&'static str>, String) {
    let write = |text: &str| format!("write `{text}`");
    let blank = "write a plain blank".to_owned();
    match c {
        '\u{a0}' | '\u{202f}' => (Some("a no-break space"), blank),
        _ if is_unseen(c) => (Some("an invisible character"), "remove it".to_owned()),
        _ if c.is_whitespace() => (Some("a space of another width"), blank),
        '\u{201c}'..='\u{201f}' | '«' | '»' | '″' => (Some("a typographic quote"), write("\"")),
        '\u{2018}'..='\u{201b}' | '‹' | '›' | '′' | '´' => (Some("a typographic quote"), write("'")),
        '\u{2010}'..='\u{2015}' => (Some("a dash"), write("-")),
        '−' => (Some("a minus of typesetters"), write("-")),
        '×' => (None, write("*")),
        '÷' => (None, write("/")),
        '≤' => (None, write("<=")),
        '≥' => (None, write(">=")),
        '≠' => (None, write("!=")),
        '→' => (None, write("->")),
        '…' => (None, write("...")),
        '\u{ff01}'..='\u{ff5e}' => {
            let narrow = char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c);
            (Some("a character of full width"), write(narrow.encode_utf8(&mut [0; 4])))
        }
        '\u{370}'..='\u{3ff}' => (Some("a Greek letter"), "write the plain one".to_owned()),
        '\u{400}'..='\u{52f}' => (Some("a Cyrillic letter"), "write the plain one".to_owned()),
        _ => (None, "write a plain character".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_looks_like_another_is_named() {
        for (text, help) in [
            ("x\u{a0}= 1", "U+00A0 stands there, a no-break space: write a plain blank"),
            ("x\u{2003}= 1", "U+2003 stands there, a space of another width: write a plain blank"),
            ("x\u{200d} = 1", "U+200D stands there, an invisible character: remove it"),
            ("x = “a”", "`“` is U+201C, a typographic quote: write `\"`"),
            ("x = ‘a’", "`‘` is U+2018, a typographic quote: write `'`"),
            ("x = 1 – 2", "`–` is U+2013, a dash: write `-`"),
            ("if a ≤ b", "`≤` is U+2264: write `<=`"),
            ("f（x)", "`（` is U+FF08, a character of full width: write `(`"),
            ("x = 1 ☃", "`☃` is U+2603: write a plain character"),
        ] {
            assert_eq!(first(text).map(|it| it.help()).as_deref(), Some(help), "{text}");
        }
        assert_eq!(first("naïve = 'é'  # –"), None);
        assert_eq!(first("f('a', “b”)"), None);
        let letter = letter("q\u{0443}eue").unwrap();
        assert_eq!((letter.at, letter.help()), (1, "`у` is U+0443, a Cyrillic letter: write the plain one".to_owned()));
    }
}
