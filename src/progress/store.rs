//! The database: opened, brought up to date, or put aside.
//!
//! A file that cannot be read is put aside, never deleted; one of a newer fencepost is left untouched. The
//! tables are in `schema.sql`, and what is kept in them is in `attempts.rs` and `drafts.rs`.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior};

use crate::content::question::QuestionName;
use crate::error::Error;
use crate::progress::drafts::DraftRows;
use crate::quiz::time::Timestamp;

/// The version of `schema.sql`, kept in the file's `user_version`.
const VERSION: i64 = 2;

/// Time that a write waits for another fencepost to finish its own.
const PATIENCE: Duration = Duration::from_secs(5);
/// Pause before write-ahead logging is tried again.
const RETRY: Duration = Duration::from_millis(5);

/// The open database.
pub struct Store {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    /// The texts of repairs that this program may change, since it added them itself.
    pub(super) draft_rows: DraftRows,
}

/// An open database, and what was found broken on the way.
pub struct Opened {
    /// The database.
    pub store: Store,
    /// Path of a file that could not be read and was put aside.
    pub put_aside: Option<PathBuf>,
}

impl Store {
    /// Opens the database at `path`, and makes it and its folder where there is none. `now` names a broken file that
    /// has to be put aside.
    ///
    /// # Errors
    ///
    /// A folder or file that cannot be written, or a file that a newer fencepost wrote.
    pub fn open(path: &Path, now: Timestamp) -> Result<Opened, Unopened> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| {
                Unopened::Unusable(
                    Error::machinery(format!("cannot make the data folder `{}`", folder.display()))
                        .hint("name another with `--data-dir DIR`")
                        .because(error),
                )
            })?;
        }
        match Self::connect(path) {
            Ok(store) => Ok(Opened { store, put_aside: None }),
            Err(Trouble::Unopened(error)) => Err(error),
            Err(Trouble::Corrupt) => {
                let aside = put_aside(path, now).map_err(Unopened::Unusable)?;
                match Self::connect(path) {
                    Ok(store) => Ok(Opened { store, put_aside: Some(aside) }),
                    Err(Trouble::Unopened(error)) => Err(error),
                    Err(Trouble::Corrupt) => {
                        Err(Unopened::Unusable(failed(path, "cannot be read, also after a new start")))
                    }
                }
            }
        }
    }

    /// The refusal of a file that a newer fencepost wrote, without opening it: a look at the first hundred bytes, where
    /// SQLite keeps the `user_version` as four bytes from byte 60 on (SQLite's "Database File Format", section 1.3).
    pub fn refusal(path: &Path) -> Option<Error> {
        let mut header = [0; 100];
        fs::File::open(path).and_then(|mut file| file.read_exact(&mut header)).ok()?;
        let [.., a, b, c, d] = *header.get(..64)? else { return None };
        let version = i64::from(u32::from_be_bytes([a, b, c, d]));
        (header.starts_with(b"SQLite format 3\0") && version > VERSION).then(|| newer(path, version))
    }

    fn connect(path: &Path) -> Result<Self, Trouble> {
        let trouble = |error| Trouble::of(path, error);
        let mut connection = Connection::open(path).map_err(trouble)?;
        connection.busy_timeout(PATIENCE).map_err(trouble)?;
        let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(trouble)?;
        if version > VERSION {
            return Err(Trouble::Unopened(Unopened::Newer(newer(path, version))));
        }
        use_write_ahead_log(&connection).map_err(trouble)?;
        connection.pragma_update(None, "synchronous", "FULL").map_err(trouble)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(trouble)?;
        // Asked again under the lock: another fencepost may have made the tables since.
        let version: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(trouble)?;
        if version != 0 {
            let check: String =
                transaction.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(trouble)?;
            if check != "ok" {
                return Err(Trouble::Corrupt);
            }
        }
        if version < VERSION {
            // All of it or nothing: the transaction is on the disk, or the file is as it was.
            let steps: &[&str] = match version {
                0 => &[include_str!("schema.sql")],
                _ => &[include_str!("from-1.sql"), include_str!("schema.sql"), include_str!("from-1-rows.sql")],
            };
            for step in steps {
                transaction.execute_batch(step).map_err(trouble)?;
            }
            transaction.pragma_update(None, "user_version", VERSION).map_err(trouble)?;
        }
        transaction.commit().map_err(trouble)?;
        Ok(Self { connection, path: path.to_owned(), draft_rows: DraftRows::new() })
    }
}

/// Turns write-ahead logging on. On a network file system it is refused or unsafe to share; SQLite says so by staying in
/// another mode, which is slower and works.
///
/// If another fencepost does the same, SQLite fails at once instead of waiting, so this tries again.
fn use_write_ahead_log(connection: &Connection) -> rusqlite::Result<()> {
    let until = Instant::now() + PATIENCE;
    loop {
        let mode = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0)).optional();
        match mode {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && Instant::now() < until => {
                std::thread::sleep(RETRY);
            }
            other => return other.map(|_| ()),
        }
    }
}

/// The name of a question, as rows have it.
pub(super) fn named(question: &str) -> Option<QuestionName> {
    let (pack, id) = question.split_once('/')?;
    Some(QuestionName { pack: pack.to_owned(), id: id.to_owned() })
}

/// The reason why there is no database.
#[derive(Debug)]
pub enum Unopened {
    /// A newer fencepost wrote the file, which was left as it is. To go on without it would hide what is in it.
    Newer(Error),
    /// The folder or the file cannot be used. A learner can play on, but nothing is remembered.
    Unusable(Error),
}

/// A problem of a file that should be a database.
enum Trouble {
    /// The file is no database, or a damaged one.
    Corrupt,
    /// Anything else.
    Unopened(Unopened),
}

impl Trouble {
    fn of(path: &Path, error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Self::Corrupt,
            _ => Self::Unopened(Unopened::Unusable(sql_error(path, error))),
        }
    }
}

/// Renames a broken database and its side files, so that nothing is lost and a new one can start.
fn put_aside(path: &Path, now: Timestamp) -> Result<PathBuf, Error> {
    let with_suffix = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let mut aside = with_suffix(&format!(".corrupt-{}", now.0));
    let mut attempt = 1;
    while aside.exists() {
        attempt += 1;
        aside = with_suffix(&format!(".corrupt-{}-{attempt}", now.0));
    }
    for suffix in ["-wal", "-shm"] {
        let mut name = aside.as_os_str().to_owned();
        name.push(suffix);
        // Most often there is none; one that stays would be taken for the new file's.
        let _ = fs::rename(with_suffix(suffix), PathBuf::from(name));
    }
    fs::rename(path, &aside).map_err(|error| {
        failed(path, "is damaged and cannot be put aside").hint("move it away by hand").because(error)
    })?;
    Ok(aside)
}

fn newer(path: &Path, version: i64) -> Error {
    failed(path, &format!("was written by a newer fencepost (version {version})"))
        .hint("get that fencepost, or name another folder with `--data-dir DIR`")
}

fn failed(path: &Path, what: &str) -> Error {
    Error::machinery(format!("the progress file `{}` {what}", path.display()))
}

pub(super) fn sql_error(path: &Path, error: rusqlite::Error) -> Error {
    let what = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => "is held by another program",
        Some(ErrorCode::DiskFull) => "cannot grow: the disk is full",
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => "cannot be written",
        Some(ErrorCode::CannotOpen) => "cannot be opened",
        _ => "cannot be used",
    };
    failed(path, what).because(error)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::content::question::LineNo;
    use crate::quiz::attempt::{Attempt, AttemptKind, LastResult};

    fn name(text: &str) -> QuestionName {
        let (pack, id) = text.split_once('/').unwrap();
        QuestionName { pack: pack.into(), id: id.into() }
    }

    fn in_memory() -> Store {
        Store::open(Path::new(":memory:"), Timestamp(0)).unwrap().store
    }

    fn picked(question: &str, line: u32, right: bool, pick: u32) -> Attempt {
        let kind = AttemptKind::Picked { line: LineNo::new(line).unwrap(), right, pick };
        Attempt { question: name(question), at: Timestamp(1000), kind }
    }

    #[test]
    fn the_last_result_is_that_of_the_last_sitting() {
        let mut store = in_memory();
        for attempt in [
            picked("a/found-at-once", 8, true, 1),
            picked("a/found-later", 3, false, 1),
            picked("a/found-later", 8, true, 2),
            picked("a/left", 8, true, 1),
            picked("a/left", 3, false, 1),
            picked("a/gave-up", 3, false, 1),
            Attempt { question: name("a/gave-up"), at: Timestamp(2000), kind: AttemptKind::GaveUp },
            Attempt { question: name("a/gave-up"), at: Timestamp(3000), kind: AttemptKind::Said { covered: 3, of: 4 } },
            Attempt {
                question: name("a/only-said"),
                at: Timestamp(3000),
                kind: AttemptKind::Said { covered: 0, of: 4 },
            },
        ] {
            store.record(&attempt).unwrap();
        }
        let results = store.last_results().unwrap();
        assert_eq!(
            results,
            HashMap::from([
                (name("a/found-at-once"), LastResult::FoundAtOnce),
                (name("a/found-later"), LastResult::FoundLater),
                (name("a/left"), LastResult::NotFound),
                (name("a/gave-up"), LastResult::GaveUp),
            ])
        );
    }

    #[test]
    fn attempts_outlive_the_program_and_are_never_changed() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("deep/progress.db");
        Store::open(&path, Timestamp(0)).unwrap().store.record(&picked("a/b", 8, true, 1)).unwrap();
        let reopened = Store::open(&path, Timestamp(0)).unwrap();
        assert_eq!(reopened.put_aside, None);
        assert_eq!(reopened.store.count().unwrap(), 1);
        for sql in ["DELETE FROM attempt", "UPDATE attempt SET line = 9"] {
            let refused = reopened.store.connection.execute(sql, []).unwrap_err();
            assert!(refused.to_string().contains("only ever added"), "{refused}");
        }
    }

    #[test]
    fn two_programs_write_at_once_and_both_are_kept() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("progress.db");
        let writers: Vec<_> = (0..2)
            .map(|_| {
                let path = path.clone();
                std::thread::spawn(move || {
                    let mut store = Store::open(&path, Timestamp(0)).unwrap().store;
                    for pick in 1..=50 {
                        store.record(&picked("a/b", 1, false, pick)).unwrap();
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
        assert_eq!(Store::open(&path, Timestamp(0)).unwrap().store.count().unwrap(), 100);
    }

    #[test]
    fn a_broken_file_is_put_aside_and_a_newer_one_is_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("progress.db");
        fs::write(&path, b"this is no database, though it is long enough to look like one".repeat(100)).unwrap();
        let broken = fs::read(&path).unwrap();
        let opened = Store::open(&path, Timestamp(77)).unwrap();
        let aside = opened.put_aside.unwrap();
        assert_eq!(aside.file_name().unwrap(), "progress.db.corrupt-77");
        assert_eq!(fs::read(&aside).unwrap(), broken);
        drop(opened.store);

        let newer = home.path().join("newer.db");
        Connection::open(&newer).unwrap().pragma_update(None, "user_version", VERSION + 1).unwrap();
        let before = fs::read(&newer).unwrap();
        let Err(Unopened::Newer(error)) = Store::open(&newer, Timestamp(0)) else { panic!("a newer file was opened") };
        assert!(error.message.contains("was written by a newer fencepost (version 3)"), "{error}");
        assert_eq!(fs::read(&newer).unwrap(), before);
        assert_eq!(Store::refusal(&newer).map(|refusal| refusal.message), Some(error.message));
        assert!(Store::refusal(&path).is_none(), "a file of this version was refused");
    }

    #[test]
    fn what_was_taken_back_counts_no_more() {
        let mut store = in_memory();
        let (wrong, right) = (picked("a/b", 3, false, 1), picked("a/b", 8, true, 2));
        let gave_up = Attempt { question: name("a/b"), at: Timestamp(3000), kind: AttemptKind::GaveUp };
        for attempt in [&wrong, &right, &gave_up] {
            store.record(attempt).unwrap();
        }
        let result = |store: &Store| store.last_results().unwrap().get(&name("a/b")).copied();
        for (attempt, left) in
            [(&gave_up, Some(LastResult::FoundLater)), (&right, Some(LastResult::NotFound)), (&wrong, None)]
        {
            store.take_back(attempt, Timestamp(4000)).unwrap();
            assert_eq!(result(&store), left);
        }
        assert_eq!(store.count().unwrap(), 6, "nothing is deleted");
        // What does not count cannot be taken back once more.
        store.take_back(&wrong, Timestamp(5000)).unwrap();
        assert_eq!(store.count().unwrap(), 6);
        store.record(&right).unwrap();
        assert_eq!(result(&store), Some(LastResult::FoundLater));
    }

    /// The schema of version 1, as it was.
    const VERSION_1: &str = "
        CREATE TABLE attempt (
            id       INTEGER PRIMARY KEY,
            question TEXT    NOT NULL,
            at_ms    INTEGER NOT NULL,
            kind     TEXT    NOT NULL CHECK (kind IN ('picked', 'gave_up', 'said')),
            line     INTEGER CHECK (line >= 1),
            correct  INTEGER CHECK (correct IN (0, 1)),
            pick     INTEGER CHECK (pick >= 1),
            covered  INTEGER CHECK (covered >= 0),
            points   INTEGER CHECK (points >= covered)
        ) STRICT;
        CREATE INDEX attempt_by_question ON attempt (question, id);
        CREATE TRIGGER attempt_is_not_changed BEFORE UPDATE ON attempt
        BEGIN SELECT RAISE(ABORT, 'attempts are only ever added'); END;
        CREATE TRIGGER attempt_is_not_deleted BEFORE DELETE ON attempt
        BEGIN SELECT RAISE(ABORT, 'attempts are only ever added'); END;
        INSERT INTO attempt (question, at_ms, kind, line, correct, pick) VALUES ('a/b', 1, 'picked', 8, 1, 1);
        INSERT INTO attempt (question, at_ms, kind, covered, points) VALUES ('a/b', 2, 'said', 3, 4);
        PRAGMA user_version = 1;";

    #[test]
    fn a_file_of_version_1_is_brought_up_to_date() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("progress.db");
        Connection::open(&path).unwrap().execute_batch(VERSION_1).unwrap();
        let mut store = Store::open(&path, Timestamp(0)).unwrap().store;
        assert_eq!(store.last_results().unwrap(), HashMap::from([(name("a/b"), LastResult::FoundAtOnce)]));
        let kind = AttemptKind::Repaired { passed: true, held: 2, of: 2 };
        store.record(&Attempt { question: name("a/b"), at: Timestamp(3), kind }).unwrap();
        assert!(store.connection.execute("DELETE FROM attempt", []).is_err(), "the triggers are gone");
        drop(store);
        let store = Store::open(&path, Timestamp(0)).unwrap().store;
        let schema = |store: &Store| -> Vec<String> {
            let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
            let mut statement = store.connection.prepare(sql).unwrap();
            statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        assert_eq!((store.count().unwrap(), schema(&store)), (3, schema(&in_memory())));
    }

    #[test]
    fn an_empty_file_becomes_a_database() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("progress.db");
        fs::write(&path, b"").unwrap();
        let opened = Store::open(&path, Timestamp(0)).unwrap();
        assert_eq!((opened.put_aside, opened.store.count().unwrap()), (None, 0));
    }
}
