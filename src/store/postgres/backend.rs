//! Identifies the server of a connection, asks whether a COMMIT still runs there, and writes a commit that
//! confirms all commits before it.
//!
//! With synchronous replication a row can be visible although no standby has it: PostgreSQL stops waiting for
//! the standby when the session's process is terminated or cancelled, and does not resume after a restart.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio_postgres::{Client, Error, SimpleQueryMessage};

use super::connect::{ConnectError, connect};
use super::error::CallError;
use super::session::Session;
use super::settings::Settings;

/// The timeout for asking whether a COMMIT still runs.
const ASKING: Duration = Duration::from_secs(2);

/// The pause before asking again.
const PAUSE: Duration = Duration::from_secs(1);

/// A message in the write-ahead log that nothing reads. A transaction that writes it has a commit record, so
/// its COMMIT waits for the standbys; a transaction id alone would not suffice.
pub(super) const WRITE_SOMETHING: &str = "SELECT pg_logical_emit_message(true, 'estimation', '')";

/// A server from one start to the next. After a restart it counts as another server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerId(Arc<str>);

/// The server process that serves one connection.
pub(super) struct Backend {
    pub server: ServerId,
    process: String,
    /// Whether commits waited for a standby when the connection was opened.
    pub synchronous: bool,
    /// Whether the server refuses writes, as a standby does.
    pub is_read_only: bool,
}

impl Backend {
    /// Reads the identity of the server and its process.
    pub(super) fn of(session: &mut Session) -> Result<Self, CallError> {
        const QUERY: &str = "SELECT pg_postmaster_start_time(), current_setting('port'), pg_backend_pid(), \
                             current_setting('synchronous_standby_names') <> '', \
                             current_setting('transaction_read_only')";
        let row = session.call(async |client| first_row(client, QUERY).await)?;
        let [started, port, process, synchronous, read_only] = row;
        let server = ServerId(format!("{started} {port}").into());
        Ok(Self { server, process, synchronous: synchronous == "t", is_read_only: read_only == "on" })
    }

    /// Whether the server still works on the process's last statement. Blocks for up to 2 seconds more than
    /// connecting takes.
    fn is_working(&self, settings: &Settings) -> Result<bool, ConnectError> {
        let (mut session, there) = connect(settings)?;
        session.set_limit(ASKING);
        let query = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE pid = {} AND state = 'active'",
            self.process
        );
        let answer = session.call(async |client| first_row(client, &query).await);
        Ok(there.server == self.server && answer.is_ok_and(|[count]| count == "1"))
    }
}

/// Waits for a COMMIT as long as the server reports that it works on it.
pub(super) struct CommitPatience {
    pub settings: Arc<Settings>,
    /// Set when waiting should stop.
    pub closing: Arc<AtomicBool>,
}

impl CommitPatience {
    /// How much longer to wait for an unanswered COMMIT.
    pub(super) fn more(&self, backend: &Backend) -> Option<Duration> {
        if self.closing.load(Ordering::Relaxed) {
            return None;
        }
        match backend.is_working(&self.settings) {
            Ok(true) => {
                tracing::debug!("the server still works on a COMMIT");
                Some(PAUSE)
            }
            Ok(false) => None,
            Err(error) => {
                tracing::debug!(%error, "the server cannot be asked about a COMMIT");
                None
            }
        }
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
