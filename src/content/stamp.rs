//! Computes the hash of the stamp `[verified]`, and writes a stamp into the text of a question.
//!
//! The caller decides when a question has earned it.

use std::ops::Range;

use sha2::{Digest, Sha256};
use toml::de::DeTable;
use toml_edit::{DocumentMut, Item, Table, value};

use crate::content::question::{Ask, Question, Verified};
use crate::content::versions;

/// The hash of everything that is proved: the programs and their outputs, the answers, the repair, the checks, and the code of
/// the scenario.
pub fn hash(question: &Question) -> String {
    let mut hash = Sha256::new();
    // Each part has its kind and length before it, so that nothing can move from one into another.
    let mut part = |kind: &str, text: &str| {
        for bytes in [kind, text] {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes.as_bytes());
        }
    };
    let Question { spot, fixed, .. } = question;
    part("spot.code", &spot.code);
    part("spot.prints", &spot.prints);
    if spot.ask == Ask::Gap {
        part("spot.ask", "gap");
    }
    for answer in &spot.answers {
        part("answer.line", &answer.line.to_string());
        part("answer.code", &answer.code);
    }
    for repair in &spot.repairs {
        part("repair.line", &repair.line.to_string());
        part("repair.with", &repair.with);
    }
    part("fixed.code", &fixed.code);
    part("fixed.prints", &fixed.prints);
    for check in &question.checks {
        part("check.name", &check.name);
        part("check.code", &check.code);
    }
    if let Some(scenario) = &question.scenario {
        part("scenario.setup", &scenario.setup);
        for watch in &scenario.watch {
            part("scenario.watch", watch);
        }
        for step in &scenario.steps {
            // A step that runs nothing still has its row.
            match &step.run {
                Some(run) => part("step.run", run),
                None => part("step", ""),
            }
        }
    }
    let digits = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    format!("sha256:{digits}")
}

/// True if `stamp` was written for `question` as it is now.
pub fn covers(stamp: &Verified, question: &Question) -> bool {
    stamp.hash == hash(question)
}

/// The stamp of `question`, if it matches the question and its range of Python versions.
pub fn that_holds(question: &Question) -> Option<&Verified> {
    let allowed = |stamp: &Verified| stamp.pythons().all(|it| versions::allows(&question.python, it));
    let holds = |stamp: &&Verified| allowed(stamp) && covers(stamp, question);
    question.verified.as_ref().filter(holds)
}

/// True if `old` and `new` differ at most in the day.
pub fn says_the_same(old: &Verified, new: &Verified) -> bool {
    (&old.python, &old.mypy, &old.hash) == (&new.python, &new.mypy, &new.hash)
}

/// The bytes of a question's file that belong to a stamp, valid or not. Empty if the text is not TOML.
pub fn places(text: &str) -> Vec<Range<usize>> {
    let (root, errors) = DeTable::parse_recoverable(text);
    let Some((key, value)) = root.get_ref().get_key_value("verified").filter(|_| errors.is_empty()) else {
        return Vec::new();
    };
    let inner = value.get_ref().as_table().into_iter().flatten();
    let inner = inner.flat_map(|(key, value)| [key.span(), value.span()]);
    [key.span(), value.span()].into_iter().chain(inner).collect()
}

/// The text of a question's file with this stamp in place of any other. Everything else stays as it was written, down to
/// the line ends. `None` if the text is not TOML.
pub fn stamped(text: &str, stamp: &Verified) -> Option<String> {
    let (mark, body) = text.strip_prefix('\u{FEFF}').map_or(("", text), |body| ("\u{FEFF}", body));
    let unix = body.replace("\r\n", "\n");
    let mut document: DocumentMut = unix.parse().ok()?;
    // Anything but a table is replaced; the comments above it stay.
    let mut above = String::new();
    if document.get("verified").is_some_and(|old| !old.is_table_like()) {
        let (key, old) = document.remove_entry("verified")?;
        let first = old.as_array_of_tables().and_then(|tables| tables.get(0)).map(Table::decor);
        let prefix = first.unwrap_or(key.leaf_decor()).prefix().and_then(|it| it.as_str());
        prefix.unwrap_or_default().trim_start_matches('\n').clone_into(&mut above);
    }
    let table = if document.contains_key("verified") {
        document.get_mut("verified")?
    } else {
        // Comments at the end of the file stay above the stamp.
        let mut end = document.trailing().as_str().unwrap_or_default().to_owned();
        if !end.is_empty() && !end.ends_with('\n') {
            end.push('\n');
        }
        document.set_trailing("");
        let mut table = Table::new();
        table.decor_mut().set_prefix(end + "\n" + &above);
        document.entry("verified").or_insert(Item::Table(table))
    };
    let known = ["python", "mypy", "on", "hash"];
    let table_like = table.as_table_like_mut()?;
    let unknown: Vec<String> =
        table_like.iter().map(|(key, _)| key.to_owned()).filter(|it| !known.contains(&&**it)).collect();
    for key in unknown {
        table_like.remove(&key);
    }
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
    Some(mark.to_owned() + &with_line_ends(&document.to_string(), body))
}

/// `new` with the line ends of `old`, which may be mixed. A new or changed line gets that of the line in its place, or else of
/// the line before.
fn with_line_ends(new: &str, old: &str) -> String {
    let split = |line| {
        str::strip_suffix(line, "\n").map_or((line, ""), |line| match line.strip_suffix('\r') {
            Some(line) => (line, "\r\n"),
            None => (line, "\n"),
        })
    };
    let old: Vec<(&str, &str)> = old.split_inclusive('\n').map(split).collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let same =
        |(new, (text, end)): &(&&str, &(&str, &str))| new.strip_suffix('\n').unwrap_or(new) == *text && !end.is_empty();
    let before = new.iter().zip(&old).take_while(same).count();
    let rest = new.len().min(old.len()) - before;
    let after = new.iter().rev().zip(old.iter().rev()).take(rest).take_while(same).count();
    let (changed, follows) = (before..old.len() - after, new.len() - after);
    let mut last = old.iter().map(|(_, end)| *end).find(|end| !end.is_empty()).unwrap_or("\n");
    let mut out = String::new();
    for (at, line) in new.iter().enumerate() {
        let was = match at {
            _ if at >= follows => old.get(at + old.len() - new.len()),
            _ if at < before || changed.contains(&at) => old.get(at),
            _ => None,
        };
        last = was.map(|(_, end)| *end).filter(|end| !end.is_empty()).unwrap_or(last);
        out.push_str(line.strip_suffix('\n').unwrap_or(line));
        if line.ends_with('\n') {
            out.push_str(last);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use super::*;
    use crate::content::question::{Date, LineNo, Scenario};
    use crate::content::{parse, read};

    fn stamp() -> Verified {
        let on = Date(jiff::civil::date(2026, 11, 30));
        Verified { python: "3.13.0".into(), mypy: "2.4.1".into(), on, hash: "sha256:00".into() }
    }

    fn question() -> Question {
        let text = include_str!("../../tests/fixtures/small.toml").to_owned()
            + "\n[scenario]\nsetup = \"s = 1\"\nwatch = [\"s\", \"t\"]\n[[scenario.step]]\nat = \"1\"\nwho = \
               \"a\"\ndoes = \"b\"\nrun = \"t = 2\"\n";
        let file = read::source(Path::new("small.toml"), &text);
        parse::question(&file).0.unwrap()
    }

    #[test]
    fn a_stamp_covers_all_that_is_proved() {
        fn scenario(question: &mut Question) -> &mut Scenario {
            question.scenario.as_mut().unwrap()
        }
        let changes: [fn(&mut Question); 18] = [
            |it| it.spot.code.push('#'),
            |it| it.spot.prints.push('x'),
            |it| it.spot.answers[0].line = LineNo::new(7).unwrap(),
            |it| it.spot.answers[0].code.push('x'),
            |it| it.spot.answers.push(it.spot.answers[0].clone()),
            |it| it.spot.repairs[0].line = LineNo::new(7).unwrap(),
            |it| it.spot.repairs[0].with.push('x'),
            |it| it.spot.repairs.clear(),
            |it| it.fixed.code.push('#'),
            |it| it.fixed.prints.push('x'),
            |it| it.checks[0].name.push('x'),
            |it| it.checks[0].code.push('#'),
            |it| it.checks.clear(),
            |it| scenario(it).setup.push('#'),
            |it| scenario(it).watch.truncate(1),
            |it| scenario(it).steps[0].run = None,
            |it| scenario(it).steps[0].run = Some(String::new()),
            |it| it.scenario = None,
        ];
        let mut hashes = HashSet::from([hash(&question())]);
        for (at, change) in changes.into_iter().enumerate() {
            let mut changed = question();
            change(&mut changed);
            assert!(hashes.insert(hash(&changed)), "{at}");
        }
        // What moves from one part into another is seen.
        let moves: [fn(&mut Question); 3] = [
            |it| it.spot.code.push_str(&std::mem::take(&mut it.spot.prints)),
            |it| {
                let code = std::mem::take(&mut it.checks[0].code);
                it.checks[0].name.push_str(&code);
            },
            |it| {
                let watch = scenario(it).watch.pop().unwrap();
                scenario(it).steps[0].run = Some(watch);
            },
        ];
        for (at, change) in moves.into_iter().enumerate() {
            let mut changed = question();
            change(&mut changed);
            assert!(hashes.insert(hash(&changed)), "{at}");
        }
        let mut prose = question();
        prose.spot.explanation.push_str("So it is.");
        prose.say.seconds += 1;
        assert_eq!(hash(&prose), hash(&question()));
    }

    #[test]
    fn a_stamp_is_valid_while_it_matches() {
        let mut question = question();
        assert_eq!(that_holds(&question), None);
        question.verified = Some(Verified { hash: hash(&question), ..stamp() });
        assert_eq!(that_holds(&question), question.verified.as_ref());
        question.python = ">=3.14".to_owned();
        assert_eq!(that_holds(&question), None);
        question.python = ">=3.13".to_owned();
        question.spot.answers[0].line = LineNo::new(7).unwrap();
        assert_eq!(that_holds(&question), None);
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
    fn mixed_line_ends_stay_as_they_are() {
        let text = "# one\r\na = 1\n\r\n[b]\nc = '''\r\nx\n'''\r\n";
        let added =
            "\r\n[verified]\r\npython = \"3.13.0\"\r\nmypy = \"2.4.1\"\r\non = 2026-11-30\r\nhash = \"sha256:00\"\r\n";
        assert_eq!(stamped(text, &stamp()).unwrap(), format!("{text}{added}"));
        let old = "a = 1\r\n[verified]\nhash = \"x\"\r\npython = '3'\non = 2020-01-01\n[z]\r\ny = 2\n";
        let new = "a = 1\r\n[verified]\nhash = \"sha256:00\"\r\npython = \"3.13.0\"\non = 2026-11-30\nmypy = \"2.4.1\"\n\
                   [z]\r\ny = 2\n";
        assert_eq!(stamped(old, &stamp()).unwrap(), new);
        for end in ["", "# end", "\r\n# end"] {
            let text = format!("a = 1\r\n{end}");
            let gap = if end.is_empty() { "" } else { "\r\n" };
            assert_eq!(stamped(&text, &stamp()).unwrap(), format!("{text}{gap}{added}"));
        }
        assert_eq!(stamped("a = 1\r\nb = 2", &stamp()).unwrap(), format!("a = 1\r\nb = 2\r\n{added}"));
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

    #[test]
    fn half_a_stamp_is_made_whole() {
        let whole = "python = \"3.13.0\"\nmypy = \"2.4.1\"\non = 2026-11-30\nhash = \"sha256:00\"\n";
        for (half, made) in [
            ("[verified]\n\n[z]\n", format!("[verified]\n{whole}\n[z]\n")),
            ("[verified] # one\nsize = 3\n", format!("[verified] # one\n{whole}")),
            (
                "[verified]\n# two\nhash = 3 # three\n",
                "[verified]\n# two\nhash = \"sha256:00\" # three\npython = \"3.13.0\"\nmypy = \"2.4.1\"\non = \
                 2026-11-30\n"
                    .to_owned(),
            ),
            ("# four\nverified = 3\n[z]\n", format!("[z]\n\n# four\n[verified]\n{whole}")),
            ("[z]\n\n# five\n[[verified]]\n[[verified]]\n", format!("[z]\n\n# five\n[verified]\n{whole}")),
        ] {
            assert_eq!(stamped(half, &stamp()).as_deref(), Some(&*made), "{half}");
            assert_eq!(stamped(&made, &stamp()).as_deref(), Some(&*made), "{half}");
        }
    }

    #[test]
    fn a_stamp_is_found_in_its_file() {
        let found = |text: &'static str| places(text).into_iter().map(|it| &text[it]).collect::<Vec<_>>();
        assert_eq!(found("a = 1\n[verified]\non = 3\n[z]\n"), ["verified", "[verified]", "on", "3"]);
        assert_eq!(found("verified = 3\n"), ["verified", "3"]);
        assert_eq!(found("a = 1\n"), <[&str; 0]>::default());
        assert_eq!(found("verified = 3\na =\n"), <[&str; 0]>::default());
    }
}
