INSERT INTO attempt (id, question, at_ms, kind, line, correct, pick, covered, points)
    SELECT id, question, at_ms, kind, line, correct, pick, covered, points FROM attempt_1 ORDER BY id;
DROP TABLE attempt_1;
