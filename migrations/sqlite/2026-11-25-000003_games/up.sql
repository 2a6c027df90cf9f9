-- Games: their logs, the rows of lists, and the queue of matchmaking. Accounts are foreign keys only where a row is
-- deleted with its account: deleting an account changes no game.

-- The rows of lists of games; the log holds their content.
CREATE TABLE games (
    id TEXT NOT NULL PRIMARY KEY,
    status TEXT NOT NULL CHECK (status IN ('lobby', 'playing', 'finished', 'abandoned')),
    ruleset TEXT NOT NULL,
    visibility TEXT NOT NULL,
    join_code TEXT,
    host TEXT NOT NULL,
    players INT NOT NULL,
    taken INT NOT NULL,
    -- The game of which this one is the rematch.
    rematch_of TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    -- The time of the next timer. It may be too early, never too late; null for no timer.
    wake_at INTEGER,
    ended_at INTEGER,
    -- The steps after the end, each null until it is done: when the end was signed, the time of its entry in the public
    -- log, and when the log of the game was packed.
    signed_at INTEGER,
    logged_at INTEGER,
    packed_at INTEGER
) STRICT, WITHOUT ROWID;

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
    game_id TEXT NOT NULL PRIMARY KEY,
    format INT NOT NULL CHECK (format > 1)
) STRICT, WITHOUT ROWID;

CREATE TABLE game_players (
    game_id TEXT NOT NULL,
    place INT NOT NULL,
    account_id TEXT,
    kind TEXT NOT NULL,
    -- By the database's clock: nodes that missed the notice find the game by it.
    seated_at INTEGER NOT NULL,
    PRIMARY KEY (game_id, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX game_players_by_account ON game_players (account_id, game_id);
CREATE INDEX game_players_by_seated_at ON game_players (account_id, seated_at);

-- The server seed of each game, separate from everything that is serialised.
CREATE TABLE game_seeds (
    game_id TEXT NOT NULL PRIMARY KEY,
    seed BLOB NOT NULL CHECK (length(seed) = 32)
) STRICT, WITHOUT ROWID;

-- The log: every event of every game, as the bytes that were hashed. Append-only.
-- The unique (game_id, seq) decides between concurrent writers; position is only the storage position.
CREATE TABLE game_events (
    position INTEGER NOT NULL PRIMARY KEY,
    game_id TEXT NOT NULL,
    seq INTEGER NOT NULL CHECK (seq >= 1),
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    body TEXT NOT NULL,
    -- The tag of a key and an HMAC, by which a node knows that a node wrote the log up to here. On the last event of each
    -- append.
    binding BLOB CHECK (length(binding) = 41)
) STRICT;

CREATE UNIQUE INDEX game_events_by_game ON game_events (game_id, seq);

CREATE TRIGGER game_events_refuse_update BEFORE UPDATE ON game_events
BEGIN
    SELECT RAISE(ABORT, 'game_events is append-only');
END;

-- Events can be deleted only from packed logs, and a packed log accepts no further events.
-- INSERT OR REPLACE deletes first, and fires this trigger where recursive_triggers is on: every connection of the
-- server turns it on.
CREATE TRIGGER game_events_refuse_delete BEFORE DELETE ON game_events
WHEN NOT EXISTS (SELECT 1 FROM packed_games WHERE game_id = OLD.game_id)
BEGIN
    SELECT RAISE(ABORT, 'game_events is append-only');
END;

CREATE TRIGGER game_events_refuse_packed BEFORE INSERT ON game_events
WHEN EXISTS (SELECT 1 FROM packed_games WHERE game_id = NEW.game_id)
BEGIN
    SELECT RAISE(ABORT, 'the game is packed: game_events is append-only');
END;

-- Heads whose own bindings are under lost keys, bound again by `estimation games adopt`, each with its entry in the public
-- log.
CREATE TABLE adopted_heads (
    game_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    binding BLOB NOT NULL CHECK (length(binding) = 41),
    -- Canonical JSON; for a private game the log has only its salted hash.
    entry TEXT NOT NULL,
    salt BLOB,
    -- What the log has: the entry, sealed if there is a salt.
    logged TEXT NOT NULL,
    -- The log that has it, and the position in it.
    log INT,
    position INTEGER,
    PRIMARY KEY (game_id, seq)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX adopted_heads_by_position ON adopted_heads (log, position);
CREATE INDEX adopted_heads_unplaced ON adopted_heads (game_id) WHERE position IS NULL;

-- Snapshots of states, so that loading is fast. They can be recomputed from the log, and a keyed hash binds each to it.
CREATE TABLE game_snapshots (
    game_id TEXT NOT NULL PRIMARY KEY,
    seq INTEGER NOT NULL,
    format INT NOT NULL,
    hash BLOB NOT NULL,
    binding BLOB NOT NULL,
    state TEXT NOT NULL
) STRICT;

-- The outcome of requests with an Idempotency-Key, for as long as they may be repeated.
CREATE TABLE idempotency_keys (
    account_id TEXT NOT NULL,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    key TEXT NOT NULL,
    body_hash BLOB NOT NULL,
    status INT NOT NULL,
    game_id TEXT,
    first_seq INTEGER,
    last_seq INTEGER,
    resource TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, method, path, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- The queue of matchmaking: an account waits at one table at most. A row changes together with the events of its table.
CREATE TABLE matchmaking (
    account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    game_id TEXT NOT NULL,
    -- The match key, a hash of what is to be played: accounts with the same key share a table. Null once it has begun, and
    -- for an account that left the queue and still has a seat at left_game_id, which then is game_id.
    terms TEXT,
    since INTEGER NOT NULL,
    -- From when the account agrees to bots; null for never.
    bots_at INTEGER,
    -- The table from which matchmaking moved the account, while its seat there is still taken.
    left_game_id TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX matchmaking_by_terms ON matchmaking (terms, game_id);
CREATE INDEX matchmaking_by_game ON matchmaking (game_id, account_id);
CREATE INDEX matchmaking_by_left_game ON matchmaking (left_game_id) WHERE left_game_id IS NOT NULL;

-- What players broke off, as the logs say: cancelled tables, missed openings, games that they left. Written with the
-- events. Personal data: deleted with the account.
CREATE TABLE break_offs (
    game_id TEXT NOT NULL,
    -- The number of the event.
    seq INTEGER NOT NULL CHECK (seq >= 1),
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('table_cancelled', 'opening_missed', 'game_left')),
    at INTEGER NOT NULL,
    PRIMARY KEY (game_id, seq, account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX break_offs_by_account ON break_offs (account_id, kind, at);
