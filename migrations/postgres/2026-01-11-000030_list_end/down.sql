DELETE FROM log_games WHERE start_entry IS NULL;

ALTER TABLE log_games
    ALTER COLUMN start_entry SET NOT NULL,
    ALTER COLUMN leaf SET NOT NULL,
    ALTER COLUMN promised_by SET NOT NULL,
    ALTER COLUMN promise_kid SET NOT NULL,
    ALTER COLUMN promise SET NOT NULL;
DROP TABLE list_end;
