//! The stamp `[verified]`: what it covers, and how it gets into a file.
//!
//! Owns the hash and the change of the text. When a question has earned a stamp is the caller's to know.

use sha2::{Digest, Sha256};
use toml_edit::{DocumentMut, Item, Table, value};

use crate::content::question::{Question, Verified};

/// The hash of what a stamp covers: both programs and the checks, each with its length before it, so that nothing can move
/// from one into another.
pub fn hash(question: &Question) -> String {
    let mut hash = Sha256::new();
    let checks = question.checks.iter().flat_map(|check| [&check.name, &check.code]);
    for part in [&question.spot.code, &question.fixed.code].into_iter().chain(checks) {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let digits = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    format!("sha256:{digits}")
}

/// Whether `old` says all that `new` says, but for the day.
pub fn says_the_same(old: &Verified, new: &Verified) -> bool {
    (&old.python, &old.mypy, &old.hash) == (&new.python, &new.mypy, &new.hash)
}

/// The text of a question's file with this stamp in place of any other. Everything else stays as it was written, down to
/// the line ends. `None` where the text is no TOML.
pub fn stamped(text: &str, stamp: &Verified) -> Option<String> {
    let (mark, body) = text.strip_prefix('\u{FEFF}').map_or(("", text), |body| ("\u{FEFF}", body));
    let windows = body.contains("\r\n");
    let unix = if windows { body.replace("\r\n", "\n") } else { body.to_owned() };
    let mut document: DocumentMut = unix.parse().ok()?;
    let had = document.get("verified").is_some();
    let table = document.entry("verified").or_insert_with(|| Item::Table(Table::new()));
    let date: toml_edit::Datetime = stamp.on.to_string().parse().ok()?;
    for (key, item) in [
        ("python", value(&stamp.python)),
        ("mypy", value(&stamp.mypy)),
        ("on", value(date)),
        ("hash", value(&stamp.hash)),
    ] {
        match table.get_mut(key).and_then(Item::as_value_mut) {
            // The comments around the old value stay.
            Some(old) => {
                let decor = old.decor().clone();
                *old = item.into_value().ok()?;
                *old.decor_mut() = decor;
            }
            None => table.as_table_like_mut()?.insert(key, item).map_or((), drop),
        }
    }
    let mut out = document.to_string();
    if !had && !unix.ends_with('\n') {
        out = out.replacen("\n[verified]", "\n\n[verified]", 1);
    }
    Some(mark.to_owned() + &if windows { out.replace('\n', "\r\n") } else { out })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::question::Date;

    fn stamp() -> Verified {
        let on = Date(jiff::civil::date(2026, 11, 30));
        Verified { python: "3.13.0".into(), mypy: "2.4.1".into(), on, hash: "sha256:00".into() }
    }

    #[test]
    fn a_stamp_changes_nothing_else() {
        let text = "# one\na = 1   # two\n\n[b]\nc = '''\nx\n'''\n\n[[d]] # three\ne = 2\n";
        let added = "\n[verified]\npython = \"3.13.0\"\nmypy = \"2.4.1\"\non = 2026-11-30\nhash = \"sha256:00\"\n";
        assert_eq!(stamped(text, &stamp()).unwrap(), format!("{text}{added}"));
        let windows = format!("\u{FEFF}{}", text.replace('\n', "\r\n"));
        assert_eq!(stamped(&windows, &stamp()).unwrap(), format!("{windows}{}", added.replace('\n', "\r\n")));
    }

    #[test]
    fn an_old_stamp_is_replaced_in_its_place() {
        let old = "a = 1\n\n# by the tool\n[verified]\nhash = \"x\" # covers all\npython = '3.12.0'\nmypy = \"1\"\non = \
                   2020-01-01\n\n[z]\n";
        let new = "a = 1\n\n# by the tool\n[verified]\nhash = \"sha256:00\" # covers all\npython = \"3.13.0\"\nmypy = \
                   \"2.4.1\"\non = 2026-11-30\n\n[z]\n";
        assert_eq!(stamped(old, &stamp()).unwrap(), new);
        assert_eq!(stamped(new, &stamp()).unwrap(), new);
        assert_eq!(stamped("a = ", &stamp()), None);
    }
}
