-- Role changes. Ids of deleted accounts stay; they identify nobody.

CREATE TABLE role_grants (
    id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL,
    role TEXT NOT NULL,
    former_role TEXT NOT NULL,
    granted_by TEXT,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX role_grants_by_account ON role_grants (account_id, id);
