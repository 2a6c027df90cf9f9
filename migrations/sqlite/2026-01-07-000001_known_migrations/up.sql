-- The names of the migrations that were applied, so that an earlier version can say which of them it does not know. The
-- program fills it whenever it migrates. `breaking` is 1 where versions that do not know the migration must not run.
CREATE TABLE known_migrations (
    version TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    breaking INT NOT NULL CHECK (breaking IN (0, 1))
) STRICT, WITHOUT ROWID;
