-- What the server makes of ended games: signed ends, packed logs, results and ratings. Each ended game gets a number
-- when it is signed, and is counted in the order of the numbers. The numbers have no gaps.

-- The signed ends of games: append-only.
CREATE TABLE ended_games (
    number INTEGER NOT NULL PRIMARY KEY CHECK (number >= 1),
    game_id TEXT NOT NULL,
    events INTEGER NOT NULL CHECK (events >= 1),
    head BLOB NOT NULL CHECK (length(head) = 32),
    kid TEXT NOT NULL,
    signature BLOB NOT NULL CHECK (length(signature) = 64),
    signed_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX ended_games_by_game ON ended_games (game_id);

CREATE TRIGGER ended_games_refuse_update BEFORE UPDATE ON ended_games
BEGIN
    SELECT RAISE(ABORT, 'ended_games is append-only');
END;

CREATE TRIGGER ended_games_refuse_delete BEFORE DELETE ON ended_games
BEGIN
    SELECT RAISE(ABORT, 'ended_games is append-only');
END;

-- INSERT OR REPLACE deletes first, and not every outsider's connection fires triggers for that.
CREATE TRIGGER ended_games_refuse_replace BEFORE INSERT ON ended_games
WHEN EXISTS (SELECT 1 FROM ended_games WHERE number = NEW.number OR game_id = NEW.game_id)
BEGIN
    SELECT RAISE(ABORT, 'ended_games is append-only');
END;

-- Games that are over and whose end a node refused to sign, for the operator: deleted when the end is signed.
CREATE TABLE refused_games (
    game_id TEXT NOT NULL PRIMARY KEY,
    -- A word that does not change, and what was found.
    reason TEXT NOT NULL,
    detail TEXT NOT NULL,
    first_seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Packed logs of ended games: one compressed row each that restores every byte. Append-only.
CREATE TABLE packed_games (
    game_id TEXT NOT NULL PRIMARY KEY,
    events INTEGER NOT NULL CHECK (events >= 1),
    head BLOB NOT NULL CHECK (length(head) = 32),
    format INT NOT NULL,
    body BLOB NOT NULL,
    -- That of the last event.
    binding BLOB CHECK (length(binding) = 41)
) STRICT;

CREATE TRIGGER packed_games_refuse_update BEFORE UPDATE ON packed_games
BEGIN
    SELECT RAISE(ABORT, 'packed_games is append-only');
END;

CREATE TRIGGER packed_games_refuse_delete BEFORE DELETE ON packed_games
BEGIN
    SELECT RAISE(ABORT, 'packed_games is append-only');
END;

-- A log is packed once, after its end was signed, and while it is complete.
CREATE TRIGGER packed_games_refuse_another BEFORE INSERT ON packed_games
WHEN EXISTS (SELECT 1 FROM packed_games WHERE game_id = NEW.game_id)
    OR NOT EXISTS (
        SELECT 1 FROM ended_games
        WHERE game_id = NEW.game_id AND events = NEW.events AND head = NEW.head
    )
    OR NOT EXISTS (
        SELECT 1 FROM game_events WHERE game_id = NEW.game_id AND seq = NEW.events AND hash = NEW.head
    )
    OR NEW.events <> (SELECT count(*) FROM game_events WHERE game_id = NEW.game_id)
    OR NEW.events <> (SELECT max(seq) FROM game_events WHERE game_id = NEW.game_id)
BEGIN
    SELECT RAISE(ABORT, 'this is not the log of a signed game: packed_games is append-only');
END;

-- The games counted for results, each exactly once.
CREATE TABLE counted_games (
    number INTEGER NOT NULL PRIMARY KEY CHECK (number >= 1),
    game_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('rated', 'unrated', 'no_result')),
    -- Which seats belonged to accounts that no longer existed when the game was counted, as bits. They were rated as
    -- new players.
    absent INT NOT NULL,
    counted_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX counted_games_by_game ON counted_games (game_id);

-- Games that could not be counted in their turn. `counted_behind` is the number up to which games were settled when the
-- game was counted later.
CREATE TABLE passed_over_games (
    number INTEGER NOT NULL PRIMARY KEY CHECK (number >= 1),
    game_id TEXT NOT NULL,
    passed_over_at INTEGER NOT NULL,
    counted_behind INTEGER CHECK (counted_behind >= number)
) STRICT;

CREATE INDEX passed_over_games_uncounted ON passed_over_games (number) WHERE counted_behind IS NULL;

-- Results of finished games per account. Personal data: deleted with the account.
CREATE TABLE results (
    game_id TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    ruleset TEXT NOT NULL,
    number INTEGER NOT NULL,
    seat INT NOT NULL,
    rank INT NOT NULL CHECK (rank >= 1),
    total INT NOT NULL,
    rounds INT NOT NULL,
    rounds_made INT NOT NULL CHECK (rounds_made BETWEEN 0 AND rounds),
    forfeited INT NOT NULL CHECK (forfeited IN (0, 1)),
    ended_at INTEGER NOT NULL,
    PRIMARY KEY (game_id, account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX results_by_account ON results (account_id, ruleset, number);

-- Ratings, in millionths of a point: integers, so that both databases store and order the same numbers.
CREATE TABLE ratings (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    ruleset TEXT NOT NULL,
    mean INTEGER NOT NULL,
    deviation INTEGER NOT NULL CHECK (deviation > 0),
    ordinal INTEGER NOT NULL,
    games INTEGER NOT NULL CHECK (games >= 1),
    PRIMARY KEY (account_id, ruleset)
) STRICT, WITHOUT ROWID;

CREATE INDEX ratings_by_ordinal ON ratings (ruleset, ordinal DESC, account_id);
