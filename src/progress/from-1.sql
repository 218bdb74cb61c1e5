-- From version 1: attempts gain two kinds and a column. SQLite cannot change a check, so the table is made anew behind
-- this, by schema.sql, and filled from the old one by from-1-rows.sql.
DROP TRIGGER attempt_is_not_changed;
DROP TRIGGER attempt_is_not_deleted;
DROP INDEX attempt_by_question;
ALTER TABLE attempt RENAME TO attempt_1;
