-- When somebody sat down, by the database's own clock: nodes that were not told find it by that.
ALTER TABLE game_players ADD COLUMN seated_at INTEGER;
CREATE INDEX game_players_by_seated_at ON game_players (account_id, seated_at) WHERE seated_at IS NOT NULL;
