-- Role changes. Ids of deleted accounts stay; they identify nobody.

CREATE TABLE role_grants (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account_id TEXT COLLATE "C" NOT NULL,
    role TEXT NOT NULL,
    former_role TEXT NOT NULL,
    granted_by TEXT COLLATE "C",
    created_at BIGINT NOT NULL
);

CREATE INDEX role_grants_by_account ON role_grants (account_id, id);
