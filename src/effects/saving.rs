//! The thread that saves attempts and texts of repairs, in order.
//!
//! A failed save is retried a few times with growing pauses, and after that only when another save arrives or the quiz ends.
//! So a full disk does not cause endless retries.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::slice::Iter;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use crate::effects::Memory;
use crate::effects::draft_file::DraftFile;
use crate::error::Error;
use crate::quiz::Action;
use crate::quiz::attempt::Attempt;
use crate::quiz::repair::{Keeping, KeptDraft};
use crate::quiz::time::Timestamp;
use crate::text::{counted, listed};

pub(super) enum Saving {
    /// An attempt.
    Attempt(Attempt),
    /// That an attempt was taken back, and when.
    TakenBack(Attempt, Timestamp),
    /// The text of a repair.
    Draft(KeptDraft),
    /// A draft file to delete, queued after the save of its text.
    Kept(DraftFile),
}

/// The pauses before an attempt that could not be saved is tried again.
pub(super) const RETRIES: [Duration; 4] =
    [Duration::from_secs(5), Duration::from_secs(10), Duration::from_secs(20), Duration::from_secs(40)];

pub(super) struct Unsaved {
    /// The number of attempts, undone ones included.
    pub(super) attempts: usize,
    /// The number of texts of repairs.
    pub(super) drafts: usize,
    /// The files that hold what an editor left.
    pub(super) files: Vec<PathBuf>,
    /// The error that kept the first of them.
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

impl Unsaved {
    fn new(waiting: VecDeque<Saving>, why: Option<Error>) -> Self {
        let mut unsaved = Self { attempts: 0, drafts: 0, files: Vec::new(), why };
        for saving in waiting {
            match saving {
                Saving::Attempt(_) | Saving::TakenBack(..) => unsaved.attempts += 1,
                Saving::Draft(_) => unsaved.drafts += 1,
                Saving::Kept(file) => unsaved.files.push(file.path().to_owned()),
            }
        }
        unsaved
    }

    /// Describes what could not be saved; `None` when everything is saved.
    pub(super) fn words(&self) -> Option<String> {
        let what = [(self.attempts, "answer"), (self.drafts, "repair")];
        let what: Vec<String> =
            what.into_iter().filter(|(count, _)| *count > 0).map(|(count, noun)| counted(count, noun)).collect();
        (!what.is_empty()).then(|| format!("{} could not be saved", listed(what, "and")))
    }
}

/// Saves everything in its order until the sender is gone. One that cannot be saved is kept and tried again, before
/// those that come after it. The same failure is reported once.
pub(super) fn save_all(
    inbox: &Receiver<Saving>,
    mut memory: Box<dyn Memory>,
    report: &dyn Fn(Action),
    retries: &[Duration],
) -> Unsaved {
    let mut waiting: VecDeque<Saving> = VecDeque::new();
    let mut reported = None;
    let mut pauses = retries.iter();
    loop {
        let next = next(inbox, waiting.is_empty(), &mut pauses);
        let over = matches!(next, Err(RecvTimeoutError::Disconnected));
        if next.is_ok() {
            pauses = retries.iter();
        }
        // Typing makes texts faster than a slow disk takes them; only the last of them is worth its write.
        for saving in next.into_iter().chain(inbox.try_iter()) {
            add(&mut waiting, saving);
        }
        let mut why = None;
        while let Some(saving) = waiting.front()
            && why.is_none()
        {
            let saved = match saving {
                Saving::Kept(_) => Ok(()),
                Saving::Attempt(attempt) => memory.record(attempt),
                Saving::TakenBack(attempt, at) => memory.take_back(attempt, *at),
                Saving::Draft(draft) => memory.keep_draft(draft),
            };
            match saved {
                Ok(()) => {
                    if let Some(Saving::Kept(file)) = waiting.pop_front() {
                        file.remove();
                    }
                }
                Err(error) => why = Some(error),
            }
        }
        match &why {
            Some(error) => {
                let words = format!("Not saved: {}. Play on; it is tried again.", said(error));
                if reported.as_ref() != Some(&words) {
                    report(Action::SaveFailed(words.clone()));
                    reported = Some(words);
                }
            }
            None if reported.take().is_some() => report(Action::Saved),
            None => {}
        }
        if over {
            return Unsaved::new(waiting, why);
        }
    }
}

/// Puts `saving` at the end, or a text in the place of the one that it goes on from.
fn add(waiting: &mut VecDeque<Saving>, saving: Saving) {
    if let Saving::Draft(new) = &saving
        && new.keeping == Keeping::SameRow
        && let Some(old) = waiting.iter_mut().rev().find_map(|waits| match waits {
            Saving::Draft(old) if old.question == new.question => Some(old),
            _ => None,
        })
    {
        *old = KeptDraft { keeping: old.keeping, ..new.clone() };
        return;
    }
    waiting.push_back(saving);
}

/// The next thing to be saved. A timeout means that those which wait are to be tried again.
fn next(
    inbox: &Receiver<Saving>,
    nothing_waits: bool,
    pauses: &mut Iter<'_, Duration>,
) -> Result<Saving, RecvTimeoutError> {
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

    use super::Keeping::{NewRow, SameRow};
    use super::*;
    use crate::content::question::QuestionName;
    use crate::quiz::attempt::AttemptKind;
    use crate::quiz::time::Timestamp;

    const SHORT: [Duration; 3] = [Duration::from_millis(1); 3];

    fn attempt(at: i64) -> Attempt {
        let question = QuestionName { pack: "p".to_owned(), id: "q".to_owned() };
        Attempt { question, at: Timestamp(at), kind: AttemptKind::GaveUp }
    }

    /// Fails so many times, and reports each try.
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

        fn take_back(&mut self, attempt: &Attempt, _: Timestamp) -> Result<(), Error> {
            self.record(attempt)
        }

        fn keep_draft(&mut self, draft: &KeptDraft) -> Result<(), Error> {
            self.record(&attempt(draft.at.0))
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
            attempts.send(Saving::Attempt(attempt(*at))).unwrap();
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

    fn draft(id: &str, text: &str, keeping: Keeping) -> Saving {
        let question = QuestionName { pack: "p".to_owned(), id: id.to_owned() };
        Saving::Draft(KeptDraft { question, at: Timestamp(0), base: String::new(), text: text.to_owned(), keeping })
    }

    #[test]
    fn of_texts_that_wait_only_the_last_is_saved_and_none_that_a_reset_left() {
        let mut waiting = VecDeque::new();
        let all = [
            draft("x", "a", NewRow),
            draft("x", "ab", SameRow),
            draft("y", "other", NewRow),
            Saving::Attempt(attempt(1)),
            draft("x", "abc", SameRow),
            draft("x", "base", NewRow),
            draft("x", "bases", SameRow),
        ];
        for saving in all {
            add(&mut waiting, saving);
        }
        let drawn = waiting.iter().map(|saving| match saving {
            Saving::Draft(draft) => format!("{} {} {:?}", draft.question.id, draft.text, draft.keeping),
            _ => "attempt".to_owned(),
        });
        assert_eq!(drawn.collect::<Vec<_>>(), ["x abc NewRow", "y other NewRow", "attempt", "x bases NewRow"]);
        let words = Unsaved::new(waiting, None).words();
        assert_eq!(words.as_deref(), Some("1 answer and 3 repairs could not be saved"));
    }

    #[test]
    fn a_file_goes_only_once_its_text_is_saved() {
        let home = tempfile::tempdir().unwrap();
        let after = |failures: usize| {
            let question = QuestionName { pack: "p".to_owned(), id: format!("x{failures}") };
            let file = DraftFile::write(home.path(), &question, "a\n").unwrap();
            let path = file.path().to_owned();
            let (savings, inbox) = mpsc::channel();
            for saving in [draft("x", "a\n", NewRow), Saving::Kept(file), draft("x", "ab\n", SameRow)] {
                savings.send(saving).unwrap();
            }
            drop(savings);
            let memory = Box::new(Failing { failures, tries: mpsc::channel().0 });
            let unsaved = save_all(&inbox, memory, &|_| (), &[]);
            let files: Vec<bool> = unsaved.files.iter().map(|file| *file == path).collect();
            (path.exists(), unsaved.words(), files)
        };
        assert_eq!(after(0), (false, None, vec![]));
        // Saved in the end.
        assert_eq!(after(1), (false, None, vec![]));
        let words = Some("1 repair could not be saved".to_owned());
        assert_eq!(after(usize::MAX), (true, words, vec![true]));
    }

    #[test]
    fn pauses_grow_and_come_to_an_end() {
        assert!(RETRIES.is_sorted() && RETRIES.iter().sum::<Duration>() < Duration::from_secs(120));
    }
}
