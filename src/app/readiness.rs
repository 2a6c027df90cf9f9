//! The readiness check of a node.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::clock_watch::NodeClock;
use super::closing::Closing;
use super::handles::Handles;
use crate::store::Database;

/// Database timeout.
const DATABASE_WITHIN: Duration = Duration::from_secs(2);

/// The longest a write may wait.
const WRITTEN_WITHIN: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotReady {
    Stopping,
    /// The database does not answer within 2 seconds.
    DatabaseSilent,
    /// A write has waited for 5 seconds.
    WritesWaiting,
    /// The node's clock differs too much from the database server's.
    ClockSkewed,
    /// SQLite's files were deleted or replaced while open. Only a restart helps.
    DatabaseReplaced,
}

impl NotReady {
    pub const fn as_str(self) -> &'static str {
        match self {
            NotReady::Stopping => "stopping",
            NotReady::DatabaseSilent => "database-silent",
            NotReady::WritesWaiting => "writes-waiting",
            NotReady::ClockSkewed => "clock-skewed",
            NotReady::DatabaseReplaced => "database-replaced",
        }
    }

    pub const fn describe(self) -> &'static str {
        match self {
            NotReady::Stopping => "The node is stopping.",
            NotReady::DatabaseSilent => "The database does not answer.",
            NotReady::WritesWaiting => "The database answers, but does not write.",
            NotReady::ClockSkewed => "The node's clock is wrong.",
            NotReady::DatabaseReplaced => "The database was replaced while it was open.",
        }
    }
}

pub struct Readiness {
    database: Database,
    node_clock: Arc<NodeClock>,
    closing: Closing,
}

impl Readiness {
    pub(super) fn new(handles: &Handles, node_clock: Arc<NodeClock>, closing: Closing) -> Readiness {
        Readiness { database: handles.database.clone(), node_clock, closing }
    }

    pub async fn check(&self) -> Result<(), NotReady> {
        if self.closing.is_closing() {
            return Err(NotReady::Stopping);
        }
        if self.database.longest_wait() > WRITTEN_WITHIN {
            return Err(NotReady::WritesWaiting);
        }
        if self.database.is_replaced() {
            return Err(NotReady::DatabaseReplaced);
        }
        if self.node_clock.is_skewed() {
            return Err(NotReady::ClockSkewed);
        }
        match timeout(DATABASE_WITHIN, self.database.ping()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(NotReady::DatabaseSilent),
        }
    }
}
