-- When a player was seated, by the database's clock: nodes that missed the notice find the game by it.
ALTER TABLE game_players ADD COLUMN seated_at INTEGER;
CREATE INDEX game_players_by_seated_at ON game_players (account_id, seated_at) WHERE seated_at IS NOT NULL;
