DELETE FROM log_games WHERE start_entry IS NULL;

CREATE TABLE old_log_games (
    game_id TEXT NOT NULL PRIMARY KEY,
    -- Canonical JSON; for a private game the log has only its salted hash.
    start_entry TEXT NOT NULL,
    start_salt BLOB,
    -- The hash of the leaf, and the promise that it will be in the log.
    leaf BLOB NOT NULL CHECK (length(leaf) = 32),
    promised_by INTEGER NOT NULL,
    promise_kid TEXT NOT NULL,
    promise BLOB NOT NULL CHECK (length(promise) = 64),
    end_entry TEXT,
    end_salt BLOB,
    end_log INT,
    end_position INTEGER
) STRICT, WITHOUT ROWID;

INSERT INTO old_log_games SELECT * FROM log_games;
DROP TABLE log_games;
ALTER TABLE old_log_games RENAME TO log_games;
DROP TABLE list_end;
