//! Prints the table of a batch, and counts its rows.

use crate::cli::ReportFormat;
use crate::commands::progress::Progress;
use crate::commands::{json_line, message, print};
use crate::content::question::QuestionName;
use crate::error::{Error, Exit};
use crate::script::csv;
use crate::script::report::Versioned;
use crate::script::table::Row;

/// A table, row by row.
pub(super) struct Table {
    csv: bool,
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
        let csv = is_csv(format)?;
        if csv {
            print(&csv::header(&questions))?;
        }
        let progress = Progress::new();
        progress.begin("grading", rows);
        Ok(Self { csv, questions, counts: Counts::default(), progress })
    }

    /// Prints a row.
    pub(super) fn tell(&mut self, row: &Row) -> Result<(), Error> {
        self.progress.clear();
        print(&if self.csv { csv::row(row, &self.questions) } else { json_line(&Versioned::new(row))? })?;
        self.counts.add(row);
        self.progress.step();
        Ok(())
    }

    /// Removes the progress bar where the work ended early.
    pub(super) fn leave(&self) {
        self.progress.clear();
    }

    /// Reports on standard error how many passed.
    pub(super) fn end(self) -> Exit {
        self.progress.clear();
        message(&self.counts.summary());
        self.counts.exit()
    }
}

/// True for CSV, false for JSON lines. Other formats have no table, and are refused.
pub(super) fn is_csv(format: Option<ReportFormat>) -> Result<bool, Error> {
    match format {
        None | Some(ReportFormat::Jsonl) => Ok(false),
        Some(ReportFormat::Csv) => Ok(true),
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
