DROP INDEX accounts_admins;
ALTER TABLE sessions DROP COLUMN used_generation;
ALTER TABLE refresh_tokens DROP COLUMN generation;
