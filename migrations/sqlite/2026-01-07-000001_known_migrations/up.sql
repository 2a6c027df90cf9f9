-- The names of the applied migrations, so that an earlier version can name those it does not know. The program
-- fills it when it migrates. `breaking` is 1 when versions that do not know the migration must not run.
CREATE TABLE known_migrations (
    version TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    breaking INT NOT NULL CHECK (breaking IN (0, 1))
) STRICT, WITHOUT ROWID;
