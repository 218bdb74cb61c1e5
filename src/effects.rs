//! Performs what a quiz asks for.
//!
//! It alone has the clock, the runner and the learner's memory. Nothing here blocks the caller:
//! programs run and answers are saved in other threads, and what they report comes back as an `Action`.

pub mod draft_file;
pub mod ending;
mod saving;

use std::collections::HashMap;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::content::question::QuestionName;
use crate::effects::draft_file::DraftFile;
use crate::effects::saving::{RETRIES, Saving, Unsaved, said, save_all};
use crate::error::Error;
use crate::quiz::action::{Action, Effect};
use crate::quiz::attempt::Attempt;
use crate::quiz::repair::{KeptDraft, clean};
use crate::quiz::state::RunId;
use crate::quiz::time::{Millis, Timestamp};
use crate::runner::{Ending, Event, Job, Runner};

/// Storage of attempts and of texts of repairs.
pub trait Memory: Send {
    /// Keeps `attempt`. When this returns, it is safe.
    fn record(&mut self, attempt: &Attempt) -> Result<(), Error>;

    /// Saves that `attempt` was undone at this time.
    fn take_back(&mut self, attempt: &Attempt, at: Timestamp) -> Result<(), Error>;

    /// Keeps the text of a repair.
    fn keep_draft(&mut self, draft: &KeptDraft) -> Result<(), Error>;
}

/// Work that no front end waits for. It is done in a thread of its own, and reports what it finds.
pub type Background = Box<dyn FnOnce(&dyn Fn(Action)) + Send>;

/// Something that is left for the front end to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Ring the bell, if the learner wants one.
    Bell,
    /// Hand the terminal to the learner's own editor with the text of this question's repair.
    Editor {
        /// The question.
        question: QuestionName,
        /// The text.
        text: String,
    },
    /// Leave.
    Quit,
}

type Deliver = Arc<dyn Fn(Action) + Send + Sync>;
type Stoppers = Arc<Mutex<HashMap<RunId, Arc<dyn Fn() + Send + Sync>>>>;

/// Performs effects.
pub struct Effects {
    clock: Clock,
    runner: Arc<dyn Runner>,
    deliver: Deliver,
    stoppers: Stoppers,
    savings: Sender<Saving>,
    unsaved: Receiver<Unsaved>,
    /// The last text that came back from the learner's own editor, and its file, until it is to be kept.
    edited: Mutex<Option<(DraftFile, String)>>,
}

impl Effects {
    /// Starts the saving thread. `deliver` is called from other threads with what they report.
    pub fn new(
        runner: Arc<dyn Runner>,
        memory: Box<dyn Memory>,
        deliver: impl Fn(Action) + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let deliver: Deliver = Arc::new(deliver);
        let (savings, inbox) = mpsc::channel();
        let (done, unsaved) = mpsc::channel();
        let report = Arc::clone(&deliver);
        thread::Builder::new()
            .name("memory".to_owned())
            .spawn(move || {
                // Nobody waits any more when the program had to leave at once.
                let _ = done.send(save_all(&inbox, memory, &*report, &RETRIES));
            })
            .map_err(|source| Error::machinery("a thread for saving answers could not be started").because(source))?;
        let stoppers = Stoppers::default();
        Ok(Self { clock: Clock::start(), runner, deliver, stoppers, savings, unsaved, edited: Mutex::default() })
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Performs `effect`, or hands it on to the front end.
    pub fn perform(&self, effect: Effect) -> Option<Request> {
        match effect {
            Effect::Start { run, job } => self.start(run, job),
            Effect::Stop(run) => self.stop(run),
            Effect::Record(attempt) => {
                let name = attempt.question.clone();
                self.save(Saving::Attempt(attempt), &format!("The answer to {name}"));
            }
            Effect::TakeBack { attempt, at } => {
                let what = format!("That the answer to {} was taken back", attempt.question);
                self.save(Saving::TakenBack(attempt, at), &what);
            }
            Effect::KeepDraft(draft) => {
                let what = format!("The repair of {}", draft.question);
                let file = self.edited_file(&draft);
                self.save(Saving::Draft(draft), &what);
                if let Some(file) = file {
                    self.save(Saving::Kept(file), &what);
                }
            }
            Effect::OpenEditor { question, text } => return Some(Request::Editor { question, text }),
            Effect::Bell => return Some(Request::Bell),
            Effect::Quit => return Some(Request::Quit),
        }
        None
    }

    /// Reads back what the learner's own editor left. The file stays until the quiz has asked to keep its text and that is
    /// done; one that did not change stays anyway, since an editor in a window of its own may still have it open.
    ///
    /// # Errors
    ///
    /// The sentence of [`DraftFile::read_back`].
    pub fn read_back(&self, file: DraftFile) -> Result<String, String> {
        let text = file.read_back()?;
        *self.edited.lock().unwrap_or_else(PoisonError::into_inner) = Some((file, clean(&text)));
        Ok(text)
    }

    /// The file from which the text of `draft` came.
    fn edited_file(&self, draft: &KeptDraft) -> Option<DraftFile> {
        let (file, text) = self.edited.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        (*file.question() == draft.question && text == draft.text).then_some(file)
    }

    fn save(&self, saving: Saving, what: &str) {
        if self.savings.send(saving).is_err() {
            (self.deliver)(Action::SaveFailed(format!("{what} was not saved: the thread that saves has ended.")));
        }
    }

    /// Stops every run and waits until everything is saved, but no longer than `patience`.
    pub fn finish(self, patience: Duration) -> Result<(), Error> {
        let stoppers: Vec<_> = self.lock().drain().collect();
        for (_, stop) in stoppers {
            stop();
        }
        drop(self.savings);
        match self.unsaved.recv_timeout(patience) {
            Ok(unsaved) => {
                let Some(message) = unsaved.words() else { return Ok(()) };
                let why = unsaved.why.map_or_else(String::new, |why| format!(": {}", said(&why)));
                let error = Error::machinery(message + &why);
                Err(match unsaved.files.last() {
                    Some(file) => error.hint(format!("what your editor left is still in `{}`", file.display())),
                    None => error,
                })
            }
            Err(RecvTimeoutError::Timeout) => Err(Error::machinery("the last answers could not be saved in time")
                .hint("another program may hold the progress file open; close it before the next quiz")),
            Err(RecvTimeoutError::Disconnected) => {
                Err(Error::machinery("the last answers may not be saved: the thread that saves has ended"))
            }
        }
    }

    fn start(&self, run: RunId, job: Job) {
        let handle = self.runner.start(job);
        self.lock().insert(run, handle.stopper());
        let deliver = Arc::clone(&self.deliver);
        let stoppers = Arc::clone(&self.stoppers);
        let spawned = thread::Builder::new().name("run".to_owned()).spawn(move || {
            loop {
                let event = handle.next_until_end();
                let over = matches!(event, Event::Ended(_));
                if over {
                    stoppers.lock().unwrap_or_else(PoisonError::into_inner).remove(&run);
                }
                deliver(Action::Ran(run, event));
                if over {
                    break;
                }
            }
        });
        if let Err(error) = spawned {
            self.lock().remove(&run);
            let detail = format!("A thread for the run could not be started: {error}.");
            (self.deliver)(Action::Ran(run, Event::Ended(Ending::unreported(detail))));
        }
    }

    fn stop(&self, run: RunId) {
        let stop = self.lock().get(&run).map(Arc::clone);
        if let Some(stop) = stop {
            stop();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<RunId, Arc<dyn Fn() + Send + Sync>>> {
        self.stoppers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A clock that starts at the system's time and then never goes back.
struct Clock {
    start: Timestamp,
    since: Instant,
}

impl Clock {
    fn start() -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { start: Timestamp(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)), since: Instant::now() }
    }

    fn now(&self) -> Timestamp {
        self.start + Millis(u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}
