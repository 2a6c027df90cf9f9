-- The steps of an ended game: signed, in the public log, counted, packed. Each ended game gets a number when it is
-- signed, and is counted in the order of the numbers. The numbers have no gaps.
DROP TABLE list_end;
DROP TABLE ended_games;

-- The signed ends of games: append-only.
CREATE TABLE ended_games (
    number BIGINT NOT NULL PRIMARY KEY CHECK (number >= 1),
    game_id TEXT COLLATE "C" NOT NULL,
    events BIGINT NOT NULL CHECK (events >= 1),
    head BYTEA NOT NULL CHECK (length(head) = 32),
    kid TEXT NOT NULL,
    signature BYTEA NOT NULL CHECK (length(signature) = 64),
    signed_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX ended_games_by_game ON ended_games (game_id);

-- Per statement, because TRUNCATE fires no row trigger; ALWAYS, because replication roles skip the others.
CREATE TRIGGER ended_games_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON ended_games
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE ended_games ENABLE ALWAYS TRIGGER ended_games_refuse_change;

-- A log is packed once, after its end was signed, and while it is complete.
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
        RAISE EXCEPTION 'this is not the log of a signed game: packed_games is append-only'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;

-- When the end was signed, and the time of its entry in the public log. An index for each step finds what it has to do.
DROP INDEX games_unlisted;
DROP INDEX games_unpacked;
ALTER TABLE games RENAME COLUMN listed_at TO signed_at;
ALTER TABLE games ADD COLUMN logged_at BIGINT;
CREATE INDEX games_unsigned ON games (ended_at) WHERE ended_at IS NOT NULL AND signed_at IS NULL;
CREATE INDEX games_unlogged ON games (signed_at) WHERE signed_at IS NOT NULL AND logged_at IS NULL;
CREATE INDEX games_unpacked ON games (ended_at) WHERE signed_at IS NOT NULL AND packed_at IS NULL;

ALTER TABLE counted_games RENAME COLUMN position TO number;
ALTER TABLE passed_over_games RENAME COLUMN position TO number;
ALTER TABLE results RENAME COLUMN position TO number;

-- The log that has the start, and the position in it.
ALTER TABLE log_games ADD COLUMN start_log INTEGER;
ALTER TABLE log_games ADD COLUMN start_position BIGINT;
CREATE UNIQUE INDEX log_games_by_start ON log_games (start_log, start_position);
CREATE UNIQUE INDEX log_games_by_end ON log_games (end_log, end_position);
