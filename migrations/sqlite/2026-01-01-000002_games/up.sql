-- The rows of lists of games; the log holds their content.
-- Accounts are not foreign keys: deleting one changes no game.

CREATE TABLE games (
    id TEXT NOT NULL PRIMARY KEY,
    status TEXT NOT NULL CHECK (status IN ('lobby', 'playing', 'finished', 'abandoned')),
    ruleset TEXT NOT NULL,
    visibility TEXT NOT NULL,
    join_code TEXT,
    host TEXT NOT NULL,
    players INT NOT NULL,
    taken INT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX games_by_join_code ON games (join_code);
CREATE INDEX games_by_status ON games (status, visibility, id);
CREATE INDEX games_by_ruleset ON games (ruleset, status, visibility, id);

CREATE TABLE game_players (
    game_id TEXT NOT NULL,
    place INT NOT NULL,
    account_id TEXT,
    kind TEXT NOT NULL,
    PRIMARY KEY (game_id, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX game_players_by_account ON game_players (account_id, game_id);

-- The server seed of each game, separate from everything that is serialised.
CREATE TABLE game_seeds (
    game_id TEXT NOT NULL PRIMARY KEY,
    seed BLOB NOT NULL CHECK (length(seed) = 32)
) STRICT, WITHOUT ROWID;
