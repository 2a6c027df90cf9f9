-- The matchmaking queue: an account waits at one table at most. A row changes together with the events of its
-- table.
CREATE TABLE matchmaking (
    account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    game_id TEXT NOT NULL,
    -- What is to be played, as a hash: whoever wants the same sits at the same table. Null once it has begun.
    terms TEXT,
    since INTEGER NOT NULL,
    -- From when the account agrees to bots; null for never.
    bots_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX matchmaking_by_terms ON matchmaking (terms, game_id);
CREATE INDEX matchmaking_by_game ON matchmaking (game_id, account_id);
