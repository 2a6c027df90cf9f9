-- The games counted for results, each exactly once, in the order of the transparency log.
CREATE TABLE counted_games (
    position BIGINT NOT NULL PRIMARY KEY CHECK (position >= 1),
    game_id TEXT COLLATE "C" NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('rated', 'unrated', 'abandoned')),
    counted_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX counted_games_by_game ON counted_games (game_id);

-- Results of finished games per account. Personal data: deleted with the account.
CREATE TABLE results (
    game_id TEXT COLLATE "C" NOT NULL,
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    ruleset TEXT NOT NULL,
    position BIGINT NOT NULL,
    seat INTEGER NOT NULL,
    rank INTEGER NOT NULL CHECK (rank >= 1),
    total INTEGER NOT NULL,
    rounds INTEGER NOT NULL,
    rounds_made INTEGER NOT NULL CHECK (rounds_made BETWEEN 0 AND rounds),
    forfeited INTEGER NOT NULL CHECK (forfeited IN (0, 1)),
    ended_at BIGINT NOT NULL,
    PRIMARY KEY (game_id, account_id)
);

CREATE INDEX results_by_account ON results (account_id, ruleset, position);

-- Ratings, in millionths of a point: integers, so that both databases store and order the same numbers.
CREATE TABLE ratings (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    ruleset TEXT NOT NULL,
    mean BIGINT NOT NULL,
    deviation BIGINT NOT NULL CHECK (deviation > 0),
    ordinal BIGINT NOT NULL,
    games BIGINT NOT NULL CHECK (games >= 1),
    PRIMARY KEY (account_id, ruleset)
);

CREATE INDEX ratings_by_ordinal ON ratings (ruleset, ordinal DESC, account_id);
