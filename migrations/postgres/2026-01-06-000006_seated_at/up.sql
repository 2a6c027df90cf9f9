-- When a player was seated, by the database's clock: nodes that missed the notice find the game by it.
ALTER TABLE game_players ADD COLUMN seated_at BIGINT;
-- A default for nodes of an earlier version. Existing rows do not change.
ALTER TABLE game_players ALTER COLUMN seated_at
    SET DEFAULT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT);
CREATE INDEX game_players_by_seated_at ON game_players (account_id, seated_at) WHERE seated_at IS NOT NULL;
