-- Running nodes, and the accounts connected to them. A node without a heartbeat for some seconds counts as
-- dead, and its connections as closed.

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
