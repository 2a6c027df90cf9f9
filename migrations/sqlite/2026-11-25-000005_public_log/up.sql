-- The public log: started and ended games in a Merkle tree that is served as tiles.

-- Entries wait here until one node gives them a position.
CREATE TABLE log_queue (
    number INTEGER NOT NULL PRIMARY KEY,
    game_id TEXT,
    -- `start`, `end`, `adopted`, or another kind of entry that belongs to no game.
    kind TEXT NOT NULL,
    entry TEXT NOT NULL,
    -- In a log the times of entries never decrease.
    entered_at INTEGER NOT NULL,
    -- A keyed hash, by which a node knows that a node wrote the row.
    binding BLOB NOT NULL,
    -- When a node refused to enter it; null while it waits.
    refused_at INTEGER
) STRICT;

-- The entries: append-only.
CREATE TABLE log_entries (
    log INT NOT NULL,
    position INTEGER NOT NULL CHECK (position >= 0),
    entry TEXT NOT NULL,
    PRIMARY KEY (log, position)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER log_entries_refuse_update BEFORE UPDATE ON log_entries
BEGIN
    SELECT RAISE(ABORT, 'log_entries is append-only');
END;

CREATE TRIGGER log_entries_refuse_delete BEFORE DELETE ON log_entries
BEGIN
    SELECT RAISE(ABORT, 'log_entries is append-only');
END;

-- INSERT OR REPLACE deletes first, and not every outsider's connection fires triggers for that.
CREATE TRIGGER log_entries_refuse_replace BEFORE INSERT ON log_entries
WHEN EXISTS (SELECT 1 FROM log_entries WHERE log = NEW.log AND position = NEW.position)
BEGIN
    SELECT RAISE(ABORT, 'log_entries is append-only');
END;

-- The newest form of each tile: up to 256 hashes of 32 bytes.
CREATE TABLE log_tiles (
    log INT NOT NULL,
    level INT NOT NULL,
    number INTEGER NOT NULL,
    hashes BLOB NOT NULL,
    PRIMARY KEY (log, level, number)
) STRICT, WITHOUT ROWID;

-- The tree of each log, and its last signed checkpoint. The newest one is in use.
CREATE TABLE log_tree (
    id INT NOT NULL PRIMARY KEY CHECK (id >= 1),
    origin TEXT NOT NULL,
    -- The record key from which the keys of the log are derived.
    kid TEXT NOT NULL,
    size INTEGER NOT NULL,
    root BLOB NOT NULL CHECK (length(root) = 32),
    -- The time of the last entry with a position; 0 without entries.
    entered_at INTEGER NOT NULL,
    signed_size INTEGER NOT NULL,
    signed_at INTEGER NOT NULL,
    -- The signed note; empty before the first.
    note TEXT NOT NULL
) STRICT;

-- The newest cosignature of each witness: a line of a signed note.
CREATE TABLE log_cosignatures (
    log INT NOT NULL,
    witness TEXT NOT NULL,
    size INTEGER NOT NULL,
    line TEXT NOT NULL,
    PRIMARY KEY (log, witness)
) STRICT, WITHOUT ROWID;

-- What the log has of each game, and what opens the entries of private games. A game that never started has an end
-- without a start.
CREATE TABLE log_games (
    game_id TEXT NOT NULL PRIMARY KEY,
    -- Canonical JSON; for a private game the log has only its salted hash.
    start_entry TEXT,
    start_salt BLOB,
    -- The log that has the start, and the position in it.
    start_log INT,
    start_position INTEGER,
    -- The hash of the start's leaf, and the promise that it will be in the log.
    leaf BLOB CHECK (length(leaf) = 32),
    promised_by INTEGER,
    promise_kid TEXT,
    promise BLOB CHECK (length(promise) = 64),
    end_entry TEXT,
    end_salt BLOB,
    end_log INT,
    end_position INTEGER
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX log_games_by_start ON log_games (start_log, start_position);
CREATE UNIQUE INDEX log_games_by_end ON log_games (end_log, end_position);
CREATE INDEX log_games_unplaced_starts ON log_games (game_id) WHERE start_entry IS NOT NULL AND start_position IS NULL;
CREATE INDEX log_games_unplaced_ends ON log_games (game_id) WHERE end_entry IS NOT NULL AND end_position IS NULL;

-- The salts of the pseudonyms in `start_entry`. Personal data: deleted with the account.
CREATE TABLE log_pseudonyms (
    game_id TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    salt BLOB NOT NULL,
    PRIMARY KEY (game_id, account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX log_pseudonyms_by_account ON log_pseudonyms (account_id);
