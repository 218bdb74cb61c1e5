//! Reports changes without being asked: the end of runs and checks, the clock, a question that waits, and what was not saved.

use crate::plain::{predicting, programs, steps, timeline, words};
use crate::quiz::consent::{Blocked, Sandbox};
use crate::quiz::repair::Note;
use crate::quiz::run_view::RunView;
use crate::quiz::state::Phase;
use crate::quiz::time::Millis;
use crate::quiz::{Quiz, Sitting};
use crate::text;

/// Seconds left that are announced. More of them would talk over the learner.
const ANNOUNCED: [u64; 4] = [30, 20, 10, 5];

/// Columns of a pack's name in a question to the learner.
const NAME: usize = 60;

/// Everything whose changes are reported.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    running: bool,
    checking: bool,
    seconds_left: Option<u64>,
    time_is_up: bool,
    blocked: Option<Blocked>,
    predicting: bool,
    unsaved: Option<String>,
    unread: Vec<String>,
}

impl Snapshot {
    /// The quiz as it is now.
    pub fn of(quiz: &Quiz) -> Self {
        let (unsaved, unread) = (quiz.unsaved().map(str::to_owned), quiz.unread().to_vec());
        let Some(sitting) = quiz.sitting() else { return Self { unsaved, unread, ..Self::default() } };
        let phase = sitting.say().phase();
        Self {
            running: sitting.is_running(),
            checking: sitting.repair().is_running(),
            seconds_left: matches!(phase, Phase::Speaking { .. }).then(|| quiz.left(sitting).seconds_up()),
            time_is_up: phase == Phase::Checklist { left: Millis(0) },
            blocked: sitting.blocked(sitting.stage()),
            predicting: sitting.is_predicting(),
            unsaved,
            unread,
        }
    }
}

/// The outcome in the learner's own editor. It is reported each time, also where it is the same as the last time.
pub fn edited(sitting: &Sitting) -> String {
    let mut out = String::new();
    match sitting.repair().note() {
        Some(Note::Edited { changed, aside, .. }) => {
            if let Some(aside) = aside {
                out.push_str(&format!("Another text stood in the file; it is kept as {}.\n", text::line(aside)));
            }
            out.push_str(if *changed { "" } else { "The text did not change.\n" });
            out.push_str(&programs::own_changes(sitting));
        }
        Some(Note::Failed(why)) => out.push_str(&format!("Not edited: {}\n", text::line(why))),
        None => {}
    }
    out
}

/// Describes the changes of `quiz` since `before`.
pub fn since(before: &Snapshot, quiz: &Quiz) -> String {
    let now = Snapshot::of(quiz);
    let mut out = String::new();
    for why in now.unread.iter().skip(before.unread.len()) {
        out.push_str(&format!("{}\n", text::line(why)));
    }
    if now.unsaved != before.unsaved {
        out.push_str(&match &now.unsaved {
            Some(why) => format!("{}\n", text::line(why)),
            None => "Everything is saved again.\n".to_owned(),
        });
    }
    let Some(sitting) = quiz.sitting() else { return out };
    if now.predicting && !before.predicting {
        out.push_str(&words::wrapped(predicting::ASKED));
    }
    if before.running && !now.running {
        out.push_str(&match sitting.view() {
            RunView::Timeline => timeline::here(sitting),
            RunView::Output => programs::runs(sitting),
            RunView::Steps => steps::begin(sitting),
        });
    }
    if before.checking && !now.checking {
        out.push_str(&programs::checked(sitting));
    }
    if now.blocked != before.blocked {
        out.push_str(&blocked(quiz, now.blocked));
    }
    match (before.seconds_left, now.seconds_left) {
        (Some(earlier), Some(left)) if earlier != left && ANNOUNCED.contains(&left) => {
            out.push_str(&format!("{left} seconds left.\n"));
        }
        // A learner who ended the countdown knows it.
        (Some(_), None) if now.time_is_up => {
            out.push_str("Time is up.\n");
            out.push_str(&words::checklist(sitting));
        }
        _ => {}
    }
    out
}

/// The question whether someone else's programs may run, where that is open.
pub fn asking(quiz: &Quiz) -> String {
    blocked(quiz, Snapshot::of(quiz).blocked)
}

fn blocked(quiz: &Quiz, blocked: Option<Blocked>) -> String {
    let pack = quiz.sitting().map(|sitting| sitting.entry().name.pack.as_str()).unwrap_or_default();
    let pack = text::line(pack);
    let pack = text::shorten(&pack, NAME);
    match (blocked, quiz.sandbox()) {
        (Some(Blocked::NeedsConsent), Sandbox::Known { why, .. }) => words::wrapped(&format!(
            "The pack {pack} did not come with fencepost, and {}. Its programs could read and change your files. Type \
             `yes` to run them, or `no`.",
            text::line(why)
        )),
        (Some(Blocked::SandboxFailed), Sandbox::Failed(why)) => format!("Nothing was run: {}\n", text::line(why)),
        (Some(Blocked::NeedsConsent | Blocked::SandboxFailed | Blocked::SandboxUnknown) | None, _) => String::new(),
    }
}
