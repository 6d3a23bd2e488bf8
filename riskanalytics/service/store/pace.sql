-- Windows of the pace: nothing in them outlives a minute.

CREATE TABLE request (subject TEXT NOT NULL, at INTEGER NOT NULL); -- nanoseconds
CREATE INDEX request_by_subject ON request (subject, at);
