//! Waiting for a condition, however long a busy machine takes.

use std::fmt::Display;
use std::time::{Duration, Instant};

/// How long a condition may take to come about before a test that hangs says what it waits for. It is no promise of
/// the service's, so it is far longer than anything takes.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// How long to wait between two looks.
const PAUSE: Duration = Duration::from_millis(20);

pub async fn eventually(what: impl Display, mut holds: impl AsyncFnMut() -> bool) {
    found(what, async || holds().await.then_some(())).await;
}

pub async fn found<T>(what: impl Display, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        tokio::time::sleep(PAUSE).await;
    }
}
