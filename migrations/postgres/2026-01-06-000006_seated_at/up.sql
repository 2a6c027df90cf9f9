-- When somebody sat down, by the database's own clock: nodes that were not told find it by that.
ALTER TABLE game_players ADD COLUMN seated_at BIGINT;
-- For nodes of an earlier version. A row that is there stays as it is.
ALTER TABLE game_players ALTER COLUMN seated_at
    SET DEFAULT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT);
CREATE INDEX game_players_by_seated_at ON game_players (account_id, seated_at) WHERE seated_at IS NOT NULL;
