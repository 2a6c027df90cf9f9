//! Schema migrations: two embedded trees with the same names, applied when a database is opened.
//!
//! All pending migrations run in one transaction under a lock, so that several nodes may start at once.
//!
//! Until version 0.1.0, a change of the schema goes into the initial migrations. From then on each change is a new
//! migration in both trees, and a released migration never changes.

use std::collections::BTreeMap;

use diesel::backend::Backend;
use diesel::connection::SimpleConnection;
use diesel::migration::{MigrationSource, MigrationVersion};
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use diesel::{Connection as _, SqliteConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use super::connection::{Connection, POSTGRES_CLOCK, Purpose, SQLITE_CLOCK};
use super::error::StoreError;
use super::schema::{known_migrations, nodes};
use super::url::DatabaseUrl;
use estimation_postgres::PgConnection;

const SQLITE: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");
const POSTGRES: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

/// The number of PostgreSQL's advisory lock for migrating; arbitrary.
const LOCK: i64 = 0x0045_5354_494d_4154;

/// The suffix of migrations that older versions of the program do not support.
const BREAKING: &str = "_breaking";

/// Applies all pending migrations and returns their versions, oldest first.
///
/// # Errors
/// [`StoreError::Migration`] when a step fails (then none of this run is applied),
/// [`StoreError::NewerSchema`] when a newer version has applied a breaking migration.
pub fn apply(url: &DatabaseUrl) -> Result<Vec<String>, StoreError> {
    let mut conn = Connection::open(url, Purpose::Maintain)?;
    let applied = applied(&mut conn);
    let checked = match &mut conn {
        Connection::Sqlite(conn) => is_up(conn, SQLITE, &applied),
        Connection::Postgres(conn) => is_up(conn, POSTGRES, &applied),
    };
    if checked.map_err(|MigrationFailure(error)| error)? {
        return Ok(Vec::new());
    }
    let outcome = match conn {
        Connection::Sqlite(mut conn) => apply_sqlite(&mut conn),
        Connection::Postgres(mut conn) => apply_postgres(&mut conn),
    };
    outcome.map_err(|MigrationFailure(error)| error)
}

/// Fails while nodes run that do not know a breaking migration.
///
/// # Errors
/// [`StoreError::NodesRunning`].
pub fn refuse_running_nodes(conn: &mut Connection, migration: &str) -> Result<(), StoreError> {
    let refused = match conn {
        Connection::Sqlite(conn) => conn.refuse_running_nodes(migration),
        Connection::Postgres(conn) => conn.refuse_running_nodes(migration),
    };
    refused.map_err(|MigrationFailure(error)| error)
}

/// The reason a run failed.
struct MigrationFailure(StoreError);

impl MigrationFailure {
    /// diesel's errors here are boxed and hold only a text.
    fn because(error: &impl ToString) -> Self {
        Self(StoreError::Migration { detail: error.to_string() })
    }
}

impl From<diesel::result::Error> for MigrationFailure {
    fn from(error: diesel::result::Error) -> Self {
        Self::because(&error)
    }
}

impl From<Box<dyn std::error::Error + Send + Sync>> for MigrationFailure {
    fn from(error: Box<dyn std::error::Error + Send + Sync>) -> Self {
        Self::because(&error)
    }
}

#[derive(QueryableByName)]
struct MigrationRow {
    #[diesel(sql_type = diesel::sql_types::Text)]
    version: String,
}

/// The applied migrations, read without a write; none in a new database.
fn applied(conn: &mut Connection) -> Vec<String> {
    let rows = diesel::sql_query("SELECT version FROM __diesel_schema_migrations").load(conn);
    rows.unwrap_or_default().into_iter().map(|MigrationRow { version }| version).collect()
}

/// The migrations of this version that the database has not; all of them in a new one. Writes nothing.
///
/// # Errors
/// [`StoreError::NewerSchema`] when a newer version has applied a breaking migration.
pub fn pending(conn: &mut Connection) -> Result<Vec<String>, StoreError> {
    let (applied, names) =
        (applied(conn), names::<Sqlite>(&SQLITE).map_err(|MigrationFailure(error)| error)?);
    if !applied.is_empty() {
        let checked = match conn {
            Connection::Sqlite(conn) => check_unknown(conn, &names, &applied),
            Connection::Postgres(conn) => check_unknown(conn, &names, &applied),
        };
        checked.map_err(|MigrationFailure(error)| error)?;
    }
    Ok(names.into_iter().filter(|(version, _)| !applied.contains(version)).map(|(_, name)| name).collect())
}

/// What is wrong with the records of this version's migrations. For audits.
pub fn record_faults(conn: &mut Connection) -> Result<Vec<String>, StoreError> {
    let applied = applied(conn);
    let mut faults = Vec::new();
    for (version, name) in names::<Sqlite>(&SQLITE).map_err(|MigrationFailure(error)| error)? {
        if !applied.contains(&version) {
            faults.push(format!("the migration {name} is not recorded as applied"));
        }
        let row = known_migrations::table.find(&version);
        let row = row.select((known_migrations::name, known_migrations::breaking));
        let known: Option<KnownMigration> = row.first(conn).optional()?;
        let is_known =
            |known: KnownMigration| known.name == name && known.breaking == name.ends_with(BREAKING);
        if !known.is_some_and(is_known) {
            faults.push(format!("the migration {name} is recorded under another name"));
        }
    }
    Ok(faults)
}

/// Whether there is nothing to migrate. Writes nothing, so that a node can start on a read-only database.
fn is_up<DB, C>(conn: &mut C, known: EmbeddedMigrations, applied: &[String]) -> Result<bool, MigrationFailure>
where
    DB: Backend,
    C: MigrationHarness<DB> + KnownMigrations,
{
    let names = names::<DB>(&known)?;
    if names.keys().any(|version| !applied.contains(version)) {
        return Ok(false);
    }
    check_unknown(conn, &names, applied)?;
    Ok(true)
}

/// The names of the migrations by version.
fn names<DB: Backend>(known: &EmbeddedMigrations) -> Result<BTreeMap<String, String>, MigrationFailure> {
    let migrations = MigrationSource::<DB>::migrations(known)?;
    let named = migrations.iter().map(|migration| migration.name());
    Ok(named.map(|name| (name.version().to_string(), name.to_string())).collect())
}

/// Fails for a breaking migration of a newer version of the program, and warns of others.
fn check_unknown<C: KnownMigrations>(
    conn: &mut C,
    names: &BTreeMap<String, String>,
    applied: &[String],
) -> Result<(), MigrationFailure> {
    for version in applied.iter().filter(|version| !names.contains_key(*version)) {
        let known = conn.find(version)?;
        let breaking = known.as_ref().is_some_and(|known| known.breaking);
        let migration = known.map_or_else(|| version.clone(), |known| known.name);
        if breaking {
            return Err(MigrationFailure(StoreError::NewerSchema { migration }));
        }
        tracing::warn!(migration, "the database has a migration of a newer version of the program");
    }
    Ok(())
}

/// Applies pending migrations, records the names of all that this version knows, and checks for unknown ones.
fn up<DB, C>(
    conn: &mut C,
    known: EmbeddedMigrations,
) -> Result<Vec<MigrationVersion<'static>>, MigrationFailure>
where
    DB: Backend,
    C: MigrationHarness<DB> + KnownMigrations,
{
    let names = names::<DB>(&known)?;
    let applied: Vec<String> = conn.applied_migrations()?.iter().map(ToString::to_string).collect();
    let breaking =
        names.iter().find(|(version, name)| name.ends_with(BREAKING) && !applied.contains(version));
    if let Some((_, name)) = breaking.filter(|_| !applied.is_empty()) {
        conn.refuse_running_nodes(name)?;
    }
    let done: Vec<_> = conn.run_pending_migrations(known)?.iter().map(MigrationVersion::as_owned).collect();
    if !done.is_empty() {
        conn.record(&names)?;
    }
    let applied: Vec<String> = conn.applied_migrations()?.iter().map(ToString::to_string).collect();
    check_unknown(conn, &names, &applied)?;
    Ok(done)
}

#[derive(Queryable)]
struct KnownMigration {
    name: String,
    breaking: bool,
}

/// The table of known migrations.
trait KnownMigrations {
    /// Records the names of migrations, by version.
    fn record(&mut self, names: &BTreeMap<String, String>) -> QueryResult<()>;
    /// Fails while nodes run that do not know a breaking migration.
    fn refuse_running_nodes(&mut self, migration: &str) -> Result<(), MigrationFailure>;
    /// The record of a migration.
    fn find(&mut self, version: &str) -> QueryResult<Option<KnownMigration>>;
}

/// A node that has been silent for so many milliseconds has stopped.
const STOPPED_AFTER: i64 = 10_000;

macro_rules! names {
    ($($connection:ty: $clock:expr),+) => {$(
        impl KnownMigrations for $connection {
            fn refuse_running_nodes(&mut self, migration: &str) -> Result<(), MigrationFailure> {
                let now: i64 = diesel::select(diesel::dsl::sql::<diesel::sql_types::BigInt>($clock)).get_result(self)?;
                let running = nodes::table.filter(nodes::seen_at.gt(now - STOPPED_AFTER)).count();
                let nodes: i64 = running.get_result(self)?;
                if nodes > 0 {
                    return Err(MigrationFailure(StoreError::NodesRunning { nodes, migration: migration.to_owned() }));
                }
                Ok(())
            }

            fn record(&mut self, names: &BTreeMap<String, String>) -> QueryResult<()> {
                for (version, name) in names {
                    let row = (
                        known_migrations::version.eq(version),
                        known_migrations::name.eq(name),
                        known_migrations::breaking.eq(name.ends_with(BREAKING)),
                    );
                    let insert = diesel::insert_into(known_migrations::table).values(row);
                    insert.on_conflict_do_nothing().execute(self)?;
                }
                Ok(())
            }

            fn find(&mut self, version: &str) -> QueryResult<Option<KnownMigration>> {
                let row = known_migrations::table.find(version);
                row.select((known_migrations::name, known_migrations::breaking)).first(self).optional()
            }
        }
    )+};
}

names!(SqliteConnection: SQLITE_CLOCK, PgConnection: POSTGRES_CLOCK);

/// A new SQLite database in memory with the present schema.
pub(super) fn in_memory() -> Result<SqliteConnection, StoreError> {
    let mut conn = SqliteConnection::establish(":memory:").map_err(StoreError::unavailable)?;
    apply_sqlite(&mut conn).map_err(|MigrationFailure(error)| error)?;
    Ok(conn)
}

fn apply_sqlite(conn: &mut SqliteConnection) -> Result<Vec<String>, MigrationFailure> {
    let done = conn.exclusive_transaction(|conn| up(conn, SQLITE))?;
    Ok(done.iter().map(ToString::to_string).collect())
}

fn apply_postgres(conn: &mut PgConnection) -> Result<Vec<String>, MigrationFailure> {
    let done = conn.transaction(|conn| {
        conn.batch_execute(&format!("SELECT pg_advisory_xact_lock({LOCK})"))?;
        up(conn, POSTGRES)
    })?;
    Ok(done.iter().map(ToString::to_string).collect())
}
