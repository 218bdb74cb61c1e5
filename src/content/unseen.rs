//! Characters that nobody sees and that change how text looks.
//!
//! Owns the one table of them. What becomes of such a character on a screen is `tui/text.rs`.

/// Characters that reorder, hide or break text, or that take room without a picture.
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

/// Whether an author must not write `c`: a terminal would obey it, or it would reorder or hide what stands around it.
/// Line breaks and tabs are neither, nor are the joiners and selectors that scripts and pictures need.
pub fn is_forbidden(c: char) -> bool {
    let joins = matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}');
    (c.is_control() && c != '\n' && c != '\t') || (is_unseen(c) && !joins)
}
