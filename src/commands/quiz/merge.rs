//! `fencepost quiz merge`: adds up the reports of parts.

use crate::cli::{QuizMerge, ReportFormat};
use crate::commands::print;
use crate::commands::quiz::answers::{self, Wanted};
use crate::commands::quiz::output;
use crate::commands::quiz::table::Table;
use crate::error::{Error, Exit};
use crate::script::merge::{Document, Part, merge, questions, read as parse};
use crate::script::table::Learner;
use crate::text;

/// A report, or a table. A class of 1,000 that hands in 60 short fixes each makes a third of this.
const REPORTS: Wanted = Wanted { what: "reports", most: 1 << 30, instead: "grade the class in smaller folders" };

pub(super) fn run(args: &QuizMerge) -> Result<Exit, Error> {
    let mut parts = Vec::new();
    let mut wrong = Vec::new();
    for path in &args.reports {
        let name = path.display().to_string();
        match answers::file(path, &REPORTS)? {
            Err(problem) => wrong.push(format!("{}: {}", problem.message, problem.help)),
            Ok(file) => match parse(&file.text) {
                Err(what) => wrong.push(format!("`{name}` {what}")),
                Ok(document) => parts.push(Part { name, document }),
            },
        }
    }
    if !wrong.is_empty() {
        return Err(refused(
            &wrong,
            "a part is the output of `fencepost quiz --format json`, or of a folder of answers",
        ));
    }
    let merged = merge(parts).map_err(|wrong| {
        refused(&wrong, "name the reports of every part from `--partition 1/N` to `N/N`, each once")
    })?;
    match merged {
        Document::Report(report) => {
            let exit = if report.total.passed { Exit::Done } else { Exit::Failed };
            let nobody = Learner { name: String::new(), file: None, handed_in: true, on_roster: None };
            print(&output::written(*report, args.format.unwrap_or(ReportFormat::Text), nobody)?)?;
            Ok(exit)
        }
        Document::Table(rows) => {
            let mut table = Table::begin(args.format, questions(&rows), rows.len())?;
            rows.iter().try_for_each(|row| table.tell(row))?;
            Ok(table.end())
        }
    }
}

/// All reasons as one error, each on a line.
fn refused(wrong: &[String], hint: &str) -> Error {
    // A name may have line breaks, and must not begin a line that seems to be ours.
    let lines: Vec<_> = wrong.iter().map(|line| text::line(line)).collect();
    Error::usage(lines.join("\n")).hint(hint)
}
