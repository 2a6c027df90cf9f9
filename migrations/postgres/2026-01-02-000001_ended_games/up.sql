-- The time when an ended game was added to the transparency log; the index finds those that were not.
ALTER TABLE games ADD COLUMN listed_at BIGINT;
CREATE INDEX games_unlisted ON games (ended_at) WHERE ended_at IS NOT NULL AND listed_at IS NULL;

-- The transparency log of ended games, a hash chain: append-only.
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

-- The auditor access log: who read which game, up to which event. Append-only.
CREATE TABLE looks (
    position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id TEXT COLLATE "C" NOT NULL,
    game_id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    looked_at BIGINT NOT NULL
);

CREATE INDEX looks_by_game ON looks (game_id, account_id);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;

-- Per statement, because TRUNCATE fires no row trigger; ALWAYS, because replication roles skip the others.
CREATE TRIGGER ended_games_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON ended_games
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE ended_games ENABLE ALWAYS TRIGGER ended_games_refuse_change;

CREATE TRIGGER looks_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON looks
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE looks ENABLE ALWAYS TRIGGER looks_refuse_change;
