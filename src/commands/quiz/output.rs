//! Writes a report in the format that was asked for.

use crate::cli::ReportFormat;
use crate::commands::{json, json_line};
use crate::content::question::QuestionName;
use crate::error::Error;
use crate::script::report::{Event, FORMAT, Report, Versioned};
use crate::script::table::{Learner, Row};
use crate::script::{csv, junit, tap, text};
use crate::text as safe;

/// Writes the report on the answers of `learner`.
pub(super) fn written(report: Report, format: ReportFormat, learner: Learner) -> Result<String, Error> {
    match format {
        ReportFormat::Text => Ok(safe::block(&text::page(&report)).into_owned()),
        ReportFormat::Json => json(&Versioned::new(&report)),
        ReportFormat::Jsonl => {
            let Report { total, terms, questions, problems } = &report;
            let started = Event::Started { format: FORMAT, asked: total.asked, terms, problems };
            let events =
                [started].into_iter().chain(questions.iter().map(Event::Graded)).chain([Event::Finished(total)]);
            events.map(|event| json_line(&event)).collect()
        }
        ReportFormat::Junit => junit::document(&report)
            .map_err(|error| Error::machinery("cannot write the report as JUnit XML").because(error)),
        ReportFormat::Tap => Ok(tap::document(&report)),
        ReportFormat::Csv => {
            let questions: Vec<QuestionName> = report.questions.iter().map(|graded| graded.question.clone()).collect();
            Ok(csv::header(&questions) + &csv::row(&Row { learner, report }, &questions))
        }
    }
}
