DROP TABLE game_snapshots;
DROP TABLE game_events;
DROP FUNCTION game_events_refuse();
