-- A keyed hash binds each snapshot to the log. The server ignores snapshots without one and replays the log.
ALTER TABLE game_snapshots ADD COLUMN binding_kid TEXT;
ALTER TABLE game_snapshots ADD COLUMN binding BLOB;
