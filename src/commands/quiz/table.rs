//! Prints the table of a batch, and counts its rows.

use crate::cli::ReportFormat;
use crate::commands::progress::Progress;
use crate::commands::{json_line, message, print};
use crate::content::question::QuestionName;
use crate::error::{Error, Exit};
use crate::script::csv;
use crate::script::report::Versioned;
use crate::script::table::Row;

/// The form of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    JsonLines,
    Csv,
}

/// A table, row by row.
pub(super) struct Table {
    form: Form,
    questions: Vec<QuestionName>,
    counts: Counts,
    progress: Progress,
}

/// Rows so far.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    rows: usize,
    passed: usize,
    absent: usize,
    ungraded: usize,
    in_part: usize,
    not_on_roster: usize,
    machinery: usize,
}

impl Table {
    /// Begins a table about `questions`, of which `rows` are to come.
    pub(super) fn begin(
        format: Option<ReportFormat>,
        questions: Vec<QuestionName>,
        rows: usize,
    ) -> Result<Self, Error> {
        let form = form(format)?;
        if form == Form::Csv {
            print(&csv::header(&questions))?;
        }
        let progress = Progress::new();
        progress.begin("grading", rows);
        Ok(Self { form, questions, counts: Counts::default(), progress })
    }

    /// Prints a row.
    pub(super) fn tell(&mut self, row: &Row) -> Result<(), Error> {
        self.progress.clear();
        print(&match self.form {
            Form::JsonLines => json_line(&Versioned::new(row))?,
            Form::Csv => csv::row(row, &self.questions),
        })?;
        self.counts.add(row);
        self.progress.step();
        Ok(())
    }

    /// Wipes the bar away, where the work ended too early.
    pub(super) fn leave(&self) {
        self.progress.clear();
    }

    /// Says on standard error how many passed.
    pub(super) fn end(self) -> Exit {
        self.progress.clear();
        message(&self.counts.summary());
        self.counts.exit()
    }
}

/// Refuses formats that are no table.
pub(super) fn refuse_other_formats(format: Option<ReportFormat>) -> Result<(), Error> {
    form(format).map(|_| ())
}

fn form(format: Option<ReportFormat>) -> Result<Form, Error> {
    match format {
        None | Some(ReportFormat::Jsonl) => Ok(Form::JsonLines),
        Some(ReportFormat::Csv) => Ok(Form::Csv),
        Some(_) => Err(Error::usage(
            "answers of several learners become a table in JSON lines or CSV, not a report in this format",
        )
        .hint("leave `--format` out, write `--format csv`, or grade one file")),
    }
}

impl Counts {
    fn add(&mut self, row: &Row) {
        self.rows += 1;
        let Row { learner, report } = row;
        self.passed += usize::from(report.total.passed);
        self.absent += usize::from(!learner.handed_in);
        let (problems, graded) = (!report.problems.is_empty(), !report.questions.is_empty());
        self.ungraded += usize::from(problems && !graded);
        self.in_part += usize::from(problems && graded);
        self.not_on_roster += usize::from(learner.on_roster == Some(false));
        self.machinery += usize::from(row.lacks_machinery());
    }

    fn summary(&self) -> String {
        let more = [
            (self.absent, "handed nothing in"),
            (self.ungraded, "could not be graded"),
            (self.in_part, "graded in part"),
            (self.not_on_roster, "not on the roster"),
        ];
        let more: String =
            more.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("; {count} {what}")).collect();
        format!("{} of {} passed{more}\n", self.passed, self.rows)
    }

    fn exit(&self) -> Exit {
        if self.machinery > 0 {
            Exit::Machinery
        } else if self.passed < self.rows {
            Exit::Failed
        } else {
            Exit::Done
        }
    }
}
