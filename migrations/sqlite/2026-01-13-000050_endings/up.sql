-- The steps of an ended game: signed, in the public log, counted, packed. Each ended game gets a number when it is
-- signed, and is counted in the order of the numbers. The numbers have no gaps.
DROP TABLE list_end;
DROP TRIGGER packed_games_refuse_another;
DROP TRIGGER ended_games_refuse_update;
DROP TRIGGER ended_games_refuse_delete;
DROP TRIGGER ended_games_refuse_replace;
DROP TABLE ended_games;

-- The signed ends of games: append-only.
CREATE TABLE ended_games (
    number INTEGER NOT NULL PRIMARY KEY CHECK (number >= 1),
    game_id TEXT NOT NULL,
    events INTEGER NOT NULL CHECK (events >= 1),
    head BLOB NOT NULL CHECK (length(head) = 32),
    kid TEXT NOT NULL,
    signature BLOB NOT NULL CHECK (length(signature) = 64),
    signed_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX ended_games_by_game ON ended_games (game_id);

CREATE TRIGGER ended_games_refuse_update BEFORE UPDATE ON ended_games
BEGIN
    SELECT RAISE(ABORT, 'ended_games is append-only');
END;

CREATE TRIGGER ended_games_refuse_delete BEFORE DELETE ON ended_games
BEGIN
    SELECT RAISE(ABORT, 'ended_games is append-only');
END;

-- INSERT OR REPLACE deletes first, and not every outsider's connection fires triggers for that.
CREATE TRIGGER ended_games_refuse_replace BEFORE INSERT ON ended_games
WHEN EXISTS (SELECT 1 FROM ended_games WHERE number = NEW.number OR game_id = NEW.game_id)
BEGIN
    SELECT RAISE(ABORT, 'ended_games is append-only');
END;

-- A log is packed once, after its end was signed, and while it is complete.
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
    SELECT RAISE(ABORT, 'this is not the log of a signed game: packed_games is append-only');
END;

-- When the end was signed, and the time of its entry in the public log. An index for each step finds what it has to do.
DROP INDEX games_unlisted;
DROP INDEX games_unpacked;
ALTER TABLE games RENAME COLUMN listed_at TO signed_at;
ALTER TABLE games ADD COLUMN logged_at INTEGER;
CREATE INDEX games_unsigned ON games (ended_at) WHERE ended_at IS NOT NULL AND signed_at IS NULL;
CREATE INDEX games_unlogged ON games (signed_at) WHERE signed_at IS NOT NULL AND logged_at IS NULL;
CREATE INDEX games_unpacked ON games (ended_at) WHERE signed_at IS NOT NULL AND packed_at IS NULL;

ALTER TABLE counted_games RENAME COLUMN position TO number;
ALTER TABLE passed_over_games RENAME COLUMN position TO number;
ALTER TABLE results RENAME COLUMN position TO number;

-- The log that has the start, and the position in it.
ALTER TABLE log_games ADD COLUMN start_log INT;
ALTER TABLE log_games ADD COLUMN start_position INTEGER;
CREATE UNIQUE INDEX log_games_by_start ON log_games (start_log, start_position);
CREATE UNIQUE INDEX log_games_by_end ON log_games (end_log, end_position);
