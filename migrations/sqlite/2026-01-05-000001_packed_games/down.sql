-- Packed logs have no other copy, so reverting is refused while there are any.
CREATE TABLE packed_games_left (number INTEGER NOT NULL CHECK (number = 0));
INSERT INTO packed_games_left SELECT count(*) FROM packed_games;
DROP TABLE packed_games_left;

DROP TRIGGER game_events_refuse_packed;
DROP TRIGGER game_events_refuse_delete;
CREATE TRIGGER game_events_refuse_delete BEFORE DELETE ON game_events
BEGIN
    SELECT RAISE(ABORT, 'game_events is append-only');
END;
DROP TABLE packed_games;
DROP INDEX games_unpacked;
ALTER TABLE games DROP COLUMN packed_at;
