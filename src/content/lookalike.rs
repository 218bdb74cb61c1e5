//! Names characters that only look like those of a program, as word processors and web pages write them.

use crate::text::is_unseen;

/// A character that no program has.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LookAlike {
    pub(crate) character: char,
    /// Its first byte in the text.
    pub(crate) at: usize,
}

impl LookAlike {
    /// The help for it.
    pub(crate) fn help(&self) -> String {
        let (name, instead) = described(self.character);
        let code = u32::from(self.character);
        match name {
            // It is invisible between backticks too.
            Some(name) if is_blank(self.character) => format!("U+{code:04X} is {name}: {instead}"),
            Some(name) => format!("`{}` is U+{code:04X}, {name}: {instead}", self.character),
            None => format!("`{}` is U+{code:04X}: {instead}", self.character),
        }
    }
}

/// The first such character of `line` before any string or comment, in which every character is allowed.
pub(crate) fn first(line: &str) -> Option<LookAlike> {
    let foreign = |c: char| !c.is_ascii() && !c.is_alphanumeric();
    let code = line.split(['\'', '"', '#']).next().unwrap_or(line);
    code.char_indices().find(|(_, c)| foreign(*c)).map(|(at, character)| LookAlike { character, at })
}

/// The first letter of `name` that is not one of those on every keyboard.
pub(crate) fn letter(name: &str) -> Option<LookAlike> {
    name.char_indices().find(|(_, c)| !c.is_ascii()).map(|(at, character)| LookAlike { character, at })
}

/// The first letter of `name` that only looks like a Latin one, if `name` has Latin letters too. `Δt` and `μs` are innocent.
pub(crate) fn mixed(name: &str) -> Option<LookAlike> {
    let looks_latin = |c: char| {
        matches!(c, '\u{400}'..='\u{52f}') || "\u{391}\u{392}\u{395}\u{396}\u{397}\u{399}\u{39a}\u{39c}\u{39d}\u{39f}\u{3a1}\u{3a4}\u{3a5}\u{3a7}\u{3bf}\u{3bd}".contains(c)
    };
    let (at, character) = name.char_indices().find(|(_, c)| looks_latin(*c))?;
    name.contains(|c: char| c.is_ascii_alphabetic()).then_some(LookAlike { character, at })
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || is_unseen(c)
}

/// The name of a character, and the help for it.
fn described(c: char) -> (Option<&'static str>, String) {
    let write = |text: &str| format!("write `{text}`");
    let blank = "write a plain space".to_owned();
    match c {
        '\u{a0}' | '\u{202f}' => (Some("a no-break space"), blank),
        _ if is_unseen(c) => (Some("an invisible character"), "remove it".to_owned()),
        _ if c.is_whitespace() => (Some("a space of unusual width"), blank),
        '\u{201c}'..='\u{201f}' | '«' | '»' | '″' => (Some("a typographic quote"), write("\"")),
        '\u{2018}'..='\u{201b}' | '‹' | '›' | '′' | '´' => (Some("a typographic quote"), write("'")),
        '\u{2010}'..='\u{2015}' => (Some("a dash"), write("-")),
        '−' => (Some("a typographic minus sign"), write("-")),
        '×' => (None, write("*")),
        '÷' => (None, write("/")),
        '≤' => (None, write("<=")),
        '≥' => (None, write(">=")),
        '≠' => (None, write("!=")),
        '→' => (None, write("->")),
        '…' => (None, write("...")),
        '\u{ff01}'..='\u{ff5e}' => {
            let narrow = char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c);
            (Some("a full-width character"), write(narrow.encode_utf8(&mut [0; 4])))
        }
        '\u{370}'..='\u{3ff}' => (Some("a Greek letter"), "write the Latin letter".to_owned()),
        '\u{400}'..='\u{52f}' => (Some("a Cyrillic letter"), "write the Latin letter".to_owned()),
        _ => (None, "write a plain character".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_looks_like_another_is_named() {
        for (text, help) in [
            ("x\u{a0}= 1", "U+00A0 is a no-break space: write a plain space"),
            ("x\u{2003}= 1", "U+2003 is a space of unusual width: write a plain space"),
            ("x\u{200d} = 1", "U+200D is an invisible character: remove it"),
            ("x = “a”", "`“` is U+201C, a typographic quote: write `\"`"),
            ("x = ‘a’", "`‘` is U+2018, a typographic quote: write `'`"),
            ("x = 1 – 2", "`–` is U+2013, a dash: write `-`"),
            ("if a ≤ b", "`≤` is U+2264: write `<=`"),
            ("f（x)", "`（` is U+FF08, a full-width character: write `(`"),
            ("x = 1 ☃", "`☃` is U+2603: write a plain character"),
        ] {
            assert_eq!(first(text).map(|it| it.help()).as_deref(), Some(help), "{text}");
        }
        assert_eq!(first("naïve = 'é'  # –"), None);
        assert_eq!(first("f('a', “b”)"), None);
        for (name, at) in [
            ("q\u{443}eue", Some(1)),
            ("\u{391}dd", Some(0)),
            ("queue", None),
            ("\u{394}t", None),
            ("\u{3bc}s", None),
            ("\u{43e}\u{447}\u{435}\u{440}\u{435}\u{434}\u{44c}_1", None),
            ("na\u{ef}ve", None),
        ] {
            assert_eq!(mixed(name).map(|it| it.at), at, "{name}");
        }
        let letter = letter("q\u{0443}eue").unwrap();
        assert_eq!(
            (letter.at, letter.help()),
            (1, "`у` is U+0443, a Cyrillic letter: write the Latin letter".to_owned())
        );
    }
}
