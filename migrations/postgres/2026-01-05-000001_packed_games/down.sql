-- Packed logs have no other copy, so reverting is refused while there are any.
CREATE TABLE packed_games_left (number BIGINT NOT NULL CHECK (number = 0));
INSERT INTO packed_games_left SELECT count(*) FROM packed_games;
DROP TABLE packed_games_left;

DROP TRIGGER game_events_refuse_packed ON game_events;
DROP FUNCTION game_events_refuse_packed();
DROP TRIGGER game_events_refuse_loss ON game_events;
DROP FUNCTION game_events_refuse_loss();
DROP TRIGGER game_events_refuse_change ON game_events;
CREATE TRIGGER game_events_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON game_events
    FOR EACH STATEMENT EXECUTE FUNCTION game_events_refuse();
ALTER TABLE game_events ENABLE ALWAYS TRIGGER game_events_refuse_change;
DROP TABLE packed_games;
DROP FUNCTION packed_games_check();
DROP INDEX games_unpacked;
ALTER TABLE games DROP COLUMN packed_at;
