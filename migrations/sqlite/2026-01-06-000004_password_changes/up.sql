-- The number of password changes of an account: a change invalidates older device tokens.

ALTER TABLE accounts ADD COLUMN password_changes INT NOT NULL DEFAULT 0;
