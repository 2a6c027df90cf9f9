//! Finding out whether a COMMIT took place whose answer was lost.
//!
//! First the old transaction must be over: a server may still be working on it after its client is gone.
//! PostgreSQL is asked by transaction id. Then the log is the witness, by game, sequence number and hash;
//! the transaction's id speaks only for batches that appended nothing.

use std::thread::sleep;
use std::time::{Duration, Instant};

use diesel::prelude::*;
use diesel::r2d2::R2D2Connection;
use diesel::sql_types::{Nullable, Text};

use super::batch::Batch;
use crate::store::connection::{Connection, Purpose};
use crate::store::error::StoreError;
use crate::store::events;
use crate::store::hash;
use crate::store::postgres::PgConnection;
use crate::store::url::DatabaseUrl;

/// How long to go on asking, while others wait to write.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(100);

/// What became of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Committed,
    RolledBack,
    Unknown,
}

/// Looks the batch up on a fresh connection.
pub(super) fn of(url: &DatabaseUrl, batch: &Batch, transaction: Option<&str>, error: &StoreError) -> Outcome {
    let start = Instant::now();
    loop {
        match ask(url, batch, transaction, error) {
            Ok(Some(outcome)) => return outcome,
            _ if start.elapsed() > PATIENCE => return Outcome::Unknown,
            Ok(None) => {}
            Err(trouble) => tracing::debug!(%trouble, "cannot look up the outcome of a commit yet"),
        }
        sleep(PAUSE);
    }
}

/// `None` while the old transaction is still running.
fn ask(
    url: &DatabaseUrl,
    batch: &Batch,
    transaction: Option<&str>,
    error: &StoreError,
) -> Result<Option<Outcome>, StoreError> {
    let mut conn = Connection::open(url, Purpose::Read)?;
    let by_id = match (&mut conn, transaction) {
        (Connection::Postgres(conn), Some(id)) => status(conn, id)?,
        (Connection::Postgres(_), None) => Status::Forgotten,
        // The transaction ended with its connection, and these two never reach the log.
        (Connection::Sqlite(_), _) => match error {
            StoreError::DiskFull { .. } | StoreError::ReadOnly { .. } => Status::Aborted,
            _ => Status::Over,
        },
    };
    if by_id == Status::InProgress {
        return Ok(None);
    }
    let Some(witness) = batch.appends.first() else {
        return Ok(Some(match by_id {
            Status::Committed => Outcome::Committed,
            Status::Aborted => Outcome::RolledBack,
            _ => Outcome::Unknown,
        }));
    };
    let seq = hash::to_stored(witness.outcome.last_seq)?;
    let written = events::contains(&mut conn, &witness.append.game, seq, &witness.outcome.hash)?;
    Ok(Some(match (written, by_id) {
        (true, _) => Outcome::Committed,
        (false, Status::Forgotten) => Outcome::Unknown,
        (false, _) => Outcome::RolledBack,
    }))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    InProgress,
    Committed,
    Aborted,
    /// Over, one way or the other.
    Over,
    /// The server knows nothing of it: another server, perhaps, after a failover.
    Forgotten,
}

#[derive(QueryableByName)]
struct TransactionStatus {
    #[diesel(sql_type = Nullable<Text>)]
    status: Option<String>,
}

fn status(conn: &mut PgConnection, id: &str) -> Result<Status, StoreError> {
    let asked = diesel::sql_query("SELECT pg_xact_status($1::text::xid8) AS status")
        .bind::<Text, _>(id)
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
