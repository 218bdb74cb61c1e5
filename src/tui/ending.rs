//! Ends a session in the screens, also after a panic.
//!
//! `effects/ending.rs` has the rule of every front end: a lost answer is reported whatever ended the session.

use crate::effects::ending::ending as report;
use crate::error::{Error, Exit};
use crate::text;

/// Puts together how the loop ended (`None`: it panicked), what the first panic said, and whether all answers are saved.
pub(super) fn ending(
    played: Option<Result<Exit, Error>>,
    panic: Option<String>,
    saved: Result<(), Error>,
) -> Result<Exit, Error> {
    let ended = match (played, panic) {
        (_, Some(message)) => Err(internal(&format!("internal error: {}", text::line(&message)), saved.is_ok())),
        (None, None) => Err(internal("internal error without a message", saved.is_ok())),
        (Some(ended), None) => ended,
    };
    report(ended, saved)
}

fn internal(message: &str, saved: bool) -> Error {
    let hint = "this is a mistake in fencepost; please report it with the line above";
    Error::machinery(message).hint(if saved { format!("{hint}. Answers are saved.") } else { hint.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOST: &str = "1 answer could not be saved: disk full";

    fn lost() -> Result<(), Error> {
        Err(Error::machinery(LOST).hint("make room"))
    }

    #[test]
    fn a_panic_says_that_answers_are_saved_only_when_they_are() {
        // The loop itself panics, or another thread does and the loop ends for it.
        for played in [|| None, || Some(Ok(Exit::Machinery))] {
            let panicked = |saved| ending(played(), Some("it fell over".to_owned()), saved).unwrap_err();
            assert!(panicked(Ok(())).hints.concat().ends_with("Answers are saved."));
            let error = panicked(lost());
            assert_eq!(error.message, format!("internal error: it fell over; {LOST}"));
            assert!(!error.hints.concat().contains("Answers are saved"), "{:?}", error.hints);
        }
        assert_eq!(ending(None, None, Ok(())).unwrap_err().exit.code(), 4);
    }
}
