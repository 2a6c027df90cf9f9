//! Finds out whether a COMMIT took place whose answer was lost.
//!
//! First the old transaction must have ended: a server may still work on it after its client is gone.
//! PostgreSQL is asked by transaction id. Then the log decides, by game, sequence number and hash; the
//! transaction id decides only for batches without appends. "Committed" counts only after a later commit on
//! the same server was acknowledged, because a row can be visible that no standby has.

use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

use diesel::prelude::*;
use diesel::r2d2::R2D2Connection;
use diesel::sql_types::{Nullable, Text};

use super::batch::Batch;
use super::thread::Connector;
use super::transaction::{self, TransactionId};
use crate::columns;
use crate::connection::Connection;
use crate::error::StoreError;
use crate::event_reads;
use estimation_postgres::PgConnection;

/// How long to keep asking while other units wait. Their callers time out earlier.
const LOOKUP_LIMIT: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(100);

/// The outcome of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Committed,
    RolledBack,
    Unknown,
}

/// The outcome, and the connection that was used to find it.
pub(super) struct FoundOutcome {
    pub outcome: Outcome,
    pub connection: Option<Connection>,
}

/// Looks the batch up on a new connection.
pub(super) fn of(
    connector: &Connector,
    batch: &Batch,
    transaction: Option<&TransactionId>,
    error: &StoreError,
) -> FoundOutcome {
    let start = Instant::now();
    loop {
        let asked = connector.open().and_then(|mut conn| {
            let outcome = ask(&mut conn, batch, transaction, error)?;
            Ok((outcome, conn))
        });
        match asked {
            Ok((Some(outcome), conn)) => return FoundOutcome { outcome, connection: Some(conn) },
            _ if start.elapsed() > LOOKUP_LIMIT || connector.closing.load(Ordering::Relaxed) => {
                return FoundOutcome { outcome: Outcome::Unknown, connection: None };
            }
            Ok((None, _)) => {}
            Err(trouble) => tracing::debug!(%trouble, "cannot look up the outcome of a COMMIT yet"),
        }
        sleep(PAUSE);
    }
}

/// Returns `None` while the old transaction is still running.
fn ask(
    conn: &mut Connection,
    batch: &Batch,
    transaction: Option<&TransactionId>,
    error: &StoreError,
) -> Result<Option<Outcome>, StoreError> {
    let server = conn.server().cloned();
    let by_id = match (&mut *conn, transaction) {
        (Connection::Postgres(conn), Some(id)) if server.as_ref() == Some(&id.server) => {
            status(conn, &id.number)?
        }
        (Connection::Postgres(_), _) => Status::Forgotten,
        // The transaction ended with its connection. After these two errors nothing reached the log.
        (Connection::Sqlite(_), _) => match error {
            StoreError::DiskFull { .. } | StoreError::ReadOnly { .. } => Status::Aborted,
            _ => Status::Over,
        },
    };
    if by_id == Status::InProgress {
        return Ok(None);
    }
    let found = match batch.appends.first() {
        None => match by_id {
            Status::Committed => Outcome::Committed,
            Status::Aborted => Outcome::RolledBack,
            _ => Outcome::Unknown,
        },
        Some((append, reply)) => {
            let seq = columns::to_stored(reply.outcome.last_seq)?;
            let written = event_reads::contains(conn, append.game, seq, &reply.outcome.hash)?;
            match (written, by_id) {
                (true, _) => Outcome::Committed,
                (false, Status::Forgotten) => Outcome::Unknown,
                (false, _) => Outcome::RolledBack,
            }
        }
    };
    if found == Outcome::Committed {
        transaction::confirm(conn)?;
    }
    Ok(Some(found))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    InProgress,
    Committed,
    Aborted,
    /// Ended; committed or aborted.
    Over,
    /// The server does not know the transaction: it is another server, or it was restarted.
    Forgotten,
}

#[derive(QueryableByName)]
struct TransactionStatus {
    #[diesel(sql_type = Nullable<Text>)]
    status: Option<String>,
}

fn status(conn: &mut PgConnection, number: &str) -> Result<Status, StoreError> {
    let asked = diesel::sql_query("SELECT pg_xact_status($1::text::xid8) AS status")
        .bind::<Text, _>(number)
        .get_result::<TransactionStatus>(conn);
    match asked.map(|row| row.status) {
        Ok(Some(status)) => Ok(match status.as_str() {
            "committed" => Status::Committed,
            "aborted" => Status::Aborted,
            _ => Status::InProgress,
        }),
        Ok(None) => Ok(Status::Forgotten),
        Err(trouble) if conn.is_broken() => Err(trouble.into()),
        Err(trouble) => {
            tracing::warn!(%trouble, "the server does not know the transaction");
            Ok(Status::Forgotten)
        }
    }
}
