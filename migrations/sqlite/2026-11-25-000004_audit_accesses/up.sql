-- The auditor access log, and its signed end.

-- Which auditor read which game, up to which event: append-only.
CREATE TABLE looks (
    position INTEGER NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL,
    game_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    looked_at INTEGER NOT NULL
) STRICT;

CREATE INDEX looks_by_game ON looks (game_id, account_id);

CREATE TRIGGER looks_refuse_update BEFORE UPDATE ON looks
BEGIN
    SELECT RAISE(ABORT, 'looks is append-only');
END;

CREATE TRIGGER looks_refuse_delete BEFORE DELETE ON looks
BEGIN
    SELECT RAISE(ABORT, 'looks is append-only');
END;

-- INSERT OR REPLACE deletes first, and not every outsider's connection fires triggers for that.
CREATE TRIGGER looks_refuse_replace BEFORE INSERT ON looks
WHEN EXISTS (SELECT 1 FROM looks WHERE position = NEW.position)
BEGIN
    SELECT RAISE(ABORT, 'looks is append-only');
END;

-- The signed end of the log: a deleted access shows. Replaced with every access.
CREATE TABLE access_log_head (
    id INT NOT NULL PRIMARY KEY CHECK (id = 1),
    position INTEGER NOT NULL,
    accesses INTEGER NOT NULL CHECK (accesses >= 0),
    chain BLOB NOT NULL CHECK (length(chain) = 32),
    began_at INTEGER NOT NULL,
    kid TEXT NOT NULL,
    signature BLOB NOT NULL CHECK (length(signature) = 64)
) STRICT;
