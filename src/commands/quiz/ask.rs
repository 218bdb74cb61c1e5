//! Asks for the lines on a terminal, question by question. Every line that is typed gets a reply.

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use crate::content::catalog::Entry;
use crate::content::prose;
use crate::content::question::{Ask, LineNo, lines};
use crate::error::Error;
use crate::plain::command::{Command, Typed, read};
use crate::plain::programs;
use crate::quiz::describe::PICK_A_GAP;
use crate::script::answers::{Answer, Answers};
use crate::script::lines::{self as input, Input};
use crate::text::{self, counted};

/// The reply to `help`.
const HELP: &str = "A number: answer with that line. You cannot change it later.\n\
                    Enter alone: skip this question. It counts as not answered.\n\
                    `read`: the question again.\n\
                    `quit`, or Ctrl-D: stop here. The rest counts as not answered, and your answers are graded.\n\
                    Ctrl-C: leave at once. Nothing is graded.\n";

/// Asks and returns the answers. Questions go to `out`, so that standard output has only the report. Where lines are
/// `spoken`, each has its number.
pub(super) fn ask(
    questions: &[Arc<Entry>],
    from: &mut impl BufRead,
    out: &mut impl Write,
    spoken: bool,
) -> Result<Answers, Error> {
    let failed = |error: io::Error| Error::machinery("cannot ask on this terminal").because(error);
    let mut answers = Answers::new();
    let asked = counted(questions.len(), "question");
    writeln!(out, "{asked}. Type the number of the line with the bug, or `help`.").map_err(failed)?;
    for (index, entry) in questions.iter().enumerate() {
        let asking = Asking { entry, number: index + 1, of: questions.len(), spoken };
        asking.show(out).map_err(failed)?;
        match asking.line(from, out).map_err(failed)? {
            Reply::Line(line) => {
                answers.insert(entry.name.clone(), Answer { picks: vec![line], ..Answer::default() });
            }
            Reply::Skip => {}
            Reply::End => {
                let left = questions.len() - index;
                let count = if left == 1 { "counts" } else { "count" };
                writeln!(out, "{} {count} as not answered.", counted(left, "question")).map_err(failed)?;
                break;
            }
        }
    }
    out.write_all(b"\n").map_err(failed)?;
    Ok(answers)
}

enum Reply {
    Line(LineNo),
    Skip,
    End,
}

/// A question with its number.
struct Asking<'a> {
    entry: &'a Entry,
    number: usize,
    of: usize,
    spoken: bool,
}

impl Asking<'_> {
    fn line(&self, from: &mut impl BufRead, out: &mut impl Write) -> io::Result<Reply> {
        let (number, of, count) = (self.number, self.of, self.entry.question.line_count());
        loop {
            write!(out, "Question {number} of {of}. Line, 1 to {count}, or Enter to skip it: ")?;
            out.flush()?;
            let typed = match input::next(from)? {
                Input::End => {
                    out.write_all(b"\nThat was the end of the input.\n")?;
                    return Ok(Reply::End);
                }
                Input::TooLong => {
                    writeln!(out, "{}", input::TOO_LONG)?;
                    continue;
                }
                Input::NotUtf8 => {
                    writeln!(out, "{}", input::NOT_UTF8)?;
                    continue;
                }
                Input::Line(typed) => typed,
            };
            match read(&typed) {
                Typed::Nothing => {
                    out.write_all(b"Skipped.\n")?;
                    return Ok(Reply::Skip);
                }
                Typed::Number(None | Some("line"), number) => {
                    if let Some(line) = LineNo::new(number).filter(|line| line.index() < count) {
                        writeln!(out, "Noted: line {line}.")?;
                        return Ok(Reply::Line(line));
                    }
                    writeln!(out, "There is no line {number}; the program has {}.", counted(count, "line"))?;
                }
                Typed::Command(Command::Help, _) => out.write_all(HELP.as_bytes())?,
                Typed::Command(Command::Read, _) => self.show(out)?,
                Typed::Command(Command::Quit, _) => return Ok(Reply::End),
                _ => {
                    let typed = text::line(typed.trim());
                    let shown = text::shorten(&typed, 40);
                    writeln!(out, "`{shown}` is not a line number. Type `help` for a list.")?;
                }
            }
        }
    }

    fn show(&self, out: &mut impl Write) -> io::Result<()> {
        let question = &self.entry.question;
        let name = self.entry.name.to_string();
        let mut page = format!("\nQuestion {} of {}: {}\n", self.number, self.of, text::line(&name));
        page.push_str(&text::line(&question.title));
        page.push_str("\n\n");
        let prompt = prose::plain(&question.spot.prompt);
        for line in textwrap::wrap(&prompt, text::whole_words(80)) {
            page.push_str(&line);
            page.push('\n');
        }
        if question.spot.ask == Ask::Gap {
            page.push_str(PICK_A_GAP);
            page.push('\n');
        }
        page.push('\n');
        if self.spoken {
            programs::program(&mut page, &question.spot.code);
        } else {
            for (index, line) in lines(&question.spot.code).iter().enumerate() {
                page.push_str(format!("{:>4}  {line}", index + 1).trim_end());
                page.push('\n');
            }
        }
        page.push('\n');
        out.write_all(text::block(&page).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::content::question::QuestionName;
    use crate::content::{parse, read};

    fn small() -> Arc<Entry> {
        let source = include_str!("../../../tests/fixtures/small.toml");
        let file = read::source(Path::new("small.toml"), source);
        let name = QuestionName { pack: "fixture".to_owned(), id: "small".to_owned() };
        Arc::new(Entry::new(name, parse::question(&file).0.unwrap(), false))
    }

    /// The replies, without the pages of the questions, and the lines that were answered.
    fn said(typed: &[u8], count: usize) -> (String, Vec<u32>) {
        let mut out = Vec::new();
        let questions = vec![small(); count];
        let answers = ask(&questions, &mut io::BufReader::new(typed), &mut out, true).unwrap();
        let mut page = Vec::new();
        Asking { entry: &questions[0], number: 1, of: count, spoken: true }.show(&mut page).unwrap();
        let out = String::from_utf8(out).unwrap().replace(std::str::from_utf8(&page).unwrap(), "[page]\n");
        let picks = answers.values().flat_map(|answer| answer.picks.iter().map(|line| line.get())).collect();
        (out, picks)
    }

    #[test]
    fn every_line_gets_a_reply() {
        let typed = b"9\r\n0\nthree\n-1\nrow 3\n\x1b[2J\n\xff\nhelp\nread\nline 3\n";
        let (said, picks) = said(typed, 1);
        assert_eq!(picks, [3]);
        let prompt = "Question 1 of 1. Line, 1 to 8, or Enter to skip it: ";
        let expected = [
            "1 question. Type the number of the line with the bug, or `help`.\n[page]\n",
            "There is no line 9; the program has 8 lines.\n",
            "There is no line 0; the program has 8 lines.\n",
            "`three` is not a line number. Type `help` for a list.\n",
            "`-1` is not a line number. Type `help` for a list.\n",
            "`row 3` is not a line number. Type `help` for a list.\n",
            "`␛[2J` is not a line number. Type `help` for a list.\n",
            "That line is not UTF-8 text.\n",
            HELP,
            "[page]\n",
            "Noted: line 3.\n\n",
        ];
        assert_eq!(said, expected.join(prompt));
    }

    #[test]
    fn unanswered_questions_are_counted() {
        for (typed, end) in [
            ("\n", "it: Skipped.\n\n"),
            ("", "it: \nThat was the end of the input.\n1 question counts as not answered.\n\n"),
            ("quit\n", "it: 1 question counts as not answered.\n\n"),
        ] {
            let (said, picks) = said(typed.as_bytes(), 1);
            assert!(said.ends_with(end) && picks.is_empty(), "{said}");
        }
        let (said, _) = said(b"\nexit", 3);
        assert!(said.ends_with("it: 2 questions count as not answered.\n\n"), "{said}");
    }
}
