//! The schema's history: two trees with the same names, embedded, applied when a database is opened.
//!
//! All pending migrations of a run are one transaction, under a lock, so that several nodes may start at
//! once. Applied ones never change; a change is a new migration in both trees.

use std::collections::BTreeMap;

use diesel::backend::Backend;
use diesel::connection::SimpleConnection;
use diesel::migration::{MigrationSource, MigrationVersion};
use diesel::prelude::*;
use diesel::{Connection as _, SqliteConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use super::connection::{Connection, Purpose};
use super::error::StoreError;
use super::postgres::PgConnection;
use super::schema::known_migrations;
use super::url::DatabaseUrl;

const SQLITE: EmbeddedMigrations = embed_migrations!("migrations/sqlite");
const POSTGRES: EmbeddedMigrations = embed_migrations!("migrations/postgres");

/// An arbitrary number; whoever holds this advisory lock migrates.
const LOCK: i64 = 0x0045_5354_494d_4154;

/// How the name of a migration ends with which versions that do not know it must not run.
const BREAKING: &str = "_breaking";

/// Brings the schema up to date and returns the versions that were applied, oldest first.
///
/// # Errors
/// [`StoreError::Migration`] when a step fails (then none of this run is applied), [`StoreError::NewerSchema`] when a
/// newer version has applied a breaking migration, otherwise what opening the database met.
pub fn apply(url: &DatabaseUrl) -> Result<Vec<String>, StoreError> {
    run(url, Direction::Up)
}

/// Takes every migration back, newest first, and with them all data. For tests and for tearing down.
///
/// # Errors
/// As [`apply`].
pub fn revert(url: &DatabaseUrl) -> Result<Vec<String>, StoreError> {
    run(url, Direction::Down)
}

/// Takes the newest migration back, and returns its version.
///
/// # Errors
/// As [`apply`]; also when there is none to take back.
pub fn revert_last(url: &DatabaseUrl) -> Result<Vec<String>, StoreError> {
    run(url, Direction::Back)
}

#[derive(Clone, Copy)]
enum Direction {
    Up,
    Back,
    Down,
}

/// Why a run failed.
struct Failed(StoreError);

impl Failed {
    /// diesel's own errors here are boxed and say no more than their text.
    fn because(error: &impl ToString) -> Self {
        Self(StoreError::Migration { detail: error.to_string() })
    }
}

impl From<diesel::result::Error> for Failed {
    fn from(error: diesel::result::Error) -> Self {
        Self::because(&error)
    }
}

impl From<Box<dyn std::error::Error + Send + Sync>> for Failed {
    fn from(error: Box<dyn std::error::Error + Send + Sync>) -> Self {
        Self::because(&error)
    }
}

fn run(url: &DatabaseUrl, direction: Direction) -> Result<Vec<String>, StoreError> {
    let outcome = match Connection::open(url, Purpose::Maintain)? {
        Connection::Sqlite(mut conn) => run_sqlite(&mut conn, direction),
        Connection::Postgres(mut conn) => run_postgres(&mut conn, direction),
    };
    outcome.map_err(|Failed(error)| error)
}

/// Applies what is pending, notes the names of all that this version knows, and looks for what it does not know.
fn up<DB, C>(conn: &mut C, known: EmbeddedMigrations) -> Result<Vec<MigrationVersion<'static>>, Failed>
where
    DB: Backend,
    C: MigrationHarness<DB> + Names,
{
    let migrations = MigrationSource::<DB>::migrations(&known)?;
    let mut names = BTreeMap::new();
    for migration in &migrations {
        names.insert(migration.name().version().to_string(), migration.name().to_string());
    }
    let done: Vec<_> = conn.run_pending_migrations(known)?.iter().map(MigrationVersion::as_owned).collect();
    if !done.is_empty() {
        conn.note(&names)?;
    }
    for version in conn.applied_migrations()? {
        let version = version.to_string();
        if names.contains_key(&version) {
            continue;
        }
        let noted = conn.noted(&version)?;
        let breaking = noted.as_ref().is_some_and(|noted| noted.breaking != 0);
        let migration = noted.map_or(version, |noted| noted.name);
        if breaking {
            return Err(Failed(StoreError::NewerSchema { migration }));
        }
        tracing::warn!(migration, "the database has a migration of a newer version of the program");
    }
    Ok(done)
}

#[derive(Queryable)]
struct Noted {
    name: String,
    breaking: i32,
}

/// The names of migrations in the database.
trait Names {
    /// Notes the names of migrations, by version.
    fn note(&mut self, names: &BTreeMap<String, String>) -> QueryResult<()>;
    /// What is noted of a migration.
    fn noted(&mut self, version: &str) -> QueryResult<Option<Noted>>;
}

macro_rules! names {
    ($($connection:ty),+) => {$(
        impl Names for $connection {
            fn note(&mut self, names: &BTreeMap<String, String>) -> QueryResult<()> {
                for (version, name) in names {
                    let row = (
                        known_migrations::version.eq(version),
                        known_migrations::name.eq(name),
                        known_migrations::breaking.eq(i32::from(name.ends_with(BREAKING))),
                    );
                    let insert = diesel::insert_into(known_migrations::table).values(row);
                    insert.on_conflict_do_nothing().execute(self)?;
                }
                Ok(())
            }

            fn noted(&mut self, version: &str) -> QueryResult<Option<Noted>> {
                let row = known_migrations::table.find(version);
                row.select((known_migrations::name, known_migrations::breaking)).first(self).optional()
            }
        }
    )+};
}

names!(SqliteConnection, PgConnection);

fn run_sqlite(conn: &mut SqliteConnection, direction: Direction) -> Result<Vec<String>, Failed> {
    conn.exclusive_transaction(|conn| {
        let done = match direction {
            Direction::Up => up(conn, SQLITE)?,
            Direction::Back => vec![conn.revert_last_migration(SQLITE)?],
            Direction::Down => conn.revert_all_migrations(SQLITE)?,
        };
        Ok(done.iter().map(ToString::to_string).collect())
    })
}

fn run_postgres(conn: &mut PgConnection, direction: Direction) -> Result<Vec<String>, Failed> {
    conn.transaction(|conn| {
        conn.batch_execute(&format!("SELECT pg_advisory_xact_lock({LOCK})"))?;
        let done = match direction {
            Direction::Up => up(conn, POSTGRES)?,
            Direction::Back => vec![conn.revert_last_migration(POSTGRES)?],
            Direction::Down => conn.revert_all_migrations(POSTGRES)?,
        };
        Ok(done.iter().map(ToString::to_string).collect())
    })
}
