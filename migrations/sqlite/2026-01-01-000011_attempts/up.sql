-- Rate-limit buckets, by a hash of the limited action and its subject.
-- `empty_at` is when the bucket will be empty, the whole state of a generic cell rate algorithm.

CREATE TABLE attempts (
    bucket BLOB NOT NULL PRIMARY KEY,
    empty_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX attempts_by_age ON attempts (empty_at);
