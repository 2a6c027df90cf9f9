-- Running nodes, and the accounts connected to them. A node without a heartbeat for some seconds counts as
-- dead, and its connections as closed.

CREATE TABLE nodes (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    seen_at BIGINT NOT NULL
);

CREATE TABLE presence (
    account_id TEXT COLLATE "C" NOT NULL,
    node_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (account_id, node_id)
);

CREATE INDEX presence_by_node ON presence (node_id);
