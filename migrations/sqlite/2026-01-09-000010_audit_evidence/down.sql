DROP TABLE access_log_head;
ALTER TABLE counted_games DROP COLUMN absent;
