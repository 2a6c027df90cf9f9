-- Each refresh of a session begins a generation of tokens. The predecessor of a refresh token works until a token of
-- the next generation was used.

ALTER TABLE refresh_tokens ADD COLUMN generation BIGINT NOT NULL DEFAULT 0;

-- The newest generation of which an access token was used; 0 also if none was.
ALTER TABLE sessions ADD COLUMN used_generation BIGINT NOT NULL DEFAULT 0;

-- The few accounts that may grant roles.
CREATE INDEX accounts_admins ON accounts (id) WHERE role = 'admin';
