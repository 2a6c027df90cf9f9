-- What players are told while they have no stream, how they want to be told, and where their browsers take it.

-- Notices, one row for each destination. The id follows from what a notice is about: it is the same however often the
-- notice is found and sent.
CREATE TABLE notifications (
    id TEXT NOT NULL,
    -- `webhook`, or the session of a push subscription.
    destination TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    game_id TEXT,
    -- The version of the game when the notice became due.
    version INTEGER,
    -- When what it tells of began. Notices of a game go out in this order.
    since INTEGER NOT NULL,
    -- When it is of no use any more; null for never.
    expires_at INTEGER,
    -- Attempts that failed.
    failures INT NOT NULL CHECK (failures >= 0),
    -- When to send it; null once it has an outcome.
    next_at INTEGER,
    -- Until when a node sends it. If it is still there then, another node takes over.
    taken_until INTEGER,
    outcome TEXT CHECK (outcome IN ('delivered', 'dropped', 'parked')),
    created_at INTEGER NOT NULL,
    settled_at INTEGER,
    PRIMARY KEY (id, destination),
    CHECK ((outcome IS NULL) = (next_at IS NOT NULL) AND (outcome IS NULL) = (settled_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX notifications_due ON notifications (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX notifications_unsettled ON notifications (destination, game_id, since, id) WHERE outcome IS NULL;
CREATE INDEX notifications_by_account ON notifications (account_id, created_at);
CREATE INDEX notifications_settled ON notifications (settled_at) WHERE settled_at IS NOT NULL;

-- What an account chose: JSON. Without a row it gets everything at any hour.
CREATE TABLE notification_choices (
    account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    choices TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Where a browser takes pushes: one for each session, while the session lasts.
CREATE TABLE push_subscriptions (
    session_id TEXT NOT NULL PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    -- The browser's public key, an uncompressed point of P-256, and its authentication secret.
    p256dh BLOB NOT NULL CHECK (length(p256dh) = 65),
    auth BLOB NOT NULL CHECK (length(auth) = 16),
    created_at INTEGER NOT NULL,
    -- When the last push went; 0 before the first.
    pushed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX push_subscriptions_by_account ON push_subscriptions (account_id, created_at);
CREATE UNIQUE INDEX push_subscriptions_by_endpoint ON push_subscriptions (endpoint);
