//! RetryBudget: retries with growing pauses while the service does not answer.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::trouble::DriveError;
use crate::http::Call;

/// The first pause. Each further pause is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(25);

const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// A retry budget. It starts with the first failure and is reset by success.
pub(super) struct RetryBudget {
    limit: Duration,
    since: Option<Instant>,
    pause: Duration,
}

impl RetryBudget {
    pub(super) fn of(limit: Duration) -> RetryBudget {
        RetryBudget { limit, since: None, pause: FIRST_PAUSE }
    }

    /// Resets the budget after a success.
    pub(super) fn renew(&mut self) {
        self.since = None;
        self.pause = FIRST_PAUSE;
    }

    /// Waits before the next attempt, as long as the service asks for. Returns false when the budget is used
    /// up.
    pub(super) async fn wait(&mut self, asked: Option<Duration>) -> bool {
        let since = *self.since.get_or_insert_with(Instant::now);
        if since.elapsed() >= self.limit {
            return false;
        }
        sleep(asked.unwrap_or(self.pause).min(self.limit)).await;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        true
    }

    /// Waits before a request is sent again. The error has the cause if the budget is used up.
    pub(super) async fn wait_for(
        &mut self,
        call: &Call,
        cause: String,
        asked: Option<Duration>,
    ) -> Result<(), DriveError> {
        if self.wait(asked).await { Ok(()) } else { Err(DriveError::unreachable(call, cause)) }
    }
}
