//! A learner at one question: where each stage stands.
//!
//! Fields are private to `quiz/`, so that only `update` can change them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::content::catalog::Entry;
use crate::content::question::{LineNo, Question};
use crate::quiz::attempt::{Attempt, LastResult};
use crate::quiz::consent::{Blocked, Waiting};
use crate::quiz::countdown::{Phase, Say};
use crate::quiz::prediction::{Prediction, PredictionResult, compare};
use crate::quiz::program::{PerProgram, Program};
use crate::quiz::repair::Repair;
use crate::quiz::run_view::{Request, RunView};
use crate::quiz::stage::Stage;
use crate::quiz::steps::Steps;
use crate::quiz::time::Millis;
use crate::quiz::timeline::Timeline;
use crate::runner::recording::Recording;
use crate::runner::{Stream, Verdict};

/// A learner at one question.
#[derive(Clone, Debug)]
pub struct Sitting {
    pub(super) entry: Arc<Entry>,
    pub(super) stage: Stage,
    pub(super) cursor: LineNo,
    /// The line number that is being typed.
    pub(super) typed: u32,
    pub(super) hints: usize,
    /// The news of the last action in the stage Spot, until the learner moves on.
    pub(super) notice: Option<SpotNotice>,
    pub(super) picks: Vec<LineNo>,
    pub(super) outcome: Option<Outcome>,
    pub(super) recordings: PerProgram<Recording>,
    /// The view of the stage Run that is shown.
    pub(super) view: RunView,
    pub(super) timeline: Timeline,
    pub(super) steps: Steps,
    pub(super) prediction: Prediction,
    /// The last request to the stage Run.
    pub(super) request: Request,
    pub(super) waiting: Waiting,
    pub(super) repair: Repair,
    pub(super) say: Say,
    /// Answers and ticks that can be taken back, in order.
    pub(super) done: Vec<Undoable>,
    /// Follow-up questions of which something is open.
    pub(super) opened: BTreeMap<usize, Opened>,
    pub(super) focus: Option<LearnItem>,
}

/// Something in the stage Learn that can be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LearnItem {
    /// A follow-up question, counted from 0.
    FollowUp(usize),
    /// A related question, counted from 0 among those that the library has.
    Related(usize),
}

/// The last text of a follow-up question that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// Its hint.
    Hint,
    /// Its hint and its answer.
    Answer,
}

/// Something that can be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Undoable {
    /// A line was picked, or the answer asked for.
    Answered {
        /// The record.
        attempt: Attempt,
        /// The result before it.
        before: Option<LastResult>,
    },
    /// This point was ticked, or its tick taken away.
    Ticked(usize),
    /// The checklist was completed.
    Said {
        /// The record.
        attempt: Attempt,
        /// Time that was left of the countdown.
        left: Millis,
    },
}

/// Something new to read in the stage Spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpotNotice {
    /// A hint was opened.
    Hint,
    /// A wrong line was picked, and its feedback stands below the program.
    Feedback,
    /// The last answer was taken back.
    TakenBack,
}

/// The end of the search for the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The line was found.
    Found {
        /// The accepted line that was picked.
        line: LineNo,
        /// With which pick, counted from 1.
        pick: u32,
    },
    /// The learner asked for the answer.
    GaveUp,
}

impl Sitting {
    pub(super) fn new(entry: Arc<Entry>, repair: Repair) -> Self {
        let say = Say::new(&entry.question);
        Self {
            entry,
            stage: Stage::Spot,
            cursor: LineNo::FIRST,
            typed: 0,
            hints: 0,
            notice: None,
            picks: Vec::new(),
            outcome: None,
            recordings: PerProgram::default(),
            view: RunView::default(),
            timeline: Timeline::default(),
            steps: Steps::default(),
            prediction: Prediction::default(),
            request: Request::default(),
            waiting: Waiting::default(),
            repair,
            say,
            done: Vec::new(),
            opened: BTreeMap::new(),
            focus: None,
        }
    }

    /// The question and where it came from.
    pub fn entry(&self) -> &Arc<Entry> {
        &self.entry
    }

    /// The question.
    pub fn question(&self) -> &Question {
        &self.entry.question
    }

    /// The stage that is shown.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// The line that Enter would answer with.
    pub fn cursor(&self) -> LineNo {
        self.cursor
    }

    /// The number of open hints.
    pub fn hints(&self) -> usize {
        self.hints
    }

    /// Something new to read, until the learner moves on.
    pub fn notice(&self) -> Option<SpotNotice> {
        self.notice
    }

    /// The lines that were picked, in order, each once.
    pub fn picks(&self) -> &[LineNo] {
        &self.picks
    }

    /// The end of the search; `None` while it goes on.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// True once the line was found or given up, which unlocks whatever gives it away.
    pub fn is_answered(&self) -> bool {
        self.outcome.is_some()
    }

    /// The latest run of `program`.
    pub fn run(&self, program: Program) -> Option<&Recording> {
        self.recordings.get(program)
    }

    /// True while a program runs.
    pub fn is_running(&self) -> bool {
        let plain = self.recordings.iter().any(Recording::is_running);
        plain || self.timeline.is_running() || self.steps.is_running()
    }

    /// The reason why the requested run of `stage` has not started; `None` if it has, or if there was no request.
    pub fn blocked(&self, stage: Stage) -> Option<Blocked> {
        self.waiting.in_stage(stage)
    }

    /// True while the current stage asks if someone else's programs may run.
    pub fn is_asking(&self) -> bool {
        self.blocked(self.stage) == Some(Blocked::NeedsConsent)
    }

    /// The view of the stage Run that is shown.
    pub fn view(&self) -> RunView {
        self.view
    }

    /// The views that the stage Run has here, in the order in which they are shown.
    pub fn views(&self) -> impl Iterator<Item = RunView> + '_ {
        let has = |view: &RunView| *view != RunView::Timeline || self.question().scenario.is_some();
        RunView::ALL.into_iter().filter(has)
    }

    /// The programs that may be seen, with their texts.
    pub fn open_programs(&self) -> impl Iterator<Item = (Program, &str)> {
        let open = |program: &Program| *program == Program::Buggy || self.is_answered();
        Program::ALL.into_iter().filter(open).map(|program| (program, self.source(program)))
    }

    /// The text of `program`.
    pub fn source(&self, program: Program) -> &str {
        program.code(self.question())
    }

    /// The live scenario.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// The traces and where the learner is in them.
    pub fn steps(&self) -> &Steps {
        &self.steps
    }

    /// The prediction.
    pub fn prediction(&self) -> &Prediction {
        &self.prediction
    }

    /// True while the stage Run is shown and asks for a prediction.
    pub fn is_predicting(&self) -> bool {
        self.stage == Stage::Run && matches!(self.prediction, Prediction::Typing(_))
    }

    /// The prediction beside what the buggy program printed; `None` where one of them is missing.
    pub fn prediction_result(&self) -> Option<PredictionResult> {
        let Prediction::Made(predicted) = &self.prediction else { return None };
        let plain = self.run(Program::Buggy);
        let traced = self.steps.walk(Program::Buggy).map(|walk| walk.trace());
        let ran = |recording: &&Recording| {
            let verdict = recording.ending().map(|ending| ending.verdict);
            verdict.is_some_and(|it| !matches!(it, Verdict::Stopped | Verdict::Refused | Verdict::MachineryFailed))
        };
        let recording = plain.filter(ran).or_else(|| traced.filter(ran))?;
        Some(compare(predicted, &recording.text(Stream::Stdout)))
    }

    /// The learner's own repair.
    pub fn repair(&self) -> &Repair {
        &self.repair
    }

    /// True if there is something to take back in the stage that is shown.
    pub fn can_undo(&self) -> bool {
        self.last_done().is_some()
    }

    /// The place of what would be taken back: the last thing that was done in this stage.
    pub(super) fn last_done(&self) -> Option<usize> {
        let fits = |done: &Undoable| match (self.stage, self.say.phase) {
            (Stage::Spot, _) => matches!(done, Undoable::Answered { .. }),
            (Stage::Say, Phase::Checklist { .. }) => matches!(done, Undoable::Ticked(_)),
            (Stage::Say, Phase::Done) => matches!(done, Undoable::Said { .. }),
            _ => false,
        };
        self.done.iter().rposition(fits)
    }

    /// The spoken answer.
    pub fn say(&self) -> &Say {
        &self.say
    }

    /// The last text of follow-up question `index`, counted from 0, that is open.
    pub fn opened(&self, index: usize) -> Option<Opened> {
        self.opened.get(&index).copied()
    }

    /// The marked item of the stage Learn.
    pub fn focus(&self) -> Option<LearnItem> {
        self.focus
    }
}
