DROP TABLE looks;
DROP TABLE ended_games;
DROP FUNCTION refuse_change();
DROP INDEX games_unlisted;
ALTER TABLE games DROP COLUMN listed_at;
