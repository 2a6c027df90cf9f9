-- The list of ended games is published up to the games that it had when this migration ran. The public log has the
-- ends of later games.
CREATE TABLE list_end (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    -- The last published position; 0 for none.
    published BIGINT NOT NULL,
    -- The last position that was queued for the public log.
    logged BIGINT NOT NULL
);

INSERT INTO list_end SELECT 1, COALESCE(MAX(position), 0), COALESCE(MAX(position), 0) FROM ended_games;

-- A game can have an end without a start: the start may be older than the log, or the game never started.
ALTER TABLE log_games
    ALTER COLUMN start_entry DROP NOT NULL,
    ALTER COLUMN leaf DROP NOT NULL,
    ALTER COLUMN promised_by DROP NOT NULL,
    ALTER COLUMN promise_kid DROP NOT NULL,
    ALTER COLUMN promise DROP NOT NULL;
