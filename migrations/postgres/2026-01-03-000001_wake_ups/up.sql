-- The time of a game's next timer, and the game of which a game is the rematch.
-- `wake_at` may be too early, never too late; null for no timer.

ALTER TABLE games ADD COLUMN wake_at BIGINT;
ALTER TABLE games ADD COLUMN rematch_of TEXT COLLATE "C";

CREATE INDEX games_by_wake_at ON games (wake_at) WHERE wake_at IS NOT NULL;
CREATE UNIQUE INDEX games_by_rematch_of ON games (rematch_of) WHERE rematch_of IS NOT NULL;

-- Open games get an immediate timer, which then sets the right time.
UPDATE games SET wake_at = 0 WHERE status IN ('lobby', 'playing');
