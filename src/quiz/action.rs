//! Everything that can happen to a quiz, as plain data.

use std::collections::HashMap;
use std::sync::Arc;

use crate::content::catalog::Catalog;
use crate::content::question::{LineNo, QuestionName};
use crate::quiz::attempt::LastResult;
use crate::quiz::consent::Sandbox;
use crate::quiz::draft::Repairs;
use crate::quiz::effect::RunId;
use crate::quiz::prediction;
use crate::quiz::run_view::RunView;
use crate::quiz::stage::Stage;
use crate::quiz::steps;
use crate::quiz::time::Timestamp;
use crate::quiz::timeline;
use crate::runner::Event;

pub use crate::quiz::effect::Effect;
pub use crate::quiz::motion::Motion;
pub use crate::quiz::sitting::LearnItem;

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The time is now this. Front ends send it before anything else that they send, and when `Quiz::wake` says so.
    Time(Timestamp),
    /// Open this question, or go on with it where it was left.
    Open(QuestionName),
    /// Open the question at this place of the library, counted from 0.
    OpenAt(usize),
    /// Go back: to the question that led here, to the library, or out.
    Back,
    /// Leave at once.
    Quit,
    /// Show this stage of the open question.
    Go(Stage),
    /// Show the stage after this one; the first comes after the last.
    NextStage,
    /// Show the stage before this one; the last comes before the first.
    PreviousStage,
    /// Move the mark of the screen: the row of the library, the line of the program, the point of the checklist.
    Move(Motion),
    /// Put the mark on this row of the library, counted from 0.
    Select(usize),
    /// Put the cursor on this line of the program.
    Point(LineNo),
    /// A digit of a line number was typed.
    Digit(u8),
    /// Answer with this line.
    Pick(LineNo),
    /// Open the next hint: of the program in the stage Spot, of the follow-up questions in the stage Learn.
    Hint,
    /// Show the answer.
    GiveUp,
    /// Start this question over. What was recorded stays.
    StartOver,
    /// Run what may be run, or stop what is running.
    Run,
    /// Stop what is running.
    StopRun,
    /// Show this view of the stage Run.
    Show(RunView),
    /// Show the view of the stage Run after this one; the first comes after the last.
    NextView,
    /// Do this with the steps.
    Steps(steps::Act),
    /// Do this with the prediction that the stage Run asks for.
    Predict(prediction::Act),
    /// Do this with the timeline.
    Timeline(timeline::Act),
    /// The sandbox was looked at.
    Sandbox(Sandbox),
    /// Run the programs of the pack that the stage Run asks about, now and for as long as this quiz goes on.
    Agree,
    /// Do not run what the stage Run asks about.
    Decline,
    /// A run reported something.
    Ran(RunId, Event),
    /// Start the countdown, or pause it.
    Timer,
    /// Put the countdown and the checklist back to their start.
    ResetTimer,
    /// Stop talking and go to the checklist.
    EndCountdown,
    /// Tick this point of the checklist, or take the tick away; counted from 0.
    Tick(usize),
    /// The checklist is complete: keep it and show the model answer.
    FinishChecklist,
    /// Mark an item of the stage Learn.
    Focus(LearnItem),
    /// Open or close the hint of this follow-up question, counted from 0.
    FollowUp(usize),
    /// Take back the last answer, the last tick, or the end of the checklist, whichever is in sight.
    Undo,
    /// The text of the repair is this from now on.
    Edit(String),
    /// Give the repair to the learner's own editor.
    EditOutside,
    /// The learner's own editor is done with the repair.
    Edited {
        /// The question.
        question: QuestionName,
        /// The text that it left.
        text: String,
        /// The file in which it left it.
        path: String,
        /// The file to which another text was put that stood there before.
        aside: Option<String>,
    },
    /// The repair could not be edited outside, or not be read back.
    NotEdited {
        /// The question.
        question: QuestionName,
        /// The reason, as a sentence.
        why: String,
    },
    /// Run the checks on the repair.
    RunChecks,
    /// Ask whether the repair is to begin again.
    ResetDraft,
    /// Begin the repair again.
    ConfirmReset,
    /// Leave the repair as it is.
    KeepText,
    /// Bring back the text that a reset replaced, or swap it with the one that is there.
    BringBack,
    /// Repairs of earlier sittings.
    Repairs(Repairs),
    /// The library is this from now on.
    Loaded(Library),
    /// The folders could not be read; the sentence says why.
    LoadFailed(String),
    /// Results of earlier sittings.
    Remembered(HashMap<QuestionName, LastResult>),
    /// Something that was kept earlier could not be read, or not all of it; the sentence says what and why.
    RememberFailed(String),
    /// Something could not be saved; the sentence says what and why.
    SaveFailed(String),
    /// Everything is saved again.
    Saved,
}

/// Questions that were read while the quiz was going on already.
#[derive(Clone, Debug)]
pub struct Library(pub Arc<Catalog>);

/// The same library is the same catalog, not one that looks alike.
impl PartialEq for Library {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
