//! Inline Markdown as pieces of text with a meaning, for screens and for plain text.
//!
//! Prose may contain `code`, *emphasis*, **strong** and links. Everything else that Markdown knows
//! is shown as it was written. The pieces are the author's text and not yet safe to draw.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A piece of prose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its text, without the marks.
    pub text: String,
    /// Its kind.
    pub kind: Kind,
}

/// The kind of a piece of prose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Plain words.
    Text,
    /// Code.
    Code,
    /// Stressed.
    Emphasis,
    /// The address of the link before it.
    Address,
}

/// The pieces of `markdown`. Line breaks in it become blanks.
pub fn pieces(markdown: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    if !markdown.contains(['`', '*', '_', '[', '<', '&', '\\']) {
        let text = markdown.trim().replace(['\n', '\r'], " ");
        push(&mut out, &text, Kind::Text);
        return out;
    }
    let mut stressed = 0_usize;
    let mut addresses: Vec<String> = Vec::new();
    // One line that begins with a full stop is a paragraph whatever follows, so that "1. x" or "# x" stays a sentence.
    // Emphasis may begin behind punctuation, so the stop changes nothing else.
    let source = format!(".{}", markdown.trim().replace(['\n', '\r'], " "));
    for event in Parser::new_ext(&source, Options::empty()) {
        let kind = if stressed > 0 { Kind::Emphasis } else { Kind::Text };
        match event {
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => push(&mut out, &text, kind),
            Event::Code(text) => push(&mut out, &text, Kind::Code),
            Event::Start(Tag::Emphasis | Tag::Strong) => stressed += 1,
            Event::End(TagEnd::Emphasis | TagEnd::Strong) => stressed = stressed.saturating_sub(1),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => addresses.push(dest_url.into()),
            Event::End(TagEnd::Link | TagEnd::Image) => {
                let address = addresses.pop().unwrap_or_default();
                // `<https://...>` is its own address.
                if out.last().is_none_or(|piece| piece.text != address) && !address.is_empty() {
                    push(&mut out, &address, Kind::Address);
                }
            }
            _ => {}
        }
    }
    if let Some(first) = out.first_mut() {
        first.text = first.text.replacen('.', "", 1);
        if first.text.is_empty() {
            out.remove(0);
        }
    }
    out
}

/// `markdown` as plain text: code keeps its backticks, emphasis its asterisks, and addresses are in parentheses.
pub fn plain(markdown: &str) -> String {
    pieces(markdown).iter().map(marked).collect()
}

/// A piece with marks that show its kind without colour.
pub fn marked(piece: &Piece) -> String {
    match piece.kind {
        Kind::Text => piece.text.clone(),
        Kind::Code => format!("`{}`", piece.text),
        Kind::Emphasis => format!("*{}*", piece.text),
        Kind::Address => format!(" ({})", piece.text),
    }
}

fn push(out: &mut Vec<Piece>, text: &str, kind: Kind) {
    match out.last_mut() {
        Some(last) if last.kind == kind && kind != Kind::Code => last.text.push_str(text),
        _ => out.push(Piece { text: text.to_owned(), kind }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_keeps_its_meaning_without_style() {
        assert_eq!(
            plain("set `x = 1` *now*, see [the docs](https://example.org/a)"),
            "set `x = 1` *now*, see the docs (https://example.org/a)"
        );
        assert_eq!(plain("plain\nwords"), "plain words");
        assert_eq!(plain("a `b`\nc"), "a `b` c");
    }

    #[test]
    fn what_is_not_inline_stays_a_sentence() {
        assert_eq!(plain("1. `first`"), "1. `first`");
        assert_eq!(plain("# not a *heading*"), "# not a *heading*");
        assert_eq!(plain("`list[str]` is a type"), "`list[str]` is a type");
        assert_eq!(plain("a < b && c[0]"), "a < b && c[0]");
        assert_eq!(plain("    *indented*"), "*indented*");
    }

    #[test]
    fn pieces_say_what_they_are() {
        let found = pieces("`a` and **b**");
        let kinds: Vec<Kind> = found.iter().map(|piece| piece.kind).collect();
        assert_eq!(kinds, [Kind::Code, Kind::Text, Kind::Emphasis]);
    }
}
