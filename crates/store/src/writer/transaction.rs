//! The transaction steps that diesel does not provide.

use diesel::connection::{AnsiTransactionManager, TransactionManager, TransactionManagerStatus};
use diesel::prelude::*;
use diesel::sql_types::Text;

use super::unit::UnitError;
use crate::connection::Connection;
use crate::error::StoreError;
use estimation_postgres::ServerId;

/// On SQLite, takes the write lock at once: a transaction that reads first cannot wait for the lock later.
pub(super) fn begin(conn: &mut Connection) -> Result<(), StoreError> {
    let begun = match conn {
        Connection::Sqlite(conn) => AnsiTransactionManager::begin_transaction_sql(conn, "BEGIN IMMEDIATE"),
        Connection::Postgres(conn) => AnsiTransactionManager::begin_transaction_sql(conn, "BEGIN"),
    };
    Ok(begun?)
}

pub(super) fn commit(conn: &mut Connection) -> Result<(), StoreError> {
    Ok(<Connection as TransactionManager<Connection>>::commit_transaction(conn)?)
}

/// Rolls back. If even this fails, the connection is spent and the transaction ends with it.
pub(super) fn roll_back(conn: &mut Connection) {
    let _ = <Connection as TransactionManager<Connection>>::rollback_transaction(conn);
}

/// Runs a part of the transaction inside a savepoint. The outer error means that the whole transaction is
/// lost.
pub(super) fn in_savepoint<E: UnitError + From<diesel::result::Error>>(
    conn: &mut Connection,
    part: impl FnOnce(&mut Connection) -> Result<(), E>,
) -> Result<Result<(), E>, StoreError> {
    let done = diesel::Connection::transaction(conn, part);
    let intact = match <Connection as TransactionManager<Connection>>::transaction_manager_status_mut(conn) {
        TransactionManagerStatus::Valid(status) => status.transaction_depth().map(u32::from) == Some(1),
        TransactionManagerStatus::InError => false,
    };
    let ended = || StoreError::Defect { detail: "a unit of work ended the transaction it ran in".to_owned() };
    match done.as_ref().err().and_then(UnitError::store_error) {
        Some(error) if !intact || !error.leaves_connection_sound() => Err(error.clone()),
        None if !intact => Err(ended()),
        _ => Ok(done),
    }
}

/// A transaction id of PostgreSQL. After a restart or on another server, the number may denote another
/// transaction.
pub(super) struct TransactionId {
    pub server: ServerId,
    pub number: String,
}

impl TransactionId {
    /// The transaction with this number on the connection's server; none on SQLite.
    pub fn new(conn: &Connection, number: String) -> Option<Self> {
        Some(Self { server: conn.server()?.clone(), number })
    }
}

/// Reads PostgreSQL's id of the transaction, which identifies it when the outcome is looked up later.
pub(super) fn id(conn: &mut Connection) -> Result<Option<TransactionId>, StoreError> {
    let Connection::Postgres(postgres) = conn else { return Ok(None) };
    let number = diesel::dsl::sql::<Text>("SELECT pg_current_xact_id()::text").get_result(postgres)?;
    Ok(TransactionId::new(conn, number))
}

/// Commits a transaction that changes nothing. With synchronous replication, its acknowledgement means that
/// standbys have everything committed on the server before.
pub(super) fn confirm(conn: &mut Connection) -> Result<(), StoreError> {
    if let Connection::Postgres(_) = conn {
        begin(conn)?;
        write_something(conn)?;
        commit(conn)?;
    }
    Ok(())
}

/// Makes sure that the transaction has a commit record. Does nothing on SQLite.
pub(super) fn write_something(conn: &mut Connection) -> Result<(), StoreError> {
    match conn {
        Connection::Sqlite(_) => Ok(()),
        Connection::Postgres(conn) => Ok(conn.write_something()?),
    }
}
