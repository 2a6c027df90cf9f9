ALTER TABLE accounts DROP COLUMN password_changes;
