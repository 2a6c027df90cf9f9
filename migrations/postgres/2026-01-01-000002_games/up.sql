-- The rows of lists of games; the log holds their content.
-- Accounts are not foreign keys: deleting one changes no game.

CREATE TABLE games (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    status TEXT NOT NULL CHECK (status IN ('lobby', 'playing', 'finished', 'abandoned')),
    ruleset TEXT NOT NULL,
    visibility TEXT NOT NULL,
    join_code TEXT COLLATE "C",
    host TEXT COLLATE "C" NOT NULL,
    players INTEGER NOT NULL,
    taken INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    ended_at BIGINT
);

CREATE UNIQUE INDEX games_by_join_code ON games (join_code);
CREATE INDEX games_by_status ON games (status, visibility, id);
CREATE INDEX games_by_ruleset ON games (ruleset, status, visibility, id);

CREATE TABLE game_players (
    game_id TEXT COLLATE "C" NOT NULL,
    place INTEGER NOT NULL,
    account_id TEXT COLLATE "C",
    kind TEXT NOT NULL,
    PRIMARY KEY (game_id, place)
);

CREATE INDEX game_players_by_account ON game_players (account_id, game_id);

-- The server seed of each game, separate from everything that is serialised.
CREATE TABLE game_seeds (
    game_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    seed BYTEA NOT NULL CHECK (length(seed) = 32)
);
