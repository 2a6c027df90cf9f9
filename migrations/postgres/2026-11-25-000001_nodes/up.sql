-- The program and its nodes: applied migrations, running nodes, connected accounts, the key ring.
--
-- In all migrations, ids are UUIDv7 text, times are milliseconds since 1970 in UTC, and hashes are bytes. Ids are
-- COLLATE "C": they compare byte by byte, as they do on SQLite.

-- The names of the applied migrations, so that an earlier version can name those it does not know. The program
-- fills it when it migrates. `breaking` says that versions that do not know the migration must not run.
CREATE TABLE known_migrations (
    version TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    breaking BOOLEAN NOT NULL
);

-- Running nodes. A node without a heartbeat for some seconds counts as dead, and its connections as closed.
CREATE TABLE nodes (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    seen_at BIGINT NOT NULL,
    -- The version of the program, and the newest format of games that it knows.
    version TEXT COLLATE "C" NOT NULL,
    format INTEGER NOT NULL CHECK (format > 0),
    started_at BIGINT NOT NULL,
    -- `ready`, or why the node is not.
    state TEXT COLLATE "C" NOT NULL,
    -- How long the oldest change waits to be written, in milliseconds.
    waits BIGINT NOT NULL
);

-- The accounts that use each node.
CREATE TABLE presence (
    account_id TEXT COLLATE "C" NOT NULL,
    node_id TEXT COLLATE "C" NOT NULL,
    -- With an open stream or poll, or a call of the last seconds.
    online BOOLEAN NOT NULL,
    streaming BOOLEAN NOT NULL,
    -- With a call of the last minute.
    called BOOLEAN NOT NULL,
    PRIMARY KEY (account_id, node_id)
);

CREATE INDEX presence_by_node ON presence (node_id);

-- Backups that were restored and audited, and sound.
CREATE TABLE checked_backups (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('sqlite', 'postgres')),
    -- The time of the state that the backup restores.
    made_at BIGINT NOT NULL,
    checked_at BIGINT NOT NULL,
    games BIGINT NOT NULL,
    -- The number of entries of the public log.
    log_size BIGINT NOT NULL
);

CREATE INDEX checked_backups_by_time ON checked_backups (made_at);

-- The key ring of all nodes, encrypted under a secret that the database never sees. One row.
CREATE TABLE sealed_keys (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    version BIGINT NOT NULL,
    sealed BYTEA NOT NULL
);

-- Makes a table append-only, as a trigger per statement with ENABLE ALWAYS. TRUNCATE fires no trigger per row, and a
-- session with the replication role fires only triggers with ENABLE ALWAYS.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
