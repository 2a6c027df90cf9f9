-- Accounts, their sessions, and the refresh tokens of the sessions.
-- Ids are UUIDv7 text, times are milliseconds since 1970 in UTC, hashes are bytes.
-- COLLATE "C": ids compare byte by byte, as they do on SQLite.

CREATE TABLE accounts (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    username TEXT,
    username_key TEXT COLLATE "C",
    display_name TEXT NOT NULL,
    password_hash TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('full', 'guest')),
    role TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX accounts_by_username_key ON accounts (username_key);

CREATE TABLE sessions (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    device TEXT,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    ended_at BIGINT
);

CREATE INDEX sessions_by_account ON sessions (account_id, id);

CREATE TABLE refresh_tokens (
    hash BYTEA NOT NULL PRIMARY KEY,
    session_id TEXT COLLATE "C" NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    account_id TEXT COLLATE "C" NOT NULL,
    issued_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT,
    successor_hash BYTEA
);

CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);
