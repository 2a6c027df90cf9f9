//! One type for connections to both databases.

#![allow(missing_docs, reason = "diesel generates the backend's types")]

use diesel::SqliteConnection;
use estimation_postgres::PgConnection;

/// A connection to SQLite or PostgreSQL. Only `store` creates it.
#[derive(diesel::MultiConnection)]
pub enum AnyConnection {
    /// The embedded default.
    Sqlite(SqliteConnection),
    /// For several nodes.
    Postgres(PgConnection),
}

/// The backend of both, for which columns are written.
pub(super) type AnyBackend = <AnyConnection as diesel::Connection>::Backend;
