-- The key ring of all nodes, encrypted under a secret that the database never sees. One row.

CREATE TABLE sealed_keys (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    version BIGINT NOT NULL,
    sealed BYTEA NOT NULL
);
