-- The list of ended games is published up to the games that it had when this migration ran. The public log has the
-- ends of later games.
CREATE TABLE list_end (
    id INT NOT NULL PRIMARY KEY CHECK (id = 1),
    -- The last published position; 0 for none.
    published INTEGER NOT NULL,
    -- The last position that was queued for the public log.
    logged INTEGER NOT NULL
) STRICT;

INSERT INTO list_end SELECT 1, COALESCE(MAX(position), 0), COALESCE(MAX(position), 0) FROM ended_games;

-- A game can have an end without a start: the start may be older than the log, or the game never started.
CREATE TABLE new_log_games (
    game_id TEXT NOT NULL PRIMARY KEY,
    -- Canonical JSON; for a private game the log has only its salted hash.
    start_entry TEXT,
    start_salt BLOB,
    -- The hash of the leaf, and the promise that it will be in the log.
    leaf BLOB CHECK (length(leaf) = 32),
    promised_by INTEGER,
    promise_kid TEXT,
    promise BLOB CHECK (length(promise) = 64),
    end_entry TEXT,
    end_salt BLOB,
    end_log INT,
    end_position INTEGER
) STRICT, WITHOUT ROWID;

INSERT INTO new_log_games SELECT * FROM log_games;
DROP TABLE log_games;
ALTER TABLE new_log_games RENAME TO log_games;
