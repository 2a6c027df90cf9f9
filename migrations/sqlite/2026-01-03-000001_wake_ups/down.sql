DROP INDEX games_by_rematch_of;
DROP INDEX games_by_wake_at;
ALTER TABLE games DROP COLUMN rematch_of;
ALTER TABLE games DROP COLUMN wake_at;
