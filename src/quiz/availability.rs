//! Decides what works now and why the rest does not: one rule for keys, the footer, help and plain mode.

use crate::quiz::describe;
use crate::quiz::program::{Program, Programs};
use crate::quiz::run_view::RunView;
use crate::quiz::sitting::Sitting;
use crate::quiz::stage::Stage;
use crate::quiz::state::Quiz;

use crate::quiz::countdown::Phase;

/// Something that a learner may want to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ability {
    /// Open a question of the library.
    Open,
    /// Say yes or no.
    Decide,
    /// Show this stage.
    Go(Stage),
    /// Open the next hint.
    Hint,
    /// Give up.
    GiveUp,
    /// Take back the last answer, tick, or end of the checklist.
    Undo,
    /// Show the timeline.
    Timeline,
    /// Go to the next row or step.
    Next,
    /// Go to the row or step before.
    Previous,
    /// Go to the first or the last row or step.
    Ends,
    /// See the variables, or the output, at a step.
    Inspect,
    /// See the steps of this program, or of both.
    Show(Programs),
    /// Change the repair, or check it.
    Repair,
    /// Begin the repair again.
    Reset,
    /// Bring back the text before a reset.
    BringBack,
    /// Start the countdown.
    StartCountdown,
    /// Pause the countdown.
    PauseCountdown,
    /// Go on to the checklist.
    EndCountdown,
    /// Complete the checklist.
    FinishChecklist,
    /// Open the hint of the next follow-up question.
    FollowUp,
    /// Open the marked item of the stage Learn.
    OpenItem,
    /// Open a related question.
    Related,
}

/// The reason why something does not work now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The library is empty.
    NoQuestions,
    /// No question is open.
    NoQuestionOpen,
    /// Nothing waits for a yes or a no.
    NothingAsked,
    /// It works in this stage only.
    OtherStage(Stage),
    /// This stage is closed until the question is answered.
    Closed(Stage),
    /// The question is answered.
    Answered,
    /// In the stage Learn, hints belong to follow-up questions.
    HintsOfFollowUps,
    /// The question has no hints.
    NoHints,
    /// Every hint is open.
    HintsOpen,
    /// There is nothing to take back.
    NothingToUndo,
    /// The question has no scenario.
    NoScenario,
    /// Neither rows nor steps are shown.
    NoRows,
    /// The timeline was not played yet.
    NotPlayed,
    /// This is the last row or step.
    AtLast(RunView),
    /// This is the first row or step.
    AtFirst(RunView),
    /// No steps are shown.
    NotInSteps,
    /// The fixed program is closed.
    FixedClosed,
    /// The fixed program took no step.
    NoSteps,
    /// The repair is the buggy program.
    Unchanged,
    /// There is no text to bring back.
    NoEarlierText,
    /// The countdown is running.
    CountdownRunning,
    /// The countdown is not running.
    CountdownStopped,
    /// The countdown is over.
    CountdownOver,
    /// The checklist is not open yet.
    NoChecklist,
    /// The checklist is complete.
    ChecklistDone,
    /// Nothing is marked.
    NothingMarked,
    /// The library has none of the related questions.
    NoRelated,
}

impl Ability {
    /// The only stage in which it works.
    fn stage(self) -> Option<Stage> {
        match self {
            Self::Hint | Self::GiveUp => Some(Stage::Spot),
            Self::Next | Self::Previous | Self::Ends | Self::Inspect | Self::Show(_) => Some(Stage::Run),
            Self::Repair | Self::Reset | Self::BringBack => Some(Stage::Fix),
            Self::StartCountdown | Self::PauseCountdown | Self::EndCountdown | Self::FinishChecklist => {
                Some(Stage::Say)
            }
            Self::FollowUp | Self::OpenItem => Some(Stage::Learn),
            Self::Open | Self::Decide | Self::Go(_) | Self::Undo | Self::Timeline | Self::Related => None,
        }
    }
}

/// The reason why `ability` does not work now; `None` if it does.
pub fn unavailable(quiz: &Quiz, ability: Ability) -> Option<Reason> {
    if ability == Ability::Open {
        return quiz.catalog().questions.is_empty().then_some(Reason::NoQuestions);
    }
    let Some(sitting) = quiz.sitting() else {
        return Some(if ability == Ability::Decide { Reason::NothingAsked } else { Reason::NoQuestionOpen });
    };
    if ability == Ability::Hint && sitting.stage() == Stage::Learn && sitting.is_answered() {
        return Some(Reason::HintsOfFollowUps);
    }
    if let Some(stage) = ability.stage().filter(|stage| *stage != sitting.stage()) {
        return Some(Reason::OtherStage(stage));
    }
    let (question, repair) = (sitting.question(), sitting.repair());
    match ability {
        Ability::Open | Ability::Repair | Ability::GiveUp => None,
        Ability::Decide => (!sitting.is_asking() && !repair.asks_reset()).then_some(Reason::NothingAsked),
        Ability::Go(stage) => sitting.closed(stage).map(|_| Reason::Closed(stage)),
        Ability::Hint if sitting.is_answered() => Some(Reason::Answered),
        Ability::Hint if question.spot.hints.is_empty() => Some(Reason::NoHints),
        Ability::Hint => (sitting.hints() >= question.spot.hints.len()).then_some(Reason::HintsOpen),
        Ability::Undo => (!sitting.can_undo()).then_some(Reason::NothingToUndo),
        Ability::Timeline => question.scenario.is_none().then_some(Reason::NoScenario),
        Ability::Next | Ability::Previous | Ability::Ends => no_move(sitting, ability),
        Ability::Inspect | Ability::Show(_) => no_steps(sitting, ability),
        Ability::Reset => (!repair.is_changed(question)).then_some(Reason::Unchanged),
        Ability::BringBack => (!repair.has_earlier()).then_some(Reason::NoEarlierText),
        Ability::StartCountdown | Ability::PauseCountdown | Ability::EndCountdown | Ability::FinishChecklist => {
            no_countdown(sitting, ability)
        }
        Ability::FollowUp if !sitting.is_answered() => Some(Reason::Closed(Stage::Learn)),
        Ability::FollowUp => {
            let is_open = |index| sitting.opened(index).is_some();
            (0..question.follow_ups.len()).all(is_open).then_some(Reason::HintsOpen)
        }
        Ability::OpenItem => sitting.focus().is_none().then_some(Reason::NothingMarked),
        Ability::Related if !sitting.is_answered() => Some(Reason::Closed(Stage::Learn)),
        Ability::Related => quiz.related(sitting.entry()).next().is_none().then_some(Reason::NoRelated),
    }
}

fn no_move(sitting: &Sitting, ability: Ability) -> Option<Reason> {
    let timeline = sitting.timeline();
    let (at, count) = match (sitting.view(), &sitting.question().scenario, sitting.steps().leader()) {
        (RunView::Timeline, Some(scenario), _) => {
            let all = sitting.open_programs().all(|(program, _)| timeline.live(program).is_some());
            if ability == Ability::Next && !all {
                return None;
            }
            if !sitting.is_played() {
                return Some(Reason::NotPlayed);
            }
            (timeline.at().unwrap_or(0), scenario.steps.len())
        }
        (RunView::Steps, _, Some(walk)) => (walk.at(), walk.trace().steps.len()),
        _ => return Some(Reason::NoRows),
    };
    match ability {
        Ability::Next if at + 1 >= count => Some(Reason::AtLast(sitting.view())),
        Ability::Previous if at == 0 => Some(Reason::AtFirst(sitting.view())),
        _ => None,
    }
}

fn no_steps(sitting: &Sitting, ability: Ability) -> Option<Reason> {
    let steps = sitting.steps();
    if sitting.view() != RunView::Steps || steps.leader().is_none() {
        return Some(Reason::NotInSteps);
    }
    match ability {
        Ability::Show(Programs::One(Program::Fixed) | Programs::Both) if !sitting.is_answered() => {
            Some(Reason::FixedClosed)
        }
        Ability::Show(Programs::One(Program::Fixed) | Programs::Both) => {
            let has_steps = steps.walk(Program::Fixed).is_some_and(|walk| !walk.trace().steps.is_empty());
            (!has_steps).then_some(Reason::NoSteps)
        }
        _ => None,
    }
}

fn no_countdown(sitting: &Sitting, ability: Ability) -> Option<Reason> {
    let phase = sitting.say().phase();
    let is_running = matches!(phase, Phase::Speaking { .. });
    match ability {
        Ability::StartCountdown => is_running.then_some(Reason::CountdownRunning),
        Ability::PauseCountdown => (!is_running).then_some(Reason::CountdownStopped),
        Ability::EndCountdown => {
            matches!(phase, Phase::Checklist { .. } | Phase::Done).then_some(Reason::CountdownOver)
        }
        _ => match phase {
            Phase::Checklist { .. } => None,
            Phase::Done => Some(Reason::ChecklistDone),
            Phase::Ready | Phase::Speaking { .. } | Phase::Paused { .. } => Some(Reason::NoChecklist),
        },
    }
}

impl Sitting {
    /// The reason why `stage` is closed; `None` if it is open.
    pub fn closed(&self, stage: Stage) -> Option<&'static str> {
        (stage == Stage::Learn && !self.is_answered()).then_some(describe::LEARN_IS_CLOSED)
    }

    /// True if the timeline is at a row.
    pub fn is_played(&self) -> bool {
        self.timeline().at().is_some() && self.timeline().live(Program::Buggy).is_some()
    }
}

impl Quiz {
    /// The reason why the current stage shows nothing; `None` if it does, or in the library.
    pub fn closed(&self) -> Option<&'static str> {
        let sitting = self.sitting()?;
        let unread = sitting.stage() == Stage::Fix && !self.knows_repairs();
        sitting.closed(sitting.stage()).or_else(|| unread.then_some(describe::REPAIRS_ARE_UNREAD))
    }
}
