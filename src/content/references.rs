//! Rules for what a file says of other questions: `related`, `formerly` and the entries of a path.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::content::diagnostic::{Diagnostic, Severity, SourceFile, codes};
use crate::content::locate::Step::{At, Key};
use crate::content::problems::Problems;
use crate::content::question::{Pack, Question, QuestionName};
use crate::content::suggestion::closest;
use crate::content::validate::{is_id, suggested_id};

/// Names that a file may use for another question.
#[derive(Default)]
pub(crate) struct Known {
    /// The current id of each name; `None` if the name is current itself.
    names: BTreeMap<QuestionName, Option<String>>,
}

impl Known {
    /// Adds a question.
    pub(crate) fn add<'a>(&mut self, pack: &str, id: &str, formerly: impl IntoIterator<Item = &'a str>) {
        let name = |id: &str| QuestionName { pack: pack.to_owned(), id: id.to_owned() };
        self.names.insert(name(id), None);
        for former in formerly {
            self.names.entry(name(former)).or_insert_with(|| Some(id.to_owned()));
        }
    }

    /// The name that `text` is in a file of `pack`, with the current id if it is a former one.
    fn find(&self, pack: &str, text: &str) -> Option<(&QuestionName, Option<&str>)> {
        let (pack, id) = text.split_once('/').unwrap_or((pack, text));
        let name = QuestionName { pack: pack.to_owned(), id: id.to_owned() };
        self.names.get_key_value(&name).map(|(name, current)| (name, current.as_deref()))
    }

    /// The same, where an id without a pack may also be in another pack.
    fn find_anywhere(&self, pack: &str, text: &str) -> Option<(&QuestionName, Option<&str>)> {
        let elsewhere = || self.names.iter().find(|(name, _)| name.id == text);
        self.find(pack, text).or_else(|| elsewhere().map(|(name, current)| (name, current.as_deref())))
    }

    /// Current ids, for suggestions.
    fn ids(&self) -> Vec<&str> {
        self.names.iter().filter(|(_, current)| current.is_none()).map(|(name, _)| name.id.as_str()).collect()
    }
}

/// Reports every `related` id of `question` that is unknown, as an error or, since the question still works, a warning. A
/// former id works; a note names the current one.
pub(crate) fn related(
    question: &Question,
    pack: &str,
    known: &Known,
    file: &Arc<SourceFile>,
    severity: Severity,
) -> Vec<Diagnostic> {
    let check = Problems::new(file.clone());
    for (index, text) in question.related.iter().enumerate() {
        let found = known.find_anywhere(pack, text);
        let (name, current) = found.map_or((None, None), |(name, current)| (Some(name), current));
        let itself = name.is_some_and(|name| name.pack == pack && current.unwrap_or(&name.id) == question.id);
        let path = [Key("related"), At(index)];
        if let (Some(current), false) = (current, itself) {
            check.push(Severity::Note, codes::RELATED, check.place(&path), renamed(text, current), written(current));
        }
        if name.is_some() && !itself {
            continue;
        }
        let bare = text.rsplit('/').next().unwrap_or(text);
        let help = match closest(bare, &known.ids()).first() {
            _ if itself => "remove it: a question cannot be related to itself".to_owned(),
            Some(close) if *close != question.id => format!("did you mean `{close}`?"),
            _ => "remove it, or write that question".to_owned(),
        };
        check.push(severity, codes::RELATED, check.place(&path), format!("there is no question `{text}`"), help);
    }
    check.finish()
}

/// Reports every entry of a path that is unknown or comes twice, and titles that come twice. An error, or for learners a
/// warning, since the questions still work.
pub(crate) fn paths(
    pack: &Pack,
    name: &str,
    known: &Known,
    file: &Arc<SourceFile>,
    severity: Severity,
) -> Vec<Diagnostic> {
    let check = Problems::new(file.clone());
    let mut titles = BTreeSet::new();
    for (index, path) in pack.paths.iter().enumerate() {
        let mut seen = BTreeSet::new();
        let at = [Key("path"), At(index), Key("title")];
        if !titles.insert(&path.title) {
            let message = format!("another path is also called `{}`", path.title);
            check.push(severity, codes::PATH, check.place(&at), message, "give each path its own title");
        }
        for (entry, text) in path.questions.iter().enumerate() {
            let at = check.place(&[Key("path"), At(index), Key("questions"), At(entry)]);
            let Some((found, current)) = known.find(name, text) else {
                let help = match known.find_anywhere(name, text) {
                    Some((found, _)) => format!("write `{found}`: it is in another pack"),
                    None => match closest(text.rsplit('/').next().unwrap_or(text), &known.ids()).first() {
                        Some(close) => format!("did you mean `{close}`?"),
                        None => "remove it, or write that question".to_owned(),
                    },
                };
                check.push(severity, codes::PATH, at, format!("there is no question `{text}`"), help);
                continue;
            };
            let id = current.unwrap_or(&found.id);
            if !seen.insert((&found.pack, id)) {
                let message = format!("`{text}` is already in this path");
                check.push(severity, codes::PATH, at, message, "remove one of the two");
            } else if let Some(current) = current {
                check.push(Severity::Note, codes::PATH, at, renamed(text, current), written(current));
            }
        }
    }
    check.finish()
}

fn renamed(text: &str, current: &str) -> String {
    format!("`{text}` is now called `{current}`")
}

fn written(current: &str) -> String {
    format!("write `{current}`; the old id works too")
}

/// Reports former ids of `question` that are invalid, its own, or listed twice.
pub(super) fn formerly(check: &Problems, question: &Question) {
    let mut seen = BTreeSet::new();
    for (index, former) in question.formerly.iter().enumerate() {
        let (message, help) = if !is_id(former) {
            let help = format!(
                "use lowercase letters, digits and single hyphens, such as `{}`",
                suggested_id(former, "lost-update")
            );
            (format!("`{former}` cannot have been an id"), help)
        } else if *former == question.id {
            (format!("`{former}` is still the id"), "list only ids that the question had before".to_owned())
        } else if !seen.insert(former) {
            (format!("`{former}` is listed twice"), "remove one of the two".to_owned())
        } else {
            continue;
        };
        check.push(Severity::Error, codes::FORMERLY, check.place(&[Key("formerly"), At(index)]), message, help);
    }
}

/// Reports former ids that belong to another question of the pack. `ids` are the current ids, `former` the former ids seen
/// so far, each with the path of its file.
pub(super) fn taken(
    question: &Question,
    file: &Arc<SourceFile>,
    ids: &BTreeMap<String, Arc<SourceFile>>,
    former: &mut BTreeMap<String, Arc<SourceFile>>,
) -> Vec<Diagnostic> {
    let check = Problems::new(file.clone());
    for (index, id) in question.formerly.iter().enumerate().filter(|(_, id)| **id != question.id) {
        let (other, what) = match (ids.get(id), former.get(id)) {
            (Some(other), _) => (other.path.display(), "is the id"),
            (_, Some(other)) if !Arc::ptr_eq(other, file) => (other.path.display(), "is also a former id"),
            _ => {
                former.insert(id.clone(), file.clone());
                continue;
            }
        };
        let message = format!("`{id}` {what} of the question in `{other}`");
        let place = check.place(&[Key("formerly"), At(index)]);
        check.push(Severity::Error, codes::FORMERLY, place, message, "remove it from one of the two");
    }
    check.finish()
}
