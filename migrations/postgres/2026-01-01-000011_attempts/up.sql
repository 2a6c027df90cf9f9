-- How often something that is limited was attempted lately, by a hash of who attempts what.
-- `empty_at` is when the bucket will have run empty, which is all the state of a generic cell rate algorithm.

CREATE TABLE attempts (
    bucket BYTEA NOT NULL PRIMARY KEY,
    empty_at BIGINT NOT NULL
);

CREATE INDEX attempts_by_age ON attempts (empty_at);
