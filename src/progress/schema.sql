-- What learners did, in the order in which they did it. Rows are only ever added.
CREATE TABLE attempt (
    id       INTEGER PRIMARY KEY,
    question TEXT    NOT NULL,                 -- pack/id
    at_ms    INTEGER NOT NULL,                 -- milliseconds since 1970-01-01T00:00:00Z
    kind     TEXT    NOT NULL CHECK (kind IN ('picked', 'gave_up', 'said', 'repaired', 'took_back')),
    line     INTEGER CHECK (line >= 1),        -- picked: the line, counted from 1
    correct  INTEGER CHECK (correct IN (0, 1)),-- picked: whether the line is accepted; repaired: whether it passed
    pick     INTEGER CHECK (pick >= 1),        -- picked: which pick of the sitting, counted from 1
    covered  INTEGER CHECK (covered >= 0),     -- said: points covered; repaired: checks that passed
    points   INTEGER CHECK (points >= covered),-- said: points there are; repaired: checks there are
    cancels  INTEGER CHECK (cancels < id)      -- took_back: the attempt that counts no more
) STRICT;

CREATE INDEX attempt_by_question ON attempt (question, id);

CREATE UNIQUE INDEX attempt_is_taken_back_once ON attempt (cancels) WHERE cancels IS NOT NULL;

CREATE TRIGGER attempt_is_not_changed BEFORE UPDATE ON attempt
BEGIN
    SELECT RAISE(ABORT, 'attempts are only ever added');
END;

CREATE TRIGGER attempt_is_not_deleted BEFORE DELETE ON attempt
BEGIN
    SELECT RAISE(ABORT, 'attempts are only ever added');
END;

-- Texts of repairs. The newest row of a question is the one to go on with. Rows are added by each quiz that changes a
-- text and by each reset, and changed only by the quiz that added them.
CREATE TABLE draft (
    id       INTEGER PRIMARY KEY,
    question TEXT    NOT NULL,                 -- pack/id
    at_ms    INTEGER NOT NULL,                 -- of the last change, milliseconds since 1970-01-01T00:00:00Z
    base     TEXT    NOT NULL,                 -- the buggy program from which the text was begun
    text     TEXT    NOT NULL
) STRICT;

CREATE INDEX draft_by_question ON draft (question, id);

CREATE TRIGGER draft_is_not_deleted BEFORE DELETE ON draft
BEGIN
    SELECT RAISE(ABORT, 'drafts are kept');
END;
