//! What has happened to a quiz since it was last looked at, in sentences.
//!
//! Owns which changes are told without being asked for: the end of runs and checks, the clock, what waits for consent, and
//! what could not be saved.

use crate::plain::{programs, words};
use crate::quiz::consent::{Doubt, Sandbox};
use crate::quiz::repair::Note;
use crate::quiz::state::Phase;
use crate::quiz::time::Millis;
use crate::quiz::{Quiz, Stage};

/// Seconds that are told while they run out. More of them would talk over the learner.
const TOLD: [u64; 4] = [30, 20, 10, 5];

/// What can be news, at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Glance {
    running: bool,
    checking: bool,
    talking: Option<u64>,
    time_is_up: bool,
    doubt: Option<Doubt>,
    note: Option<Note>,
    unsaved: Option<String>,
    unread: Vec<String>,
}

impl Glance {
    /// The quiz as it is now.
    pub fn of(quiz: &Quiz) -> Self {
        let (unsaved, unread) = (quiz.unsaved().map(str::to_owned), quiz.unread().to_vec());
        let Some(sitting) = quiz.sitting() else { return Self { unsaved, unread, ..Self::default() } };
        let phase = sitting.say().phase();
        let doubt = match sitting.stage() {
            Stage::Run => sitting.doubt(),
            Stage::Fix => sitting.repair().doubt(),
            Stage::Spot | Stage::Say | Stage::Learn => None,
        };
        Self {
            running: sitting.is_running(),
            checking: sitting.repair().is_running(),
            talking: matches!(phase, Phase::Talking { .. }).then(|| quiz.left(sitting).seconds_up()),
            time_is_up: phase == Phase::Checklist { left: Millis(0) },
            doubt,
            note: sitting.repair().note().cloned(),
            unsaved,
            unread,
        }
    }
}

/// What is new in `quiz` since it was as `before` says.
pub fn since(before: &Glance, quiz: &Quiz) -> String {
    let now = Glance::of(quiz);
    let mut out = String::new();
    for why in now.unread.iter().skip(before.unread.len()) {
        out.push_str(&format!("{why}\n"));
    }
    if now.unsaved != before.unsaved {
        out.push_str(&match &now.unsaved {
            Some(why) => format!("{why}\n"),
            None => "Everything is saved again.\n".to_owned(),
        });
    }
    let Some(sitting) = quiz.sitting() else { return out };
    if now.note != before.note {
        match &now.note {
            Some(Note::Edited { changed, aside, .. }) => {
                if let Some(aside) = aside {
                    out.push_str(&format!("Another text stood in the file; it is kept as {aside}.\n"));
                }
                out.push_str(if *changed { "" } else { "The text did not change.\n" });
                out.push_str(&programs::own_changes(sitting));
            }
            Some(Note::Failed(why)) => out.push_str(&format!("Not edited: {why}\n")),
            None => {}
        }
    }
    if before.running && !now.running {
        out.push_str(&programs::runs(sitting));
    }
    if before.checking && !now.checking {
        out.push_str(&programs::checked(sitting));
    }
    if now.doubt != before.doubt {
        out.push_str(&doubt(quiz, now.doubt));
    }
    match (before.talking, now.talking) {
        (Some(earlier), Some(left)) if earlier != left && TOLD.contains(&left) => {
            out.push_str(&format!("{left} seconds left.\n"));
        }
        // Who ended the talk knows it, and is told what comes then.
        (Some(_), None) if now.time_is_up => {
            out.push_str("Time is up.\n");
            out.push_str(&words::checklist(sitting));
        }
        _ => {}
    }
    out
}

fn doubt(quiz: &Quiz, doubt: Option<Doubt>) -> String {
    let pack = quiz.sitting().map(|sitting| sitting.entry().name.pack.clone()).unwrap_or_default();
    match (doubt, quiz.sandbox()) {
        (Some(Doubt::Asked), Sandbox::Known { why, .. }) => format!(
            "The pack {pack} did not come with fencepost, and {why}. Its programs could read and change your files. Type \
             `yes` to run them, or `no`.\n"
        ),
        (Some(Doubt::Failed), Sandbox::Failed(why)) => format!("Nothing was run: {why}\n"),
        (Some(Doubt::Asked | Doubt::Failed | Doubt::Looking) | None, _) => String::new(),
    }
}
