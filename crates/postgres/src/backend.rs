//! Identifies the server of a connection and its process there, and writes a commit that confirms all commits
//! before it.
//!
//! With synchronous replication a row can be visible although no standby has it: PostgreSQL stops waiting for
//! the standby when the session's process is terminated or cancelled, and does not resume after a restart.

use std::sync::Arc;

use tokio_postgres::{Client, Error, SimpleQueryMessage};

use crate::error::CallError;
use crate::session::Session;

/// A message in the write-ahead log that nothing reads. A transaction that writes it has a commit record, so
/// its COMMIT waits for the standbys; a transaction id alone would not suffice.
pub(crate) const WRITE_SOMETHING: &str = "SELECT pg_logical_emit_message(true, 'estimation', '')";

/// A server from one start to the next. After a restart it counts as another server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerId(Arc<str>);

/// The server process that serves one connection.
pub(crate) struct Backend {
    pub server: ServerId,
    pub process: String,
    /// Whether commits waited for a standby when the connection was opened.
    pub synchronous: bool,
    /// Whether the server refuses writes, as a standby does.
    pub is_read_only: bool,
}

impl Backend {
    /// Reads the identity of the server and its process.
    pub(crate) fn of(session: &mut Session) -> Result<Self, CallError> {
        const QUERY: &str = "SELECT pg_postmaster_start_time(), current_setting('port'), pg_backend_pid(), \
                             current_setting('synchronous_standby_names') <> '', \
                             current_setting('transaction_read_only')";
        let row = session.call(async |client| first_row(client, QUERY).await)?;
        let [started, port, process, synchronous, read_only] = row;
        let server = ServerId(format!("{started} {port}").into());
        Ok(Self { server, process, synchronous: synchronous == "t", is_read_only: read_only == "on" })
    }

    /// Whether the process works on a statement, asked on another connection to the same server.
    pub(crate) fn is_working(&self, session: &mut Session) -> Result<bool, CallError> {
        let query = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE pid = {} AND state = 'active'",
            self.process
        );
        let [count] = session.call(async |client| first_row(client, &query).await)?;
        Ok(count == "1")
    }
}

/// The first row of a result as texts; NULL becomes the empty text.
async fn first_row<const N: usize>(client: &Client, query: &str) -> Result<[String; N], Error> {
    let messages = client.simple_query(query).await?;
    let row = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    Ok(std::array::from_fn(|column| row.and_then(|row| row.get(column)).unwrap_or_default().to_owned()))
}
