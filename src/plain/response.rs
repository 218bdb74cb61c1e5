//! Responses to a line that was typed, and short ways to make them.

use crate::plain::words::wrapped;
use crate::quiz::Quiz;
use crate::quiz::action::Action;

/// Says something about a quiz that has changed.
pub type Then = Box<dyn Fn(&Quiz) -> String>;

/// The response to a line.
pub enum Response {
    /// Say this.
    Words(String),
    /// Refuse, and say why.
    Refused(String),
    /// Do this, and then say that.
    Do {
        /// The actions, in order.
        actions: Vec<Action>,
        /// Describes the quiz afterwards.
        then: Then,
    },
    /// Leave.
    Leave,
}

pub(super) fn words(words: &str) -> Response {
    Response::Words(format!("{words}\n"))
}

pub(super) fn refused(why: &str) -> Response {
    Response::Refused(wrapped(why))
}

pub(super) fn nothing() -> Then {
    Box::new(|_| String::new())
}

/// Does `action`, then says what `then` makes of the quiz.
pub(super) fn act(action: Action, then: impl Fn(&Quiz) -> String + 'static) -> Response {
    Response::Do { actions: vec![action], then: Box::new(then) }
}
