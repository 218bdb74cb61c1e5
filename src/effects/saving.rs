//! The thread that saves attempts.
//!
//! Owns their order, and when one that could not be saved is tried again: a few times, each pause longer than the one
//! before, then only when another attempt comes or the quiz ends. So a disk that stays full wakes nobody for ever.

use std::collections::VecDeque;
use std::slice::Iter;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use crate::effects::Memory;
use crate::error::Error;
use crate::quiz::Action;
use crate::quiz::attempt::Attempt;

/// The pauses before an attempt that could not be saved is tried again.
pub(super) const RETRIES: [Duration; 4] =
    [Duration::from_secs(5), Duration::from_secs(10), Duration::from_secs(20), Duration::from_secs(40)];

/// What could not be saved.
pub(super) struct Unsaved {
    /// How many attempts.
    pub(super) attempts: usize,
    /// What kept the first of them.
    pub(super) why: Option<Error>,
}

/// An error and what caused it, on one line.
pub(super) fn said(error: &Error) -> String {
    let mut said = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        said = format!("{said}: {inner}");
        cause = inner.source();
    }
    said
}

/// Saves attempts in their order until the sender is gone. One that cannot be saved is kept and tried again, before
/// those that come after it. The same failure is reported once.
pub(super) fn save_all(
    inbox: &Receiver<Attempt>,
    mut memory: Box<dyn Memory>,
    report: &dyn Fn(Action),
    retries: &[Duration],
) -> Unsaved {
    let mut waiting: VecDeque<Attempt> = VecDeque::new();
    let mut told = None;
    let mut pauses = retries.iter();
    loop {
        let next = next(inbox, waiting.is_empty(), &mut pauses);
        let over = matches!(next, Err(RecvTimeoutError::Disconnected));
        if next.is_ok() {
            pauses = retries.iter();
        }
        waiting.extend(next);
        let mut why = None;
        while let Some(attempt) = waiting.front()
            && why.is_none()
        {
            match memory.record(attempt) {
                Ok(()) => drop(waiting.pop_front()),
                Err(error) => why = Some(error),
            }
        }
        match &why {
            Some(error) => {
                let words = format!("Not saved: {}. Play on; it is tried again.", said(error));
                if told.as_ref() != Some(&words) {
                    report(Action::SaveFailed(words.clone()));
                    told = Some(words);
                }
            }
            None if told.take().is_some() => report(Action::Saved),
            None => {}
        }
        if over {
            return Unsaved { attempts: waiting.len(), why };
        }
    }
}

/// The next attempt. A timeout means that those which wait are to be tried again.
fn next(
    inbox: &Receiver<Attempt>,
    nothing_waits: bool,
    pauses: &mut Iter<'_, Duration>,
) -> Result<Attempt, RecvTimeoutError> {
    let pause = if nothing_waits { None } else { pauses.next() };
    match pause {
        Some(pause) => inbox.recv_timeout(*pause),
        None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{self, Sender};
    use std::thread;

    use super::*;
    use crate::content::question::QuestionName;
    use crate::quiz::attempt::What;
    use crate::quiz::time::Timestamp;

    const SHORT: [Duration; 3] = [Duration::from_millis(1); 3];

    fn attempt(at: i64) -> Attempt {
        let question = QuestionName { pack: "p".to_owned(), id: "q".to_owned() };
        Attempt { question, at: Timestamp(at), what: What::GaveUp }
    }

    /// Fails so many times, and tells each try.
    struct Failing {
        failures: usize,
        tries: Sender<i64>,
    }

    impl Memory for Failing {
        fn record(&mut self, attempt: &Attempt) -> Result<(), Error> {
            let _ = self.tries.send(attempt.at.0);
            if self.failures == 0 {
                return Ok(());
            }
            self.failures -= 1;
            Err(Error::machinery("disk full"))
        }
    }

    /// Saves `sent` one by one, each once the tries of those before it are made. Returns how many stayed unsaved, what
    /// was tried and what was reported.
    fn save(failures: usize, sent: &[(i64, usize)]) -> (usize, Vec<i64>, Vec<Action>) {
        let (tries, tried) = mpsc::channel();
        let (attempts, inbox) = mpsc::channel();
        let (reports, reported) = mpsc::channel();
        let memory = Box::new(Failing { failures, tries });
        let report = move |action| reports.send(action).unwrap();
        let saving = thread::spawn(move || save_all(&inbox, memory, &report, &SHORT).attempts);
        let mut all = Vec::new();
        for (at, expected) in sent {
            attempts.send(attempt(*at)).unwrap();
            all.extend(tried.iter().take(*expected));
        }
        drop(attempts);
        let unsaved = saving.join().unwrap();
        all.extend(tried);
        (unsaved, all, reported.into_iter().collect())
    }

    fn failed() -> Action {
        Action::SaveFailed("Not saved: disk full. Play on; it is tried again.".to_owned())
    }

    #[test]
    fn a_memory_that_never_works_is_left_alone_after_a_few_tries() {
        // A try at once and three more, then nothing until the next attempt, then nothing until the end.
        let (unsaved, tried, reported) = save(usize::MAX, &[(1, 4), (2, 4)]);
        assert_eq!((unsaved, tried, reported), (2, vec![1; 9], vec![failed()]));
    }

    #[test]
    fn what_could_be_saved_later_is_saved_in_order() {
        let (unsaved, tried, reported) = save(2, &[(1, 3), (2, 1)]);
        assert_eq!((unsaved, tried, reported), (0, vec![1, 1, 1, 2], vec![failed(), Action::Saved]));
    }

    #[test]
    fn pauses_grow_and_come_to_an_end() {
        assert!(RETRIES.is_sorted() && RETRIES.iter().sum::<Duration>() < Duration::from_secs(120));
    }
}
