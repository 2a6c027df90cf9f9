//! The schema's history: two trees with the same names, embedded, applied when a database is opened.
//!
//! All pending migrations of a run are one transaction, under a lock, so that several nodes may start at
//! once. Applied ones never change; a change is a new migration in both trees.

use diesel::connection::SimpleConnection;
use diesel::{Connection as _, SqliteConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use super::connection::{Connection, Purpose};
use super::error::StoreError;
use super::postgres::PgConnection;
use super::url::DatabaseUrl;

const SQLITE: EmbeddedMigrations = embed_migrations!("migrations/sqlite");
const POSTGRES: EmbeddedMigrations = embed_migrations!("migrations/postgres");

/// An arbitrary number; whoever holds this advisory lock migrates.
const LOCK: i64 = 0x0045_5354_494d_4154;

/// Brings the schema up to date and returns the versions that were applied, oldest first.
///
/// # Errors
/// [`StoreError::Migration`] when a step fails (then none of this run is applied), otherwise what opening
/// the database met.
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

/// diesel's own errors here are boxed and say no more than their text.
struct Failed(String);

impl From<diesel::result::Error> for Failed {
    fn from(error: diesel::result::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<Box<dyn std::error::Error + Send + Sync>> for Failed {
    fn from(error: Box<dyn std::error::Error + Send + Sync>) -> Self {
        Self(error.to_string())
    }
}

fn run(url: &DatabaseUrl, direction: Direction) -> Result<Vec<String>, StoreError> {
    let outcome = match Connection::open(url, Purpose::Maintain)? {
        Connection::Sqlite(mut conn) => run_sqlite(&mut conn, direction),
        Connection::Postgres(mut conn) => run_postgres(&mut conn, direction),
    };
    outcome.map_err(|Failed(detail)| StoreError::Migration { detail })
}

fn run_sqlite(conn: &mut SqliteConnection, direction: Direction) -> Result<Vec<String>, Failed> {
    conn.exclusive_transaction(|conn| {
        let done = match direction {
            Direction::Up => conn.run_pending_migrations(SQLITE)?,
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
            Direction::Up => conn.run_pending_migrations(POSTGRES)?,
            Direction::Back => vec![conn.revert_last_migration(POSTGRES)?],
            Direction::Down => conn.revert_all_migrations(POSTGRES)?,
        };
        Ok(done.iter().map(ToString::to_string).collect())
    })
}
