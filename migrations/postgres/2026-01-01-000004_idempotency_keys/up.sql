-- The outcome of requests with an Idempotency-Key, for as long as they may be repeated.

CREATE TABLE idempotency_keys (
    account_id TEXT COLLATE "C" NOT NULL,
    method TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    body_hash BYTEA NOT NULL,
    status INTEGER NOT NULL,
    game_id TEXT COLLATE "C",
    first_seq BIGINT,
    last_seq BIGINT,
    resource TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (account_id, method, path, key)
);

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
