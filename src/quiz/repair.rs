//! The learner's own repair of a buggy program: its text, the checks on it, and the question before a reset.
//!
//! The stage Fix is open from the start: what a learner writes, and what the checks say of it, gives nothing away that the
//! question does not ask for anyway. The smallest repair and the model program stay closed until the line is known, also
//! behind a repair that passes. The text outlives the sitting: starting a question over does not touch it.

use std::collections::{BTreeSet, HashMap};
use std::mem;

use crate::content::question::{Question, QuestionName};
use crate::quiz::action::{Action, Effect};
use crate::quiz::attempt::{Attempt, What};
use crate::quiz::consent::{self, Doubt};
use crate::quiz::runnable;
use crate::quiz::state::{Quiz, Run, RunId, Sitting, Stage};
use crate::quiz::time::Timestamp;
use crate::quiz::update::add_output;
use crate::runner::{CheckOutcome, CheckResult, Event, Job, Verdict};

/// The longest text of a repair, in bytes. Questions have a few hundred.
pub const LONGEST: usize = 64 << 10;

/// The learner's repair of one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    text: String,
    /// The buggy program from which the text was begun.
    base: String,
    /// What was there before, by resets and by bringing texts back; the latest is the last.
    earlier: Vec<Earlier>,
    /// How the next text is kept.
    keeping: Keeping,
    asks_reset: bool,
    pub(super) doubt: Option<Doubt>,
    checked: Option<Checked>,
    note: Option<Note>,
}

/// The latest run of the checks.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The text that was checked.
    text: String,
    run: Run,
    results: Vec<CheckResult>,
}

/// What came of the last time that the text went to another editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The editor is done.
    Edited {
        /// The file.
        path: String,
        /// Whether the text is another one now.
        changed: bool,
        /// The file to which another text was put that stood in the file before.
        aside: Option<String>,
    },
    /// It could not be edited or read back; the sentence says why.
    Failed(String),
}

/// How a repair stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// No check has run.
    Untried,
    /// The checks are running.
    Running,
    /// The program came to its end and every check passed.
    Passed,
    /// The program came to its end, and so many of its checks did not pass.
    Failed {
        /// How many did not pass.
        failed: usize,
        /// How many there are.
        of: usize,
    },
    /// The program did not come to its end.
    Ended(Verdict),
}

/// The text of a repair as it is kept for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptDraft {
    /// The question.
    pub question: QuestionName,
    /// When.
    pub at: Timestamp,
    /// The buggy program from which the text was begun.
    pub base: String,
    /// The text.
    pub text: String,
    /// Where it is kept.
    pub keeping: Keeping,
}

/// Where a text of a repair is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// In an entry of its own, so that the one before stays as it is.
    Anew,
    /// In the place of what was kept before in this quiz, never of what an earlier quiz kept.
    InPlace,
}

/// The text of a repair as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The text.
    pub text: String,
    /// The buggy program from which it was begun.
    pub base: String,
    /// The text that was kept before it, where that is another one.
    pub earlier: Option<Earlier>,
}

/// A text of a repair that can be brought back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// The text.
    pub text: String,
    /// The buggy program from which it was begun.
    pub base: String,
}

/// What is known of earlier repairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    /// The texts.
    pub drafts: HashMap<QuestionName, Draft>,
    /// The questions of which a repair passed.
    pub passed: BTreeSet<QuestionName>,
}

impl Checked {
    /// What the program wrote, and how it ended.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// How the checks went so far, in the question's order.
    pub fn results(&self) -> &[CheckResult] {
        &self.results
    }

    fn passed_count(&self) -> usize {
        self.results.iter().filter(|check| check.result == CheckOutcome::Passed).count()
    }
}

impl Repair {
    pub(super) fn new(question: &Question, draft: Option<&Draft>) -> Self {
        let pristine = || question.spot.code.clone();
        Self {
            text: draft.map_or_else(pristine, |draft| clean(&draft.text)),
            base: draft.map_or_else(pristine, |draft| draft.base.clone()),
            earlier: draft.and_then(|draft| draft.earlier.clone()).into_iter().collect(),
            keeping: Keeping::Anew,
            asks_reset: false,
            doubt: None,
            checked: None,
            note: None,
        }
    }

    /// The program as the learner has it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the text differs from the buggy program of `question`.
    pub fn is_changed(&self, question: &Question) -> bool {
        self.text != question.spot.code
    }

    /// Whether the text was begun from another buggy program than the one that `question` has now.
    pub fn is_of_another_version(&self, question: &Question) -> bool {
        self.base != question.spot.code
    }

    /// Whether there is a text that can be brought back.
    pub fn has_earlier(&self) -> bool {
        self.earlier.iter().any(|earlier| earlier.text != self.text)
    }

    /// Whether the learner is being asked if the text is to be reset.
    pub fn asks_reset(&self) -> bool {
        self.asks_reset
    }

    /// What keeps the checks that were asked for from running.
    pub fn doubt(&self) -> Option<Doubt> {
        self.doubt
    }

    /// What came of the last time in another editor, until the next change.
    pub fn note(&self) -> Option<&Note> {
        self.note.as_ref()
    }

    /// The latest run of the checks.
    pub fn checked(&self) -> Option<&Checked> {
        self.checked.as_ref()
    }

    /// Whether checks are running.
    pub fn is_running(&self) -> bool {
        self.running().is_some()
    }

    /// Whether the text has changed since it was checked.
    pub fn is_stale(&self) -> bool {
        self.checked.as_ref().is_some_and(|checked| checked.text != self.text)
    }

    /// How the latest run of the checks went.
    pub fn standing(&self, question: &Question) -> Standing {
        let Some(checked) = &self.checked else { return Standing::Untried };
        let Some(ending) = checked.run.ending() else { return Standing::Running };
        if ending.verdict != Verdict::Finished {
            return Standing::Ended(ending.verdict);
        }
        let of = question.checks.len();
        match of - checked.passed_count().min(of) {
            // Without checks there is nothing to pass.
            0 if of > 0 => Standing::Passed,
            failed => Standing::Failed { failed, of },
        }
    }

    /// Whether the text passes as it stands.
    pub fn passes(&self, question: &Question) -> bool {
        !self.is_stale() && self.standing(question) == Standing::Passed
    }

    fn running(&self) -> Option<RunId> {
        let run = self.checked.as_ref().map(|checked| &checked.run)?;
        run.ending().is_none().then(|| run.id())
    }

    /// What stops the checks.
    pub(super) fn stops(&self) -> Vec<Effect> {
        self.running().map(Effect::Stop).into_iter().collect()
    }

    /// Goes on with another text of the question. What the checks said of the old one is gone, and a program that the
    /// learner has not touched is the new one.
    pub(super) fn renew(&mut self, old: &Question, new: &Question) -> Vec<Effect> {
        if (&old.spot.code, &old.checks) == (&new.spot.code, &new.checks) {
            return Vec::new();
        }
        let effects = self.stops();
        self.checked = None;
        if !self.is_changed(old) {
            self.text.clone_from(&new.spot.code);
            self.base.clone_from(&new.spot.code);
        }
        effects
    }

    pub(super) fn look_away(&mut self) {
        self.asks_reset = false;
    }
}

/// `text` as a program: lines end with a line feed, the last one too, and control characters other than tabs are left
/// out.
pub fn clean(text: &str) -> String {
    let unix = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut clean: String = unix.chars().filter(|c| matches!(c, '\n' | '\t') || !c.is_control()).collect();
    if !clean.is_empty() && !clean.ends_with('\n') {
        clean.push('\n');
    }
    if clean == "\n" { String::new() } else { clean }
}

impl Quiz {
    /// The same quiz, to which the texts of earlier repairs will come with [`Action::Repairs`]. Until then no repair can
    /// be edited, so that none takes the place of an earlier one.
    #[must_use]
    pub fn while_remembering(mut self) -> Self {
        self.repairs_known = false;
        self
    }

    /// Whether it is known what was repaired earlier.
    pub fn knows_repairs(&self) -> bool {
        self.repairs_known
    }

    /// Whether a repair of this question passed, now or earlier.
    pub fn is_repaired(&self, name: &QuestionName) -> bool {
        self.repairs.passed.contains(name)
    }
}

/// Changes by actions of the stage Fix.
pub(super) fn act(quiz: &mut Quiz, action: Action) -> Vec<Effect> {
    match action {
        Action::Repairs(repairs) => {
            remember(quiz, repairs);
            return Vec::new();
        }
        Action::Edited { question, text, path, aside } => return edited(quiz, &question, &text, path, aside),
        Action::NotEdited { question, why } => {
            if let Some(sitting) = quiz.sittings.get_mut(&question) {
                sitting.repair.note = Some(Note::Failed(why));
            }
            return Vec::new();
        }
        _ => {}
    }
    let at = quiz.now;
    let Some(sitting) = in_sight(quiz) else { return Vec::new() };
    match action {
        Action::Edit(text) => change(sitting, at, &text),
        Action::EditOutside => {
            let question = sitting.entry.name.clone();
            vec![Effect::OpenEditor { question, text: sitting.repair.text.clone() }]
        }
        Action::RunChecks => run_checks(quiz),
        Action::ResetDraft => {
            sitting.repair.asks_reset = sitting.repair.text != sitting.entry.question.spot.code;
            Vec::new()
        }
        Action::KeepText => {
            sitting.repair.asks_reset = false;
            Vec::new()
        }
        Action::ConfirmReset if sitting.repair.asks_reset => {
            let pristine = sitting.entry.question.spot.code.clone();
            let mut effects = sitting.repair.stops();
            // What was found of the text before says nothing of the one that begins.
            sitting.repair.checked = None;
            let before = replace(sitting, at, Earlier { text: pristine.clone(), base: pristine }, &mut effects);
            sitting.repair.earlier.push(before);
            effects
        }
        Action::BringBack => bring_back(sitting, at),
        _ => Vec::new(),
    }
}

/// The open question in the stage Fix, once it is known what was kept of it.
fn in_sight(quiz: &mut Quiz) -> Option<&mut Sitting> {
    let known = quiz.repairs_known;
    quiz.sitting_mut().filter(|sitting| known && sitting.stage == Stage::Fix)
}

fn remember(quiz: &mut Quiz, repairs: Repairs) {
    quiz.repairs_known = true;
    for (name, sitting) in &mut quiz.sittings {
        if let Some(draft) = repairs.drafts.get(name) {
            sitting.repair = Repair::new(&sitting.entry.question, Some(draft));
        }
    }
    quiz.repairs.drafts = repairs.drafts;
    quiz.repairs.passed.extend(repairs.passed);
}

fn change(sitting: &mut Sitting, at: Timestamp, text: &str) -> Vec<Effect> {
    let text = clean(text);
    let repair = &mut sitting.repair;
    if text.len() > LONGEST || text == repair.text {
        return Vec::new();
    }
    repair.note = None;
    repair.asks_reset = false;
    repair.text = text;
    keep(sitting, at)
}

/// Brings the latest of the texts before back. The one that was there goes behind all others, so that doing it again and
/// again leads through all of them.
fn bring_back(sitting: &mut Sitting, at: Timestamp) -> Vec<Effect> {
    let repair = &mut sitting.repair;
    let Some(latest) = repair.earlier.iter().rposition(|earlier| earlier.text != repair.text) else {
        return Vec::new();
    };
    let by = repair.earlier.remove(latest);
    let mut effects = Vec::new();
    let before = replace(sitting, at, by, &mut effects);
    sitting.repair.earlier.insert(0, before);
    effects
}

/// Puts another text in place. What is kept of the one that was there stays, and it is returned.
fn replace(sitting: &mut Sitting, at: Timestamp, by: Earlier, effects: &mut Vec<Effect>) -> Earlier {
    let repair = &mut sitting.repair;
    let (text, base) = (mem::replace(&mut repair.text, by.text), mem::replace(&mut repair.base, by.base));
    repair.keeping = Keeping::Anew;
    repair.asks_reset = false;
    repair.note = None;
    effects.extend(keep(sitting, at));
    Earlier { text, base }
}

fn keep(sitting: &mut Sitting, at: Timestamp) -> Vec<Effect> {
    let repair = &mut sitting.repair;
    let keeping = mem::replace(&mut repair.keeping, Keeping::InPlace);
    let question = sitting.entry.name.clone();
    let (base, text) = (repair.base.clone(), repair.text.clone());
    vec![Effect::KeepDraft(KeptDraft { question, at, base, text, keeping })]
}

/// Takes the text that another editor left, and checks it.
fn edited(quiz: &mut Quiz, question: &QuestionName, text: &str, path: String, aside: Option<String>) -> Vec<Effect> {
    let at = quiz.now;
    let Some(sitting) = quiz.sittings.get_mut(question) else { return Vec::new() };
    // The end of its last line can make a text too long that was not.
    if clean(text).len() > LONGEST {
        sitting.repair.note = Some(Note::Failed(format!("`{path}` is longer than 64 KiB")));
        return Vec::new();
    }
    let mut effects = change(sitting, at, text);
    sitting.repair.note = Some(Note::Edited { path, changed: !effects.is_empty(), aside });
    effects.extend(run_checks(quiz));
    effects
}

fn run_checks(quiz: &mut Quiz) -> Vec<Effect> {
    let Some(sitting) = in_sight(quiz) else { return Vec::new() };
    sitting.repair.asks_reset = false;
    if sitting.repair.is_running() && !sitting.repair.is_stale() {
        return Vec::new();
    }
    let mut effects = sitting.repair.stops();
    effects.extend(consent::check_if_allowed(quiz));
    effects
}

/// Starts the checks on the learner's program. Whether they may run at all is decided in `consent.rs`.
pub(super) fn start(quiz: &mut Quiz) -> Vec<Effect> {
    let limits = quiz.limits;
    let run = RunId(quiz.last_run.saturating_add(1));
    let Some(sitting) = quiz.sitting_mut() else { return Vec::new() };
    let text = sitting.repair.text.clone();
    let job = Job { source: text.clone(), mode: runnable::grade(&sitting.entry.question), limits };
    sitting.repair.checked = Some(Checked { text, run: Run::new(run), results: Vec::new() });
    quiz.last_run = run.0;
    vec![Effect::Start { run, job }]
}

/// Takes what a run of checks reported; `None` when the run is none of them.
pub(super) fn ran(quiz: &mut Quiz, id: RunId, event: &Event) -> Option<Vec<Effect>> {
    let at = quiz.now;
    let sitting = quiz.sittings.values_mut().find(|sitting| sitting.repair.running() == Some(id))?;
    let of = sitting.entry.question.checks.len();
    let checked = sitting.repair.checked.as_mut()?;
    match event {
        Event::Output(chunk) => add_output(&mut checked.run, chunk.clone()),
        Event::Check(result) if checked.results.len() < of => checked.results.push(result.clone()),
        Event::Ended(ending) => {
            checked.run.ending = Some(ending.clone());
            // Nothing was found out about the text.
            if matches!(ending.verdict, Verdict::Stopped | Verdict::MachineryFailed | Verdict::Refused) {
                return Some(Vec::new());
            }
            let held = checked.passed_count();
            let passed = sitting.repair.standing(&sitting.entry.question) == Standing::Passed;
            let question = sitting.entry.name.clone();
            if passed {
                quiz.repairs.passed.insert(question.clone());
            }
            let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
            let what = What::Repaired { passed, held: count(held), of: count(of) };
            return Some(vec![Effect::Record(Attempt { question, at, what })]);
        }
        Event::Check(_) | Event::Step(_) | Event::TraceFull(_) | Event::Row(_) => {}
    }
    Some(Vec::new())
}
