-- The key ring of all nodes, encrypted under a secret that the database never sees. One row.

CREATE TABLE sealed_keys (
    id INT NOT NULL PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL,
    sealed BLOB NOT NULL
) STRICT, WITHOUT ROWID;
