//! `fencepost author`: tools for those who write questions.

#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::string_slice))]

mod check;
mod mypy;
mod new;
mod preview;
mod proofs;
mod tool;

use crate::cli::Author;
use crate::commands::{Session, print};
use crate::content::schema;
use crate::error::{Error, Exit};

pub(super) fn run(session: &Session, command: &Author) -> Result<Exit, Error> {
    match command {
        Author::New(args) => new::run(session, args),
        Author::Check(args) => check::run(session, args),
        Author::Preview(args) => preview::run(session, args),
        Author::Schema => print(&schema::question_schema()).map(|()| Exit::Done),
    }
}
