-- The program and its nodes: applied migrations, running nodes, connected accounts, the key ring.
--
-- In all migrations, ids are UUIDv7 text, times are milliseconds since 1970 in UTC, and hashes are bytes. INTEGER holds
-- 64 bits, INT documents 32 (PostgreSQL has bigint and integer).

-- The names of the applied migrations, so that an earlier version can name those it does not know. The program
-- fills it when it migrates. `breaking` says that versions that do not know the migration must not run.
CREATE TABLE known_migrations (
    version TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    breaking INT NOT NULL CHECK (breaking IN (0, 1))
) STRICT, WITHOUT ROWID;

-- Running nodes. A node without a heartbeat for some seconds counts as dead, and its connections as closed.
CREATE TABLE nodes (
    id TEXT NOT NULL PRIMARY KEY,
    seen_at INTEGER NOT NULL,
    -- The version of the program, and the newest format of games that it knows.
    version TEXT NOT NULL,
    format INT NOT NULL CHECK (format > 0),
    started_at INTEGER NOT NULL,
    -- `ready`, or why the node is not.
    state TEXT NOT NULL,
    -- How long the oldest change waits to be written, in milliseconds.
    waits INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The accounts that use each node.
CREATE TABLE presence (
    account_id TEXT NOT NULL,
    node_id TEXT NOT NULL,
    -- With an open stream or poll, or a call of the last seconds.
    online INT NOT NULL CHECK (online IN (0, 1)),
    streaming INT NOT NULL CHECK (streaming IN (0, 1)),
    -- With a call of the last minute.
    called INT NOT NULL CHECK (called IN (0, 1)),
    PRIMARY KEY (account_id, node_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX presence_by_node ON presence (node_id);

-- Backups that were restored and audited, and sound.
CREATE TABLE checked_backups (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('sqlite', 'postgres')),
    -- The time of the state that the backup restores.
    made_at INTEGER NOT NULL,
    checked_at INTEGER NOT NULL,
    games INTEGER NOT NULL,
    -- The number of entries of the public log.
    log_size INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX checked_backups_by_time ON checked_backups (made_at);

-- The key ring of all nodes, encrypted under a secret that the database never sees. One row.
CREATE TABLE sealed_keys (
    id INT NOT NULL PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL,
    sealed BLOB NOT NULL
) STRICT, WITHOUT ROWID;
