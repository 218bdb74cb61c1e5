//! What a session in the screens comes to: how it ended, and what of it could not be saved.
//!
//! Owns the rule that an answer which is lost is always told, whatever else ended the session.

use crate::error::{Error, Exit};
use crate::tui::text;

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
    match (ended, saved) {
        (ended, Ok(())) => ended,
        (Ok(Exit::Done), Err(unsaved)) => Err(unsaved),
        // Whoever sent a signal looks for it in the exit code.
        (Ok(exit), Err(unsaved)) => Err(Error { exit, ..unsaved }),
        (Err(mut error), Err(unsaved)) => {
            error.message = format!("{}; {}", error.message, unsaved.message);
            error.hints.extend(unsaved.hints);
            Err(error)
        }
    }
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
    fn what_is_saved_is_not_talked_about() {
        assert_eq!(ending(Some(Ok(Exit::Done)), None, Ok(())).unwrap(), Exit::Done);
        assert_eq!(ending(Some(Ok(Exit::Signal(15))), None, Ok(())).unwrap(), Exit::Signal(15));
        let failed = ending(Some(Err(Error::machinery("no terminal"))), None, Ok(())).unwrap_err();
        assert_eq!((failed.message.as_str(), failed.hints.len()), ("no terminal", 0));
    }

    #[test]
    fn a_lost_answer_is_told_after_every_end() {
        for (exit, code) in [(Exit::Done, 4), (Exit::Signal(15), 143), (Exit::Signal(2), 130), (Exit::Signal(1), 129)] {
            let error = ending(Some(Ok(exit)), None, lost()).unwrap_err();
            assert_eq!((error.message.as_str(), error.exit.code(), error.hints.len()), (LOST, code, 1), "{exit:?}");
        }
        let failed = ending(Some(Err(Error::machinery("no terminal"))), None, lost()).unwrap_err();
        assert_eq!((failed.message, failed.hints.len()), (format!("no terminal; {LOST}"), 1));
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
