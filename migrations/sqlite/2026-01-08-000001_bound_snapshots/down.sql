ALTER TABLE game_snapshots DROP COLUMN binding;
ALTER TABLE game_snapshots DROP COLUMN binding_kid;
