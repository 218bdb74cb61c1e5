//! Every question that was loaded, in the order of the library.
//!
//! Finds questions by name. `load.rs` fills it.

use std::sync::Arc;

use crate::content::diagnostic::Diagnostic;
use crate::content::lazy::Lazy;
use crate::content::question::{LearningPath, Level, Pack, Question, QuestionName};

/// The packs and questions that can be used, and the problems of the others.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// The packs, by name.
    pub packs: Vec<PackEntry>,
    /// The questions: pack by pack, in the order of their ids.
    pub questions: Vec<Arc<Entry>>,
    /// The problems of the files, in the order of the files.
    pub problems: Vec<Diagnostic>,
}

/// A pack.
#[derive(Clone, Debug)]
pub struct PackEntry {
    /// The folder's name.
    pub name: String,
    /// Its `pack.toml`.
    pub pack: Pack,
    /// True if it is built into this program.
    pub shipped: bool,
}

/// A question.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its full name.
    pub name: QuestionName,
    /// Its entry in the library.
    pub card: Card,
    /// The question, read at first use.
    pub question: Lazy,
    /// True if it is built into this program.
    pub shipped: bool,
}

/// The entry of a question in the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// The heading.
    pub title: String,
    /// The subject.
    pub topic: String,
    /// The level.
    pub level: Level,
    /// Ids that the question had before.
    pub formerly: Vec<String>,
}

impl From<&Question> for Card {
    fn from(question: &Question) -> Self {
        let Question { title, topic, level, formerly, .. } = question;
        Self { title: title.clone(), topic: topic.clone(), level: *level, formerly: formerly.clone() }
    }
}

impl Entry {
    /// A question that was read already.
    pub fn new(name: QuestionName, question: Question, shipped: bool) -> Self {
        Self { name, card: Card::from(&question), question: question.into(), shipped }
    }

    /// The names that the question had before.
    pub fn former_names(&self) -> impl Iterator<Item = QuestionName> {
        self.card.formerly.iter().map(|id| QuestionName { pack: self.name.pack.clone(), id: id.clone() })
    }
}

/// The reason why a name finds no question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LookupError {
    /// No question has this name; those that look alike.
    Unknown {
        /// Names that look like what was typed, best first.
        similar: Vec<QuestionName>,
    },
    /// Several packs have a question with this id.
    Ambiguous {
        /// All of them.
        candidates: Vec<QuestionName>,
    },
}

impl LookupError {
    /// The message for `name`, and the remedy; `list` says where every question is listed.
    pub fn explain(&self, name: &str, list: &str) -> (String, String) {
        match self {
            Self::Unknown { similar } => {
                let remedy =
                    similar.first().map_or_else(|| list.to_owned(), |close| format!("did you mean `{close}`?"));
                (format!("there is no question `{name}`"), remedy)
            }
            Self::Ambiguous { candidates } => {
                let names: Vec<String> = candidates.iter().map(|name| format!("`{name}`")).collect();
                (
                    format!("several packs have a question `{name}`"),
                    format!("name one with its pack: {}", names.join(", ")),
                )
            }
        }
    }
}

impl Catalog {
    /// The question that `text` names: `pack/id`, or the id alone if it is unique. A former id works too, unless a
    /// question has it now.
    pub fn find(&self, text: &str) -> Result<&Arc<Entry>, LookupError> {
        let (pack, id) = text.split_once('/').map_or((None, text), |(pack, id)| (Some(pack), id));
        let of_pack = || self.questions.iter().filter(|q| pack.is_none_or(|pack| q.name.pack == pack));
        let mut found: Vec<&Arc<Entry>> = of_pack().filter(|q| q.name.id == id).collect();
        if found.is_empty() {
            found = of_pack().filter(|q| q.card.formerly.iter().any(|former| former == id)).collect();
        }
        match found.as_slice() {
            [one] => Ok(one),
            [] => Err(LookupError::Unknown { similar: self.similar(text) }),
            many => Err(LookupError::Ambiguous { candidates: many.iter().map(|q| q.name.clone()).collect() }),
        }
    }

    /// The question that `text` names in a file of `pack`: an id without a pack means that pack first.
    pub fn find_from(&self, pack: &str, text: &str) -> Option<&Arc<Entry>> {
        let anywhere = self.find(text).ok();
        let here = if text.contains('/') { None } else { self.find(&format!("{pack}/{text}")).ok() };
        // A question that has the id now comes before one of this pack that had it.
        here.filter(|entry| entry.name.id == text).or(anywhere).or(here)
    }

    /// The paths of all packs, each with the questions on it that can be used.
    pub fn paths(&self) -> impl Iterator<Item = (&PackEntry, &LearningPath, Vec<&Arc<Entry>>)> {
        self.packs.iter().flat_map(move |pack| {
            let found = move |text: &String| self.find_from(&pack.name, text);
            pack.pack.paths.iter().map(move |path| (pack, path, path.questions.iter().filter_map(found).collect()))
        })
    }

    /// True if a question is called `name` now.
    pub fn has(&self, name: &QuestionName) -> bool {
        self.questions.iter().any(|entry| entry.name == *name)
    }

    /// The pack called `name`.
    pub fn pack(&self, name: &str) -> Option<&PackEntry> {
        self.packs.iter().find(|pack| pack.name == name)
    }

    fn similar(&self, text: &str) -> Vec<QuestionName> {
        let id = text.rsplit('/').next().unwrap_or(text);
        let names: Vec<&str> = self.questions.iter().map(|q| q.name.id.as_str()).collect();
        let close = crate::content::suggestion::closest(id, &names);
        let mut similar: Vec<QuestionName> =
            self.questions.iter().filter(|q| close.contains(&q.name.id.as_str())).map(|q| q.name.clone()).collect();
        similar.truncate(3);
        similar
    }
}
