-- The names of the migrations that were applied, so that an earlier version can say which of them it does not know. The
-- program fills it whenever it migrates. `breaking` is 1 where versions that do not know the migration must not run.
CREATE TABLE known_migrations (
    version TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    breaking INTEGER NOT NULL CHECK (breaking IN (0, 1))
);
