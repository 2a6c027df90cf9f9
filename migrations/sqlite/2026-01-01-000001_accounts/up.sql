-- Accounts, their sessions, and the refresh tokens of the sessions.
-- Ids are UUIDv7 text, times are milliseconds since 1970 in UTC, hashes are bytes.
-- INTEGER holds 64 bits, INT documents 32 (PostgreSQL has bigint and integer).

CREATE TABLE accounts (
    id TEXT NOT NULL PRIMARY KEY,
    username TEXT,
    username_key TEXT,
    display_name TEXT NOT NULL,
    password_hash TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('full', 'guest')),
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX accounts_by_username_key ON accounts (username_key);

CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    device TEXT,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    ended_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_account ON sessions (account_id, id);

CREATE TABLE refresh_tokens (
    hash BLOB NOT NULL PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL,
    issued_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at INTEGER,
    successor_hash BLOB
) STRICT, WITHOUT ROWID;

CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);
CREATE INDEX refresh_tokens_by_expiry ON refresh_tokens (expires_at);
