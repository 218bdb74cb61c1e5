//! Ends a session. An answer that is lost is always reported, whatever else ended the session.

use crate::error::{Error, Exit};

/// Puts together how a session ended and whether all answers are saved.
///
/// # Errors
///
/// The session ended with an error, answers are lost, or both; both are reported.
pub fn ending(ended: Result<Exit, Error>, saved: Result<(), Error>) -> Result<Exit, Error> {
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

#[cfg(test)]
mod tests {
    use super::*;

    const LOST: &str = "1 answer could not be saved: disk full";

    fn lost() -> Result<(), Error> {
        Err(Error::machinery(LOST).hint("make room"))
    }

    #[test]
    fn what_is_saved_is_not_talked_about() {
        assert_eq!(ending(Ok(Exit::Done), Ok(())).unwrap(), Exit::Done);
        assert_eq!(ending(Ok(Exit::Signal(15)), Ok(())).unwrap(), Exit::Signal(15));
        let failed = ending(Err(Error::machinery("no terminal")), Ok(())).unwrap_err();
        assert_eq!((failed.message.as_str(), failed.hints.len()), ("no terminal", 0));
    }

    #[test]
    fn a_lost_answer_is_told_after_every_end() {
        for (exit, code) in [(Exit::Done, 4), (Exit::Signal(15), 143), (Exit::Signal(2), 130), (Exit::Signal(1), 129)] {
            let error = ending(Ok(exit), lost()).unwrap_err();
            assert_eq!((error.message.as_str(), error.exit.code(), error.hints.len()), (LOST, code, 1), "{exit:?}");
        }
        let failed = ending(Err(Error::machinery("no terminal")), lost()).unwrap_err();
        assert_eq!((failed.message, failed.hints.len()), (format!("no terminal; {LOST}"), 1));
    }
}
