-- The auditor access log, and its signed end.

-- Which auditor read which game, up to which event: append-only.
CREATE TABLE looks (
    position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id TEXT COLLATE "C" NOT NULL,
    game_id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    looked_at BIGINT NOT NULL
);

CREATE INDEX looks_by_game ON looks (game_id, account_id);

CREATE TRIGGER looks_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON looks
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE looks ENABLE ALWAYS TRIGGER looks_refuse_change;

-- The signed end of the log: a deleted access shows. Replaced with every access.
CREATE TABLE access_log_head (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    position BIGINT NOT NULL,
    accesses BIGINT NOT NULL CHECK (accesses >= 0),
    chain BYTEA NOT NULL CHECK (length(chain) = 32),
    began_at BIGINT NOT NULL,
    kid TEXT NOT NULL,
    signature BYTEA NOT NULL CHECK (length(signature) = 64)
);
