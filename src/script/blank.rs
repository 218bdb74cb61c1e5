//! A file of answers to fill in, in the format of `answers.rs`. It gives no answer away.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::content::catalog::Entry;
use crate::content::question::{Ask, lines};
use crate::quiz::describe::PICK_A_GAP;
use crate::script::answers::{FORMAT, LARGEST, MOST};
use crate::text::{self, counted};

/// The template for `questions`, with their programs as comments.
///
/// # Errors
///
/// There are more questions than one file of answers can hold.
pub fn template(questions: &[Arc<Entry>]) -> Result<String, String> {
    let count = questions.len();
    if questions.is_empty() {
        return Ok(format!(
            "# There is nothing to answer: no question falls into this part. Handed in as it is, this file passes.\n\n\
             format = {FORMAT}\n"
        ));
    }
    let mut out = format!(
        "# Answers to {}. Write the number of the buggy line in place of each 0, then run\n\
         #\n\
         #     fencepost quiz --answers THIS-FILE\n\
         #\n\
         # with the same choice of questions. Remove an entry to leave its question out; that scores 0. An entry may also\n\
         # have these keys:\n\
         #\n\
         #     fix_file = \"mine.py\"   your repaired program, in a file beside this one; or fix = '''...''' in place\n\
         #     points = [1, 3]        points of the spoken answer that you covered, from 1 on; never graded\n\
         \n\
         format = {FORMAT}\n",
        counted(count, "question")
    );
    for (index, entry) in questions.iter().enumerate() {
        one(&mut out, entry, index + 1, count);
    }
    // What is filled in makes the file longer; a half is left for that.
    if count > MOST || out.len() as u64 > LARGEST / 2 {
        return Err(format!("{count} questions are more than one file of answers can hold"));
    }
    Ok(out)
}

fn one(out: &mut String, entry: &Entry, number: usize, of: usize) {
    let question = &entry.question;
    let mut page = format!("{number} of {of}: {}\n", text::line(&question.title));
    let _ = writeln!(page, "{}, {}\n", question.topic, question.level);
    for line in textwrap::wrap(&question.spot.prompt, text::whole_words(100)) {
        let _ = writeln!(page, "{line}");
    }
    if question.spot.ask == Ask::Gap {
        let _ = writeln!(page, "{PICK_A_GAP}");
    }
    page.push('\n');
    for (index, line) in lines(&question.spot.code).iter().enumerate() {
        let _ = writeln!(page, "{:>4}  {line}", index + 1);
    }
    out.push('\n');
    // TOML forbids control characters in comments, so this is not for terminals alone.
    for line in text::block(&page).lines() {
        out.push_str(format!("# {line}").trim_end());
        out.push('\n');
    }
    // A name is made of small letters, digits, hyphens and one stroke.
    let _ = write!(out, "[[answer]]\nquestion = \"{}\"\nline = 0\n", entry.name);
}
