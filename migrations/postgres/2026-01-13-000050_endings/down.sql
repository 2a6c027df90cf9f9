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

DROP TABLE ended_games;

CREATE TABLE ended_games (
    position BIGINT NOT NULL PRIMARY KEY CHECK (position >= 1),
    game_id TEXT COLLATE "C" NOT NULL,
    events BIGINT NOT NULL CHECK (events >= 1),
    head BYTEA NOT NULL CHECK (length(head) = 32),
    chain BYTEA NOT NULL CHECK (length(chain) = 32),
    kid TEXT NOT NULL,
    signature BYTEA NOT NULL CHECK (length(signature) = 64),
    listed_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX ended_games_by_game ON ended_games (game_id);

CREATE TRIGGER ended_games_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON ended_games
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE ended_games ENABLE ALWAYS TRIGGER ended_games_refuse_change;

CREATE OR REPLACE FUNCTION packed_games_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT 1 FROM ended_games
        WHERE game_id = NEW.game_id AND events = NEW.events AND head = NEW.head
    ) OR NOT EXISTS (
        SELECT 1 FROM game_events WHERE game_id = NEW.game_id AND seq = NEW.events AND hash = NEW.head
    ) OR NEW.events <> (SELECT count(*) FROM game_events WHERE game_id = NEW.game_id)
      OR NEW.events <> (SELECT max(seq) FROM game_events WHERE game_id = NEW.game_id)
    THEN
        RAISE EXCEPTION 'this is not the log of a listed game: packed_games is append-only'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TABLE list_end (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    published BIGINT NOT NULL,
    logged BIGINT NOT NULL
);

INSERT INTO list_end VALUES (1, 0, 0);
