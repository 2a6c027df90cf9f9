-- The outcome of requests with an Idempotency-Key, for as long as they may be repeated.

CREATE TABLE idempotency_keys (
    account_id TEXT NOT NULL,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    key TEXT NOT NULL,
    body_hash BLOB NOT NULL,
    status INT NOT NULL,
    game_id TEXT,
    first_seq INTEGER,
    last_seq INTEGER,
    resource TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, method, path, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
