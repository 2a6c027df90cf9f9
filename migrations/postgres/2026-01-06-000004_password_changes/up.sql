-- How often an account's password was changed: device tokens of before are worth nothing any more.

ALTER TABLE accounts ADD COLUMN password_changes INTEGER NOT NULL DEFAULT 0;
