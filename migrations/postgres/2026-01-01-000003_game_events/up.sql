-- The log: every event of every game, as the bytes that were hashed. Append-only.
-- The unique (game_id, seq) decides between concurrent writers; position is only the storage position.

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

-- Snapshots of states, so that loading is fast. They can be recomputed from the log.
CREATE TABLE game_snapshots (
    game_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    seq BIGINT NOT NULL,
    format INTEGER NOT NULL,
    hash BYTEA NOT NULL,
    state TEXT NOT NULL
);
