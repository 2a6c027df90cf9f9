-- Packed logs have no other copy, so reverting is refused while there are any.
CREATE TABLE packed_games_left (number BIGINT NOT NULL CHECK (number = 0));
INSERT INTO packed_games_left SELECT count(*) FROM packed_games;
DROP TABLE packed_games_left;

DROP TABLE ratings;
DROP TABLE results;
DROP TABLE passed_over_games;
DROP TABLE counted_games;
DROP TABLE packed_games;
DROP TABLE refused_games;
DROP FUNCTION packed_games_check();
DROP TABLE ended_games;
