-- The games counted for results, each exactly once, in the order of the transparency log.
CREATE TABLE counted_games (
    position INTEGER NOT NULL PRIMARY KEY CHECK (position >= 1),
    game_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('rated', 'unrated', 'abandoned')),
    counted_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX counted_games_by_game ON counted_games (game_id);

-- Results of finished games per account. Personal data: deleted with the account.
CREATE TABLE results (
    game_id TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    ruleset TEXT NOT NULL,
    position INTEGER NOT NULL,
    seat INT NOT NULL,
    rank INT NOT NULL CHECK (rank >= 1),
    total INT NOT NULL,
    rounds INT NOT NULL,
    rounds_made INT NOT NULL CHECK (rounds_made BETWEEN 0 AND rounds),
    forfeited INT NOT NULL CHECK (forfeited IN (0, 1)),
    ended_at INTEGER NOT NULL,
    PRIMARY KEY (game_id, account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX results_by_account ON results (account_id, ruleset, position);

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
