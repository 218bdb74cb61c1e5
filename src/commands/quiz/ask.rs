//! Asks for the lines on a terminal, question by question.

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use crate::content::catalog::Entry;
use crate::content::question::{LineNo, lines};
use crate::error::Error;
use crate::script::answers::{Answer, Answers};
use crate::script::lines::{self as input, Input};
use crate::tui::text;

/// What the user answers. The questions go to `out`, so that the report has standard output for itself.
pub(super) fn ask(questions: &[Arc<Entry>], from: &mut impl BufRead, out: &mut impl Write) -> Result<Answers, Error> {
    let failed = |error: io::Error| Error::machinery("cannot ask on this terminal").because(error);
    let mut answers = Answers::new();
    for (index, entry) in questions.iter().enumerate() {
        let page = text::block(&page(entry, index + 1, questions.len())).into_owned();
        out.write_all(page.as_bytes()).map_err(failed)?;
        match line(entry, from, out).map_err(failed)? {
            Reply::Line(line) => {
                answers.insert(entry.name.clone(), Answer { picks: vec![line], ..Answer::default() });
            }
            Reply::LeaveOut => {}
            Reply::End => break,
        }
    }
    out.write_all(b"\n").map_err(failed)?;
    Ok(answers)
}

enum Reply {
    Line(LineNo),
    LeaveOut,
    End,
}

fn line(entry: &Entry, from: &mut impl BufRead, out: &mut impl Write) -> io::Result<Reply> {
    let count = entry.question.line_count();
    loop {
        write!(out, "Line, 1 to {count}, or Enter to leave it out: ")?;
        out.flush()?;
        let typed = match input::next(from)? {
            Input::End => return Ok(Reply::End),
            Input::Line(typed) => typed,
            Input::TooLong | Input::NotUtf8 => "?".to_owned(),
        };
        let typed = typed.trim();
        if typed.is_empty() {
            return Ok(Reply::LeaveOut);
        }
        match typed.parse().ok().and_then(LineNo::new).filter(|line| line.index() < count) {
            Some(line) => return Ok(Reply::Line(line)),
            None => writeln!(out, "`{}` is no line of this program.", text::line(&text::shorten(typed, 40)))?,
        }
    }
}

fn page(entry: &Entry, number: usize, of: usize) -> String {
    let question = &entry.question;
    let mut page = format!("\nQuestion {number} of {of}: {}\n{}\n\n", entry.name, question.title);
    for line in textwrap::wrap(&question.spot.prompt, text::whole_words(80)) {
        page.push_str(&line);
        page.push('\n');
    }
    page.push('\n');
    for (index, line) in lines(&question.spot.code).iter().enumerate() {
        page.push_str(format!("{:>4}  {line}", index + 1).trim_end());
        page.push('\n');
    }
    page.push('\n');
    page
}
