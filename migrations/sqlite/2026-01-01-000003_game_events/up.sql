-- The log: every event of every game, as the bytes that were hashed. Append-only.
-- The unique (game_id, seq) decides between concurrent writers; position is only the storage position.

CREATE TABLE game_events (
    position INTEGER NOT NULL PRIMARY KEY,
    game_id TEXT NOT NULL,
    seq INTEGER NOT NULL CHECK (seq >= 1),
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    body TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX game_events_by_game ON game_events (game_id, seq);

-- INSERT OR REPLACE deletes first, and fires the second trigger where recursive_triggers is on: every
-- connection of the server turns it on.
CREATE TRIGGER game_events_refuse_update BEFORE UPDATE ON game_events
BEGIN
    SELECT RAISE(ABORT, 'game_events is append-only');
END;

CREATE TRIGGER game_events_refuse_delete BEFORE DELETE ON game_events
BEGIN
    SELECT RAISE(ABORT, 'game_events is append-only');
END;

-- Snapshots of states, so that loading is fast. They can be recomputed from the log.
CREATE TABLE game_snapshots (
    game_id TEXT NOT NULL PRIMARY KEY,
    seq INTEGER NOT NULL,
    format INT NOT NULL,
    hash BLOB NOT NULL,
    state TEXT NOT NULL
) STRICT;
