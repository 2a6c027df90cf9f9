-- The times of entries, in milliseconds since 1970 in UTC. In a log they never decrease.
ALTER TABLE log_queue ADD COLUMN entered_at BIGINT NOT NULL DEFAULT 0;
-- The time of the last entry with a position.
ALTER TABLE log_tree ADD COLUMN entered_at BIGINT NOT NULL DEFAULT 0;
