//! How a line is said by the one beside it: "the line above", "the next line".

use super::tokens::{Kind, Token, tokens};

/// Which of the two neighbours is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::content::leak) enum Side {
    Above,
    Below,
}

/// Every place in `text` that speaks of the line above or below, in its own words.
pub(in crate::content::leak) fn beside(text: &str) -> Vec<(&str, Side)> {
    let tokens = tokens(text);
    let pair = |pair: &[Token]| {
        let [first, second] = pair else { return None };
        let (Kind::Word(one), Kind::Word(two)) = (&first.kind, &second.kind) else { return None };
        let side = match (one.as_str(), two.as_str()) {
            ("line", "above" | "before") | ("previous" | "preceding", "line") => Side::Above,
            ("line", "below" | "after") | ("next" | "following", "line") => Side::Below,
            _ => return None,
        };
        Some((text.get(first.place.start..second.place.end)?, side))
    };
    tokens.windows(2).filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_named_in_many_ways() {
        for (text, side) in [
            ("the line above", Side::Above),
            ("the line *before* it", Side::Above),
            ("the previous line", Side::Above),
            ("the preceding line", Side::Above),
            ("the line below.", Side::Below),
            ("the line after", Side::Below),
            ("The next line", Side::Below),
            ("the following line", Side::Below),
        ] {
            assert_eq!(beside(text).into_iter().map(|it| it.1).collect::<Vec<_>>(), [side], "{text}");
        }
        for text in ["", "above", "the line", "above the line", "the next one", "lines above 100", "inline after"] {
            assert_eq!(beside(text), [], "{text}");
        }
        assert_eq!(beside("see the next `line`"), [("next `line", Side::Below)]);
    }
}
