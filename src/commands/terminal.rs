//! Capabilities of the terminal, from the environment.

use std::ffi::OsStr;

/// True if the terminal can neither move its cursor nor set colours.
pub(super) fn is_dumb() -> bool {
    names_dumb(std::env::var_os("TERM").as_deref(), cfg!(windows))
}

/// True if `term`, the value of `TERM`, means a dumb terminal. Windows does not set it; see terminfo(5).
fn names_dumb(term: Option<&OsStr>, windows: bool) -> bool {
    match term {
        None => !windows,
        Some(term) => term.is_empty() || term == "dumb",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_without_a_kind_is_dumb() {
        for (term, windows, dumb) in [
            (Some("dumb"), false, true),
            (Some(""), false, true),
            (None, false, true),
            (None, true, false),
            (Some("dumb"), true, true),
            (Some("xterm-256color"), false, false),
        ] {
            assert_eq!(names_dumb(term.map(OsStr::new), windows), dumb, "{term:?}");
        }
    }
}
