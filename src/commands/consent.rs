//! Asks before a stranger's program runs where the sandbox cannot keep it from files and network.
//!
//! Owns the rule: packs that came with the program may run anywhere, others only inside a sandbox that contains them, or
//! where the user agreed. Scripts agree with `--trust-pack`.

use std::collections::BTreeSet;
use std::io::{self, BufRead, IsTerminal, Write};

use crate::content::catalog::Entry;
use crate::error::Error;
use crate::runner::{Level, Missing};
use crate::tui::text;

/// What the sandbox amounts to, asked only when it matters.
pub(super) trait Inspect {
    /// The level, and what is missing for the full one.
    fn inspect(&self) -> Result<(Level, Vec<Missing>), Error>;
}

/// Makes sure that the program of `entry` may run.
///
/// # Errors
///
/// The sandbox is too weak for a stranger's program and nobody agreed.
pub(super) fn obtain(entry: &Entry, trusted: &[String], sandbox: &impl Inspect) -> Result<(), Error> {
    let pack = &entry.name.pack;
    if entry.shipped || trusted.contains(pack) {
        return Ok(());
    }
    let (level, missing) = sandbox.inspect()?;
    if level.contains_strangers() {
        return Ok(());
    }
    let why = reasons(level, &missing);
    if io::stdin().is_terminal() && io::stderr().is_terminal() && ask(pack, &why) {
        return Ok(());
    }
    Err(Error::usage(format!("the pack `{pack}` did not come with fencepost, and its programs were not run: {why}"))
        .hint(format!("look at the programs first; then `--trust-pack {pack}` runs them")))
}

/// One sentence on what the sandbox does not do here.
pub(super) fn reasons(level: Level, missing: &[Missing]) -> String {
    let reasons: BTreeSet<String> =
        missing.iter().map(|missing| format!("{} ({})", missing.part.word(), missing.reason)).collect();
    let reasons: Vec<String> = reasons.into_iter().collect();
    format!("the sandbox is only at level {level} and lacks {}", reasons.join(", "))
}

fn ask(pack: &str, why: &str) -> bool {
    let question = format!(
        "The pack `{pack}` did not come with fencepost, and {why}.\nIts programs could read and change your files. Run \
         them? [y/N] "
    );
    let mut out = io::stderr().lock();
    if out.write_all(text::block(&question).as_bytes()).and_then(|()| out.flush()).is_err() {
        return false;
    }
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

#[cfg(test)]
mod tests {
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
    fn strangers_run_only_where_they_are_contained_or_trusted() {
        let trusted = vec!["theirs".to_owned()];
        for level in [Level::Full, Level::NoLandlock, Level::LimitsOnly, Level::None] {
            let sandbox = Sandbox(level);
            assert!(obtain(&entry(true), &[], &sandbox).is_ok(), "shipped at {level}");
            assert!(obtain(&entry(false), &trusted, &sandbox).is_ok(), "trusted at {level}");
            let stranger = obtain(&entry(false), &["another".to_owned()], &sandbox);
            assert_eq!(stranger.is_ok(), level <= Level::NoLandlock, "stranger at {level}");
            if let Err(error) = stranger {
                assert_eq!(error.exit.code(), 2);
                assert!(error.message.ends_with("lacks seccomp (the kernel has none)"), "{error}");
                assert_eq!(error.hints.len(), 1);
                assert!(error.hints[0].contains("--trust-pack theirs"), "{}", error.hints[0]);
            }
        }
    }
}
