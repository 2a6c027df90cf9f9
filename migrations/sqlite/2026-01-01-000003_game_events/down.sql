DROP TABLE game_snapshots;
DROP TRIGGER game_events_refuse_delete;
DROP TRIGGER game_events_refuse_update;
DROP TABLE game_events;
