-- Games on the list of ended games that could not be counted when their turn came. `counted_behind` is the place
-- on the list up to which games had been settled when the game was counted after all.
CREATE TABLE passed_over_games (
    position INTEGER NOT NULL PRIMARY KEY CHECK (position >= 1),
    game_id TEXT NOT NULL,
    passed_over_at INTEGER NOT NULL,
    counted_behind INTEGER CHECK (counted_behind >= position)
) STRICT;

CREATE INDEX passed_over_games_uncounted ON passed_over_games (position) WHERE counted_behind IS NULL;
