-- Which nodes run, and who is connected to them. A node that has not been seen for some seconds is taken
-- for dead, and who was connected to it alone for gone.

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
