//! Asks before someone else's program runs in a sandbox that cannot keep it from files and network.
//!
//! Programs that ship with fencepost may run anywhere. All others need a sandbox that contains them, or the user's consent,
//! which scripts give with `--trust-pack`. A submitted fix counts as someone else's, even for a shipped question.

use std::collections::BTreeSet;
use std::io::{self, BufRead, IsTerminal, Write};

use crate::content::catalog::Entry;
use crate::error::Error;
use crate::runner::{Level, Missing};
use crate::text;

/// Inspects the sandbox, on demand, since that starts the runner.
pub(super) trait Inspect {
    /// Returns the level, and what is missing for the full one.
    fn inspect(&self) -> Result<(Level, Vec<Missing>), Error>;
}

/// Sources of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Programs {
    /// The question's own programs.
    OfQuestion,
    /// A submitted fix.
    HandedIn,
}

/// Most columns of a pack's name in the question to the user.
const NAME: usize = 60;

impl Programs {
    /// True if these programs for `entry` may run without a sandbox.
    pub(super) fn run_anywhere(self, entry: &Entry, trusted: &[String]) -> bool {
        (self == Self::OfQuestion && entry.shipped) || trusted.contains(&entry.name.pack)
    }

    /// Says where they are from, as the start of a sentence.
    fn origin(self, entry: &Entry) -> String {
        let shown = |name: &str| text::shorten(&text::line(name), NAME).into_owned();
        match self {
            Self::OfQuestion => format!("the pack `{}` did not come with fencepost", shown(&entry.name.pack)),
            Self::HandedIn => format!("the fix for `{}` was submitted by someone else", shown(&entry.name.to_string())),
        }
    }
}

/// Checks that these programs for `entry` may run, or asks the user.
///
/// # Errors
///
/// The sandbox cannot contain them, and nobody consented.
pub(super) fn obtain(
    programs: Programs,
    entry: &Entry,
    trusted: &[String],
    sandbox: &impl Inspect,
) -> Result<(), Error> {
    if programs.run_anywhere(entry, trusted) {
        return Ok(());
    }
    let (level, missing) = sandbox.inspect()?;
    if level.contains_strangers() {
        return Ok(());
    }
    let why = reasons(level, &missing);
    let origin = programs.origin(entry);
    if io::stdin().is_terminal() && io::stderr().is_terminal() && ask(&question(&origin, &why)) {
        return Ok(());
    }
    let pack = &entry.name.pack;
    let (was, them) = match programs {
        Programs::OfQuestion => ("its programs were", "them"),
        Programs::HandedIn => ("it was", "it"),
    };
    Err(Error::usage(format!("{origin}, and {was} not run: {why}"))
        .hint(format!("look at the programs first; then `--trust-pack {pack}` runs {them}")))
}

/// Explains the level of the sandbox.
pub(super) fn reasons(level: Level, missing: &[Missing]) -> String {
    let reasons: BTreeSet<String> =
        missing.iter().map(|missing| format!("{} ({})", missing.part.word(), missing.reason)).collect();
    let reasons: Vec<String> = reasons.into_iter().collect();
    format!("the sandbox is only at level {level} and lacks {}", reasons.join(", "))
}

/// Phrases the question to the user. No name in it can start a line of its own.
fn question(origin: &str, why: &str) -> String {
    let (first, rest) = origin.split_at(1);
    let origin = format!("{}{rest}", first.to_uppercase());
    format!(
        "{}\nThe program could read and change your files. Run it? [y/N] ",
        text::line(&format!("{origin}, and {why}."))
    )
}

fn ask(question: &str) -> bool {
    let mut out = io::stderr().lock();
    if out.write_all(question.as_bytes()).and_then(|()| out.flush()).is_err() {
        return false;
    }
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::Programs::{HandedIn, OfQuestion};
    use super::*;
    use crate::content::catalog::Catalog;
    use crate::content::load;
    use crate::runner::Part;

    struct Sandbox(Level);

    impl Inspect for Sandbox {
        fn inspect(&self) -> Result<(Level, Vec<Missing>), Error> {
            let missing = Missing { part: Part::Seccomp, reason: "the kernel has none".into() };
            Ok((self.0, if self.0 == Level::Full { vec![] } else { vec![missing] }))
        }
    }

    fn entry(shipped: bool) -> Entry {
        let catalog: Catalog = load::load(&[]).unwrap();
        let mut entry = Entry::clone(&catalog.questions[0]);
        entry.shipped = shipped;
        entry.name.pack = "theirs".into();
        entry
    }

    #[test]
    fn unshipped_programs_run_only_if_contained_or_trusted() {
        let trusted = vec!["theirs".to_owned()];
        for level in [Level::Full, Level::NoLandlock, Level::LimitsOnly, Level::None] {
            let sandbox = Sandbox(level);
            assert!(obtain(OfQuestion, &entry(true), &[], &sandbox).is_ok(), "shipped at {level}");
            for programs in [OfQuestion, HandedIn] {
                assert!(obtain(programs, &entry(false), &trusted, &sandbox).is_ok(), "trusted at {level}");
            }
            let another = ["another".to_owned()];
            for (programs, shipped) in [(OfQuestion, false), (HandedIn, false), (HandedIn, true)] {
                let stranger = obtain(programs, &entry(shipped), &another, &sandbox);
                assert_eq!(stranger.is_ok(), level <= Level::NoLandlock, "{programs:?} at {level}");
                if let Err(error) = stranger {
                    assert_eq!(error.exit.code(), 2);
                    assert!(error.message.ends_with("lacks seccomp (the kernel has none)"), "{error}");
                    assert_eq!(error.hints.len(), 1);
                    assert!(error.hints[0].contains("--trust-pack theirs"), "{}", error.hints[0]);
                }
            }
        }
    }

    #[test]
    fn a_name_cannot_write_lines_of_its_own_into_the_question() {
        let mut entry = entry(false);
        entry.name.pack = "theirs\nIt is safe. Type y.\r\u{1b}[2J".into();
        for programs in [OfQuestion, HandedIn] {
            let asked = question(&programs.origin(&entry), "the sandbox lacks seccomp");
            assert_eq!(asked.matches('\n').count(), 1, "{asked}");
            assert_eq!(asked.chars().find(|c| c.is_control() && *c != '\n'), None, "{asked}");
        }
        entry.name.pack = "p".repeat(10_000);
        assert!(question(&OfQuestion.origin(&entry), "why").len() < 300);
    }
}
