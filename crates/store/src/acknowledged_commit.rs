//! The newest commit that PostgreSQL acknowledged.
//!
//! With synchronous replication, an acknowledged commit is on a standby, and so are all earlier commits of
//! the same server. A reader may see more than that: a restarted server also shows commits that no standby
//! has. Such a reader waits for a commit of the writer that begins later.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use estimation_postgres::ServerId;

/// The newest acknowledged commit: its server and the time its transaction began.
#[derive(Default)]
pub(crate) struct AcknowledgedCommit(Mutex<Option<(ServerId, Instant)>>);

impl AcknowledgedCommit {
    /// Records that a transaction begun at `begun` was acknowledged.
    pub(crate) fn note(&self, server: &ServerId, begun: Instant) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((server.clone(), begun));
    }

    /// Whether everything that a server showed at `time` is confirmed.
    pub fn covers(&self, server: &ServerId, time: Instant) -> bool {
        let newest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        newest.as_ref().is_some_and(|(confirmed, begun)| confirmed == server && *begun >= time)
    }
}
