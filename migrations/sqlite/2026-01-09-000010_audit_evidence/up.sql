-- Which seats belonged to accounts that no longer existed when the game was counted, as bits: they were rated as new
-- players. Null for games that earlier versions counted.
ALTER TABLE counted_games ADD COLUMN absent INT;

-- The signed end of the auditor access log: a deleted access shows. Replaced with every access.
CREATE TABLE access_log_head (
    id INT NOT NULL PRIMARY KEY CHECK (id = 1),
    position INTEGER NOT NULL,
    accesses INTEGER NOT NULL CHECK (accesses >= 0),
    chain BLOB NOT NULL CHECK (length(chain) = 32),
    began_at INTEGER NOT NULL,
    kid TEXT NOT NULL,
    signature BLOB NOT NULL CHECK (length(signature) = 64)
) STRICT;
