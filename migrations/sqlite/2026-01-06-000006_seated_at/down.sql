DROP INDEX game_players_by_seated_at;
ALTER TABLE game_players DROP COLUMN seated_at;
