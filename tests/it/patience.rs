//! Waits for conditions on machines of any speed, and the length of a test.

use std::fmt::Display;
use std::time::{Duration, Instant};

/// The maximum wait for a condition before the test fails and names it. It is no limit of the service, so it
/// is far longer than anything takes.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// The pause before the next look is a part of what has passed, so that a long wait costs few looks.
fn pause(waited: Duration) -> Duration {
    (waited / 8).clamp(Duration::from_millis(20), Duration::from_millis(250))
}

/// Whether tests have the long form that `./test.sh long` gives them.
pub fn is_long() -> bool {
    std::env::var("ESTIMATION_TEST_LONG").is_ok_and(|value| value == "1")
}

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
        tokio::time::sleep(pause(begun.elapsed())).await;
    }
}
