-- The time when a game's log was packed; the index finds listed games that are not packed.
ALTER TABLE games ADD COLUMN packed_at INTEGER;
CREATE INDEX games_unpacked ON games (ended_at) WHERE listed_at IS NOT NULL AND packed_at IS NULL;

-- Packed logs of ended games: one compressed row each that restores every byte. Append-only.
CREATE TABLE packed_games (
    game_id TEXT NOT NULL PRIMARY KEY,
    events INTEGER NOT NULL CHECK (events >= 1),
    head BLOB NOT NULL CHECK (length(head) = 32),
    format INT NOT NULL,
    body BLOB NOT NULL
) STRICT;

CREATE TRIGGER packed_games_refuse_update BEFORE UPDATE ON packed_games
BEGIN
    SELECT RAISE(ABORT, 'packed_games is append-only');
END;

CREATE TRIGGER packed_games_refuse_delete BEFORE DELETE ON packed_games
BEGIN
    SELECT RAISE(ABORT, 'packed_games is append-only');
END;

-- A log is packed once, after its game was listed, and while it is complete.
CREATE TRIGGER packed_games_refuse_another BEFORE INSERT ON packed_games
WHEN EXISTS (SELECT 1 FROM packed_games WHERE game_id = NEW.game_id)
    OR NOT EXISTS (
        SELECT 1 FROM ended_games
        WHERE game_id = NEW.game_id AND events = NEW.events AND head = NEW.head
    )
    OR NOT EXISTS (
        SELECT 1 FROM game_events WHERE game_id = NEW.game_id AND seq = NEW.events AND hash = NEW.head
    )
    OR NEW.events <> (SELECT count(*) FROM game_events WHERE game_id = NEW.game_id)
    OR NEW.events <> (SELECT max(seq) FROM game_events WHERE game_id = NEW.game_id)
BEGIN
    SELECT RAISE(ABORT, 'this is not the log of a listed game: packed_games is append-only');
END;

-- Events can be deleted only from packed logs, and a packed log accepts no further events.
DROP TRIGGER game_events_refuse_delete;
CREATE TRIGGER game_events_refuse_delete BEFORE DELETE ON game_events
WHEN NOT EXISTS (SELECT 1 FROM packed_games WHERE game_id = OLD.game_id)
BEGIN
    SELECT RAISE(ABORT, 'game_events is append-only');
END;

CREATE TRIGGER game_events_refuse_packed BEFORE INSERT ON game_events
WHEN EXISTS (SELECT 1 FROM packed_games WHERE game_id = NEW.game_id)
BEGIN
    SELECT RAISE(ABORT, 'the game is packed: game_events is append-only');
END;
