//! Patience: how long, and at what pace, a service that does not answer is asked again.

use std::time::{Duration, Instant};

use tokio::time::sleep;

/// The first pause; each one after it is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(25);

/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Patience with a service, which begins with the first trouble and is renewed by success.
pub(super) struct Patience {
    limit: Duration,
    since: Option<Instant>,
    pause: Duration,
}

impl Patience {
    pub(super) fn of(limit: Duration) -> Patience {
        Patience { limit, since: None, pause: FIRST_PAUSE }
    }

    /// All is well again.
    pub(super) fn renew(&mut self) {
        self.since = None;
        self.pause = FIRST_PAUSE;
    }

    /// Waits before the next try, as long as the service asks if it asks; false once patience has run out.
    pub(super) async fn wait(&mut self, asked: Option<Duration>) -> bool {
        let since = *self.since.get_or_insert_with(Instant::now);
        if since.elapsed() >= self.limit {
            return false;
        }
        sleep(asked.unwrap_or(self.pause).min(self.limit)).await;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        true
    }
}
