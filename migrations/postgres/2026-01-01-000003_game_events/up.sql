-- The truth: every event of every game, as the bytes that were hashed. Nothing here is ever changed.
-- (game_id, seq) decides who wins; position only says where a row lies and orders nothing.

CREATE TABLE game_events (
    position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game_id TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL CHECK (seq >= 1),
    hash BYTEA NOT NULL CHECK (length(hash) = 32),
    body TEXT NOT NULL
);

CREATE UNIQUE INDEX game_events_by_game ON game_events (game_id, seq);

CREATE FUNCTION game_events_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'game_events is append-only' USING ERRCODE = 'restrict_violation';
END
$$;

-- Per statement, because TRUNCATE fires no row trigger; ALWAYS, because replication roles skip the others.
CREATE TRIGGER game_events_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON game_events
    FOR EACH STATEMENT EXECUTE FUNCTION game_events_refuse();
ALTER TABLE game_events ENABLE ALWAYS TRIGGER game_events_refuse_change;

-- A state that can be computed again from the log, kept so that loading is short.
CREATE TABLE game_snapshots (
    game_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    seq BIGINT NOT NULL,
    format INTEGER NOT NULL,
    hash BYTEA NOT NULL,
    state TEXT NOT NULL
);
