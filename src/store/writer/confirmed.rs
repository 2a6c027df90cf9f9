//! What the writer's commits have confirmed.
//!
//! With synchronous replication a commit that PostgreSQL acknowledges is on a standby, and with it all that was
//! committed on the same server before. What a reader sees may not be: a restarted server also shows what no
//! standby has. Such a reader waits for a commit of the writer that was begun later.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::store::postgres::ServerId;

/// The newest commit, by server and the time when its transaction began.
#[derive(Default)]
pub(in crate::store) struct Confirmed(Mutex<Option<(ServerId, Instant)>>);

impl Confirmed {
    /// A transaction that began at `begun` was acknowledged.
    pub(super) fn note(&self, server: &ServerId, begun: Instant) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((server.clone(), begun));
    }

    /// Whether all that was on a server at a time is confirmed.
    pub fn covers(&self, server: &ServerId, time: Instant) -> bool {
        let newest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        newest.as_ref().is_some_and(|(confirmed, begun)| confirmed == server && *begun >= time)
    }
}
