//! Texts of repairs as they are kept for good and found again.

use std::collections::{BTreeSet, HashMap};

use crate::content::question::QuestionName;
use crate::quiz::time::Timestamp;

/// The longest text of a repair, in bytes. Questions have a few hundred.
pub const LONGEST: usize = 64 << 10;

/// The text of a repair as it is kept for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptDraft {
    /// The question.
    pub question: QuestionName,
    /// The time.
    pub at: Timestamp,
    /// The buggy program from which the text was begun.
    pub base: String,
    /// The text.
    pub text: String,
    /// The row.
    pub keeping: Keeping,
}

/// The row that keeps a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// In an entry of its own, so that the one before stays as it is.
    NewRow,
    /// In the place of what was kept before in this quiz, never of what an earlier quiz kept.
    SameRow,
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

/// Repairs of earlier sittings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    /// The texts.
    pub drafts: HashMap<QuestionName, Draft>,
    /// The questions of which a repair passed.
    pub passed: BTreeSet<QuestionName>,
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
