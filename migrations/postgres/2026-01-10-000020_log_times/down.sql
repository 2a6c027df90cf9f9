ALTER TABLE log_tree DROP COLUMN entered_at;
ALTER TABLE log_queue DROP COLUMN entered_at;
