-- Games: their logs, the rows of lists, and the queue of matchmaking. Accounts are foreign keys only where a row is
-- deleted with its account: deleting an account changes no game.

-- The rows of lists of games; the log holds their content.
CREATE TABLE games (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    status TEXT NOT NULL CHECK (status IN ('lobby', 'playing', 'finished', 'abandoned')),
    ruleset TEXT NOT NULL,
    visibility TEXT NOT NULL,
    join_code TEXT COLLATE "C",
    host TEXT COLLATE "C" NOT NULL,
    players INTEGER NOT NULL,
    taken INTEGER NOT NULL,
    -- The game of which this one is the rematch.
    rematch_of TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    -- The time of the next timer. It may be too early, never too late; null for no timer.
    wake_at BIGINT,
    ended_at BIGINT,
    -- The steps after the end, each null until it is done: when the end was signed, the time of its entry in the public
    -- log, and when the log of the game was packed.
    signed_at BIGINT,
    logged_at BIGINT,
    packed_at BIGINT
);

CREATE UNIQUE INDEX games_by_join_code ON games (join_code);
CREATE INDEX games_by_status ON games (status, visibility, id);
CREATE INDEX games_by_ruleset ON games (ruleset, status, visibility, id);
-- The tables of each host in the lobby, for counting them and for listing the newest.
CREATE INDEX games_by_host ON games (host, id) WHERE status = 'lobby';
CREATE UNIQUE INDEX games_by_rematch_of ON games (rematch_of) WHERE rematch_of IS NOT NULL;
CREATE INDEX games_by_wake_at ON games (wake_at) WHERE wake_at IS NOT NULL;
-- The games that wait for each step after the end.
CREATE INDEX games_unsigned ON games (ended_at, id) WHERE ended_at IS NOT NULL AND signed_at IS NULL;
CREATE INDEX games_unlogged ON games (signed_at) WHERE signed_at IS NOT NULL AND logged_at IS NULL;
CREATE INDEX games_unpacked ON games (ended_at) WHERE signed_at IS NOT NULL AND packed_at IS NULL;

-- The format of each game whose log, state or seeds nodes of the first format do not know: they refuse it.
CREATE TABLE game_formats (
    game_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    format INTEGER NOT NULL CHECK (format > 1)
);

CREATE TABLE game_players (
    game_id TEXT COLLATE "C" NOT NULL,
    place INTEGER NOT NULL,
    account_id TEXT COLLATE "C",
    kind TEXT NOT NULL,
    -- By the database's clock: nodes that missed the notice find the game by it.
    seated_at BIGINT NOT NULL,
    PRIMARY KEY (game_id, place)
);

CREATE INDEX game_players_by_account ON game_players (account_id, game_id);
CREATE INDEX game_players_by_seated_at ON game_players (account_id, seated_at);

-- The server seed of each game, separate from everything that is serialised.
CREATE TABLE game_seeds (
    game_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    seed BYTEA NOT NULL CHECK (length(seed) = 32)
);

-- The log: every event of every game, as the bytes that were hashed. Append-only.
-- The unique (game_id, seq) decides between concurrent writers; position is only the storage position.
CREATE TABLE game_events (
    position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game_id TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL CHECK (seq >= 1),
    hash BYTEA NOT NULL CHECK (length(hash) = 32),
    body TEXT NOT NULL,
    -- The tag of a key and an HMAC, by which a node knows that a node wrote the log up to here. On the last event of each
    -- append.
    binding BYTEA CHECK (length(binding) = 41)
);

CREATE UNIQUE INDEX game_events_by_game ON game_events (game_id, seq);

CREATE TRIGGER game_events_refuse_change BEFORE UPDATE OR TRUNCATE ON game_events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE game_events ENABLE ALWAYS TRIGGER game_events_refuse_change;

-- Events can be deleted only from packed logs, and a packed log accepts no further events.
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

-- Heads whose own bindings are under lost keys, bound again by `estimation games adopt`, each with its entry in the public
-- log.
CREATE TABLE adopted_heads (
    game_id TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    binding BYTEA NOT NULL CHECK (length(binding) = 41),
    -- Canonical JSON; for a private game the log has only its salted hash.
    entry TEXT NOT NULL,
    salt BYTEA,
    -- What the log has: the entry, sealed if there is a salt.
    logged TEXT NOT NULL,
    -- The log that has it, and the position in it.
    log INTEGER,
    position BIGINT,
    PRIMARY KEY (game_id, seq)
);

CREATE UNIQUE INDEX adopted_heads_by_position ON adopted_heads (log, position);
CREATE INDEX adopted_heads_unplaced ON adopted_heads (game_id) WHERE position IS NULL;

-- Snapshots of states, so that loading is fast. They can be recomputed from the log, and a keyed hash binds each to it.
CREATE TABLE game_snapshots (
    game_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    seq BIGINT NOT NULL,
    format INTEGER NOT NULL,
    hash BYTEA NOT NULL,
    binding BYTEA NOT NULL,
    state TEXT NOT NULL
);

-- The outcome of requests with an Idempotency-Key, for as long as they may be repeated.
CREATE TABLE idempotency_keys (
    account_id TEXT COLLATE "C" NOT NULL,
    method TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    body_hash BYTEA NOT NULL,
    status INTEGER NOT NULL,
    game_id TEXT COLLATE "C",
    first_seq BIGINT,
    last_seq BIGINT,
    resource TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, method, path, key)
);

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- The queue of matchmaking: an account waits at one table at most. A row changes together with the events of its table.
CREATE TABLE matchmaking (
    account_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    game_id TEXT COLLATE "C" NOT NULL,
    -- The match key, a hash of what is to be played: accounts with the same key share a table. Null once it has begun, and
    -- for an account that left the queue and still has a seat at left_game_id, which then is game_id.
    terms TEXT COLLATE "C",
    since BIGINT NOT NULL,
    -- From when the account agrees to bots; null for never.
    bots_at BIGINT,
    -- The table from which matchmaking moved the account, while its seat there is still taken.
    left_game_id TEXT COLLATE "C"
);

CREATE INDEX matchmaking_by_terms ON matchmaking (terms, game_id);
CREATE INDEX matchmaking_by_game ON matchmaking (game_id, account_id);
CREATE INDEX matchmaking_by_left_game ON matchmaking (left_game_id) WHERE left_game_id IS NOT NULL;

-- What players broke off, as the logs say: cancelled tables, missed openings, games that they left. Written with the
-- events. Personal data: deleted with the account.
CREATE TABLE break_offs (
    game_id TEXT COLLATE "C" NOT NULL,
    -- The number of the event.
    seq BIGINT NOT NULL CHECK (seq >= 1),
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('table_cancelled', 'opening_missed', 'game_left')),
    at BIGINT NOT NULL,
    PRIMARY KEY (game_id, seq, account_id)
);

CREATE INDEX break_offs_by_account ON break_offs (account_id, kind, at);
