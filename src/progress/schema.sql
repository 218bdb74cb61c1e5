-- What learners did, in the order in which they did it. Rows are only ever added.
CREATE TABLE attempt (
    id       INTEGER PRIMARY KEY,
    question TEXT    NOT NULL,                 -- pack/id
    at_ms    INTEGER NOT NULL,                 -- milliseconds since 1970-01-01T00:00:00Z
    kind     TEXT    NOT NULL CHECK (kind IN ('picked', 'gave_up', 'said')),
    line     INTEGER CHECK (line >= 1),        -- picked: the line, counted from 1
    correct  INTEGER CHECK (correct IN (0, 1)),-- picked: whether the line is accepted
    pick     INTEGER CHECK (pick >= 1),        -- picked: which pick of the sitting, counted from 1
    covered  INTEGER CHECK (covered >= 0),     -- said: points covered
    points   INTEGER CHECK (points >= covered) -- said: points there are
) STRICT;

CREATE INDEX attempt_by_question ON attempt (question, id);

CREATE TRIGGER attempt_is_not_changed BEFORE UPDATE ON attempt
BEGIN
    SELECT RAISE(ABORT, 'attempts are only ever added');
END;

CREATE TRIGGER attempt_is_not_deleted BEFORE DELETE ON attempt
BEGIN
    SELECT RAISE(ABORT, 'attempts are only ever added');
END;
