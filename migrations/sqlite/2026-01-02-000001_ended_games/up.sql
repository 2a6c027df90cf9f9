-- The time when an ended game was added to the transparency log; the index finds those that were not.
ALTER TABLE games ADD COLUMN listed_at INTEGER;
CREATE INDEX games_unlisted ON games (ended_at) WHERE ended_at IS NOT NULL AND listed_at IS NULL;

-- The transparency log of ended games, a hash chain: append-only.
CREATE TABLE ended_games (
    position INTEGER NOT NULL PRIMARY KEY CHECK (position >= 1),
    game_id TEXT NOT NULL,
    events INTEGER NOT NULL CHECK (events >= 1),
    head BLOB NOT NULL CHECK (length(head) = 32),
    chain BLOB NOT NULL CHECK (length(chain) = 32),
    kid TEXT NOT NULL,
    signature BLOB NOT NULL CHECK (length(signature) = 64),
    listed_at INTEGER NOT NULL
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
WHEN EXISTS (SELECT 1 FROM ended_games WHERE position = NEW.position OR game_id = NEW.game_id)
BEGIN
    SELECT RAISE(ABORT, 'ended_games is append-only');
END;

-- The auditor access log: who read which game, up to which event. Append-only.
CREATE TABLE looks (
    position INTEGER NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL,
    game_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    looked_at INTEGER NOT NULL
) STRICT;

CREATE INDEX looks_by_game ON looks (game_id, account_id);

CREATE TRIGGER looks_refuse_update BEFORE UPDATE ON looks
BEGIN
    SELECT RAISE(ABORT, 'looks is append-only');
END;

CREATE TRIGGER looks_refuse_delete BEFORE DELETE ON looks
BEGIN
    SELECT RAISE(ABORT, 'looks is append-only');
END;

CREATE TRIGGER looks_refuse_replace BEFORE INSERT ON looks
WHEN EXISTS (SELECT 1 FROM looks WHERE position = NEW.position)
BEGIN
    SELECT RAISE(ABORT, 'looks is append-only');
END;
