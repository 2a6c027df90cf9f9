//! What failed and is not tried again for a while. The list is in memory: each node tries by itself.

use std::hash::Hash;

use jiff::{SignedDuration, Timestamp};
use quick_cache::sync::Cache;

/// The most keys in a list; a new one may displace another, which is then tried earlier.
const MAX: usize = 10_000;

/// The keys whose attempts pause, each with the time of its last attempt.
pub(crate) struct Pauses<K> {
    pause: SignedDuration,
    failed: Cache<K, Timestamp>,
}

impl<K: Eq + Hash> Pauses<K> {
    pub(crate) fn new(pause: SignedDuration) -> Pauses<K> {
        Pauses { pause, failed: Cache::new(MAX) }
    }

    pub(crate) fn begin(&self, key: K, now: Timestamp) {
        self.failed.insert(key, now);
    }

    /// Whether a key pauses. A clock that was set back ends it.
    pub(crate) fn has(&self, key: &K, now: Timestamp) -> bool {
        let passed = self.failed.get(key).map(|failed| now.duration_since(failed));
        passed.is_some_and(|passed| !passed.is_negative() && passed < self.pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: SignedDuration = SignedDuration::from_mins(5);

    #[test]
    fn a_key_is_tried_again_after_its_pause() {
        let (pauses, start) = (Pauses::new(PAUSE), Timestamp::UNIX_EPOCH);
        pauses.begin("one", start);
        assert!(pauses.has(&"one", start));
        assert!(!pauses.has(&"two", start));
        assert!(!pauses.has(&"one", start + PAUSE));
        assert!(!pauses.has(&"one", start - SignedDuration::from_hours(1)), "the clock was set back");
    }
}
