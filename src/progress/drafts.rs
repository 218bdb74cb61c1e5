//! The texts of repairs in the database.
//!
//! Two kinds of rows are never overwritten: those of earlier quizzes, and those that a reset left behind.

use std::collections::HashMap;

use rusqlite::{Row, params};

use super::store::{Store, named, sql_error};
use crate::content::question::QuestionName;
use crate::error::Error;
use crate::quiz::repair::{Draft, Earlier, Keeping, KeptDraft, Repairs};

impl Store {
    /// Keeps the text of a repair: in this quiz's own row, or in a new one where it has none or `draft` begins again. It
    /// is on the disk when this returns.
    ///
    /// # Errors
    ///
    /// The disk is full or gone, or another program held the file for too long.
    pub fn keep_draft(&mut self, draft: &KeptDraft) -> Result<(), Error> {
        let KeptDraft { question, at, base, text, keeping } = draft;
        let own = self.draft_rows.get(question).filter(|_| *keeping == Keeping::SameRow);
        let kept = match own {
            Some(id) => self.connection.execute(
                "UPDATE draft SET at_ms = ?1, base = ?2, text = ?3 WHERE id = ?4",
                params![at.0, base, text, id],
            ),
            None => self.connection.execute(
                "INSERT INTO draft (question, at_ms, base, text) VALUES (?1, ?2, ?3, ?4)",
                params![question.to_string(), at.0, base, text],
            ),
        };
        kept.map_err(|error| sql_error(&self.path, error))?;
        if own.is_none() {
            self.draft_rows.insert(question.clone(), self.connection.last_insert_rowid());
        }
        Ok(())
    }

    /// The newest text of each question's repair with the one before it, and the questions of which a repair passed.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn repairs(&self) -> Result<Repairs, Error> {
        let drafts = self.rows(NEWEST, |row| {
            let earlier = match (row.get(3)?, row.get(4)?) {
                (Some(text), Some(base)) => Some(Earlier { text, base }),
                _ => None,
            };
            Ok((row.get::<_, String>(0)?, Draft { text: row.get(1)?, base: row.get(2)?, earlier }))
        })?;
        let drafts = drafts.into_iter().filter_map(|(question, draft)| Some((named(&question)?, draft)));
        let passed = self
            .rows("SELECT DISTINCT question FROM attempt WHERE kind = 'repaired' AND correct = 1", |row| {
                row.get::<_, String>(0)
            })?;
        let passed = passed.iter().filter_map(|question| named(question));
        Ok(Repairs { drafts: drafts.collect(), passed: passed.collect() })
    }

    fn rows<T>(&self, sql: &str, read: impl Fn(&Row<'_>) -> rusqlite::Result<T>) -> Result<Vec<T>, Error> {
        let read = || {
            let mut statement = self.connection.prepare(sql)?;
            statement.query_map([], |row| read(row))?.collect::<rusqlite::Result<Vec<T>>>()
        };
        read().map_err(|error| sql_error(&self.path, error))
    }
}

/// The newest row of each question, with the newest row before it whose text is another one. The index on the question
/// leads to both, so that old texts are not read.
const NEWEST: &str = "\
    SELECT newest.question, newest.text, newest.base, earlier.text, earlier.base
    FROM (SELECT MAX(id) AS id FROM draft GROUP BY question) AS last
    JOIN draft AS newest ON newest.id = last.id
    LEFT JOIN draft AS earlier ON earlier.id = (
        SELECT id FROM draft WHERE question = newest.question AND text <> newest.text ORDER BY id DESC LIMIT 1
    )";

/// The row of each question's text that this quiz may change.
pub(super) type DraftRows = HashMap<QuestionName, i64>;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::Keeping::{NewRow, SameRow};
    use super::*;
    use crate::quiz::attempt::{Attempt, AttemptKind};
    use crate::quiz::time::Timestamp;

    fn name(id: &str) -> QuestionName {
        QuestionName { pack: "a".into(), id: id.into() }
    }

    fn draft(id: &str, text: &str, keeping: Keeping) -> KeptDraft {
        KeptDraft { question: name(id), at: Timestamp(1), base: "base\n".into(), text: text.into(), keeping }
    }

    fn found(text: &str, earlier: Option<&str>) -> Draft {
        let earlier = earlier.map(|text| Earlier { text: text.into(), base: "base\n".into() });
        Draft { text: text.into(), base: "base\n".into(), earlier }
    }

    fn count(store: &Store) -> i64 {
        store.connection.query_row("SELECT COUNT(*) FROM draft", [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn one_sitting_keeps_one_text_and_a_reset_keeps_the_one_before() {
        let mut store = Store::open(Path::new(":memory:"), Timestamp(0)).unwrap().store;
        for (text, keeping) in [("a\n", NewRow), ("ab\n", SameRow), ("abc\n", SameRow)] {
            store.keep_draft(&draft("x", text, keeping)).unwrap();
        }
        store.keep_draft(&draft("y", "other\n", NewRow)).unwrap();
        assert_eq!(count(&store), 2);
        store.keep_draft(&draft("x", "base\n", NewRow)).unwrap();
        store.keep_draft(&draft("x", "bases\n", SameRow)).unwrap();
        let repairs = store.repairs().unwrap();
        let expected = [(name("x"), found("bases\n", Some("abc\n"))), (name("y"), found("other\n", None))];
        assert_eq!(repairs.drafts, HashMap::from(expected));
        assert!(store.connection.execute("DELETE FROM draft", []).is_err());
    }

    #[test]
    fn the_next_quiz_does_not_touch_what_an_earlier_one_kept() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("progress.db");
        let open = || Store::open(&path, Timestamp(0)).unwrap().store;
        open().keep_draft(&draft("x", "first\n", NewRow)).unwrap();
        let mut second = open();
        // Also when it did not say that it begins again.
        second.keep_draft(&draft("x", "second\n", SameRow)).unwrap();
        second.keep_draft(&draft("x", "second, longer\n", SameRow)).unwrap();
        drop(second);
        let store = open();
        assert_eq!(count(&store), 2);
        assert_eq!(store.repairs().unwrap().drafts[&name("x")], found("second, longer\n", Some("first\n")));
    }

    #[test]
    fn a_text_comes_back_with_its_own_base_and_old_ones_are_not_read() {
        let mut store = Store::open(Path::new(":memory:"), Timestamp(0)).unwrap().store;
        for (text, base) in [("a\n", "one\n"), ("b\n", "two\n"), ("c\n", "three\n"), ("c\n", "four\n")] {
            store.keep_draft(&KeptDraft { base: base.into(), ..draft("x", text, NewRow) }).unwrap();
        }
        let earlier = Some(Earlier { text: "b\n".into(), base: "two\n".into() });
        let expected = Draft { text: "c\n".into(), base: "four\n".into(), earlier };
        assert_eq!(store.repairs().unwrap().drafts, HashMap::from([(name("x"), expected)]));
        let plan = store.rows(&format!("EXPLAIN QUERY PLAN {NEWEST}"), |row| row.get::<_, String>(3)).unwrap();
        let scans: Vec<&String> = plan.iter().filter(|step| step.starts_with("SCAN draft")).collect();
        assert!(scans.iter().all(|step| step.contains("COVERING INDEX draft_by_question")), "{plan:?}");
        assert_eq!(scans.len(), 1, "{plan:?}");
    }

    #[test]
    fn a_question_is_repaired_once_a_repair_passed() {
        let mut store = Store::open(Path::new(":memory:"), Timestamp(0)).unwrap().store;
        for (id, passed) in [("x", false), ("x", true), ("x", false), ("y", false)] {
            let kind = AttemptKind::Repaired { passed, held: u32::from(passed), of: 1 };
            store.record(&Attempt { question: name(id), at: Timestamp(1), kind }).unwrap();
        }
        assert_eq!(store.repairs().unwrap().passed, BTreeSet::from([name("x")]));
        assert_eq!(store.last_results().unwrap(), HashMap::new(), "a repair is no answer");
    }
}
