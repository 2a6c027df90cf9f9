-- The public log: started and ended games in a Merkle tree that is served as tiles.

-- Entries wait here until one node gives them a position.
CREATE TABLE log_queue (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game_id TEXT COLLATE "C",
    -- `start`, `end`, `adopted`, or another kind of entry that belongs to no game.
    kind TEXT NOT NULL,
    entry TEXT NOT NULL,
    -- In a log the times of entries never decrease.
    entered_at BIGINT NOT NULL,
    -- A keyed hash, by which a node knows that a node wrote the row.
    binding BYTEA NOT NULL,
    -- When a node refused to enter it; null while it waits.
    refused_at BIGINT
);

-- The entries: append-only.
CREATE TABLE log_entries (
    log INTEGER NOT NULL,
    position BIGINT NOT NULL CHECK (position >= 0),
    entry TEXT NOT NULL,
    PRIMARY KEY (log, position)
);

CREATE TRIGGER log_entries_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON log_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE log_entries ENABLE ALWAYS TRIGGER log_entries_refuse_change;

-- The newest form of each tile: up to 256 hashes of 32 bytes.
CREATE TABLE log_tiles (
    log INTEGER NOT NULL,
    level INTEGER NOT NULL,
    number BIGINT NOT NULL,
    hashes BYTEA NOT NULL,
    PRIMARY KEY (log, level, number)
);

-- The tree of each log, and its last signed checkpoint. The newest one is in use.
CREATE TABLE log_tree (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id >= 1),
    origin TEXT NOT NULL,
    -- The record key from which the keys of the log are derived.
    kid TEXT NOT NULL,
    size BIGINT NOT NULL,
    root BYTEA NOT NULL CHECK (length(root) = 32),
    -- The time of the last entry with a position; 0 without entries.
    entered_at BIGINT NOT NULL,
    signed_size BIGINT NOT NULL,
    signed_at BIGINT NOT NULL,
    -- The signed note; empty before the first.
    note TEXT NOT NULL
);

-- The newest cosignature of each witness: a line of a signed note.
CREATE TABLE log_cosignatures (
    log INTEGER NOT NULL,
    witness TEXT NOT NULL,
    size BIGINT NOT NULL,
    line TEXT NOT NULL,
    PRIMARY KEY (log, witness)
);

-- What the log has of each game, and what opens the entries of private games. A game that never started has an end
-- without a start.
CREATE TABLE log_games (
    game_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    -- Canonical JSON; for a private game the log has only its salted hash.
    start_entry TEXT,
    start_salt BYTEA,
    -- The log that has the start, and the position in it.
    start_log INTEGER,
    start_position BIGINT,
    -- The hash of the start's leaf, and the promise that it will be in the log.
    leaf BYTEA CHECK (length(leaf) = 32),
    promised_by BIGINT,
    promise_kid TEXT,
    promise BYTEA CHECK (length(promise) = 64),
    end_entry TEXT,
    end_salt BYTEA,
    end_log INTEGER,
    end_position BIGINT
);

CREATE UNIQUE INDEX log_games_by_start ON log_games (start_log, start_position);
CREATE UNIQUE INDEX log_games_by_end ON log_games (end_log, end_position);
CREATE INDEX log_games_unplaced_starts ON log_games (game_id) WHERE start_entry IS NOT NULL AND start_position IS NULL;
CREATE INDEX log_games_unplaced_ends ON log_games (game_id) WHERE end_entry IS NOT NULL AND end_position IS NULL;

-- The salts of the pseudonyms in `start_entry`. Personal data: deleted with the account.
CREATE TABLE log_pseudonyms (
    game_id TEXT COLLATE "C" NOT NULL,
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    salt BYTEA NOT NULL,
    PRIMARY KEY (game_id, account_id)
);

CREATE INDEX log_pseudonyms_by_account ON log_pseudonyms (account_id);
