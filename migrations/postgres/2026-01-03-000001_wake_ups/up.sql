-- When the service has to look at a game by itself, and which game a game is the rematch of.
-- `wake_at` may be early, never late; it is null where there is nothing to wait for.

ALTER TABLE games ADD COLUMN wake_at BIGINT;
ALTER TABLE games ADD COLUMN rematch_of TEXT COLLATE "C";

CREATE INDEX games_by_wake_at ON games (wake_at) WHERE wake_at IS NOT NULL;
CREATE UNIQUE INDEX games_by_rematch_of ON games (rematch_of) WHERE rematch_of IS NOT NULL;

-- Games that are open already are looked at once, and told their time then.
UPDATE games SET wake_at = 0 WHERE status IN ('lobby', 'playing');
