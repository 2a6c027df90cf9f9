-- Games in the transparency log that could not be counted in their turn. `counted_behind` is the position
-- up to which games were settled when the game was counted later.
CREATE TABLE passed_over_games (
    position BIGINT NOT NULL PRIMARY KEY CHECK (position >= 1),
    game_id TEXT COLLATE "C" NOT NULL,
    passed_over_at BIGINT NOT NULL,
    counted_behind BIGINT CHECK (counted_behind >= position)
);

CREATE INDEX passed_over_games_uncounted ON passed_over_games (position) WHERE counted_behind IS NULL;
