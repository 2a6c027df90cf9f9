-- The time when a game's log was packed; the index finds listed games that are not packed.
ALTER TABLE games ADD COLUMN packed_at BIGINT;
CREATE INDEX games_unpacked ON games (ended_at) WHERE listed_at IS NOT NULL AND packed_at IS NULL;

-- Packed logs of ended games: one compressed row each that restores every byte. Append-only.
CREATE TABLE packed_games (
    game_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    events BIGINT NOT NULL CHECK (events >= 1),
    head BYTEA NOT NULL CHECK (length(head) = 32),
    format INTEGER NOT NULL,
    body BYTEA NOT NULL
);
-- It is compressed already.
ALTER TABLE packed_games ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TRIGGER packed_games_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON packed_games
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE packed_games ENABLE ALWAYS TRIGGER packed_games_refuse_change;

-- A log is packed once, after its game was listed, and while it is complete.
CREATE FUNCTION packed_games_check() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER packed_games_check BEFORE INSERT ON packed_games
    FOR EACH ROW EXECUTE FUNCTION packed_games_check();
ALTER TABLE packed_games ENABLE ALWAYS TRIGGER packed_games_check;

-- Events can be deleted only from packed logs, and a packed log accepts no further events.
DROP TRIGGER game_events_refuse_change ON game_events;
CREATE TRIGGER game_events_refuse_change BEFORE UPDATE OR TRUNCATE ON game_events
    FOR EACH STATEMENT EXECUTE FUNCTION game_events_refuse();
ALTER TABLE game_events ENABLE ALWAYS TRIGGER game_events_refuse_change;

CREATE FUNCTION game_events_refuse_loss() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM (SELECT DISTINCT game_id FROM gone) g
        WHERE NOT EXISTS (SELECT 1 FROM packed_games p WHERE p.game_id = g.game_id)
    ) THEN
        RAISE EXCEPTION 'game_events is append-only' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER game_events_refuse_loss AFTER DELETE ON game_events REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION game_events_refuse_loss();
ALTER TABLE game_events ENABLE ALWAYS TRIGGER game_events_refuse_loss;

CREATE FUNCTION game_events_refuse_packed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT 1 FROM (SELECT DISTINCT game_id FROM added) a
        WHERE EXISTS (SELECT 1 FROM packed_games p WHERE p.game_id = a.game_id)
    ) THEN
        RAISE EXCEPTION 'the game is packed: game_events is append-only' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER game_events_refuse_packed AFTER INSERT ON game_events REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION game_events_refuse_packed();
ALTER TABLE game_events ENABLE ALWAYS TRIGGER game_events_refuse_packed;
