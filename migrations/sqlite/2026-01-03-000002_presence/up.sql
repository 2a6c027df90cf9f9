-- Which nodes run, and who is connected to them. A node that has not been seen for some seconds is taken
-- for dead, and who was connected to it alone for gone.

CREATE TABLE nodes (
    id TEXT NOT NULL PRIMARY KEY,
    seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE presence (
    account_id TEXT NOT NULL,
    node_id TEXT NOT NULL,
    PRIMARY KEY (account_id, node_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX presence_by_node ON presence (node_id);
