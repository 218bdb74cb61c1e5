//! Attempts in the database, with `drafts.rs` and `schema.sql` the only SQL beside what opens the file.
//!
//! Rows are only ever added: a row that was taken back is cancelled by another row. An attempt is on the disk when
//! [`Store::record`] returns.

use std::collections::HashMap;

use rusqlite::params;

use super::store::{Store, named, sql_error};
use crate::content::question::QuestionName;
use crate::error::Error;
use crate::quiz::attempt::{Attempt, AttemptKind, LastResult};
use crate::quiz::time::Timestamp;

impl Store {
    /// Adds an attempt. It is on the disk when this returns.
    ///
    /// # Errors
    ///
    /// The disk is full or gone, or another program held the file for too long.
    pub fn record(&mut self, attempt: &Attempt) -> Result<(), Error> {
        let Columns { kind, line, correct, pick, covered, points } = Columns::of(attempt.kind);
        self.connection
            .execute(
                "INSERT INTO attempt (question, at_ms, kind, line, correct, pick, covered, points)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                params![attempt.question.to_string(), attempt.at.0, kind, line, correct, pick, covered, points],
            )
            .map(|_| ())
            .map_err(|error| sql_error(&self.path, error))
    }

    /// Adds that `attempt` counts no more. The newest of several equal ones is meant; where there is none that counts,
    /// nothing is added.
    ///
    /// # Errors
    ///
    /// As for [`Store::record`].
    pub fn take_back(&mut self, attempt: &Attempt, at: Timestamp) -> Result<(), Error> {
        let Columns { kind, line, .. } = Columns::of(attempt.kind);
        self.connection
            .execute(
                "INSERT INTO attempt (question, at_ms, kind, cancels)
                 SELECT ?1, ?2, 'took_back', MAX(id) FROM attempt
                 WHERE question = ?1 AND at_ms = ?3 AND kind = ?4 AND line IS ?5
                     AND id NOT IN (SELECT cancels FROM attempt WHERE cancels IS NOT NULL)
                 HAVING MAX(id) IS NOT NULL",
                params![attempt.question.to_string(), at.0, attempt.at.0, kind, line],
            )
            .map(|_| ())
            .map_err(|error| sql_error(&self.path, error))
    }

    /// The latest result of each question.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn last_results(&self) -> Result<HashMap<QuestionName, LastResult>, Error> {
        let wrap = |error| sql_error(&self.path, error);
        let mut statement = self
            .connection
            .prepare(
                "SELECT question, kind, correct, pick FROM attempt WHERE id IN
                     (SELECT MAX(id) FROM attempt WHERE kind IN ('picked', 'gave_up')
                      AND id NOT IN (SELECT cancels FROM attempt WHERE cancels IS NOT NULL) GROUP BY question)",
            )
            .map_err(wrap)?;
        let rows = statement
            .query_map([], |row| {
                let question: String = row.get(0)?;
                let kind: String = row.get(1)?;
                let correct: Option<bool> = row.get(2)?;
                let pick: Option<u32> = row.get(3)?;
                Ok((question, kind, correct, pick))
            })
            .map_err(wrap)?;
        let mut results = HashMap::new();
        for row in rows {
            let (question, kind, correct, pick) = row.map_err(wrap)?;
            let Some(name) = named(&question) else { continue };
            let result = match (kind.as_str(), correct, pick) {
                ("gave_up", ..) => LastResult::GaveUp,
                (_, Some(true), Some(1)) => LastResult::FoundAtOnce,
                (_, Some(true), _) => LastResult::FoundLater,
                _ => LastResult::NotFound,
            };
            results.insert(name, result);
        }
        Ok(results)
    }

    /// The number of attempts.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn count(&self) -> Result<u64, Error> {
        self.connection
            .query_row("SELECT COUNT(*) FROM attempt", [], |row| row.get::<_, i64>(0))
            .map(i64::unsigned_abs)
            .map_err(|error| sql_error(&self.path, error))
    }
}

#[derive(Default)]
struct Columns {
    kind: &'static str,
    line: Option<u32>,
    correct: Option<bool>,
    pick: Option<u32>,
    covered: Option<u32>,
    points: Option<u32>,
}

impl Columns {
    fn of(what: AttemptKind) -> Self {
        let none = Self::default();
        match what {
            AttemptKind::Picked { line, right, pick } => {
                Self { kind: "picked", line: Some(line.get()), correct: Some(right), pick: Some(pick), ..none }
            }
            AttemptKind::GaveUp => Self { kind: "gave_up", ..none },
            AttemptKind::Said { covered, of } => {
                Self { kind: "said", covered: Some(covered), points: Some(of), ..none }
            }
            AttemptKind::Repaired { passed, held, of } => {
                let (covered, points) = (Some(held), Some(of));
                Self { kind: "repaired", correct: Some(passed), covered, points, ..none }
            }
        }
    }
}
