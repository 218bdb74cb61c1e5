//! Writes the text of a new question and of a new pack. The question's comments teach the format, and it passes every check.

use crate::content::question::Date;

const QUESTION: &str = include_str!("template.toml");

/// The values that a new question is filled with.
#[derive(Clone, Copy, Debug)]
pub struct Blanks<'a> {
    /// The id, which is also the file's stem.
    pub id: &'a str,
    /// The heading in the library.
    pub topic: &'a str,
    /// The file, as it is named on the command line.
    pub file: &'a str,
    /// The first line, which names the schema.
    pub schema: &'a str,
    /// The day.
    pub today: Date,
}

/// The text of a new question.
pub fn question(blanks: &Blanks<'_>) -> String {
    // Between quotes, so nothing in them may end them early.
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    // In comments, so they stay on their line.
    let line = |text: &str| text.replace(char::is_control, " ");
    QUESTION
        .replace("@schema@", &line(blanks.schema))
        .replace("@file@", &line(blanks.file))
        .replace("@today@", &blanks.today.to_string())
        .replace("@id@", blanks.id)
        .replace("@topic@", &quoted(&line(blanks.topic)))
}

/// True if a new question contains `text` as it is.
pub(super) fn has(text: &str) -> bool {
    QUESTION.contains(text)
}

/// A heading from the name of a pack: "my questions" becomes "My questions".
pub fn title(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The text of a new `pack.toml`.
pub fn pack(name: &str, author: &str) -> String {
    let title = title(name);
    let author = author.replace(char::is_control, " ").replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "# A pack of questions for fencepost: this folder. Every other `.toml` file in it is a question.\n\
         format = 1\n\
         # The heading, and one sentence on what the pack teaches.\n\
         title = \"{title}\"\n\
         summary = \"One sentence about these questions.\"\n\
         authors = [\"{author}\"]\n\
         # The licence, and an address for suggestions that people can open or write to.\n\
         licence = \"All rights reserved\"\n\
         report = \"the authors\"\n\
         # Names and terms that the spelling check accepts.\n\
         words = []\n"
    )
}
