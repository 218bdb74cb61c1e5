//! `fencepost author`: tools for those who write questions.

use crate::cli::Author;
use crate::commands::print;
use crate::content::schema;
use crate::error::{Error, Exit};

pub(super) fn run(command: &Author) -> Result<Exit, Error> {
    match command {
        Author::Schema => print(&schema::question_schema())?,
    }
    Ok(Exit::Done)
}
