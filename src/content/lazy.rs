//! A question that is read at first use.
//!
//! The library shows only title, topic and level of each question. Reading every file for that would delay the first frame.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use crate::content::diagnostic::SourceFile;
use crate::content::parse;
use crate::content::question::Question;

type Read = Box<dyn FnOnce() -> Question + Send>;

/// A question, read at first use.
#[derive(Clone)]
pub struct Lazy(Arc<LazyLock<Question, Read>>);

impl Lazy {
    /// The question in `file`, which is known to have no problems: the tests read every shipped file.
    pub(crate) fn shipped(file: Arc<SourceFile>) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(move || {
            let (question, _) = parse::question(&file);
            question.expect("the tests read every shipped question")
        }))))
    }
}

impl From<Question> for Lazy {
    fn from(question: Question) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(move || question))))
    }
}

impl Deref for Lazy {
    type Target = Question;

    fn deref(&self) -> &Question {
        &self.0
    }
}

impl fmt::Debug for Lazy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
