//! Waits for a COMMIT as long as the server reports that it works on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::backend::Backend;
use crate::connect::{ConnectError, connect};
use crate::settings::Settings;

/// The timeout for asking whether a COMMIT still runs.
const ASKING: Duration = Duration::from_secs(2);

/// The pause before asking again.
const PAUSE: Duration = Duration::from_secs(1);

/// Asks the server about a COMMIT, on a connection of its own.
pub(crate) struct CommitPatience {
    pub settings: Arc<Settings>,
    /// Set when waiting should stop.
    pub closing: Arc<AtomicBool>,
}

impl CommitPatience {
    /// How much longer to wait for an unanswered COMMIT.
    pub(crate) fn more(&self, backend: &Backend) -> Option<Duration> {
        if self.closing.load(Ordering::Relaxed) {
            return None;
        }
        match self.is_working(backend) {
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

    /// Whether the server still works on the process's last statement. Blocks for up to 2 seconds more than
    /// connecting takes.
    fn is_working(&self, backend: &Backend) -> Result<bool, ConnectError> {
        let (mut session, there) = connect(&self.settings)?;
        session.set_limit(ASKING);
        Ok(there.server == backend.server && backend.is_working(&mut session).unwrap_or(false))
    }
}
