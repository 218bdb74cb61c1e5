//! Colours, and the marks that say the same without colour.
//!
//! A colour only repeats what a word or a mark says. All themes use the terminal's own sixteen colours and its own
//! background, so that they follow the learner's palette.

use ratatui::style::{Color, Modifier, Style};

use crate::settings::ThemeName;

/// The meaning of a piece of a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Body text.
    Text,
    /// Details that may be overlooked.
    Dim,
    /// The name of the screen or the question.
    Title,
    /// The name of a section.
    Heading,
    /// A fact about the question, such as what it requires.
    Chip,
    /// The tab of the stage that is shown, and marked rows.
    Marked,
    /// A key that can be pressed.
    Key,
    /// Right, passed, finished.
    Good,
    /// Wrong, failed.
    Bad,
    /// Needs attention.
    Warning,
    /// A line that a repair adds.
    Added,
    /// A line that a repair removes.
    Removed,
    /// Code inside prose.
    Code,
    /// Stressed words inside prose.
    Emphasis,
    /// Part of a program.
    Syntax(Syntax),
}

/// Parts of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// `def`, `return`, operators that are words.
    Keyword,
    /// Text.
    String,
    /// Numbers, `True`, `None`.
    Constant,
    /// Comments.
    Comment,
    /// Names of functions.
    Function,
    /// Names of classes and types.
    Type,
}

/// The marks of a theme. All are one column wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyphs {
    /// The current line or row.
    pub cursor: &'static str,
    /// Right.
    pub right: &'static str,
    /// Wrong.
    pub wrong: &'static str,
    /// Begins an item of a list.
    pub bullet: &'static str,
    /// Between facts on one line.
    pub dot: &'static str,
    /// Beside a program and its standard output.
    pub bar: &'static str,
    /// The part of a scroll bar that is shown.
    pub thumb: &'static str,
    /// The upper end of a rail that joins two rows.
    pub rail_top: &'static str,
    /// Its lower end.
    pub rail_bottom: &'static str,
    /// Upwards.
    pub up: &'static str,
    /// Downwards.
    pub down: &'static str,
    /// The line that runs next.
    pub now: &'static str,
    /// Something happens here.
    pub event: &'static str,
}

const UNICODE: Glyphs = Glyphs {
    cursor: "▸",
    right: "✓",
    wrong: "×",
    bullet: "•",
    dot: "·",
    bar: "│",
    thumb: "┃",
    rail_top: "┌",
    rail_bottom: "└",
    up: "↑",
    down: "↓",
    now: "→",
    event: "●",
};

const ASCII: Glyphs = Glyphs {
    cursor: ">",
    right: "*",
    wrong: "x",
    bullet: "-",
    dot: "-",
    bar: "|",
    thumb: "#",
    rail_top: "+",
    rail_bottom: "+",
    up: "^",
    down: "v",
    now: "=",
    event: "o",
};

/// A theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Its name.
    pub name: ThemeName,
    /// Its marks.
    pub glyphs: Glyphs,
    /// True if the terminal shows nothing but ASCII.
    pub ascii: bool,
}

impl Theme {
    /// The theme called `name`. `ascii` is for terminals whose character set is not UTF-8.
    pub fn new(name: ThemeName, ascii: bool) -> Self {
        Self { name, glyphs: if ascii { ASCII } else { UNICODE }, ascii }
    }

    /// True if colours are used. Without them, code and emphasis in prose keep the marks that they are written with.
    pub fn has_colour(&self) -> bool {
        self.name != ThemeName::Colourless
    }

    /// The style of `role`.
    pub fn style(&self, role: Role) -> Style {
        let plain = Style::new();
        let weight = match role {
            Role::Title | Role::Heading | Role::Key => Modifier::BOLD,
            Role::Marked => Modifier::BOLD.union(Modifier::REVERSED),
            Role::Dim | Role::Syntax(Syntax::Comment) => Modifier::DIM,
            Role::Good | Role::Bad | Role::Warning => Modifier::BOLD,
            Role::Emphasis => Modifier::ITALIC,
            Role::Syntax(Syntax::Keyword) if !self.has_colour() => Modifier::BOLD,
            Role::Text | Role::Chip | Role::Added | Role::Removed | Role::Code | Role::Syntax(_) => Modifier::empty(),
        };
        let style = plain.add_modifier(weight);
        match self.colour(role) {
            Some(colour) => style.fg(colour),
            None => style,
        }
    }

    fn colour(&self, role: Role) -> Option<Color> {
        let (dark, light) = match role {
            Role::Text | Role::Dim | Role::Title | Role::Emphasis | Role::Syntax(Syntax::Comment) => return None,
            Role::Heading => (Color::LightCyan, Color::Blue),
            Role::Chip | Role::Code => (Color::Cyan, Color::Blue),
            Role::Marked | Role::Key => (Color::LightYellow, Color::Magenta),
            Role::Good | Role::Added => (Color::LightGreen, Color::Green),
            Role::Bad | Role::Removed => (Color::LightRed, Color::Red),
            Role::Warning => (Color::LightYellow, Color::Red),
            Role::Syntax(Syntax::Keyword) => (Color::LightMagenta, Color::Magenta),
            Role::Syntax(Syntax::String) => (Color::LightGreen, Color::Green),
            Role::Syntax(Syntax::Constant) => (Color::LightYellow, Color::Red),
            Role::Syntax(Syntax::Function) => (Color::LightBlue, Color::Blue),
            Role::Syntax(Syntax::Type) => (Color::LightCyan, Color::Cyan),
        };
        match self.name {
            ThemeName::Dark => Some(dark),
            ThemeName::Light => Some(light),
            ThemeName::Colourless => None,
        }
    }
}

/// True if the locale's character set is not UTF-8. `variable` looks an environment variable up; the first of `LC_ALL`,
/// `LC_CTYPE` and `LANG` that is set and not empty decides. Where none is, UTF-8 is taken for granted, as on systems
/// that have no locales.
pub fn needs_ascii(variable: impl Fn(&str) -> Option<String>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(variable).find(|value| !value.is_empty());
    locale.is_some_and(|value| {
        let value = value.to_ascii_lowercase();
        !value.contains("utf-8") && !value.contains("utf8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_decides_about_marks() {
        let with = |pairs: &'static [(&str, &str)]| {
            move |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        };
        assert!(!needs_ascii(with(&[])));
        assert!(!needs_ascii(with(&[("LANG", "de_DE.UTF-8")])));
        assert!(needs_ascii(with(&[("LANG", "C")])));
        assert!(needs_ascii(with(&[("LC_ALL", "POSIX"), ("LANG", "en_GB.utf8")])));
        assert!(!needs_ascii(with(&[("LC_ALL", ""), ("LC_CTYPE", "C.UTF-8"), ("LANG", "C")])));
    }

    #[test]
    fn no_colour_means_none() {
        let theme = Theme::new(ThemeName::Colourless, false);
        for role in [Role::Good, Role::Bad, Role::Marked, Role::Code, Role::Syntax(Syntax::String)] {
            assert_eq!(theme.style(role).fg, None);
            assert_eq!(theme.style(role).bg, None);
        }
    }

    #[test]
    fn marks_are_one_column_wide() {
        for glyphs in [UNICODE, ASCII] {
            let all = [
                glyphs.cursor,
                glyphs.right,
                glyphs.wrong,
                glyphs.bullet,
                glyphs.dot,
                glyphs.bar,
                glyphs.thumb,
                glyphs.rail_top,
                glyphs.rail_bottom,
                glyphs.up,
                glyphs.down,
                glyphs.now,
                glyphs.event,
            ];
            assert!(all.iter().all(|glyph| crate::text::width(glyph) == 1));
        }
        assert!(ASCII.cursor.is_ascii());
    }
}
