DROP INDEX log_games_by_end;
DROP INDEX log_games_by_start;
ALTER TABLE log_games DROP COLUMN start_position;
ALTER TABLE log_games DROP COLUMN start_log;

ALTER TABLE results RENAME COLUMN number TO position;
ALTER TABLE passed_over_games RENAME COLUMN number TO position;
ALTER TABLE counted_games RENAME COLUMN number TO position;

DROP INDEX games_unpacked;
DROP INDEX games_unlogged;
DROP INDEX games_unsigned;
ALTER TABLE games DROP COLUMN logged_at;
ALTER TABLE games RENAME COLUMN signed_at TO listed_at;
CREATE INDEX games_unlisted ON games (ended_at) WHERE ended_at IS NOT NULL AND listed_at IS NULL;
CREATE INDEX games_unpacked ON games (ended_at) WHERE listed_at IS NOT NULL AND packed_at IS NULL;

DROP TRIGGER packed_games_refuse_another;
DROP TRIGGER ended_games_refuse_replace;
DROP TRIGGER ended_games_refuse_delete;
DROP TRIGGER ended_games_refuse_update;
DROP TABLE ended_games;

CREATE TABLE ended_games (
    position INTEGER NOT NULL PRIMARY KEY CHECK (position >= 1),
    game_id TEXT NOT NULL,
    events INTEGER NOT NULL CHECK (events >= 1),
    head BLOB NOT NULL CHECK (length(head) = 32),
    chain BLOB NOT NULL CHECK (length(chain) = 32),
    kid TEXT NOT NULL,
    signature BLOB NOT NULL CHECK (length(signature) = 64),
    listed_at INTEGER NOT NULL
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

CREATE TRIGGER ended_games_refuse_replace BEFORE INSERT ON ended_games
WHEN EXISTS (SELECT 1 FROM ended_games WHERE position = NEW.position OR game_id = NEW.game_id)
BEGIN
    SELECT RAISE(ABORT, 'ended_games is append-only');
END;

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

CREATE TABLE list_end (
    id INT NOT NULL PRIMARY KEY CHECK (id = 1),
    published INTEGER NOT NULL,
    logged INTEGER NOT NULL
) STRICT;

INSERT INTO list_end VALUES (1, 0, 0);
