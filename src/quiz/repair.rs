//! The learner's own repair of a buggy program: its text, the checks on it, and the question before a reset.
//!
//! The stage Fix is open from the start: what a learner writes, and what the checks say of it, gives nothing away that the
//! question does not ask for anyway. The smallest repair and the fixed program stay closed until the line is known, also
//! behind a repair that passes. The text outlives the sitting: starting a question over does not touch it.

use std::mem;

use crate::content::question::{Question, QuestionName};
use crate::quiz::time::Timestamp;
use crate::runner::recording::Recording;
use crate::runner::{CheckOutcome, CheckResult, Verdict};

pub use crate::quiz::draft::{Draft, Earlier, Keeping, KeptDraft, LONGEST, Repairs, clean};

/// The learner's repair of one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    text: String,
    /// The buggy program from which the text was begun.
    base: String,
    /// Texts before this one, replaced by resets and by bringing texts back; the latest is the last.
    earlier: Vec<Earlier>,
    keeping: Keeping,
    asks_reset: bool,
    pub(super) checked: Option<Checked>,
    pub(super) note: Option<Note>,
}

/// The latest run of the checks.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The text that was checked.
    pub(super) text: String,
    pub(super) recording: Recording,
}

/// The outcome of the last time that the text went to another editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The editor is done.
    Edited {
        /// The file.
        path: String,
        /// True if the text changed.
        changed: bool,
        /// The file to which another text was put that stood in the file before.
        aside: Option<String>,
    },
    /// It could not be edited or read back; the sentence says why.
    Failed(String),
}

/// The state of a repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepairState {
    /// No check has run.
    Untried,
    /// The checks are running.
    Running,
    /// The program came to its end and every check passed.
    Passed,
    /// The program came to its end, and so many of its checks did not pass.
    Failed {
        /// Checks that did not pass.
        failed: usize,
        /// Checks there are.
        of: usize,
    },
    /// The program did not come to its end.
    Ended(Verdict),
}

impl Checked {
    /// Output of the program, and how it ended.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// Results of the checks so far, in the question's order.
    pub fn results(&self) -> &[CheckResult] {
        &self.recording.checks
    }

    pub(super) fn passed_count(&self) -> usize {
        self.results().iter().filter(|check| check.result == CheckOutcome::Passed).count()
    }
}

impl Repair {
    pub(super) fn new(question: &Question, draft: Option<&Draft>) -> Self {
        let pristine = || question.spot.code.clone();
        Self {
            text: draft.map_or_else(pristine, |draft| clean(&draft.text)),
            base: draft.map_or_else(pristine, |draft| draft.base.clone()),
            earlier: draft.and_then(|draft| draft.earlier.clone()).into_iter().collect(),
            keeping: Keeping::NewRow,
            asks_reset: false,
            checked: None,
            note: None,
        }
    }

    /// The program as the learner has it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True if the text differs from the buggy program of `question`.
    pub fn is_changed(&self, question: &Question) -> bool {
        self.text != question.spot.code
    }

    /// True if the text began as an older version of the buggy program.
    pub fn is_of_another_version(&self, question: &Question) -> bool {
        self.base != question.spot.code
    }

    /// True if there is a text that can be brought back.
    pub fn has_earlier(&self) -> bool {
        self.earlier.iter().any(|earlier| earlier.text != self.text)
    }

    /// True while the learner is asked whether to reset the text.
    pub fn asks_reset(&self) -> bool {
        self.asks_reset
    }

    /// The outcome of the last time in another editor, until the next change.
    pub fn note(&self) -> Option<&Note> {
        self.note.as_ref()
    }

    /// The latest run of the checks.
    pub fn checked(&self) -> Option<&Checked> {
        self.checked.as_ref()
    }

    /// True while checks are running.
    pub fn is_running(&self) -> bool {
        self.checked.as_ref().is_some_and(|checked| checked.recording.is_running())
    }

    /// True if the text has changed since it was checked.
    pub fn is_stale(&self) -> bool {
        self.checked.as_ref().is_some_and(|checked| checked.text != self.text)
    }

    /// The result of the latest checks.
    pub fn state(&self, question: &Question) -> RepairState {
        let Some(checked) = &self.checked else { return RepairState::Untried };
        let Some(ending) = checked.recording.ending() else { return RepairState::Running };
        if ending.verdict != Verdict::Finished {
            return RepairState::Ended(ending.verdict);
        }
        let of = question.checks.len();
        match of - checked.passed_count().min(of) {
            // Without checks there is nothing to pass.
            0 if of > 0 => RepairState::Passed,
            failed => RepairState::Failed { failed, of },
        }
    }

    /// True if the current text passes.
    pub fn passes(&self, question: &Question) -> bool {
        !self.is_stale() && self.state(question) == RepairState::Passed
    }

    /// Goes on with another text of the question. Results of the old one's checks are gone, and a program that the learner
    /// has not touched is the new one. Returns whether anything of that happened.
    pub(super) fn renew(&mut self, old: &Question, new: &Question) -> bool {
        if (&old.spot.code, &old.checks) == (&new.spot.code, &new.checks) {
            return false;
        }
        self.checked = None;
        if !self.is_changed(old) {
            self.text.clone_from(&new.spot.code);
            self.base.clone_from(&new.spot.code);
        }
        true
    }

    /// Asks whether the text is to be reset, or no longer.
    pub(super) fn ask_reset(&mut self, asks: bool) {
        self.asks_reset = asks;
    }

    /// Changes the text. Returns whether that is another one, and short enough.
    pub(super) fn change(&mut self, text: &str) -> bool {
        let text = clean(text);
        if text.len() > LONGEST || text == self.text {
            return false;
        }
        self.note = None;
        self.asks_reset = false;
        self.text = text;
        true
    }

    /// Begins again with the buggy program. The text that was there can be brought back.
    pub(super) fn reset(&mut self, question: &Question) {
        let pristine = question.spot.code.clone();
        // Results of the text before say nothing of the one that begins.
        self.checked = None;
        let before = self.replace(Earlier { text: pristine.clone(), base: pristine });
        self.earlier.push(before);
    }

    /// Brings back the latest earlier text. The current one goes to the end of the queue, so that doing it again
    /// and again leads through all of them. Returns whether there was one.
    pub(super) fn bring_back(&mut self) -> bool {
        let Some(latest) = self.earlier.iter().rposition(|earlier| earlier.text != self.text) else { return false };
        let by = self.earlier.remove(latest);
        let before = self.replace(by);
        self.earlier.insert(0, before);
        true
    }

    /// Puts another text in place, and returns the one that was there. What is kept of that stays.
    fn replace(&mut self, by: Earlier) -> Earlier {
        let (text, base) = (mem::replace(&mut self.text, by.text), mem::replace(&mut self.base, by.base));
        self.keeping = Keeping::NewRow;
        self.asks_reset = false;
        self.note = None;
        Earlier { text, base }
    }

    /// The text as it is to be kept: from now on in the place of what is kept before.
    pub(super) fn keep(&mut self, question: &QuestionName, at: Timestamp) -> KeptDraft {
        let keeping = mem::replace(&mut self.keeping, Keeping::SameRow);
        KeptDraft { question: question.clone(), at, base: self.base.clone(), text: self.text.clone(), keeping }
    }
}
